package preemption_test

import (
	"context"
	"fmt"
	"time"

	"example.com/preemption"
)

// trainingCluster has two nodes of four GPUs: one pod has all of one, four share
// the other.
func trainingCluster() *preemption.Cluster {
	var state preemption.ClusterState
	for _, name := range []string{"n1", "n2"} {
		state.Nodes = append(state.Nodes, &preemption.Node{Name: name, Allocatable: preemption.Resources{"gpu": 4, preemption.PodCount: 110}})
	}
	add := func(name, node string, priority int32, gpus int64) {
		state.Pods = append(state.Pods, &preemption.Pod{
			Namespace: "default", Name: name, UID: name, Priority: priority, NodeName: node,
			Requests: preemption.Resources{"gpu": gpus}, Start: time.Unix(int64(len(state.Pods)), 0),
		})
	}
	add("notebook", "n1", 20, 4)
	for i := range 4 {
		add(fmt.Sprint("batch-", i), "n2", 10, 1)
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		panic(err)
	}
	return cluster
}

func trainingGang(workers int) *preemption.Gang {
	g := &preemption.Gang{Namespace: "default", Name: "training", Priority: 100}
	for i := range workers {
		name := fmt.Sprint("worker-", i)
		g.Members = append(g.Members, &preemption.Pod{
			Namespace: "default", Name: name, UID: name, Priority: 100, Requests: preemption.Resources{"gpu": 2},
		})
	}
	return g
}

func ExampleEvaluator_PreemptGroup() {
	var evaluator preemption.Evaluator
	result, err := evaluator.PreemptGroup(context.Background(), trainingCluster(), trainingGang(2), preemption.BestPlacement{})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Message())
	for _, a := range result.Assignments {
		fmt.Println(a.Pod.Name, "on", a.Node.Name)
	}
	fmt.Print(result.Explain())
	// Output:
	// pod group preemption: found a placement for podgroup, preempting 4 victims
	// worker-0 on n2
	// worker-1 on n2
	// gang default/training: priority 100, 2 members, at least 2 to place
	// 4 pods evicted, 0 budget violations; no placement of as many members costs less
	//
	// node n2
	//   takes default/worker-0
	//   takes default/worker-1
	//   loses default/batch-0, priority 10
	//   loses default/batch-1, priority 10
	//   loses default/batch-2, priority 10
	//   loses default/batch-3, priority 10
}

// The placement comes from the caller's own scheduler; the result is what it
// costs.
func ExampleGivenPlacement() {
	spread := func(_ context.Context, view preemption.View, g *preemption.Gang) ([]*preemption.Node, error) {
		nodes := make([]*preemption.Node, len(g.Members))
		for i := range nodes {
			nodes[i] = view.Nodes()[i%len(view.Nodes())]
		}
		return nodes, nil
	}
	var evaluator preemption.Evaluator
	result, err := evaluator.PreemptGroup(context.Background(), trainingCluster(), trainingGang(2), preemption.GivenPlacement{Placer: spread})
	if err != nil {
		panic(err)
	}
	for _, v := range result.Victims {
		fmt.Println(v, "priority", v.Priority)
	}
	fmt.Println("exact:", result.Exact)
	// Output:
	// default/notebook priority 20
	// default/batch-2 priority 10
	// default/batch-3 priority 10
	// exact: false
}

// Three workers would do, and more than four find no room.
func ExampleGang_minCount() {
	gang := trainingGang(5)
	gang.MinCount = 3
	var evaluator preemption.Evaluator
	result, err := evaluator.PreemptGroup(context.Background(), trainingCluster(), gang, preemption.BestPlacement{})
	if err != nil {
		panic(err)
	}
	for _, a := range result.Assignments {
		if a.Node == nil {
			fmt.Printf("%s is not placed: %s\n", a.Pod.Name, a.Reason)
			continue
		}
		fmt.Println(a.Pod.Name, "on", a.Node.Name)
	}
	// Output:
	// worker-0 on n1
	// worker-1 on n1
	// worker-2 on n2
	// worker-3 on n2
	// worker-4 is not placed: no node has room for more members
}

// By the rules of 1.38 members go first where the pods that may be evicted cost
// least: four pods of priority 10 cost less than one of priority 20. Without scores
// the first of equal nodes is taken.
func ExampleFirstNode() {
	planner := preemption.GivenPlacement{Placer: preemption.FirstNode(preemption.DefaultFilters()...)}
	var evaluator preemption.Evaluator
	result, err := evaluator.PreemptGroup(context.Background(), trainingCluster(), trainingGang(1), planner)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Assignments[0].Node.Name, "loses", result.Delete)
	// Output:
	// n2 loses [default/batch-2 default/batch-3]
}
