package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"example.com/preemption"
)

// A question is what the flags can change.
type question struct {
	priority int32
	cpu      int64 // millicores
	budget   bool
	never    bool
	release  preemption.Release
	first    bool // no flag was given
}

// parse reads the flags. Asked for help it prints it and returns
// [flag.ErrHelp].
func parse(args []string, help io.Writer) (question, error) {
	q := question{priority: 1000, cpu: 3000, first: len(args) == 0}
	flags := flag.NewFlagSet("fivenodes", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints the error
	flags.Func("priority", "`priority` of the pending pod: at 1000 it evicts batch pods only, above that web\npods too, at 100 none (default 1000)", func(s string) (err error) {
		q.priority, err = parsePriority(s)
		return err
	})
	flags.Func("cpu", "`CPUs` the pending pod asks for, such as 3, 0.5 or 2500m (default 3)", func(s string) (err error) {
		q.cpu, err = parseCPU(s)
		return err
	})
	flags.BoolVar(&q.budget, "budget", false, "protect the batch pods by a disruption budget that allows one disruption")
	flags.BoolVar(&q.never, "never", false, "give the pending pod preemptionPolicy Never")
	flags.Func("release", fmt.Sprintf("kube-scheduler `minor` whose rules apply, one of %v (default %v)", preemption.Releases(), preemption.ReleaseNewest), func(s string) (err error) {
		q.release, err = preemption.ParseRelease(s)
		return err
	})
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(help, usage)
		flags.SetOutput(help)
		flags.PrintDefaults()
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return q, err
}

const usage = `Usage: fivenodes [flags]

Five nodes of 4 CPUs are full: each runs two web pods (priority 1000, 750m) and
five batch pods (priority 100, 500m). One more web pod is pending. What would
have to be evicted for it, and why? Without flags the answer is the one that
puzzles most: preemption is not helpful.

`

func parsePriority(s string) (int32, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0, errors.New("not a whole number of 32 bits")
	}
	return int32(n), nil
}

// parseCPU reads CPUs, or millicores with the suffix m, and returns millicores.
func parseCPU(s string) (int64, error) {
	number, scale := s, 1000.0
	if m, ok := strings.CutSuffix(s, "m"); ok {
		number, scale = m, 1
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0) || n*scale > 1e9 {
		return 0, errors.New("not a number of CPUs such as 3, 0.5 or 2500m")
	}
	return int64(math.Ceil(n*scale - 1e-9)), nil
}
