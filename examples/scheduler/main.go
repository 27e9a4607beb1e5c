// Scheduler plays a day in the life of a cluster, under several policies: pods of
// a production GPU trace arrive on some of its nodes, run for as long as they did,
// preempt each other, and are re-created when they were evicted. A table says
// what each policy came to.
//
//	go run ./examples/scheduler
//	go run ./examples/scheduler -nodes 12 -pods 2000
//	go run ./examples/scheduler -timeline kube-scheduler | less
//
// The nodes are taken evenly from the trace's 1,523, the pods in its order. In the
// trace they come over five months; here their arrivals are spread evenly over a
// day. GPUs are counted in thousandths and pooled per node, and a pod that names
// one GPU model keeps to it while one that names several does not. A pod leaves at
// its time, however long it had to wait, and what runs longer than two days is cut
// off there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/preemption/simulate"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 0, 1 if something failed, 2 for wrong arguments.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("scheduler", flag.ContinueOnError)
	flags.SetOutput(stderr)
	nodes := flags.Int("nodes", 24, "how many nodes of the trace")
	pods := flags.Int("pods", 4000, "how many pods arrive during the day")
	timeline := flags.String("timeline", "", "print what happens under the policy of that `name`, line by line")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "scheduler: %q is no argument of it: it takes flags alone (-h lists them)\n", flags.Arg(0))
		return 2
	}
	world, err := day(*nodes, *pods)
	if err != nil {
		fmt.Fprintln(stderr, "scheduler:", err)
		return 2
	}
	if *timeline != "" {
		err = tell(stdout, world, *timeline)
	} else {
		err = compare(stdout, world)
	}
	if err != nil {
		fmt.Fprintln(stderr, "scheduler:", err)
		return 1
	}
	return 0
}

// compare prints a row a policy.
func compare(w io.Writer, world simulate.World) error {
	fmt.Fprintf(w, "%d pods arrive on %d nodes during a day and run for as long as they did in the trace.\n\n",
		len(world.Arrivals), len(world.Cluster.Nodes()))
	c, err := simulate.Compare(context.Background(), world, policies...)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, c)
	for i := range c.Rows {
		if often := c.Rows[i].Report.EvictedOften(); len(often) > 0 {
			fmt.Fprintf(w, "%s: %s was evicted %d times\n", c.Rows[i].Policy, often[0].Pod.Name, len(often[0].Evictions))
		}
	}
	return nil
}

// tell prints the time line under one policy.
func tell(w io.Writer, world simulate.World, name string) error {
	var names []string
	for _, p := range policies {
		names = append(names, p.Name)
		if p.Name != name {
			continue
		}
		world.Policy = p
		r, err := simulate.Run(context.Background(), world)
		if err != nil {
			return err
		}
		if err := r.WriteTimeLine(w); err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, r.Ending())
		return err
	}
	return fmt.Errorf("there is no policy %q: want one of %s", name, strings.Join(names, ", "))
}
