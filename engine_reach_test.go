package preemption

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// A filter can make the best node found so far a worse one than its level says.
// A node of a later block that takes more victims, but lesser ones, still wins.
func TestEngineManyLesserVictimsWin(t *testing.T) {
	var state ClusterState
	pod := func(node, name string, priority int32, app string, cpu int64) {
		state.Pods = append(state.Pods, &Pod{Namespace: "ns", Name: node + name, UID: node + name, NodeName: node, Priority: priority,
			Labels: map[string]string{"app": app}, Requests: Resources{CPU: cpu}, Start: time.Unix(1, 0)})
	}
	for i := range 100 {
		n := fmt.Sprint("n", i)
		state.Nodes = append(state.Nodes, &Node{Name: n, Allocatable: Resources{CPU: 4000, PodCount: 110}})
		switch i {
		case 3: // arithmetic evicts the first, the filter the second
			pod(n, "a", 0, "other", 2000)
			pod(n, "b", 5, "mine", 2000)
		case 90: // both of these have to go
			pod(n, "a", 0, "other", 1000)
			pod(n, "b", 0, "other", 1000)
			pod(n, "c", 100, "other", 2000)
		default:
			pod(n, "a", 100, "other", 4000)
		}
	}
	c, err := NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	p := &Pod{Namespace: "ns", Name: "preemptor", Priority: 50, Labels: map[string]string{"app": "mine"}, Requests: Resources{CPU: 2000}}
	e := &Evaluator{Filters: append(DefaultFilters(), antiAffinity{})}
	if fast, _ := compareTwins(t, e, c, p); !fast {
		t.Error("not decided by the engine")
	}
	r, err := e.Preempt(context.Background(), c, p)
	if err != nil || r.Node.Name != "n90" || len(r.Delete) != 2 {
		t.Errorf("Preempt = %+v, %v; want n90 cleared of two pods", r, err)
	}
}

// The bounds promise of one node fewer violations than it takes. Another one that
// takes as many as it really does still wins by its lesser victims.
func TestEngineEqualViolationsAreLookedAt(t *testing.T) {
	state := ClusterState{DisruptionBudgets: []*PodDisruptionBudget{{Namespace: "ns", Name: "spent",
		Selector: &Selector{MatchLabels: map[string]string{"app": "spent"}}}}}
	for _, n := range []string{"promising", "better"} {
		state.Nodes = append(state.Nodes, &Node{Name: n, Allocatable: Resources{CPU: 3000, PodCount: 110}})
	}
	pod := func(node, name, app string, priority int32, cpu int64) {
		state.Pods = append(state.Pods, &Pod{Namespace: "ns", Name: node + name, UID: node + name, NodeName: node,
			Labels: map[string]string{"app": app}, Priority: priority, Requests: Resources{CPU: cpu}})
	}
	pod("promising", "a", "spent", 9, 1500) // would do, but is put back first
	pod("promising", "b", "spent", 5, 1000)
	pod("promising", "c", "spent", 5, 500)
	pod("better", "a", "spent", 0, 750)
	pod("better", "b", "spent", 0, 750)
	pod("better", "c", "other", 100, 1500)
	c, err := NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	p := &Pod{Namespace: "ns", Name: "preemptor", Priority: 10, Requests: Resources{CPU: 1500}}
	compareTwins(t, &Evaluator{}, c, p)
	r, err := (&Evaluator{}).Preempt(context.Background(), c, p)
	if err != nil || r.Node.Name != "better" || r.Violations != 2 {
		t.Errorf("Preempt = %+v, %v; want the better node, with two violations", r, err)
	}
}

// With more priorities than levels a level can hold pods of a priority below the
// preemptor's and pods of one above. The latter stay.
func TestEngineLevelAcrossThePreemptor(t *testing.T) {
	state := ClusterState{Nodes: []*Node{{Name: "open", Allocatable: Resources{CPU: 2500, PodCount: 110}}}}
	pod := func(node string, priority int32, cpu int64) {
		name := fmt.Sprint(node, "-", priority)
		state.Pods = append(state.Pods, &Pod{Namespace: "ns", Name: name, UID: name, NodeName: node, Priority: priority, Requests: Resources{CPU: cpu}})
	}
	pod("open", 3, 500)
	pod("open", 5, 2000)
	for i := range int32(66) {
		if i != 3 && i != 5 {
			n := fmt.Sprint("cordoned-", i)
			state.Nodes = append(state.Nodes, &Node{Name: n, Unschedulable: true, Allocatable: Resources{CPU: 1000, PodCount: 110}})
			pod(n, i, 1000)
		}
	}
	c, err := NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	for priority := int32(0); priority < 8; priority++ {
		for _, cpu := range []int64{500, 1000, 2500} {
			p := &Pod{Namespace: "ns", Name: "preemptor", Priority: priority, Requests: Resources{CPU: cpu}}
			if fast, _ := compareTwins(t, &Evaluator{}, c, p); !fast {
				t.Errorf("priority %d, cpu %d: not decided by the engine", priority, cpu)
			}
		}
	}
}
