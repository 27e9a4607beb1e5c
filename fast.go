package preemption

import (
	"context"
	"maps"
	"slices"

	"example.com/preemption/internal/columnar"
)

// preemptFast decides by the engine, which changes no answer: twins in the tests decide by
// both, and compare. It reports false where the engine cannot
// vouch for the answer, which evaluate then has to find. That is so
//
//   - with Accept, Compare, Sampling or Extenders, or with Orders other than the
//     built-in ones, whose meaning the engine does not know;
//   - with a caller's filters that take dry runs, if the policy or the orders
//     are not kube-scheduler's;
//   - with Filters that do not contain NodeResources;
//   - if the preemptor requests a resource beyond the engine's dimensions;
//   - if a caller's filter fails, or if no node can be cleared and on one nothing
//     would have to go: which errors count then, only a look at every node tells.
func (e *Evaluator) preemptFast(ctx context.Context, c *Cluster, preemptor *Pod) (*Result, bool) {
	policy, ok := e.policy()
	if !ok || e.Accept != nil || e.Compare != nil || e.Sampling != nil || len(e.Extenders) > 0 {
		return nil, false
	}
	f := c.engine.borrow()
	defer c.engine.giveBack(f)
	f.query = query{Evaluator: e, cluster: c, preemptor: preemptor}
	f.ctx, f.search.Policy = ctx, policy
	if !f.aim() || f.search.Judge != nil && !policy.IsZero() {
		return nil, false
	}
	r := f.answer()
	if f.failed {
		return nil, false
	}
	r.Preemptor, r.FilterRuns = preemptor, f.filterRuns
	return r, true
}

// fastSearch is one decision by the engine. It is reused, so that what it needs
// is allocated once.
//
// It stands between the table, which knows numbers alone, and the caller, whose filters
// and pods only it knows: the table calls back where arithmetic leaves something open
// (open, blocked, spares, ownFilters), mostly for the few nodes that may be the best.
//
// Invariant: failed ends the decision without an answer, whatever was found before. A
// callback has no way to return an error, so it says that nothing is possible and leaves
// the error in err.
type fastSearch struct {
	query
	ctx    context.Context
	sorted *sortedFilters // those by default, or what is given
	given  sortedFilters
	// beyond are requested resources that no pod requests: no eviction changes what
	// a node has of them.
	beyond     []demand
	ports      []HostPort
	statuses   []knownStatus  // what the caller knows of each node; empty without Statuses
	ownOnNode  []nodeStatuser // the caller's filters that look at the node alone
	own        ownFilters     // the caller's others
	failed     bool
	err        error // what failed last
	filterRuns int
	fitNode    int // a node that takes the preemptor, -1 while none is known

	// What the last preemptor asked of nodes, and how many kinds there were so far.
	kinds       int64
	tolerations []Toleration
	selector    map[string]string

	search  columnar.Query
	scratch columnar.Scratch
	refs    []int32
	inexact bool // there may be better victims on a node than were found

	// What the search calls back, bound once.
	itself  func(id int32) bool
	tried   func(node int) bool
	opened  func(node int) bool
	blocks  func(node int, ref int32) bool
	sparing func(node int, ref int32) bool
}

// A knownStatus is a code, or that the caller knows none.
type knownStatus uint8

const unknownStatus knownStatus = 255

// borrow returns a search that nobody else uses: queries may run at the same time.
func (e *engine) borrow() *fastSearch {
	if f, ok := e.pool.Get().(*fastSearch); ok {
		return f
	}
	f := &fastSearch{kinds: 1} // of those without tolerations and selector
	f.search.Hard, f.itself = f.selectHard, f.self
	f.tried, f.opened, f.blocks, f.sparing = f.tryFit, f.open, f.blocked, f.spares
	f.own.search = f
	return f
}

// giveBack takes a search back, without what belongs to its caller.
func (e *engine) giveBack(f *fastSearch) {
	f.query, f.ctx, f.ports, f.sorted, f.err = query{}, nil, nil, nil, nil
	f.given.reset()
	clear(f.beyond)
	clear(f.ownOnNode)
	f.own.forget()
	e.pool.Put(f)
}

// aim readies the search for its preemptor. It reports false if the engine does
// not apply.
func (f *fastSearch) aim() bool {
	f.failed, f.err, f.filterRuns, f.fitNode, f.statuses, f.inexact = false, nil, 0, -1, f.statuses[:0], false
	if f.sorted = &sortedDefaults; f.Filters != nil {
		f.sorted = &f.given
		f.given.add(f.Filters)
	}
	if !f.sorted.resources {
		return false
	}

	// What arithmetic asks for.
	var ok bool
	f.search.Priority = f.preemptor.Priority
	f.search.Demands, f.beyond, ok = f.cluster.engine.demandsOf(f.preemptor, f.search.Demands[:0], f.beyond[:0])
	if !ok {
		return false
	}
	f.search.Open, f.search.Self, f.search.Blocked, f.search.Spared, f.search.Judge = f.opened, nil, nil, nil, nil
	if f.cluster.mayBeNominee(f.preemptor) {
		f.search.Self = f.itself // mostly it is not, which saves looking at all of them
	}
	f.search.Kind = f.kind()
	if f.ports = nil; f.sorted.ports && len(f.preemptor.HostPorts) > 0 {
		f.ports, f.search.Blocked = f.preemptor.HostPorts, f.blocks
	}

	// What the caller has to be asked.
	if f.Eligible != nil {
		f.search.Spared = f.sparing
	}
	if f.ownOnNode = f.ownOnNode[:0]; len(f.sorted.own) > 0 {
		if !f.prepareOwn() {
			return false
		}
		if len(f.own.filters) > 0 {
			f.search.Judge = &f.own
		}
	}
	return true
}

// kind tells the search which preemptors are alike to it, numbers left aside: those of
// one job. It returns zero for one that may be like no other, since its caller has a
// say on nodes, or it may be nominated. Of ports and spared pods the search knows.
func (f *fastSearch) kind() int64 {
	p := f.preemptor
	if f.Filters != nil || f.Statuses != nil || len(f.beyond) > 0 || f.search.Self != nil {
		return 0
	}
	if !slices.Equal(f.tolerations, p.Tolerations) || !maps.Equal(f.selector, p.NodeSelector) {
		f.kinds++
		f.tolerations, f.selector = slices.Clone(p.Tolerations), maps.Clone(p.NodeSelector)
	}
	return f.kinds
}

// prepareOwn readies the caller's filters. Those that look at the node alone are
// told from those that take dry runs.
func (f *fastSearch) prepareOwn() bool {
	f.own.reset()
	for i, x := range f.sorted.own {
		if x == nil {
			return false // which is said where it is looked at in turn
		}
		p, err := x.Prepare(f.preemptor, f.cluster)
		if err != nil {
			return false
		}
		if n, ok := p.(nodeStatuser); ok {
			f.ownOnNode = append(f.ownOnNode, n)
		} else if p != nil {
			f.own.enter(i, namedPrepared{x.Name(), p})
		}
	}
	return true
}

// answer decides, in the order of kube-scheduler: a node that takes the preemptor as it
// is, then whether it may preempt, then the best node to clear.
func (f *fastSearch) answer() *Result {
	// Does a node take the preemptor as it is? The one that it is nominated to is
	// tried first.
	table := f.cluster.engine.table
	asked := f.askStatuses()
	if s := f.nominatedTo(); (s == nil || !f.settledBy(s.index)) && !asked {
		table.Fits(&f.search, &f.scratch, f.tried)
	}
	if f.failed {
		return nil
	}
	if f.fitNode >= 0 {
		return &Result{Outcome: OutcomeFits, Node: f.cluster.nodes[f.fitNode]}
	}

	// May it preempt?
	if no := f.mayNot(f.codeAsIs); no != nil {
		return no
	}

	// Which node is the best to clear? Where none can be, a node on which nothing would
	// have to go is one that a filter refuses for reasons unknown to arithmetic: what to say
	// then the composable functions know.
	node, found := table.Search(&f.search, &f.scratch)
	if node < 0 {
		f.failed = f.failed || f.scratch.Stats.Idle > 0
		return &Result{Outcome: OutcomeUnhelpful, Nomination: ClearNomination, Exact: f.exactly()}
	}
	r := f.cluster.preempt(f.preemptor, f.candidate(node, found))
	r.Exact = f.exactly()
	return &r
}

// exactly reports whether the best victims were looked for, and every search ended
// by itself.
func (f *fastSearch) exactly() bool {
	return f.search.Policy.Best && !f.inexact
}

// askStatuses asks the caller what it knows of each node, and takes note of the
// first that takes the preemptor by that. It reports whether the caller knows all.
func (f *fastSearch) askStatuses() (all bool) {
	if f.Statuses == nil {
		return false
	}
	all = true
	for i, n := range f.cluster.nodes {
		status, known := f.Statuses(n)
		if !known {
			f.statuses = append(f.statuses, unknownStatus)
			all = false
			continue
		}
		f.statuses = append(f.statuses, knownStatus(status.Code))
		if status.Fits() && f.fitNode < 0 {
			f.fitNode = i
		}
	}
	return all
}

// settledBy reports whether the node that the preemptor is nominated to takes it,
// by what the caller knows or as it is. If it fails, so it will in its turn among all
// nodes, unless one before it fits.
func (f *fastSearch) settledBy(i int) bool {
	takes := f.status(i) == knownStatus(Fits)
	if f.status(i) == unknownStatus && f.cluster.engine.table.FitsOn(&f.search, &f.scratch, i) {
		takes, _ = f.takes(i)
	}
	if takes {
		f.fitNode = i
	}
	return takes
}

// status returns what the caller knows of a node.
func (f *fastSearch) status(i int) knownStatus {
	if len(f.statuses) == 0 {
		return unknownStatus
	}
	return f.statuses[i]
}

// tryFit takes note of the first node that takes the preemptor as it is.
func (f *fastSearch) tryFit(i int) bool {
	if f.fitNode >= 0 && f.fitNode < i {
		return false // by what the caller knows
	}
	if f.status(i) != unknownStatus {
		return true
	}
	switch takes, err := f.takes(i); {
	case err != nil:
		f.fail(err)
	case takes:
		f.fitNode = i
	default:
		return true
	}
	return false
}

// takes reports whether a node that has the room takes the preemptor as it is.
func (f *fastSearch) takes(i int) (bool, error) {
	// What fails here does not end the search: it may be about a node that is never asked
	// for again. Who asked decides.
	s := f.cluster.slots[i]
	takes := !f.refused(s) && !f.clashes(s, func(*Pod) bool { return true }) && (f.search.Judge == nil || f.own.fitAsIs(s.node))
	err := f.err
	f.err, f.failed = nil, false
	return takes && err == nil, err
}

// fail ends the search: the engine cannot vouch for an answer.
func (f *fastSearch) fail(err error) { f.err, f.failed = err, true }

// refused reports whether the node does not take the preemptor whatever pods are
// on it. Rules of the library come first, since they cost the least.
func (f *fastSearch) refused(s *nodeSlot) bool {
	if f.sorted.refuses(f.preemptor, s.node) {
		return true
	}
	for _, d := range f.beyond {
		if d.amount > s.node.Allocatable[d.name] {
			return true
		}
	}
	for _, x := range f.ownOnNode {
		f.filterRuns++
		status, err := x.NodeStatus(s.node)
		if err != nil {
			f.fail(&StepError{Step: "begin", Node: s.node.Name, Err: err})
		}
		if err != nil || !status.Fits() {
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
		if clashes(f.ports, p.HostPorts) > 0 && stays(p) {
			return true
		}
	}
	return false
}

// open reports whether clearing the node is worth a thought: no rule refuses it, and no
// pod that may not go has a port that the preemptor wants.
func (f *fastSearch) open(i int) bool {
	if f.failed || f.status(i) == knownStatus(Unresolvable) {
		return false
	}
	// A pod of a group goes with the group or not at all, so the group's rank says whether
	// its port becomes free.
	s := f.cluster.slots[i]
	return !f.refused(s) && !f.clashes(s, func(p *Pod) bool {
		priority := p.Priority
		if u := f.cluster.unitOfPod(p); u != nil {
			priority = u.tally.Rank()
		}
		return priority >= f.preemptor.Priority
	})
}

// self reports whether a nominated pod is the preemptor, which does not hold its place
// against itself.
func (f *fastSearch) self(id int32) bool { return samePod(f.cluster.pods.at(id).pod, f.preemptor) }

// blocked reports whether a pod, or a group's share of the node, has a port that
// the preemptor wants.
func (f *fastSearch) blocked(node int, ref int32) bool {
	if ref >= 0 {
		return clashes(f.ports, f.cluster.pods.at(ref).pod.HostPorts) > 0
	}
	v := f.cluster.victimIn(f.cluster.engine.units[^ref])
	for i, p := range v.Pods {
		if v.Nodes[i] == f.cluster.nodes[node] && clashes(f.ports, p.HostPorts) > 0 {
			return true
		}
	}
	return false
}

// spares reports whether Eligible spares a victim of lower priority.
func (f *fastSearch) spares(node int, ref int32) bool {
	f.refs = append(f.refs[:0], ref)
	v := f.cluster.victims(f.cluster.nodes[node], f.refs)[0]
	return !v.affected(func(n *Node) bool { return f.Eligible(f.preemptor, v, n) })
}
