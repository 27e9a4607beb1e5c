package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler/internal/situation"
)

// Queue explains every pending pod in the scheduler's order, each in the
// situation that the ones before leave behind:
//
//   - a pod that fits is bound to the first node that takes it, since which one
//     the scheduler's scoring would choose is not known here;
//   - for one that preempts, the victims start terminating, their budgets allow
//     fewer disruptions, and the pod is nominated to the node;
//   - for one that is not helped the nomination is cleared.
//
// What controllers would do next, such as creating new pods for evicted ones, is
// left out. The situation is changed.
func Queue(ctx context.Context, s *situation.Situation, each func(*Report) error) error {
	for _, pod := range Pending(s) {
		r, err := Pod(ctx, s, pod)
		if err != nil {
			return fmt.Errorf("pod %s: %w", pod, err)
		}
		if err := proceed(s, r); err != nil {
			return err
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return nil
}

// Pending returns the pods that wait for the default scheduler in the order of
// its queue: by priority, then by age. Pods that are held back by gates, on their
// way out, or another scheduler's, do not wait for it.
func Pending(s *situation.Situation) []*preemption.Pod {
	var pods []*preemption.Pod
	for _, p := range s.State.Pods {
		if p.NodeName == "" && waits(kube.PodOf(p)) {
			pods = append(pods, p)
		}
	}
	slices.SortStableFunc(pods, func(a, b *preemption.Pod) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority),
			kube.PodOf(a).CreationTimestamp.Compare(kube.PodOf(b).CreationTimestamp.Time))
	})
	return pods
}

func waits(p *v1.Pod) bool {
	scheduler := p.Spec.SchedulerName
	return p.DeletionTimestamp == nil && len(p.Spec.SchedulingGates) == 0 && (scheduler == "" || scheduler == v1.DefaultSchedulerName)
}

// proceed does to the situation what the scheduler does to the cluster.
func proceed(s *situation.Situation, r *Report) error {
	switch x := r.Examination; {
	case x.Outcome == preemption.OutcomeFits:
		return s.Cluster.UpdatePod(bound(r.Pod, x.Node, s))
	case x.Nomination == preemption.ClearNomination:
		return s.Cluster.Nominate(r.Pod, "")
	case x.Nomination == preemption.SetNomination:
		for _, p := range x.ClearNominations {
			if err := s.Cluster.Nominate(p, ""); err != nil {
				return err
			}
		}
		if err := evict(s, x.Delete); err != nil {
			return err
		}
		return s.Cluster.Nominate(r.Pod, x.Node.Name)
	}
	return nil
}

func bound(p *preemption.Pod, to *preemption.Node, s *situation.Situation) *preemption.Pod {
	object := kube.PodOf(p).DeepCopy()
	object.Spec.NodeName = to.Name
	object.Status.StartTime = &metav1.Time{Time: s.Now}
	out := *p
	out.NodeName, out.Start, out.Object = to.Name, s.Now, object
	return &out
}

// evict marks the pods as being preempted and charges their budgets.
func evict(s *situation.Situation, pods []*preemption.Pod) error {
	for _, p := range pods {
		object := kube.PodOf(p).DeepCopy()
		object.DeletionTimestamp = &metav1.Time{Time: s.Now}
		object.Status.Conditions = append(object.Status.Conditions, v1.PodCondition{
			Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler,
		})
		out := *p
		out.Termination, out.Object = preemption.TerminatingByPreemption, object
		if err := s.Cluster.UpdatePod(&out); err != nil {
			return err
		}
		if unready(object) {
			continue // it was no longer counted as healthy
		}
		for i, b := range s.State.DisruptionBudgets {
			if b.Allowed <= 0 || slices.Contains(b.Disrupted, p.Name) || !covers(s.State.Release, b, p) {
				continue
			}
			lowered := *b
			lowered.Allowed--
			s.State.DisruptionBudgets[i] = &lowered
			if err := s.Cluster.SetBudget(&lowered); err != nil {
				return err
			}
		}
	}
	return nil
}

// unready reports whether the pod is known not to be ready.
func unready(p *v1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == v1.PodReady {
			return c.Status != v1.ConditionTrue
		}
	}
	return false
}
