package simulate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"example.com/preemption"
)

// A budget is what the simulation keeps of a disruption budget.
type budget struct {
	spec   *Budget                         // nil: it stays as it is charged
	object *preemption.PodDisruptionBudget // as it was at the start

	all, owned int // pods under it that are wanted, and those of them with an owner
	healthy    int
	allowed    int32
	disrupted  map[string]bool // charged already
	stale      bool
	short      bool    // fewer are healthy than its owner wants
	outages    outages // times at which it was short
}

// setBudgets takes over the budgets of the cluster and of the world.
func (s *Simulation) setBudgets() error {
	specs := make(map[name]*Budget, len(s.world.Budgets))
	for i := range s.world.Budgets {
		b := &s.world.Budgets[i]
		specs[name{b.Namespace, b.Name}] = b
	}
	s.budgets = make(map[string][]*budget)
	add := func(object *preemption.PodDisruptionBudget, spec *Budget) {
		b := &budget{spec: spec, object: object, allowed: object.Allowed, disrupted: make(map[string]bool)}
		for _, pod := range object.Disrupted {
			b.disrupted[pod] = spec == nil
		}
		s.budgets[object.Namespace] = append(s.budgets[object.Namespace], b)
		s.touch(b)
	}
	for _, object := range s.cluster.DisruptionBudgets() {
		n := name{object.Namespace, object.Name}
		spec := specs[n]
		delete(specs, n)
		if spec != nil {
			object = spec.PodDisruptionBudget
		}
		add(object, spec)
	}
	// Those that the cluster does not have come behind, by name.
	rest := make([]*Budget, 0, len(specs))
	for _, spec := range specs {
		rest = append(rest, spec)
	}
	slices.SortFunc(rest, func(a, b *Budget) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, spec := range rest {
		add(spec.PodDisruptionBudget, spec)
	}
	return nil
}

// budgetsOver returns the budgets that cover a pod. A nil or invalid selector
// covers none, an empty one every pod of the namespace, as for the disruption
// controller.
func (s *Simulation) budgetsOver(p *preemption.Pod) []*budget {
	var over []*budget
	for _, b := range s.budgets[p.Namespace] {
		if b.object.Selector != nil && b.object.Selector.Validate() == nil && b.object.Selector.Matches(p.Labels) {
			over = append(over, b)
		}
	}
	return over
}

// count adds pods that are wanted, and pods that are healthy.
func (b *budget) count(o *owner, wanted, healthy int) {
	b.all += wanted
	if o != nil {
		b.owned += wanted
	}
	b.healthy += healthy
}

// availability is what the disruption controller would see: a minimum that is a
// number counts pods, every other limit goes by what the pods' owners want.
func (b *budget) availability(healthy int) preemption.Availability {
	expected := b.owned
	if b.spec.MinAvailable != nil && !b.spec.MinAvailable.Percent {
		expected = b.all
	}
	return b.spec.availability(expected, healthy)
}

// recountAllowed returns what the budget allows now.
func (b *budget) recountAllowed() (int32, error) {
	return b.availability(b.healthy).DisruptionsAllowed()
}

// desired is how many healthy pods the budget's owner wants at least: where that
// is no more than there could be, a great many healthy pods less those that may
// be disrupted.
func (b *budget) desired() (int, error) {
	const many = math.MaxInt32 / 2
	allowed, err := b.availability(many).DisruptionsAllowed()
	if err != nil || allowed == 0 {
		return 0, err // nothing is expected
	}
	return many - int(allowed), nil
}

// touch marks a budget to be recounted.
func (s *Simulation) touch(b *budget) {
	if !b.stale {
		b.stale = true
		s.stale = append(s.stale, b)
	}
}

// recount lets budgets whose pods have changed allow what they allow now. The
// disruption controller does it some time later.
func (s *Simulation) recount() error {
	for _, b := range s.stale {
		b.stale = false
		if b.spec == nil {
			continue
		}
		allowed, err := b.recountAllowed()
		if err != nil {
			return err
		}
		if allowed > b.allowed && s.evaluator.Budgets == preemption.BudgetsRespected {
			s.wake() // a victim may not be protected any more
		}
		desired, err := b.desired()
		if err != nil {
			return err
		}
		b.allowed, b.short = allowed, b.healthy < desired
		s.recounted = append(s.recounted, b)
		object := *b.object
		object.Allowed, object.Disrupted = allowed, nil
		if err := s.cluster.SetBudget(&object); err != nil {
			return err
		}
	}
	s.stale = s.stale[:0]
	return nil
}

// judge finds out which budgets the eviction of the victims violates, charging
// each as the eviction API does.
func (s *Simulation) judge(victims []*life, at int) {
	for _, v := range victims {
		for _, b := range v.budgets {
			if b.disrupted[v.pod.Name] {
				continue
			}
			if b.allowed < 1 {
				s.violations = append(s.violations, Violation{At: s.now, Budget: b.object, Victim: v.pod, Preemption: at})
			} else {
				b.allowed--
			}
			if b.spec != nil {
				s.touch(b) // the cluster charges it, which a recount takes back
			} else {
				b.disrupted[v.pod.Name] = true
			}
		}
	}
}

// want counts a pod among those that its owner counts on, or no longer.
func (s *Simulation) want(l *life, wanted bool) {
	if l.wanted == wanted {
		return
	}
	l.wanted = wanted
	s.change(l, step(wanted), 0)
}

// setHealth counts a pod as healthy, or no longer.
func (s *Simulation) setHealth(l *life, healthy bool) {
	if l.healthy == healthy {
		return
	}
	l.healthy = healthy
	s.change(l, 0, step(healthy))
}

func step(up bool) int {
	if up {
		return 1
	}
	return -1
}

func (s *Simulation) change(l *life, wanted, healthy int) {
	l.owner.count(wanted, healthy)
	if l.owner != nil {
		s.shaken = append(s.shaken, l.owner)
	}
	for _, b := range l.budgets {
		b.count(l.owner, wanted, healthy)
		s.touch(b)
	}
}

// An outage of something lasts from one time to another.
type outages struct {
	list []Outage
	open bool
}

// set says whether it is down now.
func (o *outages) set(down bool, now time.Duration) {
	switch {
	case down && !o.open:
		o.list = append(o.list, Outage{From: now, Lasts: true})
	case !down && o.open:
		last := &o.list[len(o.list)-1]
		last.To, last.Lasts = now, false
	}
	o.open = down
}
