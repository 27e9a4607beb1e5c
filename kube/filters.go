package kube

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"example.com/preemption"
)

// Filters returns [preemption.DefaultFilters] with [NodeAffinity] in the place of
// the node selector.
func Filters() []preemption.Filter {
	filters := preemption.DefaultFilters()
	selector := preemption.NodeSelector().Name()
	i := slices.IndexFunc(filters, func(f preemption.Filter) bool { return f.Name() == selector })
	filters[i] = NodeAffinity()
	return filters
}

// NodeAffinity returns the filter that refuses nodes which do not match the
// pod's node selector and required node affinity. It reads both from the
// Kubernetes objects that pods and nodes were converted from.
func NodeAffinity() preemption.Filter { return nodeAffinity{} }

type nodeAffinity struct{}

// Name returns kube-scheduler's name of the filter.
func (nodeAffinity) Name() string { return "NodeAffinity" }

func (f nodeAffinity) Prepare(preemptor *preemption.Pod, _ preemption.View) (preemption.Prepared, error) {
	pod := PodOf(preemptor)
	if pod == nil {
		return nil, fmt.Errorf("pod %s was not converted from a Kubernetes pod", preemptor)
	}
	affinity := pod.Spec.Affinity
	if len(pod.Spec.NodeSelector) == 0 && (affinity == nil || affinity.NodeAffinity == nil) {
		return nil, nil
	}
	return preparedAffinity{nodeaffinity.GetRequiredNodeAffinity(pod)}, nil
}

type preparedAffinity struct {
	required nodeaffinity.RequiredNodeAffinity
}

// Monotone: the pods on the node do not matter.
func (preparedAffinity) Monotone() bool { return true }

func (p preparedAffinity) Begin(node *preemption.Node) (preemption.DryRun, error) {
	n := NodeOf(node)
	if n == nil {
		return nil, fmt.Errorf("node %s was not converted from a Kubernetes node", node.Name)
	}
	ok, err := p.required.Match(n)
	if err != nil {
		return nil, err
	}
	return affinityRun(ok), nil
}

type affinityRun bool

func (affinityRun) Add(*preemption.Pod, *preemption.Node) error    { return nil }
func (affinityRun) Remove(*preemption.Pod, *preemption.Node) error { return nil }

func (matches affinityRun) Fits() (preemption.Status, error) {
	if matches {
		return preemption.Status{}, nil
	}
	return preemption.Status{
		Code:    preemption.Unresolvable,
		Filter:  nodeAffinity{}.Name(),
		Reasons: []string{"node(s) didn't match Pod's node affinity/selector"},
	}, nil
}

// Unjudged lists the fields of a pod that restrict its placement in ways that
// [Filters] overlook. Restrictions that other pods impose on it, by their
// anti-affinity, are not among them.
func Unjudged(p *v1.Pod) []string {
	var fields []string
	note := func(overlooked bool, path string) {
		if overlooked {
			fields = append(fields, path)
		}
	}
	if a := p.Spec.Affinity; a != nil {
		note(a.PodAffinity != nil && len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0, "spec.affinity.podAffinity")
		note(a.PodAntiAffinity != nil && len(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0, "spec.affinity.podAntiAffinity")
	}
	note(slices.ContainsFunc(p.Spec.TopologySpreadConstraints, func(c v1.TopologySpreadConstraint) bool {
		return c.WhenUnsatisfiable != v1.ScheduleAnyway
	}), "spec.topologySpreadConstraints")
	note(slices.ContainsFunc(p.Spec.Volumes, func(v v1.Volume) bool {
		return v.PersistentVolumeClaim != nil || v.Ephemeral != nil
	}), "spec.volumes")
	note(len(p.Spec.ResourceClaims) > 0, "spec.resourceClaims")
	note(len(p.Spec.SchedulingGates) > 0, "spec.schedulingGates")
	return fields
}
