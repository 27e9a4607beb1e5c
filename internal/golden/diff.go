package golden

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Diff returns how got, an answer to the case, falls short of want, one
// difference a line, and "" if got is right.
//
// An answer may choose any node in want.Best; its victims and violations must
// then be those of that candidate. Further,
//   - victims are compared as sets in cases with groups,
//   - extended resources are compared as a set within a status, as the
//     scheduler lists them in map order,
//   - statuses and reasons are not compared in cases with a policy,
//   - got.Best is compared only if it is set: a caller need not know what a
//     choice was tied with,
//   - the message is compared only if want has one.
func (c *Case) Diff(got, want Answer) string {
	d := differ{sets: c.HasGroups()}
	d.compare("outcome", got.Outcome, want.Outcome)
	d.compare("places", got.Places, want.Places)
	d.compare("fitNodes", got.FitNodes, want.FitNodes)
	if c.Policy == nil {
		d.compare("reason", CanonicalStatus(got.Reason), CanonicalStatus(want.Reason))
		d.statuses(got.Statuses, want.Statuses)
		d.compare("potentialNodes", got.PotentialNodes, want.PotentialNodes)
	}
	d.candidates(got.Candidates, want.Candidates)
	d.choice(got, want)
	if want.Message != "" {
		d.compare("message", got.Message, messageFor(got, want))
	}
	return strings.Join(d.lines, "\n")
}

// differ gathers the differences of one answer.
type differ struct {
	sets  bool // compare victims as sets
	lines []string
}

func (d *differ) addf(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// compare compares two values by how they print: an empty list and an absent
// one are the same.
func (d *differ) compare(what string, got, want any) {
	if g, w := fmt.Sprintf("%v", got), fmt.Sprintf("%v", want); g != w {
		d.addf("%s = %s, want %s", what, g, w)
	}
}

func (d *differ) statuses(got, want map[string]string) {
	for _, node := range slices.Sorted(maps.Keys(want)) {
		status, ok := got[node]
		if !ok {
			d.addf("statuses[%s] is missing, want %q", node, want[node])
			continue
		}
		if CanonicalStatus(status) != CanonicalStatus(want[node]) {
			d.addf("statuses[%s] = %q, want %q", node, status, want[node])
		}
	}
	for _, node := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[node]; !ok {
			d.addf("statuses[%s] = %q, want none", node, got[node])
		}
	}
}

func (d *differ) candidates(got, want []Candidate) {
	names := func(cs []Candidate) []string {
		var s []string
		for _, c := range cs {
			s = append(s, c.Node)
		}
		return s
	}
	if g, w := names(got), names(want); !slices.Equal(g, w) {
		d.addf("candidates = %v, want %v", g, w)
		return
	}
	for i := range want {
		d.cost("candidate "+want[i].Node, got[i].Victims, got[i].PDBViolations, want[i].Victims, want[i].PDBViolations)
	}
}

// choice compares the chosen node and its cost.
func (d *differ) choice(got, want Answer) {
	victims, violations := want.Victims, want.PDBViolations
	if got.Node != want.Node && slices.Contains(want.Best, got.Node) {
		for _, c := range want.Candidates {
			if c.Node == got.Node {
				victims, violations = c.Victims, c.PDBViolations
			}
		}
	} else {
		d.compare("node", got.Node, want.Node)
	}
	d.cost("choice", got.Victims, got.PDBViolations, victims, violations)
	if len(got.Best) > 0 {
		d.compare("best", got.Best, want.Best)
	}
}

func (d *differ) cost(what string, got []string, gotViolations int64, want []string, wantViolations int64) {
	if d.sets {
		got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	}
	d.compare(what+": victims", got, want)
	d.compare(what+": pdbViolations", gotViolations, wantViolations)
}

// CanonicalStatus returns a status with its extended resources sorted. They are
// always the last reasons of a node and the only ones in no order.
func CanonicalStatus(status string) string {
	code, message, ok := strings.Cut(status, ": ")
	if !ok {
		return status
	}
	reasons := strings.Split(message, ", ")
	first := len(reasons)
	for first > 0 && isExtended(reasons[first-1]) {
		first--
	}
	slices.Sort(reasons[first:])
	return code + ": " + strings.Join(reasons, ", ")
}

// isExtended reports whether a reason is about a resource that the scheduler
// keeps in a map; the others have a field each.
func isExtended(reason string) bool {
	resource, ok := strings.CutPrefix(reason, "Insufficient ")
	return ok && !slices.Contains([]string{"cpu", "memory", "ephemeral-storage"}, resource)
}

// messageFor returns the message that want would have if the node that got
// chose among the tied ones had been chosen.
func messageFor(got, want Answer) string {
	if got.Node == want.Node || !slices.Contains(want.Best, got.Node) {
		return want.Message
	}
	placement := func(a Answer) string {
		return fmt.Sprintf(" on node %s, preempting %d victims", a.Node, len(a.Victims))
	}
	return strings.Replace(want.Message, placement(want), placement(got), 1)
}
