package explain

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/situation"
)

// outcome is the decision in kube-scheduler's words: a pod that waits for victims
// of an earlier round is not eligible.
func outcome(o preemption.Outcome) string {
	if o == preemption.OutcomeWaiting {
		return explanation.Ineligible
	}
	return o.String()
}

// NotTried says why the scheduler does not try the pending pod, or why the command
// cannot tell what it would do; "" if nothing keeps it.
func NotTried(s *situation.Situation, pod *preemption.Pod) string {
	p := kube.PodOf(pod)
	switch {
	case p == nil:
		return ""
	case p.DeletionTimestamp != nil:
		return "it is being deleted"
	case len(p.Spec.SchedulingGates) > 0:
		var names []string
		for _, g := range p.Spec.SchedulingGates {
			names = append(names, g.Name)
		}
		return "it has scheduling gates: " + strings.Join(names, ", ")
	case schedulerOf(p) != s.Scheduler:
		return "it is for another scheduler: " + schedulerOf(p)
	case len(p.Spec.ResourceClaims) > 0:
		return "it claims devices (spec.resourceClaims), which are not looked at here"
	}
	return ""
}

// schedulerOf is the name of the pod's scheduler, which the API fills in.
func schedulerOf(p *v1.Pod) string {
	return cmp.Or(p.Spec.SchedulerName, v1.DefaultSchedulerName)
}

// setState works out the state of the pod from the decision on it.
func setState(ctx context.Context, s *situation.Situation, r *Report) error {
	e, x := &r.Explanation, r.Examination
	if reason := NotTried(s, r.Pod); reason != "" {
		e.State, e.StateReason, e.Message = explanation.StateNotTried, reason, ""
		return nil
	}
	switch {
	case x.Outcome == preemption.OutcomeFits:
		e.State = explanation.StateFits
		return nil
	case x.Outcome == preemption.OutcomeWaiting:
		e.State = explanation.StateUnderWay
		e.WaitsFor = waitingFor(s, x.Waiting)
	case x.Outcome == preemption.OutcomePreempt && len(x.Delete) == 0:
		e.State = explanation.StateFitsOnceGone
		e.WaitsFor = waitingFor(s, x.Terminating)
	case x.Outcome == preemption.OutcomePreempt:
		e.State = explanation.StatePreempts
	default:
		e.State = explanation.StateNoHelp
	}
	if e.State == explanation.StateNoHelp || e.State == explanation.StatePreempts {
		if err := fitsLater(ctx, s, r); err != nil {
			return err
		}
	}
	e.StateReason = stuck(e.WaitsFor)
	return nil
}

// fitsLater finds out whether a node takes the pod once the terminating pods are
// gone. The scheduler may preempt on another one meanwhile.
func fitsLater(ctx context.Context, s *situation.Situation, r *Report) error {
	cluster, err := s.Later()
	if err != nil {
		return err
	}
	later, err := s.Evaluator.FitsAfterTermination(ctx, cluster, r.Pod)
	if err != nil || later.Outcome != preemption.OutcomeWaiting {
		return err
	}
	leaving := waitingFor(s, later.Waiting)
	if r.State == explanation.StatePreempts {
		r.notes = append(r.notes, fmt.Sprintf("node %s takes it once what is terminating is gone (%s): the scheduler does not wait for that", later.Node.Name, named(leaving)))
		return nil
	}
	r.State, r.WaitsFor, r.Node = explanation.StateFitsOnceGone, leaving, later.Node.Name
	return nil
}

// terminating lists the pods on the node that are on their way out and wanted.
func terminating(s *situation.Situation, node string, wanted func(*preemption.Pod) bool) []explanation.Terminating {
	n := s.Cluster.Node(node)
	if n == nil {
		return nil
	}
	var pods []*preemption.Pod
	for _, p := range s.Cluster.PodsOn(n) {
		if p.Termination != preemption.NotTerminating && wanted(p) {
			pods = append(pods, p)
		}
	}
	return waitingFor(s, pods)
}

// patience is how long a pod may be overdue before it is called stuck: the kubelet
// and the API need a moment.
const patience = time.Minute

func waitingFor(s *situation.Situation, pods []*preemption.Pod) []explanation.Terminating {
	var list []explanation.Terminating
	for _, p := range pods {
		t := explanation.Terminating{Namespace: p.Namespace, Name: p.Name, Node: p.NodeName}
		object := kube.PodOf(p)
		if object != nil && object.DeletionTimestamp != nil {
			t.Finalizers = object.Finalizers
			// The timestamp is when the grace period ends.
			left := object.DeletionTimestamp.Sub(s.Now)
			if left >= 0 {
				t.GraceLeftSeconds = int64(left / time.Second)
			} else {
				t.OverdueSeconds = int64(-left / time.Second)
				t.Stuck = -left > patience
			}
		}
		list = append(list, t)
	}
	return list
}

// stuck says which of the pods do not go, and why.
func stuck(list []explanation.Terminating) string {
	var parts []string
	for _, t := range list {
		if !t.Stuck {
			continue
		}
		why := ""
		if len(t.Finalizers) > 0 {
			why = ", held by " + strings.Join(t.Finalizers, ", ")
		}
		parts = append(parts, fmt.Sprintf("%s/%s should have been gone %s ago%s", t.Namespace, t.Name,
			duration.HumanDuration(time.Duration(t.OverdueSeconds)*time.Second), why))
	}
	return strings.Join(parts, "; ")
}

func named(list []explanation.Terminating) string {
	var names []string
	for _, t := range list {
		names = append(names, t.Namespace+"/"+t.Name)
	}
	return strings.Join(names, ", ")
}

// whyPending says why a pod that fits may still be pending.
func whyPending(s *situation.Situation, r *Report) []string {
	p := kube.PodOf(r.Pod)
	if r.State != explanation.StateFits || p == nil || s.Cluster.Pod(p.Namespace, p.Name) != r.Pod {
		return nil
	}
	for _, c := range p.Status.Conditions {
		if c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse {
			return []string{fmt.Sprintf("it is pending all the same: %s ago the scheduler said %q; either the cluster has changed since, and the pod waits for its next try, or something not looked at here holds it",
				ago(s, c.LastTransitionTime), c.Message)}
		}
	}
	return []string{"it is pending all the same: the scheduler may not have come to it yet"}
}

func ago(s *situation.Situation, t metav1.Time) string {
	return duration.HumanDuration(s.Now.Sub(t.Time))
}
