package audit

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/explain"
)

var podChecks = []check{
	{
		id: "single-replica-without-budget", severity: explanation.SeverityWarning,
		why: "its priority says that it matters, and it is the only one: if it is evicted, the service is down until it runs elsewhere, and nothing makes the scheduler prefer another victim",
		fix: "run a second replica and give them a PodDisruptionBudget",
		look: func(a *auditor, found func(string, ...string)) {
			for _, p := range a.shown() {
				o := metav1.GetControllerOf(p)
				if o == nil || o.Kind != "ReplicaSet" && o.Kind != "StatefulSet" && o.Kind != "ReplicationController" {
					continue
				}
				ordinary := a.ordinary()
				if a.priority[p] > ordinary && a.priority[p] <= highestUserPriority && p.Spec.NodeName != "" &&
					len(a.siblings[controllerKey(p.Namespace, o)]) == 1 && len(a.budgets[p]) == 0 {
					found(fmt.Sprintf("%s %s/%s has one pod, of priority %d, and no budget", o.Kind, p.Namespace, o.Name, a.priority[p]), pod(p))
				}
			}
		},
	},
	{
		id: "system-pod-of-no-priority", severity: explanation.SeverityWarning,
		why: "any pod with a class evicts it, and the cluster loses a part of itself",
		fix: "set priorityClassName: system-cluster-critical, or system-node-critical for what a node cannot do without",
		look: func(a *auditor, found func(string, ...string)) {
			var list []*v1.Pod
			for _, p := range a.shown() {
				if isSystem(p.Namespace) && a.priority[p] <= 0 && !explain.IsMirror(p) {
					list = append(list, p)
				}
			}
			byWorkload(list, func(workload string, pods []*v1.Pod) {
				found(fmt.Sprintf("%s of %s: priority %d in a namespace of the system", plural(len(pods), "pod"), workload, a.priority[pods[0]]), objects(pods, pod)...)
			})
		},
	},
	{
		id: "naked-pod", severity: explanation.SeverityInfo,
		why: "once evicted it is gone: nobody creates it again",
		fix: "run it by a Deployment, StatefulSet or Job",
		look: func(a *auditor, found func(string, ...string)) {
			for _, p := range a.shown() {
				if p.Spec.NodeName != "" && metav1.GetControllerOf(p) == nil && !explain.IsMirror(p) && p.DeletionTimestamp == nil {
					found(fmt.Sprintf("pod %s/%s has no controller", p.Namespace, p.Name), pod(p))
				}
			}
		},
	},
	{
		id: "static-pod-of-low-priority", severity: explanation.SeverityWarning,
		why: "the scheduler may choose it as a victim, which frees nothing: its kubelet starts it again at once",
		fix: "set priorityClassName: system-node-critical (and priority: 2000001000) in the manifest on the node",
		look: func(a *auditor, found func(string, ...string)) {
			for _, p := range a.shown() {
				if explain.IsMirror(p) && a.priority[p] < systemCritical {
					found(fmt.Sprintf("static pod %s/%s on node %s has priority %d", p.Namespace, p.Name, p.Spec.NodeName, a.priority[p]), pod(p))
				}
			}
		},
	},
}

// systemCritical is the value of system-cluster-critical.
const systemCritical = 2_000_000_000

// ordinary is the priority of pods that say nothing about it.
func (a *auditor) ordinary() int32 {
	ordinary := int32(0)
	for _, c := range a.Cluster.PriorityClasses {
		if c.GlobalDefault {
			ordinary = c.Value
		}
	}
	return ordinary
}

func isSystem(namespace string) bool {
	return namespace == "amazon-cloudwatch" || slices.ContainsFunc([]string{"kube-", "openshift-", "gke-", "gmp-"}, func(prefix string) bool {
		return strings.HasPrefix(namespace, prefix)
	})
}
