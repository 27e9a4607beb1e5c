package judge

import (
	"flag"
	"slices"
	"testing"

	"example.com/preemption/internal/conformance"
	"example.com/preemption/internal/generate"
	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/replay"
)

var gangs = flag.Int("gangs", 1000, "how many generated `cases` of preempting groups the library is held against the scheduler on")

// TestGangs holds the library against the scheduler where the preemptor is a
// group with a given placement. TestDifferential has such cases among others.
func TestGangs(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(*gangs) {
		c := generate.Case(seed, "gang")
		want, steady, err := conformance.Steady(Judge, c, conformance.Runs)
		if err != nil {
			t.Fatalf("%s: the judge: %v", c.Name, err)
		}
		if !steady || conformance.Tangled(&c) {
			outcomes["left open"]++
			continue
		}
		got, err := replay.Gang(&c, replay.Releases[Release])
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if c.HasGroups() {
			slices.Sort(got.Victims)
		}
		if diff := c.Diff(got, want); diff != "" {
			// An answer that comes up rarely passes for steady now and then.
			if _, steady, err := conformance.Steady(Judge, c, conformance.RunsToBeSure); err == nil && !steady {
				outcomes["left open"]++
				continue
			}
			t.Errorf("%s: %s", c.Name, diff)
		}
		outcomes[want.Outcome]++
	}
	t.Logf("%d cases: %v", *gangs, outcomes)
	if enough := *gangs / 10; outcomes[golden.Preempt] < enough || outcomes[golden.Unhelpful] < enough || outcomes[golden.Fits] == 0 {
		t.Errorf("outcomes are %v, want more of each", outcomes)
	}
}
