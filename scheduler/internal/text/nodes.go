package text

import (
	"fmt"
	"slices"
	"strings"

	"example.com/preemption"
	"example.com/preemption/scheduler/internal/explain"
)

// nodes says why nodes do not do: by reason, or node by node with every step.
func (p *Printer) nodes(w *writer, r *explain.Report) {
	if p.Wide {
		w.section("Node by node")
		for i := range r.Examination.Nodes {
			p.node(w, &r.Examination.Nodes[i])
		}
		return
	}
	var reasons []string
	names := map[string][]string{}
	for i := range r.Examination.Nodes {
		n := &r.Examination.Nodes[i]
		if reason := whyNot(n); reason != "" {
			if names[reason] == nil {
				reasons = append(reasons, reason)
			}
			names[reason] = append(names[reason], n.Node.Name)
		}
	}
	if len(reasons) == 0 {
		return
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return len(names[b]) - len(names[a]) })
	w.section("Why not elsewhere")
	t := newTable("Nodes", "Reason", "Which")
	for _, reason := range reasons {
		addRow(t, len(names[reason]), reason, listing(names[reason], 3))
	}
	w.table(t)
}

// whyNot returns why a node neither takes the pod nor can be cleared for it, ""
// if it does or can.
func whyNot(n *preemption.NodeReport) string {
	switch {
	case n.Err != nil:
		return "error: " + n.Err.Error()
	case n.Candidate != nil || n.Filter.Fits():
		return ""
	case !n.Examined && n.Filter.Code == preemption.Unschedulable:
		return n.Filter.Message() // the pod may not preempt
	case !n.Examined:
		return n.Filter.Message() + "; no eviction helps"
	case n.Status.Message() == preemption.ReasonNoVictims:
		return n.Filter.Message() + "; no pod of lower priority"
	}
	return n.Status.Message() + ", even without the pods of lower priority"
}

// node prints what was tried on one node.
func (p *Printer) node(w *writer, n *preemption.NodeReport) {
	switch reason := whyNot(n); {
	case n.Candidate != nil:
		w.printf("  %s: %s; can be cleared\n", n.Node.Name, n.Filter.Message())
	case reason == "":
		w.printf("  %s: takes the pod as it is\n", n.Node.Name)
	default:
		w.printf("  %s: %s\n", n.Node.Name, reason)
	}
	if len(n.Shortfalls) > 0 {
		w.printf("      without them still %s\n", shortfalls(n.Shortfalls))
	}
	if len(n.Steps) == 0 {
		return
	}
	w.printf("      without %s it fits; put back one by one:\n", plural(countPods(n.Removed), "pod"))
	t := newTable("Step", "Victim", "Priority", "Result")
	for i, s := range n.Steps {
		result := "stays"
		if !s.Spared() {
			result = "goes: " + s.Status.Message()
			if len(s.Shortfalls) > 0 {
				result = "goes: " + shortfalls(s.Shortfalls)
			}
		}
		if len(s.Budgets) > 0 {
			var names []string
			for _, b := range s.Budgets {
				names = append(names, b.Name)
			}
			result += " (over budget " + strings.Join(names, ", ") + ")"
		}
		addRow(t, fmt.Sprintf("      %d", i+1), s.Victim.String(), fmt.Sprintf("priority %d", s.Victim.Priority), result)
	}
	w.rows(t)
}

func countPods(victims []*preemption.Victim) int {
	n := 0
	for _, v := range victims {
		n += len(v.Pods)
	}
	return n
}

func shortfalls(list []preemption.Shortfall) string {
	var parts []string
	for _, s := range list {
		free := s.Allocatable - s.Used
		parts = append(parts, fmt.Sprintf("short of %s %s (%s of %s free)",
			explain.Amount(s.Resource, s.Requested-free), s.Resource, explain.Amount(s.Resource, free), explain.Amount(s.Resource, s.Allocatable)))
	}
	return strings.Join(parts, ", ")
}
