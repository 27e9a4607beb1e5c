package properties

import (
	"slices"
	"testing"

	"example.com/preemption"
	"pgregory.net/rapid"
)

// The violations of a candidate are those of its victims, counted among all that
// were removed at first, the most important charged first.
func TestViolationsProperty(t *testing.T) {
	forEachCandidate(t, func(t *rapid.T, w twin, r *preemption.NodeReport) {
		removed := mostImportantFirst(r.Removed)
		want := 0
		for i, n := range w.violations(removed) {
			if slices.Contains(r.Candidate.Victims, removed[i]) {
				want += n
			}
		}
		if r.Candidate.Violations != want {
			t.Fatalf("node %s: %v violate budgets %d times, want %d", r.Node.Name, r.Candidate.Victims, r.Candidate.Violations, want)
		}
	})
}

// FilterVictimsWithPDBViolation keeps every victim, in order, and tells those
// apart that a naive count does. The budgets it names are overdrawn ones.
func TestBudgetsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		w := twin{ClusterState: s.state, preemptor: s.preemptor}
		var victims []*preemption.Victim
		for _, n := range s.state.Nodes {
			for _, v := range w.victimsOn(n) {
				if v.Nodes[0] == n || len(v.Pods) == 1 { // a group once
					victims = append(victims, v)
				}
			}
		}
		victims = rapid.Permutation(victims).Draw(t, "order")
		violating, rest := s.state.Release.FilterVictimsWithPDBViolation(victims, s.state.DisruptionBudgets)
		counts := w.violations(victims)
		for i, v := range victims {
			switch {
			case counts[i] == 0 && len(rest) > 0 && rest[0] == v:
				rest = rest[1:]
			case counts[i] > 0 && len(violating) > 0 && violating[0].Victim == v && violating[0].Pods == counts[i]:
				checkOverdrawn(t, w, victims[:i+1], violating[0])
				violating = violating[1:]
			default:
				t.Fatalf("%v should violate %d times, and is not the next of %v or %+v", v, counts[i], rest, violating)
			}
		}
		if len(violating)+len(rest) > 0 {
			t.Fatalf("left over: %v, %v", violating, rest)
		}
	})
}

// checkOverdrawn checks the budgets named: each once, covering a pod of the
// victim, with more of its pods gone by now than it allows.
func checkOverdrawn(t *rapid.T, w twin, sofar []*preemption.Victim, found preemption.Violation) {
	if len(found.Budgets) == 0 {
		t.Fatalf("%v violates no budget by name", found.Victim)
	}
	for i, b := range found.Budgets {
		covered := func(v *preemption.Victim) int {
			return len(filtered(v.Pods, func(p *preemption.Pod) bool { return w.covers(b, p) && !slices.Contains(b.Disrupted, p.Name) }))
		}
		gone := 0
		for _, v := range sofar {
			gone += covered(v)
		}
		if slices.Contains(found.Budgets[:i], b) || covered(found.Victim) == 0 || int64(gone) <= int64(b.Allowed) {
			t.Fatalf("%v is said to violate %v, which covers %d of its pods and allows %d of %d, %v", found.Victim, b, covered(found.Victim), b.Allowed, gone, found.Budgets)
		}
	}
}

// Pods that a budget lists as disrupted cost it nothing: with all of them listed
// everywhere nothing violates, whatever is allowed.
func TestDisruptedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		w := twin{ClusterState: s.state}
		var victims []*preemption.Victim
		for _, n := range s.state.Nodes {
			victims = append(victims, w.victimsOn(n)...)
		}
		var names []string
		for _, p := range s.state.Pods {
			names = append(names, p.Name)
		}
		for _, b := range s.state.DisruptionBudgets {
			b.Disrupted, b.Allowed = names, -1
		}
		violating, rest := s.state.Release.FilterVictimsWithPDBViolation(victims, s.state.DisruptionBudgets)
		if len(violating) > 0 || len(rest) != len(victims) {
			t.Fatalf("violating = %v, want none", violating)
		}
	})
}
