package objects

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/preemption/internal/golden"
)

// deleted is when every terminating pod was deleted; the scheduler looks only
// at whether it was.
var deleted = metav1.NewTime(time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC))

// Pods returns the bound and the nominated pods of a case, both in case order.
func Pods(c *golden.Case) (bound, nominated []*v1.Pod) {
	for i := range c.Pods {
		if pod := Pod(&c.Pods[i]); pod.Spec.NodeName != "" {
			bound = append(bound, pod)
		} else {
			nominated = append(nominated, pod)
		}
	}
	return bound, nominated
}

// Pod returns p with all its requests in one container.
func Pod(p *golden.Pod) *v1.Pod {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Namespace,
			Name:      p.Name,
			UID:       types.UID(p.UID),
			Labels:    p.Labels,
		},
		Spec: v1.PodSpec{
			SchedulerName: v1.DefaultSchedulerName,
			NodeName:      p.Node,
			Priority:      &p.Priority,
			NodeSelector:  p.NodeSelector,
			Containers: []v1.Container{{
				Name:      "main",
				Resources: v1.ResourceRequirements{Requests: resources(p.Requests)},
				Ports:     ports(p.HostPorts),
			}},
		},
		Status: v1.PodStatus{NominatedNodeName: p.NominatedNode},
	}
	if !p.Start.IsZero() {
		start := metav1.NewTime(p.Start)
		pod.Status.StartTime = &start
	}
	if p.Group != "" {
		pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &p.Group}
	}
	if p.PreemptionPolicy != "" {
		policy := v1.PreemptionPolicy(p.PreemptionPolicy)
		pod.Spec.PreemptionPolicy = &policy
	}
	for _, t := range p.Tolerations {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{
			Key:      t.Key,
			Operator: v1.TolerationOperator(t.Operator),
			Value:    t.Value,
			Effect:   v1.TaintEffect(t.Effect),
		})
	}
	terminate(pod, p.Terminating)
	return pod
}

// terminate marks the pod as deleted, with the condition that tells preemption
// by the scheduler from other reasons.
func terminate(pod *v1.Pod, reason string) {
	if reason == "" {
		return
	}
	pod.DeletionTimestamp = &deleted
	if reason == golden.ByPreemption {
		pod.Status.Conditions = []v1.PodCondition{{
			Type:   v1.DisruptionTarget,
			Status: v1.ConditionTrue,
			Reason: v1.PodReasonPreemptionByScheduler,
		}}
	}
}

func ports(hostPorts []golden.HostPort) []v1.ContainerPort {
	var ports []v1.ContainerPort
	for _, p := range hostPorts {
		ports = append(ports, v1.ContainerPort{
			Protocol:      v1.Protocol(p.Protocol),
			HostIP:        p.IP,
			HostPort:      p.Port,
			ContainerPort: p.Port,
		})
	}
	return ports
}

func resources(r golden.Resources) v1.ResourceList {
	list := v1.ResourceList{}
	for name, amount := range r {
		switch name {
		case "cpu":
			list[v1.ResourceCPU] = *resource.NewMilliQuantity(amount, resource.DecimalSI)
		default:
			list[v1.ResourceName(name)] = *resource.NewQuantity(amount, resource.DecimalSI)
		}
	}
	return list
}
