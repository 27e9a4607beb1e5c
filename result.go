package preemption

import "time"

// A Result is a decision. It holds what the caller has to do; nothing has been
// done yet.
type Result struct {
	// Preemptor is the pod that the decision is about.
	Preemptor *Pod
	Outcome   Outcome
	// Reason says why not, for the outcomes ineligible, waiting and, where extenders
	// left no node, unhelpful. [Examination.Message] has the reasons node by node.
	Reason string
	// Node is the node to clear (preempt), the one that is being cleared (waiting),
	// or one that takes the preemptor as it is (fits): the one that it is nominated
	// to, or else the first.
	Node *Node
	// Victims have to go from the node and, with atomic groups, from others, most
	// important first.
	Victims []*Victim
	// Violations counts the pods among them whose eviction violates a budget.
	Violations int
	// Exact says that with [VictimsBest] no node and no set of victims is better by
	// the evaluator's orders, or that there are none, of the nodes that were looked
	// at. It is false where a search had to end early, and for the reprieve.
	Exact bool
	// Contrast says what kube-scheduler would have decided, nil unless the evaluator
	// was asked for that.
	Contrast *Contrast
	// Delete are the pods of the victims still to delete, in their order.
	Delete []*Pod
	// Terminating are the pods of the victims that are on their way out already.
	Terminating []*Pod
	// Waiting are the pods on Node that the preemptor waits for (waiting), the most
	// important first. See [Result.GraceLeft].
	Waiting []*Pod
	// ClearNominations are the pods of lower priority nominated to the node. They
	// lose their claim to the room that is made.
	ClearNominations []*Pod
	// Nomination says what becomes of the preemptor's own nomination.
	Nomination Nomination
	// FilterRuns counts how often the filters were run on a node to find this out:
	// the calls of DryRun.Fits by the path that decided. The engine's own arithmetic
	// is not counted, so a Preempt by the engine has few, and with the built-in
	// filters none.
	FilterRuns int
}

// An Outcome says how a decision ended.
type Outcome uint8

const (
	// OutcomeUnhelpful: no eviction makes room for the preemptor anywhere.
	OutcomeUnhelpful Outcome = iota
	// OutcomeFits: a node takes the preemptor as it is; nothing needs evicting.
	OutcomeFits
	// OutcomeIneligible: the preemptor may not preempt now; Reason says why.
	OutcomeIneligible
	// OutcomePreempt: clearing Node of Victims makes room.
	OutcomePreempt
	// OutcomeWaiting: victims of an earlier round are still on their way out.
	OutcomeWaiting
)

// String returns "unhelpful", "fits", "ineligible", "preempt" or "waiting".
func (o Outcome) String() string {
	switch o {
	case OutcomeFits:
		return "fits"
	case OutcomeIneligible:
		return "ineligible"
	case OutcomePreempt:
		return "preempt"
	case OutcomeWaiting:
		return "waiting"
	}
	return "unhelpful"
}

// GraceLeft returns how long the pods that are waited for may still take to go:
// the longest of what is left of their grace periods at the time now, zero if
// nothing is. A pod that outstays its grace is held by something else, a
// finalizer or a node that does not answer.
func (r *Result) GraceLeft(now time.Time) time.Duration { return graceLeft(r.Waiting, now) }

// graceLeft is the longest grace left to any of the pods. One whose end is not
// known counts with all of its grace period.
func graceLeft(pods []*Pod, now time.Time) time.Duration {
	longest := time.Duration(0)
	for _, p := range pods {
		left := p.GracePeriod
		if !p.TerminatesAt.IsZero() {
			left = p.TerminatesAt.Sub(now)
		}
		longest = max(longest, left)
	}
	return longest
}

// A Nomination says what becomes of the preemptor's nominated node.
type Nomination uint8

const (
	KeepNomination  Nomination = iota // leave it as it is
	ClearNomination                   // clear it: nothing is being made ready any more
	SetNomination                     // set it to Result.Node
)

// String returns "keep", "clear" or "set".
func (n Nomination) String() string {
	switch n {
	case ClearNomination:
		return "clear"
	case SetNomination:
		return "set"
	}
	return "keep"
}

// preempt makes the result that clears the candidate's node.
func (c *Cluster) preempt(preemptor *Pod, best *Candidate) Result {
	r := Result{
		Outcome:    OutcomePreempt,
		Node:       best.Node,
		Victims:    best.Victims,
		Violations: best.Violations,
		Nomination: SetNomination,
	}
	for _, v := range best.Victims {
		for _, p := range v.Pods {
			if p.Termination == NotTerminating {
				r.Delete = append(r.Delete, p)
			} else {
				r.Terminating = append(r.Terminating, p)
			}
		}
	}
	for _, p := range c.nominated[best.Node.Name] {
		if p.Priority < preemptor.Priority && !samePod(p, preemptor) {
			r.ClearNominations = append(r.ClearNominations, p)
		}
	}
	return r
}
