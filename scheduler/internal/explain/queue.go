package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler/explanation"
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
// The members of a gang are decided on together, when the first of them has its
// turn. What controllers would do next, such as creating new pods for evicted
// ones, is left out. The situation is changed.
func Queue(ctx context.Context, s *situation.Situation, each func(*Report) error) error {
	pods, _ := Pending(s)
	return inTurn(ctx, s, pods, each)
}

// Replicas explains copies of a pod that does not exist yet, each in the situation
// that the ones before leave behind.
func Replicas(ctx context.Context, s *situation.Situation, pod *preemption.Pod, n int, each func(*Report) error) error {
	return inTurn(ctx, s, Copies(s, pod, n), each)
}

// Copies returns n pods like one that does not exist yet, numbered, under names that
// no pod of the cluster has.
func Copies(s *situation.Situation, pod *preemption.Pod, n int) []*preemption.Pod {
	var pods []*preemption.Pod
	for i := 1; len(pods) < n; i++ {
		name := fmt.Sprintf("%s-%d", strings.TrimSuffix(pod.Name, "-new"), i)
		if s.Cluster.Pod(pod.Namespace, name) != nil {
			continue
		}
		object := kube.PodOf(pod).DeepCopy()
		object.Name, object.UID = name, ""
		replica := *pod
		replica.Name, replica.UID, replica.Object = name, "", object
		pods = append(pods, &replica)
	}
	return pods
}

func inTurn(ctx context.Context, s *situation.Situation, pods []*preemption.Pod, each func(*Report) error) error {
	decided := make(map[*preemption.Pod]*Report) // with their gangs
	for _, pod := range pods {
		if decided[pod] == nil {
			if err := decideNext(ctx, s, pod, decided); err != nil {
				return fmt.Errorf("pod %s: %w", pod, err)
			}
		}
		if err := each(decided[pod]); err != nil {
			return err
		}
		delete(decided, pod)
	}
	return nil
}

// decideNext decides on the pod and, if it belongs to a gang, on all of it, and
// makes the situation what it is afterwards.
func decideNext(ctx context.Context, s *situation.Situation, pod *preemption.Pod, decided map[*preemption.Pod]*Report) error {
	g, err := GangOf(s, pod)
	if err != nil {
		return err
	}
	if g == nil {
		r, err := alone(ctx, s, pod)
		if err != nil {
			return err
		}
		decided[pod] = r
		if r.State == explanation.StateFitsOnceGone {
			s.Promise(pod, r.Explanation.Node)
		}
		return proceed(s, r)
	}
	result, err := g.decide(ctx, s)
	if err != nil {
		return err
	}
	for _, m := range g.Members {
		if decided[m], err = member(ctx, s, m, g, result); err != nil {
			return err
		}
	}
	if decided[pod] == nil { // a member that is not waiting
		if decided[pod], err = alone(ctx, s, pod); err != nil {
			return err
		}
	}
	return proceedGang(s, g, result)
}

// Pending returns the pods that wait for the scheduler in the order of
// its queue: by priority, then by age; and those that do not wait for it, with the
// reason: held back by gates, on their way out, another scheduler's.
func Pending(s *situation.Situation) (pods []*preemption.Pod, leftOut []explanation.LeftOut) {
	for _, p := range s.State.Pods {
		if p.NodeName != "" {
			continue
		}
		if reason := NotTried(s, p); reason != "" {
			leftOut = append(leftOut, explanation.LeftOut{Namespace: p.Namespace, Name: p.Name, Reason: reason})
		} else {
			pods = append(pods, p)
		}
	}
	slices.SortStableFunc(pods, func(a, b *preemption.Pod) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority),
			kube.PodOf(a).CreationTimestamp.Compare(kube.PodOf(b).CreationTimestamp.Time))
	})
	return pods, leftOut
}

// proceed does to the situation what the scheduler does to the cluster.
func proceed(s *situation.Situation, r *Report) error {
	switch x := r.Examination; {
	case x.Outcome == preemption.OutcomeFits:
		return place(s, r.Pod, x.Node)
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

// place binds the pod, which the cluster may not know yet.
func place(s *situation.Situation, p *preemption.Pod, on *preemption.Node) error {
	if s.Cluster.Pod(p.Namespace, p.Name) == nil {
		return s.Cluster.AddPod(bound(p, on, s))
	}
	return s.Cluster.UpdatePod(bound(p, on, s))
}

func bound(p *preemption.Pod, to *preemption.Node, s *situation.Situation) *preemption.Pod {
	object := kube.PodOf(p).DeepCopy()
	object.Spec.NodeName = to.Name
	object.Status.StartTime = &metav1.Time{Time: s.Now}
	out := *p
	out.NodeName, out.Start, out.Object = to.Name, s.Now, object
	return &out
}

// evict marks the pods as being preempted and charges their budgets. In place of
// Cluster.Commit it marks the Kubernetes objects too, which plugins read.
func evict(s *situation.Situation, pods []*preemption.Pod) error {
	for _, p := range pods {
		object := kube.PodOf(p).DeepCopy()
		// As the API server sets it: when the grace period ends.
		object.DeletionTimestamp = &metav1.Time{Time: s.Now.Add(p.GracePeriod)}
		object.Status.Conditions = append(object.Status.Conditions, v1.PodCondition{
			Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler,
		})
		out := *p
		out.Termination, out.TerminatesAt, out.Object = preemption.TerminatingByPreemption, object.DeletionTimestamp.Time, object
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
