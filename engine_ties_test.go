package preemption

import (
	"fmt"
	"testing"
	"time"
)

// Two atomic groups that are equal in everything, UIDs included, are told apart
// by which comes first on the node in question, and that may differ from node to
// node.
func TestEngineTiesBetweenGroups(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		t.Run(fmt.Sprint("reversed=", reversed), func(t *testing.T) {
			pod := func(group, node string) *Pod {
				return &Pod{Namespace: "ns", Name: group + "-" + node, Group: group, NodeName: node,
					Requests: Resources{CPU: 1000}, Start: time.Unix(1, 0)}
			}
			small, large := pod("g1", "a"), pod("g2", "a")
			order := []*Pod{small, large, pod("g2", "b"), pod("g1", "b")}
			if reversed {
				order[0], order[1] = order[1], order[0]
			}
			c, err := NewCluster(ClusterState{
				Nodes: []*Node{
					{Name: "a", Allocatable: Resources{CPU: 2000, PodCount: 110}, Unschedulable: true},
					{Name: "b", Allocatable: Resources{CPU: 2000, PodCount: 110}},
				},
				Pods: order,
				PodGroups: []*PodGroup{
					{Namespace: "ns", Name: "g1", DisruptionMode: DisruptAll},
					{Namespace: "ns", Name: "g2", DisruptionMode: DisruptAll},
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			p := &Pod{Namespace: "ns", Name: "preemptor", Priority: 1, Requests: Resources{CPU: 1000}}
			if fast, _ := compareTwins(t, &Evaluator{}, c, p); !fast {
				t.Error("not decided by the engine")
			}
		})
	}
}
