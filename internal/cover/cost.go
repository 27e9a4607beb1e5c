package cover

import (
	"cmp"
	"math"
)

// A Cost is what a set of items costs. The smaller sum is cheaper, of equal ones
// the smaller count, and then the later start.
type Cost struct {
	Sum   int64
	Count int64
	// Start is the earliest of the items' starts, math.MaxInt64 if none has one.
	Start int64
}

// Nothing is the cost of no items.
var Nothing = Cost{Start: math.MaxInt64}

// Plus returns the cost of two sets together.
func (c Cost) Plus(o Cost) Cost {
	return Cost{c.Sum + o.Sum, c.Count + o.Count, min(c.Start, o.Start)}
}

// Compare is negative if c is cheaper than o, zero if they cost the same.
func (c Cost) Compare(o Cost) int {
	switch {
	case c.Sum != o.Sum:
		return cmp.Compare(c.Sum, o.Sum)
	case c.Count != o.Count:
		return cmp.Compare(c.Count, o.Count)
	}
	return cmp.Compare(o.Start, c.Start)
}

// cheaper is Compare by sum and count alone.
func (c Cost) cheaper(o Cost) bool {
	return c.Sum < o.Sum || c.Sum == o.Sum && c.Count < o.Count
}
