package kube

import (
	"maps"
	"math"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	helpers "k8s.io/component-helpers/resource"

	"example.com/preemption"
)

// requests returns what the pod needs on its node, as kube-scheduler counts it.
// A pod on a node counts what its resize in progress may still take; one that
// is not counts its spec.
func requests(p *v1.Pod) (preemption.Resources, field.ErrorList) {
	if wrong := checkRequests(p); len(wrong) > 0 {
		return nil, wrong
	}
	onNode := p.Spec.NodeName != ""
	return amounts(field.NewPath("spec"), helpers.PodRequests(p, helpers.PodResourcesOptions{
		UseStatusResources: onNode,
		InPlacePodLevelResourcesVerticalScalingEnabled: onNode,
	}))
}

// checkRequests looks at every amount that goes into the sum, so that an error
// names the field, and a negative amount does not hide behind a positive one.
func checkRequests(p *v1.Pod) field.ErrorList {
	spec, status := field.NewPath("spec"), field.NewPath("status")
	wrong := checkAmounts(spec.Child("overhead"), p.Spec.Overhead)
	if p.Spec.Resources != nil {
		wrong = append(wrong, checkAmounts(spec.Child("resources", "requests"), p.Spec.Resources.Requests)...)
	}
	containers := func(path *field.Path, list []v1.Container) {
		for i := range list {
			wrong = append(wrong, checkAmounts(path.Index(i).Child("resources", "requests"), list[i].Resources.Requests)...)
		}
	}
	containers(spec.Child("initContainers"), p.Spec.InitContainers)
	containers(spec.Child("containers"), p.Spec.Containers)

	wrong = append(wrong, checkAmounts(status.Child("allocatedResources"), p.Status.AllocatedResources)...)
	if p.Status.Resources != nil {
		wrong = append(wrong, checkAmounts(status.Child("resources", "requests"), p.Status.Resources.Requests)...)
	}
	statuses := func(path *field.Path, list []v1.ContainerStatus) {
		for i := range list {
			wrong = append(wrong, checkAmounts(path.Index(i).Child("allocatedResources"), list[i].AllocatedResources)...)
			if r := list[i].Resources; r != nil {
				wrong = append(wrong, checkAmounts(path.Index(i).Child("resources", "requests"), r.Requests)...)
			}
		}
	}
	statuses(status.Child("initContainerStatuses"), p.Status.InitContainerStatuses)
	statuses(status.Child("containerStatuses"), p.Status.ContainerStatuses)
	return wrong
}

func checkAmounts(path *field.Path, list v1.ResourceList) field.ErrorList {
	var wrong field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(list)) {
		q := list[name]
		if _, problem := amount(name, q); problem != "" {
			wrong = append(wrong, field.Invalid(path.Key(string(name)), q.String(), problem))
		}
	}
	return wrong
}

// amounts converts the resources that kube-scheduler looks at.
func amounts(path *field.Path, list v1.ResourceList) (preemption.Resources, field.ErrorList) {
	var wrong field.ErrorList
	r := make(preemption.Resources, len(list))
	for _, name := range slices.Sorted(maps.Keys(list)) {
		q := list[name]
		n, problem := amount(name, q)
		switch {
		case problem != "":
			wrong = append(wrong, field.Invalid(path.Key(string(name)), q.String(), problem))
		case counts(name):
			r[string(name)] = n
		}
	}
	return r, wrong
}

// amount returns the quantity in the resource's unit, rounded up, and what is
// wrong with it, "" if nothing is.
func amount(name v1.ResourceName, q resource.Quantity) (n int64, problem string) {
	scale, limit := resource.Scale(0), int64(math.MaxInt64)
	if name == v1.ResourceCPU {
		scale, limit = resource.Milli, math.MaxInt64/1000
	}
	switch {
	case q.Sign() < 0:
		return 0, "must be zero or more"
	case q.CmpInt64(limit) > 0:
		return 0, "is more than a scheduler can count"
	}
	return q.ScaledValue(scale), ""
}

// counts reports whether a scheduler counts the resource: those it knows by
// itself, huge pages, attachable volumes and extended resources, which have a
// domain in their names.
func counts(name v1.ResourceName) bool {
	switch name {
	case v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage, v1.ResourcePods:
		return true
	}
	s := string(name)
	return strings.Contains(s, "/") && !strings.HasPrefix(s, v1.DefaultResourceRequestsPrefix) ||
		strings.HasPrefix(s, v1.ResourceHugePagesPrefix) ||
		strings.HasPrefix(s, v1.ResourceAttachableVolumesPrefix)
}
