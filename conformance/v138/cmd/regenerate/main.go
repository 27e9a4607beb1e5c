// Regenerate rewrites the answers of kube-scheduler v1.38.0-beta.0 in a folder of golden
// files, and leaves those of other releases as they are:
//
//	go run ./cmd/regenerate -in ../../testdata/golden -out ../../testdata/golden
//
// With -add it also answers cases that have no answer of the release yet. The
// inputs are cases as testdata/golden/README.md describes them; "want" may be
// empty.
package main

import (
	"os"

	"example.com/preemption/conformance/v138/judge"
	"example.com/preemption/internal/conformance"
)

func main() {
	os.Exit(conformance.Main(judge.Release, judge.Judge, os.Args[1:], os.Stdout, os.Stderr))
}
