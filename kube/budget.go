package kube

import (
	"maps"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
)

// DisruptionBudget converts a budget. What it allows is what its status says;
// one that the disruption controller has not seen yet allows nothing, as in
// kube-scheduler. See [Availability] for what it would allow.
//
// A selector that is not valid is no error: kube-scheduler passes over such a
// budget and so does the library. [preemption.Selector.Validate] tells.
func DisruptionBudget(b *policyv1.PodDisruptionBudget) *preemption.PodDisruptionBudget {
	return &preemption.PodDisruptionBudget{
		Namespace: b.Namespace,
		Name:      b.Name,
		Selector:  Selector(b.Spec.Selector),
		Allowed:   b.Status.DisruptionsAllowed,
		Disrupted: slices.Sorted(maps.Keys(b.Status.DisruptedPods)),
	}
}

// Selector converts a label selector. Nil, which matches nothing, stays nil.
func Selector(s *metav1.LabelSelector) *preemption.Selector {
	if s == nil {
		return nil
	}
	out := &preemption.Selector{MatchLabels: s.MatchLabels}
	for _, r := range s.MatchExpressions {
		out.MatchExpressions = append(out.MatchExpressions, preemption.Requirement{
			Key:      r.Key,
			Operator: preemption.SelectorOperator(r.Operator),
			Values:   r.Values,
		})
	}
	return out
}
