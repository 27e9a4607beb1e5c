package preemption

import (
	"fmt"
	"slices"
)

// GivenPlacement is the planner of kube-scheduler: the members are placed once, on
// the cluster without the pods that the gang may evict; then as many of those as
// possible are put back, budget-violating ones first, most important first, each
// tested against every member. The result is what that placement costs, and for
// monotone filters no victim of it could be spared.
//
// In 1.37 placing is blind to what it costs. Since 1.38 nodes are ranked by that
// first; [LeastAllocated] and [FirstNode] do so, other placers as they like.
//
// Members that the placer does not place, or that do not fit where it places them,
// even with all victims gone, are left out, as long as MinCount remain.
//
// With the built-in filters and members of one priority only pods on the nodes
// used are tested, each against its own node alone. No other pod can be in the
// way, so the result is the same.
type GivenPlacement struct {
	// Placer places the members. Nil is LeastAllocated with the evaluator's filters.
	Placer Placer
}

func (g GivenPlacement) plan(q *gangQuery, evict bool) (*gangPlan, error) {
	// The placer sees the cluster that the members would find.
	var view View = q.cluster
	if evict {
		view = &reducedView{q.cluster, q}
	}
	nodes, err := q.place(g.Placer, view)
	if err != nil {
		return nil, err
	}

	// With no pod evicted and all members placed there is nothing better.
	p, err := q.evictFor(nodes, evict)
	if err != nil {
		return nil, err
	}
	p.given, p.exact = true, !evict && p.placed() == len(nodes)
	return p, nil
}

// place asks a placer and checks what it says.
func (q *gangQuery) place(placer Placer, view View) ([]*Node, error) {
	if placer == nil {
		placer = LeastAllocated(q.filters()...)
	}
	nodes, err := placer(q.ctx, view, q.gang)
	if err != nil {
		return nil, fmt.Errorf("preemption: gang %s: placer: %w", q.gang, err)
	}
	if len(nodes) != len(q.gang.Members) {
		return nil, fmt.Errorf("preemption: gang %s: the placer named %d nodes for %d members", q.gang, len(nodes), len(q.gang.Members))
	}
	for i, n := range nodes {
		if n != nil && q.cluster.Node(n.Name) != n {
			return nil, fmt.Errorf("preemption: gang %s: the placer put %s on node %s, which is not the cluster's", q.gang, q.gang.Members[i], n.Name)
		}
	}
	return nodes, nil
}

// noNode is why a member is not placed that the placer did not place.
const noNode = "no node was found for it"

// evictFor returns what it takes to have the members where they are placed. Those
// that do not fit there even with all victims gone, or with no pod evicted if
// evict is false, do not count as placed.
func (q *gangQuery) evictFor(nodes []*Node, evict bool) (*gangPlan, error) {
	p := &gangPlan{nodes: slices.Clone(nodes), reasons: make([]string, len(nodes))}
	for i, n := range nodes {
		if n == nil {
			p.refused(i, noNode, Status{Code: Unschedulable, Reasons: []string{"no node was found for " + q.gang.Members[i].String()}})
		}
	}

	// Every round leaves out one member at least, so this ends.
	for p.placed() >= q.gang.minCount() {
		if done, err := q.tryPlaces(p, evict); done || err != nil {
			return p, err
		}
	}
	return p, nil
}

// refused says that a member is not placed.
func (p *gangPlan) refused(i int, reason string, status Status) {
	p.nodes[i], p.reasons[i] = nil, reason
	if p.status.Fits() {
		p.status = status
	}
}

// tryPlaces completes the plan by its victims if the members placed fit. If not
// the first that does not is one less.
func (q *gangQuery) tryPlaces(p *gangPlan, evict bool) (done bool, err error) {
	used := make(map[*Node]bool)
	for _, n := range p.nodes {
		if n != nil {
			used[n] = true
		}
	}
	f := sorted(q.Filters)
	local := f.builtin() && samePriority(q.gang.Members)

	// All that the members can want gone goes, and the members are tested.
	var victims []*Victim
	concerned := func(v *Victim) bool {
		return !local || slices.ContainsFunc(v.Nodes, func(n *Node) bool { return used[n] })
	}
	if evict {
		victims = q.potentialVictims(used, local)
	}

	// Where budgets are respected, those that they protect stay from the beginning.
	gone := keep(victims, concerned)
	var protected []Violation
	if q.Budgets == BudgetsRespected {
		sortByImportance(gone, q.Compare)
		gone, protected = protect(gone, q.cluster.coverage(gone))
		victims = gone
	}

	// By sums where these are all there is to it; dry runs give the reasons where they
	// say no.
	if local {
		rooms := q.newRooms(p.nodes, f)
		for _, v := range gone {
			rooms.change(v, -1)
		}
		if status, _ := rooms.fits(); status.Fits() {
			q.traceRemoved(p, gone)
			return true, reprieveFor(q, p, rooms, victims, concerned)
		}
	}
	runs, status, member, err := q.startRuns(p.nodes, gone)
	switch {
	case err != nil:
		return false, err
	case !status.Fits():
		if status, err = beyondBudgets(runs, status, protected); err != nil {
			return false, err
		}
		p.refused(member, "node "+p.nodes[member].Name+": "+status.Message(), status)
		return false, nil
	}
	q.traceRemoved(p, gone)
	return true, reprieveFor(q, p, runs, victims, concerned)
}

// samePriority reports whether all pods have one priority: then the same nominated
// pods hold their place against each.
func samePriority(pods []*Pod) bool {
	return !slices.ContainsFunc(pods, func(p *Pod) bool { return p.Priority != pods[0].Priority })
}

// keep returns those that pass, in a new slice.
func keep(victims []*Victim, pass func(*Victim) bool) []*Victim {
	return slices.DeleteFunc(slices.Clone(victims), func(v *Victim) bool { return !pass(v) })
}

// potentialVictims returns the units that count at a placement, in the order in
// which budgets are charged for equals. Those with pods on the nodes used can be
// in the way; if others cannot, of them only those that budgets cover count:
// budgets are charged over the whole cluster, as in kube-scheduler.
func (q *gangQuery) potentialVictims(used map[*Node]bool, local bool) []*Victim {
	c := q.cluster
	if !local || q.Compare != nil {
		return q.victims()
	}
	return q.gather(func(i int) []*Victim {
		if used[c.Nodes()[i]] {
			return c.victimsAt(i)
		}
		return c.coveredAt(i)
	})
}

// reprieveFor puts back as many of those gone as the members fit beside. It
// charges budgets for all victims, and tries those concerned. Where budgets are
// respected all of these may go.
func reprieveFor(q *gangQuery, p *gangPlan, t trial, victims []*Victim, concerned func(*Victim) bool) error {
	// Budgets are charged for all of them, in the order of importance, though only
	// those concerned are tried: as kube-scheduler does it.
	sortByImportance(victims, q.Compare)
	violating, rest := q.cluster.classify(victims)
	violating = slices.DeleteFunc(violating, func(v Violation) bool { return !concerned(v.Victim) })
	q.traceClassified(violating)

	evicted, err := reprieve(t, violating, keep(rest, concerned), func(v Violation, status Status) {
		if q.Trace != nil && q.Trace.Reprieved != nil {
			q.Trace.Reprieved(v.Victim.Nodes[0], Step{Violation: v, Status: status})
		}
	})

	// What is listed, and what counts as a violation, goes by release and policy.
	p.victims, p.violations = evicted.inOrderOf(victims), evicted.violations
	if q.Budgets == BudgetsExact {
		p.violations = countViolations(p.victims, q.cluster.coverage(p.victims))
	}
	if q.cluster.Release().rules().gangVictimsAsTried {
		p.victims = slices.Concat(evicted.violating, evicted.others)
	}
	return err
}

// traceRemoved tells the trace about each node used.
func (q *gangQuery) traceRemoved(p *gangPlan, gone []*Victim) {
	if q.Trace == nil || q.Trace.Removed == nil {
		return
	}
	for i, n := range p.nodes {
		if n != nil && !slices.Contains(p.nodes[:i], n) {
			on := keep(gone, func(v *Victim) bool { return slices.Contains(v.Nodes, n) })
			q.Trace.Removed(n, on, Status{}, nil)
		}
	}
}

// traceClassified tells the trace about each node that violating victims have
// pods on.
func (q *gangQuery) traceClassified(violating []Violation) {
	if q.Trace == nil || q.Trace.Classified == nil {
		return
	}
	for _, n := range q.cluster.Nodes() {
		on := slices.DeleteFunc(slices.Clone(violating), func(v Violation) bool { return !slices.Contains(v.Victim.Nodes, n) })
		if len(on) > 0 {
			q.Trace.Classified(n, on)
		}
	}
}
