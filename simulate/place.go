package simulate

import (
	"fmt"

	"example.com/preemption"
)

// choose returns the node for a pod that fits: its nominated node if that takes
// it, and otherwise the one that the placer chooses. first is the first node
// that takes it.
func (s *Simulation) choose(e *preemption.Evaluator, l *life, p *preemption.Pod, first *preemption.Node) (*preemption.Node, error) {
	switch {
	case first.Name == l.node || l.onlyOn != "":
		return first, nil
	case s.world.Placer != nil:
		return s.ask(p)
	}
	return s.leastAllocated(e, p)
}

// ask has the world's placer place one pod.
func (s *Simulation) ask(p *preemption.Pod) (*preemption.Node, error) {
	alone := &preemption.Gang{Namespace: p.Namespace, Name: p.Name, Priority: p.Priority, Members: []*preemption.Pod{p}}
	nodes, err := s.world.Placer(s.ctx, s.cluster, alone)
	if err != nil {
		return nil, fmt.Errorf("the placer, asked for pod %s: %w", p, err)
	}
	if len(nodes) != 1 || nodes[0] == nil {
		return nil, fmt.Errorf("the placer, asked for pod %s, names no node although there is one that takes it", p)
	}
	return nodes[0], nil
}

// leastAllocated is [preemption.LeastAllocated] for one pod, with what is used of
// each node kept from pod to pod.
func (s *Simulation) leastAllocated(e *preemption.Evaluator, p *preemption.Pod) (*preemption.Node, error) {
	var best *preemption.Node
	most := -1.0
	cpu, memory := p.Requests[preemption.CPU], p.Requests[preemption.Memory]
	for n, err := range e.Fitting(s.ctx, s.cluster, p) {
		if err != nil {
			return nil, err
		}
		if left := s.room[n].left(cpu, memory); left > most {
			best, most = n, left
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no node takes pod %s although one did", p)
	}
	return best, nil
}

// room is how much of each node's cpu and memory its pods request.
type room map[*preemption.Node]*usage

// usage is what there is and what is requested of cpu and memory.
type usage struct{ cpu, memory amount }

type amount struct{ all, used int64 }

func newRoom(c *preemption.Cluster) room {
	r := make(room, len(c.Nodes()))
	for _, n := range c.Nodes() {
		u := &usage{amount{all: n.Allocatable[preemption.CPU]}, amount{all: n.Allocatable[preemption.Memory]}}
		r[n] = u
		for _, p := range c.PodsOn(n) {
			u.add(p, 1)
		}
	}
	return r
}

func (u *usage) add(p *preemption.Pod, sign int64) {
	u.cpu.used += sign * p.Requests[preemption.CPU]
	u.memory.used += sign * p.Requests[preemption.Memory]
}

// left is the share that is left with one more request.
func (a amount) left(more int64) float64 {
	if a.all == 0 {
		return 0
	}
	return float64(a.all-a.used-more) / float64(a.all)
}

// left is the mean of the shares of cpu and memory that are left of a node with
// one more pod, never negative.
func (u *usage) left(cpu, memory int64) float64 {
	return max((u.cpu.left(cpu)+u.memory.left(memory))/2, 0)
}
