package simulate

import (
	"cmp"
	"slices"
	"time"

	"example.com/preemption"
)

// A task is what waits to be scheduled: a pod, or the pending members of a gang.
// It is on the agenda, or asleep, or done.
type task struct {
	priority int32
	queued   time.Duration
	uid      string
	name     string
	members  []*life // one of a pod; of a gang in no order
	gang     *gang   // nil: a pod

	attempts int           // cycles so far
	last     time.Duration // time of the last one
	item     *item         // on the agenda
	done     bool
	reason   string // why it waits, noted once
	waiting  []*preemption.Pod
}

// backOff is how long after its last cycle a task is tried again at the soonest:
// kube-scheduler's 1 s, doubled with every attempt, up to 10 s.
func (t *task) backOff() time.Duration {
	const first, most = time.Second, 10 * time.Second
	if t.attempts == 0 {
		return 0
	}
	return min(first<<min(t.attempts-1, 4), most)
}

// enqueue makes a new pod pending.
func (s *Simulation) enqueue(l *life) {
	l.history.wait(s.now)
	l.node = s.nominationOf(l.pod)
	s.sum += l.fingerprint()
	if l.gang != nil {
		l.gang.join(s, l)
		return
	}
	l.task = &task{priority: l.pod.Priority, queued: s.now, uid: l.pod.UID, name: l.pod.String(), members: []*life{l}}
	s.schedule(l.task, s.now)
}

// nominationOf returns the node that a pod is nominated to as it arrives.
func (s *Simulation) nominationOf(p *preemption.Pod) string {
	if node, ok := s.claims[nameOf(p)]; ok {
		delete(s.claims, nameOf(p))
		return node
	}
	return p.NominatedNode
}

// schedule puts a task on the agenda.
func (s *Simulation) schedule(t *task, at time.Duration) {
	t.item = &item{
		at: at, moment: momentCycle, priority: t.priority, queued: t.queued, uid: t.uid, name: t.name,
		do: func() error { return s.cycle(t) },
	}
	s.agenda.add(t.item)
}

// cycle tries to schedule a task. What stays pending sleeps.
func (s *Simulation) cycle(t *task) error {
	t.item = nil
	t.attempts++
	t.last = s.now
	var err error
	if t.gang != nil {
		err = s.tryGang(t)
	} else {
		err = s.tryPod(t, t.members[0])
	}
	t.done = t.done || !slices.ContainsFunc(t.members, func(l *life) bool { return l.phase == phasePending })
	if err == nil && !t.done && t.item == nil {
		s.asleep = append(s.asleep, t)
	}
	return err
}

// wake lets every task that sleeps be tried again, as soon as its back-off
// allows.
func (s *Simulation) wake() {
	for _, t := range s.asleep {
		if !t.done {
			s.schedule(t, max(s.now, t.last+t.backOff()))
		}
	}
	clear(s.asleep)
	s.asleep = s.asleep[:0]
}

// dequeue takes a pod out of its task.
func (s *Simulation) dequeue(l *life) {
	t := l.task
	if t == nil {
		return
	}
	l.task = nil
	t.members = slices.DeleteFunc(t.members, func(m *life) bool { return m == l })
	if len(t.members) > 0 {
		return
	}
	t.done = true
	if t.item != nil {
		t.item.void = true
	}
}

// sleepers returns the tasks that sleep, in the order in which they would be
// tried.
func (s *Simulation) sleepers() []*task {
	tasks := slices.DeleteFunc(slices.Clone(s.asleep), func(t *task) bool { return t.done })
	slices.SortFunc(tasks, func(a, b *task) int {
		return cmp.Or(
			cmp.Compare(b.priority, a.priority), cmp.Compare(a.queued, b.queued),
			cmp.Compare(a.uid, b.uid), cmp.Compare(a.name, b.name),
		)
	})
	for _, t := range tasks {
		slices.SortFunc(t.members, func(a, b *life) int { return comparePods(a.pod, b.pod) })
	}
	return tasks
}

// tryPod is the scheduling cycle of one pod.
func (s *Simulation) tryPod(t *task, l *life) error {
	p := s.cluster.Pod(l.pod.Namespace, l.pod.Name)
	evaluator := s.evaluatorFor(l)
	r, err := evaluator.Preempt(s.ctx, s.cluster, p)
	if err != nil {
		return err
	}
	switch r.Outcome {
	case preemption.OutcomeFits:
		node, err := s.choose(&evaluator, l, p, r.Node)
		if err != nil {
			return err
		}
		return s.bind(l, node.Name)
	case preemption.OutcomePreempt:
		return s.preempt(t, l, r)
	case preemption.OutcomeWaiting:
		s.waits(t, "pods are terminating", r.Waiting...)
	case preemption.OutcomeIneligible:
		s.waits(t, r.Reason)
	default:
		s.waits(t, "no node takes it, and preemption does not help")
	}
	if r.Nomination == preemption.ClearNomination && l.node != "" {
		return s.disclaim(l)
	}
	return nil
}

// evaluatorFor returns the evaluator for a pod. To a pod that only one node may
// take the others are hopeless.
func (s *Simulation) evaluatorFor(l *life) preemption.Evaluator {
	e := s.evaluator
	if l.onlyOn == "" {
		return e
	}
	known := e.Statuses
	e.Statuses = func(n *preemption.Node) (preemption.Status, bool) {
		if n.Name != l.onlyOn {
			return preemption.Status{Code: preemption.Unresolvable, Reasons: []string{"it is for another node"}}, true
		}
		if known == nil {
			return preemption.Status{}, false
		}
		return known(n)
	}
	return e
}

// waits notes why a task waits, and for which pods, unless that was said before.
func (s *Simulation) waits(t *task, reason string, pods ...*preemption.Pod) {
	same := slices.EqualFunc(t.waiting, pods, func(a, b *preemption.Pod) bool { return nameOf(a) == nameOf(b) })
	if t.reason == reason && same {
		return
	}
	t.reason, t.waiting = reason, pods
	for _, l := range t.members {
		if l.phase == phasePending {
			s.note(Event{Kind: Waits, Pod: l.pod, Node: l.node, Reason: reason, Pods: pods})
		}
	}
}

// disclaim takes back a pod's claim on its nominated node. The room that it held
// may help others.
func (s *Simulation) disclaim(l *life) error {
	if err := s.cluster.Nominate(s.cluster.Pod(l.pod.Namespace, l.pod.Name), ""); err != nil {
		return err
	}
	s.note(Event{Kind: Disclaims, Pod: l.pod, Node: l.node})
	s.move(l, phasePending, "")
	s.wake()
	return nil
}
