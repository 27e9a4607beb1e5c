package main

import (
	"context"
	"strings"
	"testing"

	"example.com/preemption/internal/exampletest"
	"example.com/preemption/simulate"
)

func TestOutput(t *testing.T) {
	exampletest.Golden(t, "output.txt", exampletest.Output(t, run, "-nodes", "12", "-pods", "2000"))
}

func TestTimeLine(t *testing.T) {
	exampletest.Golden(t, "timeline.txt", exampletest.Output(t, run, "-nodes", "3", "-pods", "60", "-timeline", "kube-scheduler"))
}

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{{"-v"}, {"now"}, {"-nodes", "0"}, {"-pods", "9000"}} {
		if text := exampletest.UsageError(t, run, args...); text == "" {
			t.Errorf("%q: nothing is said", args)
		}
	}
	var out, err strings.Builder
	if code := run([]string{"-nodes", "1", "-pods", "1", "-timeline", "none"}, &out, &err); code != 1 || !strings.Contains(err.String(), "kube-scheduler") {
		t.Errorf("an unknown policy: exit code %d, %q", code, err.String())
	}
}

// Without preemption nobody is evicted; with it only pods below the highest
// priority are, and the important pods that come late find room.
func TestWhoIsEvicted(t *testing.T) {
	w, err := day(12, 2000)
	if err != nil {
		t.Fatal(err)
	}
	c, err := simulate.Compare(context.Background(), w, policies...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		if preempts := i > 0; (row.Evictions > 0) != preempts || row.TopPriority >= 9500 {
			t.Errorf("%s: %d evictions, the highest priority %d", row.Policy, row.Evictions, row.TopPriority)
		}
	}
}
