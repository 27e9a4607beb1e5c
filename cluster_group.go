package preemption

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/preemption/internal/score"
)

// groupUnit is what is evicted as more than a plain pod: an atomic group with
// bound pods, or, in 1.37, a single pod that has its rank and its priority from
// its groups.
type groupUnit struct {
	key     groupKey    // zero: a single pod
	members []int32     // parallel to the victim's pods
	shares  []unitShare // of the nodes with members
	index   int32       // in the engine's table
	// tally is what the members add up to, so that one that comes or goes need not be
	// counted together with all others.
	tally score.Tally

	// The victim is made when the first query asks for it after a change: members may
	// come and go by the hundred in between. It is never modified: results hold it.
	made   atomic.Pointer[Victim]
	making sync.Mutex
}

// A unitShare is how many members run on a node.
type unitShare struct {
	slot *nodeSlot
	pods int
}

// victimIn returns a unit as a victim.
func (c *Cluster) victimIn(u *groupUnit) *Victim {
	if v := u.made.Load(); v != nil {
		return v
	}
	u.making.Lock()
	defer u.making.Unlock()
	if v := u.made.Load(); v != nil {
		return v
	}
	v := c.makeVictim(u)
	u.made.Store(v)
	return v
}

func (c *Cluster) makeVictim(u *groupUnit) *Victim {
	if u.key == (groupKey{}) {
		p, s := c.pods.at(u.members[0]).pod, c.slotOf(u.members[0])
		return c.release.PodVictim(p, s.node, c.groups)
	}
	v := &Victim{Kind: u.key.kind, Group: u.key.name, Priority: u.tally.Rank()}
	v.Pods, v.Nodes = make([]*Pod, len(u.members)), make([]*Node, len(u.members))
	for i, id := range u.members {
		v.Pods[i], v.Nodes[i] = c.pods.at(id).pod, c.slotOf(id).node
	}
	v.cached = cachedStart{&v.Pods[0], len(v.Pods), u.tally.Earliest()}
	return v
}

// changed forgets the victim of a unit whose members are others than before, or other
// objects.
func (u *groupUnit) changed() { u.made.Store(nil) }

// SetPodGroup adds the group, or replaces the one of the same name. It takes a
// constant time if that changes nothing for the group's pods, else O(pods of the
// units that they leave and join).
func (c *Cluster) SetPodGroup(g *PodGroup) error {
	if g == nil {
		return errors.New("preemption: the pod group is nil")
	}
	if err := validateGroup("pod group", g.Name); err != nil {
		return err
	}
	c.ready()
	key := objectKey{g.Namespace, g.Name}
	c.regroup([]objectKey{key}, func() { c.groups.pod[key] = g })
	return nil
}

// RemovePodGroup removes the group of that name. Its pods stay.
func (c *Cluster) RemovePodGroup(namespace, name string) error {
	c.ready()
	key := objectKey{namespace, name}
	if c.groups.pod[key] == nil {
		return fmt.Errorf("preemption: pod group %s: there is no pod group of that name to remove", key)
	}
	c.regroup([]objectKey{key}, func() { delete(c.groups.pod, key) })
	return nil
}

// SetCompositePodGroup adds the group, or replaces the one of the same name. It
// takes O(groups with pods), and as SetPodGroup for those below it.
func (c *Cluster) SetCompositePodGroup(g *CompositePodGroup) error {
	if g == nil {
		return errors.New("preemption: the composite pod group is nil")
	}
	if err := validateGroup("composite pod group", g.Name); err != nil {
		return err
	}
	c.ready()
	c.regroup(c.groupsWithPods(g.Namespace), func() { c.groups.composite[objectKey{g.Namespace, g.Name}] = g })
	return nil
}

// RemoveCompositePodGroup removes the group of that name. The groups below stay.
func (c *Cluster) RemoveCompositePodGroup(namespace, name string) error {
	c.ready()
	key := objectKey{namespace, name}
	if c.groups.composite[key] == nil {
		return fmt.Errorf("preemption: composite pod group %s: there is no composite pod group of that name to remove", key)
	}
	c.regroup(c.groupsWithPods(namespace), func() { delete(c.groups.composite, key) })
	return nil
}

// addPodGroup is SetPodGroup for construction, before there are pods.
func (c *Cluster) addPodGroup(g *PodGroup) error {
	if c.groups.pod[objectKey{g.Namespace, g.Name}] != nil {
		return fmt.Errorf("preemption: pod group %s/%s: there already is a pod group of that name", g.Namespace, g.Name)
	}
	if err := validateGroup("pod group", g.Name); err != nil {
		return err
	}
	c.groups.pod[objectKey{g.Namespace, g.Name}] = g
	return nil
}

// addCompositePodGroup is SetCompositePodGroup for construction.
func (c *Cluster) addCompositePodGroup(g *CompositePodGroup) error {
	if c.groups.composite[objectKey{g.Namespace, g.Name}] != nil {
		return fmt.Errorf("preemption: composite pod group %s/%s: there already is a composite pod group of that name", g.Namespace, g.Name)
	}
	if err := validateGroup("composite pod group", g.Name); err != nil {
		return err
	}
	c.groups.composite[objectKey{g.Namespace, g.Name}] = g
	return nil
}

func validateGroup(kind, name string) error {
	if name == "" {
		return errors.New("preemption: " + kind + " without a name")
	}
	return nil
}

// groupsWithPods returns the pod groups of a namespace that have bound pods.
func (c *Cluster) groupsWithPods(namespace string) []objectKey {
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(c.inGroup)), func(k objectKey) bool { return k.namespace != namespace })
	slices.SortFunc(keys, func(a, b objectKey) int { return cmp.Compare(a.name, b.name) })
	return keys
}

// regroup makes a change to the groups and moves the bound pods of those of the
// pod groups for which it means something: a group's pods share its walk up.
func (c *Cluster) regroup(keys []objectKey, change func()) {
	// Pods of two priorities tell whether the group has a say in theirs.
	standing := func(key objectKey) (m [2]membership) {
		for i := range m {
			m[i], _ = c.release.membership(&Pod{Namespace: key.namespace, Group: key.name, Priority: int32(i)}, c.groups)
		}
		return m
	}
	before := make([][2]membership, len(keys))
	for i, key := range keys {
		before[i] = standing(key)
	}
	change()
	var moved []int32
	for i, key := range keys {
		if standing(key) != before[i] {
			moved = append(moved, c.inGroup[key]...)
		}
	}
	if len(moved) == 0 {
		return
	}

	// All leave, and those that were not of a unit.
	var touched []*groupUnit
	touch := func(u *groupUnit) {
		if !slices.Contains(touched, u) {
			touched = append(touched, u)
			c.engine.removeUnit(u)
		}
	}
	for _, id := range moved {
		if u := c.unitOf[id]; u != nil {
			touch(u)
			delete(c.unitOf, id)
		} else {
			c.engine.remove(id)
		}
	}
	for _, u := range touched {
		u.members = slices.DeleteFunc(u.members, func(id int32) bool { return c.unitOf[id] != u })
	}

	// All join again, and the units are put together once.
	for _, id := range moved {
		if u := c.unitFor(id); u == nil {
			c.engine.add(id)
		} else {
			touch(u)
			u.members = append(u.members, id)
		}
	}
	for _, u := range touched {
		if len(u.members) > 0 {
			c.renew(u)
			c.engine.addUnit(u)
		} else {
			delete(c.units, u.key)
		}
	}
}

// unitFor resolves a bound pod's groups and notes the unit that it is part of,
// which may be new; nil if it is a plain pod.
func (c *Cluster) unitFor(id int32) *groupUnit {
	p := c.pods.at(id).pod
	m, _ := c.release.membership(p, c.groups)
	if m == (membership{priority: p.Priority}) {
		return nil
	}
	u := c.units[m.unit]
	if m.unit == (groupKey{}) {
		u = &groupUnit{}
	} else if u == nil {
		u = &groupUnit{key: m.unit}
		c.units[u.key] = u
	}
	c.unitOf[id] = u
	return u
}

// join makes a bound pod part of its unit, in O(members). It reports whether there
// is one; if not, the pod is a plain one.
func (c *Cluster) join(id int32) bool {
	p := c.pods.at(id).pod
	if p.Group == "" {
		return false
	}
	key := objectKey{p.Namespace, p.Group}
	c.inGroup[key] = append(c.inGroup[key], id)
	u := c.unitFor(id)
	switch {
	case u == nil:
		return false
	case len(u.members) == 0:
		u.members = append(u.members, id)
		c.renew(u)
		c.engine.addUnit(u)
	default:
		c.engine.admit(id)
		c.grow(u, id)
		c.engine.joined(u, id)
	}
	return true
}

// leave undoes join. It reports whether the pod was part of a unit.
func (c *Cluster) leave(id int32) bool {
	e := c.pods.at(id)
	if e.pod.Group == "" {
		return false
	}
	key := objectKey{e.pod.Namespace, e.pod.Group}
	if list := slices.DeleteFunc(c.inGroup[key], func(m int32) bool { return m == id }); len(list) > 0 {
		c.inGroup[key] = list
	} else {
		delete(c.inGroup, key)
	}
	u := c.unitOf[id]
	if u == nil {
		return false
	}
	delete(c.unitOf, id)
	if len(u.members) > 1 {
		c.shrink(u, id)
		c.engine.left(u, id)
		return true
	}
	c.engine.removeUnit(u)
	delete(c.units, u.key)
	return true
}

// renew puts a unit together again from its members.
func (c *Cluster) renew(u *groupUnit) {
	u.changed()
	slices.SortFunc(u.members, func(a, b int32) int { return compareSeats(c.pods.at(a).pod, c.pods.at(b).pod) })
	c.countAll(u)
	u.shares = u.shares[:0]
	on := make(map[*nodeSlot]int)
	for _, id := range u.members {
		s := c.slotOf(id)
		i, known := on[s]
		if !known {
			i = len(u.shares)
			on[s] = i
			u.shares = append(u.shares, unitShare{slot: s})
		}
		u.shares[i].pods++
	}
}

// countAll counts the members anew.
func (c *Cluster) countAll(u *groupUnit) {
	rank := c.ranking()
	u.tally = score.Tally{}
	for _, id := range u.members {
		p := c.pods.at(id).pod
		u.tally.Add(p.Priority, rank(p), startOf(p.Start))
	}
}

// ranking returns the effective priority of members: their own, or that of the
// highest ancestor found, which the pods of a group share.
func (c *Cluster) ranking() func(*Pod) int32 {
	var last *Pod
	var m membership
	return func(p *Pod) int32 {
		if !c.release.rules().membersRankAsGroup {
			return p.Priority
		}
		if last == nil || last.Group != p.Group {
			m, _ = c.release.membership(p, c.groups)
			last = p
		}
		return m.priority
	}
}

// grow adds a member to a unit that has some.
func (c *Cluster) grow(u *groupUnit, id int32) {
	u.changed()
	p, s := c.pods.at(id).pod, c.slotOf(id)
	at, _ := slices.BinarySearchFunc(u.members, p, func(m int32, p *Pod) int { return compareSeats(c.pods.at(m).pod, p) })
	u.members = slices.Insert(u.members, at, id)
	u.tally.Add(p.Priority, c.ranking()(p), startOf(p.Start))

	i := u.shareOf(s)
	if i < 0 {
		i = len(u.shares)
		u.shares = append(u.shares, unitShare{slot: s})
	}
	u.shares[i].pods++
}

// shrink takes one of several members out of a unit. Mostly what the others add up to
// follows from what all did.
func (c *Cluster) shrink(u *groupUnit, id int32) {
	u.changed()
	p, s := c.pods.at(id).pod, c.slotOf(id)
	at := slices.Index(u.members, id)
	u.members = slices.Delete(u.members, at, at+1)
	if !u.tally.Remove(p.Priority, c.ranking()(p), startOf(p.Start)) {
		c.countAll(u)
	}

	i := u.shareOf(s)
	if u.shares[i].pods--; u.shares[i].pods == 0 {
		u.shares = slices.Delete(u.shares, i, i+1)
	}
}

// shareOf returns the index of a node's share, -1 if there are no members on it.
func (u *groupUnit) shareOf(s *nodeSlot) int {
	return slices.IndexFunc(u.shares, func(x unitShare) bool { return x.slot == s })
}

// moveUnits follows a node that was replaced in the units with pods on it.
func (c *Cluster) moveUnits(s *nodeSlot) {
	for _, p := range s.pods {
		if u := c.unitOfPod(p); u != nil {
			u.changed()
		}
	}
}
