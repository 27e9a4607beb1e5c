package cover

import (
	"cmp"
	"math"
	"slices"
)

// An Option is a number of members to place together on a node, and the cost.
type Option struct {
	Count int
	Cost  Cost
}

// MostMembers is the largest number of members that Distribute takes: it notes
// choices among as many options in 16 bits.
const MostMembers = math.MaxUint16 - 1

// unreachable is dearer than any cost, with room for one to be added.
var unreachable = Cost{math.MaxInt64 / 2, math.MaxInt64, math.MinInt64}

// Distribute places n members on nodes so that they cost least together: it
// returns which option each node takes, -1 for none, or false if the counts
// cannot add up to n. Of equal distributions it takes one of those that give the
// last nodes as little as they can, so that the first ones come first.
//
// This is a knapsack by dynamic programming: the least cost of n members on the
// nodes up to j, for each n, follows from that on the nodes up to j-1. It takes
// O(n × options).
func Distribute(nodes [][]Option, n int) (picks []int, ok bool) {
	// Node by node. Counts are gone through from the top down, so that costs below are
	// still those without this node.
	costs := make([]Cost, n+1) // of so many members on the nodes so far
	for i := range costs {
		costs[i] = unreachable
	}
	costs[0] = Nothing
	taken := make([][]uint16, len(nodes)) // by node and number of members: the option + 1
	reached := 0
	for j, options := range nodes {
		most := 0
		for _, o := range options {
			most = max(most, o.Count)
		}
		reached = min(reached+most, n)
		taken[j] = make([]uint16, reached+1)
		for i := reached; i > 0; i-- {
			best := &costs[i]
			for k := range options {
				o := &options[k]
				if o.Count > i {
					continue
				}
				before := &costs[i-o.Count]
				if before.Sum+o.Cost.Sum > best.Sum || before.Sum == unreachable.Sum {
					continue // most are no better by the sum alone
				}
				if c := before.Plus(o.Cost); c.Compare(*best) < 0 {
					*best, taken[j][i] = c, uint16(k+1)
				}
			}
		}
	}
	if costs[n].Sum == unreachable.Sum {
		return nil, false
	}

	// Back from the last node, by what was noted: those that are left to place have room
	// on the nodes up to there.
	picks = make([]int, len(nodes))
	for j := len(nodes) - 1; j >= 0; j-- {
		picks[j] = -1
		if taken[j][n] > 0 {
			picks[j] = int(taken[j][n]) - 1
			n -= nodes[j][picks[j]].Count
		}
	}
	return picks, true
}

// A Cutoff excludes options that no cheapest distribution has.
type Cutoff struct{ rate, slack int64 }

// NoCutoff excludes nothing: no distribution is known.
var NoCutoff = Cutoff{slack: math.MaxInt64}

// NewCutoff returns the cutoff for n members, given a sum a member that no option
// is below, and the sum of some distribution. A distribution with an option that is
// excluded costs more than that one even if all other members cost no more than the
// rate.
func NewCutoff(n int, rate, known int64) Cutoff { return Cutoff{rate, known - rate*int64(n)} }

// Excludes reports whether an option of so many members with a sum of at least
// that is excluded.
func (c Cutoff) Excludes(count int, sum int64) bool { return sum-c.rate*int64(count) > c.slack }

// Least returns the indices of the n that cost least, cheapest first, of equals
// the one of the lower bound and then the one that comes first. It asks for costs
// in the order of the bounds, which no cost is below, and stops once the rest are
// bound to cost as much as the n-th.
func Least(n int, bounds []Cost, cost func(i int) Cost) []int {
	// By bound, so that the first of which the bound is too high ends it.
	order := all(len(bounds))
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(bounds[a].Compare(bounds[b]), a-b) })
	n = min(n, len(bounds))
	costs := make([]Cost, 0, n) // of those in least
	least := make([]int, 0, n)
	for _, i := range order {
		if len(least) == n && bounds[i].Compare(costs[n-1]) >= 0 {
			break
		}
		c := cost(i)
		at, _ := slices.BinarySearchFunc(costs, c, func(x, c Cost) int {
			if x.Compare(c) <= 0 {
				return -1 // behind its equals
			}
			return 1
		})
		if at == n {
			continue
		}
		if len(least) == n {
			costs, least = costs[:n-1], least[:n-1]
		}
		costs, least = slices.Insert(costs, at, c), slices.Insert(least, at, i)
	}
	return least
}
