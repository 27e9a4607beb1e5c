package kube

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"example.com/preemption"
)

// Node converts a node. What pods may request is its allocatable.
func Node(n *v1.Node) (*preemption.Node, error) {
	allocatable, wrong := amounts(n.Status.Allocatable, func() *field.Path { return field.NewPath("status", "allocatable") })
	if len(wrong) > 0 {
		return nil, objectError("Node", n, wrong)
	}
	out := &preemption.Node{
		Name:          n.Name,
		Labels:        n.Labels,
		Allocatable:   allocatable,
		Unschedulable: n.Spec.Unschedulable,
		Object:        n,
	}
	for _, t := range n.Spec.Taints {
		out.Taints = append(out.Taints, preemption.Taint{Key: t.Key, Value: t.Value, Effect: preemption.TaintEffect(t.Effect)})
	}
	return out, nil
}

// NodeOf returns the Kubernetes node that n was converted from, nil if it was
// not.
func NodeOf(n *preemption.Node) *v1.Node {
	node, _ := n.Object.(*v1.Node)
	return node
}
