package preemption_test

import (
	"context"
	"fmt"

	"example.com/preemption"
)

// ask decides with these filters for a pod, on one node with one pod, and prints
// what becomes of it.
func ask(preemptor *preemption.Pod, node *preemption.Node, resident *preemption.Pod, filters ...preemption.Filter) {
	resident.NodeName = node.Name
	cluster, err := preemption.NewCluster(preemption.ClusterState{Nodes: []*preemption.Node{node}, Pods: []*preemption.Pod{resident}})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := preemption.Evaluator{Filters: filters}
	x, err := e.Examine(context.Background(), cluster, preemptor)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v; %v %v\n", x.Nodes[0].Filter, x.Outcome, x.Victims)
}

// A rule that is easy to say: never two pods of the same app on a node.
func ExampleFilterFunc() {
	spread := preemption.FilterFunc(func(preemptor *preemption.Pod, _ *preemption.Node, pods []*preemption.Pod) preemption.Status {
		for _, p := range pods {
			if p.Labels["app"] == preemptor.Labels["app"] {
				return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"node(s) had a pod of the same app"}}
			}
		}
		return preemption.Status{}
	})
	web := map[string]string{"app": "web"}
	ask(&preemption.Pod{Name: "web-2", Priority: 1000, Labels: web}, &preemption.Node{Name: "node-a"},
		&preemption.Pod{Namespace: "shop", Name: "web-1", Labels: web}, spread)

	// Output: Unschedulable: node(s) had a pod of the same app; preempt [shop/web-1]
}

// All of the filters must agree; the first to refuse gives the reason.
func ExampleAll() {
	ask(&preemption.Pod{Name: "web", Requests: preemption.Resources{preemption.CPU: 8000}},
		&preemption.Node{Name: "node-a", Unschedulable: true}, &preemption.Pod{Namespace: "shop", Name: "batch"},
		preemption.All(preemption.NodeUnschedulable(), preemption.NodeResources()))

	// Output: UnschedulableAndUnresolvable: node(s) were unschedulable; unhelpful []
}

func ExampleDefaultFilters() {
	for _, f := range preemption.DefaultFilters() {
		fmt.Println(f.Name())
	}

	// Output:
	// NodeUnschedulable
	// TaintToleration
	// NodeAffinity
	// NodePorts
	// NodeResourcesFit
}

func ExampleNodeUnschedulable() {
	ask(&preemption.Pod{Name: "web", Priority: 1000}, &preemption.Node{Name: "node-a", Unschedulable: true},
		&preemption.Pod{Namespace: "shop", Name: "batch"}, preemption.NodeUnschedulable())

	// Output: UnschedulableAndUnresolvable: node(s) were unschedulable; unhelpful []
}

func ExampleTaintToleration() {
	gpuNode := &preemption.Node{Name: "node-a", Taints: []preemption.Taint{{Key: "gpu", Effect: preemption.NoSchedule}}}
	ask(&preemption.Pod{Name: "web", Priority: 1000}, gpuNode, &preemption.Pod{Namespace: "ml", Name: "train"}, preemption.TaintToleration())

	// Output: UnschedulableAndUnresolvable: node(s) had untolerated taint(s); unhelpful []
}

func ExampleNodeSelector() {
	ask(&preemption.Pod{Name: "web", Priority: 1000, NodeSelector: map[string]string{"disk": "ssd"}}, &preemption.Node{Name: "node-a"},
		&preemption.Pod{Namespace: "shop", Name: "batch"}, preemption.NodeSelector())

	// Output: UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector; unhelpful []
}

func ExampleNodePorts() {
	http := []preemption.HostPort{{Port: 80}}
	ask(&preemption.Pod{Name: "web", Priority: 1000, HostPorts: http}, &preemption.Node{Name: "node-a"},
		&preemption.Pod{Namespace: "shop", Name: "proxy", HostPorts: http}, preemption.NodePorts())

	// Output: Unschedulable: node(s) didn't have free ports for the requested pod ports; preempt [shop/proxy]
}

// Evictions make room, unless a request exceeds what the node has at all.
func ExampleNodeResources() {
	node := &preemption.Node{Name: "node-a", Allocatable: preemption.Resources{preemption.CPU: 4000, preemption.PodCount: 110}}
	for _, cpu := range []int64{3000, 5000} {
		ask(&preemption.Pod{Name: "web", Priority: 1000, Requests: preemption.Resources{preemption.CPU: cpu}}, node,
			&preemption.Pod{Namespace: "shop", Name: "batch", Requests: preemption.Resources{preemption.CPU: 2000}}, preemption.NodeResources())
	}

	// Output:
	// Unschedulable: Insufficient cpu; preempt [shop/batch]
	// UnschedulableAndUnresolvable: Insufficient cpu; unhelpful []
}

// A filter that looks at the node alone is a function. Preempt asks it only about
// nodes that evictions could make room on.
func ExampleNodeFilter() {
	model := preemption.NodeFilter("GPUModel", func(preemptor *preemption.Pod, node *preemption.Node) preemption.Status {
		if want := preemptor.Labels["gpu"]; want != "" && want != node.Labels["gpu"] {
			return preemption.Status{Code: preemption.Unresolvable, Reasons: []string{"wrong GPU model"}}
		}
		return preemption.Status{}
	})
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{
			{Name: "n1", Labels: map[string]string{"gpu": "T4"}, Allocatable: preemption.Resources{preemption.PodCount: 1}},
			{Name: "n2", Labels: map[string]string{"gpu": "V100"}, Allocatable: preemption.Resources{preemption.PodCount: 1}},
		},
		Pods: []*preemption.Pod{{Namespace: "shop", Name: "a", NodeName: "n1"}, {Namespace: "shop", Name: "b", NodeName: "n2"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	evaluator := preemption.Evaluator{Filters: append(preemption.DefaultFilters(), model)}
	urgent := &preemption.Pod{Name: "urgent", Priority: 100, Labels: map[string]string{"gpu": "V100"}}
	result, err := evaluator.Preempt(context.Background(), cluster, urgent)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Node.Name, result.Victims)
	// Output: n2 [shop/b]
}
