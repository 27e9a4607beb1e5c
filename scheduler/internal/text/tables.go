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

func (p *Printer) victims(r *explain.Report) *metav1.Table {
	t := newTable("Namespace", "Name", "Owner", "Priority", "Age", "Requests", "Grace", "Budgets")
	elsewhere := slices.ContainsFunc(r.Victims, func(v explanation.Victim) bool { return v.Node != r.Node })
	grouped := slices.ContainsFunc(r.Victims, func(v explanation.Victim) bool { return v.Group != "" })
	if grouped {
		t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{Name: "Group", Type: "string"})
	}
	if elsewhere {
		t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{Name: "Node", Type: "string"})
	}
	for _, v := range r.Victims {
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
		addRow(t, row...)
	}
	return t
}

func (p *Printer) age(start *metav1.Time) string {
	if start == nil {
		return "<not started>"
	}
	return duration.HumanDuration(p.Now.Sub(start.Time))
}

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

func (p *Printer) candidates(r *explain.Report) *metav1.Table {
	t := newTable("Node", "PDB violations", "Highest priority", "Pods", "Started", "Victims")
	list := slices.Clone(r.Examination.Candidates)
	// The chosen one first, then the others from the best down as far as the
	// criteria tell.
	slices.SortStableFunc(list, func(a, b *preemption.Candidate) int {
		if a.Node == r.Examination.Node || b.Node == r.Examination.Node {
			return cmp.Compare(btoi(b.Node == r.Examination.Node), btoi(a.Node == r.Examination.Node))
		}
		for _, o := range preemption.DefaultOrders() {
			if d := o.Compare(a, b); d != 0 {
				return d
			}
		}
		return 0
	})
	for i, c := range list {
		if i == mostCandidates && !p.Wide {
			addRow(t, fmt.Sprintf("(%d more: -o wide)", len(list)-i), "", "", "", "", "")
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
		addRow(t, node, c.Violations, pods[0].Priority, len(pods), p.earliestOfTop(pods), listing(names, most))
	}
	return t
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
