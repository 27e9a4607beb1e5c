package preemption

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// gang makes a random gang, of members that are alike or not.
func (w *world) gang() *Gang {
	g := &Gang{Namespace: "a", Name: "gang", Priority: pick[int32](w, 2, 11, 50, 1000, math.MaxInt32)}
	model := w.pod("m")
	model.Priority, model.Group, model.Termination = g.Priority, "gang", NotTerminating
	model.Requests[CPU] = int64(1+w.choose(4)) * 500
	if !w.oneIn(3) {
		model.HostPorts = nil
	} else if w.oneIn(3) {
		model.HostPorts = []HostPort{{Protocol: "TCP"}} // claims nothing
	}
	if w.oneIn(8) {
		model.Requests["unheard"] = int64(1 + w.choose(2))
	}
	if w.oneIn(6) {
		model.Priority = w.priority()
	}
	for i := range 1 + w.choose(4) {
		m := *model
		m.Name, m.UID = fmt.Sprint("member-", i), fmt.Sprint("member-", i)
		switch w.choose(24) {
		case 0:
			m.Requests = w.requests()
		case 1:
			m.Priority = w.priority()
		case 2:
			m.Tolerations = []Toleration{{Operator: TolerationExists}}
		case 3:
			m.Labels = map[string]string{"app": pick(w, "x", "y")}
		case 4:
			m.PreemptionPolicy = PreemptNever
		}
		if w.oneIn(8) {
			m.NominatedNode = pick(w, append(w.nodes, "nowhere")...)
		}
		g.Members = append(g.Members, &m)
	}
	if w.oneIn(6) {
		g.Policy = pick(w, GangPreempts, GangNeverPreempts)
	}
	if w.oneIn(3) {
		g.MinCount = 1 + w.choose(len(g.Members))
	}
	return g
}

// gangRelease is one of those that know gangs.
func gangRelease(w *world) Release { return pick(w, ReleaseNewest, Release137, Release138) }

// smallState is a cluster small enough to try everything.
func (w *world) smallState() ClusterState {
	s := ClusterState{Release: gangRelease(w)}
	for i := range 1 + w.choose(3) {
		n := w.node(fmt.Sprint("n", i))
		n.Allocatable[CPU] = int64(1+w.choose(6)) * 500
		if w.oneIn(3) {
			n.Allocatable["unheard"] = int64(1 + w.choose(4))
		}
		s.Nodes = append(s.Nodes, n)
		w.nodes = append(w.nodes, n.Name)
	}
	for i := range w.choose(9) {
		p := w.pod(fmt.Sprint("p", i))
		p.NodeName = pick(w, w.nodes...)
		p.Group = ""
		s.Pods = append(s.Pods, p)
	}
	if w.oneIn(4) {
		for _, p := range s.Pods {
			if w.oneIn(3) {
				p.Namespace, p.Group = "a", pick(w, "g0", "g0", "g1")
			}
		}
		s.PodGroups = append(s.PodGroups, &PodGroup{"a", "g0", 0, DisruptAll, pick(w, "", "c0")}, &PodGroup{"a", "g1", 1, DisruptSingle, pick(w, "", "c0")})
		s.CompositePodGroups = append(s.CompositePodGroups, &CompositePodGroup{"a", "c0", 1, pick(w, DisruptAll, DisruptSingle), ""})
	}
	for i := range max(w.choose(6)-3, 0) {
		b := w.budget(fmt.Sprint("b", i))
		if w.oneIn(2) {
			b.Allowed = pick[int32](w, -1, 0, 0, 50) // spent or ample
		}
		s.DisruptionBudgets = append(s.DisruptionBudgets, b)
	}
	if w.oneIn(4) {
		p := w.pod("nominated")
		p.NominatedNode = pick(w, w.nodes...)
		s.Pods = append(s.Pods, p)
	}
	return s
}

func forGangs(t *testing.T, n int, check func(t failer, w *world, c *Cluster, g *Gang)) {
	for seed := range uint64(n) {
		w := &world{chooser: evenChooser{rand.New(rand.NewPCG(seed, 7))}}
		c, err := NewCluster(w.smallState())
		if err != nil {
			continue
		}
		check(seeded{t, seed}, w, c, w.gang())
	}
}

// gangEvaluator is one of several evaluators that decide about gangs.
func (w *world) gangEvaluator() *Evaluator {
	e := &Evaluator{}
	switch w.choose(10) {
	case 0:
		e.Filters = append(DefaultFilters(), antiAffinity{})
	case 1:
		e.Filters = []Filter{NodeResources()}
	case 2:
		e.Filters = []Filter{NodePorts(), All(NodeResources())}
	case 3:
		e.Filters = []Filter{NodePorts()}
	case 4:
		e.Eligible = func(_ *Pod, v *Victim, _ *Node) bool { return v.Pods[0].Labels["app"] != "x" }
	}
	return e
}

// TestBestPlacementIsBest compares with all placements and all sets of victims.
func TestBestPlacementIsBest(t *testing.T) {
	count := make(map[string]int)
	forGangs(t, 3000, func(t failer, w *world, c *Cluster, g *Gang) {
		e := w.gangEvaluator()
		r, err := e.PreemptGroup(context.Background(), c, g, BestPlacement{})
		if err != nil {
			t.Fatalf("%v", err)
		}
		count[fmt.Sprint(r.Outcome, " ", r.Exact)]++
		if r.Outcome == OutcomeIneligible || r.Outcome == OutcomeWaiting || r.Outcome == OutcomeUnhelpful && !r.Exact {
			return
		}
		q := &gangQuery{Evaluator: e, ctx: context.Background(), cluster: c, gang: g}
		best := q.bruteForce()
		if r.Outcome == OutcomeUnhelpful {
			if best.placed() >= g.minCount() {
				t.Fatalf("%s\n%s\nsurely unhelpful, but %v is a plan with victims %v", describe(c), r.Explain(), best.nodes, best.victims)
			}
			return
		}
		got := planOf(r)
		if r.Outcome == OutcomeFits && r.Exact && !g.mayPreempt() {
			return // fewer fit with nobody evicted
		}
		switch d := compareScores(got, best); {
		case got.placed() > best.placed() || got.placed() == best.placed() && d < 0:
			t.Fatalf("%s\n%s\nbetter than everything: %v, want %v", describe(c), r.Explain(), got.score(), best.score())
		case r.Exact && (got.placed() < best.placed() || d > 0):
			t.Fatalf("%s\n%s\nexact plan places %d at %v, best %d at %v %v", describe(c), r.Explain(),
				got.placed(), got.score(), best.placed(), best.score(), best.victims)
		}
	})
	t.Log(count)
	for _, kind := range []string{"preempt true", "preempt false", "fits true", "unhelpful true", "unhelpful false", "ineligible false", "waiting false"} {
		if count[kind] < 25 {
			t.Errorf("%d times %s, want more", count[kind], kind)
		}
	}
}

func compareScores(a, b *gangPlan) int {
	x, y := a.score(), b.score()
	return x.Compare(&y)
}

func planOf(r *GangResult) *gangPlan {
	p := &gangPlan{victims: r.Victims, violations: r.Violations}
	for _, a := range r.Assignments {
		p.nodes = append(p.nodes, a.Node)
	}
	return p
}

// bruteForce tries every placement with every set of victims.
func (q *gangQuery) bruteForce() *gangPlan {
	victims := q.victims()
	slices.SortStableFunc(victims, func(a, b *Victim) int { return CompareImportance(b, a) })
	violating, _ := q.cluster.classify(victims)
	var best *gangPlan
	nodes := make([]*Node, len(q.gang.Members))
	var place func(i int)
	place = func(i int) {
		if i < len(nodes) {
			nodes[i] = nil
			place(i + 1)
			for _, n := range q.cluster.nodes {
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
			for _, v := range violating {
				if slices.Contains(x.victims, v.Victim) {
					x.violations += v.Pods
				}
			}
			if (best == nil || x.better(best)) && q.feasible(x) {
				best = x
			}
		}
	}
	place(0)
	if best == nil {
		best = &gangPlan{nodes: make([]*Node, len(nodes))}
	}
	return best
}

// feasible tests all placed members with the victims gone, by plain dry runs.
func (q *gangQuery) feasible(p *gangPlan) bool {
	_, status, _, err := q.startRuns(p.nodes, p.victims)
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
		w := &world{chooser: evenChooser{rand.New(rand.NewPCG(seed, 8))}}
		c, err := NewCluster(w.state(gangRelease(w)))
		if err != nil {
			continue
		}
		t := seeded{t, seed}
		g := w.gang()
		q := &gangQuery{Evaluator: &Evaluator{}, ctx: context.Background(), cluster: c, gang: g}
		victims := q.victims()
		nodes := make([]*Node, len(g.Members))
		for i := range nodes {
			if !w.oneIn(6) {
				nodes[i] = c.nodes[w.choose(len(c.nodes))]
			}
		}
		fast, err := q.evictFor(nodes, true)
		if err != nil {
			t.Fatalf("%v", err)
		}
		slow := &gangPlan{nodes: nodes, reasons: make([]string, len(nodes))}
		var runs gangRuns
		for slow.placed() >= g.minCount() {
			var status Status
			var i int
			if runs, status, i, err = q.startRuns(nodes, victims); err != nil {
				t.Fatalf("%v", err)
			}
			if status.Fits() {
				break
			}
			nodes[i] = nil
		}
		if !slices.Equal(fast.nodes, slow.nodes) {
			t.Fatalf("nodes %v, want %v", fast.nodes, slow.nodes)
		}
		if slow.placed() < g.minCount() {
			continue
		}
		if err := reprieveFor(q, slow, runs, slices.Clone(victims), func(*Victim) bool { return true }); err != nil {
			t.Fatalf("%v", err)
		}
		if a, b := fmt.Sprint(fast.victims, fast.violations), fmt.Sprint(slow.victims, slow.violations); a != b {
			t.Fatalf("%s\n fast %s\n slow %s", describe(c), a, b)
		}
		if len(slow.victims) > 0 {
			preempted++
		}
	}
	if preempted < 300 {
		t.Errorf("%d placements with victims, want more", preempted)
	}
}

// planners are all there are.
var planners = []Planner{GivenPlacement{}, BestPlacement{}}

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
	forGangs(t, 3000, func(t failer, w *world, c *Cluster, g *Gang) {
		gangLaws(t, c, g, w.gangEvaluator())
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
		w := &world{chooser: &byteChooser{data}}
		c, err := NewCluster(w.smallState())
		if err != nil {
			return
		}
		gangLaws(t, c, w.gang(), w.gangEvaluator())
	})
}

func gangLaws(t failer, c *Cluster, g *Gang, e *Evaluator) {
	t.Helper()
	before := describe(c)
	given, err := e.PreemptGroup(context.Background(), c, g, GivenPlacement{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	best, err := e.PreemptGroup(context.Background(), c, g, BestPlacement{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	placed := func(r *GangResult) bool { return r.Outcome == OutcomePreempt || r.Outcome == OutcomeFits }
	if placed(given) && !placed(best) {
		t.Fatalf("%s\nbest placement: %v, given placement: %v", describe(c), best.Outcome, given.Outcome)
	}
	if placed(given) && planOf(given).better(planOf(best)) {
		t.Fatalf("%s\ngiven placement is better: %s\nthan\n%s", describe(c), given.Explain(), best.Explain())
	}
	for _, planner := range planners {
		r, err := e.PreemptGroup(context.Background(), c, g, planner)
		if err != nil {
			t.Fatalf("%T: %v", planner, err)
		}
		q := &gangQuery{Evaluator: e, ctx: context.Background(), cluster: c, gang: g}
		p := planOf(r)
		switch r.Outcome {
		case OutcomePreempt:
			if p.placed() < g.minCount() {
				t.Fatalf("%d placed, want %d", p.placed(), g.minCount())
			}
			if !q.feasible(p) {
				t.Fatalf("%s\nthe members do not fit:\n%s", describe(c), r.Explain())
			}
			for i, v := range p.victims {
				if v.Priority >= g.Priority {
					t.Fatalf("victim %v has priority %d", v, v.Priority)
				}
				spared := &gangPlan{nodes: p.nodes, victims: slices.Delete(slices.Clone(p.victims), i, i+1)}
				if q.feasible(spared) {
					t.Fatalf("%s\n%v could be spared:\n%s", describe(c), v, r.Explain())
				}
			}
			if order := q.gangOrder(); !slices.IsSortedFunc(p.victims, order) {
				t.Fatalf("victims %v are not in order", p.victims)
			}
			if n := q.violationsOf(p.victims); n != r.Violations {
				t.Fatalf("%s\n%d violations, want %d", describe(c), r.Violations, n)
			}
		case OutcomeFits:
			if p.placed() < g.minCount() || !q.feasible(p) || len(p.victims) > 0 {
				t.Fatalf("it does not fit:\n%s", r.Explain())
			}
		}
	}
	if !sameLines(describe(c), before) {
		t.Fatalf("the cluster has changed:\n%s\nwas\n%s", describe(c), before)
	}
}

// sameLines compares texts whose lines come in any order: groups are described in
// map order.
func sameLines(a, b string) bool {
	return slices.Equal(slices.Sorted(strings.SplitSeq(a, "\n")), slices.Sorted(strings.SplitSeq(b, "\n")))
}

// gangOrder is the order of victims in a result: by importance, since 1.38 with
// those first that violate a budget.
func (q *gangQuery) gangOrder() func(a, b *Victim) int {
	rank := func(v *Victim) int {
		return min(q.violationsOf([]*Victim{v}), 1)
	}
	return func(a, b *Victim) int {
		if d := rank(b) - rank(a); d != 0 && q.cluster.Release() != Release137 {
			return d
		}
		return CompareImportance(b, a)
	}
}

// violationsOf counts violations as the rules do: all potential victims charged,
// those that go counted.
func (q *gangQuery) violationsOf(victims []*Victim) int {
	all := q.victims()
	slices.SortStableFunc(all, func(a, b *Victim) int { return CompareImportance(b, a) })
	var budgets []*PodDisruptionBudget
	for _, b := range q.cluster.budgets.inOrder() {
		budgets = append(budgets, b.budget)
	}
	violating, _ := q.cluster.release.FilterVictimsWithPDBViolation(all, budgets)
	n := 0
	for _, v := range violating {
		if slices.ContainsFunc(victims, func(x *Victim) bool { return x.Pods[0] == v.Victim.Pods[0] }) {
			n += v.Pods
		}
	}
	return n
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
		for _, planner := range planners {
			if r, err := new(Evaluator).PreemptGroup(context.Background(), c, g, planner); err == nil {
				t.Errorf("%s: %v, want an error", name, r)
			}
		}
	}
	old, err := NewCluster(ClusterState{Release: Release136, Nodes: []*Node{{Name: "n"}}})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := new(Evaluator).PreemptGroup(context.Background(), old, benchGang(1), nil); !errors.Is(err, ErrGangRelease) {
		t.Errorf("%v, %v, want %v", r, err, ErrGangRelease)
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

// TestSortByImportance compares sorting by keys with sorting by the comparison.
func TestSortByImportance(t *testing.T) {
	for seed := range uint64(300) {
		w := &world{chooser: evenChooser{rand.New(rand.NewPCG(seed, 9))}}
		var victims []*Victim
		for i := range 64 + w.choose(40) {
			v := NewPodVictim(w.pod(fmt.Sprint(i)), &Node{Name: "n"})
			v.Kind = pick(w, KindPod, KindPod, KindPodGroup, KindCompositePodGroup)
			for range w.choose(3) {
				v.Pods, v.Nodes = append(v.Pods, w.pod("more")), append(v.Nodes, v.Nodes[0])
			}
			for _, p := range v.Pods {
				p.UID = pick(w, "", "1", "2")
			}
			victims = append(victims, v)
		}
		want := slices.Clone(victims)
		slices.SortStableFunc(want, func(a, b *Victim) int { return CompareImportance(b, a) })
		if sortByImportance(victims, nil); !slices.Equal(victims, want) {
			t.Fatalf("seed %d: %v, want %v", seed, victims, want)
		}
	}
}
