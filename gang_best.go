package preemption

import (
	"cmp"
	"math"
	"slices"

	"example.com/preemption/internal/columnar"
	"example.com/preemption/internal/cover"
)

// BestPlacement is the planner that looks for the placement and the victims that
// cost least: the most members placed, then the fewest budget violations, the
// lowest highest priority of a victim, the smallest priority sum, the fewest pods
// and the latest start, over all victims together.
//
// It is exact, over all placements and all sets of victims, if
//
//   - the filters are the built-in ones, NodeResources among them;
//   - the members are alike to these filters;
//   - no group that could be a victim has pods on several nodes, and no resource
//     requested is beyond the engine's dimensions;
//   - no budget couples nodes: each one over a potential victim is either spent or
//     large enough for all pods that it covers, and no spent one needs violating.
//
// It finds the least priority up to which evictions make room for enough members,
// then, for each node and number of members, the cheapest set of victims up to
// that priority, then the best distribution of members over nodes.
//
// Otherwise it is a heuristic: members are placed one by one where they cost least
// beside those before them, the victims are reprieved as GivenPlacement does it,
// and the result is taken unless that planner's own is better. Either way it is
// never worse than GivenPlacement with the same Placer.
//
// If the context ends while it searches, it makes do with what it has and says
// that the result is not exact. If it has too little, there is no decision.
type BestPlacement struct {
	// Placer places the members once more where the search is not exact, and the
	// better plan is taken. Nil is LeastAllocated with the evaluator's filters.
	Placer Placer
}

func (b BestPlacement) plan(q *gangQuery, evict bool) (*gangPlan, error) {
	// With no pod evicted nothing costs anything: what counts is how many are placed.
	given := GivenPlacement{b.Placer}
	s := q.exactSearch()
	switch {
	case s != nil && !evict:
		return s.asIs(), nil
	case !evict:
		return given.plan(q, false)
	}

	// What is exact needs no comparison. If the context has ended there is no time
	// for one.
	var p *gangPlan
	var err error
	if s != nil {
		p = s.best()
	} else if p, err = q.oneByOne(); err != nil {
		return nil, err
	}
	if p.exact || q.ctx.Err() != nil {
		return p, nil
	}

	// Never worse than the given placement.
	other, err := given.plan(q, true)
	switch {
	case q.ctx.Err() != nil:
		return p, nil // the placer may have noticed
	case err != nil:
		return nil, err
	case other.better(p):
		return other, nil
	}
	return p, nil
}

// gangSearch is the exact search for the placement and the victims that cost
// least; see docs/gangs.md for why it is exact. It reads the engine's table instead
// of pods, one row a node.
//
// Invariant: nothing on a node depends on what happens on another one. newGangSearch
// refuses clusters where it does.
type gangSearch struct {
	*gangQuery
	table   *columnar.Table
	demands []columnar.Demand // of one member
	ports   []HostPort        // of one member
	nodes   []gangNode        // those that members can be placed on
	shut    bool              // others are left out to spare a budget
	avail   []int64           // by demand; capacity's
	buffer  evictable
	solver  cover.Solver
}

// gangNode is what the search keeps for a node.
type gangNode struct {
	index int     // in the cluster
	free  []int64 // by demand
	// most is how many members the node takes by what no pod requests and no eviction
	// changes, and by their own ports.
	most int64
	// first is the index of the first resident of a priority below the gang's.
	first int
}

// exactSearch returns the exact search, which serves the plan without evictions and
// that with them; nil if it does not apply.
func (q *gangQuery) exactSearch() *gangSearch {
	if q.search == nil {
		q.search = newGangSearch(q)
	}
	return q.search
}

func newGangSearch(q *gangQuery) *gangSearch {
	// Whether it applies, cheapest test first.
	c, g := q.cluster, q.gang
	f := sorted(q.Filters)
	if !f.builtin() || !f.resources || !g.alike() || len(g.Members) > cover.MostMembers || c.couplesNodes(g.Priority) {
		return nil
	}
	model := g.Members[0]
	demands, beyond, ok := c.compiled().demandsOf(model, nil, nil)
	if !ok {
		return nil
	}
	s := &gangSearch{gangQuery: q, table: c.compiled().table, demands: demands, avail: make([]int64, len(demands))}
	if f.ports {
		s.ports = wantedPorts(model)
	}

	// The nodes that take a member once enough pods are gone. What nominated pods hold
	// is not free; the nominations of members hold nothing.
	s.nodes = make([]gangNode, 0, len(c.Nodes()))
	amounts := make([]int64, len(c.Nodes())*len(demands))
	for i, node := range c.Nodes() {
		n := gangNode{index: i, most: s.perNode(node, beyond)}
		if n.most == 0 || f.refuses(model, node) || s.blocked(node) {
			continue
		}
		n.free, amounts = amounts[:len(demands):len(demands)], amounts[len(demands):]
		held := q.holding(model, node)
		for j, d := range demands {
			n.free[j] = s.table.Free(i, d.Dim)
			for _, h := range held {
				n.free[j] -= c.compiled().amount(h, d.Dim)
			}
		}
		n.first = s.table.FirstBelow(i, g.Priority)
		s.nodes = append(s.nodes, n)
	}
	return s
}

// perNode is how many members a node takes at most, whoever is evicted: by the
// resources that no pod requests, and because two members would want the same
// ports.
func (s *gangSearch) perNode(n *Node, beyond []demand) int64 {
	most := int64(len(s.gang.Members))
	if len(s.ports) > 0 {
		most = 1
	}
	for _, d := range beyond {
		most = min(most, n.Allocatable[d.name]/d.amount)
	}
	return most
}

// blocked reports whether a pod that stays has a port that the members want.
func (s *gangSearch) blocked(n *Node) bool {
	if len(s.ports) == 0 {
		return false
	}
	for _, p := range s.holding(s.gang.Members[0], n) {
		if clashes(s.ports, p.HostPorts) > 0 {
			return true
		}
	}
	for _, p := range s.cluster.PodsOn(n) {
		if clashes(s.ports, p.HostPorts) == 0 {
			continue
		}
		v := s.cluster.victimOf(p, n)
		if !s.mayEvict(v) {
			return true
		}
		if s.cluster.overdrawn(v) {
			s.shut = true
			return true
		}
	}
	return false
}

// top is the highest own priority of a resident's pods.
func (s *gangSearch) top(x *columnar.Resident) int64 {
	if x.Ref < 0 {
		return s.table.Unit(^x.Ref).Cost.Highest
	}
	return int64(x.Priority)
}

// goes reports whether a resident may be evicted without violating a budget.
func (s *gangSearch) goes(n *gangNode, x *columnar.Resident) bool {
	return !s.table.Spent(x) && (s.Eligible == nil || s.mayEvict(s.victim(n, x)))
}

// victim returns a resident as a victim.
func (s *gangSearch) victim(n *gangNode, x *columnar.Resident) *Victim {
	return s.cluster.victims(s.cluster.Nodes()[n.index], []int32{x.Ref})[0]
}

func (s *gangSearch) clashesWith(n *gangNode, x *columnar.Resident) bool {
	return len(s.ports) > 0 && slices.ContainsFunc(s.victim(n, x).Pods, func(p *Pod) bool {
		return clashes(s.ports, p.HostPorts) > 0
	})
}

// capacity returns how many members a node takes with all pods gone that may go
// and have no priority above top.
func (s *gangSearch) capacity(n *gangNode, top int64) int {
	// A pod that stays and has one of the ports rules the node out. With no pod gone only
	// the pods' ports are of interest, if the members want any.
	copy(s.avail, n.free)
	if top > math.MinInt64 || len(s.ports) > 0 {
		for i, x := range s.table.Residents(n.index, n.first) {
			if s.top(&x) <= top && s.goes(n, &x) {
				for j, d := range s.demands {
					s.avail[j] += s.table.Request(n.index, i, d.Dim)
				}
			} else if s.clashesWith(n, &x) {
				return 0
			}
		}
	}

	// The scarcest dimension decides. Less than nothing may be available, where pods
	// are bound that do not fit.
	fit := n.most
	for j, d := range s.demands {
		fit = min(fit, max(s.avail[j], 0)/d.Amount)
	}
	return int(fit)
}

// capacityUpTo sums the capacities, but stops once all members are placed.
func (s *gangSearch) capacityUpTo(top int64) int {
	sum := 0
	for i := range s.nodes {
		if sum += s.capacity(&s.nodes[i], top); sum >= len(s.gang.Members) {
			return len(s.gang.Members)
		}
	}
	return sum
}

// asIs places the members in node order with no pod evicted.
func (s *gangSearch) asIs() *gangPlan {
	p := s.newPlan()
	next := 0
	for i := range s.nodes {
		n := &s.nodes[i]
		for range min(s.capacity(n, math.MinInt64), len(p.nodes)-next) {
			p.nodes[next] = s.cluster.Nodes()[n.index]
			next++
		}
	}
	p.leaveOut(next)
	return p
}

func (s *gangSearch) newPlan() *gangPlan {
	members := len(s.gang.Members)
	return &gangPlan{nodes: make([]*Node, members), reasons: make([]string, members), exact: true}
}

// leaveOut says why the members from one on are not placed.
func (p *gangPlan) leaveOut(from int) {
	for i := from; i < len(p.nodes); i++ {
		short := "no node has room for more members"
		p.refused(i, short, Status{Code: Unschedulable, Reasons: []string{short}})
	}
}

// best finds the plan that places the most members at the least cost.
func (s *gangSearch) best() *gangPlan {
	// As many members as there is room for with all gone that may go.
	tops := s.tops()
	size := s.capacityUpTo(tops[len(tops)-1])
	p := s.newPlan()
	p.leaveOut(size)
	// With spent budgets violated more members might be placed. That the search does
	// not know.
	p.exact = size == len(p.nodes) || !s.anySpent() || s.Budgets == BudgetsRespected
	if size == 0 {
		return p
	}

	// The least priority that suffices: capacities grow with it.
	i, _ := slices.BinarySearchFunc(tops, size, func(top int64, size int) int {
		return cmp.Compare(s.capacityUpTo(top), size)
	})
	s.distribute(p, size, tops[i])
	return p
}

// tops returns the priorities of those that may go, ascending, after one that is
// below all of them. That one stands for no eviction at all.
func (s *gangSearch) tops() []int64 {
	seen := make(map[int64]bool)
	tops := []int64{math.MinInt64}
	for i := range s.nodes {
		n := &s.nodes[i]
		last := int64(math.MinInt64) // neighbours often have the same
		for _, x := range s.table.Residents(n.index, n.first) {
			if top := s.top(&x); top != last && !seen[top] {
				seen[top] = true
				tops = append(tops, top)
				last = top
			}
		}
	}
	slices.Sort(tops)
	return tops
}

// anySpent reports whether the search left pods alone to spare a budget.
func (s *gangSearch) anySpent() bool {
	if s.shut {
		return true
	}
	for i := range s.nodes {
		for _, x := range s.table.Residents(s.nodes[i].index, s.nodes[i].first) {
			if s.table.Spent(&x) {
				return true
			}
		}
	}
	return false
}
