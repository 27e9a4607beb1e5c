package preemption

import "slices"

// oneByOne places members one after another where they cost least beside those
// placed before, and whom these evict; then it finds out what the placement as a
// whole costs.
func (q *gangQuery) oneByOne() (*gangPlan, error) {
	h := &heuristic{gangQuery: q, nodes: make([]*Node, len(q.gang.Members))}
	_, h.local = builtin(q.filters())
	for i := range q.gang.Members {
		best, err := h.cheapest(i)
		if err != nil {
			return nil, err
		}
		if q.ctx.Err() != nil {
			break
		}
		if best == nil {
			continue
		}
		h.nodes[i] = best.Node
		h.gone = append(h.gone, best.Victims...)
		h.forget(best)
	}
	return h.plan()
}

// heuristic is a placement under way.
type heuristic struct {
	*gangQuery
	nodes []*Node // of the members, nil for those that have none yet
	gone  evicted
	kinds []memberKind
	local bool // costs change only where pods come or go
}

// memberKind is a kind of members that are alike, and what one more of them costs
// on each node, nil where that is not known.
type memberKind struct {
	like  *Pod
	costs []*Candidate
}

func (h *heuristic) costsOf(m *Pod) []*Candidate {
	i := slices.IndexFunc(h.kinds, func(k memberKind) bool { return alike(k.like, m) })
	if i < 0 {
		i = len(h.kinds)
		h.kinds = append(h.kinds, memberKind{m, make([]*Candidate, len(h.cluster.slots))})
	}
	return h.kinds[i].costs
}

// hopeless stands for the cost where a member cannot be.
var hopeless = &Candidate{}

// plan is what the placement costs. Members without a node are said to have found
// none, or not to have been reached.
func (h *heuristic) plan() (*gangPlan, error) {
	p, err := h.evictFor(h.nodes, true)
	if err != nil {
		return nil, err
	}
	reason := "no node takes it beside the others, whoever is evicted"
	if h.ctx.Err() != nil {
		reason = "the search was cut short"
	}
	p.status = Status{}
	for i, n := range h.nodes {
		if n == nil {
			p.refused(i, reason, Status{Code: Unschedulable, Reasons: []string{reason}})
		} else if p.nodes[i] == nil {
			p.refused(i, p.reasons[i], Status{Code: Unschedulable, Reasons: []string{p.reasons[i]}})
		}
	}
	return p, nil
}

// forget drops the costs that a placement changes.
func (h *heuristic) forget(k *Candidate) {
	if !h.local {
		h.kinds = nil
		return
	}
	drop := func(n *Node) {
		for _, kind := range h.kinds {
			kind.costs[h.cluster.byName[n.Name].index] = nil
		}
	}
	drop(k.Node)
	for _, v := range k.Victims {
		for _, n := range v.Nodes {
			drop(n)
		}
	}
}

// cheapest returns the node where a member costs least, with its victims, nil if
// there is none.
func (h *heuristic) cheapest(i int) (*Candidate, error) {
	m := h.gang.Members[i]
	if !h.local {
		h.kinds = nil // the members may differ in more than alike compares
	}
	costs := h.costsOf(m)
	prepared, err := prepare(h.filters(), m, h.cluster)
	if err != nil {
		return nil, err
	}
	var candidates []*Candidate
	for j, s := range h.cluster.slots {
		if h.ctx.Err() != nil {
			return nil, nil
		}
		if costs[j] == nil {
			if costs[j], err = h.costOn(s, m, prepared, h.nodes[:i]); err != nil {
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
	best, _ := PickOneNode(candidates)
	return best, nil
}

// costOn returns what a member costs on a node.
func (h *heuristic) costOn(s *nodeSlot, m *Pod, prepared Prepared, placed []*Node) (*Candidate, error) {
	run, err := prepared.Begin(s.node)
	if err != nil {
		return nil, &StepError{Step: "begin", Node: s.node.Name, Err: err}
	}
	test := fitTest{node: s.node, run: run, nominated: h.holding(m, s.node)}
	for _, v := range h.gone {
		if h.local && !slices.Contains(v.Nodes, s.node) {
			continue
		}
		if err := test.remove(v); err != nil {
			return nil, err
		}
	}
	for j, n := range placed {
		if n == nil || h.local && n != s.node {
			continue
		}
		if err := run.Add(h.gang.Members[j], n); err != nil {
			return nil, test.failed("add member", h.gang.Members[j], err)
		}
	}
	status, err := test.fits()
	if err != nil {
		return nil, err
	}
	if status.Fits() {
		return &Candidate{Node: s.node}, nil
	}
	if status.Code == Unresolvable {
		return hopeless, nil
	}
	// The group's priority decides on victims, whatever the member's own is.
	asGroup := *m
	asGroup.Priority = h.gang.Priority
	var left []*Victim
	for _, v := range h.cluster.victimsOn(s) {
		if h.mayEvict(v) && !h.gone.has(v) {
			left = append(left, v)
		}
	}
	selection, err := SelectVictimsOnNode(NodeCase{
		Preemptor: &asGroup, Node: s.node, DryRun: run, Nominated: test.nominated, Victims: left,
		Release: h.cluster.release, Compare: h.Compare, coverage: h.cluster.coverage,
	})
	if err != nil {
		return nil, err
	}
	if !selection.Status.Fits() {
		return hopeless, nil
	}
	return &Candidate{Node: s.node, Victims: selection.Victims, Violations: selection.Violations}, nil
}

// evicted are the victims of the members placed so far.
type evicted []*Victim

func (e evicted) has(v *Victim) bool {
	return slices.ContainsFunc(e, func(x *Victim) bool { return x.Pods[0] == v.Pods[0] })
}
