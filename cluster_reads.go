package preemption

import "slices"

// What gangs read of a cluster, by the index of the node.

func (c *Cluster) compiled() *engine { return c.engine }

func (c *Cluster) victimsAt(node int) []*Victim { return c.victimsOn(c.slots[node]) }

func (c *Cluster) indexOf(n *Node) int { return c.byName[n.Name].index }

// coveredAt returns the units on a node that budgets cover.
func (c *Cluster) coveredAt(node int) []*Victim {
	table := c.engine.table
	if !table.Covered(node) {
		return nil
	}
	var refs []int32
	for _, x := range table.Residents(node, 0) {
		if x.Cover != noCover || x.Ref < 0 && len(table.Unit(^x.Ref).Covers) > 0 {
			refs = append(refs, x.Ref)
		}
	}
	return c.victims(c.nodes[node], refs)
}

// victimOf returns the unit that a pod on the node is evicted with.
func (c *Cluster) victimOf(p *Pod, on *Node) *Victim {
	if u := c.unitOfPod(p); u != nil {
		return c.victimIn(u)
	}
	return NewPodVictim(p, on)
}

// overdrawn reports whether evicting the victim surely violates a budget.
func (c *Cluster) overdrawn(v *Victim) bool {
	for _, p := range v.Pods {
		for _, b := range c.covers.budgets(c.pods.at(c.pods.find(p.Namespace, p.Name)).cover) {
			if b.budget.Allowed <= 0 {
				return true
			}
		}
	}
	return false
}

// couplesNodes reports whether victims below a priority that are on different
// nodes depend on each other, by a group or by a budget that could run out.
func (c *Cluster) couplesNodes(priority int32) bool {
	for _, u := range c.inUnits() {
		v := c.victimIn(u)
		if v.Priority < priority && slices.ContainsFunc(v.Nodes, func(n *Node) bool { return n != v.Nodes[0] }) {
			return true
		}
	}
	under := make(map[*budgetEntry]int)
	for i := range c.covers.sets {
		for _, b := range c.covers.sets[i].over {
			under[b] += c.covers.sets[i].pods
		}
	}
	for b, n := range under {
		if b.budget.Allowed > 0 && int(b.budget.Allowed) < n {
			return true
		}
	}
	return false
}

// amount is what a pod takes in one dimension.
func (e *engine) amount(p *Pod, dim int) int64 {
	if dim == 0 {
		return 1
	}
	return p.Requests[e.names[dim]]
}
