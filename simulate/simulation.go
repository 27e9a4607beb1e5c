package simulate

import (
	"context"
	"fmt"
	"time"

	"example.com/preemption"
)

// Run plays the world to its end: until nothing is left to happen, the state
// repeats, or the horizon is reached. An error names the pod and the time; the
// context ends a run with its cause.
func Run(ctx context.Context, w World) (*Report, error) {
	s, err := New(w)
	if err != nil {
		return nil, err
	}
	if err := s.Until(ctx, s.world.Horizon); err != nil {
		return nil, err
	}
	return s.Report(), nil
}

// A Simulation is a world under way. It must not be used concurrently.
type Simulation struct {
	world     World
	cluster   *preemption.Cluster
	evaluator preemption.Evaluator
	room      room

	now      time.Duration // of what happened last
	reached  time.Duration // nothing happens until then that has not
	agenda   agenda
	asleep   []*task // not on the agenda until something that could help happens
	external int     // arrivals and departures to come
	ctx      context.Context

	lines  []*line // in the order in which they came into play
	byName map[name]*line
	lives  map[name]*life // but for those that are gone
	gangs  map[name]*gang // by their own name

	members map[name]*gang  // by the names of those that they were given with
	claims  map[name]string // the nominated nodes of the cluster's own pending pods

	budgets map[string][]*budget // by namespace, in the cluster's order
	owners  map[ownerName]*owner
	stale   []*budget // to be recounted
	// What has changed at this instant.
	shaken    []*owner
	recounted []*budget

	events      []Event
	preemptions []Preemption
	violations  []Violation

	sum    uint64 // of the fingerprints of all lives
	anchor anchor
	end    End
	round  *Cycle
}

// New readies a simulation. The error joins all that is wrong with the world.
func New(w World) (*Simulation, error) {
	if err := w.validate(); err != nil {
		return nil, err
	}
	s := &Simulation{
		world:   w,
		cluster: w.Cluster.Clone(),
		byName:  make(map[name]*line),
		lives:   make(map[name]*life),
		gangs:   make(map[name]*gang),
		members: make(map[name]*gang),
		claims:  make(map[name]string),
		owners:  make(map[ownerName]*owner),
		end:     Cut,
	}
	s.evaluator = w.Policy.Evaluator
	if w.Policy.Orders != nil {
		s.evaluator.Orders = w.Policy.Orders(s.cluster)
	}
	if w.Horizon == 0 {
		s.world.Horizon = DefaultHorizon
	}
	if w.Recreate == nil {
		s.world.Recreate = Recreate
	}
	if err := s.populate(); err != nil {
		return nil, err
	}
	return s, nil
}

// populate enters what is there at the start and schedules what comes later.
func (s *Simulation) populate() error {
	state := s.cluster.State()
	if s.world.Now.IsZero() {
		for _, p := range state.Pods {
			if p.Start.After(s.world.Now) {
				s.world.Now = p.Start
			}
		}
	}
	for _, g := range s.world.Gangs {
		if err := s.addGang(g); err != nil {
			return err
		}
	}
	if err := s.setBudgets(); err != nil {
		return err
	}

	s.room = newRoom(s.cluster)
	var pending []*preemption.Pod
	for _, p := range state.Pods {
		switch {
		case p.NodeName == "":
			s.claims[nameOf(p)] = p.NominatedNode
			pending = append(pending, s.cluster.Pod(p.Namespace, p.Name))
		case p.Termination != preemption.NotTerminating:
			s.terminating(p)
		default:
			s.countBound(p)
		}
	}

	for _, p := range pending {
		s.outside(0, p, presentFirst, func() error { return s.arrive(p) })
	}
	for _, p := range s.world.Pending {
		s.outside(0, p, arrivalsThen, func() error { return s.arrive(p) })
	}
	for _, g := range s.world.Gangs {
		for _, p := range g.Members {
			s.outside(0, p, arrivalsThen, func() error { return s.arrive(p) })
		}
	}
	for _, a := range s.world.Arrivals {
		s.outside(a.At, a.Pod, arrivalsThen, func() error { return s.arrive(a.Pod) })
	}
	for _, d := range s.world.Departures {
		gone := &preemption.Pod{Namespace: d.Namespace, Name: d.Name}
		s.outside(d.At, gone, departuresFirst, func() error { return s.depart(nameOf(gone)) })
	}
	return s.recount()
}

// Departures come before the arrivals of the same instant, so that a pod may
// come under the name of one that leaves. What the cluster has at the start was there
// before, and may leave at once.
const (
	arrivalsThen    = 0
	departuresFirst = 1
	presentFirst    = 2
)

// outside schedules an arrival or a departure.
func (s *Simulation) outside(at time.Duration, p *preemption.Pod, rank int32, do func() error) {
	s.external++
	s.agenda.add(&item{at: at, moment: momentOutside, priority: rank, uid: p.Namespace, name: p.Name, do: func() error {
		s.external--
		return do()
	}})
}

// countBound counts a pod that is bound at the start.
func (s *Simulation) countBound(p *preemption.Pod) {
	if g := s.gangOf(p); g != nil {
		g.bound++
	}
	o := s.owner(p)
	o.count(1, 1)
	for _, b := range s.budgetsOver(p) {
		b.count(o, 1, 1)
	}
}

// terminating takes over a pod that is on its way out at the start. What was
// re-created as soon as its deletion began is there already.
func (s *Simulation) terminating(p *preemption.Pod) {
	left := p.GracePeriod
	if !p.TerminatesAt.IsZero() {
		left = p.TerminatesAt.Sub(s.world.Now)
	}
	l := s.life(p)
	s.move(l, phaseTerminating, p.NodeName)
	r := s.world.Recreate(p, p, 2)
	if !r.OnceGone {
		r.Pod = nil
	}
	s.want(l, r.Pod != nil)
	s.terminate(l, left, r, none)
}

// Until plays on until that time, the time included, or until the simulation
// ends. Played in pieces it is the same as played in one go.
func (s *Simulation) Until(ctx context.Context, at time.Duration) error {
	s.ctx = ctx
	at = min(at, s.world.Horizon)
	for s.end == Cut {
		next := s.agenda.peek()
		if next == nil {
			s.settle()
			return nil
		}
		if next.at > s.now {
			s.closeInstant()
			if next.at > at {
				s.reached = max(s.reached, at)
				return nil
			}
			if s.repeats() { // once an instant, however often it is cut
				return nil
			}
			s.now = next.at
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.step(); err != nil {
			return fmt.Errorf("simulate: at %v: %w", s.now, err)
		}
	}
	return nil
}

// step does the next thing.
func (s *Simulation) step() error {
	if err := s.agenda.next().do(); err != nil {
		return err
	}
	return s.recount()
}

// Now returns the time of what happened last.
func (s *Simulation) Now() time.Duration { return s.now }

// Cluster returns the cluster as it is now. It must not be modified.
func (s *Simulation) Cluster() *preemption.Cluster { return s.cluster }

// settle ends the simulation because nothing can happen any more: what is
// pending stays so.
func (s *Simulation) settle() {
	s.closeInstant()
	s.end = Settled
	for _, t := range s.sleepers() {
		for _, l := range t.members {
			s.note(Event{Kind: GivesUp, Pod: l.pod, Reason: t.reason})
		}
	}
}

// clock returns the time on the pods' own clock.
func (s *Simulation) clock() time.Time { return s.world.Now.Add(s.now) }

// arrive creates a pod from outside. One that is listed twice arrives once.
func (s *Simulation) arrive(p *preemption.Pod) error {
	if l := s.lives[nameOf(p)]; l != nil && l.pod == p {
		return nil
	}
	switch have := s.cluster.Pod(p.Namespace, p.Name); {
	case have == nil:
		if err := s.cluster.AddPod(p); err != nil {
			return err
		}
	case have != p || s.now != 0: // those of the cluster arrive at the start
		return fmt.Errorf("pod %s arrives, but there already is a pod of that name", p)
	}
	l := s.begin(s.newLine(p), p)
	s.want(l, true)
	s.note(Event{Kind: Arrives, Pod: p})
	s.enqueue(l)
	return nil
}

// create adds the next life of a line.
func (s *Simulation) create(n *line, r Recreation, cause int) error {
	if err := s.cluster.AddPod(r.Pod); err != nil {
		return fmt.Errorf("%s is re-created: %w", n.original, err)
	}
	l := s.begin(n, r.Pod)
	l.onlyOn, l.cause = r.OnlyOn, cause
	s.want(l, true)
	s.note(Event{Kind: Recreated, Pod: r.Pod, Of: n.original})
	s.enqueue(l)
	return nil
}

// bind puts a pod on a node.
func (s *Simulation) bind(l *life, node string) error {
	p := *s.cluster.Pod(l.pod.Namespace, l.pod.Name)
	p.NodeName, p.NominatedNode, p.Start = node, "", s.clock()
	if err := s.cluster.UpdatePod(&p); err != nil {
		return err
	}
	released := l.node != "" && l.node != node
	s.move(l, phaseBound, node)
	s.room[s.cluster.Node(node)].add(&p, 1)
	if l.gang != nil {
		l.gang.bound++
	}
	l.task = nil
	l.history.place(s.now)
	s.note(Event{Kind: Placed, Pod: l.pod, Node: node})
	if released || s.evaluator.Filters != nil {
		s.wake() // its claim on another node is gone, or a filter may like the new neighbour
	}

	delay := time.Duration(0)
	if s.world.Healthy != nil {
		delay = s.world.Healthy(&p)
	}
	if delay <= 0 {
		s.setHealth(l, true)
		return nil
	}
	l.end = &item{at: s.now + delay, moment: momentHealthy, name: l.pod.String(), do: func() error {
		l.end = nil
		s.note(Event{Kind: Healthy, Pod: l.pod, Node: l.node})
		s.setHealth(l, true)
		return nil
	}}
	s.agenda.add(l.end)
	return nil
}

// terminate lets a pod go when its grace period is over, and creates what comes
// only then.
func (s *Simulation) terminate(l *life, grace time.Duration, r Recreation, cause int) {
	l.end = &item{at: s.now + max(grace, 0), moment: momentEnd, name: l.pod.String(), do: func() error {
		if err := s.remove(l); err != nil {
			return err
		}
		s.note(Event{Kind: Gone, Pod: l.pod, Node: l.node})
		if r.Pod == nil || !r.OnceGone || l.departed {
			return nil
		}
		s.want(l, false) // its place is taken by the next
		return s.create(l.line, r, cause)
	}}
	s.agenda.add(l.end)
}

// remove takes a pod out of the cluster.
func (s *Simulation) remove(l *life) error {
	if l.phase != phasePending {
		s.room[s.cluster.Node(l.node)].add(l.pod, -1)
	}
	if err := s.cluster.RemovePod(l.pod.Namespace, l.pod.Name); err != nil {
		return err
	}
	held := l.node != ""
	s.move(l, phaseGone, l.node)
	delete(s.lives, nameOf(l.pod))
	if held {
		s.wake()
	}
	return nil
}

// depart ends a line: its pod goes at once, pending or bound, and no other comes.
// One that terminates already does so.
func (s *Simulation) depart(n name) error {
	of := s.byName[n]
	if of == nil {
		p := s.cluster.Pod(n.namespace, n.name)
		if p == nil {
			return nil // there is no such pod, or it was evicted for good
		}
		of = s.life(p).line
	}
	if of.departed {
		return nil
	}
	of.departed = true
	l := of.last
	s.want(l, false)
	if l.phase == phaseTerminating || l.phase == phaseGone {
		return nil
	}
	s.dequeue(l)
	s.leave(l)
	from := ""
	if l.phase == phaseBound {
		from = l.node
	}
	s.note(Event{Kind: Departs, Pod: l.pod, Node: from})
	return s.remove(l)
}

// leave takes a pod out of all counts but that of what its owner wants.
func (s *Simulation) leave(l *life) {
	if l.end != nil {
		l.end.void, l.end = true, nil
	}
	if l.phase == phaseBound && l.gang != nil {
		l.gang.bound--
	}
	s.setHealth(l, false)
}
