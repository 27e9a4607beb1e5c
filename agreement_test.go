package preemption_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/world"
)

// However a question is asked, the answers agree: in random clusters that change, with
// filters, hooks, statuses and policies of all kinds. internal/twins and internal/properties
// ask much more, and hold answers against definitions; this is the share of the root's own
// tests.
func TestAllWaysAgree(t *testing.T) {
	outcomes := map[preemption.Outcome]int{}
	for seed := range uint64(300) {
		w := world.New(world.Seeded(seed, 31))
		c, err := preemption.NewCluster(w.State(preemption.Release(w.Choose(4))))
		if err != nil {
			continue // overcommitted beyond what sums can hold, a duplicate, ...
		}
		for range 4 {
			p := w.Preemptor(w.Known(c))
			for _, e := range slices.Concat(w.Evaluators(), w.Policies()) {
				a := asked{t, seed, e, c, p}
				if a.decisions(outcomes) {
					a.waiting(outcomes)
				}
			}
			w.Change(c)
		}
	}
	for _, o := range []preemption.Outcome{preemption.OutcomeFits, preemption.OutcomeIneligible, preemption.OutcomeUnhelpful, preemption.OutcomePreempt, preemption.OutcomeWaiting} {
		if outcomes[o] < 10 {
			t.Errorf("%d answers are %v, want some more: %v", outcomes[o], o, outcomes)
		}
	}
}

// asked is a question, and whom it is asked.
type asked struct {
	*testing.T
	seed      uint64
	evaluator *preemption.Evaluator
	cluster   *preemption.Cluster
	preemptor *preemption.Pod
}

func (a asked) wrong(what string, got, want any) {
	a.Helper()
	a.Fatalf("seed %d: %s: %v, want %v\n%s\npreemptor %+v", a.seed, what, got, want, world.Describe(a.cluster), *a.preemptor)
}

// decisions has the engine, the functions and an examination decide, and reports whether
// they do. The preemptor fits on the nodes that it fits on, and goes to the first of them.
func (a asked) decisions(outcomes map[preemption.Outcome]int) bool {
	a.Helper()
	twin := *a.evaluator
	twin.Compare = preemption.CompareImportance // a caller's order is not for the engine
	r, err := a.evaluator.Preempt(a.Context(), a.cluster, a.preemptor)
	want := world.Decision(r, err)
	slow, errSlow := twin.Preempt(a.Context(), a.cluster, a.preemptor)
	if got := world.Decision(slow, errSlow); got != want {
		a.wrong("the functions", got, want)
	}
	x, errExamine := a.evaluator.Examine(a.Context(), a.cluster, a.preemptor)
	if err != nil || errExamine != nil {
		if err == nil || errExamine == nil || err.Error() != errExamine.Error() {
			a.wrong("Examine fails", errExamine, err)
		}
		return false
	}
	outcomes[r.Outcome]++
	if got := world.Decision(&x.Result, nil); got != want {
		a.wrong("Examine", got, want)
	}
	fits := a.fitting(a.cluster)
	var found []string
	for _, n := range x.FitNodes {
		found = append(found, n.Name)
	}
	if !slices.Equal(slices.Sorted(slices.Values(fits)), slices.Sorted(slices.Values(found))) {
		a.wrong("Fitting", fits, found)
	}
	if len(fits) > 0 && (r.Outcome != preemption.OutcomeFits || r.Node.Name != fits[0]) {
		a.wrong("Preempt", want, "a fit on "+fits[0])
	}
	return true
}

// waiting asks where the preemptor will fit once those that terminate have gone: where it
// fits in a cluster without them.
func (a asked) waiting(outcomes map[preemption.Outcome]int) {
	a.Helper()
	if a.evaluator.Statuses != nil {
		return // which are of the nodes as they are
	}
	r, err := a.evaluator.FitsAfterTermination(a.Context(), a.cluster, a.preemptor)
	if err != nil {
		a.wrong("FitsAfterTermination", err, "no error")
	}
	outcomes[r.Outcome]++
	want, waits := a.fitting(a.cluster), false
	if len(want) == 0 {
		state, leaving := a.cluster.State(), map[string]bool{}
		state.Pods = slices.DeleteFunc(state.Pods, func(p *preemption.Pod) bool {
			leaves := p.NodeName != "" && p.Termination != preemption.NotTerminating
			if leaves {
				leaving[p.NodeName] = true
			}
			return leaves
		})
		later, err := preemption.NewCluster(state)
		if err != nil {
			a.Fatal(err)
		}
		want = slices.DeleteFunc(a.fitting(later), func(n string) bool {
			return !leaving[n] && (a.evaluator.Filters == nil || len(leaving) == 0) // nothing to wait for
		})
		waits = len(want) > 0
	}
	switch {
	case len(want) == 0 && r.Outcome != preemption.OutcomeUnhelpful:
		a.wrong("FitsAfterTermination", r.Outcome, preemption.OutcomeUnhelpful)
	case len(want) > 0 && (r.Outcome == preemption.OutcomeWaiting) != waits:
		a.wrong("FitsAfterTermination", r.Outcome, "a fit, or to wait, for "+want[0])
	case len(want) > 0 && (r.Node == nil || r.Node.Name != want[0]):
		a.wrong("FitsAfterTermination", r.Node, want[0])
	case waits && len(r.Waiting) == 0:
		a.wrong("FitsAfterTermination waits for", r.Waiting, "somebody")
	}
}

func (a asked) fitting(c *preemption.Cluster) (names []string) {
	a.Helper()
	for n, err := range a.evaluator.Fitting(a.Context(), c, a.preemptor) {
		if err != nil {
			a.wrong("Fitting", err, "no error")
		}
		names = append(names, n.Name)
	}
	return names
}

// So they do where a search for the best victims ends before it has gone through all.
func TestAllWaysAgreeOnSearchesThatEnd(t *testing.T) {
	inexact := 0
	for seed := range uint64(6) {
		state, p := world.Hard(rand.New(rand.NewPCG(seed, 33)), false)
		c := newCluster(t, state)
		for _, e := range []*preemption.Evaluator{
			{Victims: preemption.VictimsBest, Orders: []preemption.Order{preemption.LowestPrioritySum}},
			{Victims: preemption.VictimsBest, Orders: []preemption.Order{preemption.LowestPrioritySum}, Filters: append(preemption.DefaultFilters(), world.AntiAffinity{})},
		} {
			asked{t, seed, e, c, p}.decisions(map[preemption.Outcome]int{})
			if r, err := e.Preempt(t.Context(), c, p); err != nil || !r.Exact {
				inexact++
			}
		}
	}
	if inexact == 0 {
		t.Error("all searches went through to the end")
	}
}
