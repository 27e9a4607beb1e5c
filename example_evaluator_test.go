package preemption_test

import (
	"context"
	"fmt"

	"example.com/preemption"
)

// fullNode is a cluster of one node with 4 CPUs, filled by two batch pods of
// priority 100 with 2 CPUs each.
func fullNode() *preemption.Cluster {
	cpu := preemption.Resources{preemption.CPU: 2000}
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{{Name: "node-a", Allocatable: preemption.Resources{preemption.CPU: 4000, preemption.PodCount: 110}}},
		Pods: []*preemption.Pod{
			{Namespace: "shop", Name: "batch-1", UID: "1", NodeName: "node-a", Priority: 100, Requests: cpu},
			{Namespace: "shop", Name: "batch-2", UID: "2", NodeName: "node-a", Priority: 100, Requests: cpu},
		},
	})
	if err != nil {
		panic(err) // the example is wrong
	}
	return cluster
}

func ExampleEvaluator_Preempt() {
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000, Requests: preemption.Resources{preemption.CPU: 1000}}

	var e preemption.Evaluator
	result, err := e.Preempt(context.Background(), fullNode(), web)
	if err != nil {
		fmt.Println(err)
		return
	}
	switch result.Outcome {
	case preemption.OutcomeFits:
		fmt.Println("bind it to", result.Node.Name)
	case preemption.OutcomePreempt:
		fmt.Println("nominate it to", result.Node.Name, "and delete", result.Delete)
	default: // ineligible, unhelpful
		fmt.Println(result.Outcome, result.Reason)
	}
	fmt.Println("its nomination:", result.Nomination)

	// Output:
	// nominate it to node-a and delete [shop/batch-2]
	// its nomination: set
}

// Examine makes the same decision and keeps what it saw on each node.
func ExampleEvaluator_Examine() {
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000, Requests: preemption.Resources{preemption.CPU: 1000}}

	var e preemption.Evaluator
	x, err := e.Examine(context.Background(), fullNode(), web)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range x.Nodes {
		fmt.Println(report.Node.Name, "says:", report.Filter)
		for _, step := range report.Steps {
			fmt.Println(step.Victim, "can stay:", step.Spared())
		}
	}

	// Output:
	// node-a says: Unschedulable: Insufficient cpu
	// shop/batch-1 can stay: true
	// shop/batch-2 can stay: false
}

// Eligible protects pods that priority alone would give up: here all of a
// namespace.
func ExampleEvaluator_eligible() {
	e := preemption.Evaluator{
		Eligible: func(_ *preemption.Pod, v *preemption.Victim, _ *preemption.Node) bool {
			return v.Pods[0].Namespace != "shop"
		},
	}
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000, Requests: preemption.Resources{preemption.CPU: 1000}}
	result, err := e.Preempt(context.Background(), fullNode(), web)
	fmt.Println(result.Outcome, err)

	// Output: unhelpful <nil>
}

// A scheduler that has run its filters already hands over what it found.
func ExampleEvaluator_statuses() {
	e := preemption.Evaluator{
		Statuses: func(n *preemption.Node) (preemption.Status, bool) {
			return preemption.Status{Code: preemption.Unresolvable, Reasons: []string{"node(s) had no available volume zone"}}, true
		},
	}
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000}
	x, err := e.Examine(context.Background(), fullNode(), web)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Message())

	// Output:
	// 0/1 nodes are available: 1 node(s) had no available volume zone. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.
}

// An extender has a say in which nodes may be cleared: this one keeps node-a.
func ExampleExtender() {
	e := preemption.Evaluator{
		Extenders: []preemption.Extender{{
			Name: "maintenance",
			Process: func(_ context.Context, _ *preemption.Pod, candidates []*preemption.Candidate) ([]*preemption.Candidate, error) {
				var kept []*preemption.Candidate
				for _, c := range candidates {
					if c.Node.Name != "node-a" {
						kept = append(kept, c)
					}
				}
				return kept, nil
			},
		}},
	}
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000, Requests: preemption.Resources{preemption.CPU: 1000}}
	result, err := e.Preempt(context.Background(), fullNode(), web)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Outcome, "-", result.Reason)

	// Output: unhelpful - no candidate node for preemption
}

func ExampleExamination_Explain() {
	huge := &preemption.Pod{Namespace: "shop", Name: "huge", Priority: 1000, Requests: preemption.Resources{preemption.CPU: 3000, preemption.Memory: 8 << 30}}

	var e preemption.Evaluator
	x, err := e.Examine(context.Background(), fullNode(), huge)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(x.Explain())

	// Output:
	// pod shop/huge: priority 1000, requests cpu 3000m, memory 8Gi
	//
	// node node-a: Insufficient cpu, Insufficient memory; no eviction helps
	//
	// preemption does not help: no eviction makes room anywhere
}

// The message is kube-scheduler's, to the letter.
func ExampleExamination_Message() {
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 50, Requests: preemption.Resources{preemption.CPU: 1000}}

	var e preemption.Evaluator
	x, err := e.Examine(context.Background(), fullNode(), web)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Message())

	// Output:
	// 0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.
}

func ExampleExamination_PreemptionMessage() {
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000, PreemptionPolicy: preemption.PreemptNever, Requests: preemption.Resources{preemption.CPU: 1000}}

	var e preemption.Evaluator
	x, err := e.Examine(context.Background(), fullNode(), web)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.PreemptionMessage())

	// Output: not eligible due to preemptionPolicy=Never.
}

// A trace is told what happens on each node.
func ExampleTrace() {
	e := preemption.Evaluator{Trace: &preemption.Trace{
		Removed: func(n *preemption.Node, victims []*preemption.Victim, status preemption.Status, _ []preemption.Shortfall) {
			fmt.Println(n.Name, "without", victims, "is a", status)
		},
		Reprieved: func(n *preemption.Node, step preemption.Step) {
			fmt.Println(n.Name, "with", step.Victim, "back is a", step.Status, step.Shortfalls)
		},
	}}
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000, Requests: preemption.Resources{preemption.CPU: 1000}}
	if _, err := e.Examine(context.Background(), fullNode(), web); err != nil {
		fmt.Println(err)
	}

	// Output:
	// node-a without [shop/batch-1 shop/batch-2] is a Success
	// node-a with shop/batch-1 back is a Success []
	// node-a with shop/batch-2 back is a Unschedulable: Insufficient cpu [{cpu 1000 4000 4000}]
}

// Budgets as a promise, and what kube-scheduler would have done instead.
func ExampleContrast() {
	cpu := func(milli int64) preemption.Resources { return preemption.Resources{preemption.CPU: milli} }
	room := preemption.Resources{preemption.CPU: 2000, preemption.PodCount: 110}
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{{Name: "a", Allocatable: room}},
		Pods: []*preemption.Pod{
			{Namespace: "shop", Name: "batch", UID: "1", NodeName: "a", Priority: 200, Requests: cpu(1000)},
			{Namespace: "shop", Name: "cache", UID: "2", NodeName: "a", Priority: 100, Requests: cpu(1000), Labels: map[string]string{"app": "cache"}},
		},
		DisruptionBudgets: []*preemption.PodDisruptionBudget{
			{Namespace: "shop", Name: "cache", Selector: &preemption.Selector{MatchLabels: map[string]string{"app": "cache"}}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	evaluator := preemption.Evaluator{Budgets: preemption.BudgetsRespected, Contrast: true}
	web := &preemption.Pod{Namespace: "shop", Name: "web", UID: "3", Priority: 1000, Requests: cpu(2000)}
	result, err := evaluator.Preempt(context.Background(), cluster, web)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Outcome)
	fmt.Println(result.Contrast)

	// Output:
	// unhelpful
	// kube-scheduler would evict shop/batch, shop/cache from node a, 1 budget violation
}
