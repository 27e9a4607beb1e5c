package judge

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/conformance"
	"example.com/preemption/internal/generate"
	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/replay"
)

var placings = flag.Int("placings", 1000, "how many generated `cases` of preempting groups the library and the scheduler look for places for")

// TestPlacings holds the library against the scheduler where both look for the places
// of a preempting group themselves. Places, victims and violations have to be the same.
func TestPlacings(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(*placings) {
		c := generate.Case(seed, "gang")
		if conformance.Tangled(&c) {
			outcomes["left open"]++
			continue
		}
		want, steady, err := steadyPlacing(c, conformance.Runs)
		if errors.Is(err, errEndless) || err == nil && !steady {
			outcomes["left open"]++
			continue
		}
		if err != nil {
			t.Fatalf("%s: the judge: %v", c.Name, err)
		}
		got, err := ourPlacing(&c, replay.Releases[Release])
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if diff := want.diff(got); diff != "" {
			// An answer that comes up rarely passes for steady now and then.
			if _, steady, err := steadyPlacing(c, conformance.RunsToBeSure); err == nil && !steady {
				outcomes["left open"]++
				continue
			}
			t.Errorf("%s: %s", c.Name, diff)
		}
		outcomes[want.Outcome]++
		if blind, err := ourPlacing(&c, preemption.Release137); err == nil && want.Outcome == golden.Preempt && !maps.Equal(blind.places, want.places) {
			outcomes["elsewhere in 1.37"]++
		}
	}
	t.Logf("%d cases: %v", *placings, outcomes)
	if enough := *placings / 10; outcomes[golden.Preempt] < enough || outcomes[golden.Unhelpful] == 0 || outcomes[golden.Fits] == 0 || outcomes["elsewhere in 1.37"] < enough/5 {
		t.Errorf("outcomes are %v, want more of each", outcomes)
	}
}

// placing is what is decided for a group.
type placing struct {
	golden.Answer
	places map[string]string
}

func (p placing) diff(o placing) string {
	if p.Outcome != o.Outcome || p.PDBViolations != o.PDBViolations || !slices.Equal(p.Victims, o.Victims) || !maps.Equal(p.places, o.places) {
		return fmt.Sprintf("the library: %s, victims %v, violations %d, places %v; the scheduler: %s (%s), victims %v, violations %d, places %v",
			o.Outcome, o.Victims, o.PDBViolations, o.places, p.Outcome, p.Reason, p.Victims, p.PDBViolations, p.places)
	}
	return ""
}

// steadyPlacing is [conformance.Steady] for the search for places.
func steadyPlacing(c golden.Case, runs int) (first placing, steady bool, err error) {
	if !c.HasGroups() {
		runs = 1
	}
	for i := range runs {
		var p placing
		if p.Answer, p.places, err = Place(c); err != nil {
			return placing{}, false, err
		}
		switch {
		case i == 0:
			first = p
		case first.diff(p) != "":
			return placing{}, false, nil
		}
	}
	return first, true, nil
}

// ourPlacing is what the library decides by the rules of a release.
func ourPlacing(c *golden.Case, r preemption.Release) (placing, error) {
	state, err := replay.State(c, r)
	if err != nil {
		return placing{}, err
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		return placing{}, err
	}
	gang := &preemption.Gang{Namespace: c.Preemptor.Namespace, Name: c.Preemptor.Name, Priority: c.Preemptor.Priority}
	for i := range c.Gang {
		p, err := replay.Pod(&c.Gang[i].Pod)
		if err != nil {
			return placing{}, err
		}
		gang.Members = append(gang.Members, p)
	}
	var e preemption.Evaluator
	result, err := e.PreemptGroup(context.Background(), cluster, gang,
		preemption.GivenPlacement{Placer: preemption.FirstNode(preemption.DefaultFilters()...)})
	if err != nil {
		return placing{}, err
	}
	p := placing{Answer: golden.Answer{Outcome: result.Outcome.String(), PDBViolations: int64(result.Violations)}}
	for _, v := range result.Victims {
		for _, x := range v.Pods {
			p.Victims = append(p.Victims, x.Namespace+"/"+x.Name)
		}
	}
	if c.HasGroups() {
		slices.Sort(p.Victims)
	}
	if result.Outcome == preemption.OutcomeFits || result.Outcome == preemption.OutcomePreempt {
		p.places = map[string]string{}
		for _, a := range result.Assignments {
			if a.Node != nil {
				p.places[a.Pod.Name] = a.Node.Name
			}
		}
	}
	return p, nil
}
