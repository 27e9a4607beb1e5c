package text

import (
	"cmp"
	"fmt"
	"strings"

	"example.com/preemption/scheduler/explanation"
)

// states are the states of a pod in words, in the order in which they are counted.
var states = []struct{ state, short string }{
	{explanation.StateFits, "fits"},
	{explanation.StateFitsOnceGone, "fits once others are gone"},
	{explanation.StateUnderWay, "preemption under way"},
	{explanation.StatePreempts, "would preempt"},
	{explanation.StateNoHelp, "no help"},
	{explanation.StateNotTried, "not tried"},
}

func inWords(state string) string {
	for _, s := range states {
		if s.state == state {
			return s.short
		}
	}
	return state
}

// Queue prints a line a pod, and what the pods come to.
func (p *Printer) Queue(list *explanation.List) error {
	w := p.writer()
	if len(list.Items) > 0 {
		t := newTable("NAMESPACE", "NAME", "PRIORITY", "STATE", "NODE", "VIOLATIONS", "VICTIMS").shrinking(
			shrinking{"VICTIMS", 12}, shrinking{"NAMESPACE", 9}, shrinking{"VIOLATIONS", 4}, shrinking{"NODE", 10}, shrinking{"STATE", 12}, shrinking{"NAME", 16})
		for i := range list.Items {
			e := &list.Items[i]
			var names []string
			for _, v := range e.Victims {
				names = append(names, v.Namespace+"/"+v.Name)
			}
			most := 2
			if p.Wide {
				most = len(names)
			}
			t.add(e.Pod.Namespace, e.Pod.Name, e.Pod.Priority, inWords(e.State), cmp.Or(e.Node, "<none>"), e.PDBViolations, cmp.Or(listing(names, most), "<none>"))
		}
		w.table(t)
		w.printf("\n")
	}
	w.paragraph("", Sum(list), p.bold)
	if len(list.LeftOut) > 0 {
		w.section("Not tried")
		t := newTable("NAMESPACE", "NAME", "REASON").shrinking(shrinking{"REASON", 30}, shrinking{"NAMESPACE", 9}, shrinking{"NAME", 16})
		for _, x := range list.LeftOut {
			t.add(x.Namespace, x.Name, x.Reason)
		}
		w.table(t)
	}
	p.warnings(w, list.Warnings)
	return w.err
}

// Sum counts the pods of a queue by state.
func Sum(list *explanation.List) string {
	count := map[string]int{}
	for i := range list.Items {
		count[list.Items[i].State]++
	}
	count[explanation.StateNotTried] += len(list.LeftOut)
	var parts []string
	for _, s := range states {
		if n := count[s.state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", s.short, n))
		}
	}
	total := len(list.Items) + len(list.LeftOut)
	if total == 0 {
		return "No pending pods."
	}
	return fmt.Sprintf("%s: %s.", plural(total, "pending pod"), strings.Join(parts, ", "))
}
