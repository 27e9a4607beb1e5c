package judge

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"example.com/preemption/conformance/objects"
	"example.com/preemption/internal/golden"
)

// wanted are the plugins of the default profile that take part: those that
// every profile needs, the filters that cases are about, and preemption.
var wanted = map[string]bool{
	names.PrioritySort:      true,
	names.DefaultBinder:     true,
	names.NodeUnschedulable: true,
	names.NodeName:          true,
	names.TaintToleration:   true,
	names.NodeAffinity:      true,
	names.NodePorts:         true,
	names.NodeResourcesFit:  true,
	names.DefaultPreemption: true,
}

// scheduler is as much of a scheduler as one judgement needs.
type scheduler struct {
	logger    klog.Logger
	framework framework.Framework
	contents  cache.Cache
	snapshot  *cache.Snapshot
	window    *window                 // the preemption plugin
	preempted fwk.PreemptionCandidate // what it actually preempted, if anything

	nodes     []string // by name
	preemptor *v1.Pod
	budgets   []*policy.PodDisruptionBudget
	sampling  *golden.Sampling
	groups    bool // some victims may be groups
	cyclic    bool // a group is its own ancestor
}

// newScheduler returns a scheduler that has just taken its snapshot of the
// cluster of c. If it places, it has what it takes to find places for a group.
func newScheduler(ctx context.Context, c *golden.Case, places bool) (*scheduler, error) {
	metrics.Register()

	s := &scheduler{
		logger:    klog.FromContext(ctx),
		preemptor: objects.Pod(&c.Preemptor),
		budgets:   objects.Budgets(c),
		sampling:  c.Sampling,
		groups:    c.HasGroups(),
		cyclic:    cyclic(c),
	}
	if err := setGates(s.groups || len(c.Gang) > 0); err != nil {
		return nil, err
	}
	s.snapshot = cache.NewEmptySnapshot()
	if err := s.fill(ctx, c, places); err != nil {
		return nil, err
	}
	nominator, err := newNominator(c)
	if err != nil {
		return nil, err
	}
	profile, err := newProfile(places)
	if err != nil {
		return nil, err
	}

	// The zero client answers every call with nothing: the only one made is to
	// clear the nominations that lose their room.
	client := &fake.Clientset{}
	informers, err := objects.Informers(client, s.preemptor, s.budgets)
	if err != nil {
		return nil, err
	}
	registry := plugins.NewInTreeRegistry()
	registry[names.DefaultPreemption] = s.newPreemption
	registry[inOrderName] = s.newInOrder
	s.framework, err = frameworkruntime.NewFramework(ctx, registry, profile,
		frameworkruntime.WithLogger(s.logger),
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(informers),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithParallelism(1),
		frameworkruntime.WithSnapshotSharedLister(s.snapshot),
		frameworkruntime.WithMutableSnapshotLister(s.snapshot),
		frameworkruntime.WithPodGroupManager(s.contents),
		frameworkruntime.WithPreemptionManager(s.newManager),
		frameworkruntime.WithPodNominator(nominator),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
	)
	return s, err
}

// newProfile returns the default profile with the wanted plugins only, in their
// default order and with their default arguments. One that places groups keeps their
// minimum, and scores by the order of the nodes alone.
func newProfile(places bool) (*config.KubeSchedulerProfile, error) {
	defaults, err := latest.Default()
	if err != nil {
		return nil, err
	}
	p := &defaults.Profiles[0]
	all := p.Plugins.MultiPoint.Enabled
	p.Plugins.MultiPoint.Enabled = nil
	for _, plugin := range all {
		if wanted[plugin.Name] {
			p.Plugins.MultiPoint.Enabled = append(p.Plugins.MultiPoint.Enabled, plugin)
		}
	}
	if got := len(p.Plugins.MultiPoint.Enabled); got != len(wanted) {
		return nil, fmt.Errorf("the default profile has %d of the %d plugins", got, len(wanted))
	}
	if places {
		p.Plugins.MultiPoint.Enabled = append(p.Plugins.MultiPoint.Enabled, config.Plugin{Name: names.GangScheduling})
		p.Plugins.Score = config.PluginSet{Enabled: []config.Plugin{{Name: inOrderName, Weight: 1}}, Disabled: []config.Plugin{{Name: "*"}}}
	}
	return p, nil
}
