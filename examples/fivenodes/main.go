// Fivenodes asks the question that puzzles most people who meet preemption for
// the first time: why does it not help?
//
// Five nodes of 4 CPUs are full. Each runs two web pods (priority 1000, 750m)
// and five batch pods (priority 100, 500m). One more web pod, of 3 CPUs, is
// pending. It may evict every batch pod, and still no node has room for it.
//
// It prints what emptying each node frees against what the pod asks, the message
// that kube-scheduler would give, and the explanation of the decision. The flags
// change the question:
//
//	go run ./examples/fivenodes                          # not helpful: 2500m of 3000m
//	go run ./examples/fivenodes -priority 10000          # six victims
//	go run ./examples/fivenodes -priority 10000 -budget  # five victims, two budget violations
//	go run ./examples/fivenodes -priority 100            # no pod has a lower priority
//	go run ./examples/fivenodes -never                   # the pod may not preempt
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"example.com/preemption"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 0, 1 if something failed, 2 for wrong arguments.
func run(args []string, stdout, stderr io.Writer) int {
	q, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "fivenodes:", err, "(-h lists the flags)")
		return 2
	}
	cluster, examination, err := examine(q)
	if err != nil {
		fmt.Fprintln(stderr, "fivenodes:", err)
		return 1
	}
	io.WriteString(stdout, report(q, cluster, examination))
	return 0
}

// examine builds the cluster and asks what preemption does for the pending pod.
func examine(q question) (*preemption.Cluster, *preemption.Examination, error) {
	cluster, err := preemption.NewCluster(q.state())
	if err != nil {
		return nil, nil, err
	}
	var evaluator preemption.Evaluator // the zero value is kube-scheduler's default policy
	examination, err := evaluator.Examine(context.Background(), cluster, q.pendingPod())
	return cluster, examination, err
}
