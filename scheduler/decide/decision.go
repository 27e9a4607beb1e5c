package decide

import (
	"time"

	v1 "k8s.io/api/core/v1"
)

// A Decision is what the library made of a pod that no node takes.
type Decision struct {
	Pod     *v1.Pod
	Outcome Outcome
	// Reason says why the decision was left to kube-scheduler.
	Reason string
	// Node is to be cleared of Victims, whose eviction violates budgets so many
	// times.
	Node       string
	Victims    []*v1.Pod
	Violations int

	// Nodes is how many nodes the decision ranged over; FilterRuns how often the
	// profile's filters ran on one for it.
	Nodes, FilterRuns int
	// Following is the time it took to bring the state in step, Deciding that of
	// the library, Checking that of kube-scheduler's dry run of the chosen node and
	// of the start of the evictions.
	Following, Deciding, Checking time.Duration

	// Agreement is what kube-scheduler makes of the decision.
	Agreement Agreement
	// CrossChecked says that kube-scheduler's whole search ran beside the decision,
	// BetterThanSample that the sample of nodes it looks at by default would have
	// led to a worse choice.
	CrossChecked, BetterThanSample bool
}

// Outcome is how a decision of the library ended.
type Outcome int

const (
	Left       Outcome = iota // the library did not decide
	Preempts                  // clearing a node helps
	Unhelpful                 // nothing that may be evicted helps
	Ineligible                // the pod may not preempt now
)

// String returns "left", "preempts", "unhelpful" or "ineligible".
func (o Outcome) String() string {
	return [...]string{"left", "preempts", "unhelpful", "ineligible"}[o]
}

// Agreement is what kube-scheduler makes of a decision.
type Agreement int

const (
	Agreed  Agreement = iota
	Refused           // its dry run refuses the node, or it finds one where the library found none
	Differs           // its dry run comes to another number of victims or violations
	Worse             // it knows a better candidate by the five criteria; found by the cross-check only
)

// String returns "agreed", "refused", "differs" or "worse".
func (a Agreement) String() string {
	return [...]string{"agreed", "refused", "differs", "worse"}[a]
}
