package preemption_test

import (
	"cmp"
	"fmt"

	"example.com/preemption"
)

// clearing makes a candidate whose victims are single pods of these priorities.
func clearing(node string, priorities ...int32) *preemption.Candidate {
	c := &preemption.Candidate{Node: &preemption.Node{Name: node, Labels: map[string]string{"cost": node[len(node)-1:]}}}
	for _, p := range priorities {
		pod := &preemption.Pod{Namespace: "shop", Name: fmt.Sprintf("pod-%d", p), Priority: p}
		c.Victims = append(c.Victims, preemption.NewPodVictim(pod, c.Node))
	}
	return c
}

// Both have a top victim of priority 100; the sum of priorities decides.
func ExamplePickOneNode() {
	best, decidedBy := preemption.PickOneNode([]*preemption.Candidate{
		clearing("node-1", 500),
		clearing("node-2", 100, 100),
		clearing("node-3", 100),
	})
	fmt.Println(best.Node.Name, "by", preemption.DefaultOrders()[decidedBy].Name)

	// Output: node-3 by smallest priority sum
}

// Orders of one's own come before, after or in place of kube-scheduler's.
func ExamplePickOneNode_orders() {
	cheapest := preemption.Order{Name: "cheapest node", Compare: func(a, b *preemption.Candidate) int {
		return cmp.Compare(a.Node.Labels["cost"], b.Node.Labels["cost"])
	}}
	candidates := []*preemption.Candidate{clearing("node-2", 100), clearing("node-1", 500)}
	orders := []preemption.Order{preemption.FewestViolations, cheapest}
	best, decidedBy := preemption.PickOneNode(candidates, orders...)
	fmt.Println(best.Node.Name, "by", orders[decidedBy].Name)

	// Output: node-1 by cheapest node
}

func ExampleDefaultOrders() {
	for i, o := range preemption.DefaultOrders() {
		fmt.Println(i+1, o.Name)
	}

	// Output:
	// 1 fewest budget violations
	// 2 lowest top victim priority
	// 3 smallest priority sum
	// 4 fewest pods
	// 5 latest start
}

func ExampleCandidate_Pods() {
	fmt.Println(clearing("node-1", 500, 100).Pods())

	// Output: [shop/pod-500 shop/pod-100]
}

// kube-scheduler asks for a tenth of the nodes as candidates, and for a hundred
// at least.
func ExampleDefaultSampling() {
	sampling := preemption.DefaultSampling(func(nodes int) int { return nodes / 2 })
	fmt.Println(sampling.Count(50), sampling.Count(500), sampling.Count(5000))

	// Output: 50 100 500
}

func ExampleSampling_Count() {
	fmt.Println(preemption.Sampling{Percent: 1}.Count(50)) // at least one

	// Output: 1
}

func ExampleSampling_Validate() {
	fmt.Println(preemption.Sampling{Percent: 110}.Validate())

	// Output: preemption: sampling: percent 110 is not in [0, 100]
}
