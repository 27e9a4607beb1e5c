package conformance

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/preemption/internal/generate"
	"example.com/preemption/internal/golden"
)

// Survey judges generated cases and fails the test if some kind of answer is
// rare among them, or too many have none: a differential test over such cases
// would be worth little.
func Survey(t *testing.T, release string, judge Judge) {
	t.Helper()
	const total = 2000
	counts := map[string]int{}
	for c := range generate.Cases(release, total) {
		answer, steady, err := Steady(judge, c, Runs)
		switch {
		case errors.Is(err, ErrFails):
			if counts[fails]++; !Tangled(&c) {
				t.Errorf("%s: %v", c.Name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.Name, err)
		case !steady:
			counts[varies]++
		default:
			for _, k := range kinds {
				if k.is(&c, answer) {
					counts[k.name]++
				}
			}
		}
	}
	for _, k := range kinds {
		t.Logf("%5d %s", counts[k.name], k.name)
		if counts[k.name] < k.floor {
			t.Errorf("%s: %d of %d cases, want at least %d", k.name, counts[k.name], total, k.floor)
		}
	}
	for _, name := range []string{fails, varies} {
		t.Logf("%5d %s", counts[name], name)
		if ceiling := total / 20; counts[name] > ceiling {
			t.Errorf("%s: %d of %d cases, want at most %d", name, counts[name], total, ceiling)
		}
	}
}

const (
	fails  = "the scheduler fails"
	varies = "several answers"
)

// kind is a kind of answer and how often it must come out, at least.
type kind struct {
	name  string
	floor int
	is    func(c *golden.Case, a golden.Answer) bool
}

var kinds = []kind{
	{"fits", 100, outcome(golden.Fits)},
	{"ineligible", 40, outcome(golden.Ineligible)},
	{"unhelpful", 200, outcome(golden.Unhelpful)},
	{"preempt", 500, outcome(golden.Preempt)},
	{"several candidates", 300, func(c *golden.Case, a golden.Answer) bool { return len(a.Candidates) > 1 }},
	{"several victims", 200, func(c *golden.Case, a golden.Answer) bool { return len(a.Victims) > 1 }},
	{"five victims somewhere", 50, someCandidate(func(other, _ golden.Candidate) bool { return len(other.Victims) >= 5 })},
	{"violations", 50, func(c *golden.Case, a golden.Answer) bool { return a.PDBViolations > 0 }},
	{"violations avoided", 50, someCandidate(func(other, chosen golden.Candidate) bool {
		return other.PDBViolations > chosen.PDBViolations
	})},
	{"as many victims elsewhere", 50, someCandidate(func(other, chosen golden.Candidate) bool {
		return other.PDBViolations == chosen.PDBViolations && len(other.Victims) == len(chosen.Victims)
	})},
	{"fewer victims elsewhere", 20, someCandidate(func(other, chosen golden.Candidate) bool {
		return len(other.Victims) < len(chosen.Victims)
	})},
	{"no victims on a node", 50, someStatus("UnschedulableAndUnresolvable: No preemption victims found for incoming pod")},
	{"not enough victims on a node", 50, func(c *golden.Case, a golden.Answer) bool {
		return a.Outcome == golden.Unhelpful && someStatus("Unschedulable: ")(c, a)
	}},
	{"victims would not help a node", 50, someStatus("UnschedulableAndUnresolvable: Insufficient")},
	{"nodes not sampled", 20, func(c *golden.Case, a golden.Answer) bool {
		return c.Sampling != nil && a.Outcome == golden.Preempt && len(a.Candidates) < a.PotentialNodes
	}},
}

func outcome(name string) func(*golden.Case, golden.Answer) bool {
	return func(_ *golden.Case, a golden.Answer) bool { return a.Outcome == name }
}

func someStatus(prefix string) func(*golden.Case, golden.Answer) bool {
	return func(_ *golden.Case, a golden.Answer) bool {
		for _, status := range a.Statuses {
			if strings.HasPrefix(status, prefix) {
				return true
			}
		}
		return false
	}
}

// someCandidate looks for a candidate other than the chosen one.
func someCandidate(is func(other, chosen golden.Candidate) bool) func(*golden.Case, golden.Answer) bool {
	return func(_ *golden.Case, a golden.Answer) bool {
		i := slices.IndexFunc(a.Candidates, func(c golden.Candidate) bool { return c.Node == a.Node })
		return i >= 0 && slices.ContainsFunc(a.Candidates, func(c golden.Candidate) bool {
			return c.Node != a.Node && is(c, a.Candidates[i])
		})
	}
}
