package cover

import (
	"cmp"
	"math"
	"slices"
)

// Bounds say what it takes at least to make up what is missing, from all of a set
// of items. They may be set again, and keep their memory.
type Bounds struct {
	// sums[d][m] is the sum of the m largest amounts in dimension d.
	sums [][]int64
	// least is the least sum and the least count of an item.
	least Cost
	// latest are the starts of the items, latest first. The earliest of any k items
	// is no later than the k-th.
	latest []int64
}

// Set computes the bounds of these items, in O(items × log items) a dimension.
func (b *Bounds) Set(items []Item, dims int) {
	for len(b.sums) < dims {
		b.sums = append(b.sums, nil)
	}
	b.sums = b.sums[:dims]
	for d := range b.sums {
		sums := append(b.sums[d][:0], 0)
		for i := range items {
			sums = append(sums, items[i].Amounts[d])
		}
		slices.SortFunc(sums[1:], descending)
		for m := range items {
			sums[m+1] += sums[m]
		}
		b.sums[d] = sums
	}

	b.least, b.latest = Cost{Sum: math.MaxInt64, Count: math.MaxInt64}, b.latest[:0]
	for i := range items {
		c := &items[i].Cost
		b.least.Sum, b.least.Count = min(b.least.Sum, c.Sum), min(b.least.Count, c.Count)
		b.latest = append(b.latest, c.Start)
	}
	slices.SortFunc(b.latest, descending)
}

func descending(a, b int64) int { return cmp.Compare(b, a) }

// Cost returns a cost that no set of the items that makes up what is missing is
// below, or false if there is no such set.
func (b *Bounds) Cost(missing []int64) (Cost, bool) {
	k := fewest(b.sums, missing)
	switch {
	case k < 0:
		return Cost{}, false
	case k == 0:
		return Nothing, true
	}
	return Cost{int64(k) * b.least.Sum, int64(k) * b.least.Count, b.latest[k-1]}, true
}

// fewest returns how many items it takes at least to make up what is missing, by
// the sums of the largest amounts; -1 if all of them are not enough.
func fewest(sums [][]int64, missing []int64) int {
	least := 0
	for d, m := range missing {
		if m <= 0 {
			continue
		}
		of := sums[d]
		for least < len(of) && of[least] < m {
			least++
		}
		if least == len(of) {
			return -1
		}
	}
	return least
}
