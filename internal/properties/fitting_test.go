package properties

import (
	"slices"
	"testing"

	"example.com/preemption"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Fitting yields what the twin finds to fit, the nominated node first, whichever
// way the settings make it go; Preempt fits on the first of them.
func TestFittingProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, w := drawEvaluator(t, s)
		if oneIn(t, 3, "a filter of the caller's") {
			e.Filters = append(preemption.DefaultFilters(), preemption.FilterFunc(
				func(*preemption.Pod, *preemption.Node, []*preemption.Pod) preemption.Status {
					return preemption.Status{}
				}))
		}
		c := newCluster(t, s.state)
		var got []string
		for n, err := range e.Fitting(t.Context(), c, s.preemptor) {
			if err != nil {
				t.Fatalf("node %v: %v", n, err)
			}
			got = append(got, n.Name)
		}
		want := w.nominatedFirst(w.decide().FitNodes)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("nodes that fit (-want +got):\n%s", diff)
		}
		r, err := e.Preempt(t.Context(), c, s.preemptor)
		if len(got) > 0 && (err != nil || r.Outcome != preemption.OutcomeFits || r.Node.Name != got[0]) {
			t.Fatalf("Preempt = %+v, %v, while %s fits", r, err, got[0])
		}
		for n := range e.Fitting(t.Context(), c, s.preemptor) {
			if n.Name != got[0] {
				t.Fatalf("one that stops early sees %s first, not %s", n.Name, got[0])
			}
			break
		}
	})
}

// Who only has to wait is who would fit in a cluster without the pods that are
// terminating.
func TestFitsAfterTerminationProperty(t *testing.T) {
	outcomes := map[preemption.Outcome]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, w := drawEvaluator(t, s)
		r, err := e.FitsAfterTermination(t.Context(), newCluster(t, s.state), s.preemptor)
		if err != nil {
			t.Fatal(err)
		}
		outcomes[r.Outcome]++
		stays := func(p *preemption.Pod) bool { return p.NodeName == "" || p.Termination == preemption.NotTerminating }
		var want, later []string
		want = w.nominatedFirst(w.decide().FitNodes)
		for _, n := range w.Nodes {
			known := false
			if w.statuses != nil {
				var status preemption.Status
				status, known = w.statuses(n)
				known = known && status.Code == preemption.Unresolvable
			}
			if len(without(w.podsOn(n), filtered(w.podsOn(n), stays))) == 0 {
				continue // nothing to wait for
			}
			if !known && w.fitsTwice(n, filtered(w.podsOn(n), stays)).Fits() {
				later = append(later, n.Name)
			}
		}
		later = w.nominatedFirst(later)
		switch {
		case len(want) > 0:
			if r.Outcome != preemption.OutcomeFits || r.Node.Name != want[0] {
				t.Fatalf("%v on %v, want fits on %s", r.Outcome, r.Node, want[0])
			}
		case len(later) > 0:
			leaving := podNames(filtered(w.podsOn(w.node(later[0])), func(p *preemption.Pod) bool { return !stays(p) }))
			got := podNames(r.Waiting)
			slices.Sort(leaving)
			slices.Sort(got)
			if r.Outcome != preemption.OutcomeWaiting || r.Node.Name != later[0] || !slices.Equal(got, leaving) {
				t.Fatalf("%v on %v for %v, want waiting on %s for %v", r.Outcome, r.Node, got, later[0], leaving)
			}
		case r.Outcome != preemption.OutcomeUnhelpful:
			t.Fatalf("%v on %v, want unhelpful", r.Outcome, r.Node)
		}
	})
	for _, o := range []preemption.Outcome{preemption.OutcomeFits, preemption.OutcomeWaiting, preemption.OutcomeUnhelpful} {
		wantSeen(t, outcomes[o] > 0, "nothing %v", o)
	}
}
