package best

import (
	"math"
	"slices"

	"example.com/preemption/internal/score"
)

// bounds is what is known about the units in play before any is decided on. What
// is said of a suffix holds for the units in play from its index on.
//
// A lower bound is a vector: the criteria in their order, each at least as good as
// it is in any set that extends the units taken, given that those before it are as
// the vector says. Compared in that order the vector is not worse than any such
// set.
type bounds struct {
	play  []int   // units that may be taken, most important first
	total []int64 // suffix×dims + dim: what all of it frees
	musts []int   // by suffix: how many units have to go
	// tops is by suffix the least Top of the first unit taken, if none is before:
	// what is behind the last index that can reach the goal comes too late.
	tops []int64
	// highest and lowest are by suffix the extremes of own priorities.
	highest, lowest []int64
	odd             bool    // own priorities do not follow importance
	clean           []int64 // suffix×dims + dim: what those free whose budgets are not spent

	// Of a suffix, for every count m: the most that m units free, the least that
	// they cost, and so on. Where there are very many units the rankings of all
	// stand for those of each suffix.
	freed  []ranking // by dimension
	sums   ranking
	pods   ranking
	starts ranking
	prices
	ranked bool
	rows   int // suffixes that have rankings of their own

	room []int64 // memory of greedy
	gone []bool
}

// The bounds are made in the order of what they cost: sums of suffixes, a greedy rival,
// rankings, prices. Each may show that no set is worth searching for.

// prepare readies the bounds. It reports false if no set is worth searching for.
func (s *Solver) prepare() bool {
	s.play = s.play[:0]
	for i := range s.Units {
		s.play = append(s.play, i)
	}
	s.ranked, s.priced = false, false
	s.suffixes()
	if !s.reachable(0) {
		return false
	}

	// An oracle may refuse what the numbers allow, so no set of theirs is a rival.
	if s.Oracle != nil {
		s.rank()
		return !s.hopeless(0)
	}

	// A first rival, and what cannot be in a better set is out of play: the fewer
	// units the tighter are the rankings.
	s.greedy(s.play)
	s.drop()
	if s.hopeless(0) {
		return false
	}
	s.rank()
	if s.hopeless(0) {
		return false
	}

	// Prices cost most to find, so they come last. What is dear at these prices is
	// put back first: mostly that is a better rival.
	if s.findPrices() {
		s.rankPrices()
		s.greedy(s.byPrice())
		if s.drop() {
			s.rank()
			s.rankPrices()
		}
	}
	return true
}

// suffixes computes what takes one pass over the units in play.
func (s *Solver) suffixes() {
	// From the back, each suffix from the one that is shorter by a unit.
	n, w := len(s.play), len(s.missing)
	s.total, s.clean = reset(s.total, (n+1)*w), reset(s.clean, (n+1)*w)
	s.musts = reset(s.musts, n+1)
	s.highest, s.lowest = reset(s.highest, n+1), reset(s.lowest, n+1)
	s.highest[n], s.lowest[n] = math.MinInt64, math.MaxInt64
	s.odd = false
	for i := n - 1; i >= 0; i-- {
		// What a unit frees counts as clean only if it violates nothing by itself.
		u := s.unit(i)
		spent := s.spentPods(u) > 0
		for d, a := range s.amounts(s.play[i]) {
			s.total[i*w+d] = add(s.total[(i+1)*w+d], a)
			s.clean[i*w+d] = s.clean[(i+1)*w+d]
			if !spent {
				s.clean[i*w+d] = add(s.clean[i*w+d], a)
			}
		}
		s.musts[i] = s.musts[i+1]
		if u.Must {
			s.musts[i]++
		}

		// Groups rank by their effective priority. Where own priorities are in another
		// order, what is taken last may have the highest.
		s.highest[i], s.lowest[i] = max(s.highest[i+1], u.Cost.Highest), min(s.lowest[i+1], u.Cost.Highest)
		s.odd = s.odd || u.Cost.Top != u.Cost.Highest || u.Cost.Top < s.highest[i+1]
	}

	// The first unit taken is not behind the last index that can reach the goal, nor
	// behind the first unit that has to go.
	s.tops = reset(s.tops, n+1)
	last := n - 1
	for last > 0 && (s.musts[last] < s.musts[0] || !s.reachable(last)) {
		last--
	}
	s.tops[n] = math.MaxInt64
	for i := n - 1; i >= 0; i-- {
		s.tops[i] = s.tops[i+1]
		if i <= last {
			s.tops[i] = min(s.tops[i], s.unit(i).Cost.Top)
		}
	}
}

// reachable reports whether the suffix can make up what is still missing.
func (s *Solver) reachable(i int) bool {
	for d, m := range s.missing {
		if s.total[i*len(s.missing)+d] < m {
			return false
		}
	}
	return true
}

// spentPods returns how many pods of a unit violate a budget whoever else goes.
func (s *Solver) spentPods(u *Unit) int64 {
	n := int64(0)
	for _, cover := range u.Covers {
		if slices.ContainsFunc(cover, func(b int32) bool { return s.Left[b] <= 0 }) {
			n++
		}
	}
	return n
}

// rank fills the rankings. Each suffix has its own, in O(units²) for all of them;
// that pays up to some number of units.
func (s *Solver) rank() {
	n, w := len(s.play), len(s.missing)
	s.rows = n + 1
	if n > ownRankings {
		s.rows = 1
	}
	for len(s.freed) < w {
		s.freed = append(s.freed, ranking{})
	}
	for d := range w {
		s.freed[d].fill(s.rows, n, true, func(i int) int64 { return s.Amounts[s.play[i]*w+d] })
	}
	s.sums.fill(s.rows, n, false, func(i int) int64 { return s.unit(i).Cost.Sum })
	s.pods.fill(s.rows, n, false, func(i int) int64 { return s.unit(i).Cost.Pods })
	s.starts.fill(s.rows, n, true, func(i int) int64 { return s.unit(i).Cost.Start })
	s.ranked = true
}

// ownRankings is up to how many units each suffix has rankings of its own.
const ownRankings = 256

// row returns the row of rankings that holds for a suffix: its own, or that of all
// units, which bounds what any of them can do.
func (s *Solver) row(i int) int {
	if s.rows == 1 {
		return 0
	}
	return i
}

// inRow returns how many units that row ranks.
func (s *Solver) inRow(i int) int { return len(s.play) - s.row(i) }

// fewest returns how many units of the suffix it takes at least: more than there
// are if all of them are not enough. Something has to go if nothing has yet. If
// a unit is given it is one of them.
func (s *Solver) fewest(i, with int) int {
	// Those that have to go are among them. A given unit may be one of those, so it
	// is not counted twice.
	least, row, count := s.musts[i], s.row(i), s.inRow(i)
	if with >= 0 {
		least = max(least-1, 0)
	}

	// In each dimension the largest make up what is missing with the fewest. With a
	// given unit, the others make up the rest.
	for d, m := range s.missing {
		if with >= 0 {
			m = subtract(m, s.Amounts[with*len(s.missing)+d])
		}
		sums := s.freed[d].row(row)[:count+1]
		for least <= count && sums[least] < m {
			least++
		}
	}
	if with >= 0 {
		return least + 1
	}
	if len(s.set) == 0 {
		least = max(least, 1)
	}
	return least
}

// moreViolations returns how many violations the suffix adds at least: one if those
// without a spent budget over them are not enough.
func (s *Solver) moreViolations(i int) int64 {
	if len(s.Left) == 0 {
		return 0
	}
	for d, m := range s.missing {
		if s.clean[i*len(s.missing)+d] < m {
			return 1
		}
	}
	return 0
}

// hopeless reports whether no set that extends the one taken by units of the
// suffix can win.
func (s *Solver) hopeless(i int) bool { return s.worse(i, -1) }

// drop takes units out of play that are in no set that can win. It reports
// whether there were any.
func (s *Solver) drop() bool {
	if !s.beating {
		return false
	}
	// A new list, since the bounds go by the old one until all are decided on.
	kept := s.play[:0:0]
	for _, unit := range s.play {
		if s.Units[unit].Must || !s.worse(0, unit) {
			kept = append(kept, unit)
		}
	}
	if len(kept) == len(s.play) {
		return false
	}
	s.play, s.ranked, s.priced = kept, false, false
	s.suffixes()
	return true
}

// worse reports whether a lower bound of the sets that extend the one taken by
// units of the suffix, the given one among them, cannot win.
func (s *Solver) worse(i, with int) bool {
	if !s.beating {
		return false
	}
	var unit *Unit
	if with >= 0 {
		unit = &s.Units[with]
	}

	// How many units it takes at least bounds all that adds up.
	m := -1
	if s.ranked {
		if m = s.fewest(i, with); m > len(s.play)-i {
			return true
		}
	}

	// Criterion by criterion, until one decides. Those that need rankings decide
	// nothing before there are any.
	top := int64(math.MinInt64) // of the vector
	for _, c := range s.Order {
		if c > Top && !s.ranked {
			return false
		}

		// The bound of this criterion, given that those before are equal to the rival's.
		// A unit that is given is one of those taken.
		var bound, rival int64 // the lower the better
		switch c {
		case Violations:
			bound, rival = s.now.Violations+s.moreViolations(i), s.rival.Violations
			if unit != nil {
				bound = max(bound, s.spentPods(unit))
			}
		case Top:
			bound, rival = s.now.Top, s.rival.Top
			if len(s.set) == 0 {
				bound = s.tops[i]
			}
			if unit != nil && !s.odd {
				bound = max(bound, unit.Cost.Top)
			}
			top = bound
		case Sum:
			bound, rival = s.now.Sum+s.leastSum(i, m, with), s.rival.Sum
		case Pods:
			bound, rival = s.now.Pods, s.rival.Pods
			if unit == nil {
				bound += s.pods.sum(s.row(i), m)
			} else {
				bound += unit.Cost.Pods + s.pods.sum(s.row(i), m-1)
			}
		case Start:
			// The later the better: the other way round.
			bound, rival = s.rival.Start, s.latestStart(i, m)
			if unit != nil && !s.odd && top == unit.Cost.Top {
				rival = min(rival, unit.Cost.Start)
			}
		}
		if bound != rival {
			return bound > rival
		}
	}
	return s.strict
}

// latestStart returns a start that no set that extends the one taken by m units
// or more of the suffix is later than.
func (s *Solver) latestStart(i, m int) int64 {
	// With nothing taken yet, a start counts only if its unit is of the highest
	// priority. If all are of one, m of them count; otherwise as few as one.
	row := s.row(i)
	if len(s.set) == 0 {
		if s.highest[i] != s.lowest[i] {
			m = 1
		}
		return s.starts.values[row*s.starts.width+m]
	}

	// A unit of a higher priority may still come, and its start would count alone.
	if s.highest[i] > s.now.Highest {
		return score.Never
	}
	if m > 0 && s.rows > 1 && s.highest[i] == s.lowest[i] && s.lowest[i] == s.now.Highest {
		return min(s.now.Start, s.starts.values[row*s.starts.width+m])
	}
	return s.now.Start
}

// leastSum returns what m units or more of the suffix, the given one among them,
// weigh at least.
func (s *Solver) leastSum(i, m, with int) int64 {
	// By numbers alone: the m lightest. A given unit takes the place of one of them.
	row := s.row(i)
	least := s.sums.sum(row, m)
	if with >= 0 {
		least = add(s.Units[with].Cost.Sum, s.sums.sum(row, m-1))
	}
	if s.priced {
		least = max(least, s.pricedSum(i, m, with))
	}
	return least
}
