package preemption

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

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

// An Examination is a decision with all that was looked at on the way.
type Examination struct {
	Result
	Release Release
	// Nodes reports on every node of the cluster, in order.
	Nodes []NodeReport
	// FitNodes take the preemptor as they are.
	FitNodes []*Node
	// Potential counts the nodes that failed for reasons that evictions may
	// resolve.
	Potential int
	// Candidates are the nodes to choose from, in the input order of the choice:
	// node order, or under sampling those that violate no budget first, or the
	// order of the last extender.
	Candidates []*Candidate
	// DecidedBy names the order that told the chosen node from the last of its
	// rivals, "" if there was no rival or none could.
	DecidedBy string
}

// A NodeReport says what was found out about one node.
type NodeReport struct {
	Node *Node
	// Filter is the node's answer to the preemptor with every pod in place.
	Filter Status
	// Status is the answer after the dry run, if there was one and it found no
	// candidate; else it is Filter.
	Status Status
	// Examined says that there was a dry run.
	Examined bool
	// Removed are the victims that the dry run took away at first.
	Removed []*Victim
	// Shortfalls details the refusal if the preemptor did not fit even then.
	Shortfalls []Shortfall
	// Violating are those whose eviction would violate a budget.
	Violating []Violation
	// Protected are the victims that stay because evicting them would violate a
	// budget ([BudgetsRespected]).
	Protected []Violation
	// Steps are the attempts to put them back, in order.
	Steps []Step
	// Candidate is what it takes to clear the node, nil if nothing does.
	Candidate *Candidate
	// Err is what failed. It is returned if no node is a candidate.
	Err error
	// FilterRuns counts how often the filters were run on the node.
	FilterRuns int

	afterRemoval Status
	vetoed       bool // by Accept
	inexact      bool // better victims may exist
}

// record returns a trace that writes into the report.
func (r *NodeReport) record() *Trace {
	return &Trace{
		Removed: func(_ *Node, victims []*Victim, status Status, short []Shortfall) {
			// The slice is sorted in place later on.
			r.Removed, r.afterRemoval, r.Shortfalls = append([]*Victim(nil), victims...), status, short
		},
		Classified: func(_ *Node, violating []Violation) { r.Violating = violating },
		Protected:  func(_ *Node, protected []Violation) { r.Protected = protected },
		Reprieved:  func(_ *Node, step Step) { r.Steps = append(r.Steps, step) },
	}
}

// replay tells the trace what the reports hold, in node order.
func (x *Examination) replay(t *Trace) {
	if t == nil {
		return
	}
	for i := range x.Nodes {
		r := &x.Nodes[i]
		if t.Protected != nil && len(r.Protected) > 0 {
			t.Protected(r.Node, r.Protected)
		}
		if len(r.Removed) == 0 {
			continue
		}
		if t.Removed != nil {
			t.Removed(r.Node, r.Removed, r.afterRemoval, r.Shortfalls)
		}
		if !r.afterRemoval.Fits() {
			continue
		}
		if t.Classified != nil {
			t.Classified(r.Node, r.Violating)
		}
		if t.Reprieved != nil {
			for _, s := range r.Steps {
				t.Reprieved(r.Node, s)
			}
		}
	}
}

// ReasonNotHelpful is the reason given for a node that no eviction on it helps.
const ReasonNotHelpful = "Preemption is not helpful for scheduling"

// Message returns the text of the FailedScheduling event that kube-scheduler of
// this release would emit for the preemptor, to the letter: why no node took it,
// then what became of preemption (in 1.36 behind [NoClaims]). It is empty if a node takes it.
func (x *Examination) Message() string {
	if x.Outcome == OutcomeFits {
		return ""
	}
	reasons := make(map[string]int)
	for i := range x.Nodes {
		for _, reason := range x.Nodes[i].Filter.Reasons {
			reasons[reason]++
		}
	}
	text := unavailable(len(x.Nodes), reasons)
	if p := x.PreemptionMessage(); p != "" {
		text += " "
		if x.Release.rules().claimsAnswerFirst {
			text += NoClaims
		}
		text += "preemption: " + p
	}
	return text
}

// NoClaims is what stands in Message before preemption's part in 1.36: the answer
// of kube-scheduler's plugin for resource claims to a pod without claims. Claims
// are not modelled.
const NoClaims = "no new claims to deallocate, "

// PreemptionMessage returns the part of Message that is about preemption,
// without the prefix "preemption: ". It is empty if a node takes the preemptor
// and, in 1.36, if preemption succeeds.
func (x *Examination) PreemptionMessage() string {
	switch x.Outcome {
	case OutcomeFits:
		return ""
	case OutcomePreempt:
		if !x.Release.rules().announcesVictims {
			return ""
		}
		return fmt.Sprintf("found a potential placement for pod on node %s, preempting %d victims",
			x.Node.Name, len(x.Delete)+len(x.Terminating))
	}
	if x.Reason != "" {
		return x.Reason
	}
	reasons := make(map[string]int)
	for i := range x.Nodes {
		r := &x.Nodes[i]
		if !r.Examined {
			reasons[ReasonNotHelpful]++
			continue
		}
		for _, reason := range r.Status.Reasons {
			reasons[reason]++
		}
	}
	return unavailable(len(x.Nodes), reasons)
}

// unavailable counts the reasons. They are sorted as texts, number first, as
// upstream does.
func unavailable(nodes int, reasons map[string]int) string {
	text := fmt.Sprintf("0/%d nodes are available:", nodes)
	if len(reasons) == 0 {
		return text
	}
	counted := make([]string, 0, len(reasons))
	for reason, n := range reasons {
		counted = append(counted, fmt.Sprintf("%d %s", n, reason))
	}
	slices.Sort(counted)
	return text + " " + strings.Join(counted, ", ") + "."
}

// A Contrast is what kube-scheduler's policy would have decided, beside a result
// of another policy.
type Contrast struct {
	// Upstream is the decision with the zero values of Victims, Budgets and Orders.
	Upstream *Result
	// Violations counts the pods of its victims whose eviction violates a budget,
	// exactly.
	Violations int
	// By names the first of the evaluator's orders that tells the two apart, and
	// Better says that the result is the better one. By is "" if none does, or if one
	// of them evicts no pod. With violations counted exactly a result is worse only
	// where budgets are respected or VictimsReprieve chose it.
	By     string
	Better bool
}

// String says it in one line.
func (k *Contrast) String() string {
	u := k.Upstream
	if u.Outcome != OutcomePreempt {
		return "kube-scheduler would evict nobody: " + u.Outcome.String()
	}
	s := fmt.Sprintf("kube-scheduler would evict %s from node %s, %s", victimList(u.Victims), u.Node.Name, plural(k.Violations, "budget violation"))
	switch {
	case k.By == "":
	case k.Better:
		s += "; this is better by: " + k.By
	default:
		s += "; that is better by: " + k.By
	}
	return s
}

func victimList(victims []*Victim) string {
	names := make([]string, len(victims))
	for i, v := range victims {
		names[i] = v.describe()
	}
	return strings.Join(names, ", ")
}
