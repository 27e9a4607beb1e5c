package preemption

// selectRespecting is SelectVictimsOnNode where budgets are respected.
func (c *NodeCase) selectRespecting(test fitTest, victims []*Victim) (Selection, error) {
	sortByImportance(victims, c.Compare)
	free, protected := protect(victims, c.cover(victims))
	for _, v := range free {
		if err := test.remove(v); err != nil {
			return Selection{}, err
		}
	}
	status, err := test.fits()
	if err != nil {
		return Selection{}, err
	}
	c.Trace.protected(c.Node, protected)
	c.Trace.removed(c.Node, free, status, c.DryRun)
	if !status.Fits() {
		status, err = c.beyondBudgets(test, status, protected)
		return Selection{Status: status, Protected: protected}, err
	}

	evicted, err := reprieve(test, nil, free, func(v Violation, status Status) {
		c.Trace.reprieved(c.Node, v, status, c.DryRun)
	})
	return Selection{Victims: evicted.others, Protected: protected}, err
}

// beyondBudgets says why a node is out that is refused with this status although
// all are removed but those that budgets protect: if removing these too would
// make room, because of the budgets.
func (c *NodeCase) beyondBudgets(test fitTest, status Status, protected []Violation) (Status, error) {
	if len(protected) == 0 {
		return status, nil
	}
	for _, v := range protected {
		if err := test.remove(v.Victim); err != nil {
			return Status{}, err
		}
	}
	without, err := test.fits()
	if err != nil || !without.Fits() {
		return without, err
	}
	return protectedStatus(protected), nil
}

// protectedStatus names the budgets, each once, in the order in which they come
// up. Evictions may help once a budget allows them.
func protectedStatus(protected []Violation) Status {
	s := Status{Code: Unschedulable}
	seen := make(map[*PodDisruptionBudget]bool)
	for _, v := range protected {
		for _, b := range v.Budgets {
			if !seen[b] {
				seen[b] = true
				s.Reasons = append(s.Reasons, ProtectedBy+b.String())
			}
		}
	}
	return s
}
