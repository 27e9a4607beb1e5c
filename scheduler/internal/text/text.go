// Package text prints answers for people.
package text

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/explain"
)

// A Printer prints reports.
type Printer struct {
	Out   io.Writer
	Wide  bool // nothing is left out of the columns
	Steps bool // every node, with what was tried there
	Color bool
	// Width is that of the terminal, 0 for as wide as it takes.
	Width int
	// Now is when ages are counted from.
	Now time.Time
}

func (p *Printer) writer() *writer {
	w := &writer{Writer: p.Out, width: p.Width}
	if p.Wide {
		w.width = 0
	}
	return w
}

// Report prints one report.
func (p *Printer) Report(r *explain.Report) error {
	w := p.writer()
	p.headline(w, r)
	if r.PodGroup != nil {
		p.assignments(w, r.PodGroup)
	}
	if len(r.WaitsFor) > 0 {
		p.waiting(w, r.WaitsFor)
	}
	if len(r.Victims) > 0 && r.State != explanation.StateFitsOnceGone {
		w.section("Victims, most important first")
		w.table(p.victims(r.Victims, r.Explanation.Node))
	}
	if len(r.Candidates) > 0 {
		w.section(choice(r))
		w.table(p.candidates(r))
	}
	p.nodes(w, r)
	p.minPriority(w, r)
	p.warnings(w, r.Warnings)
	if c := r.Examination.Contrast; c != nil {
		w.section("Beside kube-scheduler")
		w.paragraph("  ", c.String(), nil)
	}
	if r.Message != "" {
		w.section("The scheduler's event")
		w.paragraph("  ", r.Message, nil)
	}
	return w.err
}

// Group prints the decision on a gang.
func (p *Printer) Group(e *explanation.GroupExplanation) error {
	w := p.writer()
	w.paragraph("", fmt.Sprintf("Pod group %s/%s: priority %d, starts with %s", e.Namespace, e.Name, e.Priority, plural(e.MinCount, "pod")), nil)
	w.paragraph("", GroupVerdict(&e.GroupDecision), p.bold)
	p.assignments(w, &e.GroupDecision)
	if len(e.WaitsFor) > 0 {
		p.waiting(w, e.WaitsFor)
	}
	if len(e.Victims) > 0 && e.State != explanation.StateFitsOnceGone {
		w.section("Victims, most important first")
		w.table(p.victims(e.Victims, ""))
	}
	p.warnings(w, e.Warnings)
	if e.Message != "" {
		w.section("The scheduler's event")
		w.paragraph("  ", e.Message, nil)
	}
	return w.err
}

// Warnings prints warnings that belong to no single report.
func (p *Printer) Warnings(list []string) error {
	w := p.writer()
	p.warnings(w, list)
	return w.err
}

func (p *Printer) headline(w *writer, r *explain.Report) {
	w.paragraph("", Subject(r), nil)
	if c := r.WhatIf; c != nil {
		w.paragraph("", fmt.Sprintf("What if %s? Without the %s: %s.", c.Change, noun(len(c.Changes), "change"), inShort(c.Without)), nil)
	}
	w.paragraph("", Verdict(r), p.bold)
}

// Subject names the pod with what it asks for.
func Subject(r *explain.Report) string {
	pod := r.Explanation.Pod
	return fmt.Sprintf("Pod %s/%s: priority %d, %s", pod.Namespace, pod.Name, pod.Priority, amounts(pod.Requests))
}

// Verdict is the decision in one sentence.
func Verdict(r *explain.Report) string {
	if r.PodGroup != nil {
		return fmt.Sprintf("It is of the gang %s. %s", r.PodGroup.Name, GroupVerdict(r.PodGroup))
	}
	switch r.State {
	case explanation.StateNotTried:
		return fmt.Sprintf("The scheduler does not try it: %s. If it did: %s.", r.StateReason, inShort(short(r)))
	case explanation.StateFits:
		return fmt.Sprintf("It fits as it is: %s.", listing(r.FitNodes, 3))
	case explanation.StateFitsOnceGone:
		return fmt.Sprintf("It fits on node %s once what is terminating there is gone: %s%s.", r.Explanation.Node, leaving(r.WaitsFor), lastGrace(r.WaitsFor))
	case explanation.StateUnderWay:
		return fmt.Sprintf("Preemption is under way on node %s: it waits for %s%s.", r.Explanation.Node, leaving(r.WaitsFor), lastGrace(r.WaitsFor))
	case explanation.StatePreempts:
		return fmt.Sprintf("It fits nowhere as it is; preemption clears node %s: %s, %s.",
			r.Explanation.Node, plural(len(r.Victims), "victim"), plural(r.PDBViolations, "budget violation"))
	}
	if r.Outcome == explanation.Ineligible {
		return "It fits nowhere, and may not preempt: " + r.Reason
	}
	return "It fits nowhere, and preemption does not help."
}

// GroupVerdict is the decision on a gang in one sentence.
func GroupVerdict(d *explanation.GroupDecision) string {
	placed := 0
	for _, a := range d.Assignments {
		if a.Node != "" {
			placed++
		}
	}
	switch d.State {
	case explanation.StateNotTried:
		return fmt.Sprintf("The scheduler does not try it: %s.", d.StateReason)
	case explanation.StateFits:
		return fmt.Sprintf("It fits as it is: there is a place for %d of %s.", placed, plural(len(d.Assignments), "pod"))
	case explanation.StateFitsOnceGone:
		return fmt.Sprintf("It fits once what is terminating is gone: %s%s.", leaving(d.WaitsFor), lastGrace(d.WaitsFor))
	case explanation.StateUnderWay:
		return fmt.Sprintf("Preemption is under way: it waits for %s%s.", leaving(d.WaitsFor), lastGrace(d.WaitsFor))
	case explanation.StatePreempts:
		return fmt.Sprintf("It does not fit as it is; preemption makes room for %d of %s: %s, %s.",
			placed, plural(len(d.Assignments), "pod"), plural(len(d.Victims), "victim"), plural(d.PDBViolations, "budget violation"))
	}
	if d.Outcome == explanation.Ineligible {
		return "It does not fit, and may not preempt: " + d.Reason
	}
	return fmt.Sprintf("It does not fit, and preemption does not help: fewer than %s find a place.", plural(d.MinCount, "pod"))
}

func leaving(list []explanation.Terminating) string {
	var names []string
	for _, t := range list {
		names = append(names, t.Namespace+"/"+t.Name)
	}
	return listing(names, 3)
}

// lastGrace says when the last of them should be gone, or that it is stuck.
func lastGrace(list []explanation.Terminating) string {
	left, late := int64(0), false
	for _, t := range list {
		left = max(left, t.GraceLeftSeconds)
		late = late || t.Stuck
	}
	switch {
	case late:
		return "; it looks stuck"
	case left > 0:
		return ", at most " + seconds(left) + " more"
	}
	return ""
}

func seconds(n int64) string { return duration.HumanDuration(time.Duration(n) * time.Second) }

// short is the report's decision in its short form.
func short(r *explain.Report) explanation.Decision {
	d := explanation.Decision{Outcome: r.Outcome, Node: r.Explanation.Node, PDBViolations: r.PDBViolations}
	for _, v := range r.Victims {
		d.Victims = append(d.Victims, explanation.Reference{Namespace: v.Namespace, Name: v.Name})
	}
	return d
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
		return fmt.Sprintf("%d nodes can be cleared; no criterion tells the best of them apart, so %s is taken as the first", n, r.Explanation.Node)
	}
	return fmt.Sprintf("%d nodes can be cleared; %s is chosen for the %s", n, r.Explanation.Node, r.DecidedBy)
}

func (p *Printer) minPriority(w *writer, r *explain.Report) {
	m := r.MinPriority
	if m == nil {
		return
	}
	w.section("Lowest priority that gets it a node")
	switch {
	case !m.Found && m.Reason != "":
		w.paragraph("  ", "none: "+m.Reason, nil)
	case !m.Found:
		w.printf("  none: at no priority does it get a node\n")
	case m.Priority == math.MinInt32:
		w.paragraph("  ", "any: "+inShort(*m.Decision), nil)
	default:
		w.paragraph("  ", fmt.Sprintf("%d: %s", m.Priority, inShort(*m.Decision)), nil)
	}
	if m.Found && m.Priority > highestUserPriority {
		w.paragraph("  ", fmt.Sprintf("(above %d, the highest of user-defined classes)", highestUserPriority), nil)
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
		w.paragraph("  - ", line, p.yellow)
	}
}

const (
	bold   = "\x1b[1m"
	yellow = "\x1b[33m"
	red    = "\x1b[31m"
	reset  = "\x1b[0m"
)

func (p *Printer) bold(s string) string   { return p.paint(bold, s) }
func (p *Printer) yellow(s string) string { return p.paint(yellow, s) }

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

func plural(n int, what string) string { return fmt.Sprintf("%d %s", n, noun(n, what)) }

func noun(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}
