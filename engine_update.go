package preemption

import (
	"slices"

	"example.com/preemption/internal/columnar"
)

// What the engine is told of each change to the cluster. The nil engine of a
// cluster under construction ignores it.

func (e *engine) addNode(c *Cluster, s *nodeSlot) {
	if e == nil {
		return
	}
	e.table.AddNode(e.vector(s.node.Allocatable, s.node.Allocatable[PodCount]))
	for _, p := range c.nominated[s.node.Name] {
		e.holdRow(s, c.pods.find(p.Namespace, p.Name), p)
	}
}

func (e *engine) removeNode(s *nodeSlot) {
	if e != nil {
		e.table.RemoveNode(s.index)
	}
}

func (e *engine) resize(s *nodeSlot, old, n *Node) {
	if e == nil {
		return
	}
	delta := slices.Clone(e.vector(n.Allocatable, n.Allocatable[PodCount]))
	for d, was := range e.vector(old.Allocatable, old.Allocatable[PodCount]) {
		delta[d] -= was
	}
	e.table.Resize(s.index, delta)
}

// add takes in a plain bound pod.
func (e *engine) add(c *Cluster, id int32) {
	if e == nil || e.admit(c, c.pods.at(id).pod) {
		return
	}
	entry := c.pods.at(id)
	e.setCover(c, entry.cover)
	e.table.Add(entry.slot.index, plainResident(entry, id), e.requests(entry.pod))
}

func (e *engine) remove(c *Cluster, id int32) {
	if e == nil {
		return
	}
	entry := c.pods.at(id)
	e.table.Remove(entry.slot.index, id)
	e.dismiss(entry.pod)
}

// addUnit takes in a unit with all its members.
func (e *engine) addUnit(c *Cluster, u *groupUnit) {
	if e == nil {
		return
	}
	for _, p := range u.victim.Pods {
		if e.admit(c, p) {
			return
		}
	}
	for _, id := range u.members {
		e.setCover(c, c.pods.at(id).cover)
	}
	e.numberUnit(c, u)
	u.victim.affected(func(n *Node) bool {
		s := c.byName[n.Name]
		x, requests := e.share(c, u, s)
		e.table.Add(s.index, x, requests)
		return true
	})
}

// removeUnit takes out a unit as it was last added. A unit without members has
// not been.
func (e *engine) removeUnit(c *Cluster, u *groupUnit) {
	if e == nil || len(u.members) == 0 {
		return
	}
	u.victim.affected(func(n *Node) bool {
		e.table.Remove(c.byName[n.Name].index, ^u.index)
		return true
	})
	for _, p := range u.victim.Pods {
		e.dismiss(p)
	}
	e.units[u.index] = nil
	e.unused = append(e.unused, u.index)
}

// hold takes in a nominated pod. The node is nil if it does not exist.
func (e *engine) hold(c *Cluster, s *nodeSlot, id int32) {
	if e == nil || e.admit(c, c.pods.at(id).pod) || s == nil {
		return
	}
	e.holdRow(s, id, c.pods.at(id).pod)
}

func (e *engine) holdRow(s *nodeSlot, id int32, p *Pod) {
	e.table.Hold(s.index, columnar.Held{Priority: p.Priority, Ref: id}, e.requests(p))
}

func (e *engine) release(c *Cluster, s *nodeSlot, id int32) {
	if e == nil {
		return
	}
	if s != nil {
		e.table.Release(s.index, id)
	}
	e.dismiss(c.pods.at(id).pod)
}

func (e *engine) addBudget(b *budgetEntry) {
	if e == nil {
		return
	}
	for len(e.table.Budgets) <= int(b.order) {
		e.table.Budgets = append(e.table.Budgets, 0)
	}
	e.table.Budgets[b.order] = int64(b.budget.Allowed)
}

// setBudget follows a change of what a budget allows.
func (e *engine) setBudget(c *Cluster, b *budgetEntry) {
	if e == nil {
		return
	}
	was := e.table.Budgets[b.order]
	e.table.Budgets[b.order] = int64(b.budget.Allowed)
	if (was <= 0) == (b.budget.Allowed <= 0) {
		return
	}
	// The pods under it have come to violate for sure, or no longer do. A group
	// shows on all of its nodes.
	stale := make(map[*nodeSlot]bool)
	for i := range c.covers.sets {
		set := &c.covers.sets[i]
		if !slices.Contains(set.over, b) {
			continue
		}
		for _, s := range set.slots {
			if stale[s] {
				continue
			}
			stale[s] = true
			e.table.Refresh(s.index)
		}
	}
	for _, u := range c.units {
		if slices.ContainsFunc(e.table.Units[u.index].Covers, func(set int32) bool { return slices.Contains(c.covers.sets[set].over, b) }) {
			e.refreshUnit(c, u)
		}
	}
}

func (e *engine) refreshUnit(c *Cluster, u *groupUnit) {
	u.victim.affected(func(n *Node) bool {
		e.table.Refresh(c.byName[n.Name].index)
		return true
	})
}

// recover follows a change of the budgets over a pod.
func (e *engine) recover(c *Cluster, id int32) {
	if e == nil {
		return
	}
	entry := c.pods.at(id)
	e.setCover(c, entry.cover)
	u := c.unitOf[id]
	if u == nil {
		e.table.SetCover(entry.slot.index, id, entry.cover)
		e.table.Refresh(entry.slot.index)
		return
	}
	e.table.Units[u.index] = e.costs(c, u)
	e.refreshUnit(c, u)
}

// setCover tells the table what a set of budgets is.
func (e *engine) setCover(c *Cluster, set int32) {
	if set == noCover {
		return
	}
	for len(e.table.Covers) <= int(set) {
		e.table.Covers = append(e.table.Covers, nil)
	}
	over := c.covers.budgets(set)
	have := e.table.Covers[set]
	if len(have) == len(over) {
		same := true
		for i, b := range over {
			same = same && have[i] == b.order
		}
		if same {
			return
		}
	}
	orders := make([]int32, len(over))
	for i, b := range over {
		orders[i] = b.order
	}
	e.table.Covers[set] = orders
}
