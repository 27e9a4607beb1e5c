package cover

import (
	"math"
	"slices"
)

// An Item frees amounts, none of them negative, at a cost.
type Item struct {
	Amounts []int64 // by dimension
	Cost    Cost
}

// A Set is a set of items.
type Set struct {
	Cost   Cost
	Chosen []int // indices into the items, ascending
	// Exact: no other set that is enough costs less.
	Exact bool
}

// A Solver finds cheapest sets. It keeps the memory of a search for the next one.
// The zero value is ready; it must not be used concurrently.
type Solver struct {
	search search
	bounds Bounds
	starts []int64
	late   []Item // those that start late enough
	from   []int  // their indices
}

// Cheapest returns the cheapest set of items that makes up what is missing; all
// of them together must.
//
// This is a covering knapsack, solved by branch and bound. The items are branched
// on in the order given. Large ones should come first: then the first set tried,
// the first items that are enough, is a good one. A search ends after so many
// steps and makes do with the best set so far, less what can be spared of it; with
// no steps it takes all items less what can be spared.
//
// The least sum and count come first. Of the sets that cost that, one whose
// earliest start is the latest is found by bisection over the starts: do the items
// that start so late suffice for no more?
func (s *Solver) Cheapest(items []Item, missing []int64, steps int) Set {
	// The least sum and count. If the search ended before it found any set all items
	// are one.
	best, ok := s.search.run(items, missing, Cost{}, Cost{Sum: math.MaxInt64}, steps)
	if !ok {
		best.Chosen = all(len(items))
	}
	if !best.Exact {
		return spare(items, missing, best.Chosen)
	}

	// The starts in question: later than that of the set found, and not later than
	// the bound for sets of this sum and count.
	latest := int64(math.MaxInt64)
	s.bounds.Set(items, len(missing))
	if bound, _ := s.bounds.Cost(missing); !bound.cheaper(best.Cost) {
		latest = bound.Start
	}
	s.starts = s.starts[:0]
	for i := range items {
		if start := items[i].Cost.Start; start > best.Cost.Start && start <= latest {
			s.starts = append(s.starts, start)
		}
	}
	slices.Sort(s.starts)
	starts := slices.Compact(s.starts)

	// Bisection. What is found has to be cheaper than one item more at this sum, so it
	// costs the same as the best so far, which is the floor too: the first is taken.
	more := Cost{Sum: best.Cost.Sum, Count: best.Cost.Count + 1}
	mid := len(starts) - 1                                                // often the bound is met
	for low, high := 0, len(starts); low < high; mid = (low + high) / 2 { // starts[:low] can be had, starts[high:] cannot
		s.late, s.from = s.late[:0], s.from[:0]
		for i := range items {
			if items[i].Cost.Start >= starts[mid] {
				s.late, s.from = append(s.late, items[i]), append(s.from, i)
			}
		}
		found, ok := s.search.run(s.late, missing, best.Cost, more, steps)
		best.Exact = best.Exact && found.Exact
		if !ok {
			high = mid
			continue
		}
		low = mid + 1
		best.Cost, best.Chosen = found.Cost, found.Chosen
		for i, at := range best.Chosen {
			best.Chosen[i] = s.from[at]
		}
	}
	return best
}

func all(n int) []int {
	indices := make([]int, n)
	for i := range indices {
		indices[i] = i
	}
	return indices
}

// spare returns the chosen items less those that can be spared, the costliest
// first.
func spare(items []Item, missing []int64, chosen []int) Set {
	left := slices.Clone(missing)
	for _, i := range chosen {
		take(left, items[i].Amounts)
	}
	order := slices.Clone(chosen)
	slices.SortStableFunc(order, func(a, b int) int { return items[b].Cost.Compare(items[a].Cost) })
	set := Set{Cost: Nothing}
	for _, i := range order {
		give(left, items[i].Amounts)
		if enough(left) {
			continue
		}
		take(left, items[i].Amounts)
		set.Cost = set.Cost.Plus(items[i].Cost)
		set.Chosen = append(set.Chosen, i)
	}
	slices.Sort(set.Chosen)
	return set
}

// take makes less missing by these amounts, give undoes it.
func take(missing, amounts []int64) {
	for d := range missing {
		missing[d] -= amounts[d]
	}
}

func give(missing, amounts []int64) {
	for d := range missing {
		missing[d] += amounts[d]
	}
}

func enough(missing []int64) bool {
	for _, m := range missing {
		if m > 0 {
			return false
		}
	}
	return true
}
