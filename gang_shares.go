package preemption

import (
	"math"
	"slices"
	"sort"

	"example.com/preemption/internal/columnar"
	"example.com/preemption/internal/cover"
	"example.com/preemption/internal/score"
)

// share is a number of members on one node, and what that costs at least.
type share struct {
	node    *gangNode
	members int
	cost    cover.Cost
	refs    []int32 // residents evicted
}

// distribute spreads so many members over the nodes at the least cost, with
// no pod evicted of a priority above top: the members in their order to the nodes
// in theirs.
func (s *gangSearch) distribute(p *gangPlan, size int, top int64) {
	// The distribution is over numbers: which share of which node.
	shares := s.shares(p, size, top)
	options := make([][]cover.Option, len(shares))
	for j, of := range shares {
		for _, x := range of {
			options[j] = append(options[j], cover.Option{Count: x.members, Cost: x.cost})
		}
	}
	picks, _ := cover.Distribute(options, size) // the capacities say that it can be done

	// Members are alike, so that each may take any place: they take them in order.
	next := 0
	for j, k := range picks {
		if k < 0 {
			continue
		}
		x := shares[j][k]
		n := s.cluster.Nodes()[x.node.index]
		for range x.members {
			p.nodes[next] = n
			next++
		}
		p.victims = append(p.victims, s.cluster.victims(n, x.refs)...)
	}
	sortByImportance(p.victims, s.Compare)
}

// coverSteps bounds the branching on one node: some milliseconds.
const coverSteps = 50_000

// shares returns, node by node, the shares that could be part of the cheapest
// distribution.
//
// Of the nodes that could take k members, as many of the cheapest as there are
// members will do: if another one were used, one of these would not be, and could
// take its place. Once as many nodes are known as there are members, at one member
// each, what is dearer a member than these allow is not even looked at.
func (s *gangSearch) shares(p *gangPlan, size int, top int64) [][]*share {
	// The rate is what a member costs at least, whatever share it is in.
	bounds := s.shareBounds(size, top)
	rate := int64(math.MaxInt64)
	for k, of := range bounds {
		for _, b := range of {
			rate = min(rate, b.cost.Sum/int64(k))
		}
	}

	// Shares of one member come first. The cheapest of them, on as many nodes as there
	// are members, are a distribution, and what cannot be in a cheaper one is left out.
	cutoff := cover.NoCutoff // yet
	byNode := make([][]*share, len(s.nodes))
	for k, of := range bounds {
		of = slices.DeleteFunc(of, func(b shareBound) bool { return cutoff.Excludes(k, b.cost.Sum) })

		// Only those that are among the cheapest, by their bounds, are solved.
		costs := make([]cover.Cost, len(of))
		for i, b := range of {
			costs[i] = b.cost
		}
		found := make([]*share, len(of))
		least := cover.Least(size, costs, func(i int) cover.Cost {
			found[i] = s.share(p, of[i].node, k, top)
			return found[i].cost
		})
		sum := int64(0)
		for _, i := range least {
			byNode[of[i].node] = append(byNode[of[i].node], found[i])
			sum += found[i].cost.Sum
		}
		if k == 1 && len(least) == size {
			cutoff = cover.NewCutoff(size, rate, sum)
		}
	}

	// The shares found first were found before the cutoff was known.
	for i := range byNode {
		byNode[i] = slices.DeleteFunc(byNode[i], func(x *share) bool { return cutoff.Excludes(x.members, x.cost.Sum) })
	}
	return slices.DeleteFunc(byNode, func(of []*share) bool { return len(of) == 0 })
}

// shareBound is what so many members cost at least on a node, by its index among
// those searched.
type shareBound struct {
	node int
	cost cover.Cost
}

// shareBounds returns the bounds by number of members. They take a sort a node, where
// a share takes a search, so they are computed for all nodes and numbers.
func (s *gangSearch) shareBounds(size int, top int64) [][]shareBound {
	bounds := make([][]shareBound, size+1)
	var b cover.Bounds
	for i := range s.nodes {
		n := &s.nodes[i]
		most := min(s.capacity(n, top), size)
		if most == 0 {
			continue
		}

		// The items are the same for any number of members; what is missing is not.
		g := s.evictableOn(n, top)
		b.Set(g.items, len(s.demands))
		for k := 1; k <= most; k++ {
			if cost, ok := b.Cost(g.missing(s, n, k)); ok {
				bounds[k] = append(bounds[k], shareBound{i, cost.Plus(g.cost)})
			}
		}
	}
	return bounds
}

// share returns so many members on a node at their cheapest.
func (s *gangSearch) share(p *gangPlan, node, members int, top int64) *share {
	// Once the context has ended a share is what can be had without a search, and the
	// plan is no longer exact.
	n, steps := &s.nodes[node], coverSteps
	if s.ctx.Err() != nil {
		steps = 0 // what can be had at once from here on
	}

	// Largest first, as the solver wants it. Those of equal size stay in the order of
	// importance, so that the answer is always the same.
	g := s.evictableOn(n, top)
	sort.Stable(g)
	set := s.solver.Cheapest(g.items, g.missing(s, n, members), steps)
	p.exact = p.exact && set.Exact
	x := &share{node: n, members: members, cost: set.Cost.Plus(g.cost), refs: slices.Clone(g.forced)}
	for _, i := range set.Chosen {
		x.refs = append(x.refs, g.refs[i])
	}
	return x
}

// evictable are the residents of a node that may go. They sort largest first. One is
// used for all nodes: there may be ten thousand of them, with fifty residents each.
//
// Invariant: items, refs and sizes are of the same residents, in the same order;
// what an item frees is in the slab.
type evictable struct {
	items  []cover.Item
	refs   []int32   // by item
	sizes  []float64 // by item
	forced []int32   // others, which have a port that the members want
	freed  []int64   // by these, by demand
	cost   cover.Cost
	lack   []int64
	slab   []int64
}

// evictableOn returns the residents of a node that may go and have no priority above
// top. They are valid until the next call.
func (s *gangSearch) evictableOn(n *gangNode, top int64) *evictable {
	g, dims := &s.buffer, len(s.demands)
	*g = evictable{items: g.items[:0], refs: g.refs[:0], sizes: g.sizes[:0], forced: g.forced[:0], slab: g.slab[:0],
		freed: append(g.freed[:0], make([]int64, dims)...), lack: g.lack, cost: cover.Nothing}
	for i, x := range s.table.Residents(n.index, n.first) {
		if s.top(&x) > top || !s.goes(n, &x) {
			continue // it stays: above the top, or a budget or Eligible forbids it
		}

		// What items free is appended to one slab: they are many and short.
		for _, d := range s.demands {
			g.slab = append(g.slab, s.table.Request(n.index, i, d.Dim))
		}
		amounts := g.slab[len(g.slab)-dims:]

		// What has a port that the members want goes whatever else does: it is no item,
		// but its cost and what it frees count for every number of members.
		if s.clashesWith(n, &x) {
			g.forced, g.cost = append(g.forced, x.Ref), g.cost.Plus(s.cost(&x, top))
			for j := range amounts {
				g.freed[j] += amounts[j]
			}
			continue
		}
		g.items = append(g.items, cover.Item{Amounts: amounts, Cost: s.cost(&x, top)})
		g.refs, g.sizes = append(g.refs, x.Ref), append(g.sizes, s.size(amounts))
	}
	return g
}

func (g *evictable) Len() int           { return len(g.items) }
func (g *evictable) Less(i, j int) bool { return g.sizes[i] > g.sizes[j] }
func (g *evictable) Swap(i, j int) {
	g.items[i], g.items[j] = g.items[j], g.items[i]
	g.refs[i], g.refs[j] = g.refs[j], g.refs[i]
	g.sizes[i], g.sizes[j] = g.sizes[j], g.sizes[i]
}

// missing is what the node lacks for so many members once the forced are gone.
func (g *evictable) missing(s *gangSearch, n *gangNode, members int) []int64 {
	g.lack = g.lack[:0]
	for j, d := range s.demands {
		g.lack = append(g.lack, int64(members)*d.Amount-n.free[j]-g.freed[j])
	}
	return g.lack
}

// size compares items across dimensions: in units of what one member needs, of which
// more than one is no better than one. Every resident takes a seat, so seats say
// nothing. It is the order in which items are tried and no criterion.
func (s *gangSearch) size(amounts []int64) float64 {
	size := 0.0
	for j, d := range s.demands {
		if d.Dim != columnar.Seat {
			size += min(float64(amounts[j])/float64(d.Amount), 1)
		}
	}
	return size
}

// cost is what evicting a resident costs, where no budget is violated and top is
// the highest priority. Of those of that priority the start counts.
func (s *gangSearch) cost(x *columnar.Resident, top int64) cover.Cost {
	c := cover.Cost{Sum: score.Weight(x.Priority), Count: 1, Start: score.Never}
	start := x.Start
	if x.Ref < 0 {
		u := s.table.Unit(^x.Ref)
		c.Sum, c.Count, start = u.Cost.Sum, u.Cost.Pods, u.Cost.Start
	}
	if s.top(x) == top {
		c.Start = start
	}
	return c
}
