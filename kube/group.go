package kube

import (
	v1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"example.com/preemption"
)

// PodGroup converts a group of pods. For classes see [Pod].
func PodGroup(g *schedulingv1beta1.PodGroup, classes *PriorityClasses) (*preemption.PodGroup, error) {
	out := &preemption.PodGroup{Namespace: g.Namespace, Name: g.Name}
	var err error
	if out.Priority, err = groupPriority("PodGroup", g, classes, g.Spec.PriorityClassName, g.Spec.Priority, (*v1.PreemptionPolicy)(g.Spec.PreemptionPolicy)); err != nil {
		return nil, err
	}
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
	out := &preemption.CompositePodGroup{Namespace: g.Namespace, Name: g.Name}
	var err error
	if out.Priority, err = groupPriority("CompositePodGroup", g, classes, g.Spec.PriorityClassName, g.Spec.Priority, (*v1.PreemptionPolicy)(g.Spec.PreemptionPolicy)); err != nil {
		return nil, err
	}
	if m := g.Spec.DisruptionMode; m != nil && m.All != nil {
		out.DisruptionMode = preemption.DisruptAll
	}
	if g.Spec.ParentCompositePodGroupName != nil {
		out.Parent = *g.Spec.ParentCompositePodGroupName
	}
	return out, nil
}

func groupPriority(kind string, g metav1.Object, classes *PriorityClasses, class string, priority *int32, policy *v1.PreemptionPolicy) (int32, error) {
	n, _, wrong := classes.resolve(claim{
		path:     field.NewPath("spec"),
		class:    class,
		priority: priority,
		policy:   policy,
		admitted: admitted(g),
	})
	return n, objectError(kind, g, wrong)
}
