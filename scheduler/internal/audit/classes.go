package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"example.com/preemption/scheduler/explanation"
)

// highestUserPriority is the highest that a class of users may have.
const highestUserPriority = 1_000_000_000

// systemPrefix is that of the classes that every cluster has.
const systemPrefix = "system-"

// platformPrefixes are those of classes that come with a cluster, or with the platform
// that runs it: whoever reads an audit has not made them, and cannot delete them.
var platformPrefixes = []string{systemPrefix, "openshift-", "gke-", "gmp-"}

func ofPlatform(class string) bool {
	return slices.ContainsFunc(platformPrefixes, func(prefix string) bool { return strings.HasPrefix(class, prefix) })
}

var classChecks = []check{
	{
		id: "two-global-defaults", severity: explanation.SeverityWarning,
		why: "the API server takes the one with the smallest value; whoever reads the other is misled",
		fix: "leave globalDefault on one of them",
		look: func(a *auditor, found func(string, ...string)) {
			var list []*schedulingv1.PriorityClass
			for _, c := range a.Cluster.PriorityClasses {
				if c.GlobalDefault {
					list = append(list, c)
				}
			}
			if len(list) > 1 {
				least := slices.MinFunc(list, func(x, y *schedulingv1.PriorityClass) int { return int(int64(x.Value) - int64(y.Value)) })
				found(fmt.Sprintf("%d PriorityClasses are the global default; %s, of value %d, holds", len(list), least.Name, least.Value), objects(list, class)...)
			}
		},
	},
	{
		id: "no-global-default", severity: explanation.SeverityInfo,
		why: "pods that name no class get priority 0: anything with a class of its own evicts them, and they evict nothing",
		fix: "create a PriorityClass with globalDefault: true and the value that ordinary pods should have; running pods keep theirs",
		look: func(a *auditor, found func(string, ...string)) {
			own := slices.ContainsFunc(a.Cluster.PriorityClasses, func(c *schedulingv1.PriorityClass) bool { return !ofPlatform(c.Name) })
			if own && !slices.ContainsFunc(a.Cluster.PriorityClasses, func(c *schedulingv1.PriorityClass) bool { return c.GlobalDefault }) {
				found("no PriorityClass is the global default")
			}
		},
	},
	{
		id: "class-in-system-range", severity: explanation.SeverityWarning,
		why: "such pods evict those that keep nodes and the cluster running",
		fix: "give the class a value of at most 1000000000; values above are for system-cluster-critical and system-node-critical",
		look: func(a *auditor, found func(string, ...string)) {
			for _, c := range a.Cluster.PriorityClasses {
				if c.Value > highestUserPriority && !strings.HasPrefix(c.Name, systemPrefix) {
					found(fmt.Sprintf("PriorityClass %s has the value %d, in the range of the system", c.Name, c.Value), class(c))
				}
			}
		},
	},
	{
		id: "unused-class", severity: explanation.SeverityInfo,
		why: "a class that nobody uses says nothing about who goes first; a workload may name another one than was meant",
		fix: "name it in the workloads that it is for (priorityClassName), or delete it",
		look: func(a *auditor, found func(string, ...string)) {
			used := make(map[string]bool)
			for _, p := range a.pods {
				used[p.Spec.PriorityClassName] = true
			}
			for _, c := range a.Cluster.PriorityClasses {
				if !used[c.Name] && !ofPlatform(c.Name) && len(a.pods) > 0 {
					found(fmt.Sprintf("no pod is of PriorityClass %s", c.Name), class(c))
				}
			}
		},
	},
	{
		id: "class-gone", severity: explanation.SeverityWarning,
		why: "the pods keep their priority, but their controllers cannot create them again: the API server refuses a class that is not there",
		fix: "create the class again, or name another one in the workload",
		look: func(a *auditor, found func(string, ...string)) {
			a.ofClasses(func(name string, pods []*v1.Pod) {
				if a.classes[name] == nil && !strings.HasPrefix(name, systemPrefix) {
					found(fmt.Sprintf("%s of PriorityClass %s, which does not exist", plural(len(pods), "pod"), name), objects(pods, pod)...)
				}
			})
		},
	},
	{
		id: "priority-not-of-class", severity: explanation.SeverityWarning,
		why: "a pod keeps the priority that its class had when it was created: replicas of one workload may differ in who goes first",
		fix: "restart the workload, so that all of its pods get the value of today",
		look: func(a *auditor, found func(string, ...string)) {
			a.ofClasses(func(name string, pods []*v1.Pod) {
				c := a.classes[name]
				if c == nil {
					return
				}
				var old []*v1.Pod
				for _, p := range pods {
					if p.Spec.Priority != nil && *p.Spec.Priority != c.Value {
						old = append(old, p)
					}
				}
				if len(old) > 0 {
					found(fmt.Sprintf("%s of PriorityClass %s with another priority than its value of today, %d: %s",
						plural(len(old), "pod"), name, c.Value, priorities(old)), objects(old, pod)...)
				}
			})
		},
	},
	{
		id: "never-class", severity: explanation.SeverityInfo,
		why: "its pods go ahead in the queue and may evict others' pods never: they wait for room, however high their priority",
		fix: "none, if that is meant; else create the class anew without preemptionPolicy: Never",
		look: func(a *auditor, found func(string, ...string)) {
			for _, c := range a.Cluster.PriorityClasses {
				if c.PreemptionPolicy != nil && *c.PreemptionPolicy == v1.PreemptNever {
					found(fmt.Sprintf("PriorityClass %s, of value %d, never preempts", c.Name, c.Value), class(c))
				}
			}
		},
	},
}

// ofClasses groups the pods to tell of by class.
func (a *auditor) ofClasses(each func(class string, pods []*v1.Pod)) {
	if len(a.classes) == 0 {
		return
	}
	groups := make(map[string][]*v1.Pod)
	for _, p := range a.shown() {
		if name := p.Spec.PriorityClassName; name != "" {
			groups[name] = append(groups[name], p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		each(name, groups[name])
	}
}

// priorities lists the priorities of pods, each once.
func priorities(pods []*v1.Pod) string {
	set := make(map[int32]bool)
	for _, p := range pods {
		set[*p.Spec.Priority] = true
	}
	var list []string
	for _, n := range slices.Sorted(maps.Keys(set)) {
		list = append(list, fmt.Sprint(n))
	}
	return strings.Join(list, ", ")
}
