package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/preemption/scheduler/upstream/internal/journal"
)

// counts are the results of tests and the record of what was decided in them.
type counts struct {
	passed, failed, skipped int
	lines                   []journal.Line
}

func (c *counts) add(d counts) {
	c.passed += d.passed
	c.failed += d.failed
	c.skipped += d.skipped
	c.lines = append(c.lines, d.lines...)
}

func (c counts) String() string {
	return fmt.Sprintf("%3d passed, %d failed, %d skipped, %d decisions by the library", c.passed, c.failed, c.skipped, c.decisions())
}

// decisions counts those that the library made. What it left to kube-scheduler is
// none of them.
func (c counts) decisions() int {
	return c.count(func(d *journal.Decision) bool { return d.Outcome != "left" })
}

func (c counts) count(of func(*journal.Decision) bool) int {
	n := 0
	for _, l := range c.lines {
		if l.Decision != nil && of(l.Decision) {
			n++
		}
	}
	return n
}

// agreement says in a few lines what the decisions were and what kube-scheduler
// made of them.
func (c counts) agreement() string {
	var b strings.Builder
	for _, outcome := range []string{"preempts", "unhelpful", "ineligible", "left"} {
		fmt.Fprintf(&b, "%s %d, ", outcome, c.count(func(d *journal.Decision) bool { return d.Outcome == outcome }))
	}
	for i, agreement := range []string{"agreed", "refused", "differs", "worse"} {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %d", agreement, c.count(func(d *journal.Decision) bool { return d.Outcome != "left" && d.Agreement == agreement }))
	}
	if n := c.count(func(d *journal.Decision) bool { return d.CrossChecked }); n > 0 {
		fmt.Fprintf(&b, "; cross-checked %d, better than a sample %d", n, c.count(func(d *journal.Decision) bool { return d.BetterThanSample }))
	}
	reasons := map[string]int{}
	for _, l := range c.lines {
		if l.Decision != nil && l.Decision.Reason != "" {
			reasons[l.Decision.Reason]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(&b, "\nleft: %s: %d", reason, reasons[reason])
	}
	return b.String()
}
