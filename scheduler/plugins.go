package scheduler

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"example.com/preemption"
)

// What a plugin's answer depends on besides the preemptor.
type concern uint8

const (
	// The node alone: adding and removing pods changes nothing.
	concernNode concern = 1 << iota
	// Volumes: it takes part only where claims are given.
	concernVolumes
)

// supported are the Filter plugins lent by this package.
var supported = map[string]concern{
	names.NodeName:             concernNode,
	names.NodeUnschedulable:    concernNode,
	names.TaintToleration:      concernNode,
	names.NodeAffinity:         concernNode,
	names.VolumeRestrictions:   concernVolumes,
	names.NodeVolumeLimits:     concernVolumes,
	names.VolumeBinding:        concernVolumes | concernNode,
	names.VolumeZone:           concernVolumes | concernNode,
	names.PodTopologySpread:    0,
	names.InterPodAffinity:     0,
	names.NodeDeclaredFeatures: concernNode,
}

// builtin are the plugins that filters of the library stand in for.
var builtin = map[string]func() preemption.Filter{
	names.NodePorts:        preemption.NodePorts,
	names.NodeResourcesFit: preemption.NodeResources,
}

// A pluginKind is a plugin that can be put together for one decision.
type pluginKind struct {
	name    string
	concern concern
	factory frameworkruntime.PluginFactory
	args    runtime.Object
}

// defaultPlugins returns, in the order of the default profile, the supported
// plugins, and the places of those that the library stands in for as kinds
// without a factory.
func defaultPlugins(volumes bool) ([]pluginKind, error) {
	defaults, err := latest.Default()
	if err != nil {
		return nil, err
	}
	profile := &defaults.Profiles[0]
	args := make(map[string]runtime.Object)
	for _, c := range profile.PluginConfig {
		args[c.Name] = c.Args
	}
	registry := plugins.NewInTreeRegistry()
	var kinds []pluginKind
	for _, p := range profile.Plugins.MultiPoint.Enabled {
		if builtin[p.Name] != nil {
			kinds = append(kinds, pluginKind{name: p.Name})
			continue
		}
		concern, ok := supported[p.Name]
		if !ok || concern&concernVolumes != 0 && !volumes {
			continue
		}
		kinds = append(kinds, pluginKind{p.Name, concern, registry[p.Name], args[p.Name]})
	}
	return kinds, nil
}

// A plugin is one put together for a decision.
type plugin struct {
	fwk.FilterPlugin
	kind pluginKind
}

// build puts the plugin together on a handle.
func (k pluginKind) build(ctx context.Context, handle fwk.Handle) (plugin, error) {
	p, err := k.factory(ctx, k.args, handle)
	if err != nil {
		return plugin{}, fmt.Errorf("plugin %s: %w", k.name, err)
	}
	filter, ok := p.(fwk.FilterPlugin)
	if !ok {
		return plugin{}, fmt.Errorf("plugin %s does not filter", k.name)
	}
	return plugin{filter, k}, nil
}

// preFilter runs the plugin's PreFilter, if it has one. A nil status is success.
func (p plugin) preFilter(ctx context.Context, state fwk.CycleState, c *cycle) (*fwk.PreFilterResult, *fwk.Status) {
	if pre, ok := p.FilterPlugin.(fwk.PreFilterPlugin); ok {
		return pre.PreFilter(ctx, state, c.pod, c.snapshot.infos)
	}
	return nil, nil
}

// extensions returns the plugin's PreFilterExtensions, nil if it has none.
func (p plugin) extensions() fwk.PreFilterExtensions {
	if pre, ok := p.FilterPlugin.(fwk.PreFilterPlugin); ok {
		return pre.PreFilterExtensions()
	}
	return nil
}
