package explain

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/situation"
)

// victims describes the pods to evict, in their order.
func victims(s *situation.Situation, x *preemption.Examination) []explanation.Victim {
	return victimsOf(s, x.Victims, violations(x))
}

// overdrawn tells which budgets a victim overdraws.
type overdrawn map[*preemption.Victim]map[*preemption.PodDisruptionBudget]bool

func victimsOf(s *situation.Situation, victims []*preemption.Victim, violated overdrawn) []explanation.Victim {
	list := []explanation.Victim{}
	for _, v := range victims {
		for i, p := range v.Pods {
			out := explanation.Victim{
				Namespace:          p.Namespace,
				Name:               p.Name,
				Node:               v.Nodes[i].Name,
				Owner:              ownerOf(p),
				Priority:           p.Priority,
				Group:              v.Group,
				Requests:           requests(p),
				GracePeriodSeconds: int64(p.GracePeriod / time.Second),
				Terminating:        p.Termination != preemption.NotTerminating,
			}
			if !p.Start.IsZero() {
				out.StartTime = &metav1.Time{Time: p.Start.UTC()}
			}
			for _, b := range s.State.DisruptionBudgets {
				if covers(s.State.Release, b, p) {
					out.Budgets = append(out.Budgets, explanation.Budget{
						Namespace: b.Namespace, Name: b.Name, DisruptionsAllowed: b.Allowed, Violated: violated[v][b],
					})
				}
			}
			list = append(list, out)
		}
	}
	return list
}

// violations tells which budgets the victims on the chosen node overdraw.
func violations(x *preemption.Examination) overdrawn {
	m := make(overdrawn)
	for i := range x.Nodes {
		if x.Nodes[i].Node != x.Node {
			continue
		}
		for _, v := range x.Nodes[i].Violating {
			m[v.Victim] = make(map[*preemption.PodDisruptionBudget]bool, len(v.Budgets))
			for _, b := range v.Budgets {
				m[v.Victim][b] = true
			}
		}
	}
	return m
}

// covers reports whether the budget covers the pod by the release's rules: if it
// does, the pod overdraws it when nothing is left.
func covers(r preemption.Release, b *preemption.PodDisruptionBudget, p *preemption.Pod) bool {
	spent := *b
	spent.Allowed, spent.Disrupted = 0, nil
	violating, _ := r.FilterVictimsWithPDBViolation([]*preemption.Victim{preemption.NewPodVictim(p, nil)}, []*preemption.PodDisruptionBudget{&spent})
	return len(violating) > 0
}

func ownerOf(p *preemption.Pod) *explanation.Owner {
	pod := kube.PodOf(p)
	if pod == nil {
		return nil
	}
	c := metav1.GetControllerOf(pod)
	if c == nil {
		return nil
	}
	return &explanation.Owner{Kind: c.Kind, Name: c.Name}
}

// requests writes amounts as Kubernetes does.
func requests(p *preemption.Pod) map[string]string {
	if len(p.Requests) == 0 {
		return nil
	}
	m := make(map[string]string, len(p.Requests))
	for name, n := range p.Requests {
		m[name] = Amount(name, n)
	}
	return m
}

// Amount writes an amount of a resource as Kubernetes does.
func Amount(name string, n int64) string {
	switch name {
	case preemption.CPU:
		return resource.NewMilliQuantity(n, resource.DecimalSI).String()
	case preemption.Memory, preemption.EphemeralStorage:
		return resource.NewQuantity(n, resource.BinarySI).String()
	}
	return resource.NewQuantity(n, resource.DecimalSI).String()
}
