package columnar

import (
	"math"
	"slices"

	"example.com/preemption/internal/score"
)

// greedy is the reprieve in arithmetic: with all residents of lower priority
// gone, those whose eviction violates a budget are put back first, then the
// others, each most important first; what does not fit any more is evicted. The
// indices of the evicted are left in x.evicted, most important first. It reports
// whether the node can be cleared at all, and may report that it cannot where it
// is plain that it would not be the best.
func (x *search) greedy(node, level int) (score.Score, bool) {
	r := &x.rows[node]
	if n := len(r.residents); n == 0 || r.residents[n-1].Priority >= x.Priority {
		return score.Score{}, false // nobody may go
	}
	x.evicted = x.evicted[:0]
	violators := x.classify(r)
	if x.Blocked == nil && level < len(x.levels) && x.levels[level].high < x.Priority {
		if found, ok, done := x.greedyFrom(node, level, violators); done {
			return found, ok
		}
	}
	from := r.below(x.Priority)
	x.slack = x.slack[:0]
	for _, d := range x.Demands {
		s := x.emptied(node, from, d.Dim) - x.need(r, d)
		if s < 0 {
			return score.Score{}, false
		}
		x.slack = append(x.slack, s)
	}
	violations := int64(0)
	most := int64(math.MaxInt64)
	if x.Judge == nil { // which might come to fewer violations
		most = x.bestScore.Violations
	}
	for _, v := range violators {
		if !x.putBack(r, node, int(v.index)) {
			if violations += int64(v.pods); violations > most {
				return score.Score{}, false
			}
		}
	}
	next := 0
	for i := from; i < len(r.residents); i++ {
		if next < len(violators) && int(violators[next].index) == i {
			next++
			continue
		}
		x.putBack(r, node, i)
	}
	slices.Sort(x.evicted)
	return x.score(r, violations), x.cleared()
}

// greedyFrom is greedy where evicting residents up to a level suffices with all
// violators back: then no budget is violated, and everybody above the level
// stays, since the first listed victim has the least priority that suffices. It
// reports whether that is so; if not, nothing is done.
func (x *search) greedyFrom(node, level int, violators []violator) (found score.Score, ok, done bool) {
	r := &x.rows[node]
	l := &x.levels[level]
	from := int(l.from[node])
	x.slack = x.slack[:0]
	for _, d := range x.Demands {
		s := l.clean.at(node, d.Dim) - x.need(r, d)
		for _, v := range violators {
			// A violator that surely violates is not evicted in the clean plane.
			if int(v.index) >= from && !x.isSpent(&r.residents[v.index]) {
				s -= x.request(r, int(v.index), d.Dim)
			}
		}
		if s < 0 {
			return score.Score{}, false, false
		}
		x.slack = append(x.slack, s)
	}
	limit := int64(math.MaxInt64)
	if x.Judge == nil { // which might come to fewer victims, if to others
		limit = x.mostVictims(level)
	}
	next := 0
	for i := from; i < len(r.residents); i++ {
		for next < len(violators) && int(violators[next].index) < i {
			next++
		}
		if next < len(violators) && int(violators[next].index) == i {
			continue // back already
		}
		if !x.putBack(r, node, i) && int64(len(x.evicted)) > limit {
			return score.Score{}, false, true
		}
	}
	return x.score(r, 0), x.cleared(), true
}

// cleared reports whether there is something to clear. Where Judge has a say it
// may find that something has to go although arithmetic finds nothing.
func (x *search) cleared() bool { return len(x.evicted) > 0 || x.Judge != nil }

// need is what has to be available in one dimension: the demand and what
// nominated pods hold.
func (x *search) need(r *row, d Demand) int64 {
	if len(r.held) == 0 {
		return d.Amount
	}
	return d.Amount + x.heldAmount(r, d.Dim)
}

// request is what resident i takes in one dimension.
func (t *Table) request(r *row, i, dim int) int64 {
	if dim == Seat {
		if r.grouped == 0 {
			return 1
		}
		return int64(r.residents[i].Seats)
	}
	return r.requests[i*(t.dims-1)+dim-1]
}

// emptied is what is available in one dimension with all residents from an index
// on gone.
func (x *search) emptied(node, from, dim int) int64 {
	if from == 0 {
		return x.levels[len(x.levels)-1].clean.at(node, dim) + x.spentSum.at(node, dim)
	}
	sum := x.free.at(node, dim)
	r := &x.rows[node]
	for i := from; i < len(r.residents); i++ {
		sum += x.request(r, i, dim)
	}
	return sum
}

// putBack keeps resident i if the preemptor still fits beside it; if not it is
// evicted.
func (x *search) putBack(r *row, node, i int) bool {
	requests := r.requests[i*(x.dims-1) : (i+1)*(x.dims-1)]
	seats := int64(1)
	if r.grouped > 0 {
		seats = int64(r.residents[i].Seats)
	}
	slack := x.slack[:len(x.Demands)]
	for j, d := range x.Demands {
		q := seats
		if d.Dim != Seat {
			q = requests[d.Dim-1]
		}
		if q > slack[j] {
			x.evicted = append(x.evicted, int32(i))
			return false
		}
	}
	if x.Blocked != nil && x.Blocked(node, r.residents[i].Ref) {
		x.evicted = append(x.evicted, int32(i))
		return false
	}
	for j, d := range x.Demands {
		if d.Dim == Seat {
			slack[j] -= seats
		} else {
			slack[j] -= requests[d.Dim-1]
		}
	}
	return true
}

// A violator is a resident whose eviction violates a budget, and how many of its
// pods do.
type violator struct {
	index, pods int32
}

// classify charges the budgets for the residents that may go, most important
// first, and returns those that violate one.
func (x *search) classify(r *row) []violator {
	x.violators = x.violators[:0]
	if len(r.covered) == 0 {
		return nil
	}
	if len(x.left) != len(x.Budgets) {
		x.left, x.stamp = make([]int64, len(x.Budgets)), make([]bool, len(x.Budgets))
	}
	for c := len(r.covered) - 1; c >= 0; c-- {
		i := r.covered[c]
		e := &r.residents[i]
		if e.Priority >= x.Priority {
			continue
		}
		pods := int32(0)
		if e.Ref < 0 {
			for _, cover := range x.Units[^e.Ref].Covers {
				pods += x.charge(cover)
			}
		} else {
			pods = x.charge(e.Cover)
		}
		if pods > 0 {
			x.violators = append(x.violators, violator{i, pods})
		}
	}
	for _, b := range x.charged {
		x.stamp[b] = false
	}
	x.charged = x.charged[:0]
	return x.violators
}

// charge takes one disruption from the budgets over a pod and returns 1 if that
// overdraws one.
func (x *search) charge(cover int32) int32 {
	violates := int32(0)
	for _, b := range x.Covers[cover] {
		if !x.stamp[b] {
			x.stamp[b] = true
			x.charged = append(x.charged, b)
			x.left[b] = x.Budgets[b]
		}
		if x.left[b]--; x.left[b] < 0 {
			violates = 1
			if !x.chargeAll {
				break
			}
		}
	}
	return violates
}

// score adds up what the evicted cost. They are in order of importance.
func (x *search) score(r *row, violations int64) score.Score {
	s := score.None
	for _, i := range x.evicted {
		if e := &r.residents[i]; e.Ref < 0 {
			s.Add(&x.Units[^e.Ref].Cost)
		} else {
			s.AddPod(e.Priority, e.Start)
		}
	}
	s.Violations = violations
	return s
}

// Evicted appends the references of the residents that the last Search evicts on
// its best node, most important first.
func (t *Table) Evicted(node int, s *Scratch, refs []int32) []int32 {
	return t.refs(node, s.best, refs)
}

// Evicting does the same, while a Search is under way, for the node that Judge
// is asked about.
func (t *Table) Evicting(node int, s *Scratch, refs []int32) []int32 {
	return t.refs(node, s.evicted, refs)
}

func (t *Table) refs(node int, indices, refs []int32) []int32 {
	for _, i := range indices {
		refs = append(refs, t.rows[node].residents[i].Ref)
	}
	return refs
}

// Grouped reports whether units have a share on the node.
func (t *Table) Grouped(node int) bool { return t.rows[node].grouped > 0 }
