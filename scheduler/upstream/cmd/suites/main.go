// Suites runs Kubernetes' own tests and benchmarks of preemption with the library
// in the place of DefaultPreemption's evaluator, and the live test. Use the
// scripts run and perf of this module.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

var began = time.Now()

// progress says on standard error what is being done.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%4.0fs %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("suites", flag.ContinueOnError)
	keep := flags.String("work", "", "a folder for binaries and logs, to be kept (a temporary one)")
	only := flags.String("run", "", "only tests that match")
	crossCheck := flags.Bool("crosscheck", false, "run kube-scheduler's whole search beside every decision")
	rounds := flags.Int("rounds", 3, "how often perf runs every workload with and without the library")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return fmt.Errorf("want a command and what to run: run SUITE|live|all, perf WORKLOADS")
	}
	work := *keep
	if work == "" {
		var err error
		if work, err = os.MkdirTemp("", "preemption-upstream-"); err != nil {
			return err
		}
		defer os.RemoveAll(work)
	}
	t, err := newTree(ctx, work)
	if err != nil {
		return err
	}
	switch what := flags.Arg(1); flags.Arg(0) {
	case "run":
		return run(ctx, t, what, *only, *crossCheck)
	case "perf":
		return perf(ctx, t, what, *rounds)
	}
	return fmt.Errorf("unknown command %q: want run or perf", flags.Arg(0))
}
