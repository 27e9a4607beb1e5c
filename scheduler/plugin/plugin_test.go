package plugin

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	schedulercache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"example.com/preemption/scheduler/decide"
)

// bench is a profile of kube-scheduler with the plugin in it, on a cluster that
// stands still.
type bench struct {
	t         testing.TB
	framework framework.Framework
	factory   informers.SharedInformerFactory
	snapshot  *schedulercache.Snapshot
	plugin    *Plugin
	decisions []decide.Decision
	nominated nominator
	logger    klog.Logger
}

// nominator is the scheduler's, without the queue.
type nominator map[string][]*v1.Pod

func (n nominator) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (n nominator) DeleteNominatedPodIfExists(*v1.Pod)                            {}
func (n nominator) UpdateNominatedPod(_ klog.Logger, _ *v1.Pod, info fwk.PodInfo) {}
func (n nominator) NominatedPodsForNode(node string) []fwk.PodInfo {
	var infos []fwk.PodInfo
	for _, p := range n[node] {
		info, err := framework.NewPodInfo(p.DeepCopy())
		if err != nil {
			panic(err)
		}
		infos = append(infos, info)
	}
	return infos
}

type setup struct {
	args      Args
	nodes     []*v1.Node
	pods      []*v1.Pod
	budgets   []*policyv1.PodDisruptionBudget
	fit       *config.NodeResourcesFitArgs
	extenders []fwk.Extender
	features  feature.Features
	devices   fwk.SharedDRAManager
	without   string // a plugin that the profile does not have
}

func newBench(t testing.TB, s setup, preemptor *v1.Pod) *bench {
	t.Helper()
	metrics.Register()
	b := &bench{t: t, factory: informers.NewSharedInformerFactory(fake.NewClientset(), 0), snapshot: schedulercache.NewSnapshot(s.pods, s.nodes), nominated: nominator{}, logger: klog.Background()}
	registry := plugins.NewInTreeRegistry()
	b.fatal(registry.Register(Name, func(ctx context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		s.args.complete()
		var err error
		b.plugin, err = newPlugin(ctx, Name, &s.args, handle, s.features, func(d decide.Decision) { b.decisions = append(b.decisions, d) })
		return b.plugin, err
	}))
	enable := func(names ...string) config.PluginSet {
		var set config.PluginSet
		for _, name := range names {
			if name != s.without {
				set.Enabled = append(set.Enabled, config.Plugin{Name: name})
			}
		}
		return set
	}
	filters := []string{names.NodeUnschedulable, names.NodeName, names.TaintToleration, names.NodeAffinity, names.NodePorts, names.NodeResourcesFit, names.PodTopologySpread, names.InterPodAffinity}
	profile := &config.KubeSchedulerProfile{
		SchedulerName: "test",
		Plugins: &config.Plugins{
			QueueSort: enable(names.PrioritySort), Bind: enable(names.DefaultBinder),
			PreFilter: enable(names.NodeAffinity, names.NodePorts, names.NodeResourcesFit, names.PodTopologySpread, names.InterPodAffinity),
			Filter:    enable(filters...), PostFilter: enable(Name),
		},
	}
	defaults, err := latest.Default()
	b.fatal(err)
	for _, c := range defaults.Profiles[0].PluginConfig {
		if c.Name == names.NodeResourcesFit && s.fit != nil {
			c.Args = s.fit
		}
		profile.PluginConfig = append(profile.PluginConfig, c)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	b.framework, err = frameworkruntime.NewFramework(ctx, registry, profile,
		frameworkruntime.WithClientSet(fake.NewClientset()), frameworkruntime.WithInformerFactory(b.factory),
		frameworkruntime.WithSnapshotSharedLister(b.snapshot), frameworkruntime.WithMutableSnapshotLister(b.snapshot),
		frameworkruntime.WithPodNominator(b.nominated), frameworkruntime.WithExtenders(s.extenders), frameworkruntime.WithSharedDRAManager(s.devices),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()), frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
		frameworkruntime.WithEventRecorder(events.NewEventBroadcasterAdapterWithContext(ctx, fake.NewClientset()).NewRecorder("test").(events.EventRecorderLogger)))
	b.fatal(err)
	for _, x := range s.budgets {
		b.fatal(b.factory.Policy().V1().PodDisruptionBudgets().Informer().GetStore().Add(x))
	}
	b.fatal(b.factory.Core().V1().Pods().Informer().GetStore().Add(preemptor))
	return b
}

func (b *bench) fatal(err error) {
	if err != nil {
		b.t.Helper()
		b.t.Fatal(err)
	}
}

// postFilter schedules the pod up to PostFilter and returns the node that is
// cleared. It reports false if a node takes the pod as it is.
func (b *bench) postFilter(pod *v1.Pod) (node string, status *fwk.Status, unschedulable bool) {
	b.t.Helper()
	ctx := klog.NewContext(b.t.Context(), b.logger)
	state := framework.NewCycleState()
	if _, status, _ := b.framework.RunPreFilterPlugins(ctx, state, pod); !status.IsSuccess() {
		b.t.Fatal(status)
	}
	list, err := b.snapshot.NodeInfos().List()
	b.fatal(err)
	statuses := framework.NewDefaultNodeToStatus()
	for _, info := range list {
		status := b.framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
		if status.IsSuccess() {
			return "", nil, false
		}
		statuses.Set(info.Node().Name, status)
	}
	result, status := b.framework.RunPostFilterPlugins(ctx, state, pod, statuses)
	if status.IsSuccess() {
		node = result.NominatedNodeName
	}
	return node, status, true
}

func (b *bench) last() decide.Decision {
	b.t.Helper()
	if len(b.decisions) == 0 {
		b.t.Fatal("nothing was decided")
	}
	return b.decisions[len(b.decisions)-1]
}

func node(name string, cpu int64) *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelHostname: name, "zone": string(name[len(name)-1]%3 + 'a')}}}
	n.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(cpu, resource.DecimalSI), v1.ResourcePods: resource.MustParse("20")}
	return n
}

func pod(name, on string, priority int32, cpu int64, start int64) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), ResourceVersion: "1", Labels: map[string]string{"app": name}}}
	p.Spec.Priority, p.Spec.NodeName = &priority, on
	p.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(cpu, resource.DecimalSI)}}}}
	at := metav1.NewTime(time.Unix(start, 0))
	p.Status.StartTime = &at
	return p
}

// random returns a cluster in which budgets, anti-affinity, ports, taints and
// nominations matter. No two pods have the same start.
func random(r *rand.Rand) (s setup, preemptor *v1.Pod) {
	apps := func() map[string]string { return map[string]string{"app": fmt.Sprintf("a%d", r.IntN(4))} }
	anti := func() *v1.Affinity {
		return &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
			LabelSelector: &metav1.LabelSelector{MatchLabels: apps()}, TopologyKey: []string{v1.LabelHostname, "zone"}[r.IntN(2)]}}}}
	}
	start := int64(0)
	for i := range 3 + r.IntN(8) {
		n := node(fmt.Sprintf("n%d", i), 4000)
		if r.IntN(6) == 0 {
			n.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}}
		}
		s.nodes = append(s.nodes, n)
		for j := range 2 + r.IntN(5) {
			start += 1 + r.Int64N(1000)
			p := pod(fmt.Sprintf("p%d-%d", i, j), n.Name, int32(r.IntN(5)*100), int64(3+r.IntN(12))*100, start)
			p.Labels = apps()
			if r.IntN(8) == 0 {
				p.Spec.Affinity = anti()
			}
			if r.IntN(8) == 0 {
				p.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80, ContainerPort: 80}}
			}
			s.pods = append(s.pods, p)
		}
	}
	for i := range r.IntN(3) {
		b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("b%d", i)}}
		b.Spec.Selector = &metav1.LabelSelector{MatchLabels: apps()}
		b.Status.DisruptionsAllowed = int32(r.IntN(2))
		s.budgets = append(s.budgets, b)
	}
	preemptor = pod("preemptor", "", 350, int64(15+r.IntN(25))*100, 0)
	preemptor.Labels = apps()
	switch r.IntN(5) {
	case 0:
		preemptor.Spec.Affinity = anti()
	case 1:
		preemptor.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80, ContainerPort: 80}}
	case 2:
		preemptor.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: preemptor.Labels}}}
	}
	return s, preemptor
}

// On random clusters kube-scheduler bears out every decision, and its whole search
// finds nothing better.
func TestAgreesWithUpstream(t *testing.T) {
	const clusters = 400
	outcomes := map[decide.Outcome]int{}
	better := 0
	for seed := range uint64(clusters) {
		r := rand.New(rand.NewPCG(seed, 1))
		s, preemptor := random(r)
		s.args.CrossCheck = CrossCheckFull
		one, two := int32(1), int32(10)
		s.args.MinCandidateNodesAbsolute, s.args.MinCandidateNodesPercentage = &one, &two
		b := newBench(t, s, preemptor)
		if r.IntN(3) == 0 {
			n := s.nodes[r.IntN(len(s.nodes))].Name
			x := pod("nominated", "", int32(300+r.IntN(3)*50), 1000, 0)
			x.Labels, x.Status.NominatedNodeName = preemptor.Labels, n
			b.nominated[n] = append(b.nominated[n], x)
			b.fatal(b.factory.Core().V1().Pods().Informer().GetStore().Add(x))
		}
		got, status, unschedulable := b.postFilter(preemptor)
		if !unschedulable {
			continue
		}
		d := b.last()
		outcomes[d.Outcome]++
		if d.BetterThanSample {
			better++
		}
		switch {
		case d.Agreement != decide.Agreed:
			t.Errorf("cluster %d: %s: %s; node %q, decided %q with %d victims, %d violations; ports %v, affinity %t, spread %t, nominations %v", seed, d.Outcome, d.Agreement, got, d.Node, len(d.Victims), d.Violations,
				preemptor.Spec.Containers[0].Ports, preemptor.Spec.Affinity != nil, preemptor.Spec.TopologySpreadConstraints != nil, len(b.nominated))
		case d.Outcome == decide.Left:
			t.Errorf("cluster %d: left: %s", seed, d.Reason)
		case d.Outcome == decide.Preempts && (got != d.Node || !d.CrossChecked):
			t.Errorf("cluster %d: node %q, decided %q, cross-checked %t; %v", seed, got, d.Node, d.CrossChecked, status)
		}
	}
	t.Logf("%d clusters, decisions: %v, better than a sample: %d", clusters, outcomes, better)
	if outcomes[decide.Preempts] < clusters/3 || outcomes[decide.Unhelpful] < 10 || better < 10 {
		t.Errorf("too few of a kind: %v, better than a sample %d", outcomes, better)
	}
}

// A node that the filter phase found unresolvable is never cleared, even if the
// filters would take the preemptor there now.
func TestUnresolvableIsFinal(t *testing.T) {
	preemptor := pod("preemptor", "", 100, 1000, 0)
	b := newBench(t, best(), preemptor)
	state := framework.NewCycleState()
	if _, status, _ := b.framework.RunPreFilterPlugins(t.Context(), state, preemptor); !status.IsSuccess() {
		t.Fatal(status)
	}
	statuses := framework.NewDefaultNodeToStatus()
	statuses.Set("n1", fwk.NewStatus(fwk.UnschedulableAndUnresolvable).WithPlugin(names.NodeName))
	statuses.Set("n2", fwk.NewStatus(fwk.Unschedulable).WithPlugin(names.NodeResourcesFit))
	result, status := b.framework.RunPostFilterPlugins(t.Context(), state, preemptor, statuses)
	if d := b.last(); !status.IsSuccess() || result.NominatedNodeName != "n2" || d.Node != "n2" || d.Agreement != decide.Agreed {
		t.Errorf("%v: decided %q, %s: want n2, agreed", status, d.Node, d.Agreement)
	}
}

// best is a cluster of two nodes, of which the first is the better one to clear.
func best() setup {
	return setup{nodes: []*v1.Node{node("n1", 2000), node("n2", 2000)}, pods: []*v1.Pod{pod("p1", "n1", 10, 2000, 1), pod("p2", "n2", 20, 2000, 2)}}
}

func TestLibraryIsOverruled(t *testing.T) {
	preemptor := pod("preemptor", "", 100, 1000, 0)
	b := newBench(t, best(), preemptor)
	// Only kube-scheduler's dry run knows that n1 cannot be cleared.
	b.plugin.rest.IsEligiblePod = func(n fwk.NodeInfo, _ victim, _ *v1.Pod) bool { return n.Node().Name != "n1" }
	var said []string
	b.logger = funcr.New(func(_, args string) { said = append(said, args) }, funcr.Options{})
	got, status, _ := b.postFilter(preemptor)
	if d := b.last(); got != "n2" || d.Node != "n1" || d.Agreement != decide.Refused {
		t.Errorf("node %q, decided %q, %s, status %v: want n2, n1, refused", got, d.Node, d.Agreement, status)
	}
	if !slices.ContainsFunc(said, func(s string) bool {
		return strings.Contains(s, "does not bear the library out") && strings.Contains(s, `"node"="n1"`)
	}) {
		t.Errorf("the log does not say so: %q", said)
	}
}

func TestVictimsDiffer(t *testing.T) {
	s := setup{
		nodes: []*v1.Node{node("n1", 2000), node("n2", 2000)},
		pods:  []*v1.Pod{pod("a", "n1", 10, 1000, 1), pod("b", "n1", 11, 500, 2), pod("c", "n1", 11, 500, 3), pod("p2", "n2", 20, 2000, 4)},
	}
	preemptor := pod("preemptor", "", 100, 1000, 0)
	b := newBench(t, s, preemptor)
	// Only kube-scheduler's dry run knows that a is spared, so that b and c have to go.
	b.plugin.rest.IsEligiblePod = func(_ fwk.NodeInfo, v victim, _ *v1.Pod) bool { return v.Priority() > 10 }
	got, status, _ := b.postFilter(preemptor)
	if d := b.last(); got != "n1" || d.Node != "n1" || len(d.Victims) != 1 || d.Agreement != decide.Differs || !strings.Contains(status.Message(), "preempting 2 victims") {
		t.Errorf("node %q, decided %q with %d victims, %s, status %v: want n1, n1 with 1, differs, 2 victims", got, d.Node, len(d.Victims), d.Agreement, status)
	}
}

func TestUpstreamKnowsBetter(t *testing.T) {
	s := best()
	s.args.CrossCheck = CrossCheckFull
	preemptor := pod("preemptor", "", 100, 1000, 0)
	b := newBench(t, s, preemptor)
	// Only the library believes that n1 cannot be cleared.
	eligible := b.plugin.rest.IsEligiblePod
	b.plugin.IsEligiblePod = func(n fwk.NodeInfo, _ victim, _ *v1.Pod) bool { return n.Node().Name != "n1" }
	b.plugin.rest.IsEligiblePod = func(n fwk.NodeInfo, v victim, p *v1.Pod) bool {
		return n.Node().Name == "n1" || eligible(n, v, p)
	}
	got, _, _ := b.postFilter(preemptor)
	if d := b.last(); got != "n1" || d.Node != "n2" || d.Agreement != decide.Worse {
		t.Errorf("node %q, decided %q, %s: want n1, n2, worse", got, d.Node, d.Agreement)
	}
}

func TestHooks(t *testing.T) {
	preemptor := pod("preemptor", "", 100, 1000, 0)
	b := newBench(t, best(), preemptor)
	b.plugin.IsEligiblePod = func(n fwk.NodeInfo, v victim, p *v1.Pod) bool {
		if n.Node().Name != v.Pods()[0].GetPod().Spec.NodeName || p.Name != "preemptor" {
			t.Errorf("asked about %s on %s for %s", v.Pods()[0].GetPod().Name, n.Node().Name, p.Name)
		}
		return v.Priority() > 10
	}
	got, _, _ := b.postFilter(preemptor)
	if d := b.last(); got != "n2" || d.Node != "n2" || d.Agreement != decide.Agreed {
		t.Errorf("IsEligiblePod: node %q, decided %q, %s: want n2, agreed", got, d.Node, d.Agreement)
	}

	s := setup{nodes: []*v1.Node{node("n1", 2000)}, pods: []*v1.Pod{pod("p1", "n1", 10, 1000, 1), pod("p2", "n1", 20, 1000, 2)}}
	b = newBench(t, s, preemptor)
	b.plugin.MoreImportantVictim = func(a, b victim) bool { return a.Priority() < b.Priority() } // upside down
	b.postFilter(preemptor)
	if d := b.last(); len(d.Victims) != 1 || d.Victims[0].Name != "p2" || d.Agreement != decide.Agreed {
		t.Errorf("MoreImportantVictim: victims %v, %s: want p2, agreed", d.Victims, d.Agreement)
	}
}

// A nomination that nobody told of is found on the chosen node, whichever filter it
// stands in the way of: the library's own, of resources, or one of the profile's.
func TestNominationOnTheChosenNode(t *testing.T) {
	port := []v1.ContainerPort{{HostPort: 80, ContainerPort: 80}}
	for name, rival := range map[string]*v1.Pod{"room": pod("rival", "", 200, 1500, 0), "port": pod("rival", "", 200, 100, 0)} {
		preemptor := pod("preemptor", "", 100, 1000, 0)
		if name == "port" {
			preemptor.Spec.Containers[0].Ports, rival.Spec.Containers[0].Ports = port, port
		}
		b := newBench(t, best(), preemptor)
		b.nominated["n1"] = []*v1.Pod{rival}
		got, _, _ := b.postFilter(preemptor)
		if d := b.last(); got != "n2" || d.Node != "n2" || d.Agreement != decide.Agreed {
			t.Errorf("%s: node %q, decided %q, %s: want n2, agreed", name, got, d.Node, d.Agreement)
		}
	}
}

// The preemptor's nomination by an earlier cycle arrives while it is decided about.
// The library and kube-scheduler both decide about the pod without it: with it,
// kube-scheduler would have the pod wait for the victim that leaves n3.
func TestPodIsReadOnce(t *testing.T) {
	leaving := pod("leaving", "n3", 30, 2000, 3)
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Unix(9, 0)}
	leaving.Status.Conditions = []v1.PodCondition{{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler}}
	for _, crossCheck := range []string{CrossCheckNone, CrossCheckFull} {
		s := best()
		s.args.CrossCheck = crossCheck
		s.nodes, s.pods = append(s.nodes, node("n3", 2000)), append(s.pods, leaving)
		preemptor := pod("preemptor", "", 100, 1000, 0)
		b := newBench(t, s, preemptor)
		b.plugin.IsEligiblePod = func(fwk.NodeInfo, victim, *v1.Pod) bool {
			nominated := preemptor.DeepCopy()
			nominated.ResourceVersion, nominated.Status.NominatedNodeName = "2", "n3"
			b.fatal(b.factory.Core().V1().Pods().Informer().GetStore().Update(nominated))
			return true
		}
		got, status, _ := b.postFilter(preemptor)
		if d := b.last(); got != "n1" || d.Node != "n1" || d.Agreement != decide.Agreed {
			t.Errorf("cross-check %s: node %q, decided %q, %s, %v: want n1, agreed", crossCheck, got, d.Node, d.Agreement, status)
		}
		if got, status, _ = b.postFilter(preemptor); got != "" || b.last().Outcome != decide.Ineligible {
			t.Errorf("cross-check %s, once it has arrived: node %q, %s, %v: want none, ineligible", crossCheck, got, b.last().Outcome, status)
		}
	}
}

// extender has a say in preemption, and wants n2.
type extender struct {
	fwk.Extender // nil
	asked        int
}

func (e *extender) Name() string                { return "test" }
func (e *extender) SupportsPreemption() bool    { return true }
func (e *extender) IsInterested(p *v1.Pod) bool { return p.Labels["app"] == "preemptor" }
func (e *extender) IsIgnorable() bool           { return false }
func (e *extender) ProcessPreemption(_ *v1.Pod, victims map[string]*extenderv1.Victims, _ fwk.NodeInfoLister) (map[string]*extenderv1.Victims, error) {
	e.asked++
	if len(victims) != 2 {
		return nil, errors.New("it is shown too few candidates")
	}
	return map[string]*extenderv1.Victims{"n2": victims["n2"]}, nil
}

func TestExtenderIsRespected(t *testing.T) {
	s := best()
	x := &extender{}
	s.extenders = []fwk.Extender{x}
	preemptor := pod("preemptor", "", 100, 1000, 0)
	b := newBench(t, s, preemptor)
	got, status, _ := b.postFilter(preemptor)
	if d := b.last(); got != "n2" || x.asked != 1 || d.Outcome != decide.Left {
		t.Errorf("node %q, asked %d times, %s, %v: want n2, once, left", got, x.asked, d.Outcome, status)
	}
	other := pod("other", "", 100, 1000, 0)
	b.fatal(b.factory.Core().V1().Pods().Informer().GetStore().Add(other))
	if got, _, _ = b.postFilter(other); got != "n1" || x.asked != 1 || b.last().Outcome != decide.Preempts {
		t.Errorf("node %q, asked %d times, %s: want n1, once, preempts", got, x.asked, b.last().Outcome)
	}
}

// An extender that only filters refused n1, where the pod would fit beside p1:
// nobody has to go there, so it is no candidate. Where evictions cannot help, by the
// extender's word, the node is left out as well.
func TestFilteringExtender(t *testing.T) {
	for _, c := range []struct {
		code fwk.Code
		cpu  int64
		want string
	}{{fwk.Unschedulable, 500, "n2"}, {fwk.UnschedulableAndUnresolvable, 2000, "n2"}, {fwk.Unschedulable, 2000, "n1"}} {
		s := best()
		s.pods[0] = pod("p1", "n1", 10, c.cpu, 1)
		preemptor := pod("preemptor", "", 100, 1000, 0)
		b := newBench(t, s, preemptor)
		state := framework.NewCycleState()
		if _, status, _ := b.framework.RunPreFilterPlugins(t.Context(), state, preemptor); !status.IsSuccess() {
			t.Fatal(status)
		}
		statuses := framework.NewDefaultNodeToStatus()
		statuses.Set("n1", fwk.NewStatus(c.code, "the extender refuses")) // extenders name no plugin
		statuses.Set("n2", fwk.NewStatus(fwk.Unschedulable).WithPlugin(names.NodeResourcesFit))
		result, status := b.framework.RunPostFilterPlugins(t.Context(), state, preemptor, statuses)
		if d := b.last(); !status.IsSuccess() || result.NominatedNodeName != c.want || d.Node != c.want || d.Agreement != decide.Agreed {
			t.Errorf("%s, %dm used: %v: decided %q (%s %s), %s: want %s, agreed", c.code, c.cpu, status, d.Node, d.Outcome, d.Reason, d.Agreement, c.want)
		}
	}
}

// Extended resources are counted, or ignored where the profile says so.
func TestExtendedResources(t *testing.T) {
	const gpu, licence = "example.com/gpu", "example.com/licence"
	s := setup{nodes: []*v1.Node{node("n1", 4000), node("n2", 4000)}}
	for i, n := range s.nodes {
		n.Status.Allocatable[gpu] = resource.MustParse("2")
		p := pod(fmt.Sprintf("p%d", i), n.Name, int32(20-i), 100, int64(i))
		p.Spec.Containers[0].Resources.Requests[gpu] = resource.MustParse("2")
		s.pods = append(s.pods, p)
	}
	preemptor := pod("preemptor", "", 100, 100, 0)
	preemptor.Spec.Containers[0].Resources.Requests[gpu] = resource.MustParse("1")
	b := newBench(t, s, preemptor)
	got, _, _ := b.postFilter(preemptor)
	// The engine needs no run of the filters, having the resources itself.
	if d := b.last(); got != "n2" || d.Agreement != decide.Agreed || d.FilterRuns > 0 {
		t.Errorf("node %q, %s, %d runs of filters: want n2, agreed, none", got, d.Agreement, d.FilterRuns)
	}

	s.fit = &config.NodeResourcesFitArgs{IgnoredResources: []string{licence}, ScoringStrategy: &config.ScoringStrategy{Type: config.LeastAllocated, Resources: []config.ResourceSpec{{Name: "cpu", Weight: 1}}}}
	preemptor = pod("preemptor", "", 100, 100, 0)
	preemptor.Spec.Containers[0].Resources.Requests[gpu] = resource.MustParse("1")
	preemptor.Spec.Containers[0].Resources.Requests[licence] = resource.MustParse("1")
	b = newBench(t, s, preemptor)
	said := 0
	b.logger = funcr.New(func(_, args string) {
		if strings.Contains(args, "NodeResourcesFit is not in its default configuration") {
			said++
		}
	}, funcr.Options{})
	for range 2 {
		got, status, _ := b.postFilter(preemptor)
		if d := b.last(); got != "n2" || d.Agreement != decide.Agreed || d.FilterRuns == 0 {
			t.Errorf("with an ignored resource: node %q, %s, %d runs of filters, %v: want n2, agreed, some", got, d.Agreement, d.FilterRuns, status)
		}
	}
	if said != 1 {
		t.Errorf("that the configuration is not the default was said %d times, want once", said)
	}
}

// A profile without NodeResourcesFit lets nodes be overfull, and says so once.
func TestWithoutResources(t *testing.T) {
	port := []v1.ContainerPort{{HostPort: 80, ContainerPort: 80}}
	s := best()
	s.without = names.NodeResourcesFit
	for _, p := range s.pods {
		p.Spec.Containers[0].Ports = port
	}
	preemptor := pod("preemptor", "", 100, 9000, 0)
	preemptor.Spec.Containers[0].Ports = port
	b := newBench(t, s, preemptor)
	said := 0
	b.logger = funcr.New(func(_, args string) {
		if strings.Contains(args, "NodeResourcesFit is not in the profile") {
			said++
		}
	}, funcr.Options{})
	for range 2 {
		got, status, _ := b.postFilter(preemptor)
		if d := b.last(); got != "n1" || d.Node != "n1" || d.Agreement != decide.Agreed {
			t.Errorf("node %q, decided %q, %s, %v: want n1, agreed", got, d.Node, d.Agreement, status)
		}
	}
	if said != 1 {
		t.Errorf("it was said %d times, want once", said)
	}
}

// devices stand for the resource of that name where a node has none of it.
type devices struct {
	fwk.SharedDRAManager // nil
	resource             v1.ResourceName
}

func (d devices) DeviceClassResolver() fwk.DeviceClassResolver { return d }
func (d devices) GetDeviceClass(name v1.ResourceName) *resourcev1.DeviceClass {
	if name != d.resource {
		return nil
	}
	return &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "devices"}}
}

// Where devices stand for a resource, the library does not take it to be missing on
// a node that has none of it, but asks the profile's filter.
func TestDevicesStandForResource(t *testing.T) {
	const gpu = "example.com/gpu"
	s := best()
	s.nodes[1].Status.Allocatable[gpu] = resource.MustParse("1")
	preemptor := pod("preemptor", "", 100, 1000, 0)
	preemptor.Spec.Containers[0].Resources.Requests[gpu] = resource.MustParse("1")
	for _, c := range []struct {
		devices fwk.SharedDRAManager
		node    string
		runs    bool
	}{{nil, "n2", false}, {devices{resource: "example.com/other"}, "n2", false}, {devices{resource: gpu}, "n1", true}} {
		s.devices = c.devices
		b := newBench(t, s, preemptor)
		got, status, _ := b.postFilter(preemptor)
		if d := b.last(); got != c.node || d.Node != c.node || d.Agreement != decide.Agreed || d.FilterRuns > 0 != c.runs {
			t.Errorf("devices %v: node %q, decided %q, %s, %d runs of filters, %v: want %s, agreed, runs: %t", c.devices, got, d.Node, d.Agreement, d.FilterRuns, status, c.node, c.runs)
		}
	}
}

// A snapshot that the library cannot follow is kube-scheduler's alone to decide on;
// the next one is followed again.
func TestStateCannotBeFollowed(t *testing.T) {
	preemptor := pod("preemptor", "", 100, 1000, 0)
	s := best()
	b := newBench(t, s, preemptor)
	bad := pod("bad", "n2", 5, -1, 3) // as no API server lets in
	for _, c := range []struct {
		pods []*v1.Pod
		want decide.Outcome
	}{{s.pods, decide.Preempts}, {append(s.pods, bad), decide.Left}, {s.pods, decide.Preempts}} {
		*b.snapshot = *schedulercache.NewSnapshot(c.pods, s.nodes)
		got, status, _ := b.postFilter(preemptor)
		if d := b.last(); got != "n1" || d.Outcome != c.want {
			t.Errorf("%d pods: node %q, %s (%s), %v: want n1, %s", len(c.pods), got, d.Outcome, d.Reason, status, c.want)
		}
	}
}

// The plugin goes by the name that it was registered under.
func TestName(t *testing.T) {
	b := newBench(t, best(), pod("preemptor", "", 100, 1000, 0))
	p, err := New("Other")(t.Context(), &runtime.Unknown{Raw: []byte("nodes: Sample")}, b.framework)
	if err != nil || p.Name() != "Other" {
		t.Errorf("plugin %v, %v, want Other", p, err)
	}
	if _, err = New("Other")(t.Context(), &runtime.Unknown{Raw: []byte("nodes: Some")}, b.framework); err == nil || !strings.Contains(err.Error(), "plugin Other: args.nodes") {
		t.Errorf("error %v, want one of plugin Other's args", err)
	}
}

func TestSample(t *testing.T) {
	s := best()
	one, zero := int32(1), int32(0)
	s.args = Args{Nodes: NodesSample}
	s.args.MinCandidateNodesAbsolute, s.args.MinCandidateNodesPercentage = &one, &zero
	preemptor := pod("preemptor", "", 100, 1000, 0)
	seen := map[string]int{}
	for range 40 {
		b := newBench(t, s, preemptor)
		got, _, _ := b.postFilter(preemptor)
		if d := b.last(); d.Node != got || d.Agreement != decide.Agreed {
			t.Fatalf("node %q, decided %q, %s", got, d.Node, d.Agreement)
		}
		seen[got]++
	}
	if seen["n1"] == 0 || seen["n2"] == 0 {
		t.Errorf("chosen: %v, want each of n1 and n2 at times", seen)
	}
}

func TestIneligible(t *testing.T) {
	preemptor := pod("preemptor", "", 100, 1000, 0)
	never := v1.PreemptNever
	preemptor.Spec.PreemptionPolicy = &never
	b := newBench(t, best(), preemptor)
	_, status, _ := b.postFilter(preemptor)
	if want := "preemption: not eligible due to preemptionPolicy=Never."; status.Message() != want || b.last().Outcome != decide.Ineligible {
		t.Errorf("%s, %q, want ineligible, %q", b.last().Outcome, status.Message(), want)
	}
}
