package preemption

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// AddNode adds a node at the end. It is an error if the name is taken.
func (c *Cluster) AddNode(n *Node) error {
	c.ready()
	s, err := c.enterNode(n)
	if err != nil {
		return err
	}
	c.engine.addNode(s)
	return nil
}

// enterNode is AddNode before the engine is told.
func (c *Cluster) enterNode(n *Node) (*nodeSlot, error) {
	if err := validateNode(n); err != nil {
		return nil, err
	}
	if c.byName[n.Name] != nil {
		return nil, fmt.Errorf("preemption: node %s: there already is a node of that name", n.Name)
	}
	s := &nodeSlot{node: n, index: len(c.nodes)}
	// Pods may have been nominated to the node before it came.
	for _, p := range c.nominated[n.Name] {
		s.committed = s.committed.plus(p.Requests)
	}
	if !s.committed.small() {
		for _, p := range c.nominated[n.Name] {
			if name := c.overflow(s, p.Requests.none()); name != "" {
				return nil, fmt.Errorf("preemption: node %s: nominated pod %s: %s: %w", n.Name, p, name, errOverflow)
			}
		}
	}
	c.byName[n.Name] = s
	c.nodes = append(c.nodes, n)
	c.slots = append(c.slots, s)
	if n := len(c.vacant); n > 0 {
		s.number, c.vacant = c.vacant[n-1], c.vacant[:n-1]
		c.homes[s.number] = s
	} else {
		s.number = int32(len(c.homes))
		c.homes = append(c.homes, s)
	}
	return s, nil
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
	c.homes[s.number] = nil
	c.vacant = append(c.vacant, s.number)
	c.nodes = slices.Delete(c.nodes, s.index, s.index+1)
	c.slots = slices.Delete(c.slots, s.index, s.index+1)
	for i, later := range c.slots[s.index:] {
		later.index = s.index + i
	}
	return nil
}

func validateNode(n *Node) error {
	if n == nil {
		return errors.New("preemption: the node is nil")
	}
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

// committed sums the requests of the pods bound or nominated to a node over all
// resources, in 128 bits. While that is within an int64 so is the sum of each
// resource; only beyond it do they have to be looked at one by one.
type committed struct{ high, low uint64 }

func (c committed) plus(r Resources) committed {
	for _, amount := range r {
		c = c.add(committed{0, uint64(amount)})
	}
	return c
}

func (c committed) add(o committed) committed {
	low, carry := bits.Add64(c.low, o.low, 0)
	return committed{c.high + o.high + carry, low}
}

func (c committed) minus(r Resources) committed {
	for _, amount := range r {
		c = c.less(amount)
	}
	return c
}

func (c committed) less(amount int64) committed {
	low, borrow := bits.Sub64(c.low, uint64(amount), 0)
	return committed{c.high - borrow, low}
}

func (c committed) small() bool { return c.high == 0 && bits.Len64(c.low) < 64 }

// commit accounts for a pod that comes to the node, or returns an error and
// leaves the node as it is if a sum of requests would overflow.
func (c *Cluster) commit(s *nodeSlot, p *Pod) error {
	total := s.committed.plus(p.Requests)
	if !total.small() {
		if name := c.overflow(s, p.Requests); name != "" {
			return overflowOn(s, p, name)
		}
	}
	s.committed = total
	return nil
}

// overflowOn says that a pod is too much for a node's sum of a resource.
func overflowOn(s *nodeSlot, p *Pod, resource string) error {
	return fmt.Errorf("preemption: pod %s on node %s: %s: %w", p, s.node.Name, resource, errOverflow)
}

// overflow adds the requests of a node up, resource by resource, with some more, and
// returns the first by name whose sum is not an int64, "" if all are.
func (c *Cluster) overflow(s *nodeSlot, more Resources) string {
	for _, name := range more.names() {
		sum := more[name]
		for _, pods := range [][]*Pod{s.pods, c.nominated[s.node.Name]} {
			for _, p := range pods {
				if sum > math.MaxInt64-p.Requests[name] {
					return name
				}
				sum += p.Requests[name]
			}
		}
	}
	return ""
}
