package kube

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"example.com/preemption"
)

// Objects are the objects of a cluster that a decision depends on. Their order
// is kept, and matters: the first of equal nodes is chosen, and budgets are
// charged in the order given. Informers list in no fixed order; sort what they
// list by namespace and name, as the API server does, for decisions that repeat.
type Objects struct {
	Nodes                []*v1.Node
	Pods                 []*v1.Pod
	PodDisruptionBudgets []*policyv1.PodDisruptionBudget
	PriorityClasses      []*schedulingv1.PriorityClass
	PodGroups            []*schedulingv1beta1.PodGroup
	CompositePodGroups   []*schedulingv1alpha3.CompositePodGroup
}

// State converts all objects. The error joins all that is wrong, an
// [ObjectError] each.
//
// Left out, as they are by kube-scheduler, are finished pods and pods on nodes
// that are not there (any more).
func (o *Objects) State(release preemption.Release) (preemption.ClusterState, error) {
	s := preemption.ClusterState{Release: release}
	if err := o.missing(); err != nil {
		return preemption.ClusterState{}, err
	}
	classes := NewPriorityClasses(o.PriorityClasses)
	var errs []error
	known := make(map[string]bool, len(o.Nodes))
	for _, n := range o.Nodes {
		known[n.Name] = true
		node, err := Node(n)
		s.Nodes, errs = collect(s.Nodes, node, errs, err)
	}
	for _, p := range o.Pods {
		if Finished(p) || p.Spec.NodeName != "" && !known[p.Spec.NodeName] {
			continue
		}
		pod, err := Pod(p, classes)
		s.Pods, errs = collect(s.Pods, pod, errs, err)
	}
	for _, b := range o.PodDisruptionBudgets {
		s.DisruptionBudgets = append(s.DisruptionBudgets, DisruptionBudget(b))
	}
	for _, g := range o.PodGroups {
		group, err := PodGroup(g, classes)
		s.PodGroups, errs = collect(s.PodGroups, group, errs, err)
	}
	for _, g := range o.CompositePodGroups {
		group, err := CompositePodGroup(g, classes)
		s.CompositePodGroups, errs = collect(s.CompositePodGroups, group, errs, err)
	}
	return s, errors.Join(errs...)
}

// missing returns an error that names the elements which are nil.
func (o *Objects) missing() error {
	return errors.Join(missing("node", o.Nodes), missing("pod", o.Pods), missing("disruption budget", o.PodDisruptionBudgets),
		missing("priority class", o.PriorityClasses), missing("pod group", o.PodGroups), missing("composite pod group", o.CompositePodGroups))
}

func missing[T any](kind string, list []*T) error {
	var errs []error
	for i, x := range list {
		if x == nil {
			errs = append(errs, fmt.Errorf("kube: %s %d of the list is nil", kind, i))
		}
	}
	return errors.Join(errs...)
}

// collect adds x to the list, or err to the errors if there is one.
func collect[T any](list []T, x T, errs []error, err error) ([]T, []error) {
	if err != nil {
		return list, append(errs, err)
	}
	return append(list, x), errs
}

// DisruptionBudgetOf returns the Kubernetes budget that b was converted from,
// nil if it is not among the objects.
func (o *Objects) DisruptionBudgetOf(b *preemption.PodDisruptionBudget) *policyv1.PodDisruptionBudget {
	for _, x := range o.PodDisruptionBudgets {
		if x.Namespace == b.Namespace && x.Name == b.Name {
			return x
		}
	}
	return nil
}
