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
	if p.Steps {
		w.section("Node by node")
		for i := range r.Examination.Nodes {
			p.node(w, &r.Examination.Nodes[i], r.Details)
		}
		return
	}
	reasons := Refusals(r)
	if len(reasons) == 0 {
		return
	}
	w.section("Why not elsewhere")
	t := newTable("NODES", "REASON", "WHICH").shrinking(shrinking{"WHICH", 12}, shrinking{"REASON", 30})
	for _, x := range reasons {
		most := 3
		if p.Wide {
			most = len(x.Nodes)
		}
		t.add(len(x.Nodes), x.Reason, listing(x.Nodes, most))
	}
	w.table(t)
}

// A Refusal is a reason with the nodes that give it.
type Refusal struct {
	Reason string
	Nodes  []string
}

// Refusals are why nodes neither take the pod nor can be cleared for it, the most
// frequent reason first.
func Refusals(r *explain.Report) []Refusal {
	var list []Refusal
	at := map[string]int{}
	for i := range r.Examination.Nodes {
		n := &r.Examination.Nodes[i]
		reason := whyNot(n, r.Details[n.Node.Name])
		if reason == "" || n.Node.Name == r.Explanation.Node {
			continue
		}
		if _, known := at[reason]; !known {
			at[reason] = len(list)
			list = append(list, Refusal{Reason: reason})
		}
		x := &list[at[reason]]
		x.Nodes = append(x.Nodes, n.Node.Name)
	}
	slices.SortStableFunc(list, func(a, b Refusal) int { return len(b.Nodes) - len(a.Nodes) })
	return list
}

// whyNot returns why a node neither takes the pod nor can be cleared for it, ""
// if it does or can.
func whyNot(n *preemption.NodeReport, detail string) string {
	filter := n.Filter.Message()
	if detail != "" {
		filter += " (" + detail + ")"
	}
	switch {
	case n.Err != nil:
		return "error: " + n.Err.Error()
	case n.Candidate != nil || n.Filter.Fits():
		return ""
	case !n.Examined && n.Filter.Code == preemption.Unschedulable:
		return filter // the pod may not preempt
	case !n.Examined:
		return filter + "; no eviction helps"
	case n.Status.Message() == preemption.ReasonNoVictims:
		return filter + "; no pod of lower priority"
	case detail != "":
		return n.Status.Message() + ", even without the pods of lower priority (" + detail + ")"
	}
	return n.Status.Message() + ", even without the pods of lower priority"
}

// node prints what was tried on one node.
func (p *Printer) node(w *writer, n *preemption.NodeReport, details map[string]string) {
	switch reason := whyNot(n, details[n.Node.Name]); {
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
	t := newTable("STEP", "VICTIM", "PRIORITY", "RESULT").shrinking(shrinking{"RESULT", 20}, shrinking{"VICTIM", 20})
	for i, s := range n.Steps {
		result := "stays"
		if !s.Spared() {
			result = "goes: " + s.Status.Message()
			if len(s.Shortfalls) > 0 {
				result = "goes: " + shortfalls(s.Shortfalls)
			}
		}
		if slices.ContainsFunc(s.Victim.Pods, func(p *preemption.Pod) bool { return p.Termination != preemption.NotTerminating }) {
			result += " (terminating: it leaves anyway)"
		}
		if len(s.Budgets) > 0 {
			var names []string
			for _, b := range s.Budgets {
				names = append(names, b.Name)
			}
			result += " (over budget " + strings.Join(names, ", ") + ")"
		}
		t.add(fmt.Sprintf("      %d", i+1), s.Victim.String(), fmt.Sprintf("priority %d", s.Victim.Priority), result)
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
