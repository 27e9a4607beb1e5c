// Package plugin is kube-scheduler's preemption with package preemption choosing
// the node: a PostFilter plugin to be enabled in the place of DefaultPreemption.
//
//	command := app.NewSchedulerCommand(app.WithPlugin(plugin.Name, plugin.New(plugin.Name)))
//
// It is DefaultPreemption in all but the choice: the same evictions, events,
// conditions and metrics, the same gates while a preemption is under way, the same
// preemption of pod groups. See package decide for how the choice is made and
// checked, and [Args] for the configuration.
package plugin

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"example.com/preemption/scheduler/decide"
)

// Name is what the plugin is called in the configuration, unless another name is
// given to [New].
const Name = "Preemption"

// A Plugin chooses the node to clear and lets DefaultPreemption do the rest.
type Plugin struct {
	name    string
	rest    *defaultpreemption.DefaultPreemption
	decider *decide.Decider

	// IsEligiblePod may spare victims that priority would give up, and
	// MoreImportantVictim replaces the order of importance, as in
	// DefaultPreemption. Nil is the default. They must be set before the scheduler
	// runs.
	IsEligiblePod       defaultpreemption.IsEligiblePodFunc
	MoreImportantVictim defaultpreemption.MoreImportantVictimFunc
}

var (
	_ fwk.PostFilterPlugin         = &Plugin{}
	_ fwk.PreEnqueuePlugin         = &Plugin{}
	_ fwk.EnqueueExtensions        = &Plugin{}
	_ fwk.PodGroupPostFilterPlugin = &Plugin{}
)

// New returns the factory of the plugin under a name. It must not be that of a
// plugin that kube-scheduler has itself.
func New(name string) frameworkruntime.PluginFactory {
	return func(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		parsed, err := parseArgs(args)
		if err != nil {
			return nil, fmt.Errorf("plugin %s: %w", name, err)
		}
		p, err := newPlugin(ctx, name, parsed, handle, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate),
			newObserver(handle.ProfileName()).observe)
		if err != nil {
			return nil, fmt.Errorf("plugin %s: %w", name, err)
		}
		return p, nil
	}
}

func newPlugin(ctx context.Context, name string, args *Args, handle fwk.Handle, features feature.Features, observe func(decide.Decision)) (*Plugin, error) {
	rest, err := defaultpreemption.New(ctx, &config.DefaultPreemptionArgs{
		MinCandidateNodesPercentage: *args.MinCandidateNodesPercentage,
		MinCandidateNodesAbsolute:   *args.MinCandidateNodesAbsolute,
	}, handle, features)
	if err != nil {
		return nil, err
	}
	p := &Plugin{name: name, rest: rest}
	eligible, more := rest.IsEligiblePod, rest.MoreImportantVictim
	rest.IsEligiblePod = func(node fwk.NodeInfo, victim victim, preemptor *v1.Pod) bool {
		if p.IsEligiblePod != nil {
			return p.IsEligiblePod(node, victim, preemptor)
		}
		return eligible(node, victim, preemptor)
	}
	rest.MoreImportantVictim = func(a, b victim) bool {
		if p.MoreImportantVictim != nil {
			return p.MoreImportantVictim(a, b)
		}
		return more(a, b)
	}
	p.decider, err = decide.New(name, handle, rest, rest.Executor, features, decide.Options{
		Sampling:            args.sampling(),
		CrossCheck:          args.CrossCheck == CrossCheckFull,
		IsEligiblePod:       func() func(fwk.NodeInfo, victim, *v1.Pod) bool { return p.IsEligiblePod },
		MoreImportantVictim: func() func(a, b victim) bool { return p.MoreImportantVictim },
		Observe:             observe,
	})
	return p, err
}

// Name returns the name under which the plugin was registered.
func (p *Plugin) Name() string { return p.name }

// PostFilter makes room for a pod that no node takes.
func (p *Plugin) PostFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	metrics.PreemptionAttempts.Inc()
	result, status := p.decider.Preempt(ctx, state, pod, statuses)
	if message := status.Message(); message != "" {
		return result, fwk.NewStatus(status.Code(), "preemption: "+message)
	}
	return result, status
}

// PreEnqueue holds a pod back while the preemption for it is under way.
func (p *Plugin) PreEnqueue(ctx context.Context, pod *v1.Pod) *fwk.Status {
	return p.rest.PreEnqueue(ctx, pod)
}

// EventsToRegister returns the events that may end that.
func (p *Plugin) EventsToRegister(ctx context.Context) ([]fwk.ClusterEventWithHint, error) {
	return p.rest.EventsToRegister(ctx)
}

// PodGroupPostFilter makes room for a group of pods, as kube-scheduler does it.
func (p *Plugin) PodGroupPostFilter(ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo, schedule fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	return p.rest.PodGroupPostFilter(ctx, state, group, schedule)
}
