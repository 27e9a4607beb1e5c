package conformance

import (
	"time"

	"example.com/preemption/internal/golden"
)

// Unspecified says why a release leaves the answer to a case open, or does not
// know what the case is about; "" if it is neither.
//
// Before 1.38, victims of equal priority and start were in no order, and a
// missing start was the time of each look. The check is coarse: equal starts
// count whatever the priorities.
func Unspecified(c *golden.Case, release string) string {
	if release == golden.Release136 && c.HasGroups() {
		return "groups do not exist by default"
	}
	if len(c.Gang) > 0 && release == golden.Release136 {
		return "preempting groups are not recorded"
	}
	if release == golden.Release138 {
		return ""
	}

	// Pods are compared with others on their node, and as part of a group
	// with any.
	type place struct {
		node  string
		start time.Time
	}
	taken := map[place]bool{}
	for i := range c.Pods {
		p := &c.Pods[i]
		if p.Node == "" {
			continue
		}
		if p.Start.IsZero() {
			return "a start time is missing"
		}
		at := place{p.Node, p.Start}
		if c.HasGroups() || len(c.Gang) > 0 {
			at.node = ""
		}
		if taken[at] {
			return "start times are equal"
		}
		taken[at] = true
	}
	return ""
}
