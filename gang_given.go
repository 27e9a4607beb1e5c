package preemption

import (
	"context"
	"fmt"
	"slices"
)

// A Placer says where the members of a gang go in a cluster: Nodes[i] for member
// i, nil for one that finds no place. It is shown the cluster as it is, and, if
// the members do not all fit there, the cluster without the pods that the gang
// may evict.
type Placer func(ctx context.Context, view View, g *Gang) ([]*Node, error)

// GivenPlacement is the planner of kube-scheduler 1.37: the members are placed
// once, on the cluster without the pods that the gang may evict and blind to what
// that costs; then as many of those as possible are put back, budget-violating
// ones first, most important first, each tested against every member. The result
// is what that placement costs, and for monotone filters no victim of it could be
// spared.
//
// Members that the placer does not place, or that do not fit where it places them,
// even with all victims gone, are left out, as long as MinCount remain.
//
// With the built-in filters and members of one priority only pods on the nodes
// used are tested, each against its own node alone, which comes to the same.
type GivenPlacement struct {
	// Placer places the members. Nil is LeastAllocated with the evaluator's filters.
	Placer Placer
}

func (g GivenPlacement) plan(q *gangQuery) (*gangPlan, error) {
	nodes, err := q.place(g.Placer, &reducedView{q.cluster, q})
	if err != nil {
		return nil, err
	}
	p, err := q.evictFor(nodes, true)
	if err != nil {
		return nil, err
	}
	p.given = true
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

// reducedView is the cluster without the pods that a gang may evict.
type reducedView struct {
	*Cluster
	q *gangQuery
}

// PodsOn returns the pods left on the node.
func (v *reducedView) PodsOn(n *Node) []*Pod {
	slot := v.byName[n.Name]
	if slot == nil {
		return nil
	}
	left := make([]*Pod, 0, len(slot.pods))
	for _, p := range slot.pods {
		if !v.q.mayEvict(v.victimOf(p, slot)) {
			left = append(left, p)
		}
	}
	return left
}

// fitsAsIs returns a plan that places all members and evicts nobody, nil if the
// planner has none.
func (q *gangQuery) fitsAsIs(planner Planner) (*gangPlan, error) {
	given, ok := planner.(GivenPlacement)
	if !ok {
		return planner.(BestPlacement).fitsAsIs(q)
	}
	nodes, err := q.place(given.Placer, q.cluster)
	if err != nil || slices.Contains(nodes, nil) {
		return nil, err
	}
	t, err := q.newTrial(nodes)
	if err != nil {
		return nil, err
	}
	if status, _, err := t.fits(); err != nil || !status.Fits() {
		return nil, err
	}
	return &gangPlan{nodes: nodes, exact: true, given: true}, nil
}

// asIs returns the planner's plan that evicts nobody, whether or not it places
// all members.
func (q *gangQuery) asIs(planner Planner) (*gangPlan, error) {
	given, ok := planner.(GivenPlacement)
	if !ok {
		best := planner.(BestPlacement)
		if s := newGangSearch(q); s != nil {
			return s.asIs(), nil
		}
		given.Placer = best.Placer
	}
	nodes, err := q.place(given.Placer, q.cluster)
	if err != nil {
		return nil, err
	}
	p, err := q.evictFor(nodes, false)
	if err != nil {
		return nil, err
	}
	p.given = true
	return p, nil
}

// noNode is why a member is not placed that the placer did not place.
const noNode = "the placer found no node for it"

// evictFor returns what it takes to have the members where they are placed. Those
// that do not fit there even with all victims gone, or with nobody evicted if
// evict is false, do not count as placed.
func (q *gangQuery) evictFor(nodes []*Node, evict bool) (*gangPlan, error) {
	p := &gangPlan{nodes: slices.Clone(nodes), reasons: make([]string, len(nodes))}
	for i, n := range nodes {
		if n == nil {
			p.refused(i, noNode, Status{Code: Unschedulable, Reasons: []string{"the placer found no node for " + q.gang.Members[i].String()}})
		}
	}
	for p.placed() >= q.gang.minCount() {
		done, err := q.tryPlaces(p, evict)
		if err != nil {
			return nil, err
		}
		if done {
			break
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
	t, err := q.newTrial(p.nodes)
	if err != nil {
		return false, err
	}
	var victims gangVictims
	if evict {
		victims = q.victimsFor(t)
	}
	for _, v := range victims.concerned {
		if err := t.remove(v); err != nil {
			return false, err
		}
	}
	status, _, err := t.fits()
	if err != nil {
		return false, err
	}
	if status.Fits() {
		q.traceRemoved(p, victims.concerned)
		return true, q.reprieve(t, p, victims)
	}
	status, member, err := q.firstRefusal(p.nodes, victims.concerned)
	if err != nil {
		return false, err
	}
	p.refused(member, "node "+p.nodes[member].Name+": "+status.Message(), status)
	return false, nil
}

// traceRemoved tells the trace about each node used.
func (q *gangQuery) traceRemoved(p *gangPlan, gone []*Victim) {
	if q.Trace == nil || q.Trace.Removed == nil {
		return
	}
	for i, n := range p.nodes {
		if n != nil && !slices.Contains(p.nodes[:i], n) {
			on := slices.DeleteFunc(slices.Clone(gone), func(v *Victim) bool { return !slices.Contains(v.Nodes, n) })
			q.Trace.Removed(n, on, Status{}, nil)
		}
	}
}

// firstRefusal says which member is refused first with all victims gone, and why.
func (q *gangQuery) firstRefusal(nodes []*Node, victims []*Victim) (Status, int, error) {
	t, err := q.newRuns(nodes)
	if err != nil {
		return Status{}, 0, err
	}
	for _, v := range victims {
		if err := t.remove(v); err != nil {
			return Status{}, 0, err
		}
	}
	return t.fits()
}

// reprieve puts back as many of the removed victims as possible.
func (q *gangQuery) reprieve(t trial, p *gangPlan, victims gangVictims) error {
	compare := q.Compare
	if compare == nil {
		compare = CompareImportance
	}
	mostImportantFirst := func(a, b *Victim) int { return compare(b, a) }
	concerned := victims.concerned
	slices.SortStableFunc(concerned, mostImportantFirst)
	violating, rest := []Violation(nil), concerned
	if q.cluster.budgets.count() > 0 {
		all := slices.Concat(concerned, victims.charged)
		slices.SortStableFunc(all, mostImportantFirst)
		violating, rest = q.cluster.classify(all)
		if len(victims.charged) > 0 {
			violating = slices.DeleteFunc(violating, func(v Violation) bool { return !t.touches(v.Victim) })
			rest = slices.DeleteFunc(slices.Clone(rest), func(v *Victim) bool { return !t.touches(v) })
		}
	}
	q.traceClassified(violating)
	attempt := func(v Violation) (spared bool, err error) {
		if err := t.add(v.Victim); err != nil {
			return false, err
		}
		status, _, err := t.fits()
		if err != nil {
			return false, err
		}
		if q.Trace != nil && q.Trace.Reprieved != nil {
			q.Trace.Reprieved(v.Victim.Nodes[0], Step{Violation: v, Status: status})
		}
		if status.Fits() {
			return true, nil
		}
		return false, t.remove(v.Victim)
	}
	var evicted [2][]*Victim
	for _, v := range violating {
		spared, err := attempt(v)
		if err != nil {
			return err
		}
		if !spared {
			evicted[0] = append(evicted[0], v.Victim)
			p.violations += v.Pods
		}
	}
	for _, v := range rest {
		spared, err := attempt(Violation{Victim: v})
		if err != nil {
			return err
		}
		if !spared {
			evicted[1] = append(evicted[1], v)
		}
	}
	p.victims = merge(concerned, evicted[0], evicted[1])
	return nil
}

// traceClassified tells the trace about each node that violating victims have
// pods on.
func (q *gangQuery) traceClassified(violating []Violation) {
	if q.Trace == nil || q.Trace.Classified == nil || len(violating) == 0 {
		return
	}
	for _, n := range q.cluster.nodes {
		on := slices.DeleteFunc(slices.Clone(violating), func(v Violation) bool { return !slices.Contains(v.Victim.Nodes, n) })
		if len(on) > 0 {
			q.Trace.Classified(n, on)
		}
	}
}
