// Package text prints explanations for people.
package text

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/explain"
)

// A Printer prints reports.
type Printer struct {
	Out   io.Writer
	Wide  bool // every node, with what was tried there
	Color bool
	// Now is when ages are counted from.
	Now time.Time
}

// Report prints one report.
func (p *Printer) Report(r *explain.Report) error {
	w := &writer{Writer: p.Out}
	p.headline(w, r)
	if len(r.Victims) > 0 {
		w.section("Victims, most important first")
		w.table(p.victims(r))
	}
	if len(r.Candidates) > 0 {
		w.section(choice(r))
		w.table(p.candidates(r))
	}
	p.nodes(w, r)
	p.minPriority(w, r)
	p.warnings(w, r.Warnings)
	if r.Message != "" {
		w.section("The scheduler's event")
		w.printf("  %s\n", r.Message)
	}
	return w.err
}

// Warnings prints warnings that belong to no single report.
func (p *Printer) Warnings(list []string) error {
	w := &writer{Writer: p.Out}
	p.warnings(w, list)
	return w.err
}

func (p *Printer) headline(w *writer, r *explain.Report) {
	w.printf("Pod %s/%s: priority %d, %s\n", r.Explanation.Pod.Namespace, r.Explanation.Pod.Name, r.Explanation.Pod.Priority, amounts(r.Explanation.Pod.Requests))
	if c := r.WhatIf; c != nil {
		w.printf("What if %s? Without the change: %s.\n", c.Change, inShort(c.Without))
	}
	w.printf("%s\n", p.paint(bold, verdict(r)))
}

// verdict is the decision in one sentence.
func verdict(r *explain.Report) string {
	switch r.Outcome {
	case explanation.Fits:
		return fmt.Sprintf("It fits as it is: %s.", listing(r.FitNodes, 3))
	case explanation.Ineligible:
		return "It fits nowhere, and may not preempt: " + r.Reason
	case explanation.Unhelpful:
		return "It fits nowhere, and preemption does not help."
	}
	return fmt.Sprintf("It fits nowhere as it is; preemption clears node %s: %s, %s.",
		r.Node, plural(len(r.Victims), "victim"), plural(r.PDBViolations, "budget violation"))
}

func inShort(d explanation.Decision) string {
	switch d.Outcome {
	case explanation.Fits:
		return "it fits on node " + d.Node
	case explanation.Ineligible:
		return "it may not preempt"
	case explanation.Unhelpful:
		return "preemption does not help"
	}
	var names []string
	for _, v := range d.Victims {
		names = append(names, v.Namespace+"/"+v.Name)
	}
	return fmt.Sprintf("node %s is cleared of %s, %s", d.Node, listing(names, 3), plural(d.PDBViolations, "budget violation"))
}

func choice(r *explain.Report) string {
	n := len(r.Candidates)
	switch {
	case n == 1:
		return "One node can be cleared"
	case r.DecidedBy == "":
		return fmt.Sprintf("%d nodes can be cleared; no criterion tells the best of them apart, so %s is taken as the first", n, r.Node)
	}
	return fmt.Sprintf("%d nodes can be cleared; %s is chosen for the %s", n, r.Node, r.DecidedBy)
}

func (p *Printer) minPriority(w *writer, r *explain.Report) {
	m := r.MinPriority
	if m == nil {
		return
	}
	w.section("Lowest priority that gets it a node")
	switch {
	case !m.Found:
		w.printf("  none: at no priority does it get a node\n")
	case m.Priority == math.MinInt32:
		w.printf("  any: %s\n", inShort(*m.Decision))
	default:
		w.printf("  %d: %s\n", m.Priority, inShort(*m.Decision))
	}
	if m.Found && m.Priority > highestUserPriority {
		w.printf("  (above %d, the highest of user-defined classes)\n", highestUserPriority)
	}
}

// highestUserPriority is the highest value of a class that is not the system's.
const highestUserPriority = 1_000_000_000

func (p *Printer) warnings(w *writer, list []string) {
	if len(list) == 0 {
		return
	}
	w.section("Mind")
	for _, line := range list {
		w.printf("%s\n", p.paint(yellow, "  - "+line))
	}
}

const (
	bold   = "\x1b[1m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

func (p *Printer) paint(color, s string) string {
	if !p.Color {
		return s
	}
	return color + s + reset
}

// amounts lists requests: cpu and memory, then the others by name.
func amounts(requests map[string]string) string {
	names := make([]string, 0, len(requests))
	for name := range requests {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if ra, rb := rank(a), rank(b); ra != rb {
			return ra - rb
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, name := range names {
		parts = append(parts, name+" "+requests[name])
	}
	if len(parts) == 0 {
		return "requests nothing"
	}
	return "requests " + strings.Join(parts, ", ")
}

func rank(resource string) int {
	if i := slices.Index([]string{preemption.CPU, preemption.Memory}, resource); i >= 0 {
		return i
	}
	return 2
}

// listing names the first few.
func listing(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
