package kube

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
)

// A Tracker keeps a cluster up to date. It is an event handler for informers of
// nodes, pods, disruption budgets, priority classes, pod groups and composite ones
// (client-go's cache.ResourceEventHandler), whichever of them there are, and takes
// their events in whatever order they come: a pod may come before its node, and a
// node may go before its pods, which then count again once it is back.
//
// The cluster is always what [Objects.State] makes of the objects as they are by
// then, in the order in which they came, but for what [preemption.Cluster.Commit]
// and Nominate have said of them since. An object that is told of again unchanged,
// as informers do when they resync, changes nothing.
//
// It is safe for concurrent use: each kind of object has an informer of its own.
type Tracker struct {
	mu      sync.Mutex
	cluster *preemption.Cluster
	objects map[key]metav1.Object
	order   map[key]int // of arrival
	arrived int
	bound   map[string]map[key]bool // pods by the node they are bound to, which may not be there
	classes *PriorityClasses
	// wrong is why an object that should be in the cluster is not.
	wrong map[key]error
}

// key identifies an object.
type key struct {
	kind            reflect.Type
	namespace, name string
}

// NewTracker returns a tracker of an empty cluster under the rules of a release.
func NewTracker(release preemption.Release) (*Tracker, error) {
	cluster, err := preemption.NewCluster(preemption.ClusterState{Release: release})
	if err != nil {
		return nil, err
	}
	return &Tracker{cluster: cluster, objects: make(map[key]metav1.Object), order: make(map[key]int), bound: make(map[string]map[key]bool),
		classes: NewPriorityClasses(nil), wrong: make(map[key]error)}, nil
}

// Do calls f with the cluster, which stays as it is meanwhile but for what f does:
// decide, and commit the decision. To think longer, take a Clone.
func (t *Tracker) Do(f func(*preemption.Cluster)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(t.cluster)
}

// Err joins what is wrong with objects that therefore are not in the cluster, or
// not as they are by now, in the order in which they came. It is nil if nothing is.
func (t *Tracker) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, k := range t.inOrder(maps.Keys(t.wrong)) {
		errs = append(errs, t.wrong[k])
	}
	return errors.Join(errs...)
}

// OnAdd takes in a new object.
func (t *Tracker) OnAdd(object any, _ bool) { t.set(object) }

// OnUpdate takes in the new version of an object.
func (t *Tracker) OnUpdate(_, object any) { t.set(object) }

// OnDelete drops an object. Of one whose deletion was missed, an informer passes
// what it knew last in the field Obj of a DeletedFinalStateUnknown.
func (t *Tracker) OnDelete(object any) {
	if v := reflect.ValueOf(object); v.Kind() == reflect.Struct {
		if f := v.FieldByName("Obj"); f.IsValid() && f.CanInterface() {
			object = f.Interface()
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	o, k, ok := t.identify(object)
	if !ok || t.objects[k] == nil {
		return
	}
	t.bind(k, nil)
	delete(t.objects, k)
	delete(t.order, k)
	delete(t.wrong, k)
	t.follow(o, k)
}

func (t *Tracker) set(object any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	o, k, ok := t.identify(object)
	if !ok {
		return
	}
	old := t.objects[k]
	if old != nil && (old == o || old.GetResourceVersion() != "" && old.GetUID() == o.GetUID() && old.GetResourceVersion() == o.GetResourceVersion()) {
		return
	}
	if old == nil {
		t.arrived++
		t.order[k] = t.arrived
	}
	t.bind(k, o)
	t.objects[k] = o
	t.follow(o, k)
}

// bind files a pod under its node.
func (t *Tracker) bind(k key, o metav1.Object) {
	if old, ok := t.objects[k].(*v1.Pod); ok {
		node := old.Spec.NodeName
		if delete(t.bound[node], k); len(t.bound[node]) == 0 {
			delete(t.bound, node)
		}
	}
	if p, ok := o.(*v1.Pod); ok && p.Spec.NodeName != "" {
		if t.bound[p.Spec.NodeName] == nil {
			t.bound[p.Spec.NodeName] = make(map[key]bool)
		}
		t.bound[p.Spec.NodeName][k] = true
	}
}

// identify tells which object it is. What no cluster is made of is wrong.
func (t *Tracker) identify(object any) (metav1.Object, key, bool) {
	switch o := object.(type) {
	case *v1.Node, *v1.Pod, *policyv1.PodDisruptionBudget, *schedulingv1.PriorityClass, *schedulingv1beta1.PodGroup, *schedulingv1alpha3.CompositePodGroup:
		if !reflect.ValueOf(o).IsNil() {
			m := o.(metav1.Object)
			return m, key{reflect.TypeOf(o), m.GetNamespace(), m.GetName()}, true
		}
	}
	k := key{kind: reflect.TypeOf(object)}
	t.wrong[k] = fmt.Errorf("kube: a tracker is told of a %T, which is nil or of no kind that it knows", object)
	return nil, k, false
}

// follow brings the cluster up to date after an object changed, came or went.
func (t *Tracker) follow(o metav1.Object, k key) {
	switch o := o.(type) {
	case *v1.Node:
		t.followNode(o.Name, k)
	case *schedulingv1.PriorityClass:
		t.followClasses()
	default:
		t.sync(k)
	}
	t.retry()
}

// followNode is about a node and the pods on it: they cannot be there without it.
func (t *Tracker) followNode(name string, k key) {
	if t.objects[k] != nil {
		known := t.cluster.Node(name) != nil
		if t.sync(k); known {
			return
		}
	}
	for _, p := range t.inOrder(maps.Keys(t.bound[name])) {
		t.sync(p)
	}
	if t.objects[k] == nil {
		t.sync(k)
	}
}

// followClasses converts again what priority classes have a say in.
func (t *Tracker) followClasses() {
	var classes []*schedulingv1.PriorityClass
	for _, k := range t.inOrder(maps.Keys(t.objects)) {
		if c, ok := t.objects[k].(*schedulingv1.PriorityClass); ok {
			classes = append(classes, c)
		}
	}
	t.classes = NewPriorityClasses(classes)
	for _, k := range t.inOrder(maps.Keys(t.objects)) {
		switch o := t.objects[k].(type) {
		case *v1.Pod:
			if o.Spec.Priority == nil {
				t.sync(k)
			}
		case *schedulingv1beta1.PodGroup, *schedulingv1alpha3.CompositePodGroup:
			t.sync(k)
		}
	}
}

// retry tries once more what did not work: the reason may be gone.
func (t *Tracker) retry() {
	for _, k := range t.inOrder(maps.Keys(t.wrong)) {
		if t.objects[k] != nil {
			t.sync(k)
		}
	}
}

func (t *Tracker) inOrder(keys func(func(key) bool)) []key {
	return slices.SortedFunc(keys, func(a, b key) int { return cmp.Compare(t.order[a], t.order[b]) })
}

// sync makes one object in the cluster what it should be.
func (t *Tracker) sync(k key) {
	var err error
	c := t.cluster
	switch k.kind {
	case reflect.TypeFor[*v1.Node]():
		err = t.syncNode(k)
	case reflect.TypeFor[*v1.Pod]():
		err = t.syncPod(k)
	case reflect.TypeFor[*policyv1.PodDisruptionBudget]():
		if o, ok := t.objects[k].(*policyv1.PodDisruptionBudget); ok {
			err = c.SetBudget(DisruptionBudget(o))
		} else {
			err = c.RemoveBudget(k.namespace, k.name)
		}
	case reflect.TypeFor[*schedulingv1beta1.PodGroup]():
		if o, ok := t.objects[k].(*schedulingv1beta1.PodGroup); ok {
			err = convert(o, t.classes, PodGroup, c.SetPodGroup)
		} else {
			err = c.RemovePodGroup(k.namespace, k.name)
		}
	case reflect.TypeFor[*schedulingv1alpha3.CompositePodGroup]():
		if o, ok := t.objects[k].(*schedulingv1alpha3.CompositePodGroup); ok {
			err = convert(o, t.classes, CompositePodGroup, c.SetCompositePodGroup)
		} else {
			err = c.RemoveCompositePodGroup(k.namespace, k.name)
		}
	}
	if delete(t.wrong, k); err != nil && t.objects[k] != nil {
		t.wrong[k] = err
	}
}

// convert converts an object and hands it to the cluster.
func convert[K, P any](o K, classes *PriorityClasses, to func(K, *PriorityClasses) (P, error), set func(P) error) error {
	x, err := to(o, classes)
	if err != nil {
		return err
	}
	return set(x)
}

func (t *Tracker) syncNode(k key) error {
	o, ok := t.objects[k].(*v1.Node)
	known := t.cluster.Node(k.name) != nil
	if !ok {
		if known {
			return t.cluster.RemoveNode(k.name)
		}
		return nil
	}
	n, err := Node(o)
	switch {
	case err != nil:
		return err
	case known:
		return t.cluster.UpdateNode(n)
	}
	return t.cluster.AddNode(n)
}

// syncPod leaves out what Objects.State does: finished pods, and those on a node
// that is not there. One that cannot be taken as it is by now is left out, too. Where an
// update is refused the pod goes and comes anew, which says what is wrong with it.
func (t *Tracker) syncPod(k key) error {
	c, known := t.cluster, t.cluster.Pod(k.namespace, k.name)
	var p *preemption.Pod
	var err error
	if o, ok := t.objects[k].(*v1.Pod); ok && !Finished(o) && (o.Spec.NodeName == "" || t.objects[nodeKey(o.Spec.NodeName)] != nil) {
		p, err = Pod(o, t.classes)
	}
	if known != nil && p != nil && known.UID == p.UID && c.UpdatePod(p) == nil {
		return nil
	}
	if known != nil {
		err = cmp.Or(err, c.RemovePod(k.namespace, k.name))
	}
	if p != nil {
		err = c.AddPod(p)
	}
	return err
}

func nodeKey(name string) key { return key{kind: reflect.TypeFor[*v1.Node](), name: name} }
