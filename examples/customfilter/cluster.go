package main

import "example.com/preemption"

// newCluster has two nodes in zone a and one in zone b, with plenty of room. A
// test deployment of the database runs on both nodes of zone a; its pods may be
// evicted one by one, or only together if atomic is set. A real database pod
// runs in zone b.
func newCluster(atomic bool) (*preemption.Cluster, error) {
	test := func(name, node string) *preemption.Pod {
		p := database(name, 10)
		p.NodeName, p.Group = node, "test"
		return p
	}
	running := database("db-0", 1000)
	running.NodeName = "b1"
	return preemption.NewCluster(preemption.ClusterState{
		Nodes:     []*preemption.Node{node("a1", "a"), node("a2", "a"), node("b1", "b")},
		Pods:      []*preemption.Pod{test("db-test-0", "a1"), test("db-test-1", "a2"), running},
		PodGroups: []*preemption.PodGroup{testGroup(atomic)},
	})
}

func testGroup(atomic bool) *preemption.PodGroup {
	group := &preemption.PodGroup{Namespace: namespace, Name: "test", Priority: 10}
	if atomic {
		group.DisruptionMode = preemption.DisruptAll
	}
	return group
}

const namespace = "shop"

func node(name, zone string) *preemption.Node {
	return &preemption.Node{
		Name:        name,
		Labels:      map[string]string{zoneLabel: zone},
		Allocatable: preemption.Resources{preemption.CPU: 4000, preemption.PodCount: 110},
	}
}

func database(name string, priority int32) *preemption.Pod {
	return &preemption.Pod{
		Namespace: namespace,
		Name:      name,
		UID:       name,
		Labels:    map[string]string{appLabel: "db"},
		Priority:  priority,
		Requests:  preemption.Resources{preemption.CPU: 1000},
	}
}
