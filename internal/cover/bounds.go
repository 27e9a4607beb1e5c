package cover

import (
	"math"
	"slices"
)

// Bounds say what it takes at least to make up what is missing, from all of a set
// of items. They may be set again, and keep their memory.
type Bounds struct {
	items []Item
	// sums[d][m] is the sum of the m largest amounts in dimension d.
	sums [][]int64
	// least is the least sum and the least count of an item.
	least Cost
	// starts are those of the items that can be in a set of the least cost; Cost's.
	starts []int64
}

// Set computes the bounds of these items, in O(items × log items) a dimension. The
// items must stay as they are.
func (b *Bounds) Set(items []Item, dims int) {
	b.items = items
	for len(b.sums) < dims {
		b.sums = append(b.sums, nil)
	}
	b.sums = b.sums[:dims]
	for d := range b.sums {
		sums := append(b.sums[d][:0], 0)
		for i := range items {
			sums = append(sums, items[i].Amounts[d])
		}
		largest := sums[1:]
		slices.Sort(largest)
		slices.Reverse(largest)
		for m, amount := range largest {
			sums[m+1] = sums[m] + amount
		}
		b.sums[d] = sums
	}

	// The least of each, which may be of two items.
	b.least = Cost{Sum: math.MaxInt64, Count: math.MaxInt64}
	for i := range items {
		c := &items[i].Cost
		b.least.Sum, b.least.Count = min(b.least.Sum, c.Sum), min(b.least.Count, c.Count)
	}
}

// Cost returns a cost that no set of the items that makes up what is missing is
// below, or false if there is no such set.
//
// The set takes at least as many items as the largest amounts need, k, and each
// costs at least as much as the cheapest. A set that costs no more by sum and count
// has k items, each as cheap as the cheapest, and each large enough for the k-1
// largest others to make up the rest. The earliest start of k such items is no
// later than the k-th latest; if there are fewer, every set costs more.
func (b *Bounds) Cost(missing []int64) (Cost, bool) {
	k, possible := b.fewest(missing)
	switch {
	case !possible:
		return Cost{}, false
	case k == 0:
		return Nothing, true
	}

	// The items that a set of just k times the least can consist of.
	b.starts = b.starts[:0]
	for i := range b.items {
		x := &b.items[i]
		if x.Cost.Sum == b.least.Sum && x.Cost.Count == b.least.Count && b.helps(x, k, missing) {
			b.starts = append(b.starts, x.Cost.Start)
		}
	}
	c := Cost{int64(k) * b.least.Sum, int64(k) * b.least.Count, math.MinInt64}
	if at := len(b.starts) - k; at >= 0 {
		slices.Sort(b.starts)
		c.Start = b.starts[at]
	}
	return c, true
}

// helps reports whether the item and the k-1 largest amounts can be enough.
func (b *Bounds) helps(x *Item, k int, missing []int64) bool {
	for d, m := range missing {
		if m > b.sums[d][k-1]+x.Amounts[d] {
			return false
		}
	}
	return true
}

// fewest returns how many items it takes at least to make up what is missing, by
// the sums of the largest amounts, or false if all of them are not enough.
func (b *Bounds) fewest(missing []int64) (least int, ok bool) {
	for d, m := range missing {
		sums := b.sums[d]
		for least < len(sums) && sums[least] < m {
			least++
		}
		if least == len(sums) {
			return 0, false
		}
	}
	return least, true
}
