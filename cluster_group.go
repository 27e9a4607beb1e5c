package preemption

import (
	"errors"
	"fmt"
	"slices"
)

// groupUnit is what is evicted as more than a plain pod: an atomic group with
// bound pods, or, in 1.37, a single pod that has its rank and its priority from
// its groups.
type groupUnit struct {
	key     groupKey // zero: a single pod
	members []int32  // pods
	// victim is made anew at each change, never modified: earlier results hold it.
	victim *Victim
	index  int32 // in the engine's table
}

// SetPodGroup adds the group, or replaces the one of the same name.
func (c *Cluster) SetPodGroup(g *PodGroup) error {
	if g == nil {
		return errors.New("preemption: the pod group is nil")
	}
	if err := validateGroup("pod group", g.Name); err != nil {
		return err
	}
	c.ready()
	c.groups.pod[objectKey{g.Namespace, g.Name}] = g
	c.regroup(g.Namespace)
	return nil
}

// RemovePodGroup removes the group of that name. Its pods stay.
func (c *Cluster) RemovePodGroup(namespace, name string) error {
	c.ready()
	key := objectKey{namespace, name}
	if c.groups.pod[key] == nil {
		return fmt.Errorf("preemption: pod group %s: there is no pod group of that name to remove", key)
	}
	delete(c.groups.pod, key)
	c.regroup(namespace)
	return nil
}

// SetCompositePodGroup adds the group, or replaces the one of the same name.
func (c *Cluster) SetCompositePodGroup(g *CompositePodGroup) error {
	if g == nil {
		return errors.New("preemption: the composite pod group is nil")
	}
	if err := validateGroup("composite pod group", g.Name); err != nil {
		return err
	}
	c.ready()
	c.groups.composite[objectKey{g.Namespace, g.Name}] = g
	c.regroup(g.Namespace)
	return nil
}

// RemoveCompositePodGroup removes the group of that name. The groups below stay.
func (c *Cluster) RemoveCompositePodGroup(namespace, name string) error {
	c.ready()
	key := objectKey{namespace, name}
	if c.groups.composite[key] == nil {
		return fmt.Errorf("preemption: composite pod group %s: there is no composite pod group of that name to remove", key)
	}
	delete(c.groups.composite, key)
	c.regroup(namespace)
	return nil
}

// addPodGroup is SetPodGroup for construction, before there are pods.
func (c *Cluster) addPodGroup(g *PodGroup) error {
	if c.groups.pod[objectKey{g.Namespace, g.Name}] != nil {
		return fmt.Errorf("preemption: pod group %s/%s: there already is a pod group of that name", g.Namespace, g.Name)
	}
	return c.SetPodGroup(g)
}

// addCompositePodGroup is SetCompositePodGroup for construction.
func (c *Cluster) addCompositePodGroup(g *CompositePodGroup) error {
	if c.groups.composite[objectKey{g.Namespace, g.Name}] != nil {
		return fmt.Errorf("preemption: composite pod group %s/%s: there already is a composite pod group of that name", g.Namespace, g.Name)
	}
	return c.SetCompositePodGroup(g)
}

func validateGroup(kind, name string) error {
	if name == "" {
		return errors.New("preemption: " + kind + " without a name")
	}
	return nil
}

// regroup resolves the groups of a namespace's bound pods again. It looks at
// every pod of the cluster.
func (c *Cluster) regroup(namespace string) {
	for _, s := range c.slots {
		for _, p := range s.pods {
			if p.Namespace != namespace || p.Group == "" {
				continue
			}
			id := c.pods.find(p.Namespace, p.Name)
			if !c.leave(id) {
				c.engine.remove(c, id)
			}
			if !c.join(id) {
				c.engine.add(c, id)
			}
		}
	}
}

// join resolves a bound pod's groups and makes it part of its unit. It reports
// whether there is one; if not, the pod is a plain one.
func (c *Cluster) join(id int32) bool {
	p := c.pods.at(id).pod
	m, _ := c.release.membership(p, c.groups)
	if m == (membership{priority: p.Priority}) {
		return false
	}
	u := c.units[m.unit]
	if m.unit == (groupKey{}) {
		u = &groupUnit{}
	} else if u == nil {
		u = &groupUnit{key: m.unit}
		c.units[u.key] = u
	}
	c.unitOf[id] = u
	c.engine.removeUnit(c, u)
	u.members = append(u.members, id)
	c.settle(u)
	return true
}

// leave undoes join. It reports whether the pod was part of a unit.
func (c *Cluster) leave(id int32) bool {
	u := c.unitOf[id]
	if u == nil {
		return false
	}
	c.engine.removeUnit(c, u)
	delete(c.unitOf, id)
	u.members = slices.DeleteFunc(u.members, func(m int32) bool { return m == id })
	if len(u.members) > 0 {
		c.settle(u)
	} else if u.key != (groupKey{}) {
		delete(c.units, u.key)
	}
	return true
}

// settle puts a unit together again after its members changed. While the cluster
// is under construction groups wait until all their members are there.
func (c *Cluster) settle(u *groupUnit) {
	if c.engine == nil && u.key != (groupKey{}) {
		return
	}
	c.renew(u)
	c.engine.addUnit(c, u)
}

// renew makes the unit's victim anew, in O(members).
func (c *Cluster) renew(u *groupUnit) {
	if u.key == (groupKey{}) {
		e := c.pods.at(u.members[0])
		u.victim = c.release.PodVictim(e.pod, e.slot.node, c.groups)
		return
	}
	var v *Victim
	for _, id := range u.members {
		e := c.pods.at(id)
		m, _ := c.release.membership(e.pod, c.groups)
		if v == nil {
			v = &Victim{Kind: u.key.kind, Group: u.key.name, Priority: m.priority}
		}
		v.join(e.pod, e.slot.node, m.priority)
	}
	v.sortPods()
	v.cacheStart()
	u.victim = v
}

// moveUnits follows a node that was replaced in the units with pods on it.
func (c *Cluster) moveUnits(s *nodeSlot) {
	for _, p := range s.pods {
		if u := c.unitOfPod(p); u != nil && !slices.Contains(u.victim.Nodes, s.node) {
			c.renew(u)
		}
	}
}
