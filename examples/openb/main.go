// Openb lets a stream of urgent pods loose on a real cluster: the 1,523 nodes and
// 8,152 pods of a production GPU cluster at Alibaba (testdata/openb has the data
// and its licence).
//
// It places the pods of the trace by a plain best fit until the cluster is full.
// Then pods of a higher priority arrive, of sizes drawn from the trace. For each
// it asks which pods to preempt where, evicts the victims, binds the pod and goes on.
// At the end it reports how many were helped at whose expense, which disruption
// budgets were violated, and how long decisions took.
//
//	go run ./examples/openb
//	go run ./examples/openb -pods 5000
//	go run ./examples/openb -nodes 100 -seed 7 -json
//	go run ./examples/openb -best
//
// GPUs are counted in thousandths and pooled per node, which ignores the limits
// of each device. But for latencies the output depends on the flags alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	started := time.Now()
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr, func() time.Duration { return time.Since(started) })
	stop()
	os.Exit(code)
}

// run returns the exit code: 0, 1 if something failed, 2 for wrong arguments.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, now clock) int {
	cfg, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "openb:", err, "(-h lists the flags)")
		return 2
	}
	if err := simulate(ctx, cfg, stdout, stderr, now); err != nil {
		fmt.Fprintln(stderr, "openb:", err)
		return 1
	}
	return 0
}

func simulate(ctx context.Context, cfg config, stdout, stderr io.Writer, now clock) error {
	w, err := newWorld(cfg.nodes)
	if err != nil {
		return err
	}
	p := newProgress(stderr, now, cfg.pods)
	t, err := stream(ctx, w, evaluator(cfg.best), cfg.pods, cfg.seed, now, p.done)
	p.clear()
	if err != nil {
		return err
	}
	if cfg.json {
		return writeJSON(stdout, cfg, w, t)
	}
	return writeReport(stdout, cfg, w, t)
}

// A config is what the flags say.
type config struct {
	nodes, pods int
	seed        uint64
	json        bool
	best        bool
}

// traceNodes is how many nodes the trace has.
const traceNodes = 1523

// parse reads the flags. Asked for help it prints it and returns
// [flag.ErrHelp].
func parse(args []string, help io.Writer) (config, error) {
	var cfg config
	flags := flag.NewFlagSet("openb", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints the error
	flags.IntVar(&cfg.nodes, "nodes", traceNodes, "how many of the trace's `nodes` to use, evenly taken from the list")
	flags.IntVar(&cfg.pods, "pods", 1000, "how many urgent `pods` arrive")
	flags.Uint64Var(&cfg.seed, "seed", 1, "`seed` of the draw of pod sizes")
	flags.BoolVar(&cfg.best, "best", false, "choose the best victims, and count how often kube-scheduler's are worse")
	flags.BoolVar(&cfg.json, "json", false, "print JSON; latencies are in microseconds")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(help, usage)
		flags.SetOutput(help)
		flags.PrintDefaults()
	case err != nil:
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case cfg.nodes < 1 || cfg.nodes > traceNodes:
		err = fmt.Errorf("-nodes %d: the trace has 1 to %d", cfg.nodes, traceNodes)
	case cfg.pods < 0:
		err = fmt.Errorf("-pods %d: must not be negative", cfg.pods)
	}
	return cfg, err
}

const usage = `Usage: openb [flags]

A production GPU cluster is filled with the pods of its trace. Then urgent pods
arrive, of sizes drawn from the trace, and preempt.

`
