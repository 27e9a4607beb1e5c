package properties

import (
	"slices"
	"testing"

	"example.com/preemption"
	"pgregory.net/rapid"
)

// forEachCandidate draws scenarios, examines them, and hands each candidate to f.
func forEachCandidate(t *testing.T, f func(t *rapid.T, w twin, r *preemption.NodeReport)) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, w := drawEvaluator(t, s)
		x, err := e.Examine(t.Context(), newCluster(t, s.state), s.preemptor)
		if err != nil {
			return
		}
		for i := range x.Nodes {
			if x.Nodes[i].Candidate != nil {
				f(t, w, &x.Nodes[i])
			}
		}
	})
}

// Once the victims are gone the preemptor fits, by a recount of what is left.
func TestRoomProperty(t *testing.T) {
	forEachCandidate(t, func(t *rapid.T, w twin, r *preemption.NodeReport) {
		left := without(w.podsOn(r.Node), r.Candidate.Pods())
		if s := w.fitsTwice(r.Node, left); !s.Fits() {
			t.Fatalf("node %s without %v: %v", r.Node.Name, r.Candidate.Victims, s)
		}
	})
}

// Nobody of equal or higher priority is evicted, and nobody who is protected.
func TestProtectionProperty(t *testing.T) {
	forEachCandidate(t, func(t *rapid.T, w twin, r *preemption.NodeReport) {
		if len(r.Candidate.Victims) == 0 {
			t.Fatalf("node %s is a candidate without victims", r.Node.Name)
		}
		for _, v := range r.Candidate.Victims {
			if v.Priority >= w.preemptor.Priority || !w.mayEvict(v) {
				t.Fatalf("%v of priority %d is evicted for a pod of priority %d", v, v.Priority, w.preemptor.Priority)
			}
			if !slices.Contains(v.Nodes, r.Node) {
				t.Fatalf("%v is evicted for node %s and has no pod there", v, r.Node.Name)
			}
		}
	})
}

// With the built-in filters, which are monotone, no single victim can stay.
func TestSpareProperty(t *testing.T) {
	forEachCandidate(t, func(t *rapid.T, w twin, r *preemption.NodeReport) {
		pods := w.podsOn(r.Node)
		left := without(pods, r.Candidate.Pods())
		for _, v := range r.Candidate.Victims {
			with := without(pods, without(without(pods, left), v.Pods))
			if w.fitsTwice(r.Node, with).Fits() {
				t.Fatalf("node %s: %v is evicted although it could stay", r.Node.Name, v)
			}
		}
	})
}
