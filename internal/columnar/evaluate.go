package columnar

import (
	"math"
	"slices"
)

// greedy is the reprieve in arithmetic: with all residents of lower priority
// gone, those whose eviction violates a budget are put back first, then the
// others, each most important first; what does not fit any more is evicted. The
// indices of the evicted are left in x.evicted. It reports whether the node can
// be cleared at all.
//
// The level says that evicting the clean residents up to it is enough; if
// nothing else has a say, those above it all stay (theory: the highest victim
// is the least priority that suffices), and only the rest needs looking at.
func (x *search) greedy(node, level int) (Score, bool) {
	r := &x.rows[node]
	from := r.below(x.Priority)
	if from == len(r.residents) {
		return Score{}, false
	}
	x.slack = x.slack[:0]
	covered := r.covered > 0
	if !covered && x.Blocked == nil && level < len(x.levels) && x.levels[level].high < x.Priority {
		l := &x.levels[level]
		from = r.below(l.high + 1)
		avail := l.clean.at(node)
		for _, d := range x.Demands {
			x.slack = append(x.slack, avail[d.Dim]-x.need(r, d))
		}
	} else {
		free := x.free.at(node)
		for _, d := range x.Demands {
			x.slack = append(x.slack, free[d.Dim]-x.need(r, d)+x.evictable(r, from, d.Dim))
		}
	}
	for _, s := range x.slack {
		if s < 0 {
			return Score{}, false
		}
	}
	x.evicted = x.evicted[:0]
	if !covered {
		for i := from; i < len(r.residents); i++ {
			x.putBack(r, node, i)
		}
		return x.score(r, 0), x.cleared()
	}
	violations := x.classify(r, from)
	total := int64(0)
	for i := from; i < len(r.residents); i++ {
		if v := violations[i-from]; v > 0 && !x.putBack(r, node, i) {
			total += int64(v)
		}
	}
	for i := from; i < len(r.residents); i++ {
		if violations[i-from] == 0 {
			x.putBack(r, node, i)
		}
	}
	slices.Sort(x.evicted)
	return x.score(r, total), x.cleared()
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

// evictable sums what the residents from an index on take in one dimension.
func (x *search) evictable(r *row, from, dim int) int64 {
	sum := int64(0)
	w := x.dims - 1
	for i := from; i < len(r.residents); i++ {
		if dim == Seat {
			sum += int64(r.residents[i].Seats)
		} else {
			sum += r.requests[i*w+dim-1]
		}
	}
	return sum
}

// putBack keeps resident i if the preemptor still fits beside it; if not it is
// evicted.
func (x *search) putBack(r *row, node, i int) bool {
	requests := r.requests[i*(x.dims-1):]
	for j, d := range x.Demands {
		q := int64(r.residents[i].Seats)
		if d.Dim != Seat {
			q = requests[d.Dim-1]
		}
		if q > x.slack[j] {
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
			x.slack[j] -= int64(r.residents[i].Seats)
		} else {
			x.slack[j] -= requests[d.Dim-1]
		}
	}
	return true
}

// classify charges the budgets for the residents from an index on, most
// important first, and returns how many pods of each violate one.
func (x *search) classify(r *row, from int) []int32 {
	if len(x.left) != len(x.Budgets) {
		x.left, x.stamp = make([]int64, len(x.Budgets)), make([]bool, len(x.Budgets))
	}
	x.violate = x.violate[:0]
	for i := from; i < len(r.residents); i++ {
		n := int32(0)
		if ref := r.residents[i].Ref; ref < 0 {
			for _, cover := range x.Units[^ref].Covers {
				n += x.charge(cover)
			}
		} else if cover := r.residents[i].Cover; cover >= 0 {
			n = x.charge(cover)
		}
		x.violate = append(x.violate, n)
	}
	for _, b := range x.charged {
		x.stamp[b] = false
	}
	x.charged = x.charged[:0]
	return x.violate
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
func (x *search) score(r *row, violations int64) Score {
	s := Score{Violations: violations, Top: math.MinInt64, Start: notEarlier}
	top := int64(math.MinInt64)
	for n, i := range x.evicted {
		e := &r.residents[i]
		first, highest, start := e.Priority, e.Priority, e.Start
		sum, pods := weight(e.Priority), int64(1)
		if e.Ref < 0 {
			u := &x.Units[^e.Ref]
			first, highest, start, sum, pods = u.First, u.Top, u.TopStart, u.Sum, int64(u.Pods)
		}
		if n == 0 {
			s.Top = int64(first)
		}
		s.Sum += sum
		s.Pods += pods
		if int64(highest) > top {
			top, s.Start = int64(highest), start
		} else if int64(highest) == top {
			s.Start = min(s.Start, start)
		}
	}
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
