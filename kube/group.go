package kube

import (
	v1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"example.com/preemption"
)

// PodGroup converts a group of pods. For classes see [Pod].
func PodGroup(g *schedulingv1beta1.PodGroup, classes *PriorityClasses) (*preemption.PodGroup, error) {
	priority, _, wrong := classes.resolve(claim{
		path:     field.NewPath("spec"),
		class:    g.Spec.PriorityClassName,
		priority: g.Spec.Priority,
		policy:   (*v1.PreemptionPolicy)(g.Spec.PreemptionPolicy),
		admitted: admitted(g),
	})
	if len(wrong) > 0 {
		return nil, objectError("PodGroup", g, wrong)
	}
	out := &preemption.PodGroup{Namespace: g.Namespace, Name: g.Name, Priority: priority}
	if m := g.Spec.DisruptionMode; m != nil && m.All != nil {
		out.DisruptionMode = preemption.DisruptAll
	}
	if g.Spec.ParentCompositePodGroupName != nil {
		out.Parent = *g.Spec.ParentCompositePodGroupName
	}
	return out, nil
}

// CompositePodGroup converts a group of groups. For classes see [Pod].
func CompositePodGroup(g *schedulingv1alpha3.CompositePodGroup, classes *PriorityClasses) (*preemption.CompositePodGroup, error) {
	priority, _, wrong := classes.resolve(claim{
		path:     field.NewPath("spec"),
		class:    g.Spec.PriorityClassName,
		priority: g.Spec.Priority,
		policy:   (*v1.PreemptionPolicy)(g.Spec.PreemptionPolicy),
		admitted: admitted(g),
	})
	if len(wrong) > 0 {
		return nil, objectError("CompositePodGroup", g, wrong)
	}
	out := &preemption.CompositePodGroup{Namespace: g.Namespace, Name: g.Name, Priority: priority}
	if m := g.Spec.DisruptionMode; m != nil && m.All != nil {
		out.DisruptionMode = preemption.DisruptAll
	}
	if g.Spec.ParentCompositePodGroupName != nil {
		out.Parent = *g.Spec.ParentCompositePodGroupName
	}
	return out, nil
}
