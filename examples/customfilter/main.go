// Customfilter shows how to write a filter of your own: a stateful anti-affinity
// that allows one pod of each app in a zone (filter.go).
//
// A database pod is pending. Every node has room, so by the built-in filters it
// fits. By the rule of one pod a zone it does not: zone b has a database pod that
// it may not evict, and zone a has two pods of a test deployment, one on each
// node. Clearing one node of its test pod leaves the other in the zone. Only if
// the two are an atomic group, which goes whole, does preemption help.
//
//	go run ./examples/customfilter
//
// The last part does by hand, with the functions that the evaluator is made of,
// what it does for one node. The test checks the filter against the laws with
// the package preemptiontest.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/preemption"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 0, 1 if something failed, 2 for wrong arguments.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(stderr, "customfilter: it takes no arguments")
		return 2
	}
	text, err := tell()
	if err != nil {
		fmt.Fprintln(stderr, "customfilter:", err)
		return 1
	}
	io.WriteString(stdout, text)
	return 0
}

// filters are the built-in ones and our own, which is asked last.
func filters() []preemption.Filter {
	return append(preemption.DefaultFilters(), onePerZone{})
}

// tell puts the same question under three circumstances, and a part of it by
// hand.
func tell() (string, error) {
	var b strings.Builder
	b.WriteString(picture)
	for _, part := range []struct {
		title     string
		atomic    bool
		evaluator preemption.Evaluator
	}{
		{"The built-in filters alone", false, preemption.Evaluator{}},
		{"One pod of an app in a zone", false, preemption.Evaluator{Filters: filters()}},
		{"The same, and the test pods are an atomic group", true, preemption.Evaluator{Filters: filters()}},
	} {
		cluster, err := newCluster(part.atomic)
		if err != nil {
			return "", err
		}
		examination, err := part.evaluator.Examine(context.Background(), cluster, database("db-1", 1000))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "== %s ==\n\n%s\n", part.title, examination.Explain())
	}

	b.WriteString("== Node a1 of the last one, by hand ==\n\n")
	cluster, err := newCluster(true)
	if err != nil {
		return "", err
	}
	selection, err := selectByHand(cluster, cluster.Node("a1"), database("db-1", 1000))
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "status %v, victims %v, %d violations\n", selection.Status, selection.Victims, selection.Violations)
	return b.String(), nil
}

const picture = `Pending: the database pod db-1, priority 1000. All nodes have room for it.

zone a  node a1  db-test-0, priority 10
        node a2  db-test-1, priority 10
zone b  node b1  db-0, priority 1000

`
