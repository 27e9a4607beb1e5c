package simulate

import (
	"fmt"
	"slices"

	"example.com/preemption"
)

// A gang is a group of pods that are scheduled together.
type gang struct {
	spec  *preemption.Gang
	bound int   // members on a node and not terminating
	task  *task // of the pending ones; nil: there are none
}

func (s *Simulation) addGang(g *preemption.Gang) error {
	n := name{g.Namespace, g.Name}
	if s.gangs[n] != nil {
		return fmt.Errorf("simulate: gang %s is there twice", g)
	}
	s.gangs[n] = &gang{spec: g}
	for _, m := range g.Members {
		s.members[nameOf(m)] = s.gangs[n]
	}
	return nil
}

// gangOf returns the gang that an original pod belongs to, nil if to none.
func (s *Simulation) gangOf(p *preemption.Pod) *gang {
	if g := s.members[nameOf(p)]; g != nil {
		return g
	}
	if p.Group == "" {
		return nil
	}
	return s.gangs[name{p.Namespace, p.Group}]
}

// join adds a pending member, and has the gang tried with it.
func (g *gang) join(s *Simulation, l *life) {
	if g.task == nil || g.task.done {
		g.task = &task{priority: g.spec.Priority, queued: s.now, name: g.spec.String(), gang: g}
	}
	t := g.task
	t.members = append(t.members, l)
	l.task = t
	if t.item == nil {
		s.asleep = slices.DeleteFunc(s.asleep, func(x *task) bool { return x == t })
		s.schedule(t, max(s.now, t.last+t.backOff()))
	}
}

// missing is how many more members have to be placed for the gang to run, at
// least one: members beyond the minimum are placed as there is room.
func (g *gang) missing() int {
	least := g.spec.MinCount
	if least == 0 {
		least = len(g.spec.Members)
	}
	return max(least-g.bound, 1)
}

// tryGang is the scheduling cycle of a gang's pending members.
func (s *Simulation) tryGang(t *task) error {
	g := t.gang
	slices.SortFunc(t.members, func(a, b *life) int { return comparePods(a.pod, b.pod) })
	if g.missing() > len(t.members) {
		s.waits(t, fmt.Sprintf("for %s of gang %s", plural(g.missing()-len(t.members), "more member"), g.spec))
		return nil
	}
	asked := &preemption.Gang{
		Namespace: g.spec.Namespace, Name: g.spec.Name, Priority: g.spec.Priority, Policy: g.spec.Policy,
		MinCount: g.missing(),
	}
	for _, l := range t.members {
		asked.Members = append(asked.Members, s.cluster.Pod(l.pod.Namespace, l.pod.Name))
	}
	r, err := s.evaluator.PreemptGroup(s.ctx, s.cluster, asked, s.planner())
	if err != nil {
		return err
	}
	switch r.Outcome {
	case preemption.OutcomeFits:
		return s.bindGang(t, r)
	case preemption.OutcomePreempt:
		return s.preemptFor(t, r)
	case preemption.OutcomeWaiting:
		s.waits(t, r.Reason)
	default:
		s.waits(t, "no place for the gang: "+r.Reason)
	}
	if r.Nomination == preemption.ClearNomination {
		for _, l := range t.members {
			if l.node != "" {
				if err := s.disclaim(l); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *Simulation) planner() preemption.Planner {
	if s.world.Planner == nil {
		return preemption.GivenPlacement{}
	}
	return s.world.Planner
}

// bindGang binds the members that have a place; the others stay pending.
func (s *Simulation) bindGang(t *task, r *preemption.GangResult) error {
	var left []*life
	members := slices.Clone(t.members)
	for i, l := range members {
		n := r.Assignments[i].Node
		if n == nil {
			left = append(left, l)
			continue
		}
		if err := s.bind(l, n.Name); err != nil {
			return err
		}
	}
	t.members = left
	s.waits(t, "for room beyond the gang's minimum")
	return nil
}

// preemptFor carries out what was decided for a gang.
func (s *Simulation) preemptFor(t *task, r *preemption.GangResult) error {
	first := t.members[0]
	at := s.record(Preemption{
		By: first.pod, Gang: t.gang.spec, Victims: r.Delete, Waiting: r.Terminating, Parent: first.cause, line: first.index,
	})
	victims := s.victims(r.Delete)
	s.judge(victims, at)
	if err := s.cluster.CommitGroup(r); err != nil {
		return err
	}
	released := false
	t.reason = ""
	for i, l := range t.members {
		n := r.Assignments[i].Node
		if n == nil {
			continue
		}
		released = released || l.node != "" && l.node != n.Name
		s.move(l, phasePending, n.Name)
		l.history.waitFor(r.Delete, r.Terminating)
		s.note(Event{Kind: Preempts, Pod: l.pod, Node: n.Name, Pods: r.Delete, Violations: r.Violations})
	}
	return s.carryOut(victims, at, r.ClearNominations, released)
}
