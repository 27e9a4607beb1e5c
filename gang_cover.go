package preemption

import (
	"cmp"
	"math"
	"slices"

	"example.com/preemption/internal/columnar"
	"example.com/preemption/internal/score"
)

// A gangItem is somebody who may be evicted from a node.
type gangItem struct {
	amounts []int64 // by demand
	cost    gangCost
	ref     int32
	must    bool // has a port that the members want
}

// gangCost is what evictions cost, given that no budget is violated and nobody
// has a priority above the level of the search.
type gangCost struct {
	sum  int64 // of (priority + 2^31)
	pods int64
	// start is the earliest start of the pods of the highest priority.
	start int64
}

// free is the cost of evicting nobody.
var nothing = gangCost{start: math.MaxInt64}

func (c gangCost) plus(o gangCost) gangCost {
	return gangCost{c.sum + o.sum, c.pods + o.pods, min(c.start, o.start)}
}

func (c gangCost) compare(o gangCost) int {
	switch {
	case c.sum != o.sum:
		return cmp.Compare(c.sum, o.sum)
	case c.pods != o.pods:
		return cmp.Compare(c.pods, o.pods)
	}
	return cmp.Compare(o.start, c.start)
}

// A cover finds the cheapest set of items that frees enough on one node: the
// exact solution of a covering knapsack, by branch and bound. The items are
// branched on largest first. What is missing takes at least as many of the items
// left as the largest of them, in each dimension, need to make it up; each costs
// at least as much as the cheapest one left.
type cover struct {
	items []gangItem
	size  func(amounts []int64) float64
	// all and least are reach[0] and cheapest[0], which bound takes.
	all   [][]int64
	least gangCost
	// Of the items from i on: reach[i][d][m] is the sum of the m largest amounts in
	// dimension d, cheapest[i] the least sum and the least number of pods.
	reach    [][][]int64
	cheapest []gangCost
	// latest are the starts of the items, latest first, if all of them have the
	// highest priority: the earliest of k is then no later than the k-th.
	latest []int64

	steps  int
	limit  int
	exact  bool
	best   gangCost
	chosen []bool
	set    []bool
	// after is the earliest start that items of the highest priority may have, for
	// the second round.
	after int64
	// within is the cost not to exceed, for the second round.
	within *gangCost
}

// coverSteps bounds the branching on one node: some milliseconds.
const coverSteps = 50_000

// coverMemory is cut up among the covers of many nodes.
type coverMemory struct {
	items   arena[gangItem]
	amounts arena[int64]
	rows    arena[[]int64]
}

// An arena hands out pieces of larger allocations.
type arena[T any] struct{ rest []T }

func (a *arena[T]) take(n int) []T {
	const chunk = 1 << 12
	if len(a.rest) < n {
		a.rest = make([]T, max(n, chunk))
	}
	piece := a.rest[:n:n]
	a.rest = a.rest[n:]
	return piece
}

// newCover readies the items of a node up to a priority.
func (s *gangSearch) newCover(n *gangNode, top int64, m *coverMemory) *cover {
	residents, requests := s.table.Residents(n.index)
	w := s.table.Dims() - 1
	count := 0
	for i := n.first; i < len(residents); i++ {
		if s.top(&residents[i]) <= top {
			count++
		}
	}
	c := &cover{limit: coverSteps, exact: true, items: m.items.take(count)[:0]}
	amounts := m.amounts.take(count * len(s.demands))[:0]
	for i := n.first; i < len(residents); i++ {
		x := &residents[i]
		if s.top(x) > top || !s.goes(n, x) {
			continue
		}
		item := gangItem{ref: x.Ref, cost: s.cost(x, top), must: s.clashesWith(n, x)}
		for _, d := range s.demands {
			amounts = append(amounts, amountOf(x, requests[i*w:], d.Dim))
		}
		item.amounts = amounts[len(amounts)-len(s.demands):]
		c.items = append(c.items, item)
	}
	c.size = s.size
	c.ahead(len(s.demands), m)
	return c
}

// ahead computes what bound takes.
func (c *cover) ahead(dims int, m *coverMemory) {
	c.all, c.least = m.rows.take(dims), gangCost{math.MaxInt64, math.MaxInt64, 0}
	for d := range dims {
		of := m.amounts.take(len(c.items) + 1)
		for i := range c.items {
			of[i+1] = c.items[i].amounts[d]
		}
		slices.SortFunc(of[1:], func(a, b int64) int { return cmp.Compare(b, a) })
		for i := range c.items {
			of[i+1] += of[i]
		}
		c.all[d] = of
	}
	c.latest = m.amounts.take(len(c.items))[:0]
	for i := range c.items {
		if start := c.items[i].cost.start; start < math.MaxInt64 {
			c.latest = append(c.latest, start)
		}
	}
	if len(c.latest) < len(c.items) {
		c.latest = nil
	}
	slices.SortFunc(c.latest, func(a, b int64) int { return cmp.Compare(b, a) })
	for i := range c.items {
		x := &c.items[i].cost
		c.least = gangCost{min(x.sum, c.least.sum), min(x.pods, c.least.pods), 0}
	}
}

// size compares items across dimensions: in units of what one member needs.
func (s *gangSearch) size(amounts []int64) float64 {
	size := 0.0
	for j, d := range s.demands {
		if d.Dim != columnar.Seat {
			size += min(float64(amounts[j])/float64(d.Amount), 1)
		}
	}
	return size
}

// cost is what evicting a resident costs.
func (s *gangSearch) cost(x *columnar.Resident, top int64) gangCost {
	c := gangCost{sum: score.Weight(x.Priority), pods: 1, start: math.MaxInt64}
	start := x.Start
	if x.Ref < 0 {
		u := &s.table.Units[^x.Ref]
		c.sum, c.pods, start = u.Cost.Sum, u.Cost.Pods, u.Cost.Start
	}
	if s.top(x) == top {
		c.start = start
	}
	return c
}

// prepare sorts the items, largest first, and computes reach and cheapest of
// those from each on, once. Most covers are never solved.
func (c *cover) prepare(dims int) {
	n := len(c.items)
	if len(c.reach) == n+1 {
		return
	}
	slices.SortStableFunc(c.items, func(a, b gangItem) int { return cmp.Compare(c.size(b.amounts), c.size(a.amounts)) })
	c.reach = make([][][]int64, n+1)
	c.cheapest = make([]gangCost, n+1)
	c.cheapest[n] = gangCost{math.MaxInt64, math.MaxInt64, 0}
	rows, sums := make([][]int64, (n+1)*dims), make([]int64, dims*(n+1)*(n+2)/2)
	largest, buffer := make([][]int64, dims), make([]int64, n*dims)
	for d := range dims {
		largest[d] = buffer[d*n : d*n : (d+1)*n]
	}
	// sum returns the sums of the m largest, for every m.
	sum := func(largest []int64) []int64 {
		s := sums[: len(largest)+1 : len(largest)+1]
		sums = sums[len(s):]
		for m, a := range largest {
			s[m+1] = s[m] + a
		}
		return s
	}
	c.reach[n] = rows[n*dims:]
	for d := range dims {
		c.reach[n][d] = sum(nil)
	}
	for i := n - 1; i >= 0; i-- {
		x := &c.items[i]
		c.cheapest[i] = gangCost{min(x.cost.sum, c.cheapest[i+1].sum), min(x.cost.pods, c.cheapest[i+1].pods), 0}
		c.reach[i] = rows[i*dims : (i+1)*dims]
		for d := range dims {
			at, _ := slices.BinarySearchFunc(largest[d], x.amounts[d], func(a, b int64) int { return cmp.Compare(b, a) })
			largest[d] = slices.Insert(largest[d], at, x.amounts[d])
			c.reach[i][d] = sum(largest[d])
		}
	}
}

// fewest returns how many of the items from i on it takes at least to make up
// what is missing, -1 if all of them are not enough.
func (c *cover) fewest(i int, missing []int64) int { return fewest(c.reach[i], missing) }

func fewest(reach [][]int64, missing []int64) int {
	least := 0
	for d, m := range missing {
		if m <= 0 {
			continue
		}
		sums := reach[d]
		for least < len(sums) && sums[least] < m {
			least++
		}
		if least == len(sums) {
			return -1
		}
	}
	return least
}

// bound is a cost that no set of items that makes up what is missing is below.
func (c *cover) bound(missing []int64) (gangCost, bool) {
	k := fewest(c.all, missing)
	if k < 0 {
		return gangCost{}, false
	}
	if k == 0 {
		return nothing, true
	}
	b := gangCost{int64(k) * c.least.sum, int64(k) * c.least.pods, math.MaxInt64}
	if c.latest != nil {
		b.start = c.latest[k-1]
	}
	return b, true
}

// solve returns the cheapest set of items that makes up what is missing; there
// is one. First the least sum and number of pods are found, then, of all sets
// that cost that, one whose earliest start is the latest.
func (c *cover) solve(missing []int64) (gangCost, []int32) {
	c.prepare(len(missing))
	c.after, c.within = math.MinInt64, nil
	if !c.search(missing) {
		return c.greedy(missing)
	}
	best, chosen := c.best, slices.Clone(c.chosen)
	starts := make([]int64, 0, len(c.items))
	for i := range c.items {
		if s := c.items[i].cost.start; s > best.start {
			starts = append(starts, s)
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	target := gangCost{best.sum, best.pods, math.MinInt64}
	low, high := 0, len(starts) // starts[:low] can be reached, starts[high:] cannot
	if best.start < math.MaxInt64 {
		starts = append(starts, math.MaxInt64) // no item of the highest priority at all
		high++
	}
	for low < high {
		mid := (low + high) / 2
		c.after, c.within = starts[mid], &target
		if c.search(missing) {
			best, chosen = c.best, slices.Clone(c.chosen)
			low = mid + 1
		} else {
			high = mid
		}
	}
	var refs []int32
	for i, x := range chosen {
		if x {
			refs = append(refs, c.items[i].ref)
		}
	}
	return best, refs
}

// search runs the branch and bound; it reports whether it found a set.
func (c *cover) search(missing []int64) bool {
	c.best = gangCost{math.MaxInt64, math.MaxInt64, math.MinInt64}
	if c.within != nil {
		c.best = gangCost{c.within.sum, c.within.pods + 1, math.MinInt64}
	}
	c.set = make([]bool, len(c.items))
	c.chosen = nil
	c.steps = 0
	c.branch(0, slices.Clone(missing), gangCost{start: math.MaxInt64})
	if c.steps > c.limit {
		c.exact = false
	}
	return c.chosen != nil
}

func (c *cover) branch(i int, missing []int64, cost gangCost) {
	c.steps++
	if c.steps > c.limit || c.within != nil && c.chosen != nil {
		return
	}
	if !slices.ContainsFunc(c.items[i:], func(x gangItem) bool { return x.must }) && c.fewest(len(c.items), missing) == 0 {
		if cheaper(cost, c.best) {
			c.best, c.chosen = cost, slices.Clone(c.set)
		}
		return
	}
	if i == len(c.items) {
		return
	}
	k := c.fewest(i, missing)
	if k < 0 {
		return
	}
	least := gangCost{cost.sum + int64(k)*c.cheapest[i].sum, cost.pods + int64(k)*c.cheapest[i].pods, 0}
	if !cheaper(least, c.best) {
		return
	}
	x := &c.items[i]
	if x.cost.start >= c.after {
		for d := range missing {
			missing[d] -= x.amounts[d]
		}
		c.set[i] = true
		c.branch(i+1, missing, cost.plus(x.cost))
		c.set[i] = false
		for d := range missing {
			missing[d] += x.amounts[d]
		}
	}
	if !x.must {
		c.branch(i+1, missing, cost)
	}
}

// cheaper compares by sum and pods alone: starts are for the second round.
func cheaper(a, b gangCost) bool {
	return a.sum < b.sum || a.sum == b.sum && a.pods < b.pods
}

// greedy is a set that is enough, where the search ran out of steps: all items,
// less those that can be put back, the costliest first.
func (c *cover) greedy(missing []int64) (gangCost, []int32) {
	c.exact = false
	over := slices.Clone(missing)
	order := make([]int, len(c.items))
	for i := range c.items {
		order[i] = i
		for d := range over {
			over[d] -= c.items[i].amounts[d]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return c.items[b].cost.compare(c.items[a].cost) })
	cost := nothing
	var refs []int32
	for _, i := range order {
		x := &c.items[i]
		spare := !x.must
		for d := range over {
			spare = spare && over[d]+x.amounts[d] <= 0
		}
		if spare {
			for d := range over {
				over[d] += x.amounts[d]
			}
			continue
		}
		cost = cost.plus(x.cost)
		refs = append(refs, x.ref)
	}
	return cost, refs
}
