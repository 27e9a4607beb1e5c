// Gang clears room for a training job on a real cluster: the GPU nodes of a
// production cluster at Alibaba, filled with the pods of its trace that ask for
// GPUs (testdata/openb has the data and its licence).
//
// The job is a gang: all of its workers start, or as many as -min says, or none.
// Two planners decide which pods to evict for it. The one places the workers as
// kube-scheduler does, on the emptied cluster and blind to what that costs, and
// then puts back what it can. The other looks for the placement that costs least.
// The report sets them side by side: who is evicted, by QoS, on how many nodes.
//
//	go run ./examples/gang
//	go run ./examples/gang -workers 200 -gpus 8 -min 150
//	go run ./examples/gang -nodes 100 -workers 12 -list
//	go run ./examples/gang -json
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
	"time"

	"example.com/preemption"
	"example.com/preemption/internal/trace"
)

func main() {
	started := time.Now()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, func() time.Duration { return time.Since(started) }))
}

// A clock says how much time has passed.
type clock func() time.Duration

// run returns the exit code: 0, 1 if something failed, 2 for wrong arguments.
func run(args []string, stdout, stderr io.Writer, now clock) int {
	cfg, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "gang:", err, "(-h lists the flags)")
		return 2
	}
	if err := compare(cfg, stdout, now); err != nil {
		fmt.Fprintln(stderr, "gang:", err)
		return 1
	}
	return 0
}

// compare asks both planners and reports what they say.
func compare(cfg config, stdout io.Writer, now clock) error {
	w, err := newWorld(cfg.nodes)
	if err != nil {
		return err
	}
	gang := cfg.gang()
	var plans []plan
	for _, p := range []struct {
		name    string
		planner preemption.Planner
	}{
		{"as kube-scheduler", preemption.GivenPlacement{}}, // the zero value places by the room left
		{"least cost", preemption.BestPlacement{}},
	} {
		start := now()
		result, err := w.preempt(gang, p.planner)
		if err != nil {
			return err
		}
		plans = append(plans, newPlan(p.name, result, now()-start))
	}
	if cfg.json {
		return writeJSON(stdout, cfg, w, plans)
	}
	return writeReport(stdout, cfg, w, plans)
}

func (w *world) preempt(gang *preemption.Gang, planner preemption.Planner) (*preemption.GangResult, error) {
	var evaluator preemption.Evaluator // the zero value is kube-scheduler's default policy
	return evaluator.PreemptGroup(context.Background(), w.cluster, gang, planner)
}

// A config is what the flags say.
type config struct {
	nodes, workers, min int
	gpus, cpus, memory  int64
	priority            int
	json, list          bool
}

// parse reads the flags. Asked for help it prints it and returns
// [flag.ErrHelp].
func parse(args []string, help io.Writer) (config, error) {
	var cfg config
	flags := flag.NewFlagSet("gang", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints the error
	flags.IntVar(&cfg.nodes, "nodes", gpuNodes, "how many of the trace's GPU `nodes` to use, evenly taken from the list")
	flags.IntVar(&cfg.workers, "workers", 100, "how many `workers` the job has")
	flags.IntVar(&cfg.min, "min", 0, "how `many` of them it needs to start; 0: all")
	flags.Int64Var(&cfg.gpus, "gpus", 4, "`GPUs` of a worker")
	flags.Int64Var(&cfg.cpus, "cpus", 32, "`CPUs` of a worker")
	flags.Int64Var(&cfg.memory, "memory", 128, "`GiB` of memory of a worker")
	flags.IntVar(&cfg.priority, "priority", 9999, "`priority` of the job; those of the trace are 9500, 7500 and 5500")
	flags.BoolVar(&cfg.list, "list", false, "list the nodes with who comes and who goes")
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
	case cfg.nodes < 1 || cfg.nodes > gpuNodes:
		err = fmt.Errorf("-nodes %d: the trace has 1 to %d with GPUs", cfg.nodes, gpuNodes)
	case cfg.workers < 1 || cfg.workers > 10_000:
		err = fmt.Errorf("-workers %d: want 1 to 10000", cfg.workers)
	case cfg.min < 0 || cfg.min > cfg.workers:
		err = fmt.Errorf("-min %d: the job has %d workers", cfg.min, cfg.workers)
	case min(cfg.gpus, cfg.cpus, cfg.memory) < 0 || max(cfg.gpus, cfg.cpus, cfg.memory) > 100_000:
		err = errors.New("-gpus, -cpus and -memory: want 0 to 100000")
	case cfg.priority < -1_000_000_000 || cfg.priority > 1_000_000_000:
		err = fmt.Errorf("-priority %d: beyond a billion", cfg.priority)
	}
	return cfg, err
}

const usage = `Usage: gang [flags]

The GPU nodes of a production cluster are filled with the pods of its trace. A
training job preempts, at the placement that kube-scheduler would choose and at
the one that costs least.

`

// gang returns the job.
func (c *config) gang() *preemption.Gang {
	g := &preemption.Gang{Namespace: "training", Name: "job", Priority: int32(c.priority), MinCount: c.min}
	for i := range c.workers {
		name := fmt.Sprintf("worker-%04d", i)
		g.Members = append(g.Members, &preemption.Pod{
			Namespace: "training", Name: name, UID: name, Priority: int32(c.priority),
			Requests: preemption.Resources{preemption.CPU: c.cpus * 1000, preemption.Memory: c.memory << 30, trace.GPU: c.gpus * 1000},
		})
	}
	return g
}
