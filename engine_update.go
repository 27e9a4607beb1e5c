package preemption

import (
	"slices"

	"example.com/preemption/internal/columnar"
)

// What the engine is told of each change to the cluster, after the change but where
// something leaves: what is compiled of it can be found only while it is there.
//
// None of it computes more than the rows: what follows from these is summed up when the
// next query asks (internal/columnar, refresh.go), once for all updates in between.

// addNode takes in a node, with the pods that were nominated to it while there was none.
func (e *engine) addNode(s *nodeSlot) {
	e.table.AddNode(e.vector(s.node.Allocatable, s.node.Allocatable[PodCount]))
	for _, p := range e.cluster.nominated[s.node.Name] {
		e.hold(s, e.cluster.pods.find(p.Namespace, p.Name), e.requests(p))
	}
}

// removeNode forgets an empty node. Those behind it move up, and so do their rows.
func (e *engine) removeNode(s *nodeSlot) {
	e.table.RemoveNode(s.index)
}

// resize follows what a node has to give. The table adds the difference, since it
// knows what is free and not what there was.
func (e *engine) resize(s *nodeSlot, old, n *Node) {
	delta := slices.Clone(e.vector(n.Allocatable, n.Allocatable[PodCount]))
	for d, was := range e.vector(old.Allocatable, old.Allocatable[PodCount]) {
		delta[d] -= was
	}
	e.table.Resize(s.index, delta)
}

// add takes in a plain bound pod.
func (e *engine) add(id int32) {
	entry := e.cluster.pods.at(id)
	e.setCover(entry.cover)
	e.table.Add(e.cluster.home(entry).index, plainResident(entry, id), e.admit(id))
}

// remove takes out a plain bound pod, which the cluster still knows. It returns what the
// pod requested, by dimension, and whether that is all: if every resource that pods
// request has a dimension.
func (e *engine) remove(id int32) (requests []int64, all bool) {
	requests = e.table.Remove(e.cluster.slotOf(id).index, id)
	if len(e.others) > 0 {
		e.dismiss(id)
		return nil, false
	}

	// This is dismiss without the pod's map.
	for d, amount := range requests {
		if amount > 0 {
			e.uses[d+1]--
		}
	}
	return requests, true
}

// addUnit takes in a unit with all its members.
func (e *engine) addUnit(u *groupUnit) {
	for _, id := range u.members {
		e.admit(id)
		e.setCover(e.cluster.pods.at(id).cover)
	}

	// All members are admitted first: one may bring a resource whose dimension the
	// others' requests have then too.
	e.numberUnit(u)
	requests := e.unitRequests(u)
	w := len(e.names) - 1
	for i, share := range u.shares {
		e.table.Add(share.slot.index, e.share(u, share), requests[i*w:(i+1)*w])
	}
}

// removeUnit takes out a unit as it was last added. A unit without members has
// not been. Its members have to be those that it was added with: each is dismissed for
// what it was admitted for.
func (e *engine) removeUnit(u *groupUnit) {
	if len(u.members) == 0 {
		return
	}
	for _, share := range u.shares {
		e.table.Remove(share.slot.index, ^u.index)
	}
	for _, id := range u.members {
		e.dismiss(id)
	}
	e.units[u.index] = nil
	e.unused = append(e.unused, u.index)
}

// joined follows a member, admitted before, that has joined a unit with others.
func (e *engine) joined(u *groupUnit, id int32) {
	entry := e.cluster.pods.at(id)
	e.setCover(entry.cover)

	// The first member on a node makes the unit a resident of it; later ones add to
	// what it takes there.
	share := u.shares[u.shareOf(e.cluster.home(entry))]
	if share.pods == 1 {
		e.table.Add(e.cluster.home(entry).index, e.share(u, share), e.requests(entry.pod))
	} else {
		e.table.Change(e.cluster.home(entry).index, e.share(u, share), e.requests(entry.pod), +1, true)
	}
	e.restate(u)
}

// left follows a member that has left a unit with others.
func (e *engine) left(u *groupUnit, id int32) {
	entry := e.cluster.pods.at(id)
	if i := u.shareOf(e.cluster.home(entry)); i < 0 {
		e.table.Remove(e.cluster.home(entry).index, ^u.index)
	} else {
		e.table.Change(e.cluster.home(entry).index, e.share(u, u.shares[i]), e.requests(entry.pod), -1, true)
	}
	e.dismiss(id)
	e.restate(u)
}

// restate follows what a member that came or went changes on all of the unit's
// nodes: what evicting it costs, and its importance. Mostly there is nothing to
// refresh.
func (e *engine) restate(u *groupUnit) {
	stale := e.table.SetUnit(u.index, e.costs(u))
	for _, share := range u.shares {
		e.table.Change(share.slot.index, e.share(u, share), nil, 0, stale)
	}
}

// reserve takes in a nominated pod, which holds its place on the node; nil if there
// is no such node.
func (e *engine) reserve(s *nodeSlot, id int32) {
	if requests := e.admit(id); s != nil {
		e.hold(s, id, requests)
	}
}

// hold enters a pod among those that hold a place on the node. Requests are by
// dimension.
func (e *engine) hold(s *nodeSlot, id int32, requests []int64) {
	e.table.Hold(s.index, columnar.Held{Priority: e.cluster.pods.at(id).pod.Priority, Ref: id}, requests)
}

// unreserve undoes reserve.
func (e *engine) unreserve(s *nodeSlot, id int32) {
	if s != nil {
		e.table.Release(s.index, id)
	}
	e.dismiss(id)
}

// addBudget takes in a budget under its number, before there are sets with it.
func (e *engine) addBudget(b *budgetEntry) { e.table.SetBudget(b.order, int64(b.budget.Allowed)) }

// setBudget follows what a budget allows. If that passes zero, the pods under it have
// come to violate for sure, or no longer do. A group shows on all of its nodes. As long
// as it stays on one side of zero no row changes: how much is left is read by each
// search when it charges budgets.
func (e *engine) setBudget(b *budgetEntry) {
	if !e.table.SetBudget(b.order, int64(b.budget.Allowed)) {
		return
	}

	// Plain pods, by the nodes on which some pod has a set with the budget.
	c := e.cluster
	for i := range c.covers.sets {
		if set := &c.covers.sets[i]; slices.Contains(set.over, b) {
			for home := range set.homes {
				e.table.TouchCovered(c.homes[home].index, int32(i))
			}
		}
	}

	// Units, whose sets are their members'. All there are: those that are one pod, which
	// only ranks as its group says, have no name to be listed by.
	for _, u := range e.units {
		if u != nil && slices.ContainsFunc(e.table.Unit(u.index).Covers, func(set int32) bool { return slices.Contains(c.covers.budgets(set), b) }) {
			e.touch(u)
		}
	}
}

// touch has the table look again at all nodes of a unit.
func (e *engine) touch(u *groupUnit) {
	for _, share := range u.shares {
		e.table.Touch(share.slot.index)
	}
}

// covered follows pods that other sets of budgets cover now.
func (e *engine) covered(changed []int32) {
	c := e.cluster

	// A unit is stated anew once, however many of its members have changed. The order
	// does not matter: each sets its own numbers.
	units := make(map[*groupUnit]bool)
	on := make([]int, len(changed)) // found first, as memory has many on the way then
	for i, id := range changed {
		on[i] = c.slotOf(id).index
	}
	for i, id := range changed {
		cover := c.pods.at(id).cover
		e.setCover(cover)
		if u := c.unitOf[id]; u == nil {
			e.table.SetCover(on[i], id, cover)
		} else {
			units[u] = true
		}
	}
	for u := range units {
		e.table.SetUnit(u.index, e.costs(u))
		e.touch(u)
	}
}

// renumberBudgets follows a change of the budgets' numbers, which are their order of
// charging: one that comes between others moves those behind it.
func (e *engine) renumberBudgets() {
	var left []int64
	for _, b := range e.cluster.budgets.inOrder() {
		left = append(left, int64(b.budget.Allowed))
	}
	e.table.SetBudgets(left)
	for i := range e.cluster.covers.sets {
		e.setCover(int32(i))
	}
}

// setCover tells the table what a set of budgets is, unless it knows: mostly it does,
// and a list is made for those alone that are new or stand for another set by now.
func (e *engine) setCover(set int32) {
	if set == noCover {
		return
	}
	same := func(number int32, b *budgetEntry) bool { return number == b.order }
	over := e.cluster.covers.budgets(set)
	if slices.EqualFunc(e.table.Cover(set), over, same) {
		return
	}
	numbers := make([]int32, len(over))
	for i, b := range over {
		numbers[i] = b.order
	}
	e.table.DefineCover(set, numbers)
}

// admit counts the resources that a pod which comes requests, and gives each a
// dimension if there is one to give. It returns the pod's requests by dimension, valid
// until the next call. Nearly always all have one, and a single look at the requests does.
func (e *engine) admit(id int32) []int64 {
	p := e.cluster.pods.at(id).pod
	var fresh []string
	v := e.row()
	for name, amount := range p.Requests {
		switch d := e.dimension(name); {
		case amount == 0 || name == PodCount:
		case d > 0:
			e.uses[d]++
			v[d-1] = amount
		default:
			fresh = append(fresh, name)
		}
	}
	if fresh == nil {
		return v
	}

	// Resources without a dimension, in an order that does not depend on a map: there
	// may be a dimension for some of them only.
	slices.Sort(fresh)
	for _, name := range fresh {
		if d := e.adopt(name); d > 0 {
			e.uses[d]++
			continue
		}
		if e.others[name] == nil {
			e.others[name] = idSet{}
		}
		e.others[name][id] = struct{}{}
	}
	return e.requests(p)
}

// dismiss undoes admit, once the pod is gone from the table. If no pod requests a
// resource any more, its dimension goes to one that has none.
func (e *engine) dismiss(id int32) {
	idle := false
	for name, amount := range e.cluster.pods.at(id).pod.Requests {
		if amount == 0 || name == PodCount {
			continue
		}
		if d := e.dimension(name); d > 0 {
			e.uses[d]--
			idle = idle || e.uses[d] == 0
		} else if delete(e.others[name], id); len(e.others[name]) == 0 {
			delete(e.others, name)
		}
	}

	if !idle {
		return
	}

	// The one that most pods wait for first.
	uses := make(map[string]int, len(e.others))
	for name, users := range e.others {
		uses[name] = len(users)
	}
	for _, name := range byUse(uses) {
		e.adopt(name)
	}
}

// adopt gives a resource a dimension if there is one to give: one more, as long as
// there may be, or that of a resource which no pod requests. It returns the dimension,
// zero if there is none. The rest of the table stays as it is: it takes a look at every
// node, and at the pods that have been waiting for a dimension.
func (e *engine) adopt(name string) int {
	dim := 1 + slices.Index(e.uses[1:], 0)
	if dim == 0 && len(e.names) == maxDimensions {
		return 0
	}
	if dim == 0 {
		dim = len(e.names)
		e.names, e.uses = append(e.names, ""), append(e.uses, 0)
		e.table.Grow()
	}

	// What nodes have of it, then what the pods request that were counted apart: members
	// add to their unit's share, and pending ones to what is held on their nominated node.
	users := e.others[name]
	e.names[dim], e.uses[dim] = name, len(users)
	delete(e.others, name)
	c := e.cluster
	e.table.Redefine(dim, func(node int) int64 { return c.nodes[node].Allocatable[name] })
	for id := range users {
		ref, on := id, c.slotOf(id)
		if u := c.unitOf[id]; u != nil {
			ref = ^u.index
		} else if on == nil {
			on = c.byName[c.nominations[id]]
		}
		if on != nil {
			e.table.Take(on.index, ref, dim, c.pods.at(id).pod.Requests[name])
		}
	}
	return dim
}
