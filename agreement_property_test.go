package preemption_test

import (
	"testing"

	"example.com/preemption"
	"example.com/preemption/preemptiontest"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// sameVictims compares victims by what callers see of them.
var sameVictims = cmp.Options{cmpopts.IgnoreUnexported(preemption.Victim{}), cmpopts.EquateEmpty()}

// Preempt decides what Examine decides, in every field, and fails where it does.
func TestAgreementProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, _ := drawEvaluator(t, s)
		c := newCluster(t, s.state)
		x, errExamine := e.Examine(t.Context(), c, s.preemptor)
		r, errPreempt := e.Preempt(t.Context(), c, s.preemptor)
		if errExamine != nil || errPreempt != nil {
			if errExamine == nil || errPreempt == nil || errExamine.Error() != errPreempt.Error() {
				t.Fatalf("Examine: %v, Preempt: %v", errExamine, errPreempt)
			}
			return
		}
		if diff := cmp.Diff(&x.Result, r, sameVictims); diff != "" {
			t.Fatalf("Preempt differs (-Examine +Preempt):\n%s", diff)
		}
	})
}

// The composable functions, put together by hand, find on each node what the
// evaluator finds.
func TestComposedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, w := drawEvaluator(t, s)
		c := newCluster(t, s.state)
		x, err := e.Examine(t.Context(), c, s.preemptor)
		if err != nil {
			return
		}
		groups := preemption.NewGroups(s.state.PodGroups, s.state.CompositePodGroups)
		prepared, err := preemption.All(preemption.DefaultFilters()...).Prepare(s.preemptor, c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Nodes {
			report := &x.Nodes[i]
			if !report.Examined {
				continue
			}
			run, err := prepared.Begin(report.Node)
			if err != nil {
				t.Fatal(err)
			}
			selection, err := preemption.SelectVictimsOnNode(preemption.NodeCase{
				Preemptor: s.preemptor, Node: report.Node, DryRun: run, Nominated: w.nominatedTo(report.Node),
				Victims: s.state.Release.Victims(report.Node, c, groups), Budgets: s.state.DisruptionBudgets,
				Release: s.state.Release, Eligible: e.Eligible,
			})
			if err != nil {
				t.Fatal(err)
			}
			got := preemption.Selection{Status: report.Status}
			if report.Candidate != nil {
				got = preemption.Selection{Victims: report.Candidate.Victims, Violations: report.Candidate.Violations}
			} else if report.Err != nil || selection.Status.Fits() {
				continue // fits with nothing evicted: the evaluator's affair
			}
			if diff := cmp.Diff(selection, got, sameVictims); diff != "" {
				t.Fatalf("node %s (-composed +evaluator):\n%s", report.Node.Name, diff)
			}
		}
	})
}

// Release.Victims finds the units of the twin, on every node.
func TestVictimsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		w := twin{ClusterState: s.state}
		c := newCluster(t, s.state)
		groups := preemption.NewGroups(s.state.PodGroups, s.state.CompositePodGroups)
		for _, n := range s.state.Nodes {
			got := s.state.Release.Victims(n, c, groups)
			if diff := cmp.Diff(w.victimsOn(n), got, sameVictims); diff != "" {
				t.Fatalf("%v.Victims(%s) (-twin +got):\n%s", s.state.Release, n.Name, diff)
			}
			if s.state.Release == preemption.ReleaseNewest {
				if diff := cmp.Diff(got, preemption.Victims(n, c, groups), sameVictims); diff != "" {
					t.Fatalf("Victims is not the newest release's:\n%s", diff)
				}
			}
		}
	})
}

// What is removed from a node are its units of lower priority that may be
// evicted: those that Release.Victims finds are those that the cluster compiled.
func TestRemovedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, w := drawEvaluator(t, s)
		c := newCluster(t, s.state)
		x, err := e.Examine(t.Context(), c, s.preemptor)
		if err != nil {
			return
		}
		groups := preemption.NewGroups(s.state.PodGroups, s.state.CompositePodGroups)
		for i := range x.Nodes {
			r := &x.Nodes[i]
			if !r.Examined {
				continue
			}
			want := filtered(s.state.Release.Victims(r.Node, c, groups), w.mayEvict)
			if diff := cmp.Diff(want, r.Removed, sameVictims); diff != "" {
				t.Fatalf("removed from %s (-Victims +removed):\n%s", r.Node.Name, diff)
			}
		}
	})
}

// The built-in filters obey the laws that preemptiontest checks, by themselves
// and together.
func TestFilterLawsProperty(t *testing.T) {
	if testing.Short() {
		t.Skip("each check is hundreds of dry runs")
	}
	rapid.Check(t, func(t *rapid.T) {
		if !oneIn(t, 20, "this one") { // a twentieth will do
			return
		}
		s := drawScenario(t)
		c := newCluster(t, s.state)
		f := rapid.SampledFrom(append(preemption.DefaultFilters(), preemption.All(preemption.DefaultFilters()...))).Draw(t, "filter")
		if err := preemptiontest.TestFilter(f, c, s.preemptor, drawPreemptor(t)); err != nil {
			t.Fatal(err)
		}
	})
}
