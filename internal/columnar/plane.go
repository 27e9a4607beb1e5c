package columnar

import "math"

// blockSize is how many nodes share a maximum. 64 nodes of four dimensions are
// 2 KB, which the prefetcher streams in about the time of one cache miss.
const blockSize = 64

// A plane holds, for every node, the amount available in each dimension, and
// the maxima of each block of nodes.
type plane struct {
	dims  int
	avail []int64 // node×dims + dim
	peak  []int64 // block×dims + dim
}

// at returns a node's amounts.
func (p *plane) at(node int) []int64 { return p.avail[node*p.dims : (node+1)*p.dims] }

// peaks returns a block's maxima.
func (p *plane) peaks(block int) []int64 { return p.peak[block*p.dims : (block+1)*p.dims] }

// grow adds a node with these amounts at the end.
func (p *plane) grow(amounts []int64) {
	node := len(p.avail) / p.dims
	p.avail = append(p.avail, amounts...)
	if node%blockSize == 0 {
		p.peak = append(p.peak, amounts...)
		return
	}
	peaks := p.peaks(node / blockSize)
	for d, a := range amounts {
		peaks[d] = max(peaks[d], a)
	}
}

// add changes a node's amount in one dimension.
func (p *plane) add(node, dim int, delta int64) {
	if delta == 0 {
		return
	}
	cell := &p.avail[node*p.dims+dim]
	old := *cell
	*cell += delta
	peak := &p.peak[node/blockSize*p.dims+dim]
	if *cell >= *peak {
		*peak = *cell
	} else if old == *peak {
		*peak = p.maximum(node/blockSize, dim)
	}
}

// maximum computes a block's maximum in one dimension.
func (p *plane) maximum(block, dim int) int64 {
	m := int64(math.MinInt64)
	end := min((block+1)*blockSize*p.dims, len(p.avail))
	for i := block*blockSize*p.dims + dim; i < end; i += p.dims {
		m = max(m, p.avail[i])
	}
	return m
}

// remove drops a node; those behind it move up.
func (p *plane) remove(node int) {
	p.avail = append(p.avail[:node*p.dims], p.avail[(node+1)*p.dims:]...)
	nodes := len(p.avail) / p.dims
	blocks := (nodes + blockSize - 1) / blockSize
	p.peak = p.peak[:blocks*p.dims]
	for b := node / blockSize; b < blocks; b++ {
		for d := range p.dims {
			p.peak[b*p.dims+d] = p.maximum(b, d)
		}
	}
}

// clone returns a copy.
func (p *plane) clone() plane {
	return plane{p.dims, append([]int64(nil), p.avail...), append([]int64(nil), p.peak...)}
}
