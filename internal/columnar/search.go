package columnar

import "math"

// A Query asks for the best node to clear.
type Query struct {
	Priority int32 // only residents of lower priority may go
	// Demands are the dimensions in which the preemptor requests more than zero,
	// its seat among them.
	Demands []Demand
	// Open says whether a node is in question at all; it is asked at most once a
	// node. Nil: all are.
	Open func(node int) bool
	// Blocked reports whether the preemptor can not run beside a pod of the node,
	// for reasons other than the dimensions. Nil: beside all.
	Blocked func(node int, ref int32) bool
	// Self reports whether a held pod is the preemptor itself.
	Self func(ref int32) bool
	// Judge has the last word on a node that arithmetic can clear, where something
	// the table does not know has a say. It is given what arithmetic found, with the
	// evicted to be read by Evicting, and returns the true score, which must not be
	// better than what the bounds allow, and whether the node can be cleared at all.
	// Nil: arithmetic is all there is.
	Judge func(node int, score Score) (Score, bool)
}

// A Demand is an amount of more than zero in one dimension.
type Demand struct {
	Dim    int
	Amount int64
}

// Stats count the work of a search.
type Stats struct {
	Blocks    int // blocks looked into
	Nodes     int // nodes bounded
	Evaluated int // nodes evaluated
}

// Scratch is memory that searches reuse. It is used by one at a time.
type Scratch struct {
	Stats   Stats
	closed  []bool // by node: evaluated, out of question, or worse than the best
	touched []int32
	slack   []int64
	evicted []int32
	best    []int32 // residents evicted on the best node, as indices
	violate []int32 // by resident tried: pods that violate
	left    []int64 // what budgets have left during an evaluation
	charged []int32 // budgets to restore in left
	stamp   []bool
}

// search is one search under way.
type search struct {
	*Table
	*Query
	*Scratch
	bestNode  int // -1: none yet
	bestScore Score
}

// Fits calls yield with the nodes that have room for the preemptor with nobody
// evicted, in order, until it returns false.
func (t *Table) Fits(q *Query, s *Scratch, yield func(node int) bool) {
	x := search{Table: t, Query: q, Scratch: s}
	x.scan(&t.free, func(node int) bool {
		return !x.enough(t.free.at(node), node) || yield(node)
	})
}

// Search returns the node that is the best to clear, -1 if none can be cleared.
// It finds the least Score over all nodes, and of equals the least node.
func (t *Table) Search(q *Query, s *Scratch) (node int, score Score) {
	x := search{Table: t, Query: q, Scratch: s, bestNode: -1, bestScore: worst}
	x.begin()
	defer x.end()
	top := x.topLevel()
	if top < 0 || !x.possible(&t.levels[top].all) {
		return -1, worst
	}
	if t.odd > 0 {
		x.searchOdd(top)
	}
	x.searchClean(top)
	if x.bestScore.Violations > 0 && t.spent > 0 {
		x.searchSpent(top)
	}
	return x.bestNode, x.bestScore
}

func (x *search) begin() {
	x.Stats = Stats{}
	if len(x.closed) < len(x.rows) {
		x.closed = make([]bool, len(x.rows))
	}
}

func (x *search) end() {
	for _, n := range x.touched {
		x.closed[n] = false
	}
	x.touched = x.touched[:0]
}

// topLevel returns the highest level with residents that may go, -1 if none.
func (x *search) topLevel() int {
	top := -1
	for i := range x.levels {
		if x.levels[i].low < x.Priority {
			top = i
		}
	}
	return top
}

// possible reports whether any block has enough.
func (x *search) possible(p *plane) bool {
	for b := 0; b*blockSize < len(x.rows); b++ {
		if x.promising(p.peaks(b)) {
			return true
		}
	}
	return false
}

func (x *search) promising(peaks []int64) bool {
	for _, d := range x.Demands {
		if peaks[d.Dim] < d.Amount {
			return false
		}
	}
	return true
}

// scan calls visit for the nodes of a plane that have enough, skipping blocks
// that cannot have any, until it returns false.
func (x *search) scan(p *plane, visit func(node int) bool) {
	for b := 0; b*blockSize < len(x.rows); b++ {
		if !x.promising(p.peaks(b)) {
			continue
		}
		x.Stats.Blocks++
		end := min((b+1)*blockSize, len(x.rows))
		for n := b * blockSize; n < end; n++ {
			if x.promising(p.at(n)) && !visit(n) {
				return
			}
		}
	}
}

// enough reports whether a node with these amounts available has enough, beside
// the pods nominated to it.
func (x *search) enough(avail []int64, node int) bool {
	r := &x.rows[node]
	if len(r.held) == 0 {
		return true // the scan compared
	}
	for _, d := range x.Demands {
		if avail[d.Dim]-x.heldAmount(r, d.Dim) < d.Amount {
			return false
		}
	}
	return true
}

// heldAmount sums what the pods that hold their place against the preemptor
// take in one dimension.
func (x *search) heldAmount(r *row, dim int) int64 {
	sum := int64(0)
	for i, h := range r.held {
		if h.Priority < x.Priority || x.Self != nil && x.Self(h.Ref) {
			continue
		}
		if dim == Seat {
			sum++
		} else {
			sum += r.heldReqs[i*(x.dims-1)+dim-1]
		}
	}
	return sum
}

// close takes a node out of the search.
func (x *search) close(node int) {
	x.closed[node] = true
	x.touched = append(x.touched, int32(node))
}

// searchOdd evaluates every node where a victim's own priority is not the one it
// is ranked by: the criteria look at the former, the levels at the latter, so
// no bound holds.
func (x *search) searchOdd(top int) {
	p := &x.levels[top].all
	x.scan(p, func(node int) bool {
		if x.rows[node].odd > 0 && x.enough(p.at(node), node) {
			x.evaluate(node, len(x.levels))
		}
		return true
	})
}

// searchClean looks for a node that can be cleared without violating a budget,
// from the lowest level up. Once a level is above the best found, so are all
// nodes that need it.
func (x *search) searchClean(top int) {
	for k := 0; k <= top; k++ {
		l := &x.levels[k]
		if x.bestNode >= 0 && x.worse(Score{Top: int64(l.low), Start: math.MaxInt64}, math.MaxInt) {
			return
		}
		x.scan(&l.clean, func(node int) bool {
			if x.closed[node] {
				return true
			}
			x.Stats.Nodes++
			switch {
			case !x.enough(l.clean.at(node), node):
			case x.worse(x.bound(node, k), node):
				x.close(node)
			default:
				x.evaluate(node, k)
			}
			return true
		})
	}
}

// searchSpent looks at the nodes that are left: clearing them violates at least
// one budget.
func (x *search) searchSpent(top int) {
	for k := 0; k <= top; k++ {
		l := &x.levels[k]
		least := Score{Violations: 1, Top: int64(l.low), Start: math.MaxInt64}
		if x.bestNode >= 0 && x.worse(least, math.MaxInt) {
			return
		}
		x.scan(&l.all, func(node int) bool {
			if x.closed[node] {
				return true
			}
			x.Stats.Nodes++
			switch {
			case !x.enough(l.all.at(node), node):
			case x.worse(x.spentBound(node, k, top), node):
				x.close(node)
			default:
				x.evaluate(node, len(x.levels))
			}
			return true
		})
	}
}

// worse reports whether a node with such a lower bound cannot be the best.
func (x *search) worse(bound Score, node int) bool {
	c := bound.Compare(&x.bestScore)
	return c > 0 || c == 0 && node > x.bestNode && x.bestNode >= 0
}

// evaluate finds out what clearing a node costs, once.
func (x *search) evaluate(node, level int) {
	x.close(node)
	if x.Open != nil && !x.Open(node) {
		return
	}
	x.Stats.Evaluated++
	score, ok := x.greedy(node, level)
	if ok && x.Judge != nil {
		score, ok = x.Judge(node, score)
	}
	if !ok {
		return
	}
	if c := score.Compare(&x.bestScore); x.bestNode < 0 || c < 0 || c == 0 && node < x.bestNode {
		x.bestNode, x.bestScore = node, score
		x.best, x.evicted = x.evicted, x.best
	}
}
