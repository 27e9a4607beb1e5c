package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// How it is found that the state repeats: by Brent's method. Now and then a state
// is kept, the anchor, at intervals that double, and every later one is compared
// with it. A cheap sum of fingerprints tells most of them apart, so that whole
// states are written down and compared only where the sums agree. The first state
// equal to the anchor closes the cycle, which is therefore the shortest.

// An anchor is the state that later ones are compared with.
type anchor struct {
	sum       uint64
	at        time.Duration
	state     string
	evictions int
	steps     int // instants since
	power     int // until the next anchor
}

// repeats reports whether the state at the end of an instant has been there
// before, so that everything goes on as it did from then on. It cannot be while
// something is still to come from outside, and without an eviction in between the
// simulation is about to settle.
func (s *Simulation) repeats() bool {
	if s.external > 0 {
		return false
	}
	a := &s.anchor
	if a.sum == s.sum && len(s.preemptions) > a.evictions && a.power > 0 && a.state == s.state() {
		s.end = Repeats
		s.round = &Cycle{From: a.at, Period: s.now - a.at, from: a.evictions}
		return true
	}
	if a.steps++; a.steps >= a.power {
		*a = anchor{sum: s.sum, at: s.now, state: s.state(), evictions: len(s.preemptions), power: max(2*a.power, 1)}
	}
	return false
}

// fingerprint is a number that tells where a life stands, zero if it is gone.
// Lives are told apart by their line, since names change from life to life.
func (l *life) fingerprint() uint64 {
	if l.phase == phaseGone {
		return 0
	}
	h := mix(uint64(l.index)<<2 | uint64(l.phase))
	for _, b := range []byte(l.node) {
		h = mix(h ^ uint64(b))
	}
	return h
}

// mix is the finalizer of splitmix64.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// state writes down all that what happens next depends on, with lines in the
// place of names and with times as they are from now: where every life stands,
// what is about to end, when pending pods may be tried again, what budgets allow,
// and the orders that decide ties, of starts, of queueing, and of pods on their
// nodes. Pods to which nothing has happened yet are the same in every state.
func (s *Simulation) state() string {
	lives := make([]*life, 0, len(s.lives))
	for _, l := range s.lives {
		lives = append(lives, l)
	}
	slices.SortFunc(lives, func(a, b *life) int {
		return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.number, b.number))
	})

	var text []byte
	put := func(format string, args ...any) { text = fmt.Appendf(text, format, args...) }
	for _, l := range lives {
		put("%d %d %s %s %t %t", l.index, l.phase, l.node, l.onlyOn, l.healthy, l.wanted)
		if l.end != nil {
			put(" ends %d", l.end.at-s.now)
		}
		if t := l.task; t != nil {
			put(" again %d after %d", max(t.last+t.backOff()-s.now, 0), t.backOff())
			if t.item != nil {
				put(" at %d", t.item.at-s.now)
			}
		}
		for _, b := range l.budgets {
			if b.disrupted[l.pod.Name] {
				put(" charged to %s", b.object)
			}
		}
		put("\n")
	}

	put("by start:")
	slices.SortStableFunc(lives, func(a, b *life) int { return s.startOf(a).Compare(s.startOf(b)) })
	for i, l := range lives {
		if i > 0 && !s.startOf(lives[i-1]).Equal(s.startOf(l)) {
			put(" |")
		}
		put(" %d", l.index)
	}
	put("\nby queueing:")
	slices.SortStableFunc(lives, func(a, b *life) int { return cmp.Compare(a.queued(), b.queued()) })
	for i, l := range lives {
		if i > 0 && lives[i-1].queued() != l.queued() {
			put(" |")
		}
		put(" %d", l.index)
	}
	put("\n")

	var nodes []string
	for _, l := range lives {
		nodes = append(nodes, l.node)
	}
	slices.Sort(nodes)
	for _, n := range slices.Compact(nodes) {
		node := s.cluster.Node(n)
		if node == nil {
			continue
		}
		put("on %s:", n)
		for _, p := range slices.Concat(s.cluster.PodsOn(node), s.cluster.NominatedTo(n)) {
			if l := s.lives[nameOf(p)]; l != nil {
				put(" %d", l.index)
			} else {
				put(" -")
			}
		}
		put("\n")
	}
	namespaces := make([]string, 0, len(s.budgets))
	for n := range s.budgets {
		namespaces = append(namespaces, n)
	}
	slices.Sort(namespaces)
	for _, n := range namespaces {
		for _, b := range s.budgets[n] {
			put("%s %d\n", b.object, b.allowed)
		}
	}
	return string(text)
}

func (s *Simulation) startOf(l *life) time.Time {
	if l.phase == phasePending {
		return time.Time{}
	}
	return s.cluster.Pod(l.pod.Namespace, l.pod.Name).Start
}

// queued returns when the life's task was queued, never for one without.
func (l *life) queued() time.Duration {
	if l.task == nil {
		return -1
	}
	return l.task.queued
}
