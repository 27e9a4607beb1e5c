// Package explain turns decisions into explanations.
package explain

import (
	"context"
	"fmt"
	"slices"

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
	// Gang is the decision on the gang that the pod belongs to, nil if it is by
	// itself.
	Gang *preemption.GangResult

	notes []string // for the warnings
}

// Pod explains the decision on one pod, which is that on its gang if it belongs to
// one.
func Pod(ctx context.Context, s *situation.Situation, pod *preemption.Pod) (*Report, error) {
	r, err := decideOn(ctx, s, pod)
	if err != nil {
		return nil, err
	}
	r.Warnings = append(r.Warnings, whyPending(s, r)...)
	return r, addAftermath(ctx, s, r)
}

// addAftermath says where the victims go.
func addAftermath(ctx context.Context, s *situation.Situation, r *Report) error {
	if r.State != explanation.StatePreempts {
		return nil
	}
	var g *Gang
	if r.Gang != nil {
		var err error
		if g, err = GangOf(s, r.Pod); err != nil {
			return err
		}
	}
	said, err := aftermath(ctx, s, r.Pod, g, r.Victims)
	if err == nil && said != "" {
		r.Warnings = append(r.Warnings, said)
	}
	return err
}

// decideOn explains the decision as things are, or would be.
func decideOn(ctx context.Context, s *situation.Situation, pod *preemption.Pod) (*Report, error) {
	g, err := GangOf(s, pod)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return alone(ctx, s, pod)
	}
	decided, err := g.decide(ctx, s)
	if err != nil {
		return nil, err
	}
	return member(ctx, s, pod, g, decided)
}

// alone explains the decision on one pod by itself.
func alone(ctx context.Context, s *situation.Situation, pod *preemption.Pod) (*Report, error) {
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
	e.Pod = summary(pod)
	e.Outcome, e.Reason = outcome(x.Outcome), x.Reason
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
	if err := setState(ctx, s, r); err != nil {
		return nil, err
	}
	if e.Contrast = contrast(s, &x.Result); s.Evaluator.Contrast {
		e.Message = "" // kube-scheduler's words are about its own decision
	}
	if e.Details, err = details(ctx, s, r); err != nil {
		return nil, err
	}
	e.Warnings = slices.Concat(warnings(s, r), r.notes, s.NotesOn(pod))
	return r, nil
}

// contrast says what kube-scheduler would decide, nil if that is what was asked for.
func contrast(s *situation.Situation, r *preemption.Result) *explanation.Contrast {
	if r.Contrast == nil {
		return nil
	}
	c := &explanation.Contrast{
		Victims: s.Evaluator.Victims.String(), Budgets: s.Evaluator.Budgets.String(), UpstreamVictims: []explanation.Reference{},
		Violations: r.Contrast.Violations, By: r.Contrast.By, Better: r.Contrast.Better,
	}
	if n := r.Contrast.Upstream.Node; n != nil {
		c.UpstreamNode = n.Name
	}
	for _, v := range r.Contrast.Upstream.Victims {
		c.UpstreamVictims = append(c.UpstreamVictims, references(v.Pods)...)
	}
	return c
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

func summary(p *preemption.Pod) explanation.Pod {
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
	d := explanation.Decision{Outcome: outcome(r.Outcome), Victims: []explanation.Reference{}, PDBViolations: r.Violations}
	if r.Node != nil {
		d.Node = r.Node.Name
	}
	for _, v := range r.Victims {
		d.Victims = append(d.Victims, references(v.Pods)...)
	}
	return d
}
