package objects

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption/internal/golden"
)

// Nodes returns the nodes of a case by name, the order in which the judges
// walk them.
func Nodes(c *golden.Case) []*v1.Node {
	var nodes []*v1.Node
	for i := range c.Nodes {
		nodes = append(nodes, node(&c.Nodes[i]))
	}
	slices.SortFunc(nodes, func(a, b *v1.Node) int { return cmp.Compare(a.Name, b.Name) })
	return nodes
}

func node(n *golden.Node) *v1.Node {
	node := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels},
		Spec:       v1.NodeSpec{Unschedulable: n.Unschedulable},
		Status: v1.NodeStatus{
			Allocatable: resources(n.Allocatable),
			Capacity:    resources(n.Allocatable),
		},
	}
	for _, t := range n.AllTaints() {
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{
			Key:    t.Key,
			Value:  t.Value,
			Effect: v1.TaintEffect(t.Effect),
		})
	}
	return node
}
