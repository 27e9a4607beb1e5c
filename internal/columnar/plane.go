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
//
// Invariant: unless the plane is loose, peak and trough are the extremes of a block's
// nodes. A search passes over a block whose peak is too low, and takes all of a block
// whose trough is high enough, so neither may lag behind.
type plane struct {
	nodes int
	dims  []dimension
	loose bool // the extremes are left to settle
}

// A dimension is what a plane holds of one dimension, by block. It is in memory of its
// own, so that one more leaves the others where they are.
type dimension struct {
	cells  []lanes
	peak   []int64 // the maximum
	trough []int64 // the minimum over the nodes there are
}

// never is less than any amount that is asked for.
const never = math.MinInt64

func newPlane(dims, nodes int) plane {
	p := plane{nodes: nodes, dims: make([]dimension, 0, dims)}
	for range dims {
		p.widen()
	}
	return p
}

// widen adds a dimension, of nothing.
func (p *plane) widen() {
	blocks := blocksOf(p.nodes)
	d := dimension{make([]lanes, blocks), make([]int64, blocks), make([]int64, blocks)}
	if blocks > 0 {
		for i := p.inBlock(blocks - 1); i < blockSize; i++ {
			d.cells[blocks-1][i] = never
		}
	}
	p.dims = append(p.dims, d)
}

// blocksOf returns how many blocks so many nodes are in.
func blocksOf(nodes int) int { return (nodes + blockSize - 1) / blockSize }

// settle finds the extremes of the blocks in a range, after lanes were written
// directly.
func (p *plane) settle(from, to int) {
	for i := range p.dims {
		d := &p.dims[i]
		for b := from; b < to; b++ {
			d.peak[b], d.trough[b] = d.cells[b].max(), d.cells[b].min(p.inBlock(b))
		}
	}
}

// grow adds a node at the end, with nothing in it.
func (p *plane) grow() {
	if p.nodes%blockSize == 0 {
		var l lanes
		for i := range l {
			l[i] = never
		}
		for i := range p.dims {
			d := &p.dims[i]
			d.cells, d.peak, d.trough = append(d.cells, l), append(d.peak, never), append(d.trough, math.MaxInt64)
		}
	}
	p.nodes++
	for d := range p.dims {
		p.set(p.nodes-1, d, 0)
	}
}

// at returns a node's amount in one dimension.
func (p *plane) at(node, dim int) int64 { return p.dims[dim].cells[node/blockSize][node%blockSize] }

// set changes a node's amount in one dimension.
func (p *plane) set(node, dim int, amount int64) {
	// A new extreme shows at once. Only where the old one is gone the block is gone
	// through.
	d, b := &p.dims[dim], node/blockSize
	cell := &d.cells[b][node%blockSize]
	old := *cell
	*cell = amount
	if p.loose {
		return
	}
	if amount >= d.peak[b] {
		d.peak[b] = amount
	} else if old == d.peak[b] {
		d.peak[b] = d.cells[b].max()
	}
	if amount <= d.trough[b] {
		d.trough[b] = amount
	} else if old == d.trough[b] {
		d.trough[b] = d.cells[b].min(p.inBlock(b))
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
	return slices.Max(l[:])
}

func (l *lanes) min(nodes int) int64 {
	return slices.Min(l[:nodes])
}

// remove drops a node; those behind it move up.
func (p *plane) remove(node int) {
	// The order of nodes is that of decisions, so they move up one by one; nodes go
	// rarely.
	last := p.nodes - 1
	p.nodes--
	blocks := blocksOf(p.nodes)
	for i := range p.dims {
		d := &p.dims[i]
		for n := node; n < last; n++ {
			d.cells[n/blockSize][n%blockSize] = d.cells[(n+1)/blockSize][(n+1)%blockSize]
		}
		d.cells[last/blockSize][last%blockSize] = never
		d.cells, d.peak, d.trough = d.cells[:blocks], d.peak[:blocks], d.trough[:blocks]
	}
	p.settle(node/blockSize, blocks)
}

// copyBlock copies what another plane knows of a block.
func (p *plane) copyBlock(o *plane, block int) {
	for i := range p.dims {
		p.dims[i].cells[block] = o.dims[i].cells[block]
	}
}

// clone returns a copy.
func (p *plane) clone() plane {
	c := *p
	c.dims = slices.Clone(p.dims)
	for i := range c.dims {
		d := &c.dims[i]
		d.cells, d.peak, d.trough = slices.Clone(d.cells), slices.Clone(d.peak), slices.Clone(d.trough)
	}
	return c
}
