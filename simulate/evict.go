package simulate

import "example.com/preemption"

// preempt carries out what the evaluator has decided for a pod.
func (s *Simulation) preempt(t *task, l *life, r *preemption.Result) error {
	moves := l.node != "" && l.node != r.Node.Name
	at := s.record(Preemption{By: l.pod, Node: r.Node.Name, Victims: r.Delete, Waiting: r.Terminating, Parent: l.cause, line: l.index})
	victims := s.victims(r.Delete)
	s.judge(victims, at)
	if err := s.cluster.Commit(r); err != nil {
		return err
	}
	s.move(l, phasePending, r.Node.Name)
	t.reason = ""
	l.history.waitFor(r.Delete, r.Terminating)
	s.note(Event{Kind: Preempts, Pod: l.pod, Node: r.Node.Name, Pods: r.Delete, Violations: r.Violations})
	return s.carryOut(victims, at, r.ClearNominations, moves)
}

// carryOut evicts the victims and takes the claims of others back.
func (s *Simulation) carryOut(victims []*life, at int, unclaimed []*preemption.Pod, released bool) error {
	for _, v := range victims {
		if err := s.evict(v, at); err != nil {
			return err
		}
	}
	for _, p := range unclaimed {
		if l := s.lives[nameOf(p)]; l != nil {
			s.note(Event{Kind: Disclaims, Pod: l.pod, Node: l.node})
			s.move(l, phasePending, "")
			released = true
		}
	}
	if released {
		s.wake()
	}
	return nil
}

// record opens the record of a preemption.
func (s *Simulation) record(p Preemption) int {
	p.At = s.now
	s.preemptions = append(s.preemptions, p)
	return len(s.preemptions) - 1
}

// victims returns the records of pods to delete.
func (s *Simulation) victims(pods []*preemption.Pod) []*life {
	victims := make([]*life, len(pods))
	for i, p := range pods {
		victims[i] = s.life(p)
	}
	return victims
}

// evict begins the termination of a victim, whose owner sets about re-creating
// it.
func (s *Simulation) evict(v *life, at int) error {
	by := &s.preemptions[at]
	s.leave(v)
	s.move(v, phaseTerminating, v.node)
	s.note(Event{Kind: Evicted, Pod: v.pod, Node: v.node, By: by.By, Grace: v.pod.GracePeriod})
	v.evictions = append(v.evictions, Eviction{At: s.now, By: by.By, Preemption: at})

	r := s.world.Recreate(v.original, s.cluster.Pod(v.pod.Namespace, v.pod.Name), v.lives+1)
	s.terminate(v, v.pod.GracePeriod, r, at)
	if r.Pod != nil && r.OnceGone {
		return nil // still wanted
	}
	s.want(v, false)
	if r.Pod == nil {
		return nil
	}
	return s.create(v.line, r, at)
}
