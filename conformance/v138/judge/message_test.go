package judge

import (
	"fmt"
	"testing"
	"time"

	"example.com/preemption/internal/golden"
)

// TestMessage holds the messages against the texts that a running scheduler
// was seen to put into its events.
func TestMessage(t *testing.T) {
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	node := func(i int) golden.Node {
		return golden.Node{Name: fmt.Sprintf("n%02d", i), Allocatable: golden.Resources{"cpu": 4000, "memory": 8 << 30, "pods": 110}}
	}
	pod := func(i, priority int, cpu int64) golden.Pod {
		name := fmt.Sprintf("p%02d", i)
		return golden.Pod{
			Namespace: "default", Name: name, UID: name, Node: fmt.Sprintf("n%02d", i), Priority: int32(priority),
			Requests: golden.Resources{"cpu": cpu}, Start: start.Add(time.Duration(i) * time.Second),
		}
	}
	preemptor := golden.Pod{Namespace: "default", Name: "hi", UID: "hi", Priority: 100, Requests: golden.Resources{"cpu": 2000, "memory": 1 << 30}}

	// Fifteen nodes: two with a taint, thirteen short of CPU because of a pod
	// that is too important, one of them short of memory too, whose pod may go.
	var many golden.Case
	for i := 1; i <= 15; i++ {
		n, p := node(i), pod(i, 1000, 3000)
		switch {
		case i <= 2:
			n.Taint = "dedicated"
		case i == 3:
			n.Allocatable["memory"] = 1 << 30
			p.Priority = 0
			important := pod(i, 1000, 500)
			important.Name, important.UID = "q03", "q03"
			important.Requests["memory"] = 1
			many.Pods = append(many.Pods, important)
		}
		many.Nodes, many.Pods = append(many.Nodes, n), append(many.Pods, p)
	}
	many.Preemptor = preemptor

	few := golden.Case{Nodes: []golden.Node{node(1)}, Pods: []golden.Pod{pod(1, 0, 3000)}, Preemptor: preemptor}
	never := few
	never.Preemptor.PreemptionPolicy = "Never"
	waiting := few
	waiting.Pods = []golden.Pod{pod(1, 0, 3000)}
	waiting.Pods[0].Terminating = golden.ByPreemption
	waiting.Preemptor.NominatedNode = "n01"
	unresolvable := few
	unresolvable.Preemptor.Requests = golden.Resources{"cpu": 8000}
	fits := few
	fits.Pods = nil

	tests := []struct {
		name string
		c    golden.Case
		want string
	}{
		{"unhelpful", many, "0/15 nodes are available: 1 Insufficient memory, 13 Insufficient cpu, 2 node(s) had untolerated taint(s)." +
			" preemption: 0/15 nodes are available: 1 Insufficient memory, 12 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."},
		{"preempt", few, "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node n01, preempting 1 victims"},
		{"never", never, "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never."},
		{"waiting", waiting, "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to a terminating pod on the nominated node."},
		{"unresolvable", unresolvable, "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."},
		{"fits", fits, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Judge(test.c)
			if err != nil {
				t.Fatal(err)
			}
			if got.Message != test.want {
				t.Errorf("message = %q, want %q", got.Message, test.want)
			}
		})
	}
}
