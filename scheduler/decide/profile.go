package decide

import (
	"context"
	"reflect"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	helpers "k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"example.com/preemption"
)

// profile is what has to be known about the plugins of the scheduler's profile.
type profile struct {
	handle fwk.Handle
	once   sync.Once
	// plugins are the Filter plugins in their order.
	plugins []string
	listed  bool
	// counting says that NodeResourcesFit counts every resource: it has the default
	// arguments, as far as they matter to its Filter.
	counting bool
}

// ofNode are the Filter plugins for which the pods on a node make no difference.
var ofNode = sets.New(names.NodeName, names.NodeUnschedulable, names.TaintToleration, names.NodeAffinity,
	names.VolumeBinding, names.VolumeZone, names.NodeDeclaredFeatures)

// look finds out about the profile, which is complete only once the scheduler
// runs.
func (p *profile) look(ctx context.Context) {
	if lister, ok := p.handle.(interface{ ListPlugins() *config.Plugins }); ok {
		p.listed = true
		for _, x := range lister.ListPlugins().Filter.Enabled {
			p.plugins = append(p.plugins, x.Name)
		}
	}
	p.counting = countsEverything(p.handle)
	logger := klog.FromContext(ctx)
	switch {
	case !p.listed:
		logger.Info("The filters of the profile are unknown: preemption looks at every node in turn", "profile", p.handle.ProfileName())
	case !slices.Contains(p.plugins, names.NodeResourcesFit):
		logger.Info("NodeResourcesFit is not in the profile: preemption looks at every node in turn", "profile", p.handle.ProfileName())
	case !p.counting:
		logger.Info("NodeResourcesFit is not in its default configuration: for pods that request extended resources preemption looks at every node in turn",
			"profile", p.handle.ProfileName())
	}
}

// filters returns the profile's filters for one preemptor. Where NodeResourcesFit
// does what the library's own filter does, that one takes its place, and the
// library knows which nodes are worth a look; elsewhere it has to look at all.
// The last of the filters stands for the rest of the profile.
func (p *profile) filters(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader, s *state) (filters []preemption.Filter, rest *profileFilter) {
	p.once.Do(func() { p.look(ctx) })
	skipped := cycle.GetSkipFilterPlugins()
	f := &profileFilter{ctx: ctx, cycle: cycle, pod: pod, statuses: statuses, state: s, handle: p.handle, skip: skipped, listed: p.listed, order: p.plugins}
	if !p.listed {
		return []preemption.Filter{f}, f
	}
	for _, name := range p.plugins {
		switch {
		case skipped.Has(name):
		case name == names.NodeResourcesFit && p.fits(pod):
			filters = append(filters, preemption.NodeResources())
			f.skip = skipped.Union(sets.New(name))
		default:
			f.plugins = append(f.plugins, name)
		}
	}
	return append(filters, f), f
}

// fits reports whether the library's filter of resources judges the pod as
// NodeResourcesFit does. Extended resources may be ignored, or be devices.
func (p *profile) fits(pod *v1.Pod) bool {
	var manager fwk.SharedDRAManager
	for name := range helpers.PodRequests(pod, helpers.PodResourcesOptions{}) {
		if !v1helper.IsExtendedResourceName(name) {
			continue
		}
		if !p.counting {
			return false
		}
		if manager == nil {
			manager = p.handle.SharedDRAManager()
		}
		if manager != nil && manager.DeviceClassResolver().GetDeviceClass(name) != nil {
			return false
		}
	}
	return true
}

// countsEverything reports whether NodeResourcesFit ignores no resource. Nothing
// tells a plugin what arguments another one has, so this reads the fields of
// kube-scheduler 1.37; where it finds something else it says no.
func countsEverything(handle fwk.Handle) bool {
	plugins := field(reflect.ValueOf(handle), "pluginsMap")
	if plugins.Kind() != reflect.Map {
		return false
	}
	x := plugins.MapIndex(reflect.ValueOf(names.NodeResourcesFit))
	if x.Kind() != reflect.Interface {
		return false
	}
	resources, groups := field(x.Elem(), "ignoredResources"), field(x.Elem(), "ignoredResourceGroups")
	return resources.Kind() == reflect.Map && resources.Len() == 0 && groups.Kind() == reflect.Map && groups.Len() == 0
}

// field returns a field of the struct that v points to, the zero Value if there
// is none.
func field(v reflect.Value, name string) reflect.Value {
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v.Elem().FieldByName(name)
}
