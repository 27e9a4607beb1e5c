package preemption

import (
	"errors"
	"fmt"
	"slices"
)

// AddNode adds a node at the end. It is an error if the name is taken.
func (c *Cluster) AddNode(n *Node) error {
	if err := validateNode(n); err != nil {
		return err
	}
	if c.byName[n.Name] != nil {
		return fmt.Errorf("preemption: node %s: there already is a node of that name", n.Name)
	}
	s := &nodeSlot{node: n, index: len(c.nodes)}
	// Pods may have been nominated to the node before it came.
	for _, p := range c.nominated[n.Name] {
		s.committed = s.committed.plus(p.Requests)
	}
	if !s.committed.small() {
		for _, p := range c.nominated[n.Name] {
			if err := c.overflow(s, p.Requests.none()); err != nil {
				return fmt.Errorf("preemption: node %s: nominated pod %s: %w", n.Name, p, err)
			}
		}
	}
	c.byName[n.Name] = s
	c.nodes = append(c.nodes, n)
	c.slots = append(c.slots, s)
	c.engine.addNode(c, s)
	return nil
}

// UpdateNode replaces the node of the same name. Its pods stay.
func (c *Cluster) UpdateNode(n *Node) error {
	if err := validateNode(n); err != nil {
		return err
	}
	s := c.byName[n.Name]
	if s == nil {
		return fmt.Errorf("preemption: node %s: there is no node of that name to update", n.Name)
	}
	old := s.node
	s.node, c.nodes[s.index] = n, n
	c.moveUnits(s)
	c.engine.resize(s, old, n)
	return nil
}

// RemoveNode removes the node of that name. It is an error if pods are bound to
// it: they have to go first. Nominations to it stay, as they would in a
// scheduler.
func (c *Cluster) RemoveNode(name string) error {
	s := c.byName[name]
	if s == nil {
		return fmt.Errorf("preemption: node %s: there is no node of that name to remove", name)
	}
	if len(s.pods) > 0 {
		return fmt.Errorf("preemption: node %s: %d pods are bound to it, %s among them: remove them first", name, len(s.pods), s.pods[0])
	}
	c.engine.removeNode(s)
	delete(c.byName, name)
	c.nodes = slices.Delete(c.nodes, s.index, s.index+1)
	c.slots = slices.Delete(c.slots, s.index, s.index+1)
	for i, later := range c.slots[s.index:] {
		later.index = s.index + i
	}
	return nil
}

func validateNode(n *Node) error {
	if n.Name == "" {
		return errors.New("preemption: node without a name")
	}
	for _, name := range n.Allocatable.names() {
		if q := n.Allocatable[name]; q < 0 {
			return fmt.Errorf("preemption: node %s: allocatable %s is negative: %d", n.Name, name, q)
		}
	}
	return nil
}
