package cover

import "slices"

// search is one branch and bound over items, by sum and count.
//
// Invariant: missing is what is missing with just the items of set chosen; a branch
// leaves both as it found them.
type search struct {
	items   []Item
	missing []int64 // by the items chosen so far
	steps   int     // left
	// No set costs less than floor. best is the cheapest set found, or what a set has
	// to be cheaper than.
	floor, best Cost
	set, chosen []int
	// tails[i] bounds what it takes of the items from i on; known up to some i.
	tails []Bounds
	known []bool
}

// run returns the cheapest set that makes up what is missing and is cheaper than
// below, if there is one. No set is known to be cheaper than floor.
func (s *search) run(items []Item, missing []int64, floor, below Cost, steps int) (set Set, ok bool) {
	s.items, s.steps = items, steps
	s.missing = append(s.missing[:0], missing...)
	s.set, s.chosen = s.set[:0], s.chosen[:0]
	for len(s.tails) <= len(items) {
		s.tails = append(s.tails, Bounds{})
	}
	s.known = append(s.known[:0], make([]bool, len(items)+1)...)
	s.floor, s.best = floor, below

	// A set that meets the bound of all items ends the search.
	if bound, possible := s.bound(0, Nothing); possible && floor.cheaper(bound) {
		s.floor = bound
	}

	s.branch(0, Nothing)
	return Set{Cost: s.best, Chosen: slices.Clone(s.chosen), Exact: s.steps >= 0}, s.best != below
}

// bound returns a sum and a count that no set is below that goes on from this cost
// with items from i on, or false if all of them are not enough.
func (s *search) bound(i int, cost Cost) (Cost, bool) {
	// Most searches go down few branches, so bounds of a tail are computed when asked for.
	b := &s.tails[i]
	if !s.known[i] {
		s.known[i] = true
		b.Set(s.items[i:], len(s.missing))
	}
	k, possible := b.fewest(s.missing)
	if !possible {
		return cost, false
	}
	cost.Sum, cost.Count = cost.Sum+int64(k)*b.least.Sum, cost.Count+int64(k)*b.least.Count
	return cost, true
}

// branch tries the sets that go on with items from i.
func (s *search) branch(i int, cost Cost) {
	s.steps--
	if s.steps < 0 || !s.floor.cheaper(s.best) {
		return
	}
	if enough(s.missing) {
		if cost.cheaper(s.best) {
			s.best, s.chosen = cost, append(s.chosen[:0], s.set...)
		}
		return
	}
	if bound, possible := s.bound(i, cost); !possible || !bound.cheaper(s.best) {
		return
	}

	// With the item first: large ones come first, so a good set is found soon.
	x := &s.items[i]
	take(s.missing, x.Amounts)
	s.set = append(s.set, i)
	s.branch(i+1, cost.Plus(x.Cost))
	s.set = s.set[:len(s.set)-1]
	give(s.missing, x.Amounts)
	s.branch(i+1, cost)
}
