// Scheduler is a minimal scheduler that leaves preemption to the library: a queue
// by priority, a filter phase, preemption, nomination, eviction with grace
// periods, and another try, until nothing changes any more. Time is virtual.
//
// Three nodes are filled with web and batch pods. Then a database needs more
// room than there is, and while it waits for its victims to go, something more
// urgent takes the place that was made for it.
//
//	go run ./examples/scheduler
//
// The loop is in scheduler.go, what happens to a single pod in cycle.go, and the
// story in story.go.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 0, 1 if something failed, 2 for wrong arguments.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(stderr, "scheduler: it takes no arguments")
		return 2
	}
	s, err := newScheduler(nodes(), story, stdout)
	if err == nil {
		err = s.run(context.Background())
	}
	if err != nil {
		fmt.Fprintln(stderr, "scheduler:", err)
		return 1
	}
	return 0
}
