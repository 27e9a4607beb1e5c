package kube

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"example.com/preemption"
)

// Scale returns how many pods a controller of that namespace should have.
type Scale func(namespace string, controller metav1.OwnerReference) (int32, error)

// Availability returns what the disruption controller would work out the
// budget's status from, for budgets that have no status yet or whose pods are
// about to change. Pods are those of the cluster; only covered ones count.
//
// Pods listed as disrupted are taken to be so still: when that was is not looked
// at. A failing scale fails the whole, as in the controller.
func Availability(b *policyv1.PodDisruptionBudget, pods []*v1.Pod, scale Scale) (preemption.Availability, error) {
	var a preemption.Availability
	spec := field.NewPath("spec")
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	if err != nil {
		return a, objectError("PodDisruptionBudget", b, field.ErrorList{field.Invalid(spec.Child("selector"), metav1.FormatLabelSelector(b.Spec.Selector), err.Error())})
	}
	var wrong field.ErrorList
	if a.MinAvailable, err = amountOf(b.Spec.MinAvailable); err != nil {
		wrong = append(wrong, field.Invalid(spec.Child("minAvailable"), b.Spec.MinAvailable.String(), err.Error()))
	}
	if a.MaxUnavailable, err = amountOf(b.Spec.MaxUnavailable); err != nil {
		wrong = append(wrong, field.Invalid(spec.Child("maxUnavailable"), b.Spec.MaxUnavailable.String(), err.Error()))
	}
	if len(wrong) > 0 {
		return a, objectError("PodDisruptionBudget", b, wrong)
	}
	countPods := a.MinAvailable != nil && !a.MinAvailable.Percent
	countScales := a.MaxUnavailable != nil || a.MinAvailable != nil && !countPods
	seen := make(map[types.UID]bool)
	for _, p := range pods {
		if p.Namespace != b.Namespace || !selector.Matches(labels.Set(p.Labels)) {
			continue
		}
		if _, disrupted := b.Status.DisruptedPods[p.Name]; !disrupted && p.DeletionTimestamp == nil && ready(p) {
			a.Healthy++
		}
		if countPods {
			a.Expected++
		}
		controller := metav1.GetControllerOf(p)
		if !countScales || controller == nil || seen[controller.UID] {
			continue
		}
		seen[controller.UID] = true
		n, err := scale(p.Namespace, *controller)
		if err != nil {
			return a, &ObjectError{"PodDisruptionBudget", b.Namespace, b.Name,
				fmt.Errorf("scale of %s %s: %w", controller.Kind, controller.Name, err)}
		}
		a.Expected += int(n)
	}
	return a, nil
}

// amountOf reads a number of pods or a percentage, nil if it is not set.
func amountOf(x *intstr.IntOrString) (*preemption.Amount, error) {
	if x == nil {
		return nil, nil
	}
	// Of a hundred pods a percentage is as many as it says.
	n, err := intstr.GetScaledValueFromIntOrPercent(x, 100, true)
	switch {
	case err != nil:
		return nil, err
	case n < 0 || x.Type == intstr.String && n > 100:
		return nil, fmt.Errorf("is out of range")
	}
	return &preemption.Amount{Value: n, Percent: x.Type == intstr.String}, nil
}

func ready(p *v1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == v1.PodReady {
			return c.Status == v1.ConditionTrue
		}
	}
	return false
}
