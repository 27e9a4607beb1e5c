package preemption

import (
	"cmp"
	"maps"
	"slices"
)

// State returns a state that [NewCluster] makes an equal cluster of: for a bug
// report, or to start again with. Clusters that are equal, whatever happened to
// them, give equal states: nodes, budgets, and the pods on or nominated to a node
// come in their orders, groups and pods without a node by namespace and name. The
// objects are the cluster's own; where [Cluster.Nominate] or [Cluster.Commit] had
// the last word, a copy of the pod says so in its NominatedNode. It costs
// O(nodes + pods + groups + budgets).
func (c *Cluster) State() ClusterState {
	if c.byName == nil {
		return ClusterState{}
	}
	state := ClusterState{
		Release:            c.release,
		Nodes:              append([]*Node(nil), c.nodes...),
		Pods:               make([]*Pod, 0, len(c.pods.entries)),
		PodGroups:          sortedValues(c.groups.pod),
		CompositePodGroups: sortedValues(c.groups.composite),
		DisruptionBudgets:  c.DisruptionBudgets(),
	}
	for _, s := range c.slots {
		state.Pods = append(state.Pods, s.pods...)
	}
	for _, node := range slices.Sorted(maps.Keys(c.nominated)) {
		for _, p := range c.nominated[node] {
			state.Pods = append(state.Pods, p.nominatedTo(node))
		}
	}
	placed := len(state.Pods)
	for id := range c.pods.entries {
		if e := &c.pods.entries[id]; e.pod != nil && !c.takesRoom(int32(id)) {
			state.Pods = append(state.Pods, e.pod.nominatedTo(""))
		}
	}
	slices.SortFunc(state.Pods[placed:], func(a, b *Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return state
}

// nominatedTo returns the pod, or a copy of it, with that nominated node.
func (p *Pod) nominatedTo(node string) *Pod {
	if p.NominatedNode == node {
		return p
	}
	moved := *p
	moved.NominatedNode = node
	return &moved
}

// sortedValues returns the values of a map in the order of its keys.
func sortedValues[T any](m map[objectKey]T) []T {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b objectKey) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	values := make([]T, len(keys))
	for i, k := range keys {
		values[i] = m[k]
	}
	return values
}

// Clone returns an independent copy: to decide on while the original moves, or to
// try out what an update would lead to. The objects are shared, since neither
// modifies them. It costs a fraction of NewCluster, O(nodes + pods + groups +
// budgets), all of it copying.
func (c *Cluster) Clone() *Cluster {
	if c.byName == nil {
		return &Cluster{}
	}
	k := &Cluster{
		release:     c.release,
		nodes:       slices.Clone(c.nodes),
		nominated:   make(map[string][]*Pod, len(c.nominated)),
		nominations: maps.Clone(c.nominations),
		nominees:    maps.Clone(c.nominees),
		groups:      &Groups{maps.Clone(c.groups.pod), maps.Clone(c.groups.composite)},
	}
	for node, pods := range c.nominated {
		k.nominated[node] = slices.Clone(pods)
	}
	k.cloneSlots(c)
	k.clonePods(&c.pods)
	k.cloneUnits(c)
	k.cloneBudgets(c)
	k.engine = c.engine.clone(k)
	return k
}

// cloneSlots copies the nodes, with their lists of pods in memory of their own.
func (c *Cluster) cloneSlots(from *Cluster) {
	pods := 0
	for _, s := range from.slots {
		pods += len(s.pods)
	}
	all, slots := make([]*Pod, 0, pods), make([]nodeSlot, len(from.slots))
	c.slots = make([]*nodeSlot, len(slots))
	c.byName = make(map[string]*nodeSlot, len(slots))
	c.homes, c.vacant = make([]*nodeSlot, len(from.homes)), slices.Clone(from.vacant)
	for i, s := range from.slots {
		all = append(all, s.pods...)
		slots[i] = *s
		slots[i].pods = all[len(all)-len(s.pods) : len(all) : len(all)] // what is added makes a copy
		c.slots[i] = &slots[i]
		c.byName[s.node.Name] = &slots[i]
		c.homes[s.number] = &slots[i]
	}
}

// slot returns the copy of a node of the original.
func (c *Cluster) slot(s *nodeSlot) *nodeSlot {
	if s == nil {
		return nil
	}
	return c.slots[s.index]
}

// clonePods copies the index of pods.
func (c *Cluster) clonePods(from *podIndex) {
	room := make([]podEntry, 0, roomFor(len(from.entries))) // so that the first that comes does not move all
	c.pods = podIndex{append(room, from.entries...), from.names.Clone(), slices.Clone(from.unused)}
}

// cloneUnits copies the units. Their victims are never modified, so they are
// shared.
func (c *Cluster) cloneUnits(from *Cluster) {
	copies := make(map[*groupUnit]*groupUnit, len(from.units))
	c.units = make(map[groupKey]*groupUnit, len(from.units))
	c.unitOf = make(map[int32]*groupUnit, len(from.unitOf))
	for id, u := range from.unitOf {
		copied := copies[u]
		if copied == nil {
			copied = &groupUnit{key: u.key, members: slices.Clone(u.members), shares: make([]unitShare, len(u.shares)), index: u.index, tally: u.tally}
			copied.made.Store(u.made.Load())
			for i, x := range u.shares {
				copied.shares[i] = unitShare{c.slot(x.slot), x.pods}
			}
			copies[u] = copied
		}
		c.unitOf[id] = copied
	}
	for key, u := range from.units {
		c.units[key] = copies[u]
	}
	c.inGroup = make(map[objectKey][]int32, len(from.inGroup))
	for key, ids := range from.inGroup {
		c.inGroup[key] = slices.Clone(ids)
	}
}

// cloneBudgets copies the budgets and the sets of them over pods.
func (c *Cluster) cloneBudgets(from *Cluster) {
	copies := make(map[*budgetEntry]*budgetEntry, from.budgets.count())
	c.budgets = newBudgetIndex()
	c.budgets.next = from.budgets.next
	for key, e := range from.budgets.byName {
		copied := *e
		copies[e] = &copied
		c.budgets.byName[key] = &copied
	}
	of := func(entries []*budgetEntry) []*budgetEntry {
		list := make([]*budgetEntry, len(entries))
		for i, e := range entries {
			list[i] = copies[e]
		}
		return list
	}
	for namespace, n := range from.budgets.byNamespace {
		m := &namespaceBudgets{make(map[label][]*budgetEntry, len(n.byLabel)), of(n.others)}
		for l, entries := range n.byLabel {
			m.byLabel[l] = of(entries)
		}
		c.budgets.byNamespace[namespace] = m
	}
	c.covers = coverSets{make([]coverSet, len(from.covers.sets)), maps.Clone(from.covers.byKey), slices.Clone(from.covers.unused)}
	for i, set := range from.covers.sets {
		if set.over == nil {
			continue
		}
		c.covers.sets[i] = coverSet{of(set.over), set.pods, maps.Clone(set.homes)}
	}
}

// clone copies the engine for a copy of its cluster.
func (e *engine) clone(c *Cluster) *engine {
	k := &engine{
		cluster: c,
		names:   slices.Clone(e.names),
		uses:    slices.Clone(e.uses),
		others:  make(map[string]idSet, len(e.others)),
		units:   make([]*groupUnit, len(e.units)),
		unused:  slices.Clone(e.unused),
	}
	for name, users := range e.others {
		k.others[name] = maps.Clone(users)
	}
	for _, u := range c.unitOf {
		k.units[u.index] = u
	}
	k.table = e.table.Clone(k.comparison())
	return k
}
