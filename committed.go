package preemption

import (
	"fmt"
	"math"
	"math/bits"
)

// committed sums the requests of the pods bound or nominated to a node over all
// resources, in 128 bits. While that is within an int64 so is the sum of each
// resource; only beyond it do they have to be looked at one by one.
type committed struct{ high, low uint64 }

func (c committed) plus(r Resources) committed {
	for _, amount := range r {
		var carry uint64
		c.low, carry = bits.Add64(c.low, uint64(amount), 0)
		c.high += carry
	}
	return c
}

func (c committed) minus(r Resources) committed {
	for _, amount := range r {
		var borrow uint64
		c.low, borrow = bits.Sub64(c.low, uint64(amount), 0)
		c.high -= borrow
	}
	return c
}

func (c committed) small() bool { return c.high == 0 && c.low <= math.MaxInt64 }

// commit accounts for a pod that comes to the node, or returns an error and
// leaves the node as it is if a sum of requests would overflow.
func (c *Cluster) commit(s *nodeSlot, r Resources) error {
	total := s.committed.plus(r)
	if !total.small() {
		if err := c.overflow(s, r); err != nil {
			return err
		}
	}
	s.committed = total
	return nil
}

// overflow adds the requests of a node up, resource by resource, with some more.
func (c *Cluster) overflow(s *nodeSlot, more Resources) error {
	for _, name := range more.names() {
		sum := more[name]
		for _, pods := range [][]*Pod{s.pods, c.nominated[s.node.Name]} {
			for _, p := range pods {
				if sum > math.MaxInt64-p.Requests[name] {
					return fmt.Errorf("%s: %w", name, errOverflow)
				}
				sum += p.Requests[name]
			}
		}
	}
	return nil
}
