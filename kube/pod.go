package kube

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"example.com/preemption"
)

// Pod converts a pod. Classes are needed for pods without a priority of their
// own, which are those that the API server has not seen; otherwise they may be
// nil.
//
// The priority is the pod's own. That of a member of a group follows from the
// groups; see [preemption.Release].
func Pod(p *v1.Pod, classes *PriorityClasses) (*preemption.Pod, error) {
	needs, wrong := requests(p)
	return podOf(p, classes, needs, wrong)
}

// PodRequesting is [Pod] for callers that know what the pod requests on its node,
// as a scheduler does that has added it up already: mostly that is the larger part
// of the work. Requests are as in [preemption.Pod], and are kept.
func PodRequesting(p *v1.Pod, requests preemption.Resources, classes *PriorityClasses) (*preemption.Pod, error) {
	return podOf(p, classes, requests, nil)
}

// podOf converts a pod with the requests given, unless something is wrong.
func podOf(p *v1.Pod, classes *PriorityClasses, needs preemption.Resources, more field.ErrorList) (*preemption.Pod, error) {
	priority, policy, wrong := classes.resolve(claim{
		path:     field.NewPath("spec"),
		class:    p.Spec.PriorityClassName,
		priority: p.Spec.Priority,
		policy:   p.Spec.PreemptionPolicy,
		admitted: admitted(p) || p.Spec.NodeName != "",
	})
	if wrong = append(wrong, more...); len(wrong) > 0 {
		return nil, objectError("Pod", p, wrong)
	}
	out := &preemption.Pod{
		Namespace:     p.Namespace,
		Name:          p.Name,
		UID:           string(p.UID),
		Labels:        p.Labels,
		Priority:      priority,
		Requests:      needs,
		HostPorts:     hostPorts(p),
		NodeSelector:  p.Spec.NodeSelector,
		Tolerations:   tolerations(p.Spec.Tolerations),
		NodeName:      p.Spec.NodeName,
		NominatedNode: p.Status.NominatedNodeName,
		Group:         groupOf(p),
		Termination:   termination(p),
		GracePeriod:   gracePeriod(p),
		Object:        p,
	}
	if policy == v1.PreemptNever {
		out.PreemptionPolicy = preemption.PreemptNever
	}
	if p.DeletionTimestamp != nil {
		out.TerminatesAt = p.DeletionTimestamp.Time
	}
	if owner := metav1.GetControllerOf(p); owner != nil {
		out.Owner = preemption.Owner{Kind: owner.Kind, Name: owner.Name}
	}
	if p.Status.StartTime != nil {
		out.Start = p.Status.StartTime.Time
	}
	return out, nil
}

// PodOf returns the Kubernetes pod that p was converted from, nil if it was not.
func PodOf(p *preemption.Pod) *v1.Pod {
	pod, _ := p.Object.(*v1.Pod)
	return pod
}

// Finished reports whether the pod has run to its end. Such a pod holds nothing
// on its node any more; a terminating one still does.
func Finished(p *v1.Pod) bool {
	return p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed
}

// hostPorts are those of the containers that run all the time: sidecars and
// ordinary ones.
func hostPorts(p *v1.Pod) []preemption.HostPort {
	var ports []preemption.HostPort
	claim := func(c *v1.Container) {
		for _, port := range c.Ports {
			if port.HostPort > 0 {
				ports = append(ports, preemption.HostPort{Protocol: string(port.Protocol), IP: port.HostIP, Port: port.HostPort})
			}
		}
	}
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways {
			claim(c)
		}
	}
	for i := range p.Spec.Containers {
		claim(&p.Spec.Containers[i])
	}
	return ports
}

func tolerations(list []v1.Toleration) []preemption.Toleration {
	var out []preemption.Toleration
	for _, t := range list {
		out = append(out, preemption.Toleration{
			Key:      t.Key,
			Operator: preemption.TolerationOperator(t.Operator),
			Value:    t.Value,
			Effect:   preemption.TaintEffect(t.Effect),
		})
	}
	return out
}

func groupOf(p *v1.Pod) string {
	if g := p.Spec.SchedulingGroup; g != nil && g.PodGroupName != nil {
		return *g.PodGroupName
	}
	return ""
}

func termination(p *v1.Pod) preemption.Termination {
	if p.DeletionTimestamp == nil {
		return preemption.NotTerminating
	}
	for _, c := range p.Status.Conditions {
		if c.Type == v1.DisruptionTarget && c.Status == v1.ConditionTrue && c.Reason == v1.PodReasonPreemptionByScheduler {
			return preemption.TerminatingByPreemption
		}
	}
	return preemption.TerminatingOther
}

// gracePeriod is what the deletion under way allows, else what the pod asks for.
func gracePeriod(p *v1.Pod) time.Duration {
	seconds := p.Spec.TerminationGracePeriodSeconds
	if p.DeletionGracePeriodSeconds != nil {
		seconds = p.DeletionGracePeriodSeconds
	}
	if seconds == nil || *seconds < 0 {
		return 0
	}
	// Longer than a Duration can say is as good as for ever.
	const most = int64(1<<63-1) / int64(time.Second)
	return time.Duration(min(*seconds, most)) * time.Second
}
