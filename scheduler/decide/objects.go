package decide

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	policylisters "k8s.io/client-go/listers/policy/v1"
	schedulingv1alpha3 "k8s.io/client-go/listers/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/client-go/listers/scheduling/v1beta1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// objects are the budgets and groups, by informers.
type objects struct {
	budgets    policylisters.PodDisruptionBudgetLister
	groups     schedulingv1beta1.PodGroupLister           // nil: the scheduler does not know them
	composites schedulingv1alpha3.CompositePodGroupLister // likewise

	// charged are the budgets in the cluster's order, from known. The slice is
	// replaced when it changes.
	charged []*policyv1.PodDisruptionBudget
	known   map[types.NamespacedName]*policyv1.PodDisruptionBudget
	has     map[string]map[types.NamespacedName]bool // what the cluster has, by kind
}

func newObjects(f informers.SharedInformerFactory, features feature.Features, e *events) (objects, error) {
	var o objects
	budgets := f.Policy().V1().PodDisruptionBudgets()
	o.budgets = budgets.Lister()
	_, err := budgets.Informer().AddEventHandler(e.names(func(c *changes) map[types.NamespacedName]bool { return c.budgets }))
	if err == nil && features.EnableGenericWorkload {
		groups := f.Scheduling().V1beta1().PodGroups()
		o.groups = groups.Lister()
		_, err = groups.Informer().AddEventHandler(e.names(func(c *changes) map[types.NamespacedName]bool { return c.groups }))
	}
	if err == nil && features.EnableCompositePodGroup {
		composites := f.Scheduling().V1alpha3().CompositePodGroups()
		o.composites = composites.Lister()
		_, err = composites.Informer().AddEventHandler(e.names(func(c *changes) map[types.NamespacedName]bool { return c.composites }))
	}
	if err != nil {
		return o, fmt.Errorf("budgets and groups: %w", err)
	}
	o.forget()
	return o, nil
}

// forget is for a cluster that is built afresh, without budgets and groups.
func (o *objects) forget() {
	o.charged = nil
	o.known = map[types.NamespacedName]*policyv1.PodDisruptionBudget{}
	o.has = map[string]map[types.NamespacedName]bool{"budget": {}, "group": {}, "composite": {}}
}

// all returns the names of all there are.
func (o *objects) all() (budgets, groups, composites map[types.NamespacedName]bool) {
	budgets, groups, composites = map[types.NamespacedName]bool{}, map[types.NamespacedName]bool{}, map[types.NamespacedName]bool{}
	// Listers of informers do not fail.
	list, _ := o.budgets.List(labels.Everything())
	for _, b := range list {
		budgets[types.NamespacedName{Namespace: b.Namespace, Name: b.Name}] = true
	}
	if o.groups != nil {
		list, _ := o.groups.List(labels.Everything())
		for _, g := range list {
			groups[types.NamespacedName{Namespace: g.Namespace, Name: g.Name}] = true
		}
	}
	if o.composites != nil {
		list, _ := o.composites.List(labels.Everything())
		for _, g := range list {
			composites[types.NamespacedName{Namespace: g.Namespace, Name: g.Name}] = true
		}
	}
	return budgets, groups, composites
}

// apply makes the budgets and groups of those names what the informers say.
func (o *objects) apply(c *preemption.Cluster, noted *changes) error {
	err := apply(o, "budget", noted.budgets, func(ns, name string) (*preemption.PodDisruptionBudget, error) {
		b, err := o.budgets.PodDisruptionBudgets(ns).Get(name)
		if err != nil {
			return nil, err
		}
		o.known[types.NamespacedName{Namespace: ns, Name: name}] = b
		return kube.DisruptionBudget(b), nil
	}, c.SetBudget, c.RemoveBudget)
	if err == nil && len(noted.budgets) > 0 {
		o.charge(c)
	}
	if err == nil && o.groups != nil {
		err = apply(o, "group", noted.groups, func(ns, name string) (*preemption.PodGroup, error) {
			g, err := o.groups.PodGroups(ns).Get(name)
			if err != nil {
				return nil, err
			}
			group, err := kube.PodGroup(g, nil)
			if err == nil && o.composites == nil {
				group.Parent = ""
			}
			return group, err
		}, c.SetPodGroup, c.RemovePodGroup)
	}
	if err == nil && o.composites != nil {
		err = apply(o, "composite", noted.composites, func(ns, name string) (*preemption.CompositePodGroup, error) {
			g, err := o.composites.CompositePodGroups(ns).Get(name)
			if err != nil {
				return nil, err
			}
			return kube.CompositePodGroup(g, nil)
		}, c.SetCompositePodGroup, c.RemoveCompositePodGroup)
	}
	return err
}

// apply sets or removes objects of one kind, in the order of their names, so that
// the cluster's order does not depend on a map.
func apply[T any](o *objects, kind string, names map[types.NamespacedName]bool, get func(ns, name string) (T, error), set func(T) error, remove func(ns, name string) error) error {
	if len(names) == 0 {
		return nil
	}
	has := o.has[kind]
	for _, n := range slices.SortedFunc(maps.Keys(names), func(a, b types.NamespacedName) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	}) {
		x, err := get(n.Namespace, n.Name)
		switch {
		case apierrors.IsNotFound(err) && has[n]:
			err = remove(n.Namespace, n.Name)
			delete(has, n)
		case apierrors.IsNotFound(err):
			err = nil
		case err == nil:
			err = set(x)
			has[n] = true
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// charge lists the budgets as the cluster charges them.
func (o *objects) charge(c *preemption.Cluster) {
	budgets := c.DisruptionBudgets()
	o.charged = make([]*policyv1.PodDisruptionBudget, len(budgets))
	for i, b := range budgets {
		o.charged[i] = o.known[types.NamespacedName{Namespace: b.Namespace, Name: b.Name}]
	}
}

// budgetLister lists the budgets of one decision in the order in which they were
// charged: on that order depends how many violations are counted, and informers
// list in none.
type budgetLister struct {
	policylisters.PodDisruptionBudgetLister
	budgets []*policyv1.PodDisruptionBudget
}

func (l budgetLister) List(labels.Selector) ([]*policyv1.PodDisruptionBudget, error) {
	return l.budgets, nil
}

func (s *state) budgetLister() budgetLister {
	return budgetLister{s.objects.budgets, s.objects.charged}
}
