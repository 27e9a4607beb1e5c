package kube

import (
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
	return amounts(helpers.PodRequests(p, helpers.PodResourcesOptions{
		UseStatusResources: onNode,
		InPlacePodLevelResourcesVerticalScalingEnabled: onNode,
	}), func() *field.Path { return field.NewPath("spec") })
}

// checkRequests looks at every amount that goes into the sum, so that an error
// names the field, and a negative amount does not hide behind a positive one.
func checkRequests(p *v1.Pod) field.ErrorList {
	var wrong field.ErrorList
	check := func(list v1.ResourceList, path func() *field.Path) {
		wrong = append(wrong, checkAmounts(list, path)...)
	}
	check(p.Spec.Overhead, func() *field.Path { return field.NewPath("spec", "overhead") })
	if r := p.Spec.Resources; r != nil {
		check(r.Requests, func() *field.Path { return field.NewPath("spec", "resources", "requests") })
	}
	containers := func(name string, list []v1.Container) {
		for i := range list {
			check(list[i].Resources.Requests, func() *field.Path {
				return field.NewPath("spec", name).Index(i).Child("resources", "requests")
			})
		}
	}
	containers("initContainers", p.Spec.InitContainers)
	containers("containers", p.Spec.Containers)

	check(p.Status.AllocatedResources, func() *field.Path { return field.NewPath("status", "allocatedResources") })
	if r := p.Status.Resources; r != nil {
		check(r.Requests, func() *field.Path { return field.NewPath("status", "resources", "requests") })
	}
	statuses := func(name string, list []v1.ContainerStatus) {
		for i := range list {
			path := func() *field.Path { return field.NewPath("status", name).Index(i) }
			check(list[i].AllocatedResources, func() *field.Path { return path().Child("allocatedResources") })
			if r := list[i].Resources; r != nil {
				check(r.Requests, func() *field.Path { return path().Child("resources", "requests") })
			}
		}
	}
	statuses("initContainerStatuses", p.Status.InitContainerStatuses)
	statuses("containerStatuses", p.Status.ContainerStatuses)
	return wrong
}

// checkAmounts returns what is wrong with the amounts of a list, by name. Mostly
// nothing is, and where they are is not asked.
func checkAmounts(list v1.ResourceList, path func() *field.Path) field.ErrorList {
	var names []v1.ResourceName
	for name, q := range list {
		if _, problem := amount(name, q); problem != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var wrong field.ErrorList
	for _, name := range names {
		q := list[name]
		_, problem := amount(name, q)
		wrong = append(wrong, field.Invalid(path().Key(string(name)), q.String(), problem))
	}
	return wrong
}

// amounts converts the resources that kube-scheduler looks at.
func amounts(list v1.ResourceList, path func() *field.Path) (preemption.Resources, field.ErrorList) {
	if wrong := checkAmounts(list, path); len(wrong) > 0 {
		return nil, wrong
	}
	r := make(preemption.Resources, len(list))
	for name, q := range list {
		if counts(name) {
			r[string(name)], _ = amount(name, q)
		}
	}
	return r, nil
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
		problem = "must be zero or more"
	case q.CmpInt64(limit) > 0:
		problem = "is more than a scheduler can count"
	default:
		n = q.ScaledValue(scale)
	}
	return n, problem
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
