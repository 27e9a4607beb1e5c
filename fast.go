package preemption

import (
	"context"

	"example.com/preemption/internal/columnar"
	"example.com/preemption/internal/score"
)

// preemptFast decides by the engine. It reports false where the engine cannot
// vouch for the answer, which evaluate then has to find. That is so
//
//   - with Compare, Orders, Sampling, Extenders or Statuses, whose meaning the
//     engine does not know;
//   - with Filters that do not contain NodeResources;
//   - if the preemptor requests a resource beyond the engine's dimensions;
//   - if a filter of the caller's fails, or if no node passes them all: which
//     errors count then, only a look at every node tells.
func (e *Evaluator) preemptFast(ctx context.Context, c *Cluster, preemptor *Pod) (*Result, bool) {
	if e.Victims != VictimsReprieve || e.Budgets != BudgetsAsUpstream {
		return nil, false
	}
	if e.Compare != nil || len(e.Orders) > 0 || e.Sampling != nil || len(e.Extenders) > 0 || e.Statuses != nil {
		return nil, false
	}
	f := c.engine.borrow()
	defer c.engine.give(f)
	f.query = query{Evaluator: e, cluster: c, preemptor: preemptor}
	f.ctx = ctx
	if !f.aim() {
		return nil, false
	}
	r := f.decide()
	if f.failed {
		return nil, false
	}
	r.Preemptor, r.FilterRuns = preemptor, f.runs
	return r, true
}

// fastSearch is one decision by the engine. It is reused, so that what it needs
// is allocated once.
type fastSearch struct {
	query
	ctx   context.Context
	rules []nodeRule
	// unheard are requested resources that no pod requests: what a node has of them
	// no eviction changes.
	unheard []demand
	ports   []HostPort
	opaque  bool // filters of the caller's have a say
	sized   bool // NodeResources is among the filters
	failed  bool
	runs    int // of the filters

	search   columnar.Query
	scratch  columnar.Scratch
	yield    func(node int) bool
	blocks   func(node int, ref int32) bool
	judges   func(node int, found score.Score) (score.Score, bool)
	firstFit int
	refs     []int32
	judged   []*Candidate
}

func (e *engine) borrow() *fastSearch {
	if f, ok := e.pool.Get().(*fastSearch); ok {
		return f
	}
	f := &fastSearch{}
	f.search.Open, f.search.Self = f.open, f.self
	f.yield, f.blocks, f.judges = f.tryFit, f.blocked, f.judge
	return f
}

// give takes a search back, without what belongs to its caller.
func (e *engine) give(f *fastSearch) {
	f.query, f.ctx, f.ports = query{}, nil, nil
	clear(f.rules)
	clear(f.unheard)
	clear(f.judged)
	e.pool.Put(f)
}

// aim readies the search for its preemptor. It reports false if the engine does
// not apply.
func (f *fastSearch) aim() bool {
	f.rules, f.unheard, f.judged = f.rules[:0], f.unheard[:0], f.judged[:0]
	f.opaque, f.sized, f.failed, f.runs, f.firstFit = false, false, false, 0, -1
	f.search.Priority, f.search.Demands = f.preemptor.Priority, f.search.Demands[:0]
	f.search.Blocked, f.search.Judge = nil, nil
	if f.Filters == nil {
		f.ports, f.sized = f.preemptor.HostPorts, true
		f.rules = append(f.rules, builtinRules[:]...)
	} else {
		f.sortOut(f.Filters)
	}
	var ok bool
	f.search.Demands, f.unheard, ok = f.cluster.engine.demandsOf(f.preemptor, f.search.Demands, f.unheard)
	if !f.sized || !ok {
		return false
	}
	if len(f.ports) > 0 {
		f.search.Blocked = f.blocks
	}
	if f.opaque || f.Eligible != nil {
		prepared, err := prepare(f.filters(), f.preemptor, f.cluster)
		if err != nil {
			return false
		}
		f.prepared, f.search.Judge = prepared, f.judges
	}
	return true
}

// builtinRules are the rules among DefaultFilters.
var builtinRules = [...]nodeRule{NodeUnschedulable().(nodeRule), TaintToleration().(nodeRule), NodeSelector().(nodeRule)}

// sortOut tells the filters that the engine knows from those that it does not.
func (f *fastSearch) sortOut(filters []Filter) {
	for _, x := range filters {
		switch x := x.(type) {
		case all:
			f.sortOut(x)
		case nodeRule:
			f.rules = append(f.rules, x)
		case nodePorts:
			f.ports = f.preemptor.HostPorts
		case nodeResources:
			f.sized = true
		default:
			f.opaque = true
		}
	}
}

// demandsOf lays a pod's requests out by dimension, the scarcest first, and the
// resources apart that no pod requests. It reports false if one is not a dimension
// although pods request it. What is passed is appended to.
func (e *engine) demandsOf(p *Pod, demands []columnar.Demand, unheard []demand) ([]columnar.Demand, []demand, bool) {
	known := 0
	for d, name := range e.names {
		if amount, ok := p.Requests[name]; ok {
			known++
			if amount > 0 && d != columnar.Seat {
				demands = append(demands, columnar.Demand{Dim: d, Amount: amount})
			}
		}
	}
	demands = append(demands, columnar.Demand{Dim: columnar.Seat, Amount: 1})
	if known == len(p.Requests) {
		return demands, unheard, true
	}
	for name, amount := range p.Requests {
		if _, ok := e.dims[name]; ok || amount == 0 || name == PodCount {
			continue
		}
		if e.beyond[name] > 0 {
			return demands, unheard, false
		}
		unheard = append(unheard, demand{name, amount})
	}
	return demands, unheard, true
}

func (f *fastSearch) decide() *Result {
	table := f.cluster.engine.table
	if s := f.nominatedTo(); s == nil || !table.FitsOn(&f.search, &f.scratch, s.index) || f.tryFit(s.index) {
		table.Fits(&f.search, &f.scratch, f.yield)
	}
	if f.failed {
		return nil
	}
	if f.firstFit >= 0 {
		return &Result{Outcome: OutcomeFits, Node: f.cluster.nodes[f.firstFit]}
	}
	if no := f.mayNotNow(); no != nil {
		return no
	}
	node, found := table.Search(&f.search, &f.scratch)
	if node < 0 {
		f.failed = f.failed || f.opaque
		return &Result{Outcome: OutcomeUnhelpful, Nomination: ClearNomination}
	}
	r := f.cluster.preempt(f.preemptor, f.candidate(node, found))
	return &r
}

// tryFit takes note of the first node that takes the preemptor as it is.
func (f *fastSearch) tryFit(i int) bool {
	takes, err := f.takes(i)
	switch {
	case err != nil:
		f.failed = true
		return false
	case takes:
		f.firstFit = i
		return false
	}
	return true
}

// takes reports whether a node that has the room takes the preemptor as it is.
func (f *fastSearch) takes(i int) (bool, error) {
	s := f.cluster.slots[i]
	if f.refused(s) || f.clashes(s, func(*Pod) bool { return true }) {
		return false, nil
	}
	if !f.opaque {
		return true, nil
	}
	status, _, err := f.asIs(s.node)
	return status.Fits(), err
}

// refused reports whether the node does not take the preemptor whatever pods are
// on it.
func (f *fastSearch) refused(s *nodeSlot) bool {
	for i := range f.rules {
		if f.rules[i].refuses(f.preemptor, s.node) {
			return true
		}
	}
	for _, d := range f.unheard {
		if d.amount > s.node.Allocatable[d.name] {
			return true
		}
	}
	return false
}

// clashes reports whether a pod nominated to the node, or one of those bound to
// it that stay, has a port that the preemptor wants.
func (f *fastSearch) clashes(s *nodeSlot, stays func(*Pod) bool) bool {
	if len(f.ports) == 0 {
		return false
	}
	for _, p := range f.cluster.nominated[s.node.Name] {
		if p.Priority >= f.preemptor.Priority && !samePod(p, f.preemptor) && clashes(f.ports, p.HostPorts) > 0 {
			return true
		}
	}
	if s.ports == 0 {
		return false
	}
	for _, p := range s.pods {
		if len(p.HostPorts) > 0 && stays(p) && clashes(f.ports, p.HostPorts) > 0 {
			return true
		}
	}
	return false
}

// open reports whether clearing the node is worth a thought.
func (f *fastSearch) open(i int) bool {
	s := f.cluster.slots[i]
	return !f.refused(s) && !f.clashes(s, func(p *Pod) bool {
		priority := p.Priority
		if u := f.cluster.unitOfPod(p); u != nil {
			priority = u.victim.Priority
		}
		return priority >= f.preemptor.Priority
	})
}

func (f *fastSearch) self(id int32) bool { return samePod(f.cluster.pods.at(id).pod, f.preemptor) }

// blocked reports whether a pod, or a group's share of the node, has a port that
// the preemptor wants.
func (f *fastSearch) blocked(node int, ref int32) bool {
	if ref >= 0 {
		return clashes(f.ports, f.cluster.pods.at(ref).pod.HostPorts) > 0
	}
	v := f.cluster.engine.units[^ref].victim
	for i, p := range v.Pods {
		if v.Nodes[i] == f.cluster.nodes[node] && clashes(f.ports, p.HostPorts) > 0 {
			return true
		}
	}
	return false
}

// asIs tests a node with every pod in place.
func (f *fastSearch) asIs(n *Node) (Status, DryRun, error) {
	run, err := f.prepared.Begin(n)
	if err != nil {
		return Status{}, nil, &StepError{Step: "begin", Node: n.Name, Err: err}
	}
	status, err := f.testOn(n, run, &f.runs).fits()
	return status, run, err
}

// mayNotNow is mayNot, with the status of the nominated node computed only if it
// matters.
func (f *fastSearch) mayNotNow() *Result {
	return f.mayNot(func(s *nodeSlot) Code {
		if f.prepared == nil {
			prepared, err := prepare(f.filters(), f.preemptor, f.cluster)
			if err != nil {
				f.failed = true
				return Fits
			}
			f.prepared = prepared
		}
		status, _, err := f.asIs(s.node)
		f.failed = f.failed || err != nil
		return status.Code
	})
}

// candidate puts together what it takes to clear the node.
func (f *fastSearch) candidate(node int, found score.Score) *Candidate {
	c := f.cluster
	n := c.nodes[node]
	for _, k := range f.judged {
		if k.Node == n {
			return k
		}
	}
	f.refs = c.engine.table.Evicted(node, &f.scratch, f.refs[:0])
	return &Candidate{Node: n, Victims: c.victims(n, f.refs), Violations: int(found.Violations)}
}

// victims makes victims of residents of a node.
func (c *Cluster) victims(n *Node, refs []int32) []*Victim {
	victims := make([]*Victim, 0, len(refs))
	plain := make([]Victim, 0, len(refs))
	pods := make([]*Pod, 0, len(refs))
	on := []*Node{n}
	for _, ref := range refs {
		if ref < 0 {
			victims = append(victims, c.engine.units[^ref].victim)
			continue
		}
		p := c.pods.at(ref).pod
		pods = append(pods, p)
		plain = append(plain, Victim{Priority: p.Priority, Pods: pods[len(pods)-1 : len(pods) : len(pods)], Nodes: on, start: startOf(p.Start)})
		victims = append(victims, &plain[len(plain)-1])
	}
	return victims
}
