package scheduler

import (
	"sync"

	"k8s.io/client-go/informers"

	"example.com/preemption"
)

// A Scheduler is kube-scheduler's Filter plugins in their default setting. It
// may be used by several evaluators and concurrently.
//
// It keeps the latest view it was shown in the scheduler's form, so that the next
// decision on the same cluster costs only what has changed.
type Scheduler struct {
	plugins   []pluginKind
	informers informers.SharedInformerFactory
	snapshots snapshots

	mu     sync.Mutex
	latest *cycle
}

// New returns the plugins, knowing the objects.
func New(objects Objects) (*Scheduler, error) {
	plugins, err := defaultPlugins(len(objects.PersistentVolumeClaims) > 0)
	if err != nil {
		return nil, err
	}
	informers, err := objects.factory()
	if err != nil {
		return nil, err
	}
	return &Scheduler{plugins: plugins, informers: informers}, nil
}

// Filters returns the plugins as filters, in the scheduler's order, with the
// library's own filters for resources and ports in their places. The first of
// them stands for the scheduler's PreFilter: it refuses the nodes that plugins
// rule out before looking at any.
func (s *Scheduler) Filters() []preemption.Filter {
	filters := []preemption.Filter{preFilter{s}}
	for _, kind := range s.plugins {
		if standIn := builtin[kind.name]; standIn != nil {
			filters = append(filters, standIn())
		} else {
			filters = append(filters, filter{s, kind})
		}
	}
	return filters
}

// Rejection returns why a plugin rejects the preemptor before looking at any
// node, and false if none does. The scheduler gives such a reason once, not once
// a node.
func (s *Scheduler) Rejection(preemptor *preemption.Pod, view preemption.View) (preemption.Status, bool, error) {
	c, err := s.cycle(preemptor, view)
	if err != nil || c.rejected == nil {
		return preemption.Status{}, false, err
	}
	return *c.rejected, true, nil
}

// cycle returns the cycle of the preemptor, which all filters of one decision
// share.
func (s *Scheduler) cycle(preemptor *preemption.Pod, view preemption.View) (*cycle, error) {
	snapshot, err := s.snapshots.of(view)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.latest; c != nil && c.snapshot == snapshot && c.preemptor == preemptor {
		return c, nil
	}
	c, err := newCycle(s, snapshot, preemptor)
	if err == nil {
		s.latest = c
	}
	return c, err
}
