package preemption

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

// shuns is a monotone filter that refuses to share a node with certain pods, and
// counts how often it is asked.
type shuns struct {
	pod   func(*Pod) bool
	asked *int
}

func (shuns) Name() string { return "Shuns" }

func (s shuns) Prepare(_ *Pod, v View) (Prepared, error) { return preparedShuns{s, v}, nil }

type preparedShuns struct {
	shuns
	view View
}

func (preparedShuns) Monotone() bool { return true }

func (s preparedShuns) Begin(n *Node) (DryRun, error) {
	r := &shunsRun{preparedShuns: s, node: n}
	for _, p := range s.view.PodsOn(n) {
		_ = r.Add(p, n)
	}
	return r, nil
}

type shunsRun struct {
	preparedShuns
	node *Node
	n    int
}

func (r *shunsRun) Add(p *Pod, on *Node) error {
	if on == r.node && r.pod(p) {
		r.n++
	}
	return nil
}

func (r *shunsRun) Remove(p *Pod, on *Node) error {
	if on == r.node && r.pod(p) {
		r.n--
	}
	return nil
}

func (r *shunsRun) Fits() (Status, error) {
	*r.asked++
	if r.n > 0 {
		return Status{Code: Unschedulable, Reasons: []string{"it is shunned"}}, nil
	}
	return Status{}, nil
}

// TestFilterRuns: a filter of the caller's that rejects nothing is run at most
// twice on a node that is evaluated, instead of once a pod.
func TestFilterRuns(t *testing.T) {
	c := workload{nodes: 200, pods: 50}.cluster(benchSeed)
	p := asking(16, 32)
	_, _, evaluated := searchStats(t, c, p)
	asked := 0
	e := &Evaluator{Filters: append(DefaultFilters(), shuns{func(*Pod) bool { return false }, &asked})}
	r, err := e.Preempt(context.Background(), c, p)
	if err != nil {
		t.Fatal(err)
	}
	// With a judge the search cannot give up early on a node, so it may evaluate
	// some more.
	if r.FilterRuns == 0 || r.FilterRuns > 4*evaluated {
		t.Errorf("%d filter runs, want at most 2 on each of some %d nodes", r.FilterRuns, evaluated)
	}
	x, err := e.Examine(context.Background(), c, p)
	if err != nil {
		t.Fatal(err)
	}
	if x.Node != r.Node || x.FilterRuns < 10*r.FilterRuns {
		t.Errorf("Examine: node %s in %d runs, Preempt: node %s in %d", x.Node.Name, x.FilterRuns, r.Node.Name, r.FilterRuns)
	}
	perNode := map[string]int{}
	for i := range x.Nodes {
		perNode[x.Nodes[i].Node.Name] = x.Nodes[i].FilterRuns
	}
	if n := perNode[x.Node.Name]; n < 50 {
		t.Errorf("the twin ran the filters %d times on a node of 50 pods", n)
	}
}

// TestFilterRunsOnRejection: where a filter rejects what arithmetic keeps, it goes
// one by one.
func TestFilterRunsOnRejection(t *testing.T) {
	for _, rejected := range []int{1, 20, 49} {
		s := ClusterState{Nodes: []*Node{{Name: "n", Allocatable: Resources{CPU: 50, PodCount: 110}}}}
		for i := range 50 {
			s.Pods = append(s.Pods, &Pod{Name: fmt.Sprint("p", i), UID: fmt.Sprint(i), NodeName: "n", Priority: int32(100 - i), Requests: Resources{CPU: 1}})
		}
		c, err := NewCluster(s)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		e := &Evaluator{Filters: append(DefaultFilters(), shuns{func(p *Pod) bool { return p.Name == fmt.Sprint("p", rejected) }, &asked})}
		preemptor := &Pod{Name: "high", Priority: 1000, Requests: Resources{CPU: 1}}
		r, err := e.Preempt(context.Background(), c, preemptor)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := e.preemptSlow(context.Background(), c, preemptor)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := inShort(r), inShort(slow); a != b {
			t.Errorf("engine: %s\ntwin: %s", a, b)
		}
		// Beside what arithmetic keeps, beside nobody, and then one by one.
		if most := 2 + 50; r.FilterRuns > most {
			t.Errorf("pod %d is rejected: %d filter runs, want at most %d (one by one: %d)", rejected, r.FilterRuns, most, slow.FilterRuns)
		}
	}
}

// hooked is a monotone filter that gives one answer to every pod; the hook is
// called first at each step.
type hooked struct {
	hook   func(step string)
	answer Status
}

func (hooked) Name() string { return "Hooked" }

func (f hooked) Prepare(*Pod, View) (Prepared, error) { f.hook("Prepare"); return f, nil }
func (hooked) Monotone() bool                         { return true }
func (f hooked) Begin(*Node) (DryRun, error)          { f.hook("Begin"); return f, nil }
func (f hooked) Add(*Pod, *Node) error                { f.hook("Add"); return nil }
func (f hooked) Remove(*Pod, *Node) error             { f.hook("Remove"); return nil }
func (f hooked) Fits() (Status, error)                { f.hook("Fits"); return f.answer, nil }

// Whatever a callback does to a decision of the engine by panicking, those after
// it, which use the same memory, are not affected.
func TestEngineAfterPanics(t *testing.T) {
	c := workload{nodes: 100, pods: 10, budgets: 100, covered: 0.9, groups: true, nominated: true}.cluster(benchSeed)
	p := asking(16, 32)
	noneOfNs0 := shuns{func(p *Pod) bool { return p.Namespace == "ns-0" }, new(int)}
	sound := []*Evaluator{{}, {Filters: append(DefaultFilters(), noneOfNs0)}}
	var want []string // by the composable functions
	for _, e := range sound {
		r, err := e.preemptSlow(context.Background(), c, p)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, inShort(r))
	}
	for _, step := range []string{"Prepare", "Begin", "Add", "Remove", "Fits", "Eligible"} {
		for calls := 1; calls <= 40; calls += 13 {
			count := 0
			hook := func(s string) {
				if s == step {
					if count++; count == calls {
						panic(step)
					}
				}
			}
			e := &Evaluator{
				Filters:  append(DefaultFilters(), hooked{hook: hook}),
				Eligible: func(*Pod, *Victim, *Node) bool { hook("Eligible"); return true },
			}
			func() {
				defer func() {
					if x := recover(); x != step && (x != nil || calls == 1) {
						t.Errorf("%s, call %d: recovered %v", step, calls, x)
					}
				}()
				_, _ = e.Preempt(context.Background(), c, p)
			}()
			for i, e := range sound {
				r, fast := e.preemptFast(context.Background(), c, p)
				if !fast {
					t.Fatalf("%s, call %d: not decided by the engine afterwards", step, calls)
				}
				if got := inShort(r); got != want[i] {
					t.Errorf("%s, call %d: afterwards %s, want %s", step, calls, got, want[i])
				}
			}
		}
	}
}

// A context that is done in the middle of a decision of the engine ends it.
func TestEngineCancelled(t *testing.T) {
	c := workload{nodes: 100, pods: 10}.cluster(benchSeed)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	begun := 0
	e := &Evaluator{Filters: append(DefaultFilters(), hooked{func(step string) {
		if step == "Begin" {
			begun++
			cancel(cause)
		}
	}, Status{Code: Unschedulable}})}
	if r, err := e.Preempt(ctx, c, asking(16, 32)); !errors.Is(err, cause) {
		t.Errorf("Preempt = %v, %v, want %v", r, err, cause)
	}
	if begun != 1 {
		t.Errorf("%d dry runs were begun, want none after the context was done", begun)
	}
}

// The memory that decisions of the engine share holds on to nothing of the
// caller's once they are made.
func TestEngineKeepsNothing(t *testing.T) {
	c := workload{nodes: 100, pods: 10}.cluster(benchSeed)
	var gone atomic.Int64
	func() {
		p := new(Pod)
		*p = *asking(16, 32)
		p.HostPorts = []HostPort{{Port: 80}}
		e := &Evaluator{Filters: append(DefaultFilters(), hooked{hook: func(string) {}}), Eligible: func(*Pod, *Victim, *Node) bool { return true }}
		runtime.AddCleanup(p, func(int) { gone.Add(1) }, 0)
		runtime.AddCleanup(e, func(int) { gone.Add(1) }, 0)
		r, err := e.Preempt(context.Background(), c, p)
		if err != nil || r.Outcome != OutcomePreempt {
			t.Fatal(r, err)
		}
		runtime.AddCleanup(r.Victims[0], func(int) { gone.Add(1) }, 0)
	}()
	f := c.engine.borrow() // held across the collection, which empties the pool
	if f.preemptor != nil || f.Evaluator != nil || f.cluster != nil || f.prepared != nil || f.ctx != nil || f.ports != nil || f.own.node != nil {
		t.Errorf("the search keeps %v", fmt.Sprint(f.preemptor, f.Evaluator, f.cluster != nil, f.prepared, f.ctx, f.ports))
	}
	for range 100 {
		if runtime.GC(); gone.Load() == 3 {
			break
		}
	}
	if gone.Load() != 3 {
		t.Errorf("%d of 3 objects are gone: preemptor, evaluator, victim", gone.Load())
	}
	runtime.KeepAlive(f)
}

// inShort writes out what a result decides.
func inShort(r *Result) string {
	return fmt.Sprint(r.Outcome, " ", r.Reason, " ", r.Node, " ", r.Violations, r.Victims, r.Delete, r.ClearNominations)
}

// searchStats decides by the engine and returns how much it looked at.
func searchStats(t testing.TB, c *Cluster, p *Pod) (blocks, nodes, evaluated int) {
	t.Helper()
	f := c.engine.borrow()
	defer c.engine.giveBack(f)
	f.query, f.ctx = query{Evaluator: &Evaluator{}, cluster: c, preemptor: p}, context.Background()
	if !f.aim() {
		t.Fatal("the engine does not apply")
	}
	f.answer()
	return f.scratch.Stats.Blocks, f.scratch.Stats.Nodes, f.scratch.Stats.Evaluated
}

// TestEnginePrunes keeps the engine from becoming a slow scan unnoticed: of 2,000
// nodes in 32 blocks it may look into so many blocks (one at several levels
// counts as several), put so many nodes to the bounds, and evaluate so many. The
// limits leave half as much again as is needed.
func TestEnginePrunes(t *testing.T) {
	limits := map[string]work{
		"1core":      {2, 96, 8},
		"4cores":     {2, 96, 6},
		"16cores":    {24, 104, 39},
		"48cores":    {26, 35, 35},
		"impossible": {0, 0, 0},
		"pdb30":      {2, 95, 3},
		"groups":     {9, 101, 12},
		"nominated":  {6, 137, 8},
	}
	clusters := map[workload]*Cluster{}
	for _, x := range benchCases {
		x.workload.nodes, x.workload.pods = 2000, 50
		c := clusters[x.workload]
		if c == nil {
			c = x.workload.cluster(benchSeed)
			clusters[x.workload] = c
		}
		checkWork(t, x.name, workOf(t, c, x.preemptor), limits[x.name])
	}
}

// TestEnginePrunesWorst does so where the bounds are at their worst. Where they
// tell no node from another all of them are evaluated, but each once.
func TestEnginePrunesWorst(t *testing.T) {
	limits := map[string]work{
		"identical-nodes/4cores":          {2, 96, 2},
		"identical-nodes/16cores":         {48, 2000, 2000},
		"identical-nodes/48cores":         {48, 2000, 2000},
		"spent-budgets/4cores":            {3, 5, 3},
		"spent-budgets/16cores":           {150, 1224, 951},
		"spent-budgets/48cores":           {600, 2000, 2000},
		"spent-budget-of-all/4cores":      {2, 93, 6},
		"spent-budget-of-all/16cores":     {48, 920, 759},
		"spent-budget-of-all/48cores":     {150, 2000, 2000},
		"same-priority-and-start/4cores":  {2, 96, 2},
		"same-priority-and-start/16cores": {20, 443, 177},
		"same-priority-and-start/48cores": {48, 1262, 1200},
		"one-level/4cores":                {2, 96, 8},
		"one-level/16cores":               {48, 900, 447},
		"one-level/48cores":               {48, 2000, 2000},
		"thousands-of-levels/4cores":      {48, 689, 12},
		"thousands-of-levels/16cores":     {38, 65, 8},
		"thousands-of-levels/48cores":     {5, 5, 5},
		"overcommitted/4cores":            {27, 39, 39},
		"overcommitted/16cores":           {3, 3, 3},
		"overcommitted/48cores":           {18, 23, 23},
	}
	for _, x := range worstCases {
		c, err := NewCluster(x.state(2000, 50))
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range worstSizes {
			name := x.name + "/" + size.name
			checkWork(t, name, workOf(t, c, size.preemptor), limits[name])
		}
	}
}

// work is how much a search looked at.
type work struct{ blocks, nodes, evaluated int }

func workOf(t testing.TB, c *Cluster, p *Pod) work {
	t.Helper()
	blocks, nodes, evaluated := searchStats(t, c, p)
	return work{blocks, nodes, evaluated}
}

func checkWork(t *testing.T, name string, got, limit work) {
	t.Helper()
	t.Logf("%-32s blocks %4d, nodes %5d, evaluated %4d", name, got.blocks, got.nodes, got.evaluated)
	if got.blocks > limit.blocks || got.nodes > limit.nodes || got.evaluated > limit.evaluated {
		t.Errorf("%s: %+v, want at most %+v", name, got, limit)
	}
}

// TestFiltersAreSorted: every filter is either computed by the engine or asked,
// and never neither. A filter added to the default ones that the engine does not
// compute would take every decision off the fast path.
func TestFiltersAreSorted(t *testing.T) {
	kinds := func(s sortedFilters) (n int) {
		for _, some := range []bool{len(s.rules) > 0, s.ports, s.resources, len(s.own) > 0} {
			if some {
				n++
			}
		}
		return n
	}
	fits := func(*Pod, *Node) Status { return Status{} }
	filters := append(DefaultFilters(), NodeFilter("Own", fits), shuns{}, FilterFunc(nil))
	for _, f := range filters {
		for _, given := range [][]Filter{{f}, {All(f)}} {
			if n := kinds(sortFilters(given)); n != 1 {
				t.Errorf("%s is sorted into %d kinds, want 1", f.Name(), n)
			}
		}
	}
	if s := sortFilters(DefaultFilters()); !s.builtin() || len(s.rules)+2 != len(DefaultFilters()) {
		t.Errorf("of %d default filters the engine computes %d rules, ports %v, resources %v; it has to ask %d",
			len(DefaultFilters()), len(s.rules), s.ports, s.resources, len(s.own))
	}
	if s := sortFilters(filters); s.builtin() || len(s.own) != 2 {
		t.Errorf("%d of the caller's filters are asked, want 2", len(s.own))
	}
}

// Filters are asked about nodes that arithmetic leaves in question, and about no
// other: none where nothing helps, a few where the status of every node is known.
func TestFiltersAreAskedAboutNodesInQuestion(t *testing.T) {
	c := workload{nodes: 2000, pods: 30}.cluster(benchSeed)
	noOp := append(DefaultFilters(), atMostOne{app: "none"})
	known := func(*Node) (Status, bool) { return Status{Code: Unschedulable}, true }
	for _, x := range []struct {
		name      string
		e         Evaluator
		preemptor *Pod
		want      Outcome
		most      int // runs of filters
	}{
		{"nothing helps", Evaluator{Filters: noOp}, asking(100_000, 1), OutcomeUnhelpful, 0},
		{"nothing helps, and all is known", Evaluator{Filters: noOp, Statuses: known}, asking(100_000, 1), OutcomeUnhelpful, 0},
		{"some node helps", Evaluator{Filters: noOp}, asking(4, 8), OutcomePreempt, 100},
		{"some node helps, and all is known", Evaluator{Filters: noOp, Statuses: known}, asking(4, 8), OutcomePreempt, 100},
	} {
		r, err := x.e.Preempt(context.Background(), c, x.preemptor)
		if err != nil || r.Outcome != x.want || r.FilterRuns > x.most {
			t.Errorf("%s: %v, %v, filters run %d times; want %v and at most %d", x.name, r, err, r.FilterRuns, x.want, x.most)
		}
		if x.want == OutcomePreempt && r.FilterRuns == 0 {
			t.Errorf("%s: no filter was asked", x.name)
		}
	}
}

// A budget finds its pods among many of its namespace, whatever its selector was and
// becomes, as looking at each pod by itself does.
func TestBudgetsFindTheirPodsAmongMany(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, release := range []Release{ReleaseNewest, Release136} {
		s := workload{nodes: 60, pods: 50}.state(1)
		s.Release = release
		for i, p := range s.Pods {
			p.Namespace = fmt.Sprint("ns-", r.IntN(2))
			p.Labels = []map[string]string{nil, {}, {"app": fmt.Sprint("app-", r.IntN(3))}, {"app": "app-1", "tier": "front"}, {"tier": "back"}}[r.IntN(5)]
			if i%50 == 0 {
				p.NodeName = "" // pending
			}
		}
		c, err := NewCluster(s)
		if err != nil {
			t.Fatal(err)
		}
		selectors := []*Selector{
			nil, {}, {MatchLabels: map[string]string{"not a label!": "x"}},
			{MatchLabels: map[string]string{"app": "app-1"}},
			{MatchLabels: map[string]string{"app": "app-1", "tier": "front"}},
			{MatchExpressions: []Requirement{{"app", SelectorExists, nil}}},
			{MatchExpressions: []Requirement{{"app", SelectorDoesNotExist, nil}}},
			{MatchLabels: map[string]string{"app": "app-2"}, MatchExpressions: []Requirement{{"tier", SelectorNotIn, []string{"front"}}}},
		}
		for step := range 60 {
			b := &PodDisruptionBudget{Namespace: fmt.Sprint("ns-", r.IntN(3)), Name: fmt.Sprint(r.IntN(3)), Allowed: int32(r.IntN(2)), Selector: selectors[r.IntN(len(selectors))]}
			if r.IntN(3) == 0 {
				for range 20 {
					b.Disrupted = append(b.Disrupted, s.Pods[r.IntN(len(s.Pods))].Name)
				}
			}
			if err := c.SetBudget(b); err != nil {
				t.Fatal(err)
			}
			for id := range c.pods.entries {
				e := c.pods.at(int32(id))
				var want []*PodDisruptionBudget
				for _, b := range c.DisruptionBudgets() {
					if e.home != none && b.Namespace == e.pod.Namespace && b.Selector.Validate() == nil && b.Selector != nil &&
						release.selects(b.Selector, e.pod.Labels) && !slices.Contains(b.Disrupted, e.pod.Name) {
						want = append(want, b)
					}
				}
				is := func(have *budgetEntry, want *PodDisruptionBudget) bool { return have.budget == want }
				if have := c.covers.budgets(e.cover); !slices.EqualFunc(have, want, is) {
					t.Fatalf("%v, step %d: %d budgets over %v with labels %v, want %v", release, step, len(have), e.pod, e.pod.Labels, want)
				}
			}
			if err := CheckEngine(c); err != nil {
				t.Fatalf("%v, step %d: %v", release, step, err)
			}
		}
	}
}

// Preemptors are of one kind if the engine may answer one as it did another: what a
// caller's filters or statuses say may be different each time, and so may be what a
// nominated pod stands for itself.
func TestKinds(t *testing.T) {
	c := workload{nodes: 2, pods: 2}.cluster(benchSeed)
	e := &Evaluator{}
	f := c.engine.borrow() // the same for all: numbers of kinds are its own
	kind := func(e *Evaluator, change func(p *Pod)) int64 {
		t.Helper()
		p := asking(1, 1)
		change(p)
		if f.query = (query{Evaluator: e, cluster: c, preemptor: p}); !f.aim() {
			t.Fatal("not for the engine")
		}
		return f.search.Kind
	}
	same := func(*Pod) {}
	selecting := func(p *Pod) { p.NodeSelector = map[string]string{"zone": "a"} }
	tolerating := func(p *Pod) { p.Tolerations = []Toleration{{Key: "spot", Operator: TolerationExists}} }
	seen := map[int64]bool{}
	for _, change := range []func(*Pod){same, selecting, tolerating} {
		k := kind(e, change)
		if again := kind(e, change); k == 0 || k != again || seen[k] {
			t.Errorf("kind %d, then %d; before %v", k, again, seen)
		}
		seen[k] = true
	}
	for what, k := range map[string]int64{
		"filters":               kind(&Evaluator{Filters: DefaultFilters()}, same),
		"statuses":              kind(&Evaluator{Statuses: func(*Node) (Status, bool) { return Status{}, false }}, same),
		"a resource of no pods": kind(e, func(p *Pod) { p.Requests = Resources{"gpu": 1} }),
	} {
		if k != 0 {
			t.Errorf("%s: kind %d, want none", what, k)
		}
	}

	// A pod is known by its UID, or by its name if one of the two has none.
	for _, nominee := range []string{"", "a"} {
		if err := c.Nominate(&Pod{Name: "nominee", UID: nominee}, c.nodes[0].Name); err != nil {
			t.Fatal(err)
		}
		for _, uid := range []string{"", "a", "b"} {
			want := nominee == "" || uid == "" || uid == nominee
			if got := kind(e, func(p *Pod) { p.UID = uid }) == 0; got != want {
				t.Errorf("%q may be nominee %q: %t", uid, nominee, got)
			}
		}
		if err := c.RemovePod("", "nominee"); err != nil {
			t.Fatal(err)
		}
	}
}

// Names as pods have them tell nearly all pods of a node apart, so that few are looked
// for one by one.
func TestNamesTellPodsApart(t *testing.T) {
	for _, format := range []string{"%d", "web-%d", "worker-%04d-x"} {
		var seen seenPods
		alike := 0
		for i := range 200 {
			if seen.again(&Pod{Name: fmt.Sprintf(format, i)}) {
				alike++
			}
		}
		if alike > 20 { // 200 pairs and 4,096 marks make five
			t.Errorf("of 200 names like %s %d seem to be there twice", format, alike)
		}
	}
}

// A list has room for a pod that comes, and for a few more if it is long.
func TestRoomForMore(t *testing.T) {
	for n := range 1000 {
		if room := roomFor(n); room <= n || room > n+n/16+1 {
			t.Fatalf("room for %d pods is %d", n, room)
		}
	}
}
