package preemption

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// bare makes a cluster of nodes and pods, with a spent budget over the pods with
// the label app=spent.
func bare(t *testing.T, nodes map[string]int64, pods ...*Pod) *Cluster {
	t.Helper()
	state := ClusterState{Pods: pods, DisruptionBudgets: []*PodDisruptionBudget{
		{Namespace: "ns", Name: "spent", Selector: &Selector{MatchLabels: map[string]string{"app": "spent"}}},
	}}
	for i := range len(nodes) {
		n := fmt.Sprint("n", i)
		state.Nodes = append(state.Nodes, &Node{Name: n, Allocatable: Resources{CPU: nodes[n], PodCount: 110}})
	}
	c, err := NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func spentPod(node, name string, cpu int64) *Pod {
	return &Pod{Namespace: "ns", Name: name, UID: name, NodeName: node, Labels: map[string]string{"app": "spent"}, Requests: Resources{CPU: cpu}}
}

func mustPreempt(t *testing.T, c *Cluster, p *Pod, node string, violations int) {
	t.Helper()
	if fast, _ := compareTwins(t, &Evaluator{}, c, p); !fast {
		t.Error("not decided by the engine")
	}
	r, err := (&Evaluator{}).Preempt(context.Background(), c, p)
	if err != nil || r.Outcome != OutcomePreempt || r.Node.Name != node || r.Violations != violations {
		t.Errorf("Preempt = %+v, %v; want %s cleared with %d violations", r, err, node, violations)
	}
}

// What one node of a block has, and another could give up, may be more together
// than an int64 holds.
func TestEngineSumsAcrossNodes(t *testing.T) {
	const half = 1 << 62
	c := bare(t, map[string]int64{"n0": half, "n1": math.MaxInt64}, spentPod("n1", "a", half+1))
	mustPreempt(t, c, &Pod{Namespace: "ns", Name: "preemptor", Priority: 1, Requests: Resources{CPU: half + 5}}, "n1", 1)
}

// Twice the largest request may be more than an int64 holds.
func TestEngineMultiplesOfRequests(t *testing.T) {
	const half, third = 1 << 62, math.MaxInt64 / 3
	c := bare(t, map[string]int64{"n0": math.MaxInt64, "n1": math.MaxInt64},
		spentPod("n0", "a", third), spentPod("n0", "b", third), spentPod("n0", "c", third),
		spentPod("n1", "d", half), spentPod("n1", "e", half-1))
	mustPreempt(t, c, &Pod{Namespace: "ns", Name: "preemptor", Priority: 1, Requests: Resources{CPU: math.MaxInt64}}, "n1", 2)
}

// A group with a pod of a lesser priority of its own is taken for that one if it
// is listed first, whatever the others are.
func TestEngineGroupOfMixedPriorities(t *testing.T) {
	state := ClusterState{PodGroups: []*PodGroup{{Namespace: "ns", Name: "g", DisruptionMode: DisruptAll}}}
	for _, n := range []string{"n0", "n1"} {
		state.Nodes = append(state.Nodes, &Node{Name: n, Allocatable: Resources{CPU: 2000, PodCount: 110}})
	}
	pod := func(name, node, group string, priority int32, cpu int64) {
		state.Pods = append(state.Pods, &Pod{Namespace: "ns", Name: name, UID: name, NodeName: node, Group: group, Priority: priority, Requests: Resources{CPU: cpu}})
	}
	pod("plain", "n0", "", 5, 2000)
	pod("a", "n1", "g", 0, 1000)
	pod("b", "n1", "g", 10, 1000)
	c, err := NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	mustPreempt(t, c, &Pod{Namespace: "ns", Name: "preemptor", Priority: 20, Requests: Resources{CPU: 2000}}, "n1", 0)
}

// A budget that is used up makes a group violate on all of its nodes, also where
// the budget covers none of its pods.
func TestEngineBudgetOfAGroupElsewhere(t *testing.T) {
	state := ClusterState{
		PodGroups: []*PodGroup{{Namespace: "ns", Name: "g", DisruptionMode: DisruptAll}},
		DisruptionBudgets: []*PodDisruptionBudget{
			{Namespace: "ns", Name: "b", Allowed: 1, Selector: &Selector{MatchLabels: map[string]string{"app": "spent"}}},
		},
	}
	for _, n := range []string{"n0", "n1", "n2"} {
		state.Nodes = append(state.Nodes, &Node{Name: n, Unschedulable: n == "n0", Allocatable: Resources{CPU: 1000, PodCount: 110}})
	}
	covered, remote := spentPod("n0", "a", 1000), spentPod("n1", "b", 1000)
	covered.Group, remote.Group, remote.Labels = "g", "g", nil
	plain := spentPod("n2", "c", 1000)
	plain.Labels, plain.Priority = nil, 5
	state.Pods = []*Pod{covered, remote, plain}
	c, err := NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	p := &Pod{Namespace: "ns", Name: "preemptor", Priority: 20, Requests: Resources{CPU: 1000}}
	mustPreempt(t, c, p, "n1", 0)
	used := *state.DisruptionBudgets[0]
	used.Allowed = 0
	if err := c.SetBudget(&used); err != nil {
		t.Fatal(err)
	}
	mustPreempt(t, c, p, "n2", 0)
	if err := c.RemovePod("ns", "c"); err != nil {
		t.Fatal(err)
	}
	high := *plain
	high.Priority = 100
	if err := c.AddPod(&high); err != nil {
		t.Fatal(err)
	}
	mustPreempt(t, c, p, "n1", 1)
}

// A resource for which the engine has no column keeps it from deciding only as
// long as some pod requests it.
func TestEngineResourcesComeAndGo(t *testing.T) {
	pods := []*Pod{spentPod("n0", "many", 2000)}
	for i := range maxDimensions {
		p := spentPod("n0", fmt.Sprint("p", i), 0)
		p.Requests = Resources{fmt.Sprint("x", i): 1}
		pods = append(pods, p)
	}
	c := bare(t, map[string]int64{"n0": 2000}, pods...)
	rare := &Pod{Namespace: "ns", Name: "rare", UID: "rare", NominatedNode: "n0", Priority: -1, Requests: Resources{"rare": 1}}
	p := &Pod{Namespace: "ns", Name: "preemptor", Priority: 1, Requests: Resources{CPU: 2000, "rare": 1}}
	for _, step := range []struct {
		name   string
		do     func() error
		engine bool
	}{
		{"without", func() error { return nil }, true},
		{"nominated", func() error { return c.AddPod(rare) }, false},
		{"removed", func() error { return c.RemovePod("ns", "rare") }, true},
		{"nominated to an unknown node", func() error { return c.Nominate(rare, "nowhere") }, false},
		{"nominated to none", func() error { return c.Nominate(rare, "") }, true},
		{"bound", func() error { b := *rare; b.NodeName = "n0"; return c.UpdatePod(&b) }, false},
		{"gone", func() error { return c.RemovePod("ns", "rare") }, true},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if fast, _ := compareTwins(t, &Evaluator{}, c, p); fast != step.engine {
			t.Errorf("%s: decided by the engine: %t, want %t", step.name, fast, step.engine)
		}
	}
}

// In 1.37 a pod has the priority of its group: a port it holds is no obstacle to
// a preemptor above the group, however high the pod's own priority.
func TestEnginePortOfAGroupMember(t *testing.T) {
	port := []HostPort{{Port: 80}}
	c, err := NewCluster(ClusterState{
		Release:   Release137,
		Nodes:     []*Node{{Name: "n0", Allocatable: Resources{PodCount: 110}}},
		PodGroups: []*PodGroup{{Namespace: "ns", Name: "g"}},
		Pods:      []*Pod{{Namespace: "ns", Name: "a", UID: "a", NodeName: "n0", Group: "g", Priority: 100, HostPorts: port}},
	})
	if err != nil {
		t.Fatal(err)
	}
	mustPreempt(t, c, &Pod{Namespace: "ns", Name: "preemptor", Priority: 50, HostPorts: port}, "n0", 0)
}

// A candidate without victims is the most harmless one by every criterion.
func TestCandidateWithoutVictimsIsHarmless(t *testing.T) {
	victim := NewPodVictim(&Pod{Name: "p", Priority: math.MinInt32}, &Node{})
	some, none := &Candidate{Victims: []*Victim{victim}}, &Candidate{}
	for _, o := range []Order{LowestHighestPriority, FewestPods} {
		if best, by := PickOneNode([]*Candidate{some, none}, o); best != none || by != 0 {
			t.Errorf("%s: the one with victims is chosen", o.Name)
		}
	}
}
