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
