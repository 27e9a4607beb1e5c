package explain

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/situation"
)

// Capacity counts how many pods like this one would find room, first as it is, then
// with preemption, up to most in all. Each goes where the one before left room:
// while there is some, to the first node that takes it; then to the node that the
// scheduler would clear, whose victims are taken to be gone at once. The situation
// is changed.
func Capacity(ctx context.Context, s *situation.Situation, pod *preemption.Pod, most int, progress func(string)) (*explanation.Capacity, error) {
	c := &explanation.Capacity{
		TypeMeta:          metav1.TypeMeta{APIVersion: explanation.APIVersion, Kind: explanation.CapacityKind},
		KubernetesVersion: s.State.Release.String(),
		Pod:               summary(pod),
		Nodes:             []explanation.NodeCapacity{},
		Victims:           []explanation.Victim{},
		Warnings:          slices.Concat(s.Notes, s.NotesOn(pod)),
	}
	at := make(map[string]int)
	for i, n := range s.Cluster.Nodes() {
		at[n.Name] = i
		c.Nodes = append(c.Nodes, explanation.NodeCapacity{Node: n.Name})
	}
	for i := 0; ; i++ {
		if i == most {
			c.Bounded = true
			break
		}
		progress(fmt.Sprintf("pod %d", i+1))
		copied := numbered(pod, i)
		r, err := s.Evaluator.Preempt(ctx, s.Cluster, copied)
		if err != nil {
			return nil, err
		}
		if r.Outcome != preemption.OutcomeFits && r.Outcome != preemption.OutcomePreempt {
			break
		}
		n := &c.Nodes[at[r.Node.Name]]
		if r.Outcome == preemption.OutcomeFits && c.WithPreemption == 0 {
			c.Free++
			n.Free++
		} else {
			c.WithPreemption++
			n.WithPreemption++
		}
		c.PDBViolations += r.Violations
		if err := takeAway(s, c, at, r); err != nil {
			return nil, err
		}
		if err := place(s, copied, r.Node); err != nil {
			return nil, err
		}
	}
	c.Nodes = slices.DeleteFunc(c.Nodes, func(n explanation.NodeCapacity) bool { return n.Free+n.WithPreemption == 0 })
	return c, nil
}

// numbered is one of many pods that are alike.
func numbered(pod *preemption.Pod, i int) *preemption.Pod {
	object := kube.PodOf(pod).DeepCopy()
	object.Name, object.UID = fmt.Sprintf("%s-%d", pod.Name, i+1), ""
	object.Status.NominatedNodeName = ""
	out := *pod
	out.Name, out.UID, out.NominatedNode, out.Object = object.Name, "", "", object
	return &out
}

// takeAway removes the victims of a decision, and charges their budgets.
func takeAway(s *situation.Situation, c *explanation.Capacity, at map[string]int, r *preemption.Result) error {
	if len(r.Victims) == 0 {
		return nil
	}
	c.Victims = append(c.Victims, victimsOf(s, r.Victims, nil)...)
	if err := evict(s, r.Delete); err != nil {
		return err
	}
	for _, v := range r.Victims {
		for i, p := range v.Pods {
			c.Nodes[at[v.Nodes[i].Name]].Victims++
			if err := s.Cluster.RemovePod(p.Namespace, p.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
