package preemption

// gangVictims are the units that a gang may evict.
type gangVictims struct {
	// concerned are those that can be in the way of a placement.
	concerned []*Victim
	// charged are others, which budgets are charged for all the same.
	charged []*Victim
}

// victimsFor returns the victims to consider at a placement: all of the cluster,
// or, where only pods on the nodes used can make a difference, those with pods
// there. Budgets are charged over the whole cluster, as kube-scheduler does it.
func (q *gangQuery) victimsFor(t trial) gangVictims {
	if !t.local() {
		return gangVictims{concerned: q.victims()}
	}
	seen := make(map[*Victim]bool)
	var x gangVictims
	for _, s := range q.cluster.slots {
		if t.uses(s.node) {
			x.concerned = q.gather(x.concerned, q.cluster.victimsOn(s), seen)
		}
	}
	if q.cluster.budgets.count() == 0 {
		return x
	}
	for _, s := range q.cluster.slots {
		if !t.uses(s.node) {
			x.charged = q.gather(x.charged, q.cluster.coveredOn(s), seen)
		}
	}
	return x
}

// victims returns all units that the gang may evict, in the order of nodes and of
// pods on them.
func (q *gangQuery) victims() []*Victim {
	var all []*Victim
	seen := make(map[*Victim]bool)
	for _, s := range q.cluster.slots {
		all = q.gather(all, q.cluster.victimsOn(s), seen)
	}
	return all
}

// gather appends those that the gang may evict. Units of several pods come once.
func (q *gangQuery) gather(all, more []*Victim, seen map[*Victim]bool) []*Victim {
	for _, v := range more {
		if !q.mayEvict(v) {
			continue
		}
		if len(v.Pods) > 1 {
			if seen[v] {
				continue
			}
			seen[v] = true
		}
		all = append(all, v)
	}
	return all
}

// coveredOn returns the units on a node that budgets cover.
func (c *Cluster) coveredOn(s *nodeSlot) []*Victim {
	table := c.engine.table
	if !table.Covered(s.index) {
		return nil
	}
	var refs []int32
	residents, _ := table.Residents(s.index)
	for i := range residents {
		x := &residents[i]
		if x.Cover != noCover || x.Ref < 0 && len(table.Units[^x.Ref].Covers) > 0 {
			refs = append(refs, x.Ref)
		}
	}
	return c.victims(s.node, refs)
}
