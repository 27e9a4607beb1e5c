package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"example.com/preemption"
	"example.com/preemption/internal/exampletest"
)

// ticking is run with a clock that moves by d whenever it is asked.
func ticking(d time.Duration) exampletest.Run {
	return func(args []string, stdout, stderr io.Writer) int {
		var t time.Duration
		return run(args, stdout, stderr, func() time.Duration {
			t += d
			return t
		})
	}
}

func TestOutput(t *testing.T) {
	for name, args := range map[string]string{
		"report.txt":    "-nodes 200 -workers 40",
		"minimum.txt":   "-nodes 20 -workers 40 -min 10 -gpus 8",
		"unhelpful.txt": "-nodes 20 -workers 40 -gpus 8",
		"low.txt":       "-nodes 20 -workers 4 -priority 5500",
		"list.txt":      "-nodes 20 -workers 3 -list",
		"report.json":   "-nodes 200 -workers 40 -json",
		"nothing.txt":   "-nodes 20 -workers 1 -gpus 0 -cpus 0 -memory 0",
		"help.txt":      "-h",
	} {
		t.Run(name, func(t *testing.T) {
			exampletest.Golden(t, name, exampletest.Output(t, ticking(100*time.Microsecond), strings.Fields(args)...))
		})
	}
}

// TestLeastCostIsNoWorse compares the planners on several jobs.
func TestLeastCostIsNoWorse(t *testing.T) {
	w, err := newWorld(300)
	if err != nil {
		t.Fatal(err)
	}
	before := len(w.cluster.Nodes())
	for _, args := range []string{"-workers 10 -gpus 8", "-workers 50", "-workers 30 -gpus 2 -priority 6000", "-workers 60 -gpus 1 -cpus 8"} {
		cfg, err := parse(strings.Fields(args), nil)
		if err != nil {
			t.Fatal(err)
		}
		kube, err := w.preempt(cfg.gang(), preemption.GivenPlacement{})
		if err != nil {
			t.Fatal(err)
		}
		best, err := w.preempt(cfg.gang(), preemption.BestPlacement{})
		if err != nil {
			t.Fatal(err)
		}
		if !best.Exact {
			t.Errorf("%s: the plan is not exact", args)
		}
		if top(best) > top(kube) || top(best) == top(kube) && kube.Outcome == best.Outcome && sum(best) > sum(kube) {
			t.Errorf("%s: highest priority %d and sum %d, want at most %d and %d", args, top(best), sum(best), top(kube), sum(kube))
		}
	}
	if len(w.cluster.Nodes()) != before {
		t.Error("the cluster has changed")
	}
}

func top(r *preemption.GangResult) int32 {
	var top int32
	for _, p := range r.Delete {
		top = max(top, p.Priority)
	}
	return top
}

// sum is that of (priority + 2^31), as the planners compare it.
func sum(r *preemption.GangResult) int64 {
	var sum int64
	for _, p := range r.Delete {
		sum += int64(p.Priority) + 1<<31
	}
	return sum
}

func TestSameBytes(t *testing.T) {
	output := func(d time.Duration) string {
		var all struct{ Plans []map[string]any }
		if err := json.Unmarshal([]byte(exampletest.Output(t, ticking(d), "-nodes", "100", "-workers", "20", "-json")), &all); err != nil {
			t.Fatal(err)
		}
		for _, p := range all.Plans {
			delete(p, "latencyMicroseconds")
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if a, b := output(time.Microsecond), output(time.Second); a != b {
		t.Errorf("%s\ndiffers from\n%s", b, a)
	}
}

// TestGPUNodes checks what the flags are checked against.
func TestGPUNodes(t *testing.T) {
	nodes, err := loadNodes()
	if err != nil || len(nodes) != gpuNodes {
		t.Errorf("the trace has %d nodes with GPUs, %v, want %d", len(nodes), err, gpuNodes)
	}
}

func TestUsageErrors(t *testing.T) {
	for args, want := range map[string]string{
		"-nodes 0":             "the trace has 1 to 1213",
		"-workers 0":           "want 1 to 10000",
		"-workers 3 -min 4":    "the job has 3 workers",
		"-gpus -1":             "want 0 to 100000",
		"-priority 1000000001": "beyond a billion",
		"-frob":                "flag provided but not defined: -frob",
		"job":                  `unexpected argument "job"`,
	} {
		if got := exampletest.UsageError(t, ticking(0), strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("%s: standard error says %q, want it to contain %q", args, got, want)
		}
	}
}
