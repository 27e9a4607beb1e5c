package main

import (
	"context"
	"slices"

	"example.com/preemption"
)

// schedule tries one pending pod: it is bound to a node that takes it, or else
// preemption is asked for help.
func (s *scheduler) schedule(ctx context.Context, p *preemption.Pod) error {
	statuses, err := s.filterNodes(p)
	if err != nil {
		return err
	}
	if node := s.choose(p, statuses); node != nil {
		return s.bind(p, node)
	}
	return s.preempt(ctx, p, statuses)
}

// filterNodes asks every node whether it takes the pod, beside the pods that are
// nominated to it.
func (s *scheduler) filterNodes(p *preemption.Pod) (map[*preemption.Node]preemption.Status, error) {
	// Never nil: the resource filter is concerned with every pod.
	prepared, err := s.filter.Prepare(p, s.cluster)
	if err != nil {
		return nil, err
	}
	statuses := make(map[*preemption.Node]preemption.Status)
	for _, node := range s.cluster.Nodes() {
		run, err := prepared.Begin(node)
		if err != nil {
			return nil, err
		}
		statuses[node], err = preemption.FitsWithNominated(p, node, run, s.cluster.NominatedTo(node.Name))
		if err != nil {
			return nil, err
		}
	}
	return statuses, nil
}

// choose returns the node to bind the pod to, nil if none takes it: the one that
// was made ready for it, or else the one with the most CPU free, the first of
// equals.
func (s *scheduler) choose(p *preemption.Pod, statuses map[*preemption.Node]preemption.Status) *preemption.Node {
	var best *preemption.Node
	for _, node := range s.cluster.Nodes() {
		switch {
		case !statuses[node].Fits():
		case slices.Contains(s.cluster.NominatedTo(node.Name), p):
			return node
		case best == nil || s.freeCPU(node) > s.freeCPU(best):
			best = node
		}
	}
	return best
}

func (s *scheduler) freeCPU(node *preemption.Node) int64 {
	free := node.Allocatable[preemption.CPU]
	for _, p := range s.cluster.PodsOn(node) {
		free -= p.Requests[preemption.CPU]
	}
	return free
}

func (s *scheduler) bind(p *preemption.Pod, node *preemption.Node) error {
	bound := *p
	bound.NodeName, bound.Start = node.Name, epoch.Add(s.now)
	if err := s.cluster.UpdatePod(&bound); err != nil {
		return err
	}
	s.queue = slices.DeleteFunc(s.queue, func(name string) bool { return name == p.Name })
	delete(s.said, p.Name)
	s.changed = true
	s.say(p.Name, "is bound to %s", node.Name)
	return nil
}

// preempt asks the library and does what it says. Examine makes the same
// decision as Preempt and has the message in addition.
func (s *scheduler) preempt(ctx context.Context, p *preemption.Pod, statuses map[*preemption.Node]preemption.Status) error {
	s.evaluator.Statuses = func(n *preemption.Node) (preemption.Status, bool) {
		status, known := statuses[n]
		return status, known
	}
	decision, err := s.evaluator.Examine(ctx, s.cluster, p)
	if err != nil {
		return err
	}
	s.sayWhy(p.Name, decision.Message())
	for _, victim := range decision.Delete {
		s.say(victim.Name, "is evicted from %s and has %s to go", victim.NodeName, seconds(victim.GracePeriod))
		if err := s.evict(victim); err != nil {
			return err
		}
	}
	for _, loser := range decision.ClearNominations {
		s.say(loser.Name, "loses its claim to %s", decision.Node.Name)
		if err := s.cluster.Nominate(loser, ""); err != nil {
			return err
		}
	}
	switch decision.Nomination {
	case preemption.SetNomination:
		s.changed = true
		s.say(p.Name, "is nominated to %s", decision.Node.Name)
		return s.cluster.Nominate(p, decision.Node.Name)
	case preemption.ClearNomination:
		return s.cluster.Nominate(p, "")
	}
	return nil
}
