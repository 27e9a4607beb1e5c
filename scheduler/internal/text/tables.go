package text

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/explain"
)

func (p *Printer) victims(list []explanation.Victim, node string) *table {
	columns := []string{"NAMESPACE", "NAME", "OWNER", "PRIORITY", "AGE", "REQUESTS", "GRACE", "BUDGETS"}
	elsewhere := slices.ContainsFunc(list, func(v explanation.Victim) bool { return v.Node != node })
	grouped := slices.ContainsFunc(list, func(v explanation.Victim) bool { return v.Group != "" })
	if grouped {
		columns = append(columns, "GROUP")
	}
	if elsewhere {
		columns = append(columns, "NODE")
	}
	t := newTable(columns...).shrinking(shrinking{"BUDGETS", 10}, shrinking{"REQUESTS", 10}, shrinking{"OWNER", 12},
		shrinking{"GROUP", 10}, shrinking{"NAMESPACE", 9}, shrinking{"NODE", 10}, shrinking{"GRACE", 5}, shrinking{"NAME", 16})
	for _, v := range list {
		owner := "<none>"
		if v.Owner != nil {
			owner = v.Owner.Kind + "/" + v.Owner.Name
		}
		row := []any{v.Namespace, v.Name, owner, v.Priority, p.age(v.StartTime), shortAmounts(v.Requests), grace(v), budgets(v)}
		if grouped {
			row = append(row, cmp.Or(v.Group, "<none>"))
		}
		if elsewhere {
			row = append(row, v.Node)
		}
		t.add(row...)
	}
	return t
}

// assignments says where the pods of a gang go.
func (p *Printer) assignments(w *writer, d *explanation.GroupDecision) {
	if len(d.Assignments) == 0 {
		return
	}
	w.section("Where its pods go")
	columns := []string{"NAME", "NODE"}
	reasons := slices.ContainsFunc(d.Assignments, func(a explanation.Assignment) bool { return a.Reason != "" })
	if reasons {
		columns = append(columns, "REASON")
	}
	t := newTable(columns...).shrinking(shrinking{"REASON", 20}, shrinking{"NODE", 10}, shrinking{"NAME", 16})
	for i, a := range d.Assignments {
		if i == mostCandidates && !p.Wide {
			row := make([]any, len(columns))
			for j := range row {
				row[j] = ""
			}
			row[0] = fmt.Sprintf("(%d more: -o wide)", len(d.Assignments)-i)
			t.add(row...)
			break
		}
		row := []any{a.Name, cmp.Or(a.Node, "<none>")}
		if reasons {
			row = append(row, cmp.Or(a.Reason, "<none>"))
		}
		t.add(row...)
	}
	w.table(t)
}

// waiting lists the pods that are waited for.
func (p *Printer) waiting(w *writer, list []explanation.Terminating) {
	w.section("On their way out")
	t := newTable("NAMESPACE", "NAME", "NODE", "GRACE LEFT", "HELD BY").shrinking(
		shrinking{"HELD BY", 12}, shrinking{"NAMESPACE", 9}, shrinking{"NODE", 10}, shrinking{"NAME", 16})
	for _, x := range list {
		left := seconds(x.GraceLeftSeconds)
		if x.OverdueSeconds > 0 {
			left = "overdue " + seconds(x.OverdueSeconds)
		}
		if x.Stuck {
			left += " (stuck)"
		}
		t.add(x.Namespace, x.Name, x.Node, left, cmp.Or(strings.Join(x.Finalizers, ", "), "<none>"))
	}
	w.table(t)
}

func (p *Printer) age(start *metav1.Time) string {
	if start == nil {
		return "<not started>"
	}
	return duration.HumanDuration(p.Now.Sub(start.Time))
}

// Amounts lists requests, cpu and memory first.
func Amounts(requests map[string]string) string { return shortAmounts(requests) }

func shortAmounts(requests map[string]string) string {
	s := strings.TrimPrefix(amounts(requests), "requests ")
	if s == "nothing" {
		return "<none>"
	}
	return s
}

func grace(v explanation.Victim) string {
	s := duration.HumanDuration(time.Duration(v.GracePeriodSeconds) * time.Second)
	if v.Terminating {
		s += " (terminating)"
	}
	return s
}

func budgets(v explanation.Victim) string {
	var list []string
	for _, b := range v.Budgets {
		s := b.Name + " (allows " + strconv.Itoa(int(b.DisruptionsAllowed))
		if b.Violated {
			s += ", violated"
		}
		list = append(list, s+")")
	}
	return cmp.Or(strings.Join(list, ", "), "<none>")
}

// mostCandidates is how many are listed unless every node is asked for.
const mostCandidates = 10

func (p *Printer) candidates(r *explain.Report) *table {
	t := newTable("NODE", "PDB VIOLATIONS", "HIGHEST PRIORITY", "PODS", "STARTED", "VICTIMS").shrinking(
		shrinking{"VICTIMS", 12}, shrinking{"STARTED", 7}, shrinking{"HIGHEST PRIORITY", 8}, shrinking{"PDB VIOLATIONS", 4}, shrinking{"NODE", 12})
	list := Ranked(r.Examination)
	for i, c := range list {
		if i == mostCandidates && !p.Wide {
			t.add(fmt.Sprintf("(%d more: -o wide)", len(list)-i), "", "", "", "", "")
			break
		}
		var names []string
		pods := c.Pods()
		for _, pod := range pods {
			names = append(names, pod.String())
		}
		node := c.Node.Name
		if c.Node == r.Examination.Node {
			node += " *"
		}
		most := 3
		if p.Wide {
			most = len(names)
		}
		t.add(node, c.Violations, pods[0].Priority, len(pods), p.earliestOfTop(pods), listing(names, most))
	}
	return t
}

// Ranked are the candidates: the chosen one first, then the others from the best
// down as far as the criteria tell.
func Ranked(x *preemption.Examination) []*preemption.Candidate {
	list := slices.Clone(x.Candidates)
	slices.SortStableFunc(list, func(a, b *preemption.Candidate) int {
		if a.Node == x.Node || b.Node == x.Node {
			return cmp.Compare(btoi(b.Node == x.Node), btoi(a.Node == x.Node))
		}
		for _, o := range preemption.DefaultOrders() {
			if d := o.Compare(a, b); d != 0 {
				return d
			}
		}
		return 0
	})
	return list
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// earliestOfTop is what the criterion "latest start" compares, as an age: the
// earliest start among the pods of the highest priority.
func (p *Printer) earliestOfTop(pods []*preemption.Pod) string {
	top := slices.MaxFunc(pods, func(a, b *preemption.Pod) int { return cmp.Compare(a.Priority, b.Priority) }).Priority
	var earliest *metav1.Time
	for _, pod := range pods {
		if pod.Priority == top && !pod.Start.IsZero() && (earliest == nil || pod.Start.Before(earliest.Time)) {
			earliest = &metav1.Time{Time: pod.Start}
		}
	}
	if earliest == nil {
		return "<not started>"
	}
	return p.age(earliest) + " ago"
}
