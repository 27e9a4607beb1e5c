package preemption_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/score"
	"example.com/preemption/internal/world"
)

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// seeded tells the seed with a failure.
type seeded struct {
	*testing.T
	seed uint64
}

func (s seeded) Fatalf(format string, args ...any) {
	s.T.Helper()
	s.T.Fatalf("seed %d: %s", s.seed, fmt.Sprintf(format, args...))
}

// forGangs checks so many small clusters, each with a gang that wants in.
func forGangs(t *testing.T, n int, check func(t failer, w *world.World, c *preemption.Cluster, g *preemption.Gang)) {
	for seed := range uint64(n) {
		w := world.New(world.Seeded(seed, 7))
		c, err := preemption.NewCluster(w.SmallState())
		if err != nil {
			continue
		}
		check(seeded{t, seed}, w, c, w.Gang())
	}
}

// gangEvaluator is one of several evaluators that decide about gangs.
func gangEvaluator(w *world.World) *preemption.Evaluator {
	e := &preemption.Evaluator{}
	switch w.Choose(10) {
	case 0:
		e.Filters = append(preemption.DefaultFilters(), world.AntiAffinity{})
	case 1:
		e.Filters = []preemption.Filter{preemption.NodeResources()}
	case 2:
		e.Filters = []preemption.Filter{preemption.NodePorts(), preemption.All(preemption.NodeResources())}
	case 3:
		e.Filters = []preemption.Filter{preemption.NodePorts()}
	case 4:
		e.Eligible = func(_ *preemption.Pod, v *preemption.Victim, _ *preemption.Node) bool {
			return v.Pods[0].Labels["app"] != "x"
		}
	}
	return e
}

// TestBestPlacementIsBest compares with all placements and all sets of victims.
func TestBestPlacementIsBest(t *testing.T) {
	count := make(map[string]int)
	forGangs(t, 3000, func(t failer, w *world.World, c *preemption.Cluster, g *preemption.Gang) {
		e := gangEvaluator(w)
		r, err := e.PreemptGroup(context.Background(), c, g, preemption.BestPlacement{})
		if err != nil {
			t.Fatalf("%v", err)
		}
		count[fmt.Sprint(r.Outcome, " ", r.Exact)]++
		if r.Outcome == preemption.OutcomeIneligible || r.Outcome == preemption.OutcomeWaiting || r.Outcome == preemption.OutcomeUnhelpful && !r.Exact {
			return
		}
		best := bruteForce(e, c, g)
		if r.Outcome == preemption.OutcomeUnhelpful {
			if best.placed() >= minCount(g) {
				t.Fatalf("%s\n%s\nsurely unhelpful, but %v is a plan with victims %v", world.Describe(c), r.Explain(), best.nodes, best.victims)
			}
			return
		}
		got := planOf(r)
		if r.Outcome == preemption.OutcomeFits && r.Exact && !mayPreempt(g) {
			return // fewer fit with nobody evicted
		}
		switch d := got.compareCosts(best); {
		case got.placed() > best.placed() || got.placed() == best.placed() && d < 0:
			t.Fatalf("%s\n%s\nbetter than everything: %v, want %v", world.Describe(c), r.Explain(), got.cost(), best.cost())
		case r.Exact && (got.placed() < best.placed() || d > 0):
			t.Fatalf("%s\n%s\nexact plan places %d at %v, best %d at %v %v", world.Describe(c), r.Explain(),
				got.placed(), got.cost(), best.placed(), best.cost(), best.victims)
		}
	})
	t.Log(count)
	for _, kind := range []string{"preempt true", "preempt false", "fits true", "unhelpful true", "unhelpful false", "ineligible false", "waiting false"} {
		if count[kind] < 25 {
			t.Errorf("%d times %s, want more", count[kind], kind)
		}
	}
}

// A gangPlan is what a planner found, and what it costs by the criteria that
// BestPlacement documents.
type gangPlan struct {
	nodes      []*preemption.Node // by member, nil: not placed
	victims    []*preemption.Victim
	violations int
}

func planOf(r *preemption.GangResult) *gangPlan {
	p := &gangPlan{victims: r.Victims, violations: r.Violations}
	for _, a := range r.Assignments {
		p.nodes = append(p.nodes, a.Node)
	}
	return p
}

func (p *gangPlan) placed() int {
	n := 0
	for _, node := range p.nodes {
		if node != nil {
			n++
		}
	}
	return n
}

// cost adds up the victims pod by pod; what counts first of priorities is the
// highest of all.
func (p *gangPlan) cost() score.Score {
	s := score.None
	for _, v := range p.victims {
		for _, pod := range v.Pods {
			start := int64(score.Never)
			if !pod.Start.IsZero() {
				start = pod.Start.UnixNano()
			}
			s.AddPod(pod.Priority, start)
		}
	}
	s.Violations, s.Top = int64(p.violations), s.Highest
	return s
}

func (p *gangPlan) compareCosts(o *gangPlan) int {
	a, b := p.cost(), o.cost()
	return a.Compare(&b)
}

func (p *gangPlan) better(o *gangPlan) bool {
	return p.placed() > o.placed() || p.placed() == o.placed() && p.compareCosts(o) < 0
}

func minCount(g *preemption.Gang) int {
	if g.MinCount == 0 {
		return len(g.Members)
	}
	return g.MinCount
}

func mayPreempt(g *preemption.Gang) bool {
	if g.Policy != preemption.GangPolicyUnset {
		return g.Policy == preemption.GangPreempts
	}
	return !slices.ContainsFunc(g.Members, func(m *preemption.Pod) bool { return m.PreemptionPolicy == preemption.PreemptNever })
}

// violatingOf charges the budgets for all potential victims, as the rules do, and
// returns how many pods of each violate one, by its first pod.
func violatingOf(c *preemption.Cluster, potential []*preemption.Victim) map[*preemption.Pod]int {
	violating, _ := c.Release().FilterVictimsWithPDBViolation(potential, c.DisruptionBudgets())
	pods := make(map[*preemption.Pod]int)
	for _, v := range violating {
		pods[v.Victim.Pods[0]] = v.Pods
	}
	return pods
}

func violationsAmong(victims []*preemption.Victim, violating map[*preemption.Pod]int) int {
	n := 0
	for _, v := range victims {
		n += violating[v.Pods[0]]
	}
	return n
}

// bruteForce tries every placement with every set of victims.
func bruteForce(e *preemption.Evaluator, c *preemption.Cluster, g *preemption.Gang) *gangPlan {
	victims := world.GangVictims(e, c, g)
	violating := violatingOf(c, victims)
	var best *gangPlan
	nodes := make([]*preemption.Node, len(g.Members))
	var place func(i int)
	place = func(i int) {
		if i < len(nodes) {
			nodes[i] = nil
			place(i + 1)
			for _, n := range c.Nodes() {
				nodes[i] = n
				place(i + 1)
			}
			return
		}
		p := &gangPlan{nodes: slices.Clone(nodes)}
		if p.placed() == 0 || best != nil && p.placed() < best.placed() {
			return
		}
		for set := range 1 << len(victims) {
			x := &gangPlan{nodes: p.nodes}
			for j, v := range victims {
				if set&(1<<j) != 0 {
					x.victims = append(x.victims, v)
				}
			}
			x.violations = violationsAmong(x.victims, violating)
			if (best == nil || x.better(best)) && feasible(e, c, g, x) {
				best = x
			}
		}
	}
	place(0)
	if best == nil {
		best = &gangPlan{nodes: make([]*preemption.Node, len(nodes))}
	}
	return best
}

// feasible tests all placed members with the victims gone, by plain dry runs.
func feasible(e *preemption.Evaluator, c *preemption.Cluster, g *preemption.Gang, p *gangPlan) bool {
	status, err := preemption.GangFits(e, c, g, p.nodes, p.victims)
	if err != nil {
		panic(err)
	}
	return status.Fits()
}

// TestGivenPlacementOneByOne compares with testing every victim of the cluster
// against every member, one by one.
func TestGivenPlacementOneByOne(t *testing.T) {
	preempted := 0
	for seed := range uint64(3000) {
		w := world.New(world.Seeded(seed, 8))
		c, err := preemption.NewCluster(w.State(w.GangRelease()))
		if err != nil {
			continue
		}
		g := w.Gang()
		nodes := make([]*preemption.Node, len(g.Members))
		for i := range nodes {
			if !w.OneIn(6) {
				nodes[i] = c.Nodes()[w.Choose(len(c.Nodes()))]
			}
		}
		fast, err := preemption.EvictFor(&preemption.Evaluator{}, c, g, nodes)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		slow, err := preemption.EvictOneByOne(&preemption.Evaluator{}, c, g, nodes)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !slices.Equal(fast.Nodes, slow.Nodes) {
			t.Fatalf("seed %d: nodes %v, want %v", seed, fast.Nodes, slow.Nodes)
		}
		if a, b := fmt.Sprint(fast.Victims, fast.Violations), fmt.Sprint(slow.Victims, slow.Violations); a != b {
			t.Fatalf("seed %d: %s\n fast %s\n slow %s", seed, world.Describe(c), a, b)
		}
		if len(slow.Victims) > 0 {
			preempted++
		}

		// By sums they fit with all victims gone, and with none of them back.
		if slices.ContainsFunc(g.Members, func(m *preemption.Pod) bool { return m.Priority != g.Members[0].Priority }) || len(slow.Victims) == 0 {
			continue
		}
		for i := range slow.Victims {
			less := slices.Delete(slices.Clone(slow.Victims), i, i+1)
			if !preemption.RoomsFit(&preemption.Evaluator{}, c, g, slow.Nodes, slow.Victims) || preemption.RoomsFit(&preemption.Evaluator{}, c, g, slow.Nodes, less) {
				t.Fatalf("seed %d: %s\n by sums it takes other victims than %v", seed, world.Describe(c), slow.Victims)
			}
		}
	}
	if preempted < 300 {
		t.Errorf("%d placements with victims, want more", preempted)
	}
}

// planners are all there are.
var planners = []preemption.Planner{preemption.GivenPlacement{}, preemption.BestPlacement{}}

// A new planner is tried by the tests here once it is among planners.
func TestPlannersAreAll(t *testing.T) {
	files, err := filepath.Glob("gang*.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared, tried []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func \((?:\w+ )?\*?(\w+)\) plan\(`).FindAllSubmatch(text, -1) {
			declared = append(declared, string(m[1]))
		}
	}
	for _, p := range planners {
		tried = append(tried, reflect.TypeOf(p).Name())
	}
	slices.Sort(declared)
	slices.Sort(tried)
	if !slices.Equal(declared, tried) {
		t.Errorf("planners %v are tried, declared are %v", tried, declared)
	}
}

// TestGangLaws holds results against what they promise.
func TestGangLaws(t *testing.T) {
	forGangs(t, 3000, func(t failer, w *world.World, c *preemption.Cluster, g *preemption.Gang) {
		gangLaws(t, c, g, gangEvaluator(w))
	})
}

func FuzzGang(f *testing.F) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 2))
		data := make([]byte, 200)
		for i := range data {
			data[i] = byte(r.IntN(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := world.New(world.FromBytes(data))
		c, err := preemption.NewCluster(w.SmallState())
		if err != nil {
			return
		}
		gangLaws(t, c, w.Gang(), gangEvaluator(w))
	})
}

func gangLaws(t failer, c *preemption.Cluster, g *preemption.Gang, e *preemption.Evaluator) {
	t.Helper()
	before := world.Describe(c)
	given, err := e.PreemptGroup(context.Background(), c, g, preemption.GivenPlacement{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	best, err := e.PreemptGroup(context.Background(), c, g, preemption.BestPlacement{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	placed := func(r *preemption.GangResult) bool {
		return r.Outcome == preemption.OutcomePreempt || r.Outcome == preemption.OutcomeFits
	}
	if placed(given) && !placed(best) {
		t.Fatalf("%s\nbest placement: %v, given placement: %v", world.Describe(c), best.Outcome, given.Outcome)
	}
	if placed(given) && planOf(given).better(planOf(best)) {
		t.Fatalf("%s\ngiven placement is better: %s\nthan\n%s", world.Describe(c), given.Explain(), best.Explain())
	}
	violating := violatingOf(c, world.GangVictims(e, c, g))
	for _, planner := range planners {
		r, err := e.PreemptGroup(context.Background(), c, g, planner)
		if err != nil {
			t.Fatalf("%T: %v", planner, err)
		}
		p := planOf(r)
		switch r.Outcome {
		case preemption.OutcomePreempt:
			if p.placed() < minCount(g) {
				t.Fatalf("%d placed, want %d", p.placed(), minCount(g))
			}
			if !feasible(e, c, g, p) {
				t.Fatalf("%s\nthe members do not fit:\n%s", world.Describe(c), r.Explain())
			}
			for i, v := range p.victims {
				if v.Priority >= g.Priority {
					t.Fatalf("victim %v has priority %d", v, v.Priority)
				}
				spared := &gangPlan{nodes: p.nodes, victims: slices.Delete(slices.Clone(p.victims), i, i+1)}
				if feasible(e, c, g, spared) {
					t.Fatalf("%s\n%v could be spared:\n%s", world.Describe(c), v, r.Explain())
				}
			}
			if order := gangOrder(c, violating); !slices.IsSortedFunc(p.victims, order) {
				t.Fatalf("victims %v are not in order", p.victims)
			}
			if n := violationsAmong(p.victims, violating); n != r.Violations {
				t.Fatalf("%s\n%d violations, want %d", world.Describe(c), r.Violations, n)
			}
		case preemption.OutcomeFits:
			if p.placed() < minCount(g) || !feasible(e, c, g, p) || len(p.victims) > 0 {
				t.Fatalf("it does not fit:\n%s", r.Explain())
			}
		}
	}
	if after := world.Describe(c); after != before {
		t.Fatalf("the cluster has changed:\n%s\nwas\n%s", after, before)
	}
}

// gangOrder is the order of victims in a result: by importance, since 1.38 with
// those first that violate a budget.
func gangOrder(c *preemption.Cluster, violating map[*preemption.Pod]int) func(a, b *preemption.Victim) int {
	rank := func(v *preemption.Victim) int { return min(violating[v.Pods[0]], 1) }
	return func(a, b *preemption.Victim) int {
		if d := rank(b) - rank(a); d != 0 && c.Release() != preemption.Release137 {
			return d
		}
		return preemption.CompareImportance(b, a)
	}
}

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
	g := preemption.BenchGang(6)
	differ := preemption.BenchGang(6)
	differ.Members[2].Requests = preemption.Resources{preemption.CPU: 4000}
	few := preemption.BenchGang(6)
	few.Members[2].Requests, few.MinCount = preemption.Resources{preemption.CPU: 4000}, 2
	for name, gang := range map[string]*preemption.Gang{"exact": g, "heuristic": differ, "minimum": few} {
		t.Run(name, func(t *testing.T) {
			c := preemption.BenchCluster(20, 15, 0)
			whole, err := new(preemption.Evaluator).PreemptGroup(context.Background(), c, gang, preemption.BestPlacement{})
			if err != nil || whole.Outcome != preemption.OutcomePreempt {
				t.Fatalf("%v, %v, want victims", whole, err)
			}
			failed, cut := 0, 0
			for n := range 400 {
				r, err := new(preemption.Evaluator).PreemptGroup(newEndAfter(n), c, gang, preemption.BestPlacement{})
				switch {
				case errors.Is(err, context.Canceled):
					failed++
					continue
				case err != nil:
					t.Fatalf("%d: %v", n, err)
				case r.Outcome != preemption.OutcomePreempt:
					t.Fatalf("%d: %v: %s", n, r.Outcome, r.Reason)
				}
				p := planOf(r)
				if p.placed() < minCount(gang) || !feasible(new(preemption.Evaluator), c, gang, p) {
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
	c := preemption.BenchCluster(2, 2, 0)
	m := preemption.BenchGang(1).Members[0]
	for name, g := range map[string]*preemption.Gang{
		"twice":    {Name: "g", Members: []*preemption.Pod{m, m}},
		"nil":      {Name: "g", Members: []*preemption.Pod{nil}},
		"minimum":  {Name: "g", Members: []*preemption.Pod{m}, MinCount: 2},
		"negative": {Name: "g", Members: []*preemption.Pod{m}, MinCount: -1},
		"overflow": {Name: "g", Members: []*preemption.Pod{
			{Name: "a", Requests: preemption.Resources{preemption.CPU: 1 << 62}}, {Name: "b", Requests: preemption.Resources{preemption.CPU: 1 << 62}},
		}},
	} {
		for _, planner := range planners {
			if r, err := new(preemption.Evaluator).PreemptGroup(context.Background(), c, g, planner); err == nil {
				t.Errorf("%s: %v, want an error", name, r)
			}
		}
	}
	old, err := preemption.NewCluster(preemption.ClusterState{Release: preemption.Release136, Nodes: []*preemption.Node{{Name: "n"}}})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := new(preemption.Evaluator).PreemptGroup(context.Background(), old, preemption.BenchGang(1), nil); !errors.Is(err, preemption.ErrGangRelease) {
		t.Errorf("%v, %v, want %v", r, err, preemption.ErrGangRelease)
	}
	foreign := func(context.Context, preemption.View, *preemption.Gang) ([]*preemption.Node, error) {
		return []*preemption.Node{{Name: "nowhere"}}, nil
	}
	missing := func(context.Context, preemption.View, *preemption.Gang) ([]*preemption.Node, error) { return nil, nil }
	for _, placer := range []preemption.Placer{foreign, missing} {
		if r, err := new(preemption.Evaluator).PreemptGroup(context.Background(), c, preemption.BenchGang(1), preemption.GivenPlacement{Placer: placer}); err == nil {
			t.Errorf("%v, want an error", r)
		}
	}
}

// TestGangTrace: the trace hears of every node used and of every attempt to put a
// victim back.
func TestGangTrace(t *testing.T) {
	c := preemption.BenchCluster(30, 20, 100)
	removed, reprieved, evicted := 0, 0, 0
	e := &preemption.Evaluator{Trace: &preemption.Trace{
		Removed: func(_ *preemption.Node, victims []*preemption.Victim, status preemption.Status, _ []preemption.Shortfall) {
			removed += len(victims)
			if !status.Fits() {
				t.Errorf("status %v, want a fit", status)
			}
		},
		Reprieved: func(_ *preemption.Node, s preemption.Step) {
			reprieved++
			if !s.Spared() {
				evicted++
			}
		},
	}}
	r, err := e.PreemptGroup(context.Background(), c, preemption.BenchGang(5), preemption.GivenPlacement{})
	if err != nil {
		t.Fatal(err)
	}
	if removed == 0 || reprieved != removed || evicted != len(r.Victims) {
		t.Errorf("%d removed, %d tried, %d evicted, want as many tried as removed and %d evicted", removed, reprieved, evicted, len(r.Victims))
	}
}

// The trace is told of violators on each node that they have pods on, one or several.
func TestGangTraceOfViolators(t *testing.T) {
	for violators := range 3 {
		state := preemption.ClusterState{DisruptionBudgets: []*preemption.PodDisruptionBudget{{
			Namespace: "d", Name: "web", Selector: &preemption.Selector{MatchLabels: map[string]string{"app": "web"}}}}}
		g := &preemption.Gang{Namespace: "d", Name: "gang", Priority: 10}
		want := map[string]int{}
		for i := range 3 {
			name := fmt.Sprint("n", i)
			state.Nodes = append(state.Nodes, &preemption.Node{Name: name, Allocatable: preemption.Resources{preemption.CPU: 2, preemption.PodCount: 9}})
			p := &preemption.Pod{Namespace: "d", Name: name, UID: name, NodeName: name, Requests: preemption.Resources{preemption.CPU: 2}}
			if i < violators {
				p.Labels = map[string]string{"app": "web"}
				want[name] = 1
			}
			state.Pods = append(state.Pods, p)
			m := &preemption.Pod{Namespace: "d", Name: fmt.Sprint("m", i), UID: fmt.Sprint("m", i), Priority: 10, Requests: preemption.Resources{preemption.CPU: 2}}
			g.Members = append(g.Members, m)
		}
		// Of a node that no member goes to it is told nothing.
		state.Nodes = append(state.Nodes, &preemption.Node{Name: "small", Allocatable: preemption.Resources{preemption.CPU: 1, preemption.PodCount: 9}})
		state.Pods = append(state.Pods, &preemption.Pod{Namespace: "d", Name: "small", UID: "small", NodeName: "small", Labels: map[string]string{"app": "web"}})
		got := map[string]int{}
		e := &preemption.Evaluator{Trace: &preemption.Trace{Classified: func(n *preemption.Node, violating []preemption.Violation) { got[n.Name] += len(violating) }}}
		r, err := e.PreemptGroup(t.Context(), newCluster(t, state), g, preemption.GivenPlacement{})
		if err != nil || r.Violations != violators || len(r.Victims) != 3 {
			t.Fatalf("%d violators: %v, %v", violators, r, err)
		}
		if !maps.Equal(got, want) {
			t.Errorf("%d violators: told of %v, want %v", violators, got, want)
		}
	}
}

// A given placement is known to be the best where it places all with no pod evicted, and
// nowhere else.
func TestGivenPlacementIsExactWhereNothingGoes(t *testing.T) {
	for name, test := range map[string]struct {
		cpu   int64 // of the node, of which a pod of lower priority has one
		min   int
		want  preemption.Outcome
		exact bool
	}{
		"all fit":               {3, 2, preemption.OutcomeFits, true},
		"one fits with no loss": {2, 1, preemption.OutcomePreempt, false},
		"none of two fits":      {0, 1, preemption.OutcomeUnhelpful, false},
	} {
		t.Run(name, func(t *testing.T) {
			one := preemption.Resources{preemption.CPU: 1}
			c := newCluster(t, preemption.ClusterState{
				Nodes: []*preemption.Node{{Name: "n", Allocatable: preemption.Resources{preemption.CPU: test.cpu, preemption.PodCount: 9}}},
				Pods:  []*preemption.Pod{{Namespace: "d", Name: "low", UID: "low", NodeName: "n", Requests: one}},
			})
			g := &preemption.Gang{Namespace: "d", Name: "gang", Priority: 10, MinCount: test.min}
			for _, m := range []string{"m0", "m1"} {
				g.Members = append(g.Members, &preemption.Pod{Namespace: "d", Name: m, UID: m, Priority: 10, Requests: one})
			}
			r, err := (&preemption.Evaluator{}).PreemptGroup(t.Context(), c, g, preemption.GivenPlacement{})
			if err != nil || r.Outcome != test.want || r.Exact != test.exact {
				t.Errorf("%v, exact %t, %v; want %v, exact %t", r, r.Exact, err, test.want, test.exact)
			}
		})
	}
}

// TestSortByImportance compares sorting by keys, few and many, with sorting by the
// comparison.
func TestSortByImportance(t *testing.T) {
	for seed := range uint64(300) {
		w := world.New(world.Seeded(seed, 9))
		var victims []*preemption.Victim
		for i := range w.Choose(170) {
			v := preemption.NewPodVictim(w.Pod(fmt.Sprint(i)), &preemption.Node{Name: "n"})
			v.Kind = world.Pick(w, preemption.KindPod, preemption.KindPod, preemption.KindPodGroup, preemption.KindCompositePodGroup, preemption.VictimKind(200))
			for range w.Choose(3) {
				v.Pods, v.Nodes = append(v.Pods, w.Pod("more")), append(v.Nodes, v.Nodes[0])
			}
			for _, p := range v.Pods {
				p.UID = world.Pick(w, "", "1", "2")
			}
			victims = append(victims, v)
		}
		want := slices.Clone(victims)
		slices.SortStableFunc(want, func(a, b *preemption.Victim) int { return preemption.CompareImportance(b, a) })
		if preemption.SortByImportance(victims); !slices.Equal(victims, want) {
			t.Fatalf("seed %d: %v, want %v", seed, victims, want)
		}
	}
}

// A filter that is nil is an error, whoever decides.
func TestNilFilters(t *testing.T) {
	node := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.PodCount: 1}}
	c := newCluster(t, preemption.ClusterState{Nodes: []*preemption.Node{node}, Pods: []*preemption.Pod{{Name: "low", NodeName: "n"}}})
	p := &preemption.Pod{Name: "high", Priority: 1}
	for _, filters := range [][]preemption.Filter{{nil}, {preemption.NodeResources(), nil}, {preemption.All(preemption.NodeResources(), nil)}} {
		e := &preemption.Evaluator{Filters: filters}
		if r, err := e.Preempt(t.Context(), c, p); err == nil || !strings.Contains(err.Error(), "is nil") {
			t.Errorf("Preempt: %v, %v", r, err)
		}
		if r, err := e.Examine(t.Context(), c, p); err == nil || !strings.Contains(err.Error(), "is nil") {
			t.Errorf("Examine: %v, %v", r, err)
		}
		for _, planner := range planners {
			g := &preemption.Gang{Name: "gang", Priority: 1, Members: []*preemption.Pod{p}}
			if r, err := e.PreemptGroup(t.Context(), c, g, planner); err == nil || !strings.Contains(err.Error(), "is nil") {
				t.Errorf("%T: %v, %v", planner, r, err)
			}
		}
	}
}

// A resource that pods have requested and none does any more is like one that none ever
// did: the decision of a gang says the same, and whether it is exact.
func TestGangAfterResourcesHaveGone(t *testing.T) {
	node := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.CPU: 1, preemption.PodCount: 10}}
	app := map[string]string{"app": "x"}
	c := newCluster(t, preemption.ClusterState{
		Nodes:             []*preemption.Node{node},
		Pods:              []*preemption.Pod{{Namespace: "a", Name: "p", NodeName: "n", Labels: app, Requests: preemption.Resources{preemption.CPU: 1}}},
		DisruptionBudgets: []*preemption.PodDisruptionBudget{{Namespace: "a", Name: "b", Selector: &preemption.Selector{MatchLabels: app}}},
	})
	member := &preemption.Pod{Namespace: "a", Name: "m", Priority: 10, Requests: preemption.Resources{preemption.CPU: 1, "fpga": 1}}
	g := &preemption.Gang{Namespace: "a", Name: "g", Priority: 10, Members: []*preemption.Pod{member}}
	decide := func() string {
		r, err := (&preemption.Evaluator{}).PreemptGroup(t.Context(), c, g, preemption.BestPlacement{})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%v %s exact %v", r.Outcome, r.Reason, r.Exact)
	}
	before := decide()
	if err := c.AddPod(&preemption.Pod{Namespace: "a", Name: "q", NodeName: "n", Requests: preemption.Resources{"fpga": 1}}); err != nil {
		t.Fatal(err)
	}
	if err := c.RemovePod("a", "q"); err != nil {
		t.Fatal(err)
	}
	if after := decide(); after != before {
		t.Errorf("%s, once a pod has come and gone %s", before, after)
	}
}

// What stays on a node leaves no room for a member: a seat that a nominated pod holds, and
// the members' one port, whoever has it.
func TestGangBesideThoseThatStay(t *testing.T) {
	web, app := []preemption.HostPort{{Port: 80}}, map[string]string{"app": "web"}
	for name, stays := range map[string]*preemption.Pod{
		"nominated, holds a seat": {NominatedNode: "a"},
		"nominated, has the port": {NominatedNode: "a", HostPorts: web},
		"bound, has the port":     {NodeName: "a", HostPorts: web},
	} {
		stays.Namespace, stays.Name, stays.UID, stays.Priority = "d", "stays", "u1", 20
		seats := int64(2)
		if stays.HostPorts == nil {
			seats = 1
		}
		c := newCluster(t, preemption.ClusterState{
			Nodes: []*preemption.Node{
				{Name: "a", Allocatable: preemption.Resources{preemption.CPU: 4, preemption.PodCount: seats}},
				{Name: "b", Allocatable: preemption.Resources{preemption.CPU: 4, preemption.PodCount: 2}},
			},
			// What goes has the port too, and is covered by a budget that bears it.
			Pods: []*preemption.Pod{stays, {Namespace: "d", Name: "goes", UID: "u2", NodeName: "b", Labels: app,
				Requests: preemption.Resources{preemption.CPU: 4}, HostPorts: stays.HostPorts}},
			DisruptionBudgets: []*preemption.PodDisruptionBudget{{Namespace: "d", Name: "b", Allowed: 1, Selector: &preemption.Selector{MatchLabels: app}}},
		})
		g := &preemption.Gang{Namespace: "d", Name: "gang", Priority: 10, Members: []*preemption.Pod{{
			Namespace: "d", Name: "member", UID: "u3", Priority: 10,
			Requests: preemption.Resources{preemption.CPU: 4}, HostPorts: stays.HostPorts}}}
		r, err := (&preemption.Evaluator{}).PreemptGroup(t.Context(), c, g, preemption.BestPlacement{})
		if err != nil || r.Outcome != preemption.OutcomePreempt || !r.Exact {
			t.Errorf("%s: %v, %v; want a preemption", name, r, err)
			continue
		}
		if on := r.Assignments[0].Node; on == nil || on.Name != "b" {
			t.Errorf("%s: the member goes to %v, want b", name, on)
		}
	}
}

// A gang may be the first to ask after updates, at the same time as pods do: it finds what
// a cluster built afresh would let it find.
func TestGangAsksFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 12))
	gang := &preemption.Gang{Namespace: "d", Name: "gang", Priority: 10}
	for i := range 2 {
		name := fmt.Sprint("member-", i)
		gang.Members = append(gang.Members, &preemption.Pod{Namespace: "d", Name: name, UID: name, Priority: 10, Requests: preemption.Resources{preemption.CPU: 5}})
	}
	state := preemption.ClusterState{PodGroups: []*preemption.PodGroup{{Namespace: "d", Name: "g", Priority: 1, DisruptionMode: preemption.DisruptAll}}}
	for i := range 3 {
		state.Nodes = append(state.Nodes, &preemption.Node{Name: fmt.Sprint("node-", i), Allocatable: preemption.Resources{preemption.CPU: 10, preemption.PodCount: 2}})
	}
	c, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	explain := func(c *preemption.Cluster) string {
		r, err := new(preemption.Evaluator).PreemptGroup(t.Context(), c, gang, preemption.BestPlacement{})
		if err != nil {
			t.Error(err)
			return ""
		}
		return r.Explain()
	}
	outcomes := map[string]bool{}
	bound := map[string]*preemption.Pod{}
	for i := range 200 {
		name := fmt.Sprint("pod-", i%6)
		if p := bound[name]; p != nil {
			err = c.RemovePod(p.Namespace, p.Name)
			delete(bound, name)
		} else {
			p = &preemption.Pod{Namespace: "d", Name: name, UID: name, NodeName: fmt.Sprint("node-", i%3), Priority: int32(r.IntN(20)), Requests: preemption.Resources{preemption.CPU: int64(3 + r.IntN(3))}}
			if r.IntN(3) > 0 {
				p.Group, p.Priority = "g", 1
			}
			bound[name] = p
			err = c.AddPod(p)
		}
		if err != nil {
			t.Fatal(err)
		}

		var others sync.WaitGroup
		others.Add(1)
		go func() {
			defer others.Done()
			if _, err := new(preemption.Evaluator).Preempt(t.Context(), c, gang.Members[0]); err != nil {
				t.Error(err)
			}
		}()
		got := explain(c)
		others.Wait()
		fresh, err := preemption.NewCluster(c.State())
		if err != nil {
			t.Fatal(err)
		}
		if want := explain(fresh); got != want {
			t.Fatalf("after %d events:\n%s\nbuilt afresh:\n%s", i+1, got, want)
		}
		outcomes[strings.SplitN(got, "\n", 3)[1]] = true
	}
	if len(outcomes) < 3 {
		t.Errorf("few outcomes: %q", slices.Sorted(maps.Keys(outcomes)))
	}
}

// Whichever call of a filter fails, there is no decision for a gang but an error, which says
// what failed and in which filter.
func TestErrorsOfAGangsFilters(t *testing.T) {
	one := preemption.Resources{preemption.CPU: 1}
	state := preemption.ClusterState{Release: preemption.Release138}
	for _, n := range []string{"a", "b"} {
		state.Nodes = append(state.Nodes, &preemption.Node{Name: n, Allocatable: preemption.Resources{preemption.CPU: 3, preemption.PodCount: 9}})
		for i := range 3 {
			name := fmt.Sprint(n, i)
			state.Pods = append(state.Pods, &preemption.Pod{Namespace: "d", Name: name, UID: name, NodeName: n, Priority: int32(i), Requests: one})
		}
	}
	held := &preemption.Pod{Namespace: "d", Name: "held", UID: "held", NominatedNode: "a", Priority: 50, Requests: one}
	state.Pods = append(state.Pods, held)
	g := &preemption.Gang{Namespace: "d", Name: "gang", Priority: 10}
	for _, m := range []string{"m0", "m1", "m2"} {
		g.Members = append(g.Members, &preemption.Pod{Namespace: "d", Name: m, UID: m, Priority: 10, Requests: one})
	}
	c := newCluster(t, state)
	for name, planner := range map[string]func(f preemption.Filter) preemption.Planner{
		"first node": func(f preemption.Filter) preemption.Planner {
			return preemption.GivenPlacement{Placer: preemption.FirstNode(f)}
		},
		"least allocated": func(f preemption.Filter) preemption.Planner {
			return preemption.GivenPlacement{Placer: preemption.LeastAllocated(f)}
		},
		"best": func(preemption.Filter) preemption.Planner { return preemption.BestPlacement{} },
	} {
		ask := func(f faltering) (string, error) {
			e := preemption.Evaluator{Filters: []preemption.Filter{f}}
			r, err := e.PreemptGroup(t.Context(), c, g, planner(f))
			if r == nil {
				return "", err
			}
			return r.Outcome.String(), err
		}
		everyCall{name, preemption.NodeResources(), true, ask, "preempt", ofResources}.check(t)
	}
}
