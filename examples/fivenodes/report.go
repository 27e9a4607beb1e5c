package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"example.com/preemption"
)

// report is all that the example prints.
func report(q question, cluster *preemption.Cluster, x *preemption.Examination) string {
	var b strings.Builder
	b.WriteString("Five nodes of 4 CPUs are full. Each runs 2 web pods (priority 1000, 750m)\n" +
		"and 5 batch pods (priority 100, 500m).\n")
	if q.budget {
		b.WriteString("A disruption budget over all batch pods allows one disruption.\n")
	}
	fmt.Fprintf(&b, "Pending: one more web pod, priority %d, which asks for %dm.\n", q.priority, q.cpu)
	if q.never {
		b.WriteString("Its preemptionPolicy is Never.\n")
	}

	fmt.Fprintf(&b, "\n== What emptying each node of pods below priority %d frees ==\n\n", q.priority)
	room(&b, cluster, x.Preemptor)

	fmt.Fprintf(&b, "\n== What kube-scheduler %s says ==\n\n", x.Release)
	if message := x.Message(); message != "" {
		b.WriteString(wrap(message, 76))
	} else {
		b.WriteString("nothing: a node takes the pod as it is\n")
	}

	b.WriteString("\n== Why ==\n\n")
	b.WriteString(x.Explain())

	if q.first {
		b.WriteString("\nNext, try -priority 10000, then -priority 10000 -budget; -h lists all flags.\n")
	}
	return b.String()
}

// room prints for each node what it would have free without the pods that the
// pending one may evict, against what that one asks.
func room(b *strings.Builder, cluster *preemption.Cluster, pending *preemption.Pod) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "node\twould go\t\tfrees\tasked\n")
	asks := pending.Requests[preemption.CPU]
	for _, node := range cluster.Nodes() {
		pods := cluster.PodsOn(node)
		free := node.Allocatable[preemption.CPU]
		lower := 0
		for _, p := range pods {
			if p.Priority < pending.Priority {
				lower++
			} else {
				free -= p.Requests[preemption.CPU]
			}
		}
		verdict := "enough"
		if free < asks {
			verdict = fmt.Sprintf("%dm short", asks-free)
		}
		fmt.Fprintf(w, "%s\t%d of %d pods\t%s\t%dm\t%dm\t%s\n",
			node.Name, lower, len(pods), bar(free, asks, 24), free, asks, verdict)
	}
	w.Flush() // a strings.Builder does not fail
}

// bar draws which part of the whole there is.
func bar(part, whole int64, width int) string {
	filled := width
	if part < whole {
		filled = int(part * int64(width) / whole)
	}
	return "[" + strings.Repeat("#", filled) + strings.Repeat(".", width-filled) + "]"
}

// wrap breaks a text into lines of at most width bytes, where words allow.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}
