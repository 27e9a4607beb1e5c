package simulate

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"example.com/preemption"
)

// DefaultHorizon is how long a simulation runs at most unless its world says
// otherwise.
const DefaultHorizon = 24 * time.Hour

// A World is where a simulation starts, and what happens to it from outside. The
// order of its lists does not matter; the order of the cluster's nodes decides
// ties, as everywhere.
type World struct {
	// Cluster is the state at the start. It is cloned and never changed. Its bound
	// pods count as healthy unless they are terminating; its pending pods are queued
	// at the start.
	Cluster *preemption.Cluster
	// Pending pods are queued at the start too.
	Pending []*preemption.Pod
	// Gangs are groups of pending pods that are scheduled together. Members that
	// are evicted later and re-created wait for each other again: as many have to be
	// placed as the gang is short of its minimum.
	Gangs []*preemption.Gang
	// Policy decides.
	Policy Policy
	// Now is the time at the start, which pods' start times and ends of grace
	// periods are compared with. Zero is the latest start of a pod of the cluster.
	Now time.Time
	// Placer chooses between the nodes that take a pod, which it is given as a gang
	// of one. Nil is the library's LeastAllocated.
	Placer preemption.Placer
	// Planner places gangs. Nil is [preemption.GivenPlacement].
	Planner preemption.Planner
	// Recreate says what becomes of a pod that was evicted. Nil is [Recreate].
	Recreate func(original, evicted *preemption.Pod, life int) Recreation
	// Healthy says how long a pod takes from being placed until it is healthy. Nil
	// is no time at all.
	Healthy func(p *preemption.Pod) time.Duration
	// Budgets are disruption budgets of which it is known what their owners want, so
	// that what they allow follows the healthy pods. Each takes the place of the
	// cluster's budget of the same name. Other budgets stay as they are charged.
	Budgets []Budget
	// Arrivals and Departures happen at their times.
	Arrivals   []Arrival
	Departures []Departure
	// Horizon is when the simulation ends if nothing else ends it. Zero is
	// [DefaultHorizon].
	Horizon time.Duration
}

// A Policy is a way to decide.
type Policy struct {
	Name string
	// Evaluator is copied.
	Evaluator preemption.Evaluator
	// Orders, if not nil, gives the orders of the choice between nodes from the
	// simulation's own cluster, for orders that look at it, such as
	// [FewestStranded].
	Orders func(c *preemption.Cluster) []preemption.Order
}

// An Arrival is a pod that is created at some time after the start.
type Arrival struct {
	At  time.Duration
	Pod *preemption.Pod
}

// A Departure is the end of a pod that nobody evicts and nobody re-creates: it
// has finished, or its owner wants fewer. It is the pod of that name or whatever
// has been re-created in its place by then.
type Departure struct {
	At              time.Duration
	Namespace, Name string
}

// A Budget is a disruption budget with what its owner asks for. At most one of
// MinAvailable and MaxUnavailable may be set.
type Budget struct {
	// PodDisruptionBudget names the budget and selects its pods. What it allows
	// and lists as disrupted is reckoned anew.
	*preemption.PodDisruptionBudget
	MinAvailable, MaxUnavailable *preemption.Amount
}

// validate names everything that is wrong with the world, but for its pods, which
// the cluster validates when they arrive.
func (w *World) validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf("simulate: "+format, args...)) }
	if w.Cluster == nil {
		fail("the world has no cluster")
	}
	if w.Horizon < 0 {
		fail("the horizon %v is before the start", w.Horizon)
	}
	for i, p := range w.Pending {
		if p == nil {
			fail("pending pod %d of the list is nil", i)
		} else if p.NodeName != "" {
			fail("pending pod %s is bound to node %s: bound pods belong to the cluster", p, p.NodeName)
		}
	}
	for i, a := range w.Arrivals {
		switch {
		case a.Pod == nil:
			fail("the pod of arrival %d of the list is nil", i)
		case a.At < 0:
			fail("pod %s arrives at %v, before the start", a.Pod, a.At)
		case a.Pod.NodeName != "":
			fail("pod %s arrives bound to node %s: an arriving pod is pending", a.Pod, a.Pod.NodeName)
		}
	}
	for _, d := range w.Departures {
		if d.At < 0 {
			fail("pod %s/%s departs at %v, before the start", d.Namespace, d.Name, d.At)
		}
	}
	for i, g := range w.Gangs {
		if g == nil {
			fail("gang %d of the list is nil", i)
			continue
		}
		for j, m := range g.Members {
			if m == nil {
				fail("gang %s: member %d is nil", g, j)
			}
		}
	}
	for i, b := range w.Budgets {
		if b.PodDisruptionBudget == nil {
			fail("budget %d of the list is nil", i)
		} else if _, err := b.availability(1, 1).DisruptionsAllowed(); err != nil {
			fail("budget %s: %w", b, err)
		}
	}
	return errors.Join(errs...)
}

func (b Budget) availability(expected, healthy int) preemption.Availability {
	return preemption.Availability{
		Expected: expected, Healthy: healthy, MinAvailable: b.MinAvailable, MaxUnavailable: b.MaxUnavailable,
	}
}

// comparePods orders pods by name, the last word wherever order is not told by
// anything else.
func comparePods(a, b *preemption.Pod) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
