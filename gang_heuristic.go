package preemption

import "slices"

// heuristic is a placement under way: members are placed one after another where
// they cost least beside those placed before, and what these evict.
//
// Invariants: nodes has the members decided so far, in order, and gone what it takes
// to have just these there. A cost that is known, in kinds, is what one more such
// member costs beside them; what a placement changes is forgotten at once.
type heuristic struct {
	*gangQuery
	nodes []*Node   // of the members, nil for those that have none yet
	gone  []*Victim // for the members placed so far
	kinds []memberKind
	local bool // costs change only where pods come or go
}

// memberKind is a kind of members that are alike, and what one more of them costs
// on each node, nil where that is not known. A gang mostly has one kind, so that after
// its first member few nodes have to be looked at again.
type memberKind struct {
	like  *Pod
	costs []*Candidate
}

// oneByOne places members one after another; then it finds out what the placement
// as a whole costs.
func (q *gangQuery) oneByOne() (*gangPlan, error) {
	h := &heuristic{gangQuery: q, nodes: make([]*Node, len(q.gang.Members))}
	filters := sorted(q.Filters)
	h.local = filters.builtin()

	// Where the context ends the members so far are the placement.
	for i := range q.gang.Members {
		best, err := h.cheapest(i)
		if err != nil {
			return nil, err
		}
		if q.ctx.Err() != nil {
			break
		}
		if best == nil {
			continue // the others may still be enough of them
		}

		// From here on the member is there, and its victims are gone.
		h.nodes[i] = best.Node
		h.gone = append(h.gone, best.Victims...)
		h.forget(best)
	}
	return h.whole()
}

// whole is what the placement costs. Members without a node are said to have found
// none, or not to have been reached.
func (h *heuristic) whole() (*gangPlan, error) {
	// Each member was cheapest for itself. Victims are reprieved once more, for all
	// members together: what goes for a later one may leave room that a victim of an
	// earlier one can come back to.
	p, err := h.evictFor(h.nodes, true)
	if err != nil {
		return nil, err
	}

	// Members that were given no node have reasons of this search. The status is put
	// together again, so that it says why the first of all was not placed.
	reason := "no node takes it beside the others, whoever is evicted"
	if h.ctx.Err() != nil {
		reason = "the search was cut short"
	}
	p.status = Status{}
	for i, n := range p.nodes {
		if n != nil {
			continue
		}
		if h.nodes[i] == nil {
			p.reasons[i] = reason
		}
		p.refused(i, p.reasons[i], Status{Code: Unschedulable, Reasons: []string{p.reasons[i]}})
	}
	return p, nil
}

// cheapest returns the node where a member costs least, with its victims, nil if
// there is none.
func (h *heuristic) cheapest(i int) (*Candidate, error) {
	m := h.gang.Members[i]
	costs := h.costsOf(m)
	prepared, err := prepare(h.filters(), m, h.cluster)
	if err != nil {
		return nil, err
	}

	// Only the nodes whose cost is not known are looked at. The first that takes the
	// member as it is ends the search: no node costs less.
	var candidates []*Candidate
	for j := range costs {
		if h.ctx.Err() != nil {
			return nil, nil
		}
		if costs[j] == nil {
			if costs[j], err = h.costAt(j, m, prepared, h.nodes[:i]); err != nil {
				return nil, err
			}
		}
		switch k := costs[j]; {
		case k == hopeless:
		case len(k.Victims) == 0:
			return k, nil
		default:
			candidates = append(candidates, k)
		}
	}

	// The criteria between nodes are those of a single pod.
	best, _ := PickOneNode(candidates)
	return best, nil
}

// costsOf returns what is known of the costs of a member. Under filters other than
// the built-in ones nothing is: members may differ in more than alike compares.
func (h *heuristic) costsOf(m *Pod) []*Candidate {
	if !h.local {
		h.kinds = nil // and what is known of the last member is of no use to this one
	}
	i := slices.IndexFunc(h.kinds, func(k memberKind) bool { return alike(k.like, m) })
	if i < 0 {
		i = len(h.kinds)
		h.kinds = append(h.kinds, memberKind{m, make([]*Candidate, len(h.cluster.Nodes()))})
	}
	return h.kinds[i].costs
}

// forget drops the costs that a placement changes: on the node that the member goes
// to, and on all nodes that lose a pod for it. No other cost depends on either where
// the filters look at their own node alone.
func (h *heuristic) forget(placed *Candidate) {
	drop := func(n *Node) {
		for _, kind := range h.kinds {
			kind.costs[h.cluster.indexOf(n)] = nil
		}
	}
	drop(placed.Node)
	for _, v := range placed.Victims {
		for _, n := range v.Nodes {
			drop(n)
		}
	}
}

// hopeless stands for the cost where a member cannot be.
var hopeless = &Candidate{}

// costAt returns what a member costs on a node.
func (h *heuristic) costAt(node int, m *Pod, prepared Prepared, placed []*Node) (*Candidate, error) {
	c, n := h.cluster, h.cluster.Nodes()[node]
	run, err := prepared.Begin(n)
	if err != nil {
		return nil, &StepError{Step: "begin", Node: n.Name, Err: err}
	}

	// The node as it is by now: with all those gone that are to go, then with the
	// members in place, in this order, so that no sum overflows.
	test := fitTest{node: n, run: run, nominated: h.holding(m, n)}
	for _, v := range h.gone {
		if h.local && !slices.Contains(v.Nodes, n) {
			continue
		}
		if err := test.remove(v); err != nil {
			return nil, err
		}
	}
	for j, on := range placed {
		if on == nil || h.local && on != n {
			continue
		}
		if err := test.addMember(h.gang.Members[j], on); err != nil {
			return nil, err
		}
	}
	switch status, err := test.fits(); {
	case err != nil:
		return nil, err
	case status.Fits():
		return &Candidate{Node: n}, nil
	case status.Code == Unresolvable:
		return hopeless, nil
	}

	// Who else has to go. The group's priority decides on victims, the member's own
	// on the nominated pods that hold their place. A unit is known by its first pod,
	// since two calls may make two victims of one.
	left := keep(c.victimsAt(node), func(v *Victim) bool {
		return h.mayEvict(v) && !slices.ContainsFunc(h.gone, func(x *Victim) bool { return x.Pods[0] == v.Pods[0] })
	})
	asNode := NodeCase{Node: n, DryRun: run, Release: c.Release(), BudgetPolicy: h.Budgets, Compare: h.Compare, coverage: c.coverage}
	selection, err := asNode.selectFrom(&test, left)
	switch {
	case err != nil:
		return nil, err
	case !selection.Status.Fits():
		return hopeless, nil
	}

	// What is gone already costs nothing here: it is paid for.
	return &Candidate{Node: n, Victims: selection.Victims, Violations: selection.Violations}, nil
}
