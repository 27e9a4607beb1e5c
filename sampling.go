package preemption

import (
	"errors"
	"fmt"
)

// Sampling limits how many nodes are looked at, as kube-scheduler does to save
// time. Looking at fewer nodes makes decisions worse; this package looks at all
// of them unless told otherwise.
//
// The search starts at an offset among the potential nodes, wraps around, and
// stops once it has found Count candidates in all with at least one that
// violates no budget. Candidates that violate none come first in the choice; of
// each kind at most Count are kept, later ones are dropped.
type Sampling struct {
	Percent int // of the potential nodes
	Min     int // candidates at least
	// Offset returns where to start among so many potential nodes, more than zero.
	// Any number will do; it is taken modulo nodes. Nil starts at the first.
	Offset func(nodes int) int
}

// DefaultSampling returns kube-scheduler's defaults, 10 % and at least 100
// candidates, with the offset the caller chooses. Upstream draws it at random.
func DefaultSampling(offset func(nodes int) int) *Sampling {
	return &Sampling{Percent: 10, Min: 100, Offset: offset}
}

// Validate returns an error unless kube-scheduler would accept the numbers:
// a percentage in [0, 100], a minimum not below zero, and not both zero.
func (s Sampling) Validate() error {
	switch {
	case s.Percent < 0 || s.Percent > 100:
		return fmt.Errorf("preemption: sampling: percent %d is not in [0, 100]", s.Percent)
	case s.Min < 0:
		return fmt.Errorf("preemption: sampling: minimum %d is negative", s.Min)
	case s.Percent == 0 && s.Min == 0:
		return errors.New("preemption: sampling: percent and minimum are both zero: want at least one above")
	}
	return nil
}

// Count returns how many candidates are asked for among so many potential
// nodes: the percentage rounded down, at least Min and at least one, at most
// all of them. Upstream may round down to none, and computes in 32 bits.
func (s Sampling) Count(nodes int) int {
	if nodes <= 0 {
		return 0
	}
	percent := int64(min(max(s.Percent, 0), 100))
	share := int64(nodes)/100*percent + int64(nodes)%100*percent/100
	return min(max(int(share), s.Min, 1), nodes)
}

// start returns the offset to begin at, in [0, nodes).
func (s Sampling) start(nodes int) int {
	if s.Offset == nil {
		return 0
	}
	at := s.Offset(nodes) % nodes
	if at < 0 {
		at += nodes
	}
	return at
}

// A window collects the candidates of a sampled search.
type window struct {
	count            int // candidates asked for
	clean, violating []*Candidate
}

func (w *window) add(c *Candidate) {
	list := &w.clean
	if c.Violations > 0 {
		list = &w.violating
	}
	if len(*list) < w.count {
		*list = append(*list, c)
	}
}

// full reports whether the search may stop.
func (w *window) full() bool {
	return len(w.clean) > 0 && len(w.clean)+len(w.violating) >= w.count
}

// candidates returns what was kept, those that violate no budget first.
func (w *window) candidates() []*Candidate { return append(w.clean, w.violating...) }
