package best

import "example.com/preemption/internal/score"

// A Unit is a victim in question.
type Unit struct {
	Cost score.Score // of all its pods, without violations
	// Covers are sets of budgets, as indices into Problem.Left: one for each pod of
	// the unit that budgets are over, in the order of the pods.
	Covers [][]int32
	// Must says that the preemptor cannot run beside the unit at all.
	Must bool
}

// A Criterion is one of those that sets are compared by.
type Criterion uint8

// The criteria in the order of [score.Criteria].
const (
	Violations Criterion = iota
	Top
	Sum
	Pods
	Start
)

// Default is kube-scheduler's order of the criteria.
var Default = []Criterion{Violations, Top, Sum, Pods, Start}

// Compare compares two scores by one criterion.
func (c Criterion) Compare(a, b *score.Score) int {
	return score.Criteria[c](a, b)
}

// Compare compares two scores by criteria in turn. It is negative if a is the
// better one.
func Compare(order []Criterion, a, b *score.Score) int {
	for _, c := range order {
		if d := c.Compare(a, b); d != 0 {
			return d
		}
	}
	return 0
}

// A Problem is one node.
type Problem struct {
	Units []Unit // most important first
	// Missing is what has to be freed, by dimension, and Amounts what each unit
	// frees: unit×dimensions + dimension, none negative.
	Missing []int64
	Amounts []int64
	Left    []int64 // what each budget has left
	Respect bool    // sets that violate a budget are out of the question
	Order   []Criterion
	// Oracle knows of reasons to refuse beyond the numbers. Nil: there are none.
	Oracle Oracle
	// Monotone says that the oracle never refuses because units are gone.
	Monotone bool
	// Steps bounds the search: it ends after so many, or half as many fit tests.
	Steps int
	// Within, if not nil, is a score that the set has to be better than, or as good as
	// if OrEqual is set.
	Within  *score.Score
	OrEqual bool
}

// An Oracle answers for the preemptor beside those units that are not gone. At
// first all are gone, and so they are at the end.
type Oracle interface {
	PutBack(unit int) error
	Remove(unit int) error
	Fits() (bool, error)
}

// A Solution is what a search found.
type Solution struct {
	Found  bool
	Chosen []int // units, most important first; good until the next search
	Score  score.Score
	// Exact says that there is no better set: if nothing is found, none at all (that
	// is better than Within).
	Exact bool
}
