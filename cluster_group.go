package preemption

import (
	"errors"
	"fmt"
	"slices"
)

// groupUnit is an atomic group with bound pods.
type groupUnit struct {
	key     groupKey
	members []*podEntry
	// victim is made anew at each change, never modified: earlier results hold it.
	victim *Victim
}

// SetPodGroup adds the group, or replaces the one of the same name.
func (c *Cluster) SetPodGroup(g *PodGroup) error {
	if err := validateGroup("pod group", g.Namespace, g.Name); err != nil {
		return err
	}
	c.groups.pod[objectKey{g.Namespace, g.Name}] = g
	c.regroup(g.Namespace)
	return nil
}

// RemovePodGroup removes the group of that name. Its pods stay.
func (c *Cluster) RemovePodGroup(namespace, name string) error {
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
	if err := validateGroup("composite pod group", g.Namespace, g.Name); err != nil {
		return err
	}
	c.groups.composite[objectKey{g.Namespace, g.Name}] = g
	c.regroup(g.Namespace)
	return nil
}

// RemoveCompositePodGroup removes the group of that name. The groups below stay.
func (c *Cluster) RemoveCompositePodGroup(namespace, name string) error {
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

func validateGroup(kind, namespace, name string) error {
	if name == "" {
		return errors.New("preemption: " + kind + " without a name")
	}
	return nil
}

// regroup resolves the groups of a namespace's bound pods again.
func (c *Cluster) regroup(namespace string) {
	for _, s := range c.slots {
		for _, p := range s.pods {
			if p.Namespace == namespace && p.Group != "" {
				e := c.pods[objectKey{p.Namespace, p.Name}]
				c.leave(e)
				c.join(e)
			}
		}
	}
}

// join resolves a bound pod's groups and makes it part of its atomic group.
func (c *Cluster) join(e *podEntry) {
	if e.slot == nil {
		return
	}
	e.member, _ = c.release.membership(e.pod, c.groups)
	if e.member.unit == (groupKey{}) {
		return
	}
	u := c.units[e.member.unit]
	if u == nil {
		u = &groupUnit{key: e.member.unit}
		c.units[u.key] = u
	}
	e.unit = u
	u.members = append(u.members, e)
	u.renew()
}

// leave undoes join.
func (c *Cluster) leave(e *podEntry) {
	u := e.unit
	if u == nil {
		return
	}
	e.unit = nil
	u.members = slices.DeleteFunc(u.members, func(m *podEntry) bool { return m == e })
	if len(u.members) == 0 {
		delete(c.units, u.key)
		return
	}
	u.renew()
}

// moveUnits follows a node that was replaced in the units with pods on it.
func (c *Cluster) moveUnits(s *nodeSlot, old *Node) {
	for _, p := range s.pods {
		if e := c.pods[objectKey{p.Namespace, p.Name}]; e.unit != nil && slices.Contains(e.unit.victim.Nodes, old) {
			e.unit.renew()
		}
	}
}

// renew puts the unit's victim together again, in O(members).
func (u *groupUnit) renew() {
	v := &Victim{Kind: u.key.kind, Group: u.key.name, Priority: u.members[0].member.priority, start: notStarted}
	for _, m := range u.members {
		v.join(m.pod, m.slot.node, m.member.priority)
	}
	v.sortPods()
	u.victim = v
}
