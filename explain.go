package preemption

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Explain tells a human how the decision came about, node by node: why the node
// does not take the preemptor, what was removed, which victims were put back, which
// were not and why, and at last which node is cleared and which criterion chose it.
// The text is for reading; its form may change.
func (x *Examination) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pod %s: priority %d, requests %s\n", x.Preemptor, x.Preemptor.Priority, formatRequests(x.Preemptor.Requests))
	for i := range x.Nodes {
		x.Nodes[i].explain(&b)
	}
	b.WriteByte('\n')
	x.conclude(&b)
	if x.Contrast != nil {
		fmt.Fprintf(&b, "%s\n", x.Contrast)
	}
	return b.String()
}

func (r *NodeReport) explain(b *strings.Builder) {
	fmt.Fprintf(b, "\nnode %s: ", r.Node.Name)
	switch {
	case r.Filter.Fits() && r.Err == nil:
		b.WriteString("takes the pod as it is\n")
		return
	case r.Err != nil:
		fmt.Fprintf(b, "failed: %v\n", r.Err)
		return
	}
	b.WriteString(r.Filter.Message())
	if !r.Examined {
		if r.Filter.Code == Unresolvable {
			b.WriteString("; no eviction helps")
		}
		b.WriteByte('\n')
		return
	}
	b.WriteByte('\n')
	if len(r.Removed)+len(r.Protected) == 0 {
		fmt.Fprintf(b, "  %s\n", r.Status.Message())
		return
	}
	r.explainProtected(b)
	if len(r.Removed) > 0 {
		fmt.Fprintf(b, "  without %s of lower priority: %s\n", r.whose(), r.withoutVictims())
	}
	r.explainSteps(b)
	if r.vetoed || r.Candidate == nil && len(r.Protected) > 0 {
		fmt.Fprintf(b, "  %s\n", r.Status.Message())
	}
	if r.Candidate != nil && len(r.Steps) == 0 {
		fmt.Fprintf(b, "  %s: %s\n", r.bestOf(), victimList(r.Candidate.Victims))
	}
	if r.Candidate != nil {
		fmt.Fprintf(b, "  cleared by evicting %s, %s\n", plural(countPods(r.Candidate.Victims), "pod"), plural(r.Candidate.Violations, "budget violation"))
	}
}

// columns returns a writer that aligns what tabs separate, until it is flushed.
func columns(b *strings.Builder) *tabwriter.Writer {
	return tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
}

// explainProtected names the victims that budgets protect, and the budgets.
func (r *NodeReport) explainProtected(b *strings.Builder) {
	w := columns(b)
	for _, v := range r.Protected {
		fmt.Fprintf(w, "  protected\t%s\tpriority %d\tby %s\n", v.Victim.describe(), v.Victim.Priority, budgetNames(v.Budgets))
	}
	w.Flush() // a strings.Builder does not fail
}

// whose says which pods were removed at first.
func (r *NodeReport) whose() string {
	pods := plural(countPods(r.Removed), "pod")
	if len(r.Protected) > 0 && !slices.Contains(r.Removed, r.Protected[0].Victim) {
		return "the other " + pods
	}
	return "its " + pods
}

// bestOf says what was chosen where nothing was put back one by one.
func (r *NodeReport) bestOf() string {
	if r.inexact {
		return "the best found of all sets that make room, as the search ended early"
	}
	return "the best of all sets that make room"
}

// withoutVictims says how the fit test ended with all victims gone.
func (r *NodeReport) withoutVictims() string {
	if r.afterRemoval.Fits() {
		return "fits"
	}
	return "still refused: " + refusal(r.afterRemoval, r.Shortfalls)
}

func (r *NodeReport) explainSteps(b *strings.Builder) {
	w := columns(b)
	for _, s := range r.Steps {
		verdict := "stays"
		if !s.Spared() {
			verdict = "has to go: " + refusal(s.Status, s.Shortfalls)
		}
		if len(s.Budgets) > 0 {
			verdict += " (evicting it violates " + budgetNames(s.Budgets) + ")"
		}
		fmt.Fprintf(w, "  put back\t%s\tpriority %d\t%s\n", s.Victim.describe(), s.Victim.Priority, verdict)
	}
	w.Flush() // a strings.Builder does not fail
}

func (x *Examination) conclude(b *strings.Builder) {
	switch x.Outcome {
	case OutcomeFits:
		fmt.Fprintf(b, "%s: nothing needs evicting\n", plural(len(x.FitNodes), "node")+" can take the pod")
		return
	case OutcomeIneligible:
		fmt.Fprintf(b, "the pod may not preempt: %s\n", x.Reason)
		return
	case OutcomeWaiting:
		fmt.Fprintf(b, "node %s is being cleared for the pod already; it waits for\n", x.Node.Name)
		for _, p := range x.Waiting {
			fmt.Fprintf(b, "  %s, which is terminating\n", p)
		}
		return
	case OutcomeUnhelpful:
		reason := "no eviction makes room anywhere"
		if x.Reason != "" {
			reason = x.Reason
		}
		fmt.Fprintf(b, "preemption does not help: %s\n", reason)
		return
	}
	fmt.Fprintf(b, "%s; ", plural(len(x.Candidates), "candidate"))
	switch {
	case len(x.Candidates) == 1:
		fmt.Fprintf(b, "node %s is cleared\n", x.Node.Name)
	case x.DecidedBy == "":
		fmt.Fprintf(b, "node %s is the first of those that no criterion tells apart\n", x.Node.Name)
	default:
		fmt.Fprintf(b, "node %s is chosen by: %s\n", x.Node.Name, x.DecidedBy)
	}
	for _, v := range x.Victims {
		fmt.Fprintf(b, "  evict %s, priority %d\n", v.describe(), v.Priority)
	}
	for _, p := range x.Terminating {
		fmt.Fprintf(b, "  %s is terminating already\n", p)
	}
	for _, p := range x.ClearNominations {
		fmt.Fprintf(b, "  %s loses its nomination to the node\n", p)
	}
}

// refusal gives the amounts where they are known, the reasons otherwise.
func refusal(status Status, short []Shortfall) string {
	if len(short) == 0 {
		return status.Message()
	}
	parts := make([]string, len(short))
	for i, s := range short {
		free := s.Allocatable - s.Used
		parts[i] = fmt.Sprintf("%s short by %s (%s of %s free)", s.Resource,
			formatAmount(s.Resource, s.Requested-free), formatAmount(s.Resource, free), formatAmount(s.Resource, s.Allocatable))
	}
	return strings.Join(parts, ", ")
}

func budgetNames(budgets []*PodDisruptionBudget) string {
	names := make([]string, len(budgets))
	for i, b := range budgets {
		names[i] = "budget " + b.String()
	}
	return strings.Join(names, ", ")
}

func formatRequests(r Resources) string {
	var parts []string
	for _, name := range r.names() {
		parts = append(parts, name+" "+formatAmount(name, r[name]))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// formatAmount writes an amount as Kubernetes does: cpu in millicores, bytes
// with a binary suffix where that is exact.
func formatAmount(resource string, n int64) string {
	switch resource {
	case CPU:
		return strconv.FormatInt(n, 10) + "m"
	case Memory, EphemeralStorage:
		for _, unit := range []struct {
			suffix string
			size   int64
		}{{"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}} {
			if n != 0 && n%unit.size == 0 {
				return strconv.FormatInt(n/unit.size, 10) + unit.suffix
			}
		}
	}
	return strconv.FormatInt(n, 10)
}
