// Campaign holds the library against kube-scheduler v1.38.0-beta.0 on generated cases, in
// shards that it records, and sums up all records:
//
//	go run ./cmd/campaign -out campaign.jsonl -seed 1 -shards 100
//
// Stopped and started again, it goes on where it was.
package main

import (
	"os"

	"example.com/preemption/conformance/v138/judge"
	"example.com/preemption/internal/conformance"
)

func main() {
	os.Exit(conformance.CampaignMain(judge.Release, judge.Judge, os.Args[1:], os.Stdout, os.Stderr))
}
