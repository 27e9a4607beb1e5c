package preemption

import (
	"fmt"
	"slices"
	"strings"
)

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
// then what became of preemption. It is empty if a node takes it.
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
		text += " preemption: " + p
	}
	return text
}

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
