// Package score is what evicting pods costs, by the five criteria that
// kube-scheduler chooses between nodes by. Everything that adds up or compares
// such costs does it here; only lower bounds are put together elsewhere, from
// [Weight].
package score

import (
	"cmp"
	"math"
)

// A Score is the cost of victims, in the order in which they are listed. It is
// made by adding to [None].
type Score struct {
	Violations int64 // pods whose eviction violates a budget; fewer are better
	Top        int64 // own priority of the first listed pod; lower is better
	Sum        int64 // of the weights of the pods; smaller is better
	Pods       int64 // fewer are better
	Start      int64 // earliest start among the pods of the highest priority; later is better

	// Highest is the highest own priority, which Start belongs to. It is no
	// criterion: the first listed pod need not have it, since a group ranks by its
	// effective priority.
	Highest int64
}

// Never is a start that none is later than.
const Never = math.MaxInt64

// None is the score of no victims.
var None = Score{Top: math.MinInt64, Start: Never, Highest: math.MinInt64}

// Worst is worse than the score of any victims.
var Worst = Score{Violations: math.MaxInt64, Top: math.MaxInt64, Sum: math.MaxInt64, Pods: math.MaxInt64, Start: math.MinInt64}

// Weight is what a pod counts in a sum: its priority, shifted so that none is
// negative and more pods never look better. Sums are exact for up to 2^31 pods.
func Weight(priority int32) int64 { return int64(priority) + math.MaxInt32 + 1 }

// AddPod adds a pod listed after those before.
func (s *Score) AddPod(priority int32, start int64) {
	if s.Pods == 0 {
		s.Top = int64(priority)
	}
	s.Sum += Weight(priority)
	s.Pods++
	s.startWith(int64(priority), start)
}

// Add adds victims listed after those before.
func (s *Score) Add(o *Score) {
	if s.Pods == 0 {
		s.Top = o.Top
	}
	s.Violations += o.Violations
	s.Sum += o.Sum
	s.Pods += o.Pods
	s.startWith(o.Highest, o.Start)
}

// startWith takes the earliest start among pods of one priority into account.
func (s *Score) startWith(priority, start int64) {
	if priority > s.Highest {
		s.Highest, s.Start = priority, start
	} else if priority == s.Highest {
		s.Start = min(s.Start, start)
	}
}

// Compare compares by the five criteria in turn. It is negative if s is better.
func (s *Score) Compare(o *Score) int {
	switch {
	case s.Violations != o.Violations:
		return ByViolations(s, o)
	case s.Top != o.Top:
		return ByTop(s, o)
	case s.Sum != o.Sum:
		return BySum(s, o)
	case s.Pods != o.Pods:
		return ByPods(s, o)
	}
	return ByStart(s, o)
}

// Criteria are the five in their order, for comparing by one alone. Each is
// negative if a is better.
var Criteria = [...]func(a, b *Score) int{ByViolations, ByTop, BySum, ByPods, ByStart}

func ByViolations(a, b *Score) int { return cmp.Compare(a.Violations, b.Violations) }

func ByTop(a, b *Score) int { return cmp.Compare(a.Top, b.Top) }

func BySum(a, b *Score) int { return cmp.Compare(a.Sum, b.Sum) }

func ByPods(a, b *Score) int { return cmp.Compare(a.Pods, b.Pods) }

func ByStart(a, b *Score) int { return cmp.Compare(b.Start, a.Start) }
