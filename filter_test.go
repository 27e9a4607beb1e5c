package preemption_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/preemption"
)

// A function with a name is known by it, and declares whether it is monotone.
func TestPodsFilter(t *testing.T) {
	full := func(_ *preemption.Pod, _ *preemption.Node, pods []*preemption.Pod) preemption.Status {
		if len(pods) > 1 {
			return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"full"}}
		}
		return preemption.Status{}
	}
	view := busyNode()
	for _, monotone := range []bool{true, false} {
		prepared, err := preemption.All(preemption.PodsFilter("Few", monotone, full)).Prepare(&preemption.Pod{Name: "h"}, view)
		if err != nil {
			t.Fatal(err)
		}
		if got := prepared.(interface{ Monotone() bool }).Monotone(); got != monotone {
			t.Errorf("monotone: %v, want %v", got, monotone)
		}
		run, err := prepared.Begin(view.node)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := run.Fits(); err != nil || s.Filter != "Few" || s.Message() != "full" {
			t.Errorf("Fits = %+v, %v", s, err)
		}
	}
}

// A function of the node's pods sees those that are left, in the node's order, and those
// put back behind them, whatever was taken out before it was asked.
func TestPodsFilterShowsWhatIsLeft(t *testing.T) {
	node := &preemption.Node{Name: "n"}
	var pods []*preemption.Pod
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		pods = append(pods, &preemption.Pod{Name: name, NodeName: node.Name})
	}
	saw := ""
	show := preemption.FilterFunc(func(_ *preemption.Pod, _ *preemption.Node, pods []*preemption.Pod) preemption.Status {
		saw = ""
		for _, p := range pods {
			saw += p.Name
		}
		return preemption.Status{}
	})
	prepared, err := show.Prepare(&preemption.Pod{Name: "h"}, oneNode{node, pods})
	if err != nil {
		t.Fatal(err)
	}
	run, err := prepared.Begin(node)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ do, want string }{
		{"", "abcde"}, {"-b-d", "ace"}, {"-e", "ac"}, {"+b", "acb"}, {"+d-d", "acb"},
		{"-a-b-c", ""}, {"+e+a+c-a-e", "c"},
	} {
		for i := 0; i < len(step.do); i += 2 {
			p := pods[step.do[i+1]-'a']
			move := run.Add
			if step.do[i] == '-' {
				move = run.Remove
			}
			if err := move(p, node); err != nil {
				t.Fatal(step.do, err)
			}
		}
		if _, err := run.Fits(); err != nil || saw != step.want {
			t.Errorf("after %q it saw %q, %v, want %q", step.do, saw, err, step.want)
		}
	}
}

// Room is not freed twice, and not where a pod is not: victims that say so are an
// error, and so is a dry run asked to remove a pod that is not there, or no longer.
func TestVictimsThatAreNotThere(t *testing.T) {
	view := busyNode()
	here := view.pods[0].Clone()
	here.NodeName = view.node.Name
	elsewhere := here.Clone()
	elsewhere.NodeName = "elsewhere"
	on := func(p *preemption.Pod) *preemption.Victim { return preemption.NewPodVictim(p, view.node) }
	group := on(here)
	group.Pods = append(group.Pods, here)
	both := on(here)
	both.Pods, both.Nodes = append(both.Pods, here), append(both.Nodes, view.node)
	many := func() (victims []*preemption.Victim) {
		for range 200 {
			victims = append(victims, on(here.Clone()))
		}
		return victims
	}
	tests := []struct {
		name    string
		victims []*preemption.Victim
		want    string
	}{
		{"twice", []*preemption.Victim{on(here), on(here)}, "the pod is among the victims twice"},
		{"twice among many", append(many(), on(here), on(here)), "the pod is among the victims twice"},
		{"twice among very many", slices.Concat(many(), many(), []*preemption.Victim{on(here), on(here)}), "the pod is among the victims twice"},
		{"twice in one", []*preemption.Victim{both}, "the pod is among the victims twice"},
		{"elsewhere", []*preemption.Victim{on(elsewhere)}, "the pod is not on the node"},
		{"without a node", []*preemption.Victim{group}, "victim 0 has 2 pods on 1 nodes"},
		{"without pods", []*preemption.Victim{{}}, "victim 0 has 0 pods on 0 nodes"},
	}
	h := &preemption.Pod{Name: "h", Priority: 100, Requests: preemption.Resources{preemption.CPU: 1}, HostPorts: []preemption.HostPort{{Port: 1}}}
	for _, test := range tests {
		for name, ask := range map[string]func(preemption.NodeCase) (preemption.Selection, error){
			"SelectVictimsOnNode": preemption.SelectVictimsOnNode,
			"SelectBestVictimsOnNode": func(c preemption.NodeCase) (preemption.Selection, error) {
				return preemption.SelectBestVictimsOnNode(c)
			},
		} {
			var step *preemption.StepError
			_, err := ask(preemption.NodeCase{Preemptor: h, Node: view.node, Victims: test.victims})
			if !errors.As(err, &step) || !strings.Contains(err.Error(), test.want) || step.Node != view.node.Name {
				t.Errorf("%s: %s: error %v, want %s", name, test.name, err, test.want)
			}
		}
	}
	// Whatever of the package looks at pods frees the room of each once.
	fits := func(*preemption.Pod, *preemption.Node, []*preemption.Pod) preemption.Status {
		return preemption.Status{}
	}
	nominated := &preemption.Pod{Name: "nominated", NominatedNode: view.node.Name}
	for _, f := range []preemption.Filter{
		preemption.NodeResources(), preemption.NodePorts(), preemption.FilterFunc(fits), preemption.PodsFilter("Few", true, fits),
		preemption.All(preemption.DefaultFilters()...),
	} {
		prepared, err := f.Prepare(h, view)
		if err != nil {
			t.Fatal(err)
		}
		run, err := prepared.Begin(view.node)
		if err != nil {
			t.Fatal(err)
		}
		add := func(p *preemption.Pod) error { return run.Add(p, view.node) }
		remove := func(p *preemption.Pod) error { return run.Remove(p, view.node) }
		for i, step := range []struct {
			do    func(*preemption.Pod) error
			pod   *preemption.Pod
			there bool
		}{
			{remove, elsewhere, false}, {remove, here, false}, {remove, nominated, false},
			{remove, view.pods[0], true}, {remove, view.pods[0], false},
			{add, view.pods[0], true}, {remove, view.pods[0], true}, {remove, view.pods[0], false},
			{add, nominated, true}, {remove, view.pods[1], true}, {remove, nominated, true}, {remove, nominated, false},
		} {
			if err := step.do(step.pod); (err == nil) != step.there {
				t.Errorf("%s: step %d, of %s: error %v, want one: %t", f.Name(), i, step.pod, err, !step.there)
			}
		}
	}
}

// Where nobody of lower priority is no eviction helps. A search for the best victims says so
// too, and that this is exact.
func TestNobodyToEvict(t *testing.T) {
	n := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.CPU: 1, preemption.PodCount: 1}}
	above := preemption.NewPodVictim(&preemption.Pod{Name: "above", Priority: 100, NodeName: "n"}, n)
	for _, victims := range [][]*preemption.Victim{nil, {above}} {
		c := preemption.NodeCase{Preemptor: &preemption.Pod{Name: "p", Priority: 100}, Node: n, Victims: victims}
		want := preemption.Status{Code: preemption.Unresolvable, Reasons: []string{preemption.ReasonNoVictims}}
		s, err := preemption.SelectVictimsOnNode(c)
		best, errBest := preemption.SelectBestVictimsOnNode(c)
		if err != nil || !reflect.DeepEqual(s, preemption.Selection{Status: want}) {
			t.Errorf("%d others: %+v, %v; want %v", len(victims), s, err, want)
		}
		if errBest != nil || !reflect.DeepEqual(best, preemption.Selection{Status: want, Exact: true}) {
			t.Errorf("%d others: the best is %+v, %v; want %v, exact", len(victims), best, errBest, want)
		}
	}
}

// A cluster rejects requests that are negative or overflow; a view of the
// caller's own may still show them. They are errors, never a wrong answer.
func TestBadRequestsInAView(t *testing.T) {
	view := busyNode()
	cpu := func(n int64) *preemption.Pod {
		return &preemption.Pod{Namespace: "shop", Name: "bad", Requests: preemption.Resources{preemption.CPU: n}}
	}
	prepared, err := preemption.NodeResources().Prepare(cpu(1), view)
	if err != nil {
		t.Fatal(err)
	}
	begin := func() preemption.DryRun {
		run, err := prepared.Begin(view.node) // 0m of 4000m are free
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	remote := &preemption.Node{Name: "elsewhere"}
	tests := []struct {
		name string
		do   func(preemption.DryRun) error
		fail bool
	}{
		{"add a negative request", func(r preemption.DryRun) error { return r.Add(cpu(-1), view.node) }, true},
		{"remove a negative request", func(r preemption.DryRun) error { return r.Remove(cpu(-1), view.node) }, true},
		{"add as much as there can be", func(r preemption.DryRun) error { return r.Add(cpu(math.MaxInt64), view.node) }, false},
		{"add more", func(r preemption.DryRun) error {
			return errors.Join(r.Add(cpu(math.MaxInt64), view.node), r.Add(cpu(2), view.node))
		}, true},
		{"remove what was added", func(r preemption.DryRun) error {
			p := cpu(math.MaxInt64)
			return errors.Join(r.Add(p, view.node), r.Remove(p, view.node), r.Add(p, view.node), r.Remove(p, view.node))
		}, false},
		{"remove what was not", func(r preemption.DryRun) error { return r.Remove(cpu(1), view.node) }, true},
		{"elsewhere it does not matter", func(r preemption.DryRun) error { return errors.Join(r.Add(cpu(-1), remote), r.Remove(cpu(-1), remote)) }, false},
	}
	for _, test := range tests {
		if err := test.do(begin()); (err != nil) != test.fail {
			t.Errorf("%s: error %v, want one: %v", test.name, err, test.fail)
		}
	}
	view.pods = append(view.pods, cpu(-1))
	if prepared, err = preemption.NodeResources().Prepare(cpu(1), view); err != nil {
		t.Fatal(err)
	}
	var step *preemption.StepError
	if _, err := prepared.Begin(view.node); !errors.As(err, &step) || step.Node != "node-a" || step.Pod != "shop/bad" {
		t.Errorf("Begin: error %v, want a StepError of node-a and shop/bad", err)
	}
}

// A function is shown what is left on its node, and told of nothing elsewhere;
// who removes a pod that is not there is told so.
func TestFilterFuncSeesItsNode(t *testing.T) {
	view := busyNode()
	var seen []string
	f := preemption.FilterFunc(func(_ *preemption.Pod, n *preemption.Node, pods []*preemption.Pod) preemption.Status {
		seen = append([]string{n.Name}, podNames(pods)...)
		return preemption.Status{}
	})
	prepared, err := f.Prepare(&preemption.Pod{Name: "p"}, view)
	if err != nil {
		t.Fatal(err)
	}
	run, err := prepared.Begin(view.node)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, stranger := &preemption.Node{Name: "elsewhere"}, &preemption.Pod{Namespace: "shop", Name: "stranger"}
	if err := errors.Join(run.Remove(view.pods[1], view.node), run.Add(stranger, elsewhere), run.Remove(stranger, elsewhere), run.Add(stranger, view.node)); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Fits(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"node-a", "shop/batch", "shop/report", "shop/stranger"}; !slices.Equal(seen, want) {
		t.Errorf("the function saw %v, want %v", seen, want)
	}
	if err := run.Remove(view.pods[1], view.node); err == nil {
		t.Error("removing a pod twice is no error")
	}
	if got := podNames(view.pods); !slices.Equal(got, []string{"shop/batch", "shop/cache", "shop/report"}) {
		t.Errorf("the view's own pods are now %v", got)
	}
}

func refuseAll(*preemption.Pod, *preemption.Node, []*preemption.Pod) preemption.Status {
	return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"no"}}
}

// A refusal is passed on unchanged, with the name of the filter where the filter
// itself gives none.
func TestAllNamesTheFilter(t *testing.T) {
	cluster, preemptor := twoEach(t)
	named := preemption.FilterFunc(func(*preemption.Pod, *preemption.Node, []*preemption.Pod) preemption.Status {
		return preemption.Status{Code: preemption.Unresolvable, Filter: "own name", Reasons: []string{"a", "b"}}
	})
	for want, f := range map[string]preemption.Filter{
		"FilterFunc Unschedulable: no":                preemption.FilterFunc(refuseAll),
		"own name UnschedulableAndUnresolvable: a, b": named,
		"OnePod Unschedulable: node(s) had a pod":     onePod{},
	} {
		prepared, err := preemption.All(content{monotone: true}, preemption.All(f)).Prepare(preemptor, cluster)
		if err != nil {
			t.Fatal(err)
		}
		run, err := prepared.Begin(cluster.Nodes()[0])
		if err != nil {
			t.Fatal(err)
		}
		status, err := run.Fits()
		if got := status.Filter + " " + status.String(); got != want || err != nil {
			t.Errorf("Fits = %q, %v; want %q", got, err, want)
		}
	}
}

// All is monotone if all its members are.
func TestAllIsMonotoneIfAllAre(t *testing.T) {
	cluster, preemptor := twoEach(t)
	tests := []struct {
		name    string
		filters []preemption.Filter
		want    bool
	}{
		{"built-in", preemption.DefaultFilters(), true},
		{"nested", []preemption.Filter{preemption.All(preemption.DefaultFilters()...), content{monotone: true}}, true},
		{"with one that does not say", []preemption.Filter{preemption.NodeResources(), preemption.FilterFunc(refuseAll)}, false},
		{"with one that says no", []preemption.Filter{preemption.NodeResources(), content{monotone: false}}, false},
		{"nested no", []preemption.Filter{preemption.All(content{monotone: false}), preemption.NodeResources()}, false},
	}
	for _, test := range tests {
		prepared, err := preemption.All(test.filters...).Prepare(preemptor, cluster)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := prepared.(interface{ Monotone() bool })
		if got := ok && m.Monotone(); got != test.want {
			t.Errorf("%s: monotone: %v, want %v", test.name, got, test.want)
		}
	}
}

// content fits everywhere and says of itself whether it is monotone.
type content struct{ monotone bool }

func (content) Name() string                                        { return "Content" }
func (f content) Begin(*preemption.Node) (preemption.DryRun, error) { return f, nil }
func (f content) Monotone() bool                                    { return f.monotone }
func (content) Add(*preemption.Pod, *preemption.Node) error         { return nil }
func (content) Remove(*preemption.Pod, *preemption.Node) error      { return nil }
func (content) Fits() (preemption.Status, error)                    { return preemption.Status{}, nil }

func (f content) Prepare(*preemption.Pod, preemption.View) (preemption.Prepared, error) {
	return f, nil
}

// A filter that is not concerned with the preemptor takes no part.
func TestUnconcernedFilters(t *testing.T) {
	cluster, preemptor := twoEach(t)
	prepared, err := preemption.All(unconcerned{}, unconcerned{}).Prepare(preemptor, cluster)
	if prepared != nil || err != nil {
		t.Errorf("Prepare = %v, %v; want nil, nil: no member is concerned", prepared, err)
	}
	e := preemption.Evaluator{Filters: []preemption.Filter{unconcerned{}}}
	for name, ask := range bothWays(&e) {
		r, err := ask(t.Context(), cluster, preemptor)
		if err != nil || r.Outcome != preemption.OutcomeFits || r.Node.Name != "n0" {
			t.Errorf("%s: %+v, %v; want it to fit on n0", name, r, err)
		}
	}
}

type unconcerned struct{}

func (unconcerned) Name() string { return "Unconcerned" }

func (unconcerned) Prepare(*preemption.Pod, preemption.View) (preemption.Prepared, error) {
	return nil, nil
}

// A caller's filter that lets everything pass is not asked again; those behind it are
// still taken for what they are, before and behind the built-in ones.
func TestFiltersThatPassKeepTheirPlaces(t *testing.T) {
	node := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.CPU: 2, preemption.PodCount: 10}}
	c := newCluster(t, preemption.ClusterState{Nodes: []*preemption.Node{node}, Pods: []*preemption.Pod{
		{Name: "low", UID: "low", NodeName: "n", Requests: preemption.Resources{preemption.CPU: 2}},
	}})
	preemptor := &preemption.Pod{Name: "high", UID: "high", Priority: 1, Requests: preemption.Resources{preemption.CPU: 1}}
	answers := func(name string, code preemption.Code) preemption.Filter {
		return disguised{preemption.NodeFilter(name, func(*preemption.Pod, *preemption.Node) preemption.Status { return preemption.Status{Code: code} })}
	}
	alone := func(code preemption.Code) preemption.Filter {
		return preemption.PodsFilter("Alone", false, func(_ *preemption.Pod, _ *preemption.Node, pods []*preemption.Pod) preemption.Status {
			if len(pods) > 0 {
				return preemption.Status{Code: code}
			}
			return preemption.Status{}
		})
	}
	for _, filters := range [][]preemption.Filter{
		{answers("a", preemption.Fits), preemption.NodeResources(), alone(preemption.Unresolvable)},
		{answers("a", preemption.Fits), alone(preemption.Unresolvable), preemption.NodeResources()},
		{answers("a", preemption.Fits), alone(preemption.Unschedulable), answers("b", preemption.Fits), preemption.NodeResources()},
		{preemption.NodeResources(), answers("a", preemption.Fits), answers("b", preemption.Unresolvable)},
	} {
		e := &preemption.Evaluator{Filters: filters}
		got, err := e.Preempt(t.Context(), c, preemptor)
		if err != nil {
			t.Fatal(err)
		}
		want, err := e.Examine(t.Context(), c, preemptor)
		if err != nil {
			t.Fatal(err)
		}
		if got.Outcome != want.Outcome || len(got.Delete) != len(want.Delete) {
			t.Errorf("%d filters: Preempt %v %v, Examine %v %v", len(filters), got.Outcome, got.Delete, want.Outcome, want.Delete)
		}
	}
}

// disguised hides that a filter looks at the node alone.
type disguised struct{ preemption.Filter }

func (d disguised) Prepare(p *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	prepared, err := d.Filter.Prepare(p, view)
	return struct{ preemption.Prepared }{prepared}, err
}

// onNode is a filter of a caller's own whose answer depends on the node alone.
type onNode struct {
	refused string
	asked   *[]string
	begun   *int
}

func (onNode) Name() string { return "OnNode" }

func (f onNode) Prepare(*preemption.Pod, preemption.View) (preemption.Prepared, error) { return f, nil }

func (f onNode) Begin(*preemption.Node) (preemption.DryRun, error) {
	*f.begun++
	return nil, errors.New("no dry run is wanted")
}

func (f onNode) NodeStatus(n *preemption.Node) (preemption.Status, error) {
	*f.asked = append(*f.asked, n.Name)
	if n.Name == f.refused {
		return preemption.Status{Code: preemption.Unresolvable}, nil
	}
	return preemption.Status{}, nil
}

// A filter that declares that it looks at the node alone is asked about nodes, and begins
// no dry run.
func TestFilterOfTheNodeAlone(t *testing.T) {
	var asked []string
	begun := 0
	full, has := preemption.Resources{preemption.CPU: 4}, preemption.Resources{preemption.CPU: 4, preemption.PodCount: 9}
	c := newCluster(t, preemption.ClusterState{
		Nodes: []*preemption.Node{{Name: "a", Allocatable: has}, {Name: "b", Allocatable: has}},
		Pods: []*preemption.Pod{
			{Namespace: "d", Name: "on-a", UID: "u1", NodeName: "a", Requests: full},
			{Namespace: "d", Name: "on-b", UID: "u2", NodeName: "b", Requests: full, Priority: 1},
		},
	})
	e := preemption.Evaluator{Filters: append(preemption.DefaultFilters(), onNode{"a", &asked, &begun})}
	r, err := e.Preempt(t.Context(), c, &preemption.Pod{Namespace: "d", Name: "p", UID: "u3", Priority: 10, Requests: full})
	if err != nil || r.Outcome != preemption.OutcomePreempt || r.Node.Name != "b" {
		t.Fatalf("%v, %v; want a preemption on b", r, err)
	}
	if begun > 0 || !slices.Contains(asked, "a") || !slices.Contains(asked, "b") {
		t.Errorf("%d dry runs, asked about %v; want none, and both asked about", begun, asked)
	}
}
