// Package best finds the best set of victims on one node: of all sets that make
// room for the preemptor and of which no single one could be spared, the one that
// is best by the criteria of the choice between nodes, in any order. It is a
// branch and bound over numbers; it knows nothing of pods.
//
// # Search
//
// Units are decided most important first, and kept before they are taken. So the
// violations of budgets, which depend on the order of the walk, are counted as the
// search goes, every criterion only gets worse as units are taken, and of equal
// sets the one that keeps the more important units comes first.
//
// A branch is cut off where what is undecided cannot make up what is missing,
// where nothing has to go any more (whatever else goes could be spared), and
// where a lower bound is worse than the best set so far; bounds.go has the bounds.
package best

import (
	"math"
	"slices"

	"example.com/preemption/internal/score"
)

// A Solver is memory that searches reuse. The zero value is ready.
//
// Invariants while it searches: set has the units taken, most important first;
// missing, left and now are as they are with just these gone; an oracle has those
// back that were decided on and kept. A branch leaves all of it as it found it.
type Solver struct {
	*Problem
	bounds
	missing []int64 // still, by dimension
	left    []int64 // of the budgets, at this point
	now     score.Score
	set     []int // units taken
	best    []int
	found   bool
	// rival is the score to beat; a set with the same score wins only if it is the
	// first of those found in order.
	rival   score.Score
	beating bool // there is a rival
	strict  bool // the rival wins ties
	steps   int
	over    bool
	err     error
}

// Solve searches. An error is the oracle's.
func (s *Solver) Solve(p *Problem) (Solution, error) {
	s.Problem = p
	s.missing = append(s.missing[:0], p.Missing...)
	s.left = append(s.left[:0], p.Left...)
	s.now, s.set, s.best = score.None, s.set[:0], s.best[:0]
	s.found, s.beating, s.strict, s.steps, s.over, s.err = false, false, false, 0, false, nil
	if p.Within != nil {
		s.rival, s.beating, s.strict = *p.Within, true, !p.OrEqual
	}
	if s.prepare() {
		s.branch(0)
	}
	if s.err != nil {
		return Solution{}, s.err
	}
	r := Solution{Found: s.found, Exact: !s.over}
	if s.found {
		r.Chosen, r.Score = s.best, s.rival
	}
	return r, nil
}

// branch decides on the units in play from i on. It reports whether the units
// taken before are known to suffice, so that none may be taken with them.
func (s *Solver) branch(i int) (suffices bool) {
	if s.steps++; s.steps > s.Steps {
		s.over = true
	}
	if s.over || s.err != nil {
		return false
	}

	// Nothing is missing: whatever else goes could be spared.
	if s.Oracle == nil && s.enough(i) {
		s.take()
		return true
	}
	if i == len(s.play) {
		return s.ask()
	}
	if s.hopeless(i) {
		return false
	}

	// First with the unit in place. If those taken suffice without it, it could be
	// spared from every set that they and it are in.
	if !s.unit(i).Must && s.keep(i) && s.pure() {
		return true
	}
	s.evict(i)
	return false
}

// unit returns the i-th unit in play.
func (s *Solver) unit(i int) *Unit { return &s.Units[s.play[i]] }

// pure reports whether a set that suffices makes all larger ones superfluous.
func (s *Solver) pure() bool { return s.Oracle == nil || s.Monotone }

// enough reports whether nothing is missing and nothing left has to go.
func (s *Solver) enough(i int) bool { return s.musts[i] == 0 && s.covered() }

func (s *Solver) covered() bool {
	for _, m := range s.missing {
		if m > 0 {
			return false
		}
	}
	return true
}

// keep searches with unit i in place.
func (s *Solver) keep(i int) (suffices bool) {
	if !s.reachable(i + 1) {
		return false
	}
	if s.Oracle == nil {
		return s.branch(i + 1)
	}

	// A monotone oracle that refuses now refuses whatever else stays. Another one may
	// change its mind, and is asked about whole sets alone.
	if s.err = s.Oracle.PutBack(s.play[i]); s.err != nil {
		return false
	}
	if !s.Monotone || s.fits() {
		suffices = s.branch(i + 1)
	}
	if s.err == nil {
		s.err = s.Oracle.Remove(s.play[i])
	}
	return suffices
}

// evict searches with unit i gone.
func (s *Solver) evict(i int) {
	// The score is kept rather than taken back: an earliest start cannot be undone.
	u := s.unit(i)
	before := s.now
	if violations := s.charge(u); violations == 0 || !s.Respect {
		s.now.Add(&u.Cost)
		s.now.Violations += violations
		s.set = append(s.set, s.play[i])
		s.free(s.play[i], 1)
		s.branch(i + 1)
		s.free(s.play[i], -1)
		s.set = s.set[:len(s.set)-1]
	}
	s.now = before
	s.giveBack(u)
}

// free accounts for what a unit frees (1) or takes again (-1).
func (s *Solver) free(unit int, sign int64) {
	for d, a := range s.amounts(unit) {
		s.missing[d] -= sign * a
	}
}

// amounts returns what a unit frees, by dimension.
func (p *Problem) amounts(unit int) []int64 {
	w := len(p.Missing)
	return p.Amounts[unit*w : unit*w+w]
}

// charge takes from the budgets over a unit and returns how many of its pods
// violate one.
func (s *Solver) charge(u *Unit) int64 {
	n := int64(0)
	for _, cover := range u.Covers {
		violates := int64(0)
		for _, b := range cover {
			if s.left[b]--; s.left[b] < 0 {
				violates = 1
			}
		}
		n += violates
	}
	return n
}

func (s *Solver) giveBack(u *Unit) {
	for _, cover := range u.Covers {
		for _, b := range cover {
			s.left[b]++
		}
	}
}

// fits asks the oracle, which counts as two steps. One that fails says nothing about the
// set, whatever it answers beside the error.
func (s *Solver) fits() bool {
	if s.err != nil {
		return false
	}
	if s.steps += 2; s.steps > s.Steps {
		s.over = true
		return false
	}
	var ok bool
	ok, s.err = s.Oracle.Fits()
	return ok && s.err == nil
}

// ask settles a set that has been decided on in full, where there is an oracle.
// It reports whether the set suffices.
func (s *Solver) ask() bool {
	if !s.covered() || !s.Monotone && !s.fits() {
		return false
	}
	s.take()
	return !s.over
}

// take makes the set the best so far if it is better and nothing in it can be spared.
func (s *Solver) take() {
	if len(s.set) == 0 || s.beating && !s.wins(&s.now) {
		return
	}

	// Each is tried for itself: a set of which two could be spared only together
	// counts.
	for _, unit := range s.set {
		if spare, ok := s.spare(unit); !ok || spare {
			return
		}
	}
	s.best = append(s.best[:0], s.set...)
	s.rival, s.found, s.beating, s.strict = s.now, true, true, true
}

// wins reports whether a set of this score is better than the rival, or as good
// where that is enough.
func (s *Solver) wins(x *score.Score) bool {
	c := Compare(s.Order, x, &s.rival)
	return c < 0 || c == 0 && !s.strict
}

// spare reports whether a unit of the set could be put back; ok is false if that
// is not known.
func (s *Solver) spare(unit int) (spare, ok bool) {
	if s.Units[unit].Must {
		return false, true
	}
	for d, a := range s.amounts(unit) {
		if s.missing[d]+a > 0 {
			return false, true
		}
	}
	if s.Oracle == nil {
		return true, true
	}
	if s.err = s.Oracle.PutBack(unit); s.err == nil {
		spare = s.fits()
	}
	if s.err == nil {
		s.err = s.Oracle.Remove(unit)
	}
	return spare, s.err == nil && !s.over
}

// greedy puts units back in the order given, each with which the rest suffices,
// and makes those that remain the rival if they are better. It is for numbers
// alone. Units that are out of play stay.
func (s *Solver) greedy(order []int) {
	// How much may come back in all.
	room := reset(s.room, len(s.missing))
	for d := range room {
		room[d] = subtract(s.total[d], s.missing[d])
	}
	gone := reset(s.gone, len(s.Units))
	s.room, s.gone = room, gone
next:
	for _, unit := range order {
		gone[unit] = true
		if s.Units[unit].Must {
			continue
		}
		for d, a := range s.amounts(unit) {
			if a > room[d] {
				continue next
			}
		}
		gone[unit] = false
		for d, a := range s.amounts(unit) {
			room[d] -= a
		}
	}

	// What those cost that are left, most important first, as sets are counted.
	cost := score.None
	for _, unit := range s.play {
		if gone[unit] {
			violations := s.charge(&s.Units[unit])
			cost.Add(&s.Units[unit].Cost)
			cost.Violations += violations
		}
	}
	copy(s.left, s.Left)
	if cost.Pods == 0 || cost.Violations > 0 && s.Respect || s.beating && Compare(s.Order, &cost, &s.rival) >= 0 {
		return
	}

	// An equal one that the search comes across takes its place: that one is the
	// first of its score.
	s.rival, s.found, s.beating, s.strict = cost, true, true, false
	s.best = s.best[:0]
	for _, unit := range s.play {
		if gone[unit] {
			s.best = append(s.best, unit)
		}
	}
}

// subtract stops at the ends of int64.
func subtract(a, b int64) int64 {
	c := a - b
	if (c < a) == (b > 0) {
		return c
	}
	return math.MinInt64 ^ b>>63 // the end in the direction away from b
}

// add stops at the greatest int64; b is not negative.
func add(a, b int64) int64 {
	if c := a + b; c >= a {
		return c
	}
	return math.MaxInt64
}

// reset returns a slice of n zero values.
func reset[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}
