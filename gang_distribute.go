package preemption

import (
	"cmp"
	"math"
	"slices"
)

// distribution says how many members go to which node, and who leaves for them.
type distribution struct {
	search *gangSearch
	shares []share
	exact  bool
}

// share is a number of members on one node at its cheapest.
type share struct {
	node    *gangNode
	place   int // of the node among those searched
	members int
	cost    gangCost
	refs    []int32 // residents evicted
}

// distribute spreads so many members over the nodes at the least cost, with
// nobody evicted above a priority.
//
// Only the cheapest nodes matter: of the nodes that could take k members, as many
// of the cheapest as there are members. If another one were used, one of these
// would not be, and could take its place. Which they are is found by evaluating
// nodes in the order of a lower bound until the rest are bound to cost more.
//
// What is left is a knapsack over nodes: the least cost of placing n members on
// the nodes up to j, for each n, from that on the nodes up to j-1. Sums and pods
// add up and the earliest start is a minimum, so the least cost of a whole has
// the least costs as its parts.
func (s *gangSearch) distribute(size int, top int64) *distribution {
	d := &distribution{search: s, exact: true}
	options := s.options(size, top, d)
	costs := make([]gangCost, size+1)
	for n := 1; n <= size; n++ {
		costs[n] = gangCost{math.MaxInt64, math.MaxInt64, math.MinInt64}
	}
	costs[0] = nothing
	reached := 0
	picks := make([][]uint16, len(options)) // by node and n: the option taken + 1
	for j, node := range options {
		most := 0
		for _, o := range node {
			most = max(most, o.members)
		}
		reached = min(reached+most, size)
		picks[j] = make([]uint16, size+1)
		for n := reached; n > 0; n-- {
			for i, o := range node {
				if o.members > n || costs[n-o.members].sum == math.MaxInt64 {
					continue
				}
				if c := costs[n-o.members].plus(o.cost); c.compare(costs[n]) < 0 {
					costs[n], picks[j][n] = c, uint16(i+1)
				}
			}
		}
	}
	for j, n := len(options)-1, size; j >= 0; j-- {
		if i := picks[j][n]; i > 0 {
			d.shares = append(d.shares, options[j][i-1])
			n -= options[j][i-1].members
		}
	}
	slices.SortFunc(d.shares, func(a, b share) int { return cmp.Compare(a.node.index, b.node.index) })
	return d
}

// options returns, node by node, the shares that could be part of the cheapest
// distribution.
func (s *gangSearch) options(size int, top int64, d *distribution) [][]share {
	type guess struct {
		node  int
		bound gangCost
	}
	var memory coverMemory
	covers := make([]*cover, len(s.nodes))
	guesses := make([][]guess, size+1) // by number of members
	for i := range s.nodes {
		n := &s.nodes[i]
		most := min(s.capacity(n, top), size)
		if most == 0 {
			continue
		}
		covers[i] = s.newCover(n, top, &memory)
		for k := 1; k <= most; k++ {
			if b, ok := covers[i].bound(s.missing(n, k)); ok {
				guesses[k] = append(guesses[k], guess{i, b})
			}
		}
	}
	byNode := make([][]share, len(s.nodes))
	for k := 1; k <= size; k++ {
		slices.SortStableFunc(guesses[k], func(a, b guess) int { return a.bound.compare(b.bound) })
		var found []share
		var cheapest []int // of those found, in order of cost
		for _, g := range guesses[k] {
			if len(cheapest) == size && g.bound.compare(found[cheapest[size-1]].cost) >= 0 {
				break
			}
			if s.ctx.Err() != nil {
				covers[g.node].limit, d.exact = 0, false // greedy sets from here on
			}
			x := share{node: &s.nodes[g.node], place: g.node, members: k}
			x.cost, x.refs = covers[g.node].solve(s.missing(x.node, k))
			d.exact = d.exact && covers[g.node].exact
			at, _ := slices.BinarySearchFunc(cheapest, x.cost, func(i int, cost gangCost) int {
				if c := found[i].cost.compare(cost); c != 0 {
					return c
				}
				return -1 // behind its equals
			})
			cheapest = slices.Insert(cheapest, at, len(found))
			cheapest = cheapest[:min(len(cheapest), size)]
			found = append(found, x)
		}
		for _, i := range cheapest {
			byNode[found[i].place] = append(byNode[found[i].place], found[i])
		}
	}
	return slices.DeleteFunc(byNode, func(o []share) bool { return len(o) == 0 })
}

// missing is what a node lacks for so many members with nobody evicted.
func (s *gangSearch) missing(n *gangNode, members int) []int64 {
	missing := make([]int64, len(s.demands))
	for j, d := range s.demands {
		missing[j] = int64(members)*d.Amount - n.free[j]
	}
	return missing
}

// fill writes the distribution into a plan: the members in their order to the
// nodes in theirs.
func (d *distribution) fill(p *gangPlan) {
	c := d.search.cluster
	next := 0
	for _, x := range d.shares {
		n := c.nodes[x.node.index]
		for range x.members {
			p.nodes[next] = n
			next++
		}
		p.victims = append(p.victims, c.victims(n, x.refs)...)
	}
	compare := d.search.Compare
	if compare == nil {
		compare = CompareImportance
	}
	slices.SortStableFunc(p.victims, func(a, b *Victim) int { return compare(b, a) })
}
