package preemption

import (
	"slices"

	"example.com/preemption/internal/columnar"
)

// What the engine is told of each change to the cluster. The nil engine of a
// cluster under construction ignores it.

func (e *engine) addNode(s *nodeSlot) {
	if e == nil {
		return
	}
	e.table.AddNode(e.vector(s.node.Allocatable, s.node.Allocatable[PodCount]))
	for _, p := range e.cluster.nominated[s.node.Name] {
		e.holdRow(s, e.cluster.pods.find(p.Namespace, p.Name), p)
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
func (e *engine) add(id int32) {
	if e == nil {
		return
	}
	entry := e.cluster.pods.at(id)
	e.admit(entry.pod)
	e.setCover(entry.cover)
	e.table.Add(entry.slot.index, plainResident(entry, id), e.requests(entry.pod))
}

func (e *engine) remove(id int32) {
	if e == nil {
		return
	}
	entry := e.cluster.pods.at(id)
	e.table.Remove(entry.slot.index, id)
	e.dismiss(entry.pod)
}

// addUnit takes in a unit with all its members.
func (e *engine) addUnit(u *groupUnit) {
	if e == nil {
		return
	}
	for _, p := range u.victim.Pods {
		e.admit(p)
	}
	for _, id := range u.members {
		e.setCover(e.cluster.pods.at(id).cover)
	}
	e.numberUnit(u)
	requests := e.unitRequests(u)
	w := len(e.names) - 1
	for i, share := range u.shares {
		e.table.Add(share.slot.index, e.share(u, share), requests[i*w:(i+1)*w])
	}
}

// removeUnit takes out a unit as it was last added. A unit without members has
// not been.
func (e *engine) removeUnit(u *groupUnit) {
	if e == nil || len(u.members) == 0 {
		return
	}
	for _, share := range u.shares {
		e.table.Remove(share.slot.index, ^u.index)
	}
	for _, p := range u.victim.Pods {
		e.dismiss(p)
	}
	e.units[u.index] = nil
	e.unused = append(e.unused, u.index)
}

// joined follows a member, admitted before, that has joined a unit with others.
func (e *engine) joined(u *groupUnit, id int32) {
	entry := e.cluster.pods.at(id)
	e.setCover(entry.cover)
	share := u.shares[u.shareOf(entry.slot)]
	if share.pods == 1 {
		e.table.Add(entry.slot.index, e.share(u, share), e.requests(entry.pod))
	} else {
		e.table.Change(entry.slot.index, e.share(u, share), e.requests(entry.pod), +1, true)
	}
	e.restate(u)
}

// left follows a member that has left a unit with others.
func (e *engine) left(u *groupUnit, id int32) {
	entry := e.cluster.pods.at(id)
	if i := u.shareOf(entry.slot); i < 0 {
		e.table.Remove(entry.slot.index, ^u.index)
	} else {
		e.table.Change(entry.slot.index, e.share(u, u.shares[i]), e.requests(entry.pod), -1, true)
	}
	e.dismiss(entry.pod)
	e.restate(u)
}

// restate follows what a member that came or went changes on all of the unit's
// nodes: what evicting it costs, and its importance. Mostly there is nothing to
// refresh.
func (e *engine) restate(u *groupUnit) {
	was, now := e.table.Units[u.index], e.costs(u)
	e.table.Units[u.index] = now
	stale := was.Odd != now.Odd || (len(was.Covers) > 0) != (len(now.Covers) > 0) || e.table.SpentUnit(&was) != e.table.SpentUnit(&now)
	for _, share := range u.shares {
		e.table.Change(share.slot.index, e.share(u, share), nil, 0, stale)
	}
}

// hold takes in a nominated pod. The node is nil if it does not exist.
func (e *engine) hold(s *nodeSlot, id int32) {
	if e == nil {
		return
	}
	e.admit(e.cluster.pods.at(id).pod)
	if s == nil {
		return
	}
	e.holdRow(s, id, e.cluster.pods.at(id).pod)
}

func (e *engine) holdRow(s *nodeSlot, id int32, p *Pod) {
	e.table.Hold(s.index, columnar.Held{Priority: p.Priority, Ref: id}, e.requests(p))
}

func (e *engine) release(s *nodeSlot, id int32) {
	if e == nil {
		return
	}
	if s != nil {
		e.table.Release(s.index, id)
	}
	e.dismiss(e.cluster.pods.at(id).pod)
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
func (e *engine) setBudget(b *budgetEntry) {
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
	for i := range e.cluster.covers.sets {
		if set := &e.cluster.covers.sets[i]; slices.Contains(set.over, b) {
			for s := range set.slots {
				stale[s] = true
			}
		}
	}
	for _, u := range e.cluster.units {
		if slices.ContainsFunc(e.table.Units[u.index].Covers, func(set int32) bool { return slices.Contains(e.cluster.covers.sets[set].over, b) }) {
			u.stain(stale)
		}
	}
	e.refresh(stale)
}

// refresh computes again what the table knows of nodes.
func (e *engine) refresh(stale map[*nodeSlot]bool) {
	for s := range stale {
		e.table.Refresh(s.index)
	}
}

// stain notes all nodes of a unit.
func (u *groupUnit) stain(stale map[*nodeSlot]bool) {
	for _, share := range u.shares {
		stale[share.slot] = true
	}
}

// covered follows pods that other sets of budgets cover now. A group shows on all
// of its nodes.
func (e *engine) covered(changed []int32) {
	if e == nil || len(changed) == 0 {
		return
	}
	stale := make(map[*nodeSlot]bool)
	units := make(map[*groupUnit]bool)
	for _, id := range changed {
		entry := e.cluster.pods.at(id)
		e.setCover(entry.cover)
		if u := e.cluster.unitOf[id]; u != nil {
			units[u] = true
		} else {
			e.table.SetCover(entry.slot.index, id, entry.cover)
			stale[entry.slot] = true
		}
	}
	for u := range units {
		e.table.Units[u.index] = e.costs(u)
		u.stain(stale)
	}
	e.refresh(stale)
}

// renumberBudgets follows a change of the budgets' numbers.
func (e *engine) renumberBudgets() {
	if e == nil {
		return
	}
	e.table.Budgets = nil
	for _, b := range e.cluster.budgets.inOrder() {
		e.addBudget(b)
	}
	for i := range e.cluster.covers.sets {
		e.setCover(int32(i))
	}
}

// setCover tells the table what a set of budgets is.
func (e *engine) setCover(set int32) {
	if set == noCover {
		return
	}
	for len(e.table.Covers) <= int(set) {
		e.table.Covers = append(e.table.Covers, nil)
	}
	over := e.cluster.covers.budgets(set)
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
