package columnar

import (
	"math"
	"math/bits"
)

// lanesOf returns the lanes of a block that have nodes.
func (p *plane) lanesOf(block int) uint64 { return ^uint64(0) >> (blockSize - p.inBlock(block)) }

// enough returns which of the nodes of a mask have what is demanded, where violations
// add as much as that many of the largest violators take. Seats are then left
// aside.
func (x *search) enough(p *plane, block int, violations int64, mask uint64) uint64 {
	within := reach{}
	if violations > 0 {
		within = reachOf(violations)
	}
	for _, d := range x.Demands {
		have := &p.dims[d.Dim]
		switch {
		case mask == 0:
			return 0
		case have.trough[block] >= d.Amount:
		case violations == 0:
			mask = atLeastIn(mask, &have.cells[block], d.Amount)
		case d.Dim != Seat:
			mask = madeUpIn(mask, &have.cells[block], x.spentTops.lanes(block, d.Dim, within.index), d.Amount, within.factor)
		}
	}
	return mask
}

// denseLanes is from how many lanes on it is faster to compute all of a block
// without branches than those asked for one by one.
const denseLanes = 16

// atLeastIn returns which lanes of a mask hold at least the amount.
func atLeastIn(mask uint64, l *lanes, amount int64) uint64 {
	if bits.OnesCount64(mask) > denseLanes {
		return mask & atLeast(l, amount)
	}
	for m := mask; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros64(m); l[i] < amount {
			mask &^= 1 << i
		}
	}
	return mask
}

// atLeast returns which lanes hold at least the amount.
func atLeast(l *lanes, amount int64) uint64 {
	var short uint64
	for i := blockSize - 4; i >= 0; i -= 4 {
		x := (*[4]int64)(l[i:])
		short = pushLess(short, x[3], amount)
		short = pushLess(short, x[2], amount)
		short = pushLess(short, x[1], amount)
		short = pushLess(short, x[0], amount)
	}
	return ^short
}

// atLeastTogether does so with what other lanes hold added, which is not negative.
func atLeastTogether(l, o *lanes, amount int64) uint64 {
	var short uint64
	for i := blockSize - 1; i >= 0; i-- {
		short = pushLess(short, l[i], amount-o[i])
	}
	return ^short
}

// pushLess moves the bits of a word up by one and puts in whether a is less than b. The
// borrow of a subtraction is the carry of an addition: two instructions for a lane, and
// no branch.
func pushLess(word uint64, a, b int64) uint64 {
	const sign = 1 << 63 // flipped, the order of numbers is that of words
	_, less := bits.Sub64(uint64(a)^sign, uint64(b)^sign, 0)
	word, _ = bits.Add64(word, word, less)
	return word
}

// times multiplies amounts that are not negative, and stops at the largest.
func times(a, n int64) int64 {
	if a > 0 && n > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * n
}

// sum adds b, which is not negative, and stops at the largest.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// mayHaveEnough reports by its peaks whether a block is worth a look lane by lane.
func (x *search) mayHaveEnough(p *plane, block int, violations int64) bool {
	within := reach{}
	if violations > 0 {
		within = reachOf(violations)
	}
	for _, d := range x.Demands {
		peak := p.dims[d.Dim].peak[block]
		switch {
		case peak >= d.Amount:
		case violations == 0:
			return false
		case d.Dim != Seat && d.Amount-peak > within.of(x.spentTops.peak(block, d.Dim, within.index)):
			return false
		}
	}
	return true
}

// hasRoom reports whether a node has room with no resident evicted.
func (x *search) hasRoom(node int) bool {
	for _, d := range x.Demands {
		if x.free.at(node, d.Dim) < d.Amount {
			return false
		}
	}
	return x.besideHeld(&x.free, node, 0)
}
