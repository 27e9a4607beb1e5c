package columnar

import "math/bits"

// Rows lie far apart, and an evaluation waits for a row from memory longer than it takes. A
// block's are read before they are gone through, so that many are on the way at the same
// time. It changes no answer.

// fewToFetch is from how many nodes on that is worth it.
const fewToFetch = 4

// Memory gives a line at once, of so many numbers of 32 bits: as many as it takes for half a
// row of fifty pods are read.
const (
	perLine      = 16
	linesToFetch = 4
)

// fetch reads what the evaluation of some nodes of a block goes through: first the rows,
// which say where the rest is, then requests of the least important, and violators, if some
// must be among the victims and not all are.
func (x *search) fetch(block int, mask uint64, violations int64) {
	rows, sum := x.rows[block*blockSize:], uint32(0)
	for m := mask; m != 0; m &= m - 1 {
		r := &rows[bits.TrailingZeros64(m)]
		sum += uint32(len(r.requests.small)) + uint32(r.odd)
	}
	for m := mask; m != 0; m &= m - 1 {
		r := &rows[bits.TrailingZeros64(m)]
		small := r.requests.small
		for i := len(small) - 1; i >= max(len(small)-linesToFetch*perLine, 0); i -= perLine {
			sum += small[i]
		}
		if violations > 0 && len(r.covered) < len(r.residents) {
			for i := 0; i < len(r.covered); i += perLine {
				sum += uint32(r.covered[i])
			}
		}
	}
	x.fetched = sum
}
