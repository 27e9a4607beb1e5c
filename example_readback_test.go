package preemption_test

import (
	"context"
	"fmt"

	"example.com/preemption"
)

// A cluster says what it was built from, for use with the functions.
func ExampleCluster_Groups() {
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{{Name: "node-a"}, {Name: "node-b"}},
		Pods: []*preemption.Pod{
			{Namespace: "ml", Name: "worker-0", UID: "0", NodeName: "node-a", Group: "training"},
			{Namespace: "ml", Name: "worker-1", UID: "1", NodeName: "node-b", Group: "training"},
		},
		PodGroups: []*preemption.PodGroup{{Namespace: "ml", Name: "training", DisruptionMode: preemption.DisruptAll}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range preemption.Victims(cluster.Node("node-a"), cluster, cluster.Groups()) {
		fmt.Println(v, v.Pods)
	}

	// Output: PodGroup ml/training [ml/worker-0 ml/worker-1]
}

func ExampleCluster_DisruptionBudgets() {
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes:             []*preemption.Node{{Name: "node-a"}},
		DisruptionBudgets: []*preemption.PodDisruptionBudget{{Namespace: "shop", Name: "web"}, {Namespace: "shop", Name: "db"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cluster.DisruptionBudgets())

	// Output: [shop/web shop/db]
}

// The least allocated node takes the next member.
func ExampleLeastAllocated() {
	room := preemption.Resources{preemption.CPU: 4000, preemption.Memory: 8 << 30, preemption.PodCount: 110}
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{{Name: "node-a", Allocatable: room}, {Name: "node-b", Allocatable: room}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	gang := &preemption.Gang{Namespace: "ml", Name: "training"}
	for i := range 3 {
		gang.Members = append(gang.Members, &preemption.Pod{Namespace: "ml", Name: fmt.Sprint("worker-", i),
			Requests: preemption.Resources{preemption.CPU: 1000}})
	}
	nodes, err := preemption.LeastAllocated(preemption.DefaultFilters()...)(context.Background(), cluster, gang)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, n := range nodes {
		fmt.Println(gang.Members[i], "on", n.Name)
	}

	// Output:
	// ml/worker-0 on node-a
	// ml/worker-1 on node-b
	// ml/worker-2 on node-a
}
