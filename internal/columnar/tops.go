package columnar

import (
	"math"
	"slices"
)

// topCounts are the numbers n for which the tops keep the sum of the n largest
// requests: they bound how many residents it takes to make up for an amount.
var topCounts = [...]int{1, 2, 3, 4, 6, 8, 12, 16}

// tops holds, for every node and every dimension but the seats, sums of the
// largest requests among some residents, a little rounded up: as many bits as a
// bound needs, in half the memory of the sums.
//
// Invariant: no sum is less than the exact one, and unless the tops are loose a peak is
// the largest of its block. So a bound that is computed from them is never too high.
type tops struct {
	nodes int
	dims  []sums // the seats left out
	loose bool   // the peaks are left to settle
}

// sums are the tops in one dimension. What a block has of topCounts[i] is at
// block×len(topCounts) + i.
type sums struct {
	cells []topLanes
	peak  []float32
}

// topLanes are the sums of one number of the largest requests, in a block.
type topLanes [blockSize]float32

// roundUp makes up for what float32 loses, of the sum and of what it is compared
// with.
const roundUp = 1 + 1.0/(1<<20)

func newTops(dims, nodes int) tops {
	t := tops{nodes: nodes, dims: make([]sums, 0, dims)}
	for range dims - 1 {
		t.widen()
	}
	return t
}

// widen adds a dimension, of nothing.
func (t *tops) widen() {
	n := blocksOf(t.nodes) * len(topCounts)
	t.dims = append(t.dims, sums{make([]topLanes, n), make([]float32, n)})
}

// Peaks are kept as those of planes are: at once, or left to settle while many lanes
// are written.

// settle finds the peaks of the blocks in a range, after lanes were written directly.
func (t *tops) settle(from, to int) {
	for i := range t.dims {
		s := &t.dims[i]
		cells, peaks := s.cells[from*len(topCounts):to*len(topCounts)], s.peak[from*len(topCounts):]
		for c := range cells {
			peaks[c] = cells[c].max()
		}
	}
}

func (l *topLanes) max() float32 {
	m := l[0]
	for _, x := range l[1:] {
		if x > m {
			m = x
		}
	}
	return m
}

func (t *tops) grow() {
	if t.nodes%blockSize == 0 {
		for i := range t.dims {
			s := &t.dims[i]
			s.cells = append(s.cells, make([]topLanes, len(topCounts))...)
			s.peak = append(s.peak, make([]float32, len(topCounts))...)
		}
	}
	t.nodes++
}

// lanes returns the sums of topCounts[i] in a block, in one dimension; peak the
// largest of them.
func (t *tops) lanes(block, dim, i int) *topLanes {
	return &t.dims[dim-1].cells[block*len(topCounts)+i]
}

func (t *tops) peak(block, dim, i int) float32 {
	return t.dims[dim-1].peak[block*len(topCounts)+i]
}

// set takes the largest requests of a node in one dimension, largest first.
func (t *tops) set(node, dim int, largest []int64) {
	// Each sum goes on where the one before it ends.
	sum, next := 0.0, 0
	first, lane := node/blockSize*len(topCounts), node%blockSize
	for i, n := range topCounts {
		for ; next < n && next < len(largest); next++ {
			sum += float64(largest[next])
		}
		if x := float32(sum * roundUp); t.loose {
			t.dims[dim-1].cells[first+i][lane] = x
		} else {
			t.put(dim, first+i, lane, x)
		}
	}
}

// enter puts an amount in its place among the largest, largest first, of which
// as many are kept as sums need.
func enter(largest []int64, request int64) []int64 {
	const most = 16 // topCounts' last
	if len(largest) < most {
		largest = append(largest, request)
	} else if request <= largest[most-1] {
		return largest
	}
	i := len(largest) - 1
	for ; i > 0 && largest[i-1] < request; i-- {
		largest[i] = largest[i-1]
	}
	largest[i] = request
	return largest
}

// copyFrom copies what another one knows of a node.
func (t *tops) copyFrom(o *tops, node int) {
	first, lane := node/blockSize*len(topCounts), node%blockSize
	for d := range t.dims {
		for c := first; c < first+len(topCounts); c++ {
			t.put(d+1, c, lane, o.dims[d].cells[c][lane])
		}
	}
}

func (t *tops) put(dim, c, lane int, x float32) {
	s := &t.dims[dim-1]
	cell := &s.cells[c][lane]
	old := *cell
	*cell = x
	if x >= s.peak[c] {
		s.peak[c] = x
	} else if old == s.peak[c] {
		s.peak[c] = s.cells[c].max()
	}
}

// remove drops a node; those behind it move up.
func (t *tops) remove(node int) {
	last := t.nodes - 1
	t.nodes--
	n := blocksOf(t.nodes) * len(topCounts)
	at := func(s *sums, node, i int) *float32 {
		return &s.cells[node/blockSize*len(topCounts)+i][node%blockSize]
	}
	for d := range t.dims {
		s := &t.dims[d]
		for i := range topCounts {
			for k := node; k < last; k++ {
				*at(s, k, i) = *at(s, k+1, i)
			}
			*at(s, last, i) = 0
		}
		s.cells, s.peak = s.cells[:n], s.peak[:n]
	}
	t.settle(node/blockSize, blocksOf(t.nodes))
}

// copyBlock copies what another one knows of a block.
func (t *tops) copyBlock(o *tops, block int) {
	from, to := block*len(topCounts), (block+1)*len(topCounts)
	for i := range t.dims {
		copy(t.dims[i].cells[from:to], o.dims[i].cells[from:to])
	}
}

func (t *tops) clone() tops {
	c := *t
	c.dims = slices.Clone(t.dims)
	for i := range c.dims {
		s := &c.dims[i]
		s.cells, s.peak = slices.Clone(s.cells), slices.Clone(s.peak)
	}
	return c
}

// A reach says which column bounds what so many residents can make available: no
// more than factor times the column, since the average of the n largest falls
// with n.
type reach struct {
	index  int
	factor float32
}

// reachOf returns the reach of so many residents, one at least.
func reachOf(count int64) reach {
	// The largest number that is kept and not above the count. Up to the last of them
	// they are so close to each other that the next larger one bounds no better.
	for i := len(topCounts) - 1; ; i-- {
		n := int64(topCounts[i])
		if n > count {
			continue
		}
		return reach{i, float32(float64(count) / float64(n) * roundUp)}
	}
}

// most returns at least as much as so many of the node's residents take in one
// dimension; mostIn the same of any node of a block, by its peaks.
func (t *tops) most(node, dim int, count int64) int64 {
	r := reachOf(count)
	return r.of(t.lanes(node/blockSize, dim, r.index)[node%blockSize])
}

func (t *tops) mostIn(block, dim int, count int64) int64 {
	r := reachOf(count)
	return r.of(t.peak(block, dim, r.index))
}

// of returns at least as much as is within reach, by a column: what is left of a whole
// number that is rounded up is no less.
func (r reach) of(column float32) int64 {
	sum := float64(column) * float64(r.factor) * roundUp
	if sum >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(sum)
}

// The other way round: how many it takes for an amount. docs/engine.md, bound, has the
// proof: the sums are concave in their number.

// fewest returns a number of the node's residents that it takes at least to make
// up what is missing in one dimension, more than zero; fewestIn one that it takes
// on any node of a block, by its peaks.
func (t *tops) fewest(node, dim int, missing int64) int64 {
	// Numbers that are not enough are gone through, to the first that may be.
	f := newFewest(missing)
	for i := range topCounts {
		if f.enough(i, t.lanes(node/blockSize, dim, i)[node%blockSize]) {
			break
		}
	}
	return f.least
}

func (t *tops) fewestIn(block, dim int, missing int64) int64 {
	f := newFewest(missing)
	for i := range topCounts {
		if f.enough(i, t.peak(block, dim, i)) {
			break
		}
	}
	return f.least
}

// fewest counts how many residents it takes at least to make up for an amount.
type fewest struct {
	want  float64
	least int64
}

func newFewest(missing int64) fewest { return fewest{float64(missing), 1} }

// enough takes note of the sum of the topCounts[i] largest. It reports whether it
// may be enough.
func (f *fewest) enough(i int, sum float32) bool {
	have, n := float64(sum), topCounts[i]
	if have >= f.want || have == 0 {
		return true
	}
	// More than n, and since the average of the largest falls with their number, as
	// many as it takes at this average.
	f.least = max(int64(n)+1, int64(math.Ceil(f.want/have*float64(n)/roundUp)))
	return false
}
