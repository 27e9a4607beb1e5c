package admission

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podresources "k8s.io/component-helpers/resource"
)

// limits applies the LimitRanges of the pod's namespace: their defaults first, all
// of them, then their bounds.
func (a *admission) limits() error {
	ranges := slices.DeleteFunc(slices.Clone(a.contents.LimitRanges), func(r *v1.LimitRange) bool { return r.Namespace != a.pod.Namespace })
	slices.SortFunc(ranges, func(x, y *v1.LimitRange) int { return cmp.Compare(x.Name, y.Name) })
	if len(a.contents.LimitRanges) == 0 && slices.ContainsFunc(a.pod.Spec.Containers, incomplete) {
		a.missing("LimitRanges", "a container that requests no cpu or no memory requests none, as if its namespace had no default")
	}
	for _, r := range ranges {
		for _, item := range r.Spec.Limits {
			if item.Type == v1.LimitTypeContainer {
				a.eachContainer(func(c *v1.Container, _ *field.Path) error {
					setDefaults(&c.Resources, item)
					return nil
				})
			}
		}
	}
	for _, r := range ranges {
		for _, item := range r.Spec.Limits {
			if err := a.bound(item); err != nil {
				return fmt.Errorf("%w (LimitRange %s)", err, r.Name)
			}
		}
	}
	return nil
}

func incomplete(c v1.Container) bool {
	_, cpu := c.Resources.Requests[v1.ResourceCPU]
	_, memory := c.Resources.Requests[v1.ResourceMemory]
	return !cpu || !memory
}

// eachContainer goes through the containers and init containers up to an error.
func (a *admission) eachContainer(f func(*v1.Container, *field.Path) error) error {
	spec := field.NewPath("spec")
	for i := range a.pod.Spec.InitContainers {
		if err := f(&a.pod.Spec.InitContainers[i], spec.Child("initContainers").Index(i)); err != nil {
			return err
		}
	}
	for i := range a.pod.Spec.Containers {
		if err := f(&a.pod.Spec.Containers[i], spec.Child("containers").Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// setDefaults fills in what the container leaves open.
func setDefaults(r *v1.ResourceRequirements, item v1.LimitRangeItem) {
	fill := func(list *v1.ResourceList, defaults v1.ResourceList) {
		for name, q := range defaults {
			if _, set := (*list)[name]; set {
				continue
			}
			if *list == nil {
				*list = make(v1.ResourceList)
			}
			(*list)[name] = q.DeepCopy()
		}
	}
	fill(&r.Limits, item.Default)
	fill(&r.Requests, item.DefaultRequest)
}

// bound checks minima, maxima and ratios of limit to request.
func (a *admission) bound(item v1.LimitRangeItem) error {
	switch item.Type {
	case v1.LimitTypeContainer:
		return a.eachContainer(func(c *v1.Container, at *field.Path) error {
			return check(c.Resources.Requests, c.Resources.Limits, item, at.Child("resources"))
		})
	case v1.LimitTypePod:
		return check(podresources.PodRequests(a.pod, podresources.PodResourcesOptions{ExcludeOverhead: true}),
			podresources.PodLimits(a.pod, podresources.PodResourcesOptions{ExcludeOverhead: true}), item, field.NewPath("spec"))
	}
	return nil
}

func check(requests, limits v1.ResourceList, item v1.LimitRangeItem, at *field.Path) error {
	kind := item.Type
	for _, name := range slices.Sorted(maps.Keys(item.Min)) {
		least := item.Min[name]
		request, requested := requests[name]
		if limit, limited := limits[name]; limited && limit.Cmp(least) < 0 {
			return invalid(at.Child("limits").Key(string(name)), limit, "the least a %s may have is %s", kind, &least)
		}
		if !requested {
			return field.Required(at.Child("requests").Key(string(name)), fmt.Sprintf("a %s has to request at least %s", kind, &least))
		}
		if request.Cmp(least) < 0 {
			return invalid(at.Child("requests").Key(string(name)), request, "the least a %s may request is %s", kind, &least)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(item.Max)) {
		most := item.Max[name]
		limit, limited := limits[name]
		if request, requested := requests[name]; requested && request.Cmp(most) > 0 {
			return invalid(at.Child("requests").Key(string(name)), request, "the most a %s may request is %s", kind, &most)
		}
		if !limited {
			return field.Required(at.Child("limits").Key(string(name)), fmt.Sprintf("a %s has to have a limit of at most %s", kind, &most))
		}
		if limit.Cmp(most) > 0 {
			return invalid(at.Child("limits").Key(string(name)), limit, "the most a %s may have is %s", kind, &most)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(item.MaxLimitRequestRatio)) {
		ratio := item.MaxLimitRequestRatio[name]
		request, requested := requests[name]
		limit, limited := limits[name]
		if !requested || request.IsZero() || !limited {
			return field.Required(at, fmt.Sprintf("a %s needs a limit and a request of %s, whose ratio is at most %s", kind, name, &ratio))
		}
		if limit.AsApproximateFloat64()/request.AsApproximateFloat64() > ratio.AsApproximateFloat64() {
			return invalid(at.Child("limits").Key(string(name)), limit, "a %s may have a limit of at most %s times its request", kind, &ratio)
		}
	}
	return nil
}

func invalid(at *field.Path, q resource.Quantity, format string, args ...any) error {
	return field.Invalid(at, q.String(), fmt.Sprintf(format, args...))
}
