package preemption

import (
	"fmt"
	"slices"
	"strings"
)

// NotHelpful is the reason given for a node that no eviction on it helps.
const NotHelpful = "Preemption is not helpful for scheduling"

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
		if !x.Release.announcesVictims() {
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
			reasons[NotHelpful]++
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
