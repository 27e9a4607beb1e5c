package explain

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/situation"
)

// A Gang is a pod group whose pods start together or not at all.
type Gang struct {
	*preemption.Gang
	// minCount is that of the group, of which bound pods count.
	minCount int
	// notTried says why the scheduler does not try the gang yet.
	notTried string
}

// GangOf returns the gang of the pod, nil if it belongs to none.
func GangOf(s *situation.Situation, pod *preemption.Pod) (*Gang, error) {
	if pod.Group == "" {
		return nil, nil
	}
	for _, g := range s.Contents.Cluster.PodGroups {
		if g.Namespace == pod.Namespace && g.Name == pod.Group {
			return gangOf(s, g)
		}
	}
	return nil, nil
}

// FindGang returns the gang of that name.
func FindGang(s *situation.Situation, namespace, name string) (*Gang, error) {
	var elsewhere []string
	for _, group := range s.Contents.Cluster.PodGroups {
		if group.Name != name {
			continue
		}
		if group.Namespace != namespace {
			elsewhere = append(elsewhere, group.Namespace)
			continue
		}
		g, err := gangOf(s, group)
		if err == nil && g == nil {
			err = fmt.Errorf("podgroup %s/%s has no gang policy: its pods are decided on one by one", namespace, name)
		}
		return g, err
	}
	return nil, situation.NotThere("podgroup", namespace, name, elsewhere)
}

// gangOf returns the group as a gang, nil if it has no gang policy.
func gangOf(s *situation.Situation, group *schedulingv1beta1.PodGroup) (*Gang, error) {
	policy := group.Spec.SchedulingPolicy.Gang
	if policy == nil {
		return nil, nil
	}
	g := &Gang{Gang: &preemption.Gang{Namespace: group.Namespace, Name: group.Name}, minCount: int(policy.MinCount)}
	for _, p := range s.State.PodGroups {
		if p.Namespace == group.Namespace && p.Name == group.Name {
			g.Priority = rootPriority(s, p)
		}
	}
	if p := group.Spec.PreemptionPolicy; p != nil {
		g.Policy = preemption.GangPreempts
		if string(*p) == string(v1.PreemptNever) {
			g.Policy = preemption.GangNeverPreempts
		}
	}
	bound := 0
	var waiting []*preemption.Pod
	for _, p := range s.State.Pods {
		if p.Namespace != group.Namespace || p.Group != group.Name {
			continue
		}
		// The queue binds pods in the cluster.
		if now := s.Cluster.Pod(p.Namespace, p.Name); now != nil {
			p = now
		}
		switch {
		case p.NodeName != "":
			bound++
		case NotTried(s, p) == "":
			waiting = append(waiting, p)
		}
	}
	g.Members = waiting
	g.MinCount = max(1, g.minCount-bound)
	if len(waiting) == 0 {
		g.notTried = "none of its pods waits for a node"
	}
	if have := bound + len(waiting); have < g.minCount {
		g.notTried = fmt.Sprintf("the gang needs %d pods before it is tried, and there are %d", g.minCount, have)
	}
	return g, nil
}

// rootPriority is the priority of the topmost group.
func rootPriority(s *situation.Situation, g *preemption.PodGroup) int32 {
	priority, parent := g.Priority, g.Parent
	for range len(s.State.CompositePodGroups) { // no further, should they go in a circle
		i := slices.IndexFunc(s.State.CompositePodGroups, func(c *preemption.CompositePodGroup) bool {
			return c.Namespace == g.Namespace && c.Name == parent
		})
		if parent == "" || i < 0 {
			break
		}
		priority, parent = s.State.CompositePodGroups[i].Priority, s.State.CompositePodGroups[i].Parent
	}
	return priority
}

// decide decides on the gang as kube-scheduler does. One that is not tried yet is
// not helped.
func (g *Gang) decide(ctx context.Context, s *situation.Situation) (*preemption.GangResult, error) {
	if g.notTried != "" {
		return &preemption.GangResult{Gang: g.Gang, Release: s.State.Release, Outcome: preemption.OutcomeUnhelpful}, nil
	}
	return s.Evaluator.PreemptGroup(ctx, s.Cluster, g.Gang, &preemption.GivenPlacement{})
}

// Group explains the decision on a gang.
func Group(ctx context.Context, s *situation.Situation, g *Gang) (*explanation.GroupExplanation, error) {
	r, err := g.decide(ctx, s)
	if err != nil {
		return nil, err
	}
	e := &explanation.GroupExplanation{
		TypeMeta:          metav1.TypeMeta{APIVersion: explanation.APIVersion, Kind: explanation.GroupKind},
		KubernetesVersion: r.Release.String(),
		GroupDecision:     *groupDecision(s, g, r),
	}
	e.Warnings = warningsOnVictims(s, e.Victims)
	if e.State == explanation.StatePreempts {
		said, err := aftermath(ctx, s, nil, g, e.Victims)
		if err != nil {
			return nil, err
		}
		e.Warnings = append(e.Warnings, said)
	}
	e.Warnings = append(e.Warnings, s.Notes...)
	return e, nil
}

func groupDecision(s *situation.Situation, g *Gang, r *preemption.GangResult) *explanation.GroupDecision {
	d := &explanation.GroupDecision{
		Namespace: g.Namespace, Name: g.Name, Priority: g.Priority, MinCount: g.minCount,
		Outcome: outcome(r.Outcome), Reason: r.Reason, PDBViolations: r.Violations,
		Assignments: []explanation.Assignment{}, Victims: victimsOf(s, r.Victims, nil),
	}
	for _, a := range r.Assignments {
		x := explanation.Assignment{Namespace: a.Pod.Namespace, Name: a.Pod.Name, Reason: a.Reason}
		if a.Node != nil {
			x.Node = a.Node.Name
		}
		d.Assignments = append(d.Assignments, x)
	}
	if d.State, d.StateReason, d.WaitsFor = gangState(s, g, r); d.State != explanation.StateNotTried {
		d.Message = r.Message()
	}
	return d
}

func gangState(s *situation.Situation, g *Gang, r *preemption.GangResult) (state, reason string, waits []explanation.Terminating) {
	switch {
	case g.notTried != "":
		return explanation.StateNotTried, g.notTried, nil
	case r.Outcome == preemption.OutcomeFits:
		return explanation.StateFits, "", nil
	case r.Outcome == preemption.OutcomeWaiting:
		for _, m := range g.Members {
			if m.NominatedNode != "" {
				waits = append(waits, terminating(s, m.NominatedNode, func(p *preemption.Pod) bool {
					return p.Termination == preemption.TerminatingByPreemption && p.Priority < g.Priority
				})...)
			}
		}
		waits = slices.CompactFunc(waits, func(a, b explanation.Terminating) bool { return a.Namespace == b.Namespace && a.Name == b.Name })
		return explanation.StateUnderWay, stuck(waits), waits
	case r.Outcome == preemption.OutcomePreempt && len(r.Delete) == 0:
		waits = waitingFor(s, r.Terminating)
		return explanation.StateFitsOnceGone, stuck(waits), waits
	case r.Outcome == preemption.OutcomePreempt:
		return explanation.StatePreempts, "", nil
	}
	return explanation.StateNoHelp, "", nil
}

// member explains what the gang's decision means for one of its pods.
func member(ctx context.Context, s *situation.Situation, pod *preemption.Pod, g *Gang, decided *preemption.GangResult) (*Report, error) {
	r, err := alone(ctx, s, pod)
	if err != nil {
		return nil, err
	}
	e := &r.Explanation
	if e.State == explanation.StateNotTried {
		return r, nil // it is no member that is waiting
	}
	d := groupDecision(s, g, decided)
	r.Gang, e.PodGroup = decided, d
	e.State, e.StateReason, e.WaitsFor = d.State, d.StateReason, d.WaitsFor
	e.Outcome, e.Reason, e.Victims, e.PDBViolations, e.Message = d.Outcome, d.Reason, d.Victims, d.PDBViolations, d.Message
	e.Node, e.DecidedBy, e.Candidates, e.LostNominations = "", "", []explanation.Candidate{}, nil
	if decided.Outcome != preemption.OutcomeFits {
		e.FitNodes = []string{}
	}
	for _, a := range d.Assignments {
		if a.Namespace == pod.Namespace && a.Name == pod.Name {
			e.Node = a.Node
		}
	}
	e.LongestGracePeriodSeconds = 0
	for _, v := range e.Victims {
		e.LongestGracePeriodSeconds = max(e.LongestGracePeriodSeconds, v.GracePeriodSeconds)
	}
	e.Warnings = append(warningsOnVictims(s, e.Victims), s.NotesOn(pod)...)
	return r, nil
}

// proceedGang does to the situation what the scheduler does to the cluster.
func proceedGang(s *situation.Situation, g *Gang, r *preemption.GangResult) error {
	if g.notTried != "" {
		return nil
	}
	if r.Outcome == preemption.OutcomePreempt {
		if err := evict(s, r.Delete); err != nil {
			return err
		}
	}
	for _, a := range r.Assignments {
		var err error
		switch {
		case r.Outcome == preemption.OutcomeFits && a.Node != nil:
			err = place(s, a.Pod, a.Node)
		case r.Nomination == preemption.ClearNomination:
			err = s.Cluster.Nominate(a.Pod, "")
		case r.Nomination == preemption.SetNomination && a.Node != nil:
			err = s.Cluster.Nominate(a.Pod, a.Node.Name)
		}
		if err != nil {
			return err
		}
	}
	for _, p := range r.ClearNominations {
		if err := s.Cluster.Nominate(p, ""); err != nil {
			return err
		}
	}
	return nil
}
