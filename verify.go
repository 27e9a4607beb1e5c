package preemption

import (
	"slices"

	"example.com/preemption/internal/score"
)

// judge has the last word on a node that arithmetic can clear, where Eligible or
// filters of the caller's have a say.
//
// If the filters are monotone, what arithmetic keeps is tested once: if the
// preemptor fits beside all of it, it fitted beside every part of it, so going
// one by one would have kept the same. If it does not, the first victim that the
// filters reject is looked for by halves, and from there on it goes one by one.
// It goes one by one from the start if a filter is not monotone, if Eligible
// decides who may go, or if there are groups on the node: they may reach nodes
// that filters look at.
func (f *fastSearch) judge(node int, found score.Score) (score.Score, bool) {
	if f.failed {
		return found, false
	}
	if f.ctx.Err() != nil {
		f.failed = true
		return found, false
	}
	k, same, err := f.clear(node)
	if err != nil {
		f.failed = true
		return found, false
	}
	if same {
		return found, true
	}
	if k == nil || len(k.Victims) == 0 {
		return found, false
	}
	f.judged = append(f.judged, k)
	return k.score(), true
}

// clear returns what it takes to clear the node, nil if it cannot be cleared, or
// same if it takes what arithmetic found.
func (f *fastSearch) clear(node int) (k *Candidate, same bool, err error) {
	s := f.cluster.slots[node]
	status, run, err := f.asIs(s.node)
	if err != nil || status.Code != Unschedulable {
		return nil, false, err
	}
	if f.Eligible == nil && monotone(f.prepared) && !f.cluster.engine.table.Grouped(node) {
		return f.verify(node, run)
	}
	selection, err := f.selectOn(s, run, nil, &f.runs)
	if err != nil || !selection.Status.Fits() {
		return nil, false, err
	}
	return &Candidate{Node: s.node, Victims: selection.Victims, Violations: selection.Violations}, false, nil
}

// verify tests the preemptor beside what arithmetic keeps, and if it does not fit
// finds out who else has to go.
func (f *fastSearch) verify(node int, run DryRun) (k *Candidate, same bool, err error) {
	n := f.cluster.nodes[node]
	test := f.testOn(n, run, &f.runs)
	f.refs = f.cluster.engine.table.Evicting(node, &f.scratch, f.refs[:0])
	gone := f.cluster.victims(n, f.refs)
	for _, v := range gone {
		if err := test.remove(v); err != nil {
			return nil, false, err
		}
	}
	status, err := test.fits()
	if err != nil || status.Fits() {
		return nil, err == nil, err
	}
	sorted, order, violating := f.reprieveOrder(node)
	var kept []*Victim
	for _, v := range order {
		if !slices.ContainsFunc(gone, func(g *Victim) bool { return g.Pods[0] == v.Pods[0] }) {
			kept = append(kept, v)
		}
	}
	fit, err := mostThatFit(test, kept)
	if err != nil || fit < 0 {
		return nil, false, err
	}
	// The first one that does not fit any more, and all behind it that arithmetic
	// would keep or not, are tried in turn.
	from := slices.Index(order, kept[fit])
	var victims []*Victim
	for i, v := range order {
		switch {
		case i < from && slices.Contains(kept, v):
			continue
		case i > from:
			if err := test.add(v); err != nil {
				return nil, false, err
			}
			if status, err = test.fits(); err != nil {
				return nil, false, err
			}
			if status.Fits() {
				continue
			}
			if err := test.remove(v); err != nil {
				return nil, false, err
			}
		}
		victims = append(victims, v)
	}
	k = &Candidate{Node: n}
	for _, v := range violating {
		if slices.Contains(victims, v.Victim) {
			k.Violations += v.Pods
		}
	}
	k.Victims = slices.DeleteFunc(sorted, func(v *Victim) bool { return !slices.Contains(victims, v) })
	return k, false, nil
}

// reprieveOrder returns the victims on a node by importance, and in the order in
// which they are put back.
func (f *fastSearch) reprieveOrder(node int) (sorted, order []*Victim, violating []Violation) {
	c := NodeCase{Preemptor: f.preemptor, Victims: f.cluster.victimsOn(f.cluster.slots[node])}
	sorted = c.potentialVictims()
	sortByImportance(sorted, nil)
	violating, rest := f.cluster.classify(sorted)
	order = make([]*Victim, 0, len(sorted))
	for _, v := range violating {
		order = append(order, v.Victim)
	}
	return sorted, append(order, rest...), violating
}

// mostThatFit returns beside how many of the first victims kept the preemptor
// fits, -1 if not even beside none, and leaves the others removed. It does not
// fit beside all of them, which are in place.
func mostThatFit(test fitTest, kept []*Victim) (int, error) {
	in := len(kept) // in place
	move := func(to int) error {
		for ; in > to; in-- {
			if err := test.remove(kept[in-1]); err != nil {
				return err
			}
		}
		for ; in < to; in++ {
			if err := test.add(kept[in]); err != nil {
				return err
			}
		}
		return nil
	}
	fits, not := -1, len(kept)
	for not-fits > 1 {
		mid := (fits + not) / 2
		if err := move(mid); err != nil {
			return 0, err
		}
		status, err := test.fits()
		if err != nil {
			return 0, err
		}
		if status.Fits() {
			fits = mid
		} else {
			not = mid
		}
	}
	return fits, move(max(fits, 0))
}
