package preemption

import (
	"testing"
	"time"
)

// Victims that nothing tells apart, not even UIDs, are listed in the order of the
// node, also where a filter has one of them evicted beyond what arithmetic found
// and only one of them violates a budget.
func TestVerifyListsEqualVictimsInTheOrderOfTheNode(t *testing.T) {
	pod := func(name, app string, cpu int64) *Pod {
		return &Pod{Namespace: "ns", Name: name, Labels: map[string]string{"app": app}, NodeName: "n",
			Requests: Resources{CPU: cpu}, Start: time.Unix(1, 0)}
	}
	c, err := NewCluster(ClusterState{
		Nodes: []*Node{{Name: "n", Allocatable: Resources{CPU: 3000, PodCount: 110}}},
		Pods:  []*Pod{pod("plain", "other", 2000), pod("covered", "mine", 1000)},
		DisruptionBudgets: []*PodDisruptionBudget{
			{Namespace: "ns", Name: "b", Selector: &Selector{MatchLabels: map[string]string{"app": "mine"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &Pod{Namespace: "ns", Name: "preemptor", Priority: 1, Labels: map[string]string{"app": "mine"}, Requests: Resources{CPU: 2000}}
	e := &Evaluator{Filters: append(DefaultFilters(), antiAffinity{})}
	if fast, _ := compareTwins(t, e, c, p); !fast {
		t.Error("not decided by the engine")
	}
}
