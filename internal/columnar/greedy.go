package columnar

import (
	"math"
	"slices"

	"example.com/preemption/internal/score"
)

// The reprieve of a node by arithmetic, in a look at the residents from the first victim
// on. docs/engine.md, "Why it is exact", has the proofs (T1, T2, limits); evaluate.go its
// slow twin, resident by resident.

// A shortage is a dimension in which something is missing with no resident gone. The
// others keep no resident from being put back.
type shortage struct {
	dim     int
	missing int64 // what evictions have to make up for
	// What those from the first victim on make available beyond that, and the largest of
	// them: set by cut, in the grains of the row where it goes by pair.
	slack, largest int64
	others         int64 // what those take that do not violate; set by giveUpOthers
}

// greedy is the reprieve in arithmetic: with all residents of lower priority
// gone, those whose eviction violates a budget are put back first, then the
// others, each most important first; what does not fit any more is evicted. The
// indices of the evicted are left in x.evicted, most important first. It returns how many
// violations that takes and whether the node can be cleared at all, and may report that it
// cannot where it is plain that it would not be the best.
func (x *search) greedy(node int) (violations int64, ok bool) {
	if x.Blocked != nil || x.Spared != nil {
		return x.reprieve(node, nil)
	}

	// Where nothing is missing a resident of lower priority has to be there all the same:
	// rows end with the least important. Elsewhere one is looked for.
	r := &x.rows[node]
	x.evicted, x.spared, x.others = x.evicted[:0], x.spared[:0], x.others[:0]
	if !x.shortages(node) {
		return 0, false
	}
	if len(x.short) == 0 {
		n := len(r.priorities)
		return 0, n > 0 && r.priorities[n-1] < x.Priority
	}

	// If budgets are over none from the first victim on, violators stay all. Who violates
	// need not be found out then, which takes longer than all else. In a round of nodes
	// that cannot do without violations there are some, or the node cannot be cleared.
	place, line, most := none, everybody(r), unlimited
	if x.violated == 0 {
		if place = x.cut(&line); place == none {
			return 0, false
		}
		if most = x.limitFrom(r, node, line.at(place)); most.victims == 0 {
			return 0, false
		}
	}
	var v violators
	if place == none || len(r.covered) > 0 && int(r.covered[0]) >= line.at(place) {
		v = x.classify(r)
	}

	// So they do if the others make up for what is missing: they have where none that
	// violates is among those from the first victim on.
	if place != none && len(v.indices) > 0 && int(v.indices[0]) >= line.at(place) {
		line = x.othersThan(r, v.indices)
		if place = x.cut(&line); place != none {
			if most = x.limitFrom(r, node, line.at(place)); most.victims == 0 {
				return 0, false
			}
		}
	}
	if place == none {
		if violations, ok = x.takeViolators(r, node, &v); !ok {
			return 0, false
		}
		if x.isShort() {
			line = x.othersThan(r, v.indices)
			place = x.cut(&line)
		}
	}

	// The others, from their first victim on: each goes that does not fit into what those
	// before it leave. Beside violators there is no limit: where the best has none of these,
	// takeViolators has given up.
	if place != none {
		if !x.takeFrom(&line, place, most.victims) || most.sum < math.MaxInt64 && x.weight(r) > most.sum {
			return 0, false
		}
	}
	if violations > 0 {
		slices.Sort(x.evicted) // two passes have evicted some
	}
	return violations, true
}

// takeViolators evicts those violators that do not fit with all others gone, and
// leaves in x.short what is missing beside the rest. It reports false if all of
// them are not enough, or those that go too many.
func (x *search) takeViolators(r *row, node int, v *violators) (violations int64, ok bool) {
	if len(v.indices) == 0 {
		return 0, false
	}

	// With all others gone less is missing. That alone decides which violators go, as
	// they are put back first.
	x.giveUpOthers(r, node, v)
	most := int64(math.MaxInt64)
	if x.settledByLess() {
		most = x.bestScore.Violations
	}
	line := lineup{row: r, indices: v.indices, all: len(v.indices) == len(r.residents)}
	place := x.cut(&line)
	if place == none || !x.takeFrom(&line, place, most) {
		return 0, false
	}

	// The others are there again, and what the violators that go leave is not missing any
	// more.
	for j := range x.short {
		s := &x.short[j]
		s.missing += s.others
		for _, i := range x.evicted {
			s.missing -= x.request(r, int(i), s.dim)
		}
	}
	return v.podsAmong(x.evicted), true
}

// giveUpOthers takes what those others than violators request off what is missing.
func (x *search) giveUpOthers(r *row, node int, v *violators) {
	// Where exactly those violate that do so for sure, the level up to the preemptor's
	// priority knows what is available without the others.
	if v.pods == nil && x.levels[x.top].high < x.Priority {
		for j := range x.short {
			s := &x.short[j]
			s.others = x.levels[x.top].clean.at(node, s.dim) - x.free.at(node, s.dim)
			s.missing -= s.others
		}
		return
	}
	line := x.othersThan(r, v.indices)
	for j := range x.short {
		s := &x.short[j]
		for _, i := range line.indices {
			s.others += x.request(r, int(i), s.dim)
		}
		s.missing -= s.others
	}
}

// settledByLess reports whether a node is settled as soon as its victims are
// worse than the best: no others will be asked for.
func (x *search) settledByLess() bool {
	return x.bestNode != none && x.Judge == nil && x.Policy.IsZero()
}

// shortages finds what is missing with no resident gone. It reports false if that is
// more than there can be.
func (x *search) shortages(node int) bool {
	x.short = x.short[:0]
	for _, d := range x.Demands {
		free, need := x.free.at(node, d.Dim), x.need(node, d)
		missing := need - free
		if need < 0 || free < 0 && missing < 0 {
			return false // beyond 64 bits
		}
		if missing > 0 {
			if d.Dim > int(x.rows[node].requests.width) {
				return false // no resident takes any of it
			}
			x.short = append(x.short, shortage{dim: d.Dim, missing: missing})
		}
	}
	return true
}

// isShort reports whether anything is missing.
func (x *search) isShort() bool {
	return slices.ContainsFunc(x.short, func(s shortage) bool { return s.missing > 0 })
}

// A limit says with how many victims, and with which sum, a node may still be the best.
type limit struct{ victims, sum int64 }

var unlimited = limit{math.MaxInt64, math.MaxInt64}

// limitFrom returns the limit for a node without violations, by its first victim.
func (x *search) limitFrom(r *row, node, first int) limit {
	b, priority := &x.bestScore, r.priorities[first]
	top := int64(priority)
	// A node whose first victim is below the best's top is better whatever else goes. With
	// odd victims the first is not the highest for sure.
	if !x.settledByLess() || b.Violations > 0 || top < b.Top || r.odd > 0 {
		return unlimited
	}
	if top > b.Top {
		return limit{}
	}

	// An earlier start has to be made up for by a lower sum, where fewer pods mean
	// that too. Groups do not come in the order of their starts.
	most := limit{math.MaxInt64, b.Sum}
	lightest := score.Weight(x.levels[0].low)
	start := r.residents[first].start
	if r.grouped > 0 {
		start = x.levels[x.levelOf(priority)].latest.at(node, 0)
	}
	if (start < b.Start || start == b.Start && node > x.bestNode) && times(b.Pods-1, score.Weight(priority)) < b.Sum {
		most.sum--
	}
	// No victim weighs less than the lightest of the table, so a sum is a number too.
	if lightest > 0 {
		most.victims = max(0, most.sum-score.Weight(priority)+lightest) / lightest
	}
	return most
}
