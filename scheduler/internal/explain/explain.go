// Package explain turns decisions into explanations.
package explain

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/situation"
)

// A Report is an explanation with the examination that it sums up.
type Report struct {
	explanation.Explanation
	Examination *preemption.Examination
	Pod         *preemption.Pod
}

// Pod explains the decision on one pod.
func Pod(ctx context.Context, s *situation.Situation, pod *preemption.Pod) (*Report, error) {
	x, err := s.Evaluator.Examine(ctx, s.Cluster, pod)
	if err != nil {
		return nil, err
	}
	message, err := message(s, x)
	if err != nil {
		return nil, err
	}
	r := &Report{Examination: x, Pod: pod}
	e := &r.Explanation
	e.TypeMeta = metav1.TypeMeta{APIVersion: explanation.APIVersion, Kind: explanation.Kind}
	e.KubernetesVersion = x.Release.String()
	e.Pod = podOf(pod)
	e.Outcome, e.Reason = outcome(&x.Result), x.Reason
	if x.Node != nil {
		e.Node = x.Node.Name
	}
	e.PDBViolations, e.DecidedBy, e.PotentialNodes, e.Message = x.Violations, x.DecidedBy, x.Potential, message
	e.Victims = victims(s, x)
	e.FitNodes = []string{}
	for _, n := range x.FitNodes {
		e.FitNodes = append(e.FitNodes, n.Name)
	}
	e.Candidates = []explanation.Candidate{}
	for _, c := range x.Candidates {
		e.Candidates = append(e.Candidates, explanation.Candidate{Node: c.Node.Name, Victims: references(c.Pods()), PDBViolations: c.Violations})
	}
	e.Statuses = statuses(x)
	if len(x.ClearNominations) > 0 {
		e.LostNominations = references(x.ClearNominations)
	}
	for _, v := range e.Victims {
		e.LongestGracePeriodSeconds = max(e.LongestGracePeriodSeconds, v.GracePeriodSeconds)
	}
	e.Warnings = append(warnings(e, x), s.NotesOn(pod)...)
	return r, nil
}

// message is the event's text. What rejects the pod as a whole is given once
// there, not once a node.
func message(s *situation.Situation, x *preemption.Examination) (string, error) {
	rejection, rejected, err := s.Plugins.Rejection(x.Preemptor, s.Cluster)
	if err != nil || !rejected {
		return x.Message(), err
	}
	return fmt.Sprintf("0/%d nodes are available: %s. preemption: %s", len(x.Nodes), rejection.Message(), x.PreemptionMessage()), nil
}

// statuses gives a candidate the status that made it a potential node.
func statuses(x *preemption.Examination) map[string]string {
	m := make(map[string]string, len(x.Nodes))
	for i := range x.Nodes {
		r := &x.Nodes[i]
		switch {
		case r.Err != nil:
			m[r.Node.Name] = "Error: " + r.Err.Error()
		case r.Candidate != nil:
			m[r.Node.Name] = r.Filter.String()
		case !r.Status.Fits():
			m[r.Node.Name] = r.Status.String()
		}
	}
	return m
}

func podOf(p *preemption.Pod) explanation.Pod {
	policy := "PreemptLowerPriority"
	if p.PreemptionPolicy == preemption.PreemptNever {
		policy = "Never"
	}
	return explanation.Pod{
		Namespace:        p.Namespace,
		Name:             p.Name,
		Priority:         p.Priority,
		PreemptionPolicy: policy,
		Requests:         requests(p),
		NominatedNode:    p.NominatedNode,
	}
}

func references(pods []*preemption.Pod) []explanation.Reference {
	list := make([]explanation.Reference, 0, len(pods))
	for _, p := range pods {
		list = append(list, explanation.Reference{Namespace: p.Namespace, Name: p.Name})
	}
	return list
}

// decision is the short form of a result.
func decision(r *preemption.Result) explanation.Decision {
	d := explanation.Decision{Outcome: outcome(r), Victims: []explanation.Reference{}, PDBViolations: r.Violations}
	if r.Node != nil {
		d.Node = r.Node.Name
	}
	for _, v := range r.Victims {
		d.Victims = append(d.Victims, references(v.Pods)...)
	}
	return d
}

// outcome is the word for it. A pod that waits for its victims is said to be
// ineligible, as kube-scheduler does.
func outcome(r *preemption.Result) string {
	if r.Outcome == preemption.OutcomeWaiting {
		return explanation.Ineligible
	}
	return r.Outcome.String()
}
