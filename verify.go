package preemption

import (
	"slices"

	"example.com/preemption/internal/best"
	"example.com/preemption/internal/columnar"
	"example.com/preemption/internal/score"
)

// ownFilters asks the caller's filters about the nodes that arithmetic can clear
// ([columnar.Judge]). The built-in filters are settled by arithmetic, so only
// the caller's are asked, and those only what arithmetic leaves open: a set of
// pods that is too much for the built-in filters is too much for all.
type ownFilters struct {
	search  *fastSearch
	filters preparedAll
	places  []int // among the caller's filters, in order
	calm    bool  // all are monotone

	node *Node
	test fitTest
}

// enter appends a filter, which has that place among the caller's filters.
func (o *ownFilters) enter(place int, p namedPrepared) {
	o.filters = append(o.filters, p)
	o.places = append(o.places, place)
	o.calm = o.calm && monotone(p.Prepared)
}

func (o *ownFilters) reset() { o.filters, o.places, o.calm = o.filters[:0], o.places[:0], true }

// forget lets go of what belongs to the caller.
func (o *ownFilters) forget() {
	clear(o.filters)
	o.filters, o.node, o.test = o.filters[:0], nil, fitTest{}
}

// begin starts the dry run of a node, with every pod in place. The context is asked
// here, where time is spent in code that is not the engine's.
func (o *ownFilters) begin(n *Node) bool {
	f := o.search
	if err := f.ctx.Err(); err != nil {
		f.fail(err)
		return false
	}
	run, err := o.filters.Begin(n)
	if err != nil {
		f.fail(&StepError{Step: "begin", Node: n.Name, Err: err})
		return false
	}
	o.node, o.test = n, f.testOn(n, run, &f.filterRuns)
	return true
}

// check reports whether something failed, which ends the search.
func (o *ownFilters) check(err error) (failed bool) {
	if err != nil {
		o.search.fail(err)
	}
	return o.search.failed
}

// fits is the fit test as far as the caller's filters go.
func (o *ownFilters) fits() bool {
	status, err := o.test.fits()
	return !o.check(err) && status.Fits()
}

// firstOf returns the dry run of the first n filters alone.
func firstOf(r *allRun, n int) *allRun {
	steps := r.steps
	for len(steps) > 0 && steps[len(steps)-1].at >= n {
		steps = steps[:len(steps)-1]
	}
	return &allRun{steps: steps}
}

// fitAsIs reports whether a node takes the preemptor with every pod in place.
func (o *ownFilters) fitAsIs(n *Node) bool { return o.begin(n) && o.fits() }

// Begin turns to a node. It reports whether its status, with every pod in place,
// is one that evictions may resolve. If a built-in filter refuses it, which
// arithmetic knows, that is so, unless a caller's filter that comes before gives
// another reason.
func (o *ownFilters) Begin(node int, room bool) bool {
	f := o.search
	s := f.cluster.slots[node]
	if !o.begin(s.node) {
		return false
	}
	if f.status(node) == knownStatus(Unschedulable) {
		return true
	}

	// The first refusal is the status, so only the filters before the built-in one that
	// refuses have a say.
	asked := len(o.filters) // those whose answer counts
	if !room {
		asked = o.before(f.sorted.beforeResources)
	}
	clash := f.clashes(s, func(*Pod) bool { return true })
	if clash {
		asked = min(asked, o.before(f.sorted.beforePorts))
	}
	if asked == 0 && len(o.test.nominated) == 0 {
		return true
	}

	// If they all pass, the status is the built-in filter's. If nothing refuses, the
	// node takes the preemptor as it is, and evictions have nothing to resolve.
	test := o.test
	test.run = firstOf(o.test.run.(*allRun), asked)
	status, err := test.fits()
	if o.check(err) {
		return false
	}
	if status.Fits() {
		return !room || clash
	}
	return status.Code == Unschedulable
}

// before returns how many of the filters come before a place.
func (o *ownFilters) before(place int) int {
	n := 0
	for n < len(o.places) && o.places[n] < place {
		n++
	}
	return n
}

// Accepts reports whether the filters let stay what arithmetic keeps, given the
// evicted. If they are monotone and the preemptor fits beside all of it, it
// fitted beside every part of it, so going one by one would have kept the same.
// Where a group has a share of the node nothing is known to be monotone: it may
// reach nodes that filters look at.
func (o *ownFilters) Accepts(node int, evicted []int32, grouped bool) bool {
	if !o.calm || grouped {
		return false
	}
	for _, ref := range evicted {
		o.Remove(ref)
	}
	if !o.search.failed && o.fits() {
		return true
	}

	// Refused: the reprieve begins with every pod in place.
	for i := len(evicted) - 1; i >= 0; i-- {
		o.add(evicted[i])
	}
	return false
}

// The reprieve one by one, where the table goes through the residents and asks about each.

// Remove takes a resident out.
func (o *ownFilters) Remove(ref int32) { o.move(ref, o.test.run.Remove) }

// Fits reports whether the preemptor fits beside what is left.
func (o *ownFilters) Fits() bool { return !o.search.failed && o.fits() }

// PutBack puts a resident back, and takes it out again if the preemptor does not fit
// beside it, by arithmetic (no room) or by the filters. It reports whether it stays.
func (o *ownFilters) PutBack(ref int32, room bool) bool {
	if o.add(ref); room && o.Fits() {
		return true
	}
	o.Remove(ref)
	return false
}

// add puts a resident back.
func (o *ownFilters) add(ref int32) { o.move(ref, o.test.run.Add) }

// move adds or removes the pods of a resident, a group's on other nodes too.
func (o *ownFilters) move(ref int32, step func(p *Pod, on *Node) error) {
	if o.search.failed {
		return
	}
	c := o.search.cluster
	if ref >= 0 {
		o.check(step(c.pods.at(ref).pod, o.node))
		return
	}

	// A filter may look at all of a group's nodes.
	v := c.victimIn(c.engine.units[^ref])
	for i, p := range v.Pods {
		if o.check(step(p, v.Nodes[i])) {
			return
		}
	}
}

var _ columnar.Judge = (*ownFilters)(nil)

// codeAsIs is the code of the status of a node with every pod in place.
func (f *fastSearch) codeAsIs(s *nodeSlot) Code {
	if known := f.status(s.index); known != unknownStatus {
		return Code(known)
	}
	status, err := f.statusAsIs(s)
	if err != nil {
		f.fail(err)
	}
	return status.Code
}

// statusAsIs asks all filters, the built-in ones among them: which of several refusals
// is the status goes by their order.
func (f *fastSearch) statusAsIs(s *nodeSlot) (Status, error) {
	run, err := f.beginOn(s)
	if err != nil {
		return Status{}, err
	}
	test := f.testOn(s.node, run, &f.filterRuns)
	return test.fits()
}

// beginOn returns a dry run of all filters. Few decisions need one, so the filters are
// prepared when the first does.
func (f *fastSearch) beginOn(s *nodeSlot) (DryRun, error) {
	if f.prepared == nil {
		prepared, err := prepare(f.query.filters(), f.preemptor, f.cluster)
		if err != nil {
			return nil, err
		}
		f.prepared = prepared
	}
	return f.prepared.Begin(s.node)
}

// selectHard selects the victims on a node whose search for the best had to end
// early. It asks as Examine does, so that both find the same.
func (f *fastSearch) selectHard(node int) (found score.Score, goes func(ref int32) bool, ok bool) {
	slot := f.cluster.slots[node]
	run, err := f.beginOn(slot)
	if err != nil {
		f.fail(err)
		return found, nil, false
	}
	s, err := f.selectOn(slot, run, nil, &f.filterRuns)
	if err != nil {
		f.fail(err)
		return found, nil, false
	}

	// The search goes by residents, the selection by victims: the first pod tells which
	// is which.
	f.inexact = f.inexact || !s.Exact
	k := Candidate{Victims: s.Victims, Violations: s.Violations}
	goes = func(ref int32) bool {
		first := f.cluster.victims(slot.node, []int32{ref})[0].Pods[0]
		return slices.ContainsFunc(s.Victims, func(v *Victim) bool { return v.Pods[0] == first })
	}
	return k.score(), goes, len(s.Victims) > 0
}

// candidate puts together what it takes to clear the node, from what the search left of
// its last best.
func (f *fastSearch) candidate(node int, found score.Score) *Candidate {
	c := f.cluster
	f.refs = c.engine.table.Evicted(node, &f.scratch, f.refs[:0])
	return &Candidate{Node: c.nodes[node], Victims: c.victims(c.nodes[node], f.refs), Violations: int(found.Violations)}
}

// victims makes victims of residents of a node. Plain pods share three pieces of
// memory, whose sizes are known, so that what points into them stays.
func (c *Cluster) victims(n *Node, refs []int32) []*Victim {
	victims := make([]*Victim, 0, len(refs))
	plain := make([]Victim, 0, len(refs))
	pods := make([]*Pod, 0, len(refs))
	on := []*Node{n}
	for _, ref := range refs {
		if ref < 0 {
			victims = append(victims, c.victimIn(c.engine.units[^ref]))
			continue
		}
		p := c.pods.at(ref).pod
		pods = append(pods, p)
		plain = append(plain, Victim{Priority: p.Priority, Pods: pods[len(pods)-1 : len(pods) : len(pods)], Nodes: on})
		victims = append(victims, &plain[len(plain)-1])
	}
	return victims
}

// policy returns what the engine has to know of the evaluator's policies and orders.
// ok is false if it cannot follow the orders.
func (e *Evaluator) policy() (p columnar.Policy, ok bool) {
	order, ok := criteria(e.Orders)
	if !slices.Equal(order, best.Default) {
		p.Order = order
	}
	p.Best, p.Exact, p.Respect = e.Victims == VictimsBest, e.Budgets == BudgetsExact, e.Budgets == BudgetsRespected
	return p, ok
}

// A sortedFilters tells filters apart by what is known of them without asking:
// what the engine computes, and what it has to ask the caller's for.
type sortedFilters struct {
	rules     []nodeFilter // look at the node alone
	ownRules  bool         // some of them are a caller's
	ports     bool         // NodePorts is among the filters
	resources bool         // NodeResources is among the filters
	own       []Filter     // the caller's others, in order
	// How many of the caller's come before NodePorts and before NodeResources:
	// they are asked first, and the first refusal is the status of a node.
	beforePorts, beforeResources int
}

// sortFilters sorts the filters, members of All among them.
func sortFilters(filters []Filter) sortedFilters {
	var s sortedFilters
	s.add(filters)
	return s
}

// reset lets go of the filters and keeps the memory for others.
func (s *sortedFilters) reset() {
	*s = sortedFilters{rules: slices.Delete(s.rules, 0, len(s.rules)), own: slices.Delete(s.own, 0, len(s.own))}
}

func (s *sortedFilters) add(filters []Filter) {
	for _, f := range filters {
		switch f := f.(type) {
		case all:
			s.add(f)
		case nodeFilter:
			s.rules = append(s.rules, f)
			s.ownRules = s.ownRules || !f.builtin
		case nodePorts:
			if !s.ports {
				s.ports, s.beforePorts = true, len(s.own)
			}
		case nodeResources:
			if !s.resources {
				s.resources, s.beforeResources = true, len(s.own)
			}
		default:
			s.own = append(s.own, f)
		}
	}
}

// builtin reports whether none of the filters is a caller's.
func (s *sortedFilters) builtin() bool { return len(s.own) == 0 && !s.ownRules }

// refuses reports whether a rule refuses the node, whatever pods are on it.
func (s *sortedFilters) refuses(preemptor *Pod, n *Node) bool {
	for i := range s.rules {
		if !s.rules[i].answer(preemptor, n).Fits() {
			return true
		}
	}
	return false
}

// sortedDefaults are sorted once, so that a decision by them need not be.
var sortedDefaults = sortFilters(DefaultFilters())

// sorted returns the filters, sorted; those by default if there are none given.
func sorted(filters []Filter) sortedFilters {
	if filters == nil {
		return sortedDefaults
	}
	return sortFilters(filters)
}
