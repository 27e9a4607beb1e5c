package preemption_test

import (
	"context"
	"fmt"
	"time"

	"example.com/preemption"
)

// All that is wrong with the state is reported at once.
func ExampleNewCluster() {
	_, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{{Name: "node-a"}, {Name: "node-a"}},
		Pods: []*preemption.Pod{
			{Namespace: "shop", Name: "web", NodeName: "node-b"},
			{Namespace: "shop", Name: "db", NodeName: "node-a", Requests: preemption.Resources{preemption.CPU: -1}},
		},
	})
	fmt.Println(err)

	// Output:
	// preemption: node node-a: there already is a node of that name
	// preemption: pod shop/web: it is bound to node node-b, which is unknown
	// preemption: pod shop/db: request for cpu is negative: -1
}

// emptyCluster has two nodes and nothing else.
func emptyCluster() *preemption.Cluster {
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{
			{Name: "node-a", Allocatable: preemption.Resources{preemption.PodCount: 110}},
			{Name: "node-b", Allocatable: preemption.Resources{preemption.PodCount: 110}},
		},
	})
	if err != nil {
		panic(err) // the example is wrong
	}
	return cluster
}

// nodeNames lists the nodes in order.
func nodeNames(c *preemption.Cluster) (names []string) {
	for _, n := range c.Nodes() {
		names = append(names, n.Name)
	}
	return names
}

func ExampleCluster_AddNode() {
	c := emptyCluster()
	err := c.AddNode(&preemption.Node{Name: "node-c"})
	fmt.Println(nodeNames(c), err)
	err = c.AddNode(&preemption.Node{Name: "node-a"})
	fmt.Println(nodeNames(c), err)

	// Output:
	// [node-a node-b node-c] <nil>
	// [node-a node-b node-c] preemption: node node-a: there already is a node of that name
}

// An update hands over a new node; its pods and its place stay.
func ExampleCluster_UpdateNode() {
	c := emptyCluster()
	cordoned := *c.Node("node-a")
	cordoned.Unschedulable = true
	err := c.UpdateNode(&cordoned)
	fmt.Println(nodeNames(c), c.Node("node-a").Unschedulable, err)

	// Output: [node-a node-b] true <nil>
}

func ExampleCluster_RemoveNode() {
	c := emptyCluster()
	err := c.RemoveNode("node-a")
	fmt.Println(nodeNames(c), err)

	// Output: [node-b] <nil>
}

func ExampleCluster_Nodes() {
	for _, n := range emptyCluster().Nodes() {
		fmt.Println(n.Name)
	}

	// Output:
	// node-a
	// node-b
}

func ExampleCluster_Node() {
	c := emptyCluster()
	fmt.Println(c.Node("node-b").Name, c.Node("node-z") == nil)

	// Output: node-b true
}

// A pod with a node name is bound; it must be known which node that is.
func ExampleCluster_AddPod() {
	c := emptyCluster()
	err := c.AddPod(&preemption.Pod{Namespace: "shop", Name: "web", NodeName: "node-a"})
	fmt.Println(c.PodsOn(c.Node("node-a")), err)
	err = c.AddPod(&preemption.Pod{Namespace: "shop", Name: "db", NodeName: "node-z"})
	fmt.Println(err)

	// Output:
	// [shop/web] <nil>
	// preemption: pod shop/db: it is bound to node node-z, which is unknown
}

// An update that names a node binds the pod.
func ExampleCluster_UpdatePod() {
	c := emptyCluster()
	web := preemption.Pod{Namespace: "shop", Name: "web", NominatedNode: "node-a"}
	if err := c.AddPod(&web); err != nil {
		fmt.Println(err)
	}
	fmt.Println("nominated:", c.NominatedTo("node-a"))
	bound := web
	bound.NodeName = "node-a"
	if err := c.UpdatePod(&bound); err != nil {
		fmt.Println(err)
	}
	fmt.Println("nominated:", c.NominatedTo("node-a"), "bound:", c.PodsOn(c.Node("node-a")))

	// Output:
	// nominated: [shop/web]
	// nominated: [] bound: [shop/web]
}

func ExampleCluster_RemovePod() {
	c := emptyCluster()
	if err := c.AddPod(&preemption.Pod{Namespace: "shop", Name: "web", NodeName: "node-a"}); err != nil {
		fmt.Println(err)
	}
	err := c.RemovePod("shop", "web")
	fmt.Println(c.PodsOn(c.Node("node-a")), err)

	// Output: [] <nil>
}

func ExampleCluster_Pod() {
	c := emptyCluster()
	if err := c.AddPod(&preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(c.Pod("shop", "web").Priority, c.Pod("shop", "db") == nil)

	// Output: 1000 true
}

// Pods come in the order in which they were added.
func ExampleCluster_PodsOn() {
	c := emptyCluster()
	for _, name := range []string{"web", "db"} {
		if err := c.AddPod(&preemption.Pod{Namespace: "shop", Name: name, NodeName: "node-b"}); err != nil {
			fmt.Println(err)
		}
	}
	for _, n := range c.Nodes() {
		fmt.Println(n.Name, c.PodsOn(n))
	}

	// Output:
	// node-a []
	// node-b [shop/web shop/db]
}

// A scheduler nominates the preemptor to the node that it clears, and takes the
// nomination back when that leads nowhere.
func ExampleCluster_Nominate() {
	c := emptyCluster()
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000}
	if err := c.Nominate(web, "node-b"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(c.NominatedTo("node-b"))
	if err := c.Nominate(web, ""); err != nil {
		fmt.Println(err)
	}
	fmt.Println(c.NominatedTo("node-b"))

	// Output:
	// [shop/web]
	// []
}

func ExampleCluster_NominatedTo() {
	c := emptyCluster()
	if err := c.AddPod(&preemption.Pod{Namespace: "shop", Name: "web", NominatedNode: "node-a"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(c.NominatedTo("node-a"), c.NominatedTo("node-b"))

	// Output: [shop/web] []
}

// Setting a budget again replaces it: here one that could not match anything.
func ExampleCluster_SetBudget() {
	c := emptyCluster()
	budget := func(selector *preemption.Selector) *preemption.PodDisruptionBudget {
		return &preemption.PodDisruptionBudget{Namespace: "shop", Name: "web", Selector: selector, Allowed: 1}
	}
	like := &preemption.Selector{MatchExpressions: []preemption.Requirement{{Key: "app", Operator: "Like", Values: []string{"web"}}}}
	if err := c.SetBudget(budget(like)); err != nil {
		fmt.Println(err)
	}
	fmt.Println(c.Warnings()[0])

	in := &preemption.Selector{MatchExpressions: []preemption.Requirement{{Key: "app", Operator: preemption.SelectorIn, Values: []string{"web"}}}}
	if err := c.SetBudget(budget(in)); err != nil {
		fmt.Println(err)
	}
	fmt.Println(c.Warnings())

	// Output:
	// disruption budget shop/web: its selector is not valid, so it covers no pod: matchExpressions[0]: unknown operator "Like": want In, NotIn, Exists or DoesNotExist
	// []
}

func ExampleCluster_RemoveBudget() {
	fmt.Println(emptyCluster().RemoveBudget("shop", "web"))

	// Output: preemption: disruption budget shop/web: there is no budget of that name to remove
}

// With its group set to mode all, a pod is evicted with the whole group.
func ExampleCluster_SetPodGroup() {
	c := emptyCluster()
	for _, node := range []string{"node-a", "node-b"} {
		if err := c.AddPod(&preemption.Pod{Namespace: "ml", Name: "worker-on-" + node, NodeName: node, Group: "training"}); err != nil {
			fmt.Println(err)
		}
	}
	training := &preemption.PodGroup{Namespace: "ml", Name: "training", DisruptionMode: preemption.DisruptAll}
	if err := c.SetPodGroup(training); err != nil {
		fmt.Println(err)
	}
	groups := preemption.NewGroups([]*preemption.PodGroup{training}, nil)
	for _, v := range c.Release().Victims(c.Node("node-a"), c, groups) {
		fmt.Println(v, v.Pods)
	}

	// Output: PodGroup ml/training [ml/worker-on-node-a ml/worker-on-node-b]
}

func ExampleCluster_RemovePodGroup() {
	fmt.Println(emptyCluster().RemovePodGroup("ml", "training"))

	// Output: preemption: pod group ml/training: there is no pod group of that name to remove
}

// Composite groups are groups of groups; what counts is the highest one with
// mode all. Its pods are evicted together, in whatever group they are below it.
func ExampleCluster_SetCompositePodGroup() {
	c := emptyCluster()
	experiment := &preemption.CompositePodGroup{Namespace: "ml", Name: "experiment", DisruptionMode: preemption.DisruptAll}
	if err := c.SetCompositePodGroup(experiment); err != nil {
		fmt.Println(err)
	}
	var groups []*preemption.PodGroup
	for _, name := range []string{"trainer", "evaluator"} {
		groups = append(groups, &preemption.PodGroup{Namespace: "ml", Name: name, Parent: "experiment"})
		if err := c.SetPodGroup(groups[len(groups)-1]); err != nil {
			fmt.Println(err)
		}
		if err := c.AddPod(&preemption.Pod{Namespace: "ml", Name: name + "-0", UID: name, NodeName: "node-a", Group: name}); err != nil {
			fmt.Println(err)
		}
	}
	index := preemption.NewGroups(groups, []*preemption.CompositePodGroup{experiment})
	for _, v := range c.Release().Victims(c.Node("node-a"), c, index) {
		fmt.Println(v, v.Pods)
	}

	// Output: CompositePodGroup ml/experiment [ml/evaluator-0 ml/trainer-0]
}

func ExampleCluster_RemoveCompositePodGroup() {
	fmt.Println(emptyCluster().RemoveCompositePodGroup("ml", "experiment"))

	// Output: preemption: composite pod group ml/experiment: there is no composite pod group of that name to remove
}

// Warnings are for what is no error and likely not meant.
func ExampleCluster_Warnings() {
	c, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{{Name: "node-a", Allocatable: preemption.Resources{preemption.CPU: 4000}}},
		Pods:  []*preemption.Pod{{Namespace: "shop", Name: "web", NominatedNode: "node-b"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range c.Warnings() {
		fmt.Println(w)
	}

	// Output:
	// node node-a: its allocatable does not name "pods", so it takes no pod
	// pod shop/web: it is nominated to node node-b, which is unknown; the nomination counts once the node comes
}

func ExampleCluster_Release() {
	c, err := preemption.NewCluster(preemption.ClusterState{Release: preemption.Release137})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Release())

	// Output: 1.37
}

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

// A committed decision counts in the next one: nobody spends the same disruption
// of a budget twice, and the preemptor waits for its victim.
func ExampleCluster_Commit() {
	cpu := preemption.Resources{preemption.CPU: 1000}
	node := func(name string) *preemption.Node {
		return &preemption.Node{Name: name, Allocatable: preemption.Resources{preemption.CPU: 1000, preemption.PodCount: 110}}
	}
	web := func(name, on string) *preemption.Pod {
		return &preemption.Pod{Name: name, NodeName: on, Requests: cpu, Labels: map[string]string{"app": "web"}, GracePeriod: 30 * time.Second}
	}
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{node("n1"), node("n2")},
		Pods:  []*preemption.Pod{web("a", "n1"), web("b", "n2")},
		DisruptionBudgets: []*preemption.PodDisruptionBudget{
			{Name: "web", Allowed: 1, Selector: &preemption.Selector{MatchLabels: map[string]string{"app": "web"}}},
		},
	})
	if err != nil {
		panic(err)
	}
	var evaluator preemption.Evaluator
	first := &preemption.Pod{Name: "first", Priority: 10, Requests: cpu}
	second := &preemption.Pod{Name: "second", Priority: 10, Requests: cpu}
	for _, pod := range []*preemption.Pod{first, second, first} {
		result, err := evaluator.Preempt(context.Background(), cluster, pod)
		if err != nil {
			panic(err)
		}
		fmt.Println(pod.Name, result.Outcome, result.Node.Name, result.Victims, "violations:", result.Violations, "grace left:", result.GraceLeft(time.Now()))
		if err := cluster.Commit(result); err != nil {
			panic(err)
		}
	}
	// Output:
	// first preempt n1 [/a] violations: 0 grace left: 0s
	// second preempt n2 [/b] violations: 1 grace left: 0s
	// first waiting n1 [] violations: 0 grace left: 30s
}

// A scheduler scores the nodes that take a pod as it is.
func ExampleEvaluator_Fitting() {
	node := func(name string, cpu int64) *preemption.Node {
		return &preemption.Node{Name: name, Allocatable: preemption.Resources{preemption.CPU: cpu, preemption.PodCount: 110}}
	}
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{node("small", 1000), node("large", 8000), node("medium", 4000)},
	})
	if err != nil {
		panic(err)
	}
	var evaluator preemption.Evaluator
	pod := &preemption.Pod{Name: "p", Requests: preemption.Resources{preemption.CPU: 2000}}
	for n, err := range evaluator.Fitting(context.Background(), cluster, pod) {
		fmt.Println(n.Name, err)
	}
	// Output:
	// large <nil>
	// medium <nil>
}
