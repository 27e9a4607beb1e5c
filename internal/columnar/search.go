package columnar

import (
	"math/bits"
	"slices"

	"example.com/preemption/internal/score"
)

// search is one search under way.
type search struct {
	*Table
	*Query
	*Scratch
	// plain: arithmetic settles all but whether a node is in question. That is asked
	// first where others are to be asked too, which takes longer, and where nodes have
	// been refused.
	plain, openFirst bool
	violated         int64 // how many violations the node under evaluation takes at least
	top              int   // the highest level with residents that may go
	allMayGo         bool  // no resident has the preemptor's priority, or a higher one
	bestNode         int   // -1: none yet
	bestScore        score.Score
}

// Fits calls yield with the nodes that have room for the preemptor with no resident
// evicted, in order, until it returns false.
func (t *Table) Fits(q *Query, s *Scratch, yield func(node int) bool) {
	x := search{Table: t, Query: q, Scratch: s}
	for b := range x.blocks() {
		if !x.mayHaveEnough(&t.free, b, 0) {
			continue
		}
		for m := x.enough(&t.free, b, 0, t.free.lanesOf(b)); m != 0; m &= m - 1 {
			node := b*blockSize + bits.TrailingZeros64(m)
			if x.besideHeld(&t.free, node, 0) && !yield(node) {
				return
			}
		}
	}
}

// FitsOn reports whether one node does.
func (t *Table) FitsOn(q *Query, s *Scratch, node int) bool {
	x := search{Table: t, Query: q, Scratch: s}
	return x.enough(&t.free, node/blockSize, 0, 1<<(node%blockSize)) != 0 && x.besideHeld(&t.free, node, 0)
}

// Search returns the node that is the best to clear, -1 if none can be cleared.
// It finds the least score over all nodes, and of equals the least node.
func (t *Table) Search(q *Query, s *Scratch) (node int, found score.Score) {
	t.settle()
	x := search{Table: t, Query: q, Scratch: s, bestNode: -1, bestScore: score.Worst}
	x.begin()
	if x.top < 0 || x.hopeless() {
		return -1, score.Worst
	}
	if !x.recall() {
		x.searchAll()
		x.conclude()
	}
	return x.bestNode, x.bestScore
}

// searchAll looks for the best node, up to the top level.
func (x *search) searchAll() {
	if x.Policy.Order != nil {
		x.searchEvery()
		return
	}

	// Nodes that no bound holds for, then those that need no violation, by level: most
	// searches end with the first.
	if x.odd > 0 {
		x.searchOdd()
	}
	x.searchLevels(0)
	if x.Table.spent == 0 || x.Policy.Respect || x.bestScore.Violations == 0 {
		return
	}
	// What is left takes at least one violation. Rounds end where the best has fewer than
	// any node that is left.
	left := x.closeImpossible()
	for v := int64(1); left && v <= mostViolations && v <= x.bestScore.Violations; v++ {
		if x.anyWith(v) {
			x.searchLevels(v)
		}
	}
	if left && x.bestScore.Violations > mostViolations {
		x.searchRest()
	}
}

// mostViolations is up to how many violations nodes are sorted by their number.
// Beyond that those that are left are looked at in one go.
const mostViolations = 16

// searchLevels goes through the levels for the nodes that take at least so many
// violations. Once a level is above the best found, so are all nodes that need
// it.
func (x *search) searchLevels(violations int64) {
	for k := 0; k <= x.top; k++ {
		least := score.Score{Violations: violations, Top: int64(x.levels[k].low), Start: score.Never}
		if x.bestNode != none && least.Compare(&x.bestScore) > 0 {
			return
		}
		x.searchLevel(k, violations)
	}
}

// anyWith reports whether any node that is left could do with so many violations.
func (x *search) anyWith(violations int64) bool {
	for b := range x.blocks() {
		if p := &x.levels[x.top].clean; x.mayHaveEnough(p, b, violations) && x.enough(p, b, violations, p.lanesOf(b)&^x.closed[b]) != 0 {
			return true
		}
	}
	return false
}

// closeImpossible closes the nodes that have not enough with all residents gone up to
// the top level, whatever that violates. It reports whether any node is left.
func (x *search) closeImpossible() (left bool) {
	p := &x.levels[x.top].clean
	for b := range x.blocks() {
		mask := ^x.closed[b]
		for _, d := range x.Demands {
			if mask == 0 {
				break
			}
			mask &= atLeastTogether(&p.dims[d.Dim].cells[b], &x.spentSum.dims[d.Dim].cells[b], d.Amount)
		}
		x.closed[b] = ^mask
		left = left || mask != 0
	}
	return left
}

func (x *search) begin() {
	x.Stats = Stats{}
	x.top = x.topLevel()
	x.allMayGo = x.top >= 0 && x.top == len(x.levels)-1 && x.levels[x.top].high < x.Priority
	x.plain = x.Judge == nil && x.Blocked == nil && x.Spared == nil && !x.Policy.Best && !x.Policy.Respect
	x.openFirst = !x.plain
	x.closed = slices.Grow(x.closed[:0], x.blocks())[:x.blocks()]
	clear(x.closed)
	x.allowed = slices.Grow(x.allowed[:0], len(x.covers))[:len(x.covers)]
	clear(x.allowed)
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

// close takes a node out of the search.
func (x *search) close(node int) { x.closed[node/blockSize] |= 1 << (node % blockSize) }

// searchOdd evaluates every node where a victim's own priority is not the one it
// is ranked by: the criteria look at the former, the levels at the latter, so
// no bound holds.
func (x *search) searchOdd() {
	for node := range x.rows {
		if x.rows[node].odd > 0 && x.possible(node) {
			x.evaluate(node, 0, nil)
		}
	}
}

// hopeless reports whether in no block any node could have enough, with all
// gone up to the top level.
func (x *search) hopeless() bool {
	p := &x.levels[x.top].clean
blocks:
	for b := range x.blocks() {
		for _, d := range x.Demands {
			peak := p.dims[d.Dim].peak[b]
			if peak < d.Amount && sum(peak, x.spentSum.dims[d.Dim].peak[b]) < d.Amount {
				continue blocks
			}
		}
		return false
	}
	return true
}

// possible reports whether a node has enough with all residents gone up to the top level,
// whatever that violates.
func (x *search) possible(node int) bool {
	for _, d := range x.Demands {
		if sum(x.levels[x.top].clean.at(node, d.Dim), x.spentSum.at(node, d.Dim)) < d.Amount {
			return false
		}
	}
	return true
}

// searchLevel looks at the nodes that have enough with the clean residents up to
// level k gone, and so many violators: in one lump, however many pods they are.
// Nodes that have enough below, or with fewer violations, have been closed.
func (x *search) searchLevel(k int, violations int64) {
	l := &x.levels[k]

	// A first best, which rules out all blocks but a few at one glance if it takes no
	// more victims than a node of the level must.
	first, fewest := -1, max(violations, 1)
	if x.bestNode == none {
		b := x.mostPromising(k, violations)
		if b < 0 {
			return
		}
		if next := x.blockBound(b, k, violations); next.pods == fewest {
			first = b
			x.searchBlock(&next, k, violations)
		}
	}

	// Blocks in question, the most promising first.
	x.queue = x.queue[:0]
	latest, decides := x.latestToBeat(k, violations)
	for b := range x.blocks() {
		if decides && l.latestIn(b, violations) < x.toWin(latest, b*blockSize) {
			continue
		}
		if b == first || !x.mayHaveEnough(&l.clean, b, violations) {
			continue
		}
		p := x.blockBound(b, k, violations)
		if decides && p.pods == fewest || !decides && !x.broken(&p, k, violations) {
			x.queue = append(x.queue, p)
		}
	}
	x.queue.init()

	// Once one is worse than the best, so are all behind it.
	for len(x.queue) > 0 {
		next := x.queue.pop()
		if x.broken(&next, k, violations) {
			return
		}
		x.searchBlock(&next, k, violations)
	}
}

// mostPromising returns the first of the blocks in question whose victims may have
// started the latest, -1 if no block is in question.
func (x *search) mostPromising(k int, violations int64) int {
	l := &x.levels[k]
	first, latest := -1, int64(0)
	for b := range x.blocks() {
		start := l.latestIn(b, violations)
		if first >= 0 && start <= latest || !x.mayHaveEnough(&l.clean, b, violations) {
			continue
		}
		first, latest = b, start
	}
	return first
}

// searchBlock evaluates the nodes of a block that may be the best.
func (x *search) searchBlock(next *promise, k int, violations int64) {
	l := &x.levels[k]
	mask := l.clean.lanesOf(next.block) &^ x.closed[next.block]
	if violations == 0 {
		mask = x.withinStart(k, next, mask)
	}
	mask, decides := x.lateEnough(l, next.block, k, violations, mask)
	if decides && violations == 1 {
		mask = x.oneSpent(next.block, mask)
	} else {
		mask = x.enough(&l.clean, next.block, violations, mask)
	}
	if mask == 0 {
		return
	}
	x.Stats.Blocks++

	// The cheap questions have been asked, of all lanes at once; this one looks at the
	// largest requests of each.
	if violations == 0 {
		mask = x.withinReach(k, next, mask)
	}

	if bits.OnesCount64(mask) >= fewToFetch {
		x.fetch(next.block, mask, violations)
	}

	// The node whose victims may have started the latest comes first: often none of the
	// others can beat it then. Where the start decides, so it is with those that are left.
	lane, beaten := l.latestLane(next.block, violations, mask), none
	for mask != 0 {
		mask &^= 1 << lane
		x.Stats.Nodes++
		if node := next.block*blockSize + lane; decides && violations <= 1 && !x.oneMayDo(l, node, violations) {
			x.close(node)
		} else if x.searchNode(node, k, violations); x.bestNode != beaten {
			mask, decides = x.lateEnough(l, next.block, k, violations, mask)
			beaten = x.bestNode
		}
		if lane = bits.TrailingZeros64(mask); decides {
			lane = l.latestLane(next.block, violations, mask)
		}
	}
}

// searchNode evaluates a node of a block if it may be the best.
func (x *search) searchNode(node, k int, violations int64) {
	if !x.besideHeld(&x.levels[k].clean, node, violations) {
		return
	}

	// Where the greedy is all there is, it looks at the first victim, or at the violators,
	// before anything else, which is sooner done than a bound of the node's own.
	if x.plain {
		x.evaluate(node, violations, nil)
		return
	}
	bound := x.bound(node, k, violations)
	if x.worse(&bound, node) {
		x.close(node)
		return
	}
	x.evaluate(node, violations, &bound)
}

// searchRest looks at all nodes that are left.
func (x *search) searchRest() {
	least := score.Score{Violations: mostViolations + 1, Top: int64(x.levels[0].low), Start: score.Never}
	for b := range x.blocks() {
		for mask := ^x.closed[b]; mask != 0; mask &= mask - 1 {
			node := b*blockSize + bits.TrailingZeros64(mask)
			if node == len(x.rows) || x.worse(&least, node) {
				return
			}
			x.Stats.Nodes++
			x.evaluate(node, 0, nil)
		}
	}
}

// worse reports whether a node with such a lower bound cannot be the best.
func (x *search) worse(bound *score.Score, node int) bool {
	if x.bestNode == none {
		return false
	}
	c := bound.Compare(&x.bestScore)
	return c > 0 || c == 0 && node > x.bestNode
}

// evaluate finds out what clearing a node costs, once. It takes at least so many
// violations, and by the bound, unless that is nil, it may cost less than the best so far.
func (x *search) evaluate(node int, violations int64, bound *score.Score) {
	if x.recording() {
		x.remember(node)
		return
	}
	x.close(node)
	x.violated = violations
	if bound != nil && x.worseFrom(node, bound) {
		return
	}
	if x.openFirst && !x.isOpen(node) || x.Judge != nil && !x.Judge.Begin(node, x.hasRoom(node)) {
		return
	}
	violations, ok := x.clearNode(node)
	if ok && x.Judge != nil {
		x.refs = x.rows[node].refs(x.evicted, x.refs[:0])
		if !x.Judge.Accepts(node, x.refs, x.rows[node].grouped > 0) {
			violations, ok = x.reprieve(node, x.Judge)
		}
	}
	if !ok {
		return
	}
	found := x.score(&x.rows[node], violations)
	c := -1
	if x.bestNode != none {
		c = x.compare(&found, &x.bestScore)
	}
	idle := len(x.evicted) == 0
	if !idle && (c > 0 || c == 0 && node > x.bestNode) {
		return
	}
	if !x.openFirst && !x.isOpen(node) {
		x.openFirst = true // more will be refused, which is sooner asked than evaluated
		return
	}
	if idle {
		x.Stats.Idle++
		return
	}
	x.bestNode, x.bestScore = node, found
	x.best, x.evicted = x.evicted, x.best
}

// isOpen asks whether a node is in question at all.
func (x *search) isOpen(node int) bool { return x.Open == nil || x.Open(node) }
