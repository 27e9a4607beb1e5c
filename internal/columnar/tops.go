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
// bound needs.
type tops struct {
	dims  int // without the seats
	nodes int
	cells [][blockSize]float32 // (block×dims + dim-1)×len(topCounts) + index of topCounts
	peak  []float32
	loose bool // the peaks are left to settle
}

// roundUp makes up for what float32 loses, of the sum and of what it is compared
// with.
const roundUp = 1 + 1.0/(1<<20)

func newTops(dims, nodes int) tops {
	n := (nodes + blockSize - 1) / blockSize * (dims - 1) * len(topCounts)
	return tops{dims: dims - 1, nodes: nodes, cells: make([][blockSize]float32, n), peak: make([]float32, n)}
}

// wider returns a copy with one more dimension, of nothing.
func (t *tops) wider() tops {
	wide := newTops(t.dims+2, t.nodes)
	from, to := t.dims*len(topCounts), wide.dims*len(topCounts)
	for b := range (t.nodes + blockSize - 1) / blockSize {
		copy(wide.cells[b*to:], t.cells[b*from:(b+1)*from])
		copy(wide.peak[b*to:], t.peak[b*from:(b+1)*from])
	}
	return wide
}

// settle finds the peaks of all blocks, after cells were written directly.
func (t *tops) settle() {
	t.loose = false
	for c := range t.cells {
		t.peak[c] = slices.Max(t.cells[c][:])
	}
}

func (t *tops) grow() {
	if t.nodes%blockSize == 0 {
		n := t.dims * len(topCounts)
		t.cells = append(t.cells, make([][blockSize]float32, n)...)
		t.peak = append(t.peak, make([]float32, n)...)
	}
	t.nodes++
}

// column returns the place of a node's block in one dimension, for the sums of
// topCounts[i].
func (t *tops) column(block, dim, i int) int {
	return (block*t.dims+dim-1)*len(topCounts) + i
}

// set takes the largest requests of a node in one dimension, largest first.
func (t *tops) set(node, dim int, largest []int64) {
	sum, next := 0.0, 0
	for i, n := range topCounts {
		for ; next < n && next < len(largest); next++ {
			sum += float64(largest[next])
		}
		t.put(t.column(node/blockSize, dim, i), node%blockSize, float32(sum*roundUp))
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
	block, lane := node/blockSize, node%blockSize
	for c := block * t.dims * len(topCounts); c < (block+1)*t.dims*len(topCounts); c++ {
		t.put(c, lane, o.cells[c][lane])
	}
}

func (t *tops) put(c, lane int, x float32) {
	cell := &t.cells[c][lane]
	old := *cell
	*cell = x
	if t.loose {
		return
	}
	if x >= t.peak[c] {
		t.peak[c] = x
	} else if old == t.peak[c] {
		t.peak[c] = slices.Max(t.cells[c][:])
	}
}

// remove drops a node; those behind it move up.
func (t *tops) remove(node int) {
	n := t.dims * len(topCounts)
	for c := range n {
		for i := node; i < t.nodes-1; i++ {
			t.cells[i/blockSize*n+c][i%blockSize] = t.cells[(i+1)/blockSize*n+c][(i+1)%blockSize]
		}
		t.cells[(t.nodes-1)/blockSize*n+c][(t.nodes-1)%blockSize] = 0
	}
	t.nodes--
	blocks := (t.nodes + blockSize - 1) / blockSize
	t.cells, t.peak = t.cells[:blocks*n], t.peak[:blocks*n]
	for i := node / blockSize * n; i < len(t.cells); i++ {
		t.peak[i] = slices.Max(t.cells[i][:])
	}
}

func (t *tops) clone() tops {
	return tops{t.dims, t.nodes, slices.Clone(t.cells), slices.Clone(t.peak), t.loose}
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
	for i := len(topCounts) - 1; ; i-- {
		n := int64(topCounts[i])
		if n > count {
			continue
		}
		factor := float64(count) / float64(n)
		if factor > 1.5 && i+1 < len(topCounts) {
			return reach{i + 1, 1} // the next sum is the tighter bound
		}
		return reach{i, float32(factor * roundUp)}
	}
}

// most returns at least as much as so many of the node's residents take in one
// dimension; mostIn the same of any node of a block, by its peaks.
func (t *tops) most(node, dim int, count int64) int64 {
	r := reachOf(count)
	return r.of(t.cells[t.column(node/blockSize, dim, r.index)][node%blockSize])
}

func (t *tops) mostIn(block, dim int, count int64) int64 {
	r := reachOf(count)
	return r.of(t.peak[t.column(block, dim, r.index)])
}

// of returns at least as much as is within reach, by a column.
func (r reach) of(column float32) int64 {
	sum := float64(column) * float64(r.factor) * roundUp
	if sum >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(sum) + 1
}

// fewest returns a number of the node's residents that it takes at least to make
// up what is missing in one dimension, more than zero; fewestIn one that it takes
// on any node of a block, by its peaks.
func (t *tops) fewest(node, dim int, missing int64) int64 {
	first, lane := t.column(node/blockSize, dim, 0), node%blockSize
	f := newFewest(missing)
	for i := range topCounts {
		if f.enough(i, t.cells[first+i][lane]) {
			break
		}
	}
	return f.least
}

func (t *tops) fewestIn(block, dim int, missing int64) int64 {
	first := t.column(block, dim, 0)
	f := newFewest(missing)
	for i := range topCounts {
		if f.enough(i, t.peak[first+i]) {
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
