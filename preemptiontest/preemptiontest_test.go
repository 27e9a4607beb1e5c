package preemptiontest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/preemption"
	"example.com/preemption/preemptiontest"
)

// testCluster has a full node, a node with a remote friend, and an empty one,
// such that each built-in filter refuses somewhere.
func testCluster(t *testing.T) *preemption.Cluster {
	t.Helper()
	state := preemption.ClusterState{
		Nodes: []*preemption.Node{
			{Name: "n1", Allocatable: preemption.Resources{preemption.CPU: 4000, preemption.PodCount: 3}},
			{Name: "n2", Allocatable: preemption.Resources{preemption.CPU: 2000, preemption.PodCount: 10}, Labels: map[string]string{"zone": "a"}},
			{Name: "n3", Unschedulable: true, Taints: []preemption.Taint{{Key: "gpu", Effect: preemption.NoSchedule}}},
		},
	}
	for _, p := range []struct {
		name, node string
		cpu        int64
		port       int32
	}{{"a", "n1", 1000, 0}, {"b", "n1", 2000, 80}, {"c", "n1", 500, 80}, {"d", "n2", 1500, 443}, {"e", "n2", 500, 0}} {
		state.Pods = append(state.Pods, &preemption.Pod{
			Namespace: "default", Name: p.name, UID: p.name, NodeName: p.node,
			Requests:  preemption.Resources{preemption.CPU: p.cpu},
			HostPorts: []preemption.HostPort{{Port: p.port}},
		})
	}
	c, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func testPreemptors() []*preemption.Pod {
	return []*preemption.Pod{
		{Namespace: "default", Name: "web", UID: "web", Priority: 10, Requests: preemption.Resources{preemption.CPU: 1500}, HostPorts: []preemption.HostPort{{Port: 80}}},
		{Namespace: "default", Name: "db", Priority: 20, Requests: preemption.Resources{preemption.CPU: 3000}, NodeSelector: map[string]string{"zone": "a"}},
	}
}

// maxPods refuses a node with more than two pods, by looking at all of them.
func maxPods(_ *preemption.Pod, _ *preemption.Node, pods []*preemption.Pod) preemption.Status {
	if len(pods) > 2 {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"too many"}}
	}
	return preemption.Status{}
}

func TestGoodFilters(t *testing.T) {
	filters := preemption.DefaultFilters()
	filters = append(filters,
		preemption.All(preemption.DefaultFilters()...),
		preemption.All(preemption.FilterFunc(maxPods), preemption.All(preemption.NodeResources())),
		preemption.All(),
		preemption.FilterFunc(maxPods),
		preemption.PodsFilter("MaxPods", true, maxPods),
		counting{},
	)
	// What objects carry is the caller's: it is not compared.
	c, preemptors := testCluster(t), testPreemptors()
	for _, n := range c.Nodes() {
		n.Object = func() {}
		for _, p := range c.PodsOn(n) {
			p.Object = func() {}
		}
	}
	for _, p := range preemptors {
		p.Object = func() {}
	}
	for _, f := range filters {
		if err := preemptiontest.TestFilter(f, c, preemptors...); err != nil {
			t.Errorf("TestFilter(%s) = %v, want nil", f.Name(), err)
		}
	}
}

// meeting notes which pending pods join the preemptors on nodes.
type meeting struct {
	counting
	met *sync.Map
}

func (f meeting) Prepare(preemptor *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	f.counting.add = func(_ *countingRun, p *preemption.Pod) error {
		if p.NodeName == "" {
			f.met.Store(preemptor.Name+" meets "+p.Name+" "+p.UID, nil)
		}
		return nil
	}
	return f.counting.Prepare(preemptor, view)
}

// Beside the pods of the cluster a double of the preemptor, which is a pod of its own,
// comes to the nodes, and one other that is pending.
func TestGuests(t *testing.T) {
	preemptors := []*preemption.Pod{
		{Name: "bound", UID: "bound", NodeName: "n2"}, {Name: "a", UID: "a"}, {Name: "b"}, {Name: "c", UID: "c"},
	}
	f := meeting{met: new(sync.Map)}
	if err := preemptiontest.TestFilter(f, testCluster(t), preemptors...); err != nil {
		t.Fatal(err)
	}
	var met []string
	f.met.Range(func(who, _ any) bool {
		met = append(met, who.(string))
		return true
	})
	slices.Sort(met)
	want := []string{"a meets a-double a-double", "a meets b ", "b meets a a", "b meets b-double ", "bound meets a a", "c meets a a", "c meets c-double c-double"}
	if !slices.Equal(met, want) {
		t.Errorf("met: %q, want %q", met, want)
	}
}

// A filter that is concerned at first and not with the pods of other moments is no more
// than a refusal to answer.
type fickle struct {
	counting
	err error
}

func (f fickle) Prepare(p *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	if len(view.PodsOn(view.Nodes()[0])) < 3 {
		return nil, f.err
	}
	return f.counting.Prepare(p, view)
}

// Each filter breaks one law; that law must be among those reported, with the
// preemptor and, where there is one, the node.
func TestBrokenFilters(t *testing.T) {
	tests := []struct {
		name   string
		filter preemption.Filter
		want   string
	}{
		{"Prepare fails", counting{prepareErr: errBroken}, "no step may fail: preemptor default/web: Prepare: broken"},
		{"Begin fails", counting{begin: func(*countingRun) error { return errBroken }}, "no step may fail: preemptor default/web, node n1: Begin: broken"},
		{"Add fails", counting{add: func(*countingRun, *preemption.Pod) error { return errBroken }}, "no step may fail: preemptor default/web, node n1: after remove default/a on n1: add default/a on n1: broken"},
		{"Remove fails", counting{remove: func(*countingRun, *preemption.Pod) error { return errBroken }}, "no step may fail: preemptor default/web, node n1: at first: remove default/a on n1: broken"},
		{"Fits fails", counting{fits: func(*countingRun) error { return errBroken }}, "no step may fail: preemptor default/web, node n1: at first: Fits: broken"},
		{"Fits alternates", counting{fits: func(r *countingRun) error { r.limit = 5 - r.limit; return nil }}, "Fits must give the same answer again: preemptor default/web, node n1: at first:"},
		{"Fits wears out", counting{fits: func(r *countingRun) error { // the tenth answer is another, and so are those that follow
			if r.asked++; r.asked == 10 {
				r.limit = -100
			}
			return nil
		}}, "Fits must have no effect on later answers: preemptor default/web, node n1: after"},
		{"Add forgets", counting{add: func(r *countingRun, p *preemption.Pod) error {
			if p.Name == "b" {
				r.pods--
			}
			return nil
		}}, "Add and Remove must undo each other in any order: preemptor default/web, node n1: after remove default/b on n1, add default/b on n1: "},
		{"order counts", counting{remove: func(r *countingRun, p *preemption.Pod) error {
			r.last = p.Name
			return nil
		}, add: func(r *countingRun, p *preemption.Pod) error {
			if r.last != p.Name { // right only where the pod removed last comes back first
				r.pods--
			}
			return nil
		}}, "Add and Remove must undo each other in any order: preemptor default/web, node n1: after"},
		{"remote pods count as local", counting{remoteToo: true}, "a dry run must answer as a fresh one with the same pods: preemptor default/web, node n1: after"},
		{"nothing counts", counting{remove: func(r *countingRun, _ *preemption.Pod) error { r.pods++; return nil },
			add: func(r *countingRun, _ *preemption.Pod) error { r.pods--; return nil }}, "a dry run must answer as a fresh one with the same pods: preemptor default/web, node n1: after"},
		{"not always concerned", fickle{}, "a dry run must answer as a fresh one with the same pods: preemptor default/web, node n1: Prepare after remove default/a on n1: the filter is not concerned any more"},
		{"Prepare fails later", fickle{err: errBroken}, "no step may fail: preemptor default/web, node n1: Prepare after remove default/a on n1: broken"},
		{"dry runs share their state", &sharing{}, "dry runs must not affect each other: preemptor default/web, node n1: after remove default/a on n1,"},
		{"one dry run at a time", &exclusive{}, "Begin must be safe for concurrent use: preemptor default/web, node n1:"},
		{"monotone it is not", counting{monotone: true, atLeast: true}, "a monotone filter must not come to fit because a pod is added: preemptor default/web, node n1: after"},
		{"preemptor modified", modifying{func(p *preemption.Pod, _ preemption.View) { p.Priority++ }}, "inputs must not be modified: preemptor default/web: preemptor default/web was modified"},
		{"node modified", modifying{func(_ *preemption.Pod, v preemption.View) { v.Nodes()[1].Labels["zone"] += "x" }}, "inputs must not be modified: preemptor default/web: node n2 was modified"},
		{"node resized", modifying{func(_ *preemption.Pod, v preemption.View) { v.Nodes()[1].Allocatable[preemption.CPU]++ }}, "inputs must not be modified: preemptor default/web: node n2 was modified"},
		{"taint modified", modifying{func(_ *preemption.Pod, v preemption.View) { v.Nodes()[2].Taints[0].Key += "x" }}, "inputs must not be modified: preemptor default/web: node n3 was modified"},
		{"pod modified", modifying{func(_ *preemption.Pod, v preemption.View) {
			v.PodsOn(v.Nodes()[0])[2].Requests[preemption.CPU]++
		}}, "inputs must not be modified: preemptor default/web: pod default/c was modified"},
		{"pods reordered", modifying{func(_ *preemption.Pod, v preemption.View) {
			pods := v.PodsOn(v.Nodes()[0])
			pods[0], pods[1] = pods[1], pods[0]
		}}, "inputs must not be modified: preemptor default/web: pod default/a was modified"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := preemptiontest.TestFilter(test.filter, testCluster(t), testPreemptors()...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("TestFilter = %v\nwant it to report %q", err, test.want)
			}
			// What failed has not been answered wrongly.
			const failure = "no step may fail"
			for line := range strings.Lines(fmt.Sprint(err)) {
				if strings.HasPrefix(test.want, failure) && !strings.Contains(line, failure) {
					t.Errorf("reported, too: %s", line)
				}
			}
		})
	}
}

// A breach is reported for every node where it shows, once.
func TestReportsEveryNode(t *testing.T) {
	f := counting{fits: func(*countingRun) error { return errBroken }}
	err := preemptiontest.TestFilter(f, testCluster(t), testPreemptors()...)
	if err == nil {
		t.Fatal("TestFilter = nil")
	}
	for _, where := range []string{"default/web, node n1", "default/web, node n2", "default/web, node n3", "default/db, node n1", "default/db, node n2", "default/db, node n3"} {
		if n := strings.Count(err.Error(), "preemptor "+where+":"); n != 1 {
			t.Errorf("%s is reported %d times, want once, in:\n%v", where, n, err)
		}
	}
}

func TestDeterministic(t *testing.T) {
	f := counting{remoteToo: true, monotone: true, atLeast: true}
	a := preemptiontest.TestFilter(f, testCluster(t), testPreemptors()...)
	b := preemptiontest.TestFilter(f, testCluster(t), testPreemptors()...)
	if a == nil || a.Error() != b.Error() {
		t.Errorf("two runs differ:\n%v\n\n%v", a, b)
	}
}

func TestNoPreemptor(t *testing.T) {
	if err := preemptiontest.TestFilter(counting{}, testCluster(t)); err == nil {
		t.Error("TestFilter without a preemptor = nil, want an error: nothing was tested")
	}
}

var errBroken = errors.New("broken")
