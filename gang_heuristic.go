package preemption

import "slices"

// oneByOne places members one after another where they cost least beside those
// placed before, and whom these evict; then it finds out what the placement as a
// whole costs.
func (q *gangQuery) oneByOne() (*gangPlan, error) {
	victims := q.victims()
	nodes := make([]*Node, len(q.gang.Members))
	var gone evicted
	for i, m := range q.gang.Members {
		if q.ctx.Err() != nil {
			break
		}
		best, err := q.cheapest(m, nodes[:i], gone)
		if err != nil {
			return nil, err
		}
		if best == nil {
			continue
		}
		nodes[i] = best.Node
		gone = append(gone, best.Victims...)
	}
	return q.evictFor(nodes, victims)
}

// cheapest returns the node where a member costs least, with its victims, none if
// there is none.
func (q *gangQuery) cheapest(m *Pod, placed []*Node, gone evicted) (*Candidate, error) {
	prepared, err := prepare(q.filters(), m, q.cluster)
	if err != nil {
		return nil, err
	}
	var candidates []*Candidate
	for _, s := range q.cluster.slots {
		k, err := q.costOn(s, m, prepared, placed, gone)
		if err != nil {
			return nil, err
		}
		if k == nil {
			continue
		}
		if len(k.Victims) == 0 {
			return k, nil
		}
		candidates = append(candidates, k)
	}
	best, _ := PickOneNode(candidates)
	return best, nil
}

// costOn returns what a member costs on a node, nil if it cannot be there.
func (q *gangQuery) costOn(s *nodeSlot, m *Pod, prepared Prepared, placed []*Node, gone evicted) (*Candidate, error) {
	run, err := prepared.Begin(s.node)
	if err != nil {
		return nil, &StepError{Step: "begin", Node: s.node.Name, Err: err}
	}
	test := fitTest{node: s.node, run: run, nominated: q.holding(m, s.node)}
	for _, v := range gone {
		if err := test.remove(v); err != nil {
			return nil, err
		}
	}
	for j, n := range placed {
		if n != nil {
			if err := run.Add(q.gang.Members[j], n); err != nil {
				return nil, test.failed("add member", q.gang.Members[j], err)
			}
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
		return nil, nil
	}
	// The group's priority decides on victims, whatever the member's own is.
	asGroup := *m
	asGroup.Priority = q.gang.Priority
	var left []*Victim
	for _, v := range q.cluster.victimsOn(s) {
		if q.mayEvict(v) && !gone.has(v) {
			left = append(left, v)
		}
	}
	selection, err := SelectVictimsOnNode(NodeCase{
		Preemptor: &asGroup, Node: s.node, DryRun: run, Nominated: test.nominated, Victims: left,
		Release: q.cluster.release, Compare: q.Compare, classify: q.cluster.classify,
	})
	if err != nil || !selection.Status.Fits() {
		return nil, err
	}
	return &Candidate{Node: s.node, Victims: selection.Victims, Violations: selection.Violations}, nil
}

// evicted are the victims of the members placed so far.
type evicted []*Victim

func (e evicted) has(v *Victim) bool {
	return slices.ContainsFunc(e, func(x *Victim) bool { return x.Pods[0] == v.Pods[0] })
}
