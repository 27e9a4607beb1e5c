package simulate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"example.com/preemption"
)

// An End says why a simulation went no further.
type End uint8

const (
	Cut     End = iota // the horizon, or the time that was asked for, is reached
	Settled            // nothing is left to happen
	Repeats            // the state has been there before; see [Report.Cycle]
)

// String returns "cut", "settled" or "repeats".
func (e End) String() string { return [...]string{"cut", "settled", "repeats"}[e] }

// A Report is what happened. It takes memory in proportion to the number of
// events, and lists nothing about pods to which nothing happened.
type Report struct {
	End End
	At  time.Duration // of the last thing that happened, or of the cut
	// Cycle is what repeats, nil if nothing does.
	Cycle  *Cycle
	Events []Event
	// Pods that were pending, evicted or gone at some time, the highest priority
	// first, then by name. A pod and all that was created in its place are one.
	Pods []PodReport
	// Preemptions in the order in which they were decided. They form trees: see
	// [Preemption.Parent].
	Preemptions []Preemption
	// Violations of budgets, in the order in which they happened.
	Violations []Violation
	// Owners that had no healthy pod at some time although they had had one and
	// wanted one, and Budgets under which fewer pods were healthy than is wanted, by
	// name.
	Owners  []OwnerReport
	Budgets []BudgetReport
	// Pairs of pods that evicted each other, those that did it most often first.
	Pairs []Pair

	simulation *Simulation
}

// A State is where a pod stands at the end.
type State uint8

const (
	Running     State = iota // on Node
	Pending                  // waits, for Reason
	Terminating              // on Node, and its owner creates none before it is gone
	Lost                     // evicted, and nobody re-creates it
	Departed                 // left by itself
)

// String returns the state in a word.
func (s State) String() string {
	return [...]string{"running", "pending", "terminating", "lost", "departed"}[s]
}

// A PodReport says what became of a pod.
type PodReport struct {
	Pod    *preemption.Pod // as it came at first
	Now    *preemption.Pod // the latest in its place
	Lives  int             // how many there were, itself counted
	State  State
	Node   string
	Reason string // why it is pending
	// Arrived is when it first was pending. Placed says that it was placed at some
	// time, First when for the first time.
	Arrived time.Duration
	Placed  bool
	First   time.Duration
	// Waited is how long it was pending in all, WaitedFor the pods that it preempted
	// or that were on their way out.
	Waited    time.Duration
	WaitedFor []*preemption.Pod
	Evictions []Eviction
}

// An Eviction of a pod.
type Eviction struct {
	At         time.Duration
	By         *preemption.Pod
	Preemption int // in Report.Preemptions
}

// A Preemption is a decision that was carried out.
type Preemption struct {
	At   time.Duration
	By   *preemption.Pod  // of a gang its first pending member
	Gang *preemption.Gang // nil: a single pod
	Node string           // of a single pod
	// Victims were evicted; Waiting were on their way out already.
	Victims, Waiting []*preemption.Pod
	// Parent is the preemption of which the preemptor is a victim that was
	// re-created, -1 if it is none: then it came by itself.
	Parent int
	// Caused counts the pods that those victims, re-created, evicted in turn, and so
	// on; Depth is how far that went.
	Caused, Depth int

	line int // of the preemptor
}

// A Violation of a budget: one pod evicted while the budget allowed none.
type Violation struct {
	At         time.Duration
	Budget     *preemption.PodDisruptionBudget
	Victim     *preemption.Pod
	Preemption int // in Report.Preemptions
}

// An Outage lasts from one time to another, or to the end.
type Outage struct {
	From, To time.Duration
	Lasts    bool // to the end; To is zero
}

// An OwnerReport lists when a controller had no healthy pod.
type OwnerReport struct {
	Namespace string
	Owner     preemption.Owner
	Outages   []Outage
}

// A BudgetReport lists when fewer pods were healthy than a budget wants.
type BudgetReport struct {
	Budget  *preemption.PodDisruptionBudget
	Outages []Outage
}

// A Pair of pods that evict each other: A evicted B as often as Times says, and
// BTimes the other way round.
type Pair struct {
	A, B          *preemption.Pod
	Times, BTimes int
}

// A Cycle is what happens over and over: the state at From is the state at From
// plus Period.
type Cycle struct {
	From, Period time.Duration
	// Pods that are evicted in every round, by name, as they came at first.
	Pods []*preemption.Pod

	from int // the first preemption of the round
}

// Report returns what has happened so far.
func (s *Simulation) Report() *Report {
	r := &Report{
		End: s.end, At: s.until(), Events: slices.Clone(s.events), Preemptions: slices.Clone(s.preemptions),
		Violations: slices.Clone(s.violations), simulation: s,
	}
	for _, n := range s.lines {
		if n.asked || len(n.evictions) > 0 || n.departed || n.last.phase == phaseGone || n.last.phase == phaseTerminating {
			r.Pods = append(r.Pods, s.reportOn(n))
		}
	}
	slices.SortFunc(r.Pods, func(a, b PodReport) int {
		return cmp.Or(cmp.Compare(b.Pod.Priority, a.Pod.Priority), comparePods(a.Pod, b.Pod))
	})
	count(r.Preemptions)
	r.Pairs = s.pairs()
	if s.round != nil {
		c := *s.round
		c.Pods = s.evictedSince(c.from)
		r.Cycle = &c
	}
	for _, o := range s.owners {
		if len(o.outages.list) > 0 {
			r.Owners = append(r.Owners, OwnerReport{o.namespace, o.Owner, slices.Clone(o.outages.list)})
		}
	}
	slices.SortFunc(r.Owners, func(a, b OwnerReport) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Owner.Kind, b.Owner.Kind), cmp.Compare(a.Owner.Name, b.Owner.Name))
	})
	for _, budgets := range s.budgets {
		for _, b := range budgets {
			if len(b.outages.list) > 0 {
				r.Budgets = append(r.Budgets, BudgetReport{b.object, slices.Clone(b.outages.list)})
			}
		}
	}
	slices.SortFunc(r.Budgets, func(a, b BudgetReport) int {
		return cmp.Or(cmp.Compare(a.Budget.Namespace, b.Budget.Namespace), cmp.Compare(a.Budget.Name, b.Budget.Name))
	})
	return r
}

// until is the time up to which there is something to report.
func (s *Simulation) until() time.Duration {
	if s.end == Cut {
		return max(s.now, s.reached)
	}
	return s.now
}

func (s *Simulation) reportOn(n *line) PodReport {
	l := n.last
	p := PodReport{
		Pod: n.original, Now: l.pod, Lives: n.lives, Node: l.node,
		Arrived: n.arrived, Placed: n.placed, First: n.first, Waited: n.waited,
		WaitedFor: slices.Clone(n.waitedFor), Evictions: slices.Clone(n.evictions),
	}
	if n.pending && !n.departed {
		p.Waited += s.until() - n.since
	}
	switch {
	case n.departed:
		p.State, p.Node = Departed, ""
	case l.phase == phaseBound:
		p.State = Running
	case l.phase == phasePending:
		p.State, p.Reason = Pending, l.task.reason
	case l.phase == phaseTerminating && l.wanted:
		p.State = Terminating
	default:
		p.State, p.Node = Lost, ""
	}
	return p
}

// count adds up, from the leaves of the trees to their roots, what each
// preemption caused. A parent comes before its children.
func count(preemptions []Preemption) {
	for i := len(preemptions) - 1; i >= 0; i-- {
		p := &preemptions[i]
		if p.Parent == none {
			continue
		}
		up := &preemptions[p.Parent]
		up.Caused += len(p.Victims) + p.Caused
		up.Depth = max(up.Depth, p.Depth+1)
	}
}

// pairs finds the pods that evicted each other.
func (s *Simulation) pairs() []Pair {
	type key struct{ by, of int } // lines
	times := make(map[key]int)
	for _, n := range s.lines {
		for _, e := range n.evictions {
			times[key{s.preemptions[e.Preemption].line, n.index}]++
		}
	}
	var pairs []Pair
	for k, n := range times {
		pair := Pair{A: s.lines[k.by].original, B: s.lines[k.of].original, Times: n, BTimes: times[key{k.of, k.by}]}
		if pair.BTimes > 0 && comparePods(pair.A, pair.B) < 0 {
			pairs = append(pairs, pair)
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Times+b.BTimes, a.Times+a.BTimes), comparePods(a.A, b.A), comparePods(a.B, b.B))
	})
	return pairs
}

// evictedSince returns the pods evicted by that preemption or a later one.
func (s *Simulation) evictedSince(at int) []*preemption.Pod {
	var pods []*preemption.Pod
	for _, n := range s.lines {
		if k := len(n.evictions); k > 0 && n.evictions[k-1].Preemption >= at {
			pods = append(pods, n.original)
		}
	}
	slices.SortFunc(pods, comparePods)
	return pods
}

// Homeless returns the pods that were evicted and have no place at the end,
// whether somebody re-created them or not.
func (r *Report) Homeless() []PodReport {
	var pods []PodReport
	for _, p := range r.Pods {
		if len(p.Evictions) > 0 && (p.State == Pending || p.State == Lost || p.State == Terminating) {
			pods = append(pods, p)
		}
	}
	return pods
}

// EvictedOften returns the pods that were evicted more than once, most often
// first.
func (r *Report) EvictedOften() []PodReport {
	pods := slices.DeleteFunc(slices.Clone(r.Pods), func(p PodReport) bool { return len(p.Evictions) < 2 })
	slices.SortStableFunc(pods, func(a, b PodReport) int { return cmp.Compare(len(b.Evictions), len(a.Evictions)) })
	return pods
}

// Why examines a pod that is pending at the end: why no node takes it, and why
// preemption does not help. It looks at every node and has to be called before
// the simulation is played on.
func (r *Report) Why(ctx context.Context, p *PodReport) (*preemption.Examination, error) {
	s := r.simulation
	l := s.lives[nameOf(p.Now)]
	if l == nil || l.phase != phasePending {
		return nil, fmt.Errorf("simulate: pod %s is not pending", p.Now)
	}
	e := s.evaluatorFor(l)
	return e.Examine(ctx, s.cluster, s.cluster.Pod(p.Now.Namespace, p.Now.Name))
}
