// Package audit looks for what in a cluster makes preemption hurt more than it has
// to, or not do what was meant.
package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/preemption/kube"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/dump"
)

// A check looks for one kind of finding.
type check struct {
	id, severity string
	why, fix     string
	// look reports each thing found: what is wrong, with which objects.
	look func(a *auditor, found func(problem string, objects ...string))
}

// checks are all there are, in the order in which they are told.
var checks = slices.Concat(classChecks, budgetChecks, podChecks)

// IDs are the kinds of findings there are.
func IDs() []string {
	var ids []string
	for _, c := range checks {
		ids = append(ids, c.id)
	}
	return ids
}

// Run looks for everything. Wanted says which pods and budgets to tell of. Classes
// are told of always. Ages count to now.
func Run(c *dump.Contents, now time.Time, wanted func(namespace string, labels map[string]string) bool) *explanation.Audit {
	a := newAuditor(c, now, wanted)
	out := &explanation.Audit{
		TypeMeta: metav1.TypeMeta{APIVersion: explanation.APIVersion, Kind: explanation.AuditKind},
		Findings: []explanation.Finding{},
	}
	for _, check := range checks {
		check.look(a, func(problem string, objects ...string) {
			out.Findings = append(out.Findings, explanation.Finding{
				ID: check.id, Severity: check.severity, Problem: problem, Why: check.why, Fix: check.fix, Objects: objects,
			})
		})
	}
	if len(c.Cluster.PriorityClasses) == 0 && !c.Live {
		out.Warnings = append(out.Warnings, "no PriorityClasses in the input: what is about them was not looked at")
	}
	if len(c.Cluster.PodDisruptionBudgets) == 0 && !c.Live {
		out.Warnings = append(out.Warnings, "no PodDisruptionBudgets in the input: pods are taken to have none")
	}
	return out
}

// An auditor knows the objects, and what several checks ask for.
type auditor struct {
	*dump.Contents
	now     time.Time
	wanted  func(string, map[string]string) bool
	pods    []*v1.Pod // that run or will
	classes map[string]*schedulingv1.PriorityClass
	// Priorities as the API server would have stored them.
	priority map[*v1.Pod]int32
	budgets  map[*v1.Pod][]*policyv1.PodDisruptionBudget
	covered  map[*policyv1.PodDisruptionBudget][]*v1.Pod
	siblings map[string][]*v1.Pod // by controller
	lowest   int32                // of all pods on nodes
	highest  int32
}

func newAuditor(c *dump.Contents, now time.Time, wanted func(string, map[string]string) bool) *auditor {
	a := &auditor{
		Contents: c, now: now, wanted: wanted,
		classes:  make(map[string]*schedulingv1.PriorityClass),
		priority: make(map[*v1.Pod]int32),
		budgets:  make(map[*v1.Pod][]*policyv1.PodDisruptionBudget),
		covered:  make(map[*policyv1.PodDisruptionBudget][]*v1.Pod),
		siblings: make(map[string][]*v1.Pod),
	}
	for _, class := range c.Cluster.PriorityClasses {
		a.classes[class.Name] = class
	}
	resolver := kube.NewPriorityClasses(c.Cluster.PriorityClasses)
	first := true
	byNamespace := make(map[string][]*v1.Pod)
	for _, p := range c.Cluster.Pods {
		if kube.Finished(p) {
			continue
		}
		a.pods = append(a.pods, p)
		byNamespace[p.Namespace] = append(byNamespace[p.Namespace], p)
		if p.Spec.Priority != nil {
			a.priority[p] = *p.Spec.Priority
		} else if x, err := kube.Pod(p, resolver); err == nil {
			a.priority[p] = x.Priority
		}
		if o := metav1.GetControllerOf(p); o != nil {
			key := controllerKey(p.Namespace, o)
			a.siblings[key] = append(a.siblings[key], p)
		}
		if p.Spec.NodeName != "" {
			if first {
				a.lowest, a.highest, first = a.priority[p], a.priority[p], false
			}
			a.lowest, a.highest = min(a.lowest, a.priority[p]), max(a.highest, a.priority[p])
		}
	}
	for _, b := range c.Cluster.PodDisruptionBudgets {
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err != nil {
			continue // bad-selector tells of it
		}
		for _, p := range byNamespace[b.Namespace] {
			if selector.Matches(labels.Set(p.Labels)) {
				a.budgets[p] = append(a.budgets[p], b)
				a.covered[b] = append(a.covered[b], p)
			}
		}
	}
	return a
}

func controllerKey(namespace string, o *metav1.OwnerReference) string {
	return namespace + "/" + o.Kind + "/" + o.Name
}

// shown are the pods to tell of.
func (a *auditor) shown() []*v1.Pod {
	var list []*v1.Pod
	for _, p := range a.pods {
		if a.wanted(p.Namespace, p.Labels) {
			list = append(list, p)
		}
	}
	return list
}

func (a *auditor) shownBudgets() []*policyv1.PodDisruptionBudget {
	var list []*policyv1.PodDisruptionBudget
	for _, b := range a.Cluster.PodDisruptionBudgets {
		if a.wanted(b.Namespace, b.Labels) {
			list = append(list, b)
		}
	}
	return list
}

func class(c *schedulingv1.PriorityClass) string        { return "priorityclass/" + c.Name }
func pod(p *v1.Pod) string                              { return "pod/" + p.Namespace + "/" + p.Name }
func budget(b *policyv1.PodDisruptionBudget) string     { return "pdb/" + b.Namespace + "/" + b.Name }
func budgetName(b *policyv1.PodDisruptionBudget) string { return b.Namespace + "/" + b.Name }
func objects[T any](list []T, name func(T) string) []string {
	var names []string
	for _, x := range list {
		names = append(names, name(x))
	}
	slices.Sort(names)
	return names
}

// byWorkload groups pods by their controller, so that a workload is told of once.
func byWorkload(pods []*v1.Pod, found func(workload string, pods []*v1.Pod)) {
	groups := make(map[string][]*v1.Pod)
	var order []string
	for _, p := range pods {
		key := "Pod " + p.Namespace + "/" + p.Name
		if o := metav1.GetControllerOf(p); o != nil {
			key = fmt.Sprintf("%s %s/%s", o.Kind, p.Namespace, o.Name)
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], p)
	}
	slices.Sort(order)
	for _, key := range order {
		found(key, groups[key])
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func names(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}
