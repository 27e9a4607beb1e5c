//go:build !race

// The race detector allocates on its own.

package preemption_test

import (
	"testing"
	"time"

	"example.com/preemption"
)

// What is done thousands of times in a decision allocates nothing.
func TestAllocations(t *testing.T) {
	node := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.CPU: 4000, preemption.Memory: 8 << 30, preemption.PodCount: 110}}
	victim := func(name string) *preemption.Victim {
		return preemption.NewPodVictim(&preemption.Pod{
			Namespace: "ns", Name: name, UID: name, NodeName: "n", Priority: 1, Start: time.Unix(1, 0),
			Requests:  preemption.Resources{preemption.CPU: 1000, preemption.Memory: 1 << 30},
			HostPorts: []preemption.HostPort{{Port: 443}},
			Labels:    map[string]string{"app": "web", "tier": "front"},
		}, node)
	}
	a, b := victim("a"), victim("b")
	byHand := &preemption.Victim{Priority: 1, Pods: a.Pods, Nodes: a.Nodes}
	selector := &preemption.Selector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []preemption.Requirement{{Key: "tier", Operator: preemption.SelectorIn, Values: []string{"front", "back"}}, {Key: "old", Operator: preemption.SelectorDoesNotExist}},
	}
	p := a.Pods[0]
	fitting := dryRun(t, node, 3000, 80, a, b) // fits beside one of the two
	short := dryRun(t, node, 4000, 80, a)
	clashing := dryRun(t, node, 1000, 443, a)
	tests := []struct {
		name string
		do   func() bool
		want float64
	}{
		{"CompareImportance", func() bool { return preemption.CompareImportance(a, b) > 0 }, 0},
		{"CompareImportance by hand", func() bool { return preemption.CompareImportance(byHand, b) > 0 }, 0},
		{"MoreImportantVictim", func() bool { return preemption.MoreImportantVictim(a, b) }, 0},
		{"Selector.Matches", func() bool { return selector.Matches(p.Labels) }, 0},
		{"Selector.Validate", func() bool { return selector.Validate() == nil }, 0},
		{"Toleration.Tolerates", func() bool {
			return preemption.Toleration{Key: "k", Operator: preemption.TolerationExists}.Tolerates(preemption.Taint{Key: "k"})
		}, 0},
		{"Sampling.Count", func() bool { return preemption.DefaultSampling(nil).Count(5000) == 500 }, 0},
		{"a reprieve", func() bool { return step(t, fitting, p, node) }, 0},
		{"no reprieve for want of cpu", func() bool { return !step(t, short, p, node) }, 0},
		{"no reprieve for a port", func() bool { return !step(t, clashing, p, node) }, 0},
	}
	for _, test := range tests {
		if !test.do() {
			t.Errorf("%s: wrong answer", test.name)
		}
		if got := testing.AllocsPerRun(100, func() { test.do() }); got != test.want {
			t.Errorf("%s: %v allocations, want %v", test.name, got, test.want)
		}
	}
}

// dryRun begins a dry run of the built-in filters and removes the victims.
func dryRun(t *testing.T, node *preemption.Node, cpu int64, port int32, victims ...*preemption.Victim) preemption.DryRun {
	t.Helper()
	var state preemption.ClusterState
	state.Nodes = []*preemption.Node{node}
	for _, v := range victims {
		state.Pods = append(state.Pods, v.Pods...)
	}
	preemptor := &preemption.Pod{Name: "preemptor", Requests: preemption.Resources{preemption.CPU: cpu, preemption.Memory: 1 << 30}, HostPorts: []preemption.HostPort{{Port: port}}}
	prepared, err := preemption.All(preemption.DefaultFilters()...).Prepare(preemptor, newCluster(t, state))
	if err != nil {
		t.Fatal(err)
	}
	run, err := prepared.Begin(node)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range victims {
		if err := run.Remove(v.Pods[0], node); err != nil {
			t.Fatal(err)
		}
	}
	return run
}

// step puts a pod back, asks, and removes it again: what one reprieve costs.
func step(t *testing.T, run preemption.DryRun, p *preemption.Pod, node *preemption.Node) bool {
	if err := run.Add(p, node); err != nil {
		t.Fatal(err)
	}
	status, err := run.Fits()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Remove(p, node); err != nil {
		t.Fatal(err)
	}
	return status.Fits()
}

// Without a trace nothing is allocated for one; a trace without functions costs as
// little.
func TestNoTraceAllocatesNothing(t *testing.T) {
	asked := 0
	none, empty := testing.AllocsPerRun(100, tracedSelection(t, &asked, nil)), testing.AllocsPerRun(100, tracedSelection(t, &asked, &preemption.Trace{}))
	if none > empty {
		t.Errorf("%v allocations without a trace, %v with an empty one", none, empty)
	}
}
