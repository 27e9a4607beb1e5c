package columnar

import (
	"math"
	"slices"
)

// blockSize is how many nodes share a maximum. A block's answers to a comparison
// fit in one word.
const blockSize = 64

// lanes are one dimension of a block.
type lanes [blockSize]int64

// A plane holds, for every node, an amount in each dimension, and the extremes of
// each block of nodes. Lanes without a node hold never.
type plane struct {
	dims   int
	nodes  int
	cells  []lanes // block×dims + dim
	peak   []int64 // the maximum, likewise
	trough []int64 // the minimum over the nodes there are
	loose  bool    // the extremes are left to settle
}

// never is less than any amount that is asked for.
const never = math.MinInt64

func newPlane(dims, nodes int) plane {
	blocks := (nodes + blockSize - 1) / blockSize
	p := plane{dims: dims, nodes: nodes, cells: make([]lanes, blocks*dims), peak: make([]int64, blocks*dims), trough: make([]int64, blocks*dims)}
	if blocks > 0 {
		for d := range dims {
			last := &p.cells[(blocks-1)*dims+d]
			for i := p.inBlock(blocks - 1); i < blockSize; i++ {
				last[i] = never
			}
		}
	}
	return p
}

// settle finds the extremes of all blocks, after cells were written directly.
func (p *plane) settle() {
	p.loose = false
	for i := range p.cells {
		p.peak[i], p.trough[i] = p.cells[i].max(), p.cells[i].min(p.inBlock(i/p.dims))
	}
}

// wider returns a copy with one more dimension, of nothing.
func (p *plane) wider() plane {
	wide := newPlane(p.dims+1, p.nodes)
	for b := range len(p.cells) / max(p.dims, 1) {
		from, to := b*p.dims, b*wide.dims
		copy(wide.cells[to:], p.cells[from:from+p.dims])
		copy(wide.peak[to:], p.peak[from:from+p.dims])
		copy(wide.trough[to:], p.trough[from:from+p.dims])
	}
	return wide
}

// grow adds a node at the end, with nothing in it.
func (p *plane) grow() {
	lane := p.nodes % blockSize
	if lane == 0 {
		for range p.dims {
			var l lanes
			for i := range l {
				l[i] = never
			}
			p.cells = append(p.cells, l)
			p.peak = append(p.peak, never)
			p.trough = append(p.trough, math.MaxInt64)
		}
	}
	p.nodes++
	for d := range p.dims {
		p.set(p.nodes-1, d, 0)
	}
}

// at returns a node's amount in one dimension.
func (p *plane) at(node, dim int) int64 {
	return p.cells[node/blockSize*p.dims+dim][node%blockSize]
}

// set changes a node's amount in one dimension.
func (p *plane) set(node, dim int, amount int64) {
	i := node/blockSize*p.dims + dim
	cell := &p.cells[i][node%blockSize]
	old := *cell
	*cell = amount
	if p.loose {
		return
	}
	if amount >= p.peak[i] {
		p.peak[i] = amount
	} else if old == p.peak[i] {
		p.peak[i] = p.cells[i].max()
	}
	if amount <= p.trough[i] {
		p.trough[i] = amount
	} else if old == p.trough[i] {
		p.trough[i] = p.cells[i].min(p.inBlock(node / blockSize))
	}
}

// inBlock returns how many nodes a block has.
func (p *plane) inBlock(block int) int { return min(p.nodes-block*blockSize, blockSize) }

// add changes a node's amount in one dimension by so much.
func (p *plane) add(node, dim int, delta int64) {
	if delta != 0 {
		p.set(node, dim, p.at(node, dim)+delta)
	}
}

func (l *lanes) max() int64 {
	m := l[0]
	for _, x := range l[1:] {
		m = max(m, x)
	}
	return m
}

func (l *lanes) min(nodes int) int64 {
	m := l[0]
	for _, x := range l[1:nodes] {
		m = min(m, x)
	}
	return m
}

// remove drops a node; those behind it move up.
func (p *plane) remove(node int) {
	for d := range p.dims {
		for n := node; n < p.nodes-1; n++ {
			p.cells[n/blockSize*p.dims+d][n%blockSize] = p.at(n+1, d)
		}
		p.cells[(p.nodes-1)/blockSize*p.dims+d][(p.nodes-1)%blockSize] = never
	}
	p.nodes--
	blocks := (p.nodes + blockSize - 1) / blockSize
	p.cells, p.peak, p.trough = p.cells[:blocks*p.dims], p.peak[:blocks*p.dims], p.trough[:blocks*p.dims]
	for i := node / blockSize * p.dims; i < len(p.cells); i++ {
		p.peak[i], p.trough[i] = p.cells[i].max(), p.cells[i].min(p.inBlock(i/p.dims))
	}
}

// clone returns a copy.
func (p *plane) clone() plane {
	return plane{p.dims, p.nodes, slices.Clone(p.cells), slices.Clone(p.peak), slices.Clone(p.trough), p.loose}
}
