package simulate

import (
	"slices"
	"time"

	"example.com/preemption"
)

// name identifies a pod in a cluster.
type name struct{ namespace, name string }

func nameOf(p *preemption.Pod) name { return name{p.Namespace, p.Name} }

// A line is an original pod and all that is re-created in its place.
type line struct {
	original *preemption.Pod
	index    int // in Simulation.lines
	lives    int
	last     *life // the latest
	gang     *gang // nil: its pods are scheduled by themselves
	history
}

// history is what a report says of a line.
type history struct {
	pending   bool
	since     time.Duration // when it last began to wait
	waited    time.Duration // in all, before that
	asked     bool          // it was pending at some time
	arrived   time.Duration // when it first was
	placed    bool          // a life of it was placed
	first     time.Duration // when it was first placed
	departed  bool
	evictions []Eviction
	waitedFor []*preemption.Pod // victims, in the order of their evictions
}

func (h *history) wait(now time.Duration) {
	if !h.asked {
		h.asked, h.arrived = true, now
	}
	h.pending, h.since = true, now
}

func (h *history) place(now time.Duration) {
	h.pending = false
	h.waited += now - h.since
	if !h.placed {
		h.placed, h.first = true, now
	}
}

func (h *history) waitFor(pods ...[]*preemption.Pod) {
	for _, p := range slices.Concat(pods...) {
		if !slices.ContainsFunc(h.waitedFor, func(x *preemption.Pod) bool { return nameOf(x) == nameOf(p) }) {
			h.waitedFor = append(h.waitedFor, p)
		}
	}
}

// A phase is where a life stands.
type phase uint8

const (
	phasePending phase = iota
	phaseBound
	phaseTerminating
	phaseGone
)

// A life is one pod object: it is created once and goes once.
type life struct {
	*line
	number  int             // which life of the line, from 1
	pod     *preemption.Pod // as it was created; the cluster has what became of it
	phase   phase
	node    string // bound or terminating there, or nominated to it
	onlyOn  string // the only node that may take it
	healthy bool
	wanted  bool  // its owner counts on it, or on the one that comes once it is gone
	end     *item // what ends it, or makes it healthy
	task    *task // while it is pending
	budgets []*budget
	owner   *owner // nil without one
	cause   int    // the preemption that evicted the life before, none if there is none
}

// none is the index of no preemption.
const none = -1

// life returns the record of a pod of the cluster. Pods bound at the start get
// one when something happens to them, since to most nothing does.
func (s *Simulation) life(p *preemption.Pod) *life {
	if l := s.lives[nameOf(p)]; l != nil {
		return l
	}
	l := s.begin(s.newLine(p), p)
	l.phase, l.node = phaseBound, p.NodeName
	l.wanted = p.Termination == preemption.NotTerminating // and counted, by populate
	l.healthy = l.wanted
	s.sum += l.fingerprint()
	return l
}

func (s *Simulation) newLine(original *preemption.Pod) *line {
	n := &line{original: original, index: len(s.lines), gang: s.gangOf(original)}
	s.lines = append(s.lines, n)
	s.byName[nameOf(original)] = n
	return n
}

// begin makes the record of a new pod of the line.
func (s *Simulation) begin(n *line, p *preemption.Pod) *life {
	n.lives++
	l := &life{line: n, number: n.lives, pod: p, cause: none, budgets: s.budgetsOver(p), owner: s.owner(p)}
	n.last = l
	s.lives[nameOf(p)] = l
	return l
}

// move changes where a life stands, and keeps the sum of fingerprints.
func (s *Simulation) move(l *life, to phase, node string) {
	s.sum -= l.fingerprint()
	l.phase, l.node = to, node
	s.sum += l.fingerprint()
}
