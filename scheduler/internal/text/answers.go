package text

import (
	"cmp"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/history"
)

// History prints who was preempted for whom.
func (p *Printer) History(h *explanation.History) error {
	w := p.writer()
	if len(h.Preemptions) == 0 {
		w.paragraph("", "Nothing tells of a preemption.", p.bold)
	} else {
		t := newTable("WHEN", "VICTIM", "PRIORITY", "CLASS", "NODE", "BY", "PREEMPTOR", "ITS PRIORITY").shrinking(
			shrinking{"CLASS", 8}, shrinking{"BY", 7}, shrinking{"NODE", 10}, shrinking{"PREEMPTOR", 16}, shrinking{"ITS PRIORITY", 4}, shrinking{"VICTIM", 16})
		for i := range h.Preemptions {
			x := &h.Preemptions[i]
			preemptor, priority := "<unknown>", "<unknown>"
			if x.Preemptor != nil {
				preemptor, priority = past(x.Preemptor), priorityOf(x.Preemptor)
			}
			t.add(p.when(x.Time), x.Victim.Namespace+"/"+x.Victim.Name, priorityOf(&x.Victim), cmp.Or(x.Victim.PriorityClass, "<none>"),
				cmp.Or(x.Node, "<several>"), x.By, preemptor, priority)
		}
		w.table(t)
		w.section("By workload")
		t = newTable("NAMESPACE", "WORKLOAD", "VICTIMS", "LAST", "FOR").shrinking(shrinking{"FOR", 16}, shrinking{"NAMESPACE", 9}, shrinking{"WORKLOAD", 16})
		for _, x := range h.Workloads {
			t.add(x.Namespace, x.Workload, x.Victims, p.when(x.Last), cmp.Or(listing(x.Preemptors, 3), "<unknown>"))
		}
		w.table(t)
	}
	p.warnings(w, h.Warnings)
	return w.err
}

func (p *Printer) when(t *metav1.Time) string {
	if t == nil {
		return "<unknown>"
	}
	return duration.HumanDuration(p.Now.Sub(t.Time)) + " ago"
}

// past names a preemptor that may be gone.
func past(x *explanation.PastPod) string {
	name := x.Namespace + "/" + x.Name
	if x.Kind != "Pod" {
		name = strings.ToLower(x.Kind) + " " + name
	}
	switch {
	case x.Name == "" && x.UID == "":
		return "<not named>"
	case x.Name == "":
		return "gone (UID " + x.UID + ")"
	case x.Gone:
		return name + " (gone)"
	}
	return name
}

func priorityOf(x *explanation.PastPod) string {
	if x.Priority == nil {
		return "<unknown>"
	}
	return fmt.Sprint(*x.Priority)
}

// Audit prints findings, warnings first.
func (p *Printer) Audit(a *explanation.Audit) error {
	w := p.writer()
	count := map[string]int{}
	for _, severity := range []string{explanation.SeverityWarning, explanation.SeverityInfo} {
		last := ""
		for _, f := range a.Findings {
			if f.Severity != severity {
				continue
			}
			if f.ID != last {
				if len(count) > 0 {
					w.printf("\n")
				}
				color := yellow
				if severity == explanation.SeverityWarning {
					color = red
				}
				w.printf("%s\n", p.paint(color, strings.ToUpper(severity)+" "+f.ID))
				w.paragraph("  why: ", f.Why, nil)
				w.paragraph("  fix: ", f.Fix, nil)
			}
			count[severity]++
			last = f.ID
			w.paragraph("  - ", f.Problem, nil)
			if p.Wide {
				w.paragraph("      ", strings.Join(f.Objects, ", "), nil)
			}
		}
	}
	if len(count) > 0 {
		w.printf("\n")
	}
	w.paragraph("", Findings(count[explanation.SeverityWarning], count[explanation.SeverityInfo]), p.bold)
	p.warnings(w, a.Warnings)
	return w.err
}

// Findings counts findings.
func Findings(warnings, infos int) string {
	if warnings+infos == 0 {
		return "Nothing was found."
	}
	return fmt.Sprintf("%s to mend, %d to know.", plural(warnings, "finding"), infos)
}

// Risk prints by whom a pod could be evicted.
func (p *Printer) Risk(e *explanation.EvictionRisk) error {
	w := p.writer()
	w.paragraph("", fmt.Sprintf("Pod %s/%s on node %s: priority %d, %s", e.Pod.Namespace, e.Pod.Name, e.Node, e.Pod.Priority, amounts(e.Pod.Requests)), nil)
	w.paragraph("", riskVerdict(e), p.bold)
	if len(e.Preemptors) > 0 {
		w.section("Pending pods that could evict it")
		t := newTable("NAMESPACE", "NAME", "PRIORITY", "NOW").shrinking(shrinking{"NOW", 12}, shrinking{"NAMESPACE", 9}, shrinking{"NAME", 16})
		for _, x := range e.Preemptors {
			now := "would evict it"
			if !x.Would {
				now = "would clear node " + x.Instead + " instead"
			}
			t.add(x.Namespace, x.Name, x.Priority, now)
		}
		w.table(t)
	}
	w.section("Its rank on the node")
	w.paragraph("  ", fmt.Sprintf("number %d of %d to go, as far as budgets do not matter", e.Rank, e.RankOf), nil)
	if e.LowestPriority != nil && len(e.Spared) > 0 {
		spared := strings.TrimPrefix(amounts(e.Spared), "requests ")
		w.paragraph("  ", fmt.Sprintf("a preemptor of priority %d that requests no more than this on the node spares it: %s", *e.LowestPriority, spared), nil)
	}
	w.section("What protects it, and what does not")
	for _, line := range e.Protection {
		w.paragraph("  - ", line, nil)
	}
	p.warnings(w, e.Warnings)
	return w.err
}

func riskVerdict(e *explanation.EvictionRisk) string {
	for _, x := range e.Preemptors {
		if x.Would {
			return fmt.Sprintf("It would be evicted now, for pod %s/%s.", x.Namespace, x.Name)
		}
	}
	switch {
	case e.LowestPriority == nil:
		return "No priority is high enough to evict it."
	case len(e.Preemptors) > 0:
		return fmt.Sprintf("Nothing that is pending would evict it now, though %s could; a pod of priority %d or more may.", plural(len(e.Preemptors), "pod"), *e.LowestPriority)
	}
	return fmt.Sprintf("Nothing that is pending could evict it now; a pod of priority %d or more may.", *e.LowestPriority)
}

// Capacity prints how many more pods find room.
func (p *Printer) Capacity(c *explanation.Capacity) error {
	w := p.writer()
	w.paragraph("", fmt.Sprintf("Pods like %s/%s: priority %d, %s", c.Pod.Namespace, c.Pod.Name, c.Pod.Priority, amounts(c.Pod.Requests)), nil)
	w.paragraph("", capacityVerdict(c), p.bold)
	if len(c.Nodes) > 0 {
		w.section("By node")
		t := newTable("NODE", "FREE", "WITH PREEMPTION", "VICTIMS").shrinking(shrinking{"WITH PREEMPTION", 6}, shrinking{"NODE", 16})
		shown := len(c.Nodes)
		if shown > mostNodes && !p.Wide {
			shown = mostNodes
		}
		for _, n := range c.Nodes[:shown] {
			t.add(n.Node, n.Free, n.WithPreemption, n.Victims)
		}
		if left := len(c.Nodes) - shown; left > 0 {
			t.add(fmt.Sprintf("(%d more: -o wide)", left), "", "", "")
		}
		w.table(t)
	}
	if len(c.Victims) > 0 {
		w.section("At whose cost")
		t := newTable("NAMESPACE", "WORKLOAD", "PRIORITY", "VICTIMS").shrinking(shrinking{"NAMESPACE", 9}, shrinking{"WORKLOAD", 16})
		for _, x := range costs(c.Victims) {
			t.add(x.namespace, x.workload, x.priority, x.count)
		}
		w.table(t)
	}
	p.warnings(w, c.Warnings)
	return w.err
}

// mostNodes are listed unless all are asked for.
const mostNodes = 20

func capacityVerdict(c *explanation.Capacity) string {
	least := ""
	if c.Bounded {
		least = "at least "
	}
	switch {
	case c.WithPreemption > 0:
		return fmt.Sprintf("Room for %d as it is, and for %s%d more with preemption: %s, %s.", c.Free, least, c.WithPreemption,
			plural(len(c.Victims), "victim"), plural(c.PDBViolations, "budget violation"))
	case c.Bounded:
		return fmt.Sprintf("Room for at least %d as it is.", c.Free)
	}
	return fmt.Sprintf("Room for %d as it is, and for no more with preemption.", c.Free)
}

type cost struct {
	namespace, workload string
	priority            int32
	count               int
}

// costs sums victims up by workload, in the order in which the first of each goes.
func costs(victims []explanation.Victim) []cost {
	var list []cost
	at := map[cost]int{}
	for _, v := range victims {
		key := cost{namespace: v.Namespace, workload: history.Workload(&explanation.PastPod{Kind: "Pod", Name: v.Name, Owner: v.Owner}), priority: v.Priority}
		if _, known := at[key]; !known {
			at[key] = len(list)
			list = append(list, key)
		}
		list[at[key]].count++
	}
	return list
}
