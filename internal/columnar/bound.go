package columnar

import (
	"math"
	"math/bits"

	"example.com/preemption/internal/score"
)

// bound returns a score that is not worse than that of clearing the node, given
// that this takes at least so many violations, and that with as many the clean
// residents below level k are not enough.
//
// With more violations, or a first victim of a higher level, the score is worse
// than the bound by that criterion alone. Otherwise the first listed victim is
// of level k: victims of lower levels are not enough, whatever the violators are.
// What is missing with no resident gone has to come from residents up to level k,
// each at most as large as the largest are, so it takes as many of them as fewest
// says, each of at least the lowest priority there is. If the first victim has
// the lowest priority of the level, no victim of that priority started later
// than the latest of the level on the node; in the lowest level, if it is one
// priority, all victims have it, and the earliest of n started no later than the
// n-th latest there. With violations, victims that are no more pods than that are all
// spent, so the latest start of these bounds theirs; more pods are worse than the bound.
func (x *search) bound(node, k int, violations int64) score.Score {
	l := &x.levels[k]
	pods := max(violations, 1)
	for _, d := range x.Demands {
		if d.Dim == Seat {
			continue
		}
		// Where a difference overflows it turns negative, and the bound is too low.
		missing := x.need(node, d) - x.free.at(node, d.Dim)
		if missing > 0 && violations > 0 {
			missing -= x.spentTops.most(node, d.Dim, violations)
		}
		if missing > 0 {
			pods = max(pods, violations+l.tops.fewest(node, d.Dim, missing))
		}
	}
	if violations == 0 {
		return x.scoreOf(k, violations, pods, l.latest.at(node, l.startRank(k, pods)))
	}
	start := l.late.at(node, 0)
	if pods > violations {
		start = max(start, l.latest.at(node, 0))
	}
	return x.scoreOf(k, violations, pods, start)
}

// scoreOf returns the least score of so many pods, of which the first has a priority
// of level k.
func (x *search) scoreOf(k int, violations, pods, start int64) score.Score {
	low := x.levels[k].low
	return score.Score{
		Violations: violations,
		Top:        int64(low),
		Sum:        score.Weight(low) + (pods-1)*score.Weight(x.levels[0].low),
		Pods:       pods,
		Start:      start,
	}
}

// worseFrom reports whether a node cannot be the best, by the least important
// resident that, with those behind it, makes up for what is missing. Every set of
// victims has a member that is as important or more. So none starts with a lower
// priority, and none that starts with this one started later.
func (x *search) worseFrom(node int, bound *score.Score) bool {
	r := &x.rows[node]
	if !x.shortages(node) {
		return true
	}
	if len(x.short) == 0 {
		return false
	}
	line := everybody(r)
	first := x.cut(&line)
	if first == none {
		return true
	}
	priority, start := r.priorities[line.at(first)], r.residents[line.at(first)].start
	top := int64(priority)
	if r.grouped > 0 {
		start = score.Never // rows are not in the order of starts
	}
	if k := x.levelOf(priority); int64(x.levels[k].low) > bound.Top {
		*bound = x.bound(node, k, bound.Violations) // what held of a level below does not here
	}
	switch {
	case top < bound.Top:
		return false
	case top == bound.Top:
		bound.Start = min(bound.Start, start)
	default:
		bound.Sum += top - bound.Top
		bound.Top, bound.Start = top, start
	}
	return x.worse(bound, node)
}

// startRank returns which of the latest starts bounds the earliest start of so
// many victims.
func (l *level) startRank(k int, pods int64) int {
	if k > 0 || l.low < l.high {
		return 0
	}
	return int(min(pods, int64(len(l.latest.dims)))) - 1
}

// blockBound returns what no node of a block is better than, by bound on the block's
// extremes.
func (x *search) blockBound(block, k int, violations int64) promise {
	l := &x.levels[k]
	pods := max(violations, 1)
	for _, d := range x.Demands {
		if d.Dim == Seat {
			continue
		}
		missing := d.Amount - x.free.dims[d.Dim].peak[block]
		if missing > 0 && violations > 0 {
			missing -= x.spentTops.mostIn(block, d.Dim, violations)
		}
		if missing > 0 {
			pods = max(pods, violations+l.tops.fewestIn(block, d.Dim, missing))
		}
	}
	if violations == 0 {
		return promise{pods, l.latest.dims[l.startRank(k, pods)].peak[block], block}
	}
	start := l.late.dims[0].peak[block]
	if pods > violations {
		start = max(start, l.latest.dims[0].peak[block])
	}
	return promise{pods, start, block}
}

// broken reports whether a block has no node that can be the best.
func (x *search) broken(p *promise, k int, violations int64) bool {
	bound := x.scoreOf(k, violations, p.pods, p.start)
	return x.worse(&bound, p.block*blockSize)
}

// latestToBeat returns the start that a block's latest has to be beyond where the best
// so far is as good as a node of the level can be by all that comes before the
// start; otherwise it does not decide.
func (x *search) latestToBeat(k int, violations int64) (latest int64, decides bool) {
	best := &x.bestScore
	can := x.scoreOf(k, violations, max(violations, 1), best.Start)
	can.Highest = best.Highest
	return best.Start, x.bestNode != none && *best == can
}

// latestIn returns the latest start that bounds those of victims in a block, of as many
// pods as violations where there are some.
func (l *level) latestIn(block int, violations int64) int64 {
	if violations > 0 {
		return l.late.dims[0].peak[block]
	}
	return l.latest.dims[0].peak[block]
}

// latestOf is the same by node.
func (l *level) latestOf(block int, violations int64) *lanes {
	if violations > 0 {
		return &l.late.dims[0].cells[block]
	}
	return &l.latest.dims[0].cells[block]
}

// latestLane returns which of the nodes of a mask has the latest of these starts, the
// first of equals.
func (l *level) latestLane(block int, violations int64, mask uint64) int {
	starts := l.latestOf(block, violations)
	late := bits.TrailingZeros64(mask)
	for m := mask; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); starts[lane] > starts[late] {
			late = lane
		}
	}
	return late
}

// lateEnough narrows nodes of a block down to those whose victims may have started
// late enough, where the start decides, and reports whether it does.
func (x *search) lateEnough(l *level, block, k int, violations int64, mask uint64) (late uint64, decides bool) {
	latest, decides := x.latestToBeat(k, violations)
	if !decides {
		return mask, false
	}
	return x.winning(mask, l.latestOf(block, violations), latest, block), true
}

// oneMayDo reports whether a node has a resident of the level's lowest priority, spent if
// it has to violate and not otherwise, that started late enough to beat the best and makes
// up for all that is missing. Where the start decides among nodes with one victim, no other
// node can be the best.
func (x *search) oneMayDo(l *level, node int, violations int64) bool {
	r, start := &x.rows[node], x.toWin(x.bestScore.Start, node)
	for i := len(r.priorities) - 1; i >= 0; i-- {
		if r.priorities[i] > l.low {
			return false
		}
		e := &r.residents[i]
		if r.priorities[i] == l.low && e.start >= start && x.makesUp(r, node, i) && x.isSpent(e) == (violations > 0) {
			return true
		}
	}
	return false
}

// makesUp reports whether a resident by itself makes up for all that is missing.
func (x *search) makesUp(r *row, node, i int) bool {
	for _, d := range x.Demands {
		if x.free.at(node, d.Dim)+x.request(r, i, d.Dim) < x.need(node, d) {
			return false
		}
	}
	return true
}

// oneSpent returns which nodes of a mask have enough without their largest spent resident
// alone: fewer than enough returns, for which clean ones may go beside it.
func (x *search) oneSpent(block int, mask uint64) uint64 {
	for _, d := range x.Demands {
		if d.Dim != Seat && mask != 0 {
			mask = madeUpIn(mask, &x.free.dims[d.Dim].cells[block], x.spentTops.lanes(block, d.Dim, 0), d.Amount, 1)
		}
	}
	return mask
}

// toWin returns the start that beats a start of the best, on a node and those behind it:
// behind the best a tie is lost.
func (x *search) toWin(start int64, node int) int64 {
	if node > x.bestNode && start < score.Never {
		start++
	}
	return start
}

// winning returns which nodes of a mask have a start that beats one of the best.
func (x *search) winning(mask uint64, starts *lanes, start int64, block int) uint64 {
	first := block * blockSize
	mask = atLeastIn(mask, starts, x.toWin(start, first))
	if lane := x.bestNode - first; 0 <= lane && lane < blockSize {
		before := uint64(1)<<lane - 1
		mask = mask&before | atLeastIn(mask&^before, starts, x.toWin(start, x.bestNode+1))
	}
	return mask
}

// withinStart narrows nodes of a block down to those whose victims may have started
// late enough to win by that, if only the start can tell a node from the best and none
// of the block may do with fewer victims.
func (x *search) withinStart(k int, of *promise, mask uint64) uint64 {
	if most := x.mostVictims(k); of.pods >= most && x.startTells(k, most) {
		return x.lateOf(k, of, mask, most)
	}
	return mask
}

// startTells reports whether a node with as many victims as there may be costs as much
// as the best so far but for the start: all are of one priority.
func (x *search) startTells(k int, most int64) bool {
	l := &x.levels[k]
	return k == 0 && l.low == l.high && most == x.bestScore.Pods && x.bestScore.Sum == times(score.Weight(l.low), most)
}

// lateOf returns which nodes have so many victims that started late enough.
func (x *search) lateOf(k int, of *promise, mask uint64, victims int64) uint64 {
	l := &x.levels[k]
	return x.winning(mask, &l.latest.dims[l.startRank(k, victims)].cells[of.block], x.bestScore.Start, of.block)
}

// withinReach narrows nodes of a block down to those that could make up what is
// missing with no more victims than the best so far has: with more, their sum is
// greater. With as many they have to have started late enough, if that is all
// that can tell them apart.
func (x *search) withinReach(k int, of *promise, mask uint64) uint64 {
	most := x.mostVictims(k)
	if most == math.MaxInt64 {
		return mask
	}
	if !x.startTells(k, most) {
		return x.withinSum(k, of, mask, most) // as many victims might still have a lower sum, or fewer pods
	}
	l := &x.levels[k]
	late := x.lateOf(k, of, mask, most)
	early := mask &^ late
	if late = x.reachable(&x.free, l, of.block, late, most); of.pods < most {
		late |= x.reachable(&x.free, l, of.block, early, most-1)
	}
	return late
}

// withinSum does so by the sum. Nodes that need as many victims as there may be
// have only so many of them in the level itself: those make up for what is missing
// with all below the level gone.
func (x *search) withinSum(k int, of *promise, mask uint64, most int64) uint64 {
	l := &x.levels[k]
	mask = x.reachable(&x.free, l, of.block, mask, most)
	if k == 0 || mask == 0 || x.bestScore.Top != int64(l.low) {
		return mask
	}
	var fewer uint64
	if of.pods < most {
		fewer = x.reachable(&x.free, l, of.block, mask, most-1)
	}
	lowest := x.levels[0].low
	above := (x.bestScore.Sum - most*score.Weight(lowest)) / (int64(l.low) - int64(lowest))
	return fewer | x.reachable(&x.levels[k-1].clean, l, of.block, mask&^fewer, above)
}

// reachable returns which nodes could make up with so many victims for what is
// missing beyond what they have.
func (x *search) reachable(have *plane, l *level, block int, mask uint64, victims int64) uint64 {
	within := reachOf(victims)
	for _, d := range x.Demands {
		if d.Dim == Seat || mask == 0 {
			continue
		}
		largest := l.tops.lanes(block, d.Dim, within.index)
		mask = madeUpIn(mask, &have.dims[d.Dim].cells[block], largest, d.Amount, within.factor)
	}
	return mask
}

// madeUpIn returns in which lanes of a mask the largest make up for what is
// missing.
func madeUpIn(mask uint64, have *lanes, largest *topLanes, amount int64, factor float32) uint64 {
	if bits.OnesCount64(mask) > denseLanes {
		return mask & madeUp(have, largest, amount, factor)
	}
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if float32(amount-have[i]) > largest[i]*factor {
			mask &^= 1 << i
		}
	}
	return mask
}

// madeUp returns in which lanes the largest make up for what is missing.
func madeUp(free *lanes, largest *topLanes, amount int64, factor float32) uint64 {
	var short uint64
	for i := blockSize - 4; i >= 0; i -= 4 {
		x, top := (*[4]int64)(free[i:]), (*[4]float32)(largest[i:])
		short = pushNegative(short, float32(top[3]*factor)-float32(amount-x[3]))
		short = pushNegative(short, float32(top[2]*factor)-float32(amount-x[2]))
		short = pushNegative(short, float32(top[1]*factor)-float32(amount-x[1]))
		short = pushNegative(short, float32(top[0]*factor)-float32(amount-x[0]))
	}
	return ^short
}

// pushNegative moves the bits of a word up by one and puts in the sign of a difference:
// that of equals is positive.
func pushNegative(word uint64, difference float32) uint64 {
	return word<<1 | uint64(math.Float32bits(difference)>>31)
}

// mostVictims returns how many victims a node that needs level k may have to be
// as good as the best so far.
func (x *search) mostVictims(k int) int64 {
	l := &x.levels[k]
	lightest := score.Weight(x.levels[0].low)
	if x.bestNode == none || x.bestScore.Violations > 0 || x.bestScore.Top != int64(l.low) || lightest == 0 {
		return math.MaxInt64
	}
	return (x.bestScore.Sum-score.Weight(l.low))/lightest + 1
}
