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
	slack   int64 // what those from the first victim on make available beyond that; set by cut
}

// greedy is the reprieve in arithmetic: with all residents of lower priority
// gone, those whose eviction violates a budget are put back first, then the
// others, each most important first; what does not fit any more is evicted. The
// indices of the evicted are left in x.evicted, most important first. It reports
// whether the node can be cleared at all, and may report that it cannot where it
// is plain that it would not be the best.
func (x *search) greedy(node int) (score.Score, bool) {
	if x.Blocked != nil || x.Spared != nil {
		return x.reprieve(node, nil)
	}

	// Where nothing is missing a resident of lower priority has to be there all the same:
	// rows end with the least important. Elsewhere one is looked for.
	r := &x.rows[node]
	x.evicted, x.spared = x.evicted[:0], x.spared[:0]
	if !x.shortages(node) {
		return score.Score{}, false
	}
	if len(x.short) == 0 {
		n := len(r.residents)
		return score.None, n > 0 && r.residents[n-1].Priority < x.Priority
	}

	// If budgets are over none from the first victim on, violators stay all. Who violates
	// need not be found out then, which takes longer than all else. In a round of nodes
	// that cannot do without violations there are some.
	first, marked := none, x.violated > 0
	if !marked {
		if first = x.cut(r, nil, false); first == none || x.limitFrom(r, node, first).victims == 0 {
			return score.Score{}, false
		}
		marked = len(r.covered) > 0 && int(r.covered[0]) >= first
	}
	var marks []int32
	if marked {
		marks = x.markViolators(r)
	}

	// So they do if the others make up for what is missing.
	violations := int64(0)
	if marks != nil && x.violated == 0 || marked && marks == nil && first == none {
		first = x.cut(r, marks, false)
	}
	if first == none {
		if marks == nil {
			return score.Score{}, false
		}
		var ok bool
		if violations, ok = x.takeViolators(r, marks); !ok {
			return score.Score{}, false
		}
		if first = len(r.residents); x.isShort() {
			first = x.cut(r, marks, false)
		}
	}

	// The others, from their first victim on: each goes that does not fit into what those
	// before it leave. Both passes have evicted some, so their indices are put in order.
	most := unlimited
	if violations == 0 {
		if most = x.limitFrom(r, node, first); most.victims == 0 {
			return score.Score{}, false
		}
	}
	if !x.takeFrom(r, marks, false, first, most) {
		return score.Score{}, false
	}
	if violations > 0 {
		slices.Sort(x.evicted)
	}
	return x.score(r, violations), true
}

// markViolators returns by resident how many of its pods violate a budget if it goes, nil
// if none does.
func (x *search) markViolators(r *row) []int32 {
	violators := x.classify(r)
	if len(violators) == 0 {
		return nil
	}
	x.marks = slices.Grow(x.marks[:0], len(r.residents))[:len(r.residents)]
	clear(x.marks)
	for _, v := range violators {
		x.marks[v.index] = v.pods
	}
	return x.marks
}

// takeViolators evicts those violators that do not fit with all others gone, and
// leaves in x.short what is missing beside the rest. It reports false if all of
// them are not enough, or those that go too many.
func (x *search) takeViolators(r *row, marks []int32) (violations int64, ok bool) {
	// With all others gone less is missing. That alone decides which violators go, as
	// they are put back first.
	x.giveUp(r, marks, +1)
	most := unlimited
	if x.settledByLess() {
		most.victims = x.bestScore.Violations
	}
	among := marks
	if len(x.violators) == len(r.residents)-r.below(x.Priority) {
		among = nil // there are no others
	}
	first := x.cut(r, among, true)
	if first == none || !x.takeFrom(r, among, true, first, most) {
		return 0, false
	}

	// The others are there again, and what the violators that go leave is not missing any
	// more.
	x.giveUp(r, marks, -1)
	for j := range x.short {
		s := &x.short[j]
		for _, i := range x.evicted {
			s.missing -= x.request(r, int(i), s.dim)
		}
	}
	for _, i := range x.evicted {
		violations += int64(marks[i])
	}
	return violations, true
}

// giveUp takes what those others than violators request off what is missing
// (sign +1), or undoes that (-1).
func (x *search) giveUp(r *row, marks []int32, sign int64) {
	for i := r.below(x.Priority); i < len(r.residents); i++ {
		if marks[i] > 0 {
			continue
		}
		for j := range x.short {
			x.short[j].missing -= sign * x.request(r, i, x.short[j].dim)
		}
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
			if d.Dim > int(x.rows[node].width) {
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

// cut returns the first victim among the violators or among the others: the least
// important resident that, with those behind it, makes up for what is missing; -1
// if all together that may go do not. Those before it stay and it goes, whatever
// becomes of those behind it.
func (x *search) cut(r *row, marks []int32, violating bool) int {
	if !x.isNarrow() {
		return x.cutAny(r, marks, violating)
	}

	if marks == nil && len(x.short) <= 2 {
		if i := x.pairOf(r).cut(); i != none {
			return x.eligible(r, i)
		}
		return none
	}

	// Sums from the end of the row on, in up to three dimensions at once. What they come
	// to beyond what is missing is for takeFrom.
	a, b, c := x.narrowed()
	w := int(r.width)
	var sa, sb, sc int64
	for i := len(r.residents) - 1; i >= 0; i-- {
		if marks != nil && (marks[i] > 0) != violating {
			continue
		}
		q := r.requests[i*w : i*w+w]
		qa, qb, qc := q[a.dim-1], q[b.dim-1], q[c.dim-1]
		sa, sb, sc = sa+qa, sb+qb, sc+qc
		if sa >= a.missing && sb >= b.missing && sc >= c.missing {
			a.slack, b.slack, c.slack = sa-a.missing, sb-b.missing, sc-c.missing
			return x.eligible(r, i)
		}
	}
	return none
}

// none is in the place of a first victim that there is not.
const none = -1

// eligible returns a first victim if it may go, else none: those before it may go no
// more than it may.
func (x *search) eligible(r *row, i int) int {
	if r.residents[i].Priority >= x.Priority {
		return none
	}
	return i
}

// isNarrow reports whether so few dimensions are short, the seats not among them,
// that loops over them are unrolled.
func (x *search) isNarrow() bool {
	return len(x.short) <= 3 && x.short[len(x.short)-1].dim != Seat
}

// narrowed returns three shortages, the first again where there are fewer.
func (x *search) narrowed() (a, b, c *shortage) {
	a = &x.short[0]
	b, c = a, a
	if len(x.short) > 1 {
		b = &x.short[1]
	}
	if len(x.short) > 2 {
		c = &x.short[2]
	}
	return a, b, c
}

// cutAny is cut for any dimensions, the seats among them.
func (x *search) cutAny(r *row, marks []int32, violating bool) int {
	for j := range x.short {
		x.short[j].slack = -x.short[j].missing
	}
	for i := len(r.residents) - 1; i >= 0; i-- {
		if marks != nil && (marks[i] > 0) != violating {
			continue
		}
		enough := true
		for j := range x.short {
			s := &x.short[j]
			q := x.request(r, i, s.dim)
			s.slack += q
			enough = enough && s.slack >= 0
		}
		if enough {
			return x.eligible(r, i)
		}
	}
	return none
}

// A limit says with how many victims, and with which sum, a node may still be the
// best.
type limit struct{ victims, sum int64 }

var unlimited = limit{math.MaxInt64, math.MaxInt64}

// limitFrom returns the limit for a node without violations, by its first victim.
func (x *search) limitFrom(r *row, node, first int) limit {
	b, e := &x.bestScore, &r.residents[first]
	top := int64(e.Priority)
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
	start := e.Start
	if r.grouped > 0 {
		start = x.levels[x.levelOf(e.Priority)].latest.at(node, 0)
	}
	if (start < b.Start || start == b.Start && node > x.bestNode) && times(b.Pods-1, score.Weight(e.Priority)) < b.Sum {
		most.sum--
	}
	// No victim weighs less than the lightest of the table, so a sum is a number too.
	if lightest > 0 {
		most.victims = max(0, most.sum-score.Weight(e.Priority)+lightest) / lightest
	}
	return most
}

// takeFrom evicts, from the first victim on, what does not fit into the slack. It
// reports false if they are beyond the limit: as soon as those evicted are, and at once
// if so many could not make up for what is missing if each were as large as the largest.
func (x *search) takeFrom(r *row, marks []int32, violating bool, first int, most limit) bool {
	if !x.isNarrow() {
		return x.takeAny(r, marks, violating, first, most)
	}
	if marks == nil && len(x.short) <= 2 {
		return x.takePair(r, first, most)
	}
	if most.victims < math.MaxInt32 && !x.reaches(r, marks, violating, first, most.victims) {
		return false
	}
	x.begun()
	a, b, c := x.narrowed()

	// In up to three dimensions at once: where there are fewer the first stands in for
	// the others, and is tested again.
	sa, sb, sc := a.slack, b.slack, c.slack
	w := int(r.width)
	for i := first; i < len(r.residents); i++ {
		if marks != nil && (marks[i] > 0) != violating {
			continue
		}
		q := r.requests[i*w : i*w+w]
		qa, qb, qc := q[a.dim-1], q[b.dim-1], q[c.dim-1]
		if qa <= sa && qb <= sb && qc <= sc {
			sa, sb, sc = sa-qa, sb-qb, sc-qc
			continue
		}
		x.evicted = append(x.evicted, int32(i))
		most.victims--
		most.sum -= score.Weight(r.residents[i].Priority)
		if most.victims < 0 || most.sum < 0 {
			return false
		}
	}
	return true
}

// reaches reports whether so many victims could make up for what is missing, each as
// large as the largest from the first victim on.
func (x *search) reaches(r *row, marks []int32, violating bool, first int, victims int64) bool {
	a, b, c := x.narrowed()
	w := int(r.width)
	var la, lb, lc int64
	for i := first; i < len(r.residents); i++ {
		if marks == nil || (marks[i] > 0) == violating {
			q := r.requests[i*w : i*w+w]
			la, lb, lc = max(la, q[a.dim-1]), max(lb, q[b.dim-1]), max(lc, q[c.dim-1])
		}
	}
	return times(la, victims) >= a.missing && times(lb, victims) >= b.missing && times(lc, victims) >= c.missing
}

// begun counts a node as evaluated, once.
func (x *search) begun() {
	if len(x.evicted) == 0 {
		x.Stats.Evaluated++
	}
}

// takeAny is takeFrom for any dimensions, of which so many are seldom short.
func (x *search) takeAny(r *row, marks []int32, violating bool, first int, most limit) bool {
	x.begun()
	victims, sum := int64(0), int64(0)
	for i := first; i < len(r.residents); i++ {
		if marks != nil && (marks[i] > 0) != violating {
			continue
		}
		fits := true
		for j := range x.short {
			fits = fits && x.request(r, i, x.short[j].dim) <= x.short[j].slack
		}
		if fits {
			for j := range x.short {
				x.short[j].slack -= x.request(r, i, x.short[j].dim)
			}
			continue
		}
		x.evicted = append(x.evicted, int32(i))
		victims++
		sum += score.Weight(r.residents[i].Priority)
		if victims > most.victims || sum > most.sum {
			return false
		}
	}
	return true
}
