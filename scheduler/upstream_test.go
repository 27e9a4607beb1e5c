package scheduler_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	backend "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"example.com/preemption/kube"
	"example.com/preemption/scheduler"
)

// verdict is what is known of a preemptor's chances: by node, why it does not
// take it, and what clearing it would cost.
type verdict struct {
	Rejected   string            // by PreFilter
	Filtered   map[string]string // before any eviction, "" where it fits
	Statuses   map[string]string // of nodes that cannot be cleared, after the dry run
	Candidates map[string]string // victims and violations
}

// taking part in the real scheduler of the tests.
var wanted = []string{
	names.PrioritySort, names.DefaultBinder, names.DefaultPreemption,
	names.NodeName, names.NodeUnschedulable, names.TaintToleration, names.NodeAffinity, names.NodePorts, names.NodeResourcesFit,
	names.PodTopologySpread, names.InterPodAffinity, names.NodeDeclaredFeatures,
}

// upstream asks the real kube-scheduler, put together as in production but for
// its client. Every node is looked at, one after another.
func upstream(t *testing.T, objects *kube.Objects, others scheduler.Objects, preemptor *v1.Pod) verdict {
	t.Helper()
	ctx, stop := context.WithCancel(klog.NewContext(t.Context(), logr.Discard()))
	defer stop() // what the framework has running ends with it
	grouped := len(objects.PodGroups) > 0
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{
		string(features.GenericWorkload):                 grouped,
		string(features.TopologyAwareWorkloadScheduling): grouped,
		string(features.CompositePodGroup):               grouped,
	}); err != nil {
		t.Fatal(err)
	}
	metrics.Register()

	contents := backend.New(ctx, nil, grouped, grouped)
	for _, g := range objects.PodGroups {
		contents.AddPodGroup(g)
	}
	for _, n := range objects.Nodes {
		contents.AddNode(klog.FromContext(ctx), n)
	}
	nominated := nominator{}
	for _, p := range objects.Pods {
		if p.Spec.NodeName != "" {
			if err := contents.AddPod(klog.FromContext(ctx), p); err != nil {
				t.Fatal(err)
			}
		} else if err := nominated.nominate(p); err != nil {
			t.Fatal(err)
		}
	}
	snapshot := backend.NewEmptySnapshot()
	if err := contents.UpdateSnapshot(klog.FromContext(ctx), snapshot); err != nil {
		t.Fatal(err)
	}

	var preemption *defaultpreemption.DefaultPreemption
	registry := plugins.NewInTreeRegistry()
	registry[names.DefaultPreemption] = frameworkruntime.FactoryAdapter(feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate),
		func(ctx context.Context, args runtime.Object, h fwk.Handle, f feature.Features) (fwk.Plugin, error) {
			f.EnableAsyncPreemption = false
			p, err := defaultpreemption.New(ctx, args, h, f)
			preemption = p
			return p, err
		})
	informed := listing(others, objects.PodDisruptionBudgets)
	profile, err := frameworkruntime.NewFramework(ctx, registry, wantedProfile(t, len(others.PersistentVolumeClaims) > 0),
		frameworkruntime.WithLogger(klog.FromContext(ctx)),
		frameworkruntime.WithClientSet(&fake.Clientset{}),
		frameworkruntime.WithInformerFactory(informed),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithParallelism(1),
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(informed.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithSnapshotSharedLister(snapshot),
		frameworkruntime.WithMutableSnapshotLister(snapshot),
		frameworkruntime.WithPodGroupManager(contents),
		frameworkruntime.WithPodNominator(nominated),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
	)
	if err != nil {
		t.Fatal(err)
	}

	v := verdict{Filtered: map[string]string{}, Statuses: map[string]string{}, Candidates: map[string]string{}}
	state := framework.NewCycleState()
	result, status, _ := profile.RunPreFilterPlugins(ctx, state, preemptor)
	if status.IsRejected() {
		v.Rejected = status.Code().String() + ": " + status.Message()
		return v
	}
	if !status.IsSuccess() {
		t.Fatal(status.AsError())
	}
	var potential []fwk.NodeInfo
	for _, n := range objects.Nodes {
		if !result.AllNodes() && !result.NodeNames.Has(n.Name) {
			continue
		}
		info, err := snapshot.NodeInfos().Get(n.Name)
		if err != nil {
			t.Fatal(err)
		}
		status := profile.RunFilterPluginsWithNominatedPods(ctx, state, preemptor, info)
		switch {
		case status.IsSuccess():
			v.Filtered[n.Name] = ""
		case status.IsRejected():
			v.Filtered[n.Name] = status.Code().String() + ": " + status.Message()
			if status.Code() == fwk.Unschedulable {
				potential = append(potential, info)
			}
		default:
			t.Fatal(status.AsError())
		}
	}
	if len(potential) == 0 {
		return v
	}
	candidates, statuses, err := preemption.Evaluator.DryRunPreemption(ctx, state, preemptor, potential, objects.PodDisruptionBudgets, 0, int32(len(potential)))
	if err != nil {
		t.Fatal(err)
	}
	statuses.ForEachExplicitNode(func(node string, s *fwk.Status) { v.Statuses[node] = s.Code().String() + ": " + s.Message() })
	for _, c := range candidates {
		v.Candidates[c.Name()] = cost(podNames(c.Victims().Pods), int(c.Victims().NumPDBViolations), grouped)
	}
	return v
}

// cost prints victims and violations; in any order where groups, whose members
// the scheduler keeps in a map, may be among them.
func cost(victims []string, violations int, grouped bool) string {
	if grouped {
		slices.Sort(victims)
	}
	return fmt.Sprintf("%s (%d violations)", strings.Join(victims, " "), violations)
}

func podNames(pods []*v1.Pod) []string {
	var list []string
	for _, p := range pods {
		list = append(list, p.Name)
	}
	return list
}

func wantedProfile(t *testing.T, volumes bool) *config.KubeSchedulerProfile {
	t.Helper()
	defaults, err := latest.Default()
	if err != nil {
		t.Fatal(err)
	}
	wanted := wanted
	if volumes {
		wanted = slices.Concat(wanted, []string{names.VolumeRestrictions, names.NodeVolumeLimits, names.VolumeBinding, names.VolumeZone})
	}
	p := &defaults.Profiles[0]
	p.Plugins.MultiPoint.Enabled = slices.DeleteFunc(p.Plugins.MultiPoint.Enabled, func(x config.Plugin) bool { return !slices.Contains(wanted, x.Name) })
	if got := len(p.Plugins.MultiPoint.Enabled); got != len(wanted) {
		t.Fatalf("the default profile has %d of the %d plugins", got, len(wanted))
	}
	return p
}

// listing returns informers, never started, that know the objects and the budgets.
func listing(o scheduler.Objects, budgets []*policyv1.PodDisruptionBudget) informers.SharedInformerFactory {
	f := informers.NewSharedInformerFactory(&fake.Clientset{}, 0)
	know(f, o.Namespaces)
	know(f, o.PersistentVolumeClaims)
	know(f, o.PersistentVolumes)
	know(f, o.StorageClasses)
	know(f, o.CSINodes)
	know(f, o.VolumeAttachments)
	f.InformerFor(&policyv1.PodDisruptionBudget{}, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
		return orderedInformer{budgets: budgets}
	})
	return f
}

func know[T any, P interface {
	*T
	runtime.Object
}](f informers.SharedInformerFactory, objects []P) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, o := range objects {
		if err := indexer.Add(o); err != nil {
			panic(err)
		}
	}
	f.InformerFor(P(new(T)), func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return knowing{indexer: indexer} })
}

// knowing is an informer that has heard of everything: it tells a handler at once
// what there is.
type knowing struct {
	cache.SharedIndexInformer
	indexer cache.Indexer
}

func (i knowing) GetIndexer() cache.Indexer              { return i.indexer }
func (i knowing) GetStore() cache.Store                  { return i.indexer }
func (i knowing) AddIndexers(x cache.Indexers) error     { return i.indexer.AddIndexers(x) }
func (i knowing) HasSynced() bool                        { return true }
func (i knowing) SetTransform(cache.TransformFunc) error { return nil }

func (i knowing) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	for _, o := range i.indexer.List() {
		h.OnAdd(o, true)
	}
	return i, nil
}

// orderedInformer lists the budgets in their order, where others have map order.
type orderedInformer struct {
	cache.SharedIndexInformer
	budgets []*policyv1.PodDisruptionBudget
}

type orderedIndexer struct {
	cache.Indexer
	budgets []*policyv1.PodDisruptionBudget
}

func (i orderedInformer) GetIndexer() cache.Indexer { return orderedIndexer{budgets: i.budgets} }

func (i orderedIndexer) List() []any {
	list := make([]any, len(i.budgets))
	for n, b := range i.budgets {
		list[n] = b
	}
	return list
}

// nominator has fixed content.
type nominator map[string][]fwk.PodInfo

func (n nominator) nominate(p *v1.Pod) error {
	info, err := framework.NewPodInfo(p)
	if node := p.Status.NominatedNodeName; node != "" {
		n[node] = append(n[node], info)
	}
	return err
}

func (n nominator) NominatedPodsForNode(node string) []fwk.PodInfo              { return n[node] }
func (nominator) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (nominator) DeleteNominatedPodIfExists(*v1.Pod)                            {}
func (nominator) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo)          {}
