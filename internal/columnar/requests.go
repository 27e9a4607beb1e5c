package columnar

import (
	"math"
	"math/bits"
	"slices"
)

// MaxDimensions is how many dimensions, seats included, a table may have.
const MaxDimensions = 8

// requests are what the residents of a row request, in 32 bits each: a search waits for
// rows to come from memory more than for anything else. What it takes for that is a grain
// a row and dimension, a power of two that divides every amount there: memory comes in
// MiB, and processors in thousandths.
//
// Invariant: what at returns is exact. Rows with amounts that need more than 32 bits keep
// them as they are.
type requests struct {
	small []uint32 // resident×width + dim-1, in grains
	large *[]int64 // the same in ones, where no grain does; small is empty then

	// width is how many dimensions, the seats not counted, there are requests of: of
	// those beyond none in the row requests anything. So a dimension that is new to
	// the table changes the rows of those alone that request some of it.
	width uint8
	shift [MaxDimensions - 1]uint8 // by dim-1: a grain is 1<<shift, less than 1<<64
}

// Shifts are written & 63, which says to the compiler that no more than that are asked for.

// at returns what resident i requests of a dimension that is not the seats.
func (q *requests) at(i, dim int) int64 {
	w := int(q.width)
	switch {
	case dim > w:
		return 0
	case q.large != nil:
		return (*q.large)[i*w+dim-1]
	}
	return int64(q.small[i*w+dim-1]) << (q.shift[dim-1] & 63)
}

// of appends what resident i requests, in all dimensions of the row.
func (q *requests) of(i int, amounts []int64) []int64 {
	from, to := i*int(q.width), (i+1)*int(q.width)
	if q.large != nil {
		return append(amounts, (*q.large)[from:to]...)
	}
	for d, x := range q.small[from:to] {
		amounts = append(amounts, int64(x)<<(q.shift[d]&63))
	}
	return amounts
}

// insert makes the amounts, one for each dimension of the row, those of resident i; the
// residents from there on move up.
func (q *requests) insert(i int, amounts []int64) {
	at, grained := i*int(q.width), q.large == nil
	for d, x := range amounts {
		grained = grained && q.hasGrainsFor(d+1, x)
	}
	if !grained {
		q.pack(slices.Insert(q.all(), at, amounts...))
		return
	}
	q.small = slices.Insert(q.small, at, make([]uint32, len(amounts))...)
	for d, x := range amounts {
		q.small[at+d] = uint32(x >> (q.shift[d] & 63))
	}
}

// drop takes those of resident i out.
func (q *requests) drop(i int) {
	from, to := i*int(q.width), (i+1)*int(q.width)
	if q.large == nil {
		q.small = slices.Delete(q.small, from, to)
	} else {
		q.pack(slices.Delete(*q.large, from, to)) // there may be grains for what is left
	}
}

// add changes what resident i requests of one dimension.
func (q *requests) add(i, dim int, delta int64) {
	if delta == 0 {
		return
	}
	k, x := i*int(q.width)+dim-1, q.at(i, dim)+delta
	if q.large == nil && q.hasGrainsFor(dim, x) {
		q.small[k] = uint32(x >> q.shift[dim-1])
		return
	}
	all := q.all()
	all[k] = x
	q.pack(all)
}

// widen makes room for more dimensions, of which none of so many residents requests
// anything.
func (q *requests) widen(width, residents int) {
	all := make([]int64, 0, residents*width)
	for i := range residents {
		all = append(q.of(i, all), make([]int64, width-int(q.width))...)
	}
	q.width = uint8(width)
	q.pack(all)
}

// all returns every amount, for pack: where they are kept as they are, these themselves.
func (q *requests) all() []int64 {
	if q.large != nil {
		return *q.large
	}
	w := int(q.width)
	all := make([]int64, len(q.small), len(q.small)+w)
	for d := range w {
		for k := d; k < len(all); k += w {
			all[k] = int64(q.small[k]) << (q.shift[d] & 63)
		}
	}
	return all
}

// hasGrainsFor reports whether an amount of a dimension is a multiple of its grain, and not
// of too many.
func (q *requests) hasGrainsFor(dim int, amount int64) bool {
	s := q.shift[dim-1] & 63
	return amount>>s<<s == amount && amount>>s <= math.MaxUint32
}

// pack takes every amount, in the smallest grains that do: what comes later is a multiple
// of these rather than of larger ones. It may keep the list.
func (q *requests) pack(all []int64) {
	w := int(q.width)
	for d := range w {
		some := int64(0) // the bits that are in any
		for k := d; k < len(all); k += w {
			some |= all[k]
		}
		shift := max(bits.Len64(uint64(some))-32, 0)
		if some>>shift<<shift != some {
			q.small, q.large = nil, &all
			return
		}
		q.shift[d] = uint8(shift)
	}
	q.large = nil
	q.small = slices.Grow(q.small[:0], len(all))[:len(all)]
	for d := range w {
		for k := d; k < len(all); k += w {
			q.small[k] = uint32(all[k] >> (q.shift[d] & 63))
		}
	}
}
