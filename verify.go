package preemption

import "example.com/preemption/internal/columnar"

// judge has the last word on a node that arithmetic can clear, where Eligible or
// filters of the caller's have a say.
//
// If the filters are monotone, what arithmetic keeps is tested once: if the
// preemptor fits beside all of it, it fitted beside every part of it, so going
// one by one would have kept the same. If it does not, or if a group of the node
// reaches others, where filters may look, it is gone through one by one.
func (f *fastSearch) judge(node int, score columnar.Score) (columnar.Score, bool) {
	if f.failed {
		return score, false
	}
	if f.ctx.Err() != nil {
		f.failed = true
		return score, false
	}
	s := f.cluster.slots[node]
	status, run, err := f.asIs(s.node)
	if err != nil {
		f.failed = true
		return score, false
	}
	if status.Code != Unschedulable {
		return score, false
	}
	if f.Eligible == nil && monotone(f.prepared) && !f.cluster.engine.table.Grouped(node) {
		fits, err := f.verify(node, run)
		if err != nil {
			f.failed = true
			return score, false
		}
		if fits {
			return score, true
		}
		if run, err = f.prepared.Begin(s.node); err != nil {
			f.failed = true
			return score, false
		}
	}
	selection, err := f.selectOn(s, run, nil)
	if err != nil {
		f.failed = true
		return score, false
	}
	if !selection.Status.Fits() || len(selection.Victims) == 0 {
		return score, false
	}
	k := &Candidate{Node: s.node, Victims: selection.Victims, Violations: selection.Violations}
	f.judged = append(f.judged, k)
	return columnar.Score{
		Violations: int64(k.Violations), Top: topPriority(k), Sum: prioritySum(k),
		Pods: int64(podCount(k)), Start: earliestTopStart(k),
	}, true
}

// verify tests the preemptor with what arithmetic evicts gone.
func (f *fastSearch) verify(node int, run DryRun) (bool, error) {
	n := f.cluster.nodes[node]
	test := fitTest{n, run, holding(f.cluster.nominated[n.Name], f.preemptor)}
	f.refs = f.cluster.engine.table.Evicting(node, &f.scratch, f.refs[:0])
	for _, v := range f.cluster.victims(n, f.refs) {
		if err := test.remove(v); err != nil {
			return false, err
		}
	}
	status, err := test.fits()
	return status.Fits(), err
}
