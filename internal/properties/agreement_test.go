package properties

import (
	"errors"
	"testing"

	"example.com/preemption"
	"example.com/preemption/preemptiontest"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// sameVictims compares victims by what callers see of them.
var sameVictims = cmp.Options{cmpopts.IgnoreUnexported(preemption.Victim{}), cmpopts.EquateEmpty()}

// Preempt decides what Examine decides, in every field but for how often filters
// were run, also with a caller's filters and criteria. Where a filter fails it may
// decide otherwise in one way: it does not see a failure on a node that it did not
// have to ask about, so the node may be its answer, or there may be no error.
func TestAgreementProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, _ := drawEvaluator(t, s)
		drawPolicy(t, e)
		c := newCluster(t, s.state)
		x, errExamine := e.Examine(t.Context(), c, s.preemptor)
		r, errPreempt := e.Preempt(t.Context(), c, s.preemptor)
		if errPreempt != nil {
			if errExamine == nil || errExamine.Error() != errPreempt.Error() {
				t.Fatalf("Examine: %v, Preempt: %v", errExamine, errPreempt)
			}
			return
		}
		if failed := failures(x, errExamine); r.Node != nil && failed[r.Node.Name] {
			return
		}
		if errExamine != nil {
			if r.Outcome != preemption.OutcomeUnhelpful || len(failures(x, errExamine)) == 0 {
				t.Fatalf("Examine: %v, Preempt: %v", errExamine, r)
			}
			return
		}
		r.FilterRuns = x.FilterRuns
		if diff := cmp.Diff(&x.Result, r, sameVictims); diff != "" {
			t.Fatalf("Preempt differs (-Examine +Preempt):\n%s", diff)
		}
		if len(failures(x, nil)) == 0 {
			checkResult(t, c, s, e, r)
		}
	})
}

// failures returns the names of the nodes on which a step failed.
func failures(x *preemption.Examination, err error) map[string]bool {
	failed := make(map[string]bool)
	note := func(err error) {
		var step *preemption.StepError
		if errors.As(err, &step) {
			failed[step.Node] = true
		}
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			note(err)
		}
	}
	if x != nil {
		for i := range x.Nodes {
			note(x.Nodes[i].Err)
		}
	}
	return failed
}

// drawPolicy puts filters and criteria of the caller's own into the evaluator.
func drawPolicy(t *rapid.T, e *preemption.Evaluator) {
	if oneIn(t, 2, "own filters") {
		e.Filters = []preemption.Filter{}
		for _, f := range rapid.Permutation(append(preemption.DefaultFilters(), preemption.FilterFunc(apart), atMost{3}, flaky{"n1"})).Draw(t, "filters") {
			if f.Name() == "NodeResourcesFit" || oneIn(t, 2, f.Name()) {
				e.Filters = append(e.Filters, f)
			}
		}
		if oneIn(t, 3, "nested") {
			e.Filters = []preemption.Filter{preemption.All(e.Filters...)}
		}
	}
	if oneIn(t, 4, "own importance") {
		e.Compare = func(a, b *preemption.Victim) int { return preemption.CompareImportance(b, a) }
	}
	if oneIn(t, 4, "own orders") {
		e.Orders = rapid.Permutation(preemption.DefaultOrders()).Draw(t, "orders")
	}
}

// apart refuses nodes with a pod of the app x. It is not told to be monotone.
func apart(_ *preemption.Pod, _ *preemption.Node, pods []*preemption.Pod) preemption.Status {
	for _, p := range pods {
		if p.Labels["app"] == "x" {
			return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"app x is there"}}
		}
	}
	return preemption.Status{}
}

// atMost refuses nodes with so many pods that are not of the tier y. It is
// monotone and says so.
type atMost struct{ pods int }

func (atMost) Name() string { return "AtMost" }

func (f atMost) Prepare(_ *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	return preparedAtMost{f, view}, nil
}

type preparedAtMost struct {
	atMost
	view preemption.View
}

func (preparedAtMost) Monotone() bool { return true }

func (f preparedAtMost) Begin(n *preemption.Node) (preemption.DryRun, error) {
	r := &atMostRun{atMost: f.atMost, node: n}
	for _, p := range f.view.PodsOn(n) {
		if err := r.Add(p, n); err != nil {
			return nil, err
		}
	}
	return r, nil
}

type atMostRun struct {
	atMost
	node  *preemption.Node
	count int
}

func (r *atMostRun) Add(p *preemption.Pod, on *preemption.Node) error {
	if on == r.node && p.Labels["tier"] != "y" {
		r.count++
	}
	return nil
}

func (r *atMostRun) Remove(p *preemption.Pod, on *preemption.Node) error {
	if on == r.node && p.Labels["tier"] != "y" {
		r.count--
	}
	return nil
}

func (r *atMostRun) Fits() (preemption.Status, error) {
	if r.count >= r.pods {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"enough pods"}}, nil
	}
	return preemption.Status{}, nil
}

var errFlaky = errors.New("this node always fails")

// flaky fails on one node.
type flaky struct{ node string }

func (flaky) Name() string { return "Flaky" }

func (f flaky) Prepare(*preemption.Pod, preemption.View) (preemption.Prepared, error) { return f, nil }

func (f flaky) Begin(n *preemption.Node) (preemption.DryRun, error) {
	if n.Name == f.node {
		return nil, errFlaky
	}
	return f, nil
}

func (flaky) Monotone() bool                                 { return true }
func (flaky) Add(*preemption.Pod, *preemption.Node) error    { return nil }
func (flaky) Remove(*preemption.Pod, *preemption.Node) error { return nil }
func (flaky) Fits() (preemption.Status, error)               { return preemption.Status{}, nil }

// The composable functions, put together by hand, find on each node what the
// evaluator finds.
func TestComposedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, w := drawEvaluator(t, s)
		drawPolicy(t, e)
		if e.Filters == nil {
			e.Filters = preemption.DefaultFilters()
		}
		c := newCluster(t, s.state)
		x, err := e.Examine(t.Context(), c, s.preemptor)
		if err != nil {
			return
		}
		groups := preemption.NewGroups(s.state.PodGroups, s.state.CompositePodGroups)
		prepared, err := preemption.All(e.Filters...).Prepare(s.preemptor, c)
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
				continue // the flaky one, on its node
			}
			selection, err := preemption.SelectVictimsOnNode(preemption.NodeCase{
				Preemptor: s.preemptor, Node: report.Node, DryRun: run, Nominated: w.nominatedTo(report.Node),
				Victims: s.state.Release.Victims(report.Node, c, groups), Budgets: s.state.DisruptionBudgets,
				Release: s.state.Release, Eligible: e.Eligible, Compare: e.Compare,
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
// and together; and so do functions, and the filters of these tests.
func TestFilterLawsProperty(t *testing.T) {
	if testing.Short() {
		t.Skip("each check is hundreds of dry runs")
	}
	rapid.Check(t, func(t *rapid.T) {
		if !oneIn(t, 8, "this one") { // an eighth will do
			return
		}
		s := drawScenario(t)
		c := newCluster(t, s.state)
		f := pick(t, "filter", append(preemption.DefaultFilters(), preemption.All(preemption.DefaultFilters()...), preemption.FilterFunc(apart), atMost{3})...)
		if err := preemptiontest.TestFilter(f, c, s.preemptor, drawPreemptor(t)); err != nil {
			t.Fatal(err)
		}
	})
}
