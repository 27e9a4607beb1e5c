package preemption

import (
	"context"
	"errors"
	"testing"
)

// endAfter is a context that ends once it was asked so many times.
type endAfter struct {
	context.Context
	left *int
}

func newEndAfter(n int) endAfter { return endAfter{context.Background(), &n} }

func (c endAfter) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestGangCancelled lets the context end at every point of the search. What comes
// out is a plan that holds what plans promise and says that it is not exact, the
// plan that comes out undisturbed, or an error.
func TestGangCancelled(t *testing.T) {
	g := benchGang(6)
	differ := benchGang(6)
	differ.Members[2].Requests = Resources{CPU: 4000}
	few := benchGang(6)
	few.Members[2].Requests, few.MinCount = Resources{CPU: 4000}, 2
	for name, gang := range map[string]*Gang{"exact": g, "heuristic": differ, "minimum": few} {
		t.Run(name, func(t *testing.T) {
			c := workload{nodes: 20, pods: 15}.cluster(benchSeed)
			whole, err := new(Evaluator).PreemptGroup(context.Background(), c, gang, BestPlacement{})
			if err != nil || whole.Outcome != OutcomePreempt {
				t.Fatalf("%v, %v, want victims", whole, err)
			}
			failed, cut := 0, 0
			for n := range 400 {
				r, err := new(Evaluator).PreemptGroup(newEndAfter(n), c, gang, BestPlacement{})
				switch {
				case errors.Is(err, context.Canceled):
					failed++
					continue
				case err != nil:
					t.Fatalf("%d: %v", n, err)
				case r.Outcome != OutcomePreempt:
					t.Fatalf("%d: %v: %s", n, r.Outcome, r.Reason)
				}
				p := planOf(r)
				q := &gangQuery{Evaluator: new(Evaluator), ctx: context.Background(), cluster: c, gang: gang}
				if p.placed() < gang.minCount() || !q.feasible(p) {
					t.Fatalf("%d: the plan does not hold:\n%s", n, r.Explain())
				}
				if p.better(planOf(whole)) {
					t.Fatalf("%d: better than undisturbed:\n%s", n, r.Explain())
				}
				if planOf(whole).better(p) {
					cut++
					if r.Exact {
						t.Fatalf("%d: worse than undisturbed and exact:\n%s", n, r.Explain())
					}
				}
			}
			t.Logf("%d times no plan, %d times one that is worse", failed, cut)
			if failed == 0 || name != "heuristic" && cut == 0 {
				t.Errorf("%d times no plan, %d times one that is worse, want some of both", failed, cut)
			}
		})
	}
}

// TestGangErrors: what makes no sense is an error, whatever the planner.
func TestGangErrors(t *testing.T) {
	c := workload{nodes: 2, pods: 2}.cluster(benchSeed)
	m := benchGang(1).Members[0]
	for name, g := range map[string]*Gang{
		"twice":    {Name: "g", Members: []*Pod{m, m}},
		"nil":      {Name: "g", Members: []*Pod{nil}},
		"minimum":  {Name: "g", Members: []*Pod{m}, MinCount: 2},
		"negative": {Name: "g", Members: []*Pod{m}, MinCount: -1},
		"overflow": {Name: "g", Members: []*Pod{
			{Name: "a", Requests: Resources{CPU: 1 << 62}}, {Name: "b", Requests: Resources{CPU: 1 << 62}},
		}},
	} {
		for _, planner := range []Planner{GivenPlacement{}, BestPlacement{}} {
			if r, err := new(Evaluator).PreemptGroup(context.Background(), c, g, planner); err == nil {
				t.Errorf("%s: %v, want an error", name, r)
			}
		}
	}
	foreign := func(context.Context, View, *Gang) ([]*Node, error) { return []*Node{{Name: "nowhere"}}, nil }
	missing := func(context.Context, View, *Gang) ([]*Node, error) { return nil, nil }
	for _, placer := range []Placer{foreign, missing} {
		if r, err := new(Evaluator).PreemptGroup(context.Background(), c, benchGang(1), GivenPlacement{placer}); err == nil {
			t.Errorf("%v, want an error", r)
		}
	}
}

// TestGangTrace: the trace hears of every node used and of every attempt to put a
// victim back.
func TestGangTrace(t *testing.T) {
	c := workload{nodes: 30, pods: 20, budgets: 100}.cluster(benchSeed)
	removed, reprieved, evicted := 0, 0, 0
	e := &Evaluator{Trace: &Trace{
		Removed: func(_ *Node, victims []*Victim, status Status, _ []Shortfall) {
			removed += len(victims)
			if !status.Fits() {
				t.Errorf("status %v, want a fit", status)
			}
		},
		Reprieved: func(_ *Node, s Step) {
			reprieved++
			if !s.Spared() {
				evicted++
			}
		},
	}}
	r, err := e.PreemptGroup(context.Background(), c, benchGang(5), GivenPlacement{})
	if err != nil {
		t.Fatal(err)
	}
	if removed == 0 || reprieved != removed || evicted != len(r.Victims) {
		t.Errorf("%d removed, %d tried, %d evicted, want as many tried as removed and %d evicted", removed, reprieved, evicted, len(r.Victims))
	}
}
