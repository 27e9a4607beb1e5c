package properties

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/world"
	"pgregory.net/rapid"
)

// drawGang draws a gang of up to four members, alike or not, which the cluster may
// know.
func drawGang(t *rapid.T, s *scenario) *preemption.Gang {
	g := &preemption.Gang{Namespace: "team", Name: "gang", Priority: pick[int32](t, "gang priority", 10, 3, 2, 10)}
	known := oneIn(t, 4, "members are known")
	model := drawMember(t, s)
	for i := range rapid.IntRange(1, 4).Draw(t, "members") {
		copied := *model
		m := &copied
		if oneIn(t, 4, "differs") {
			m = drawMember(t, s)
		}
		m.Name, m.UID = fmt.Sprint("member-", i), fmt.Sprint("m", i)
		m.Object = pick(t, "only on", s.state.Nodes...).Name
		if oneIn(t, 4, "nominated") {
			m.NominatedNode = pick(t, "nominated node", "n0", "n1", "n2", "lost")
		}
		g.Members = append(g.Members, m)
		if known {
			s.state.Pods = append(s.state.Pods, m)
		}
	}
	g.MinCount = rapid.IntRange(0, len(g.Members)).Draw(t, "minimum")
	return g
}

func drawMember(t *rapid.T, s *scenario) *preemption.Pod {
	m := drawPreemptor(t)
	m.Namespace, m.NominatedNode, m.Labels = "team", "", drawLabels(t)
	m.Requests = drawRequests(t, 1, 2, 3, 4)
	if !oneIn(t, 4, "wants ports") {
		m.HostPorts = nil
	}
	return m
}

// onlyNamed refuses all nodes but the one that the pod's object names.
func onlyNamed(p *preemption.Pod, n *preemption.Node, _ []*preemption.Pod) preemption.Status {
	if p.Object != nil && p.Object != n.Name {
		return preemption.Status{Code: preemption.Unresolvable, Reasons: []string{"another node is named"}}
	}
	return preemption.Status{}
}

func anywhere(*preemption.Pod, *preemption.Node, []*preemption.Pod) preemption.Status {
	return preemption.Status{}
}

func drawGangScenario(t *rapid.T) (*preemption.Cluster, *preemption.Gang) {
	s := drawScenarioOf(t, pick(t, "release", preemption.ReleaseNewest, preemption.Release137, preemption.Release138))
	if oneIn(t, 3, "much the same") {
		// What differs between nodes is then their budgets, groups and order.
		for _, n := range s.state.Nodes {
			n.Allocatable = preemption.Resources{preemption.CPU: 4, preemption.Memory: 8, preemption.PodCount: 10}
			n.Taints, n.Unschedulable = nil, false
		}
		s.state.CompositePodGroups, s.state.PodGroups = nil, []*preemption.PodGroup{
			{Namespace: "team", Name: "g0", Priority: 1, DisruptionMode: preemption.DisruptAll},
			{Namespace: "team", Name: "g1", Priority: 1, DisruptionMode: preemption.DisruptAll},
		}
		for _, p := range s.state.Pods {
			p.Namespace, p.Priority = "team", pick[int32](t, "mostly one", 1, 1, 1, 2)
			p.Requests = preemption.Resources{preemption.CPU: 1, preemption.Memory: 1}
		}
	}
	g := drawGang(t, &s)
	if oneIn(t, 2, "a node each") {
		for _, m := range g.Members {
			m.Requests = preemption.Resources{preemption.CPU: 4}
		}
	}
	c, err := preemption.NewCluster(s.state)
	if err != nil {
		t.Fatal(err)
	}
	return c, g
}

// TestPlacers holds the placers to their documentation, on the cluster as it is
// and without the pods that the gang may evict.
func TestPlacers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, g := drawGangScenario(t)
		e := &preemption.Evaluator{Filters: preemption.DefaultFilters()}
		for _, f := range []preemption.Filter{preemption.FilterFunc(onlyNamed), preemption.FilterFunc(apart)} {
			if oneIn(t, 3, "more filters") {
				e.Filters = append(e.Filters, f)
			}
		}
		if oneIn(t, 4, "eligible") {
			e.Eligible = func(_ *preemption.Pod, v *preemption.Victim, _ *preemption.Node) bool {
				return v.Pods[0].Labels["app"] != "x"
			}
		}
		scored := rapid.Bool().Draw(t, "scored")
		placer := preemption.FirstNode(e.Filters...)
		if scored {
			placer = preemption.LeastAllocated(e.Filters...)
		}
		var wrong error
		compared := func(ctx context.Context, view preemption.View, g *preemption.Gang) ([]*preemption.Node, error) {
			got, err := placer(ctx, view, g)
			if err != nil {
				return nil, err
			}
			if want := placeNaively(c, e, view, g, scored); !slices.Equal(got, want) && wrong == nil {
				wrong = fmt.Errorf("placed on %v, want %v", got, want)
			}
			return got, nil
		}
		if _, err := e.PreemptGroup(context.Background(), c, g, preemption.GivenPlacement{Placer: compared}); err != nil {
			t.Fatal(err)
		}
		if wrong != nil {
			t.Fatal(wrong)
		}
	})
}

// placeNaively places member after member, asking all filters anew for each.
func placeNaively(c *preemption.Cluster, e *preemption.Evaluator, view preemption.View, g *preemption.Gang, scored bool) []*preemption.Node {
	var survivors []*preemption.Victim
	violations := map[*preemption.Victim]int{}
	if view != preemption.View(c) && c.Release() != preemption.Release137 {
		survivors, violations = potentialOf(c, e, g)
	}
	placed := make([]*preemption.Node, len(g.Members))
	for i, m := range g.Members {
		var best *preemption.Node
		better := func(n *preemption.Node) bool {
			if best == nil || n.Name == nominationIn(c, m) {
				return true
			}
			if best.Name == nominationIn(c, m) {
				return false
			}
			if d := compareLosses(lossesOn(n, survivors), lossesOn(best, survivors), violations); d != 0 {
				return d < 0
			}
			return scored && shareLeft(view, g, placed, n, m) > shareLeft(view, g, placed, best, m)
		}
		for _, n := range c.Nodes() {
			if takes(c, e, view, g, placed, n, i) && better(n) {
				best = n
			}
		}
		if best != nil {
			placed[i] = best
			gone := lossesOn(best, survivors)
			survivors = slices.DeleteFunc(slices.Clone(survivors), func(v *preemption.Victim) bool { return slices.Contains(gone, v) })
		}
	}
	return placed
}

// potentialOf returns the units that the gang may evict, most important first, and
// how many pods of each violate a budget.
func potentialOf(c *preemption.Cluster, e *preemption.Evaluator, g *preemption.Gang) ([]*preemption.Victim, map[*preemption.Victim]int) {
	victims := world.GangVictims(e, c, g)
	violating, _ := c.Release().FilterVictimsWithPDBViolation(victims, c.DisruptionBudgets())
	violations := map[*preemption.Victim]int{}
	for _, v := range violating {
		violations[v.Victim] = v.Pods
	}
	return victims, violations
}

func lossesOn(n *preemption.Node, survivors []*preemption.Victim) (on []*preemption.Victim) {
	for _, v := range survivors {
		if slices.Contains(v.Nodes, n) {
			on = append(on, v)
		}
	}
	return on
}

// compareLosses compares what two nodes lose, most important first.
func compareLosses(a, b []*preemption.Victim, violations map[*preemption.Victim]int) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(a), len(b))
	}
	type sums struct {
		violations, pods int
		priorities       []int32 // highest first
		of               map[int32]int
	}
	add := func(victims []*preemption.Victim) sums {
		s := sums{of: map[int32]int{}}
		for _, v := range victims {
			s.violations += violations[v]
			s.pods += len(v.Pods)
			if s.of[v.Priority] == 0 {
				s.priorities = append(s.priorities, v.Priority)
			}
			s.of[v.Priority] += len(v.Pods)
		}
		return s
	}
	x, y := add(a), add(b)
	if x.violations != y.violations {
		return x.violations - y.violations
	}
	for k := range min(len(x.priorities), len(y.priorities)) {
		p, q := x.priorities[k], y.priorities[k]
		if c := cmp.Or(cmp.Compare(p, q), cmp.Compare(x.of[p], y.of[q])); c != 0 {
			return c
		}
	}
	if x.pods != y.pods {
		return x.pods - y.pods
	}
	for k := range min(len(a), len(b)) {
		if c := cmp.Or(cmp.Compare(a[k].Kind, b[k].Kind), cmp.Compare(len(a[k].Pods), len(b[k].Pods))); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// takes asks the filters whether a node takes member i beside those before it.
func takes(c *preemption.Cluster, e *preemption.Evaluator, view preemption.View, g *preemption.Gang, placed []*preemption.Node, n *preemption.Node, i int) bool {
	prepared, err := preemption.All(e.Filters...).Prepare(g.Members[i], view)
	if err != nil {
		panic(err)
	}
	run, err := prepared.Begin(n)
	if err != nil {
		panic(err)
	}
	for k, on := range placed[:i] {
		if on != nil {
			if err := run.Add(g.Members[k], on); err != nil {
				panic(err)
			}
		}
	}
	var nominated []*preemption.Pod
	for _, p := range c.NominatedTo(n.Name) {
		if !slices.ContainsFunc(g.Members, func(m *preemption.Pod) bool { return m.UID == p.UID }) {
			nominated = append(nominated, p)
		}
	}
	status, err := preemption.FitsWithNominated(g.Members[i], n, run, nominated)
	if err != nil {
		panic(err)
	}
	return status.Fits()
}

// nominationIn returns the name of the node that the cluster takes the member to
// be nominated to, or that the member names if the cluster does not know it.
func nominationIn(c *preemption.Cluster, m *preemption.Pod) string {
	if c.Pod(m.Namespace, m.Name) == nil {
		return m.NominatedNode
	}
	for _, n := range c.Nodes() {
		if slices.Contains(c.NominatedTo(n.Name), c.Pod(m.Namespace, m.Name)) {
			return n.Name
		}
	}
	return ""
}

func shareLeft(view preemption.View, g *preemption.Gang, placed []*preemption.Node, n *preemption.Node, m *preemption.Pod) float64 {
	share := func(name string) float64 {
		left := n.Allocatable[name] - m.Requests[name]
		for _, p := range view.PodsOn(n) {
			left -= p.Requests[name]
		}
		for k, on := range placed {
			if on == n {
				left -= g.Members[k].Requests[name]
			}
		}
		if n.Allocatable[name] == 0 {
			return 0
		}
		return float64(left) / float64(n.Allocatable[name])
	}
	return max((share(preemption.CPU)+share(preemption.Memory))/2, 0)
}

// TestGangsWhateverTheWay: planners are the same by pointer, nil is the default
// one, and a filter that refuses nothing changes nothing but the way to the
// answer.
func TestGangsWhateverTheWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, g := drawGangScenario(t)
		e := &preemption.Evaluator{}
		if oneIn(t, 2, "own order") {
			e.Compare = func(a, b *preemption.Victim) int { return cmp.Compare(a.Priority, b.Priority) }
		}
		ask := func(e *preemption.Evaluator, p preemption.Planner) string {
			r, err := e.PreemptGroup(context.Background(), c, g, p)
			if err != nil {
				return err.Error()
			}
			return fmt.Sprint(r.Outcome, r.Code, r.Reason, r.Victims, r.Violations, r.Exact, r.Nomination, places(r))
		}
		given, best := ask(e, preemption.GivenPlacement{}), ask(e, preemption.BestPlacement{})
		for _, x := range []struct {
			planner preemption.Planner
			want    string
		}{
			{nil, given}, {&preemption.GivenPlacement{}, given}, {&preemption.BestPlacement{}, best},
		} {
			if got := ask(e, x.planner); got != x.want {
				t.Fatalf("%T: %s, want %s", x.planner, got, x.want)
			}
		}
		slow := *e
		slow.Filters = append(preemption.DefaultFilters(), preemption.FilterFunc(anywhere))
		if got := ask(&slow, nil); got != given {
			t.Fatalf("with a filter that refuses nothing %s, want %s", got, given)
		}
	})
}

func places(r *preemption.GangResult) (names []string) {
	for _, a := range r.Assignments {
		if a.Node == nil {
			names = append(names, a.Reason)
		} else {
			names = append(names, a.Node.Name)
		}
	}
	return names
}

// TestGangAfterResourcesComeAndGo: a resource is exact for a gang whatever
// resources pods requested before that are gone.
func TestGangAfterResourcesComeAndGo(t *testing.T) {
	room := preemption.Resources{gpu: 4, preemption.PodCount: 110}
	c, err := preemption.NewCluster(preemption.ClusterState{Nodes: []*preemption.Node{{Name: "n0", Allocatable: room}, {Name: "n1", Allocatable: room}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		p := &preemption.Pod{Namespace: "team", Name: "odd", NodeName: "n0", Requests: preemption.Resources{fmt.Sprint("odd-", i): 1}}
		if err := c.AddPod(p); err != nil {
			t.Fatal(err)
		}
		if err := c.RemovePod("team", "odd"); err != nil {
			t.Fatal(err)
		}
	}
	add := func(name, node string, priority int32, gpus int64) {
		p := &preemption.Pod{Namespace: "team", Name: name, UID: name, NodeName: node, Priority: priority, Requests: preemption.Resources{gpu: gpus}}
		if err := c.AddPod(p); err != nil {
			t.Fatal(err)
		}
	}
	add("small1", "n0", 1, 2)
	add("small2", "n0", 1, 2)
	add("large", "n1", 1, 4)
	g := &preemption.Gang{Namespace: "team", Name: "gang", Priority: 10}
	for i := range 2 {
		m := &preemption.Pod{Namespace: "team", Name: fmt.Sprint("m", i), UID: fmt.Sprint("m", i), Priority: 10, Requests: preemption.Resources{gpu: 2}}
		g.Members = append(g.Members, m)
	}

	r, err := new(preemption.Evaluator).PreemptGroup(context.Background(), c, g, preemption.BestPlacement{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Exact || fmt.Sprint(r.Victims) != "[team/large]" {
		t.Errorf("victims %v, exact %t, want the large one and exact", r.Victims, r.Exact)
	}
}

// wishes is a filter that goes by what only the caller's own pod says: on the node
// named there, and on no other.
type wishes struct{}

func (wishes) Name() string { return "Wishes" }

func (wishes) Prepare(p *preemption.Pod, _ preemption.View) (preemption.Prepared, error) {
	return wish{p.Object.(string)}, nil
}

type wish struct{ node string }

func (w wish) Begin(n *preemption.Node) (preemption.DryRun, error) {
	return granted(w.node == n.Name), nil
}

type granted bool

func (granted) Add(*preemption.Pod, *preemption.Node) error    { return nil }
func (granted) Remove(*preemption.Pod, *preemption.Node) error { return nil }
func (g granted) Fits() (preemption.Status, error) {
	if !g {
		return preemption.Status{Code: preemption.Unresolvable, Reasons: []string{"not here"}}, nil
	}
	return preemption.Status{}, nil
}

// Members that are equal to the built-in filters need not be to a caller's: each is
// asked about for itself.
func TestGangMembersUnderAFilterOfOnesOwn(t *testing.T) {
	room := preemption.Resources{preemption.CPU: 1, preemption.PodCount: 10}
	s := preemption.ClusterState{}
	g := &preemption.Gang{Namespace: "ns", Name: "gang", Priority: 10}
	for _, n := range []string{"n1", "n2"} {
		s.Nodes = append(s.Nodes, &preemption.Node{Name: n, Allocatable: room})
		s.Pods = append(s.Pods, &preemption.Pod{Namespace: "ns", Name: "on-" + n, UID: n, NodeName: n, Requests: preemption.Resources{preemption.CPU: 1}})
		g.Members = append(g.Members, &preemption.Pod{Namespace: "ns", Name: "for-" + n, UID: "for-" + n, Priority: 10,
			Requests: preemption.Resources{preemption.CPU: 1}, Object: n})
	}
	c, err := preemption.NewCluster(s)
	if err != nil {
		t.Fatal(err)
	}
	e := preemption.Evaluator{Filters: append(preemption.DefaultFilters(), wishes{})}
	for _, planner := range []preemption.Planner{nil, preemption.BestPlacement{}} {
		r, err := e.PreemptGroup(context.Background(), c, g, planner)
		if err != nil {
			t.Fatal(err)
		}
		if got := places(r); r.Outcome != preemption.OutcomePreempt || !slices.Equal(got, []string{"n1", "n2"}) || len(r.Victims) != 2 {
			t.Errorf("%T: %v, places %v, victims %v; want each member on the node that it asks for", planner, r.Outcome, got, r.Victims)
		}
	}
}
