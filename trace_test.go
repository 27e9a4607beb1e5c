package preemption_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/preemption"
)

// Examine tells of the nodes that were looked at, in node order, whatever the
// number of workers; of those without victims there is nothing to tell, and
// nothing is put back where the preemptor does not fit even then.
func TestTraceIsInNodeOrder(t *testing.T) {
	room := preemption.Resources{preemption.CPU: 4, preemption.PodCount: 10}
	pod := func(name, node string, priority int32, cpu int64) *preemption.Pod {
		return &preemption.Pod{Namespace: "ns", Name: name, UID: name, NodeName: node, Priority: priority, Requests: preemption.Resources{preemption.CPU: cpu}}
	}
	budget := &preemption.PodDisruptionBudget{Namespace: "ns", Name: "all", Selector: &preemption.Selector{}}
	c := newCluster(t, preemption.ClusterState{
		Nodes: []*preemption.Node{
			{Name: "cordoned", Allocatable: room, Unschedulable: true},
			{Name: "mixed", Allocatable: room},
			{Name: "important", Allocatable: room},
			{Name: "hopeless", Allocatable: room},
		},
		Pods: []*preemption.Pod{
			pod("a", "cordoned", 1, 4),
			pod("b", "mixed", 1, 1), pod("c", "mixed", 2, 3),
			pod("d", "important", 20, 4),
			pod("e", "hopeless", 20, 3), pod("f", "hopeless", 1, 1),
		},
		DisruptionBudgets: []*preemption.PodDisruptionBudget{budget},
	})
	for _, workers := range []int{1, 8} {
		var told []string
		e := preemption.Evaluator{Parallelism: workers, Trace: &preemption.Trace{
			Removed: func(n *preemption.Node, victims []*preemption.Victim, s preemption.Status, short []preemption.Shortfall) {
				told = append(told, fmt.Sprint(n.Name, " removed ", victims, " ", s, " ", short))
			},
			Classified: func(n *preemption.Node, violating []preemption.Violation) {
				told = append(told, fmt.Sprint(n.Name, " violating ", len(violating)))
			},
			Reprieved: func(n *preemption.Node, s preemption.Step) {
				told = append(told, fmt.Sprint(n.Name, " ", s.Victim, " ", s.Spared(), " ", s.Budgets, " ", s.Shortfalls))
			},
		}}
		x, err := e.Examine(t.Context(), c, pod("preemptor", "", 10, 2))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"mixed removed [ns/b ns/c] Success []",
			"mixed violating 2",
			"mixed ns/c false [ns/all] [{cpu 2 3 4}]",
			"mixed ns/b true [ns/all] []",
			"hopeless removed [ns/f] Unschedulable: Insufficient cpu [{cpu 2 3 4}]",
		}
		if !slices.Equal(told, want) {
			t.Errorf("%d workers: told\n%q, want\n%q", workers, told, want)
		}
		if x.Node.Name != "mixed" || x.Violations != 1 {
			t.Errorf("%d workers: %v with %d violations, want mixed with 1", workers, x.Node, x.Violations)
		}
	}
	quiet := preemption.Evaluator{Trace: &preemption.Trace{}}
	if _, err := quiet.Examine(t.Context(), c, pod("preemptor", "", 10, 2)); err != nil {
		t.Error(err)
	}
}
