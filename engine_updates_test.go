package preemption

import (
	"context"
	"testing"
	"time"
)

// twins has one node with the pods a and b, which only their UIDs tell apart, and
// a preemptor for which one of them has to go: b.
func twins(t *testing.T, change func(p *Pod)) (*Cluster, *Pod) {
	t.Helper()
	state := ClusterState{Nodes: []*Node{{Name: "n", Allocatable: Resources{CPU: 2000, PodCount: 110}}}}
	for _, name := range []string{"a", "b"} {
		p := &Pod{Namespace: "ns", Name: name, UID: name, NodeName: "n", Requests: Resources{CPU: 1000}, Start: time.Unix(1, 0)}
		change(p)
		state.Pods = append(state.Pods, p)
	}
	c, err := NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	return c, &Pod{Namespace: "ns", Name: "preemptor", Priority: 1, Requests: Resources{CPU: 1000}}
}

// An update that changes one thing alone is seen, be it ever so small. Each makes
// a take the place of b as the victim.
func TestEngineFollowsTheSmallestUpdate(t *testing.T) {
	port := []HostPort{{Port: 80}}
	tests := []struct {
		name            string
		before, updated func(p *Pod) // of both, of a
	}{
		{"UID", nil, func(p *Pod) { p.UID = "c" }},
		{"start", nil, func(p *Pod) { p.Start = time.Unix(2, 0) }},
		{"priority", nil, func(p *Pod) { p.Priority = -1 }},
		{"labels", func(p *Pod) { p.Labels = map[string]string{"app": "x"} }, func(p *Pod) { p.Labels = nil }},
		{"ports", func(p *Pod) { p.Requests = nil }, func(p *Pod) { p.HostPorts = port }},
		{"requests", func(p *Pod) {
			if p.Name == "b" {
				p.Requests = nil
			}
		}, func(p *Pod) { p.Requests = Resources{CPU: 1500} }},
	}
	for _, test := range tests {
		before := test.before
		if before == nil {
			before = func(*Pod) {}
		}
		c, preemptor := twins(t, before)
		if test.name == "ports" {
			preemptor.HostPorts = port
		}
		if test.name == "labels" {
			if err := c.SetBudget(&PodDisruptionBudget{Namespace: "ns", Name: "x", Selector: &Selector{MatchLabels: map[string]string{"app": "x"}}}); err != nil {
				t.Fatal(err)
			}
		}
		a := *c.Pod("ns", "a")
		test.updated(&a)
		if err := c.UpdatePod(&a); err != nil {
			t.Fatal(err)
		}
		if fast, _ := compareTwins(t, &Evaluator{}, c, preemptor); !fast {
			t.Errorf("%s: not decided by the engine", test.name)
		}
		r, err := (&Evaluator{}).Preempt(context.Background(), c, preemptor)
		if err != nil || len(r.Delete) != 1 || r.Delete[0] != &a || r.Violations != 0 {
			t.Errorf("%s: Preempt = %+v, %v; want a, as updated, to go", test.name, r, err)
		}
	}
}

// A member of a group whose status alone changes is the one that results show.
func TestEngineShowsTheMemberAsUpdated(t *testing.T) {
	c, preemptor := twins(t, func(p *Pod) { p.Group = "g" })
	if err := c.SetPodGroup(&PodGroup{Namespace: "ns", Name: "g", DisruptionMode: DisruptAll}); err != nil {
		t.Fatal(err)
	}
	a := *c.Pod("ns", "a")
	a.Termination = TerminatingOther
	if err := c.UpdatePod(&a); err != nil {
		t.Fatal(err)
	}
	compareTwins(t, &Evaluator{}, c, preemptor)
	r, err := (&Evaluator{}).Preempt(context.Background(), c, preemptor)
	if err != nil || len(r.Delete) != 1 || len(r.Terminating) != 1 || r.Terminating[0] != &a {
		t.Errorf("Preempt = %+v, %v; want b to be deleted, and a, as updated, to be terminating", r, err)
	}
}
