package decide

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	schedulercache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"example.com/preemption"
)

var logger = logr.Discard() // what the cache says is not meant for anybody

// world is a scheduler's cache, nominator and informers, with objects that come
// and go at random.
type world struct {
	fwk.Handle // nil
	t          *testing.T
	random     *rand.Rand
	cache      schedulercache.Cache
	snapshot   *schedulercache.Snapshot
	factory    informers.SharedInformerFactory
	state      *state

	nodes      map[string]*v1.Node
	bound      map[types.UID]*v1.Pod // those in the cache
	pending    map[types.UID]*v1.Pod
	nominated  map[string]map[types.UID]*v1.Pod
	budgets    map[string]*policyv1.PodDisruptionBudget
	groups     map[string]*schedulingv1beta1.PodGroup
	composites map[string]*schedulingv1alpha3.CompositePodGroup
	version    int
}

func newWorld(t *testing.T, seed uint64) *world {
	metrics.Register() // the cache counts
	ctx, stop := context.WithCancel(klog.NewContext(context.Background(), logger))
	t.Cleanup(stop)
	w := &world{
		t:          t,
		random:     rand.New(rand.NewPCG(seed, 0)),
		cache:      schedulercache.New(ctx, nil, true, false),
		snapshot:   schedulercache.NewEmptySnapshot(),
		factory:    informers.NewSharedInformerFactory(fake.NewClientset(), 0),
		nodes:      map[string]*v1.Node{},
		bound:      map[types.UID]*v1.Pod{},
		pending:    map[types.UID]*v1.Pod{},
		nominated:  map[string]map[types.UID]*v1.Pod{},
		budgets:    map[string]*policyv1.PodDisruptionBudget{},
		groups:     map[string]*schedulingv1beta1.PodGroup{},
		composites: map[string]*schedulingv1alpha3.CompositePodGroup{},
	}
	var err error
	if w.state, err = newState(w, feature.Features{EnableGenericWorkload: true, EnableCompositePodGroup: true}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) SnapshotSharedLister() fwk.SharedLister                 { return w.snapshot }
func (w *world) SharedInformerFactory() informers.SharedInformerFactory { return w.factory }

// NominatedPodsForNode returns copies, as the scheduler's queue does.
func (w *world) NominatedPodsForNode(node string) []fwk.PodInfo {
	var infos []fwk.PodInfo
	for _, uid := range slices.Sorted(maps.Keys(w.nominated[node])) {
		info, err := framework.NewPodInfo(w.nominated[node][uid].DeepCopy())
		if err != nil {
			w.t.Fatal(err)
		}
		infos = append(infos, info)
	}
	return infos
}

func (w *world) fatal(err error) {
	if err != nil {
		w.t.Helper()
		w.t.Fatal(err)
	}
}

// pick returns a random element in an order that does not depend on the map.
func pick[K ~string, V any](r *rand.Rand, m map[K]V) (V, bool) {
	if len(m) == 0 {
		var none V
		return none, false
	}
	return m[slices.Sorted(maps.Keys(m))[r.IntN(len(m))]], true
}

func (w *world) newNode() *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%02d", w.random.IntN(12))}}
	n.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(int64(2+w.random.IntN(4))*1000, resource.DecimalSI), v1.ResourcePods: resource.MustParse("20")}
	return n
}

// podName is a new name, or now and then that of a pod on a node.
func (w *world) podName() string {
	if p, ok := pick(w.random, w.bound); ok && w.random.IntN(30) == 0 {
		return p.Name
	}
	return fmt.Sprintf("p%d", w.version)
}

func (w *world) newPod(name string) *v1.Pod {
	w.version++
	priority := int32(w.random.IntN(4))
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(fmt.Sprintf("uid-%05d", w.version)), ResourceVersion: fmt.Sprint(w.version), Generation: int64(w.random.IntN(5))}}
	p.Labels = map[string]string{"app": fmt.Sprintf("a%d", w.random.IntN(4))}
	p.Spec.Priority = &priority
	p.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
		v1.ResourceCPU: *resource.NewMilliQuantity(int64(1+w.random.IntN(9))*100, resource.DecimalSI)}}}}
	if w.random.IntN(4) == 0 {
		group := fmt.Sprintf("g%d", w.random.IntN(4))
		p.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &group}
	}
	start := metav1.NewTime(time.Unix(int64(w.random.IntN(1e6)), 0))
	p.Status.StartTime = &start
	return p
}

// changed returns a new version of a pod.
func (w *world) changed(p *v1.Pod) *v1.Pod {
	w.version++
	c := p.DeepCopy()
	c.ResourceVersion = fmt.Sprint(w.version)
	switch w.random.IntN(3) {
	case 0:
		c.Labels["app"] = fmt.Sprintf("a%d", w.random.IntN(4))
	case 1:
		now := metav1.NewTime(time.Unix(2e6, 0))
		c.DeletionTimestamp = &now
	}
	return c
}

// podHandlers and the notes are what the informers would call.
func (w *world) podHandlers() cache.ResourceEventHandler { return w.state.events.pods() }

func (w *world) noteBudget(b *policyv1.PodDisruptionBudget) {
	w.state.events.names(func(c *changes) map[types.NamespacedName]bool { return c.budgets }).OnAdd(b, false)
}

func (w *world) noteGroup(g *schedulingv1beta1.PodGroup) {
	w.state.events.names(func(c *changes) map[types.NamespacedName]bool { return c.groups }).OnAdd(g, false)
}

func (w *world) noteComposite(g *schedulingv1alpha3.CompositePodGroup) {
	w.state.events.names(func(c *changes) map[types.NamespacedName]bool { return c.composites }).OnAdd(g, false)
}

// parent is the name of a composite group, which may not exist, or nil.
func (w *world) parent() *string {
	if w.random.IntN(2) == 0 {
		return nil
	}
	name := fmt.Sprintf("c%d", w.random.IntN(3))
	return &name
}

// nominate moves a pending pod's nomination, in the nominator and in its status.
// The informer's event comes now or never: the scheduler nominates before the
// status says so.
func (w *world) nominate(p *v1.Pod, node string) {
	from := p.Status.NominatedNodeName
	c := p.DeepCopy()
	w.version++
	c.ResourceVersion = fmt.Sprint(w.version)
	c.Status.NominatedNodeName = node
	delete(w.nominated[from], p.UID)
	if node != "" {
		if w.nominated[node] == nil {
			w.nominated[node] = map[types.UID]*v1.Pod{}
		}
		w.nominated[node][p.UID] = c
	}
	w.pending[p.UID] = c
	if w.random.IntN(2) == 0 {
		w.podHandlers().OnUpdate(p, c)
	} else {
		w.state.events.nomination(p.UID, from, node, nil)
	}
}

// change changes a pending pod, in what matters to others or in its status alone.
func (w *world) change(p *v1.Pod) {
	c := p.DeepCopy()
	w.version++
	c.ResourceVersion = fmt.Sprint(w.version)
	switch w.random.IntN(3) {
	case 0:
		c.Labels["app"] = fmt.Sprintf("a%d", w.random.IntN(4))
	case 1:
		c.Generation++
		c.Spec.Containers[0].Resources.Requests[v1.ResourceCPU] = *resource.NewMilliQuantity(int64(1+w.random.IntN(9))*100, resource.DecimalSI)
	}
	w.pending[p.UID] = c
	if nominated := w.nominated[p.Status.NominatedNodeName]; nominated[p.UID] != nil {
		nominated[p.UID] = c
	}
	w.podHandlers().OnUpdate(p, c)
}

// step makes one random event.
func (w *world) step() {
	switch w.random.IntN(16) {
	case 0: // a node comes, or changes
		n := w.newNode()
		if old := w.nodes[n.Name]; old != nil {
			w.cache.UpdateNode(logger, old, n)
		} else {
			w.cache.AddNode(logger, n)
		}
		w.nodes[n.Name] = n
	case 1: // a node goes; the cache keeps its pods until they go
		if n, ok := pick(w.random, w.nodes); ok && w.random.IntN(3) == 0 {
			w.fatal(w.cache.RemoveNode(logger, n))
			delete(w.nodes, n.Name)
		}
	case 2, 3, 4: // a pod appears on a node, at times under a name that another one has still
		if n, ok := pick(w.random, w.nodes); ok && len(w.bound) < 60 {
			p := w.newPod(w.podName())
			p.Spec.NodeName = n.Name
			w.fatal(w.cache.AddPod(logger, p))
			w.bound[p.UID] = p
		}
	case 5, 6: // it changes
		if p, ok := pick(w.random, w.bound); ok {
			c := w.changed(p)
			w.fatal(w.cache.UpdatePod(logger, p, c))
			w.bound[p.UID] = c
		}
	case 7, 8: // it goes
		if p, ok := pick(w.random, w.bound); ok {
			w.fatal(w.cache.RemovePod(logger, p))
			delete(w.bound, p.UID)
		}
	case 9: // a pod is pending
		p := w.newPod(w.podName())
		w.pending[p.UID] = p
		w.podHandlers().OnAdd(p, false)
	case 10: // it changes
		if p, ok := pick(w.random, w.pending); ok {
			w.change(p)
		}
	case 11: // it is nominated, or not any more
		if p, ok := pick(w.random, w.pending); ok {
			to := ""
			if n, ok := pick(w.random, w.nodes); ok && w.random.IntN(4) > 0 {
				to = n.Name
			}
			w.nominate(p, to)
		}
	case 12: // it is assumed on a node, or deleted
		p, ok := pick(w.random, w.pending)
		if !ok {
			return
		}
		delete(w.pending, p.UID)
		delete(w.nominated[p.Status.NominatedNodeName], p.UID)
		if n, ok := pick(w.random, w.nodes); ok && w.random.IntN(2) == 0 {
			c := p.DeepCopy()
			c.Spec.NodeName = n.Name
			w.fatal(w.cache.AddPod(logger, c))
			w.bound[c.UID] = c
			w.podHandlers().OnUpdate(p, c)
		} else {
			w.podHandlers().OnDelete(p)
		}
	case 13: // a budget comes, changes or goes
		b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("b%d", w.random.IntN(5))}}
		store := w.factory.Policy().V1().PodDisruptionBudgets().Informer().GetStore()
		if w.budgets[b.Name] != nil && w.random.IntN(3) == 0 {
			w.fatal(store.Delete(b))
			delete(w.budgets, b.Name)
		} else {
			b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprintf("a%d", w.random.IntN(4))}}
			b.Status.DisruptionsAllowed = int32(w.random.IntN(3))
			b.Status.DisruptedPods = map[string]metav1.Time{fmt.Sprintf("p%d", w.random.IntN(w.version+1)): {}}
			w.fatal(store.Add(b))
			w.budgets[b.Name] = b
		}
		w.noteBudget(b)
	case 14: // a group comes, changes or goes
		g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("g%d", w.random.IntN(4)), UID: "g"}}
		store := w.factory.Scheduling().V1beta1().PodGroups().Informer().GetStore()
		if w.groups[g.Name] != nil && w.random.IntN(3) == 0 {
			w.fatal(store.Delete(g))
			delete(w.groups, g.Name)
		} else {
			priority := int32(w.random.IntN(4))
			g.Spec.Priority, g.Spec.ParentCompositePodGroupName = &priority, w.parent()
			if w.random.IntN(2) == 0 {
				g.Spec.DisruptionMode = &schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}}
			}
			w.fatal(store.Add(g))
			w.groups[g.Name] = g
		}
		w.noteGroup(g)
	case 15: // a group of groups comes, changes or goes
		g := &schedulingv1alpha3.CompositePodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("c%d", w.random.IntN(3)), UID: "c"}}
		store := w.factory.Scheduling().V1alpha3().CompositePodGroups().Informer().GetStore()
		if w.composites[g.Name] != nil && w.random.IntN(3) == 0 {
			w.fatal(store.Delete(g))
			delete(w.composites, g.Name)
		} else {
			priority := int32(w.random.IntN(4))
			g.Spec.Priority, g.Spec.ParentCompositePodGroupName = &priority, w.parent()
			if w.random.IntN(2) == 0 {
				g.Spec.DisruptionMode = &schedulingv1alpha3.CompositeDisruptionMode{All: &schedulingv1alpha3.AllCompositeDisruptionMode{}}
			}
			w.fatal(store.Add(g))
			w.composites[g.Name] = g
		}
		w.noteComposite(g)
	}
}

// afresh is a state that was built from what there is now.
func (w *world) afresh() *state {
	s, err := newState(w, w.state.features)
	w.fatal(err)
	for _, n := range w.nominated {
		for uid, p := range n {
			s.events.nomination(uid, "", p.Status.NominatedNodeName, nil)
		}
	}
	w.fatal(s.follow(""))
	return s
}

// picture is what a cluster holds, in an order of its own.
type picture struct {
	Nodes, Pods, Nominations, Budgets, Groups []string
}

func pictureOf(c *preemption.Cluster) picture {
	var p picture
	for _, n := range c.Nodes() {
		p.Nodes = append(p.Nodes, fmt.Sprintf("%s %v %v", n.Name, n.Allocatable, n.Labels))
		for _, x := range c.PodsOn(n) {
			p.Pods = append(p.Pods, fmt.Sprintf("%s: %s", n.Name, describe(x)))
		}
		for _, x := range c.NominatedTo(n.Name) {
			p.Nominations = append(p.Nominations, fmt.Sprintf("%s: %s", n.Name, describe(x)))
		}
	}
	for _, b := range c.DisruptionBudgets() {
		p.Budgets = append(p.Budgets, fmt.Sprintf("%s %v %d %v", b.Name, b.Selector, b.Allowed, b.Disrupted))
	}
	state := c.State()
	for _, g := range state.PodGroups {
		p.Groups = append(p.Groups, fmt.Sprintf("%+v", *g))
	}
	for _, g := range state.CompositePodGroups {
		p.Groups = append(p.Groups, fmt.Sprintf("%+v", *g))
	}
	for _, list := range [][]string{p.Nodes, p.Pods, p.Nominations, p.Budgets} {
		slices.Sort(list)
	}
	return p
}

// describe leaves out the name where it is an alias: which of two pods has the
// name depends on who was first.
func describe(p *preemption.Pod) string {
	return fmt.Sprintf("%s %v %d %v %v group %q %v", p.UID, p.Labels, p.Priority, p.Requests, p.Termination, p.Group, p.Start.Unix())
}

// After many random events the state that was kept in step is the one that is
// built from what there is, and decides the same.
func TestFollowsEvents(t *testing.T) {
	const events = 10_000
	w := newWorld(t, 1)
	var builds, decisions, preempting, nominations, aliases int
	for i := range events {
		w.step()
		if w.random.IntN(3) > 0 {
			continue // several events between two cycles
		}
		w.fatal(w.cache.UpdateSnapshot(logger, w.snapshot))
		before := w.state.cluster
		w.fatal(w.state.follow(""))
		if w.state.cluster != before {
			builds++
		}
		if i%5 > 0 {
			continue
		}
		aliases += len(w.state.aliased)
		for uid := range w.state.aliased {
			if p := w.state.pods[uid]; p != nil && p.pod.Name == p.object.Name {
				t.Fatalf("after event %d: pod %s has its own name and counts as one that has not", i, p.pod)
			}
		}
		fresh := w.afresh()
		got, want := pictureOf(w.state.cluster), pictureOf(fresh.cluster)
		nominations += len(want.Nominations)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("after event %d (- afresh, + in step):\n%s", i, d)
		}
		if len(w.state.cluster.Nodes()) == 0 || len(w.state.aliased) > 0 {
			continue
		}
		preemptor, err := w.state.convert(w.newPod("preemptor"))
		w.fatal(err)
		preemptor.Priority, preemptor.Group = 1+w.random.Int32N(3), ""
		preemptor.Requests = preemption.Resources{preemption.CPU: 1000 + w.random.Int64N(5000)}
		decisions++
		if decide(t, w.state.cluster, preemptor) != decide(t, fresh.cluster, preemptor) {
			t.Fatalf("after event %d: in step: %s; afresh: %s", i, decide(t, w.state.cluster, preemptor), decide(t, fresh.cluster, preemptor))
		}
		if decide(t, fresh.cluster, preemptor) != "unhelpful" {
			preempting++
		}
	}
	t.Logf("%d events, %d decisions compared", events, decisions)
	if builds != 1 {
		t.Errorf("the cluster was built %d times, want once", builds)
	}
	if decisions-preempting < 30 || preempting < 100 || nominations < 300 || aliases < 100 {
		t.Errorf("%d decisions, %d of them preempt, %d nominations, %d pods of the same name: too few to prove anything", decisions, preempting, nominations, aliases)
	}
}

// An update that fails half-way is none: there is no cluster until one can be built
// afresh, and that one has all there is, nominations included of which no pod tells.
func TestHalfAnUpdateIsNone(t *testing.T) {
	const rounds = 150
	w := newWorld(t, 2)
	nominations := 0
	for i := range rounds {
		for range 20 {
			w.step()
		}
		w.fatal(w.cache.UpdateSnapshot(logger, w.snapshot))
		w.fatal(w.state.follow(""))

		// Requests cannot be negative: the API server lets no such pod in.
		n, ok := pick(w.random, w.nodes)
		if !ok {
			continue
		}
		bad := w.newPod("bad")
		bad.Spec.NodeName = n.Name
		bad.Spec.Containers[0].Resources.Requests[v1.ResourceCPU] = resource.MustParse("-1")
		w.fatal(w.cache.AddPod(logger, bad))
		for range 1 + w.random.IntN(3) {
			for range w.random.IntN(10) {
				w.step()
			}
			w.fatal(w.cache.UpdateSnapshot(logger, w.snapshot))
			if w.nodes[n.Name] == nil {
				break // and with it the pod
			}
			if err := w.state.follow(""); err == nil || w.state.cluster != nil {
				t.Fatalf("round %d: error %v, want one and no cluster", i, err)
			}
		}
		w.fatal(w.cache.RemovePod(logger, bad))

		w.fatal(w.cache.UpdateSnapshot(logger, w.snapshot))
		w.fatal(w.state.follow(""))
		want := pictureOf(w.afresh().cluster)
		nominations += len(want.Nominations)
		if d := cmp.Diff(want, pictureOf(w.state.cluster)); d != "" {
			t.Fatalf("round %d (- afresh, + in step):\n%s", i, d)
		}
	}
	if nominations < rounds {
		t.Errorf("%d nominations in %d rounds: too few to prove anything", nominations, rounds)
	}
}

// While a decision is made events go on coming in. It is made, and checked by
// kube-scheduler, on the budgets as they were when it began.
func TestEventsDuringDecisions(t *testing.T) {
	w := newWorld(t, 3)
	for range 500 {
		w.step()
	}
	w.fatal(w.cache.UpdateSnapshot(logger, w.snapshot))
	preemptor, err := w.state.convert(w.newPod("preemptor"))
	w.fatal(err)
	preemptor.Priority, preemptor.Group = 3, ""
	preemptor.Requests = preemption.Resources{preemption.CPU: 3000}

	store := w.factory.Policy().V1().PodDisruptionBudgets().Informer().GetStore()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 500 {
			b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("b%d", n%5)}}
			b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprintf("a%d", n%4)}}
			b.Status.DisruptionsAllowed = int32(n)
			if err := store.Add(b); err != nil {
				panic(err)
			}
			w.noteBudget(b)
			w.state.events.nomination(types.UID(fmt.Sprint("ghost-", n%100)), "n00", "n01", nil)
			time.Sleep(50 * time.Microsecond)
		}
	}()
	seen := map[string]bool{}
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		w.fatal(w.state.follow(""))
		before := pictureOf(w.state.cluster)
		decide(t, w.state.cluster, preemptor)
		charged, err := w.state.budgetLister().List(nil)
		w.fatal(err)
		if d := cmp.Diff(before, pictureOf(w.state.cluster)); d != "" {
			t.Fatalf("the cluster changed under a decision:\n%s", d)
		}
		for i, b := range w.state.cluster.DisruptionBudgets() {
			if c := charged[i]; c.Name != b.Name || int(c.Status.DisruptionsAllowed) != int(b.Allowed) {
				t.Fatalf("budget %s, which allows %d, is checked by %s, which allows %d", b.Name, b.Allowed, c.Name, c.Status.DisruptionsAllowed)
			}
		}
		seen[fmt.Sprint(before.Budgets)] = true
	}
	if len(seen) < 10 {
		t.Errorf("%d different states: too few to prove anything", len(seen))
	}
	if d := cmp.Diff(pictureOf(w.afresh().cluster), pictureOf(w.state.cluster)); d != "" {
		t.Errorf("afterwards (- afresh, + in step):\n%s", d)
	}
}

// What kube-scheduler adds up is what the conversion of a pod adds up.
func TestRequestsAreKubeSchedulers(t *testing.T) {
	list := func(cpu, memory string) v1.ResourceList {
		return v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse(memory)}
	}
	always := v1.ContainerRestartPolicyAlways
	w := newWorld(t, 4)
	for name, change := range map[string]func(*v1.Pod){
		"plain":     func(p *v1.Pod) {},
		"nothing":   func(p *v1.Pod) { p.Spec.Containers[0].Resources.Requests = nil },
		"zero":      func(p *v1.Pod) { p.Spec.Containers[0].Resources.Requests = list("0", "0") },
		"fractions": func(p *v1.Pod) { p.Spec.Containers[0].Resources.Requests = list("0.0001", "1500m") },
		"an init container": func(p *v1.Pod) {
			p.Spec.InitContainers = []v1.Container{{Resources: v1.ResourceRequirements{Requests: list("7", "1Gi")}}}
		},
		"a sidecar": func(p *v1.Pod) {
			p.Spec.InitContainers = []v1.Container{{RestartPolicy: &always, Resources: v1.ResourceRequirements{Requests: list("1", "1Gi")}}}
		},
		"overhead":  func(p *v1.Pod) { p.Spec.Overhead = list("100m", "64Mi") },
		"pod level": func(p *v1.Pod) { p.Spec.Resources = &v1.ResourceRequirements{Requests: list("9", "9Gi")} },
		"other resources": func(p *v1.Pod) {
			p.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceEphemeralStorage: resource.MustParse("1Gi"),
				"hugepages-2Mi": resource.MustParse("4Mi"), "example.com/gpu": resource.MustParse("2"), "nonsense": resource.MustParse("1")}
		},
		"a resize in progress": func(p *v1.Pod) {
			p.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "c", AllocatedResources: list("8", "8Gi"), Resources: &v1.ResourceRequirements{Requests: list("3", "3Gi")}}}
		},
		"a resize that is impossible": func(p *v1.Pod) {
			p.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Status: v1.ConditionTrue, Reason: v1.PodReasonInfeasible}}
			p.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "c", AllocatedResources: list("50m", "1Gi"), Resources: &v1.ResourceRequirements{Requests: list("50m", "1Gi")}}}
		},
	} {
		pod := w.newPod(name)
		pod.Spec.NodeName = "n00"
		change(pod)
		info, err := framework.NewPodInfo(pod)
		w.fatal(err)
		got, err := w.state.counted(info)
		w.fatal(err)
		want, err := w.state.convert(pod)
		w.fatal(err)
		maps.DeleteFunc(want.Requests, func(_ string, n int64) bool { return n == 0 })
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (- converted, + counted):\n%s", name, d)
		}
	}
}

// decide returns what was decided as far as ties allow: they go by the order of
// the cluster, which is that of the events.
func decide(t *testing.T, c *preemption.Cluster, preemptor *preemption.Pod) string {
	t.Helper()
	var e preemption.Evaluator
	r, err := e.Preempt(t.Context(), c, preemptor)
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome != preemption.OutcomePreempt {
		return r.Outcome.String()
	}
	s := fmt.Sprintf("preempt %d violations", r.Violations)
	var pods []string
	for _, v := range r.Victims {
		for _, p := range v.Pods {
			pods = append(pods, p.UID)
		}
	}
	return s + fmt.Sprint(pods)
}
