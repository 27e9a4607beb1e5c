package preemption

import (
	"cmp"
	"math"
	"slices"

	"example.com/preemption/internal/columnar"
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
	// Placer is the one to be no worse than where the search is not exact. Nil is
	// LeastAllocated with the evaluator's filters.
	Placer Placer
}

func (b BestPlacement) plan(q *gangQuery) (*gangPlan, error) {
	if s := newGangSearch(q); s != nil {
		p := s.best()
		if p.exact {
			return p, nil
		}
		return b.noWorse(q, p)
	}
	p, err := q.oneByOne()
	if err != nil {
		return nil, err
	}
	return b.noWorse(q, p)
}

// noWorse returns the plan, or that of the given placement if it is better.
func (b BestPlacement) noWorse(q *gangQuery, p *gangPlan) (*gangPlan, error) {
	if q.ctx.Err() != nil {
		return p, nil
	}
	given, err := GivenPlacement{b.Placer}.plan(q)
	if q.ctx.Err() != nil {
		return p, nil // the placer may have noticed
	}
	if err != nil {
		return nil, err
	}
	if given.better(p) {
		return given, nil
	}
	return p, nil
}

// fitsAsIs places the members with nobody evicted, if that can be done.
func (b BestPlacement) fitsAsIs(q *gangQuery) (*gangPlan, error) {
	if s := newGangSearch(q); s != nil {
		if s.capacityUpTo(math.MinInt64) < len(q.gang.Members) {
			return nil, nil
		}
		return s.asIs(), nil
	}
	return q.fitsAsIs(GivenPlacement{b.Placer})
}

// gangSearch is the exact search.
type gangSearch struct {
	*gangQuery
	table   *columnar.Table
	demands []columnar.Demand // of one member
	ports   []HostPort
	nodes   []gangNode // those that members can be placed on
	shut    bool       // others are left out to spare a budget
}

// gangNode is what the search keeps for a node.
type gangNode struct {
	index int
	free  []int64 // by demand
	// most is how many members the node takes by what no pod requests and no eviction
	// changes, and by their own ports.
	most int64
	// first is the index of the first resident that may go.
	first int
}

// mostMembers bounds the gangs that are searched exactly: the search notes choices
// among as many in 16 bits.
const mostMembers = math.MaxUint16 - 1

// newGangSearch readies the exact search, nil if it does not apply.
func newGangSearch(q *gangQuery) *gangSearch {
	f, ok := builtin(q.filters())
	if !ok || !f.resources || !q.gang.alike() || len(q.gang.Members) > mostMembers {
		return nil
	}
	s := &gangSearch{gangQuery: q, table: q.cluster.engine.table}
	if f.ports {
		s.ports = q.gang.Members[0].HostPorts
	}
	aim := fastSearch{query: query{Evaluator: q.Evaluator, cluster: q.cluster, preemptor: q.gang.Members[0]}}
	if !aim.demand() || q.coupled() {
		return nil
	}
	s.demands = aim.search.Demands
	aim.rules, aim.ports = f.rules, s.ports
	for i, slot := range q.cluster.slots {
		if aim.refused(slot) || s.blocked(slot) {
			continue
		}
		n := gangNode{index: i, most: s.perNode()}
		for _, d := range aim.unheard {
			n.most = min(n.most, slot.node.Allocatable[d.name]/d.amount)
		}
		held := q.holding(q.gang.Members[0], slot.node)
		for _, d := range s.demands {
			free := s.table.Free(i, d.Dim)
			for _, h := range held {
				free -= q.cluster.engine.amount(h, d.Dim)
			}
			n.free = append(n.free, free)
		}
		residents, _ := s.table.Residents(i)
		n.first = firstBelow(residents, q.gang.Priority)
		s.nodes = append(s.nodes, n)
	}
	return s
}

// amount is what a pod takes in one dimension.
func (e *engine) amount(p *Pod, dim int) int64 {
	if dim == columnar.Seat {
		return 1
	}
	return p.Requests[e.names[dim]]
}

func firstBelow(residents []columnar.Resident, priority int32) int {
	i, _ := slices.BinarySearchFunc(residents, priority, func(x columnar.Resident, p int32) int {
		if x.Priority >= p {
			return -1
		}
		return 1
	})
	return i
}

// coupled reports whether victims on different nodes depend on each other, by a
// group or by a budget that could run out.
func (q *gangQuery) coupled() bool {
	c := q.cluster
	for _, u := range c.inUnits() {
		v := u.victim
		if v.Priority < q.gang.Priority && slices.ContainsFunc(v.Nodes, func(n *Node) bool { return n != v.Nodes[0] }) {
			return true
		}
	}
	under := make(map[*budgetEntry]int)
	for i := range c.covers.sets {
		for _, b := range c.covers.sets[i].over {
			under[b] += len(c.covers.sets[i].slots)
		}
	}
	for b, n := range under {
		if b.budget.Allowed > 0 && int(b.budget.Allowed) < n {
			return true
		}
	}
	return false
}

// blocked reports whether a pod that stays has a port that the members want.
func (s *gangSearch) blocked(slot *nodeSlot) bool {
	if len(s.ports) == 0 {
		return false
	}
	for _, p := range s.holding(s.gang.Members[0], slot.node) {
		if clashes(s.ports, p.HostPorts) > 0 {
			return true
		}
	}
	for _, p := range slot.pods {
		if clashes(s.ports, p.HostPorts) == 0 {
			continue
		}
		v := s.cluster.victimOf(p, slot)
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

// victimOf returns the unit that a bound pod is evicted with.
func (c *Cluster) victimOf(p *Pod, slot *nodeSlot) *Victim {
	if u := c.unitOfPod(p); u != nil {
		return u.victim
	}
	return NewPodVictim(p, slot.node)
}

// overdrawn reports whether evicting the victim surely violates a budget.
func (c *Cluster) overdrawn(v *Victim) bool {
	for _, p := range v.Pods {
		for _, b := range c.covers.budgets(c.pods.at(c.pods.find(p.Namespace, p.Name)).cover) {
			if b.budget.Allowed <= 0 {
				return true
			}
		}
	}
	return false
}

// perNode is how many members a node takes at most, whatever is evicted: two of
// them would want the same ports.
func (s *gangSearch) perNode() int64 {
	if len(s.ports) > 0 {
		return 1
	}
	return int64(len(s.gang.Members))
}

// top is the highest own priority of a resident's pods.
func (s *gangSearch) top(x *columnar.Resident) int64 {
	if x.Ref < 0 {
		return s.table.Units[^x.Ref].Cost.Highest
	}
	return int64(x.Priority)
}

// goes reports whether a resident may be evicted without violating a budget.
func (s *gangSearch) goes(n *gangNode, x *columnar.Resident) bool {
	return !s.table.Spent(x) && (s.Eligible == nil || s.mayEvict(s.victim(n, x)))
}

// victim returns a resident as a victim.
func (s *gangSearch) victim(n *gangNode, x *columnar.Resident) *Victim {
	return s.cluster.victims(s.cluster.nodes[n.index], []int32{x.Ref})[0]
}

// capacity returns how many members a node takes with everybody gone who may go
// and has no pod of a priority above top.
func (s *gangSearch) capacity(n *gangNode, top int64) int {
	fit := n.most
	residents, requests := s.table.Residents(n.index)
	w := s.table.Dims() - 1
	avail := slices.Clone(n.free)
	if top > math.MinInt64 {
		for i := n.first; i < len(residents); i++ {
			x := &residents[i]
			if s.top(x) > top || !s.goes(n, x) {
				continue
			}
			for j, d := range s.demands {
				avail[j] += amountOf(x, requests[i*w:], d.Dim)
			}
		}
	}
	for j, d := range s.demands {
		fit = min(fit, max(avail[j], 0)/d.Amount)
	}
	if fit > 0 && len(s.ports) > 0 && s.portsTaken(n, top) {
		return 0
	}
	return int(fit)
}

func amountOf(x *columnar.Resident, requests []int64, dim int) int64 {
	if dim == columnar.Seat {
		return int64(x.Seats)
	}
	return requests[dim-1]
}

// portsTaken reports whether somebody who stays up to a priority has a port that
// the members want.
func (s *gangSearch) portsTaken(n *gangNode, top int64) bool {
	residents, _ := s.table.Residents(n.index)
	for i := n.first; i < len(residents); i++ {
		if x := &residents[i]; s.top(x) > top && s.clashesWith(n, x) {
			return true
		}
	}
	return false
}

func (s *gangSearch) clashesWith(n *gangNode, x *columnar.Resident) bool {
	if len(s.ports) == 0 {
		return false
	}
	return slices.ContainsFunc(s.victim(n, x).Pods, func(p *Pod) bool { return clashes(s.ports, p.HostPorts) > 0 })
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

// asIs places the members in node order with nobody evicted.
func (s *gangSearch) asIs() *gangPlan {
	p := s.newPlan()
	next := 0
	for i := range s.nodes {
		n := &s.nodes[i]
		for range min(s.capacity(n, math.MinInt64), len(p.nodes)-next) {
			p.nodes[next] = s.cluster.nodes[n.index]
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

// tops returns the priorities of those who may go, ascending, after one that is
// below all of them.
func (s *gangSearch) tops() []int64 {
	seen := make(map[int64]bool)
	tops := []int64{math.MinInt64}
	for i := range s.nodes {
		n := &s.nodes[i]
		residents, _ := s.table.Residents(n.index)
		last := int64(math.MinInt64)
		for j := n.first; j < len(residents); j++ {
			if top := s.top(&residents[j]); top != last && !seen[top] {
				seen[top] = true
				tops = append(tops, top)
				last = top
			}
		}
	}
	slices.Sort(tops)
	return tops
}

// best finds the plan that places the most members at the least cost.
func (s *gangSearch) best() *gangPlan {
	tops := s.tops()
	size := s.capacityUpTo(tops[len(tops)-1])
	p := s.newPlan()
	p.leaveOut(size)
	// With spent budgets violated more members might be placed. That the search does
	// not know.
	p.exact = size == len(p.nodes) || !s.anySpent()
	if size == 0 {
		return p
	}
	// The least priority that suffices: capacities grow with it.
	i, _ := slices.BinarySearchFunc(tops, size, func(top int64, size int) int {
		return cmp.Compare(s.capacityUpTo(top), size)
	})
	d := s.distribute(size, tops[i])
	p.exact = p.exact && d.exact
	d.fill(p)
	return p
}

// anySpent reports whether the search left somebody alone to spare a budget.
func (s *gangSearch) anySpent() bool {
	if s.shut {
		return true
	}
	for i := range s.nodes {
		residents, _ := s.table.Residents(s.nodes[i].index)
		for j := s.nodes[i].first; j < len(residents); j++ {
			if s.table.Spent(&residents[j]) {
				return true
			}
		}
	}
	return false
}
