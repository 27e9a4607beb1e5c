package preemption

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A PodDisruptionBudget limits how many of the pods it covers may be disrupted.
// Preemption prefers to respect it and does not promise to: a budget is a cost,
// never a reason to refuse.
type PodDisruptionBudget struct {
	Namespace, Name string // together they identify the budget in a cluster
	// Selector chooses the covered pods of the namespace. A nil selector covers
	// none and an invalid one is passed over, in every release; for the empty one
	// see [Release].
	Selector *Selector
	// Allowed is how many more disruptions the budget permits: the status field
	// disruptionsAllowed. [Availability] computes it. A negative number counts as
	// overdrawn already.
	Allowed int32
	// Disrupted names the pods whose disruption the API server has already
	// accounted for. They neither use up the budget nor violate it. As upstream
	// this goes by name alone, so a re-created pod inherits it.
	Disrupted []string
}

// String returns namespace/name.
func (b *PodDisruptionBudget) String() string { return b.Namespace + "/" + b.Name }

// A Violation is a victim whose eviction would overdraw a budget.
type Violation struct {
	Victim *Victim
	// Pods is the number of the victim's pods that violate a budget.
	Pods int
	// Budgets are the budgets overdrawn, each once, in the order of the walk.
	Budgets []*PodDisruptionBudget
}

// FilterVictimsWithPDBViolation splits victims into those whose eviction would
// violate a budget and the rest, by the rules of the newest release.
// See [Release.FilterVictimsWithPDBViolation].
func FilterVictimsWithPDBViolation(victims []*Victim, budgets []*PodDisruptionBudget) (violating []Violation, rest []*Victim) {
	return ReleaseNewest.FilterVictimsWithPDBViolation(victims, budgets)
}

// FilterVictimsWithPDBViolation splits victims into those whose eviction would
// violate a budget and the rest. It walks the victims in the order given, and
// both results keep that order; so victims come most important first, as
// [SelectVictimsOnNode] passes them, if the least important ones are to be the
// ones over budget.
//
// Each pod uses up one disruption of a budget that covers it, unless the budget
// lists it as disrupted already; a pod that takes a budget below zero violates.
// A victim is atomic: one violating pod makes all of it violating. Since 1.37 a
// pod stops at the first budget it overdraws, so that the order of budgets
// matters; in 1.36 it is charged to all of them.
//
// A selector is validated once a budget. The cost is O(pods × budgets of their
// namespace). It corresponds to the function of the same name in kube-scheduler
// 1.37 and later and to filterPodsWithPDBViolation before.
func (r Release) FilterVictimsWithPDBViolation(victims []*Victim, budgets []*PodDisruptionBudget) (violating []Violation, rest []*Victim) {
	if len(budgets) == 0 {
		return nil, victims
	}
	return r.classify(victims, r.coverage(budgets))
}

// coverage says which budgets bear on the eviction of a pod.
type coverage struct {
	budgets []*PodDisruptionBudget
	// over returns those over a pod, as indices into budgets, in list order. The
	// slice is good until the next call. A budget that lists the pod as disrupted
	// may or may not be among them.
	over func(*Pod) []int
}

// coverage finds the budgets over a pod by their selectors.
func (r Release) coverage(budgets []*PodDisruptionBudget) coverage {
	if len(budgets) == 0 {
		return coverage{}
	}
	covers := r.coverers(budgets)
	var scratch []int
	return coverage{budgets, func(p *Pod) []int {
		scratch = scratch[:0]
		for _, i := range covers[p.Namespace] {
			if r.selects(budgets[i].Selector, p.Labels) {
				scratch = append(scratch, i)
			}
		}
		return scratch
	}}
}

// classify is FilterVictimsWithPDBViolation with the budgets over each pod known.
func (r Release) classify(victims []*Victim, cover coverage) (violating []Violation, rest []*Victim) {
	if len(cover.budgets) == 0 {
		return nil, victims
	}
	l := newLedger(cover.budgets)
	for _, v := range victims {
		if found := l.violation(v, cover, r.rules().chargesEveryBudget); found.Pods > 0 {
			violating = append(violating, found)
		} else {
			rest = append(rest, v)
		}
	}
	return violating, rest
}

// CountViolations counts the pods that violate a budget if exactly these victims
// are evicted, by the rules of the newest release. See [Release.CountViolations].
func CountViolations(victims []*Victim, budgets []*PodDisruptionBudget) int {
	return ReleaseNewest.CountViolations(victims, budgets)
}

// CountViolations counts the pods that violate a budget if exactly these victims
// are evicted, with their pods on other nodes. It walks the victims in the order
// given, which should be most important first: where several budgets cover one
// pod the count can depend on it.
//
// Each pod is charged to every budget that covers it and does not list it as
// disrupted, in all releases; one that takes at least one of them below zero
// violates. A budget that is negative already is overdrawn by every pod.
//
// It is what [BudgetsExact] counts. [Release.FilterVictimsWithPDBViolation]
// charges pods that are put back later as well. The cost is O(pods × budgets of
// their namespace).
func (r Release) CountViolations(victims []*Victim, budgets []*PodDisruptionBudget) int {
	return countViolations(victims, r.coverage(budgets))
}

func countViolations(victims []*Victim, cover coverage) int {
	if len(cover.budgets) == 0 {
		return 0
	}
	l := newLedger(cover.budgets)
	n := 0
	for _, v := range victims {
		n += l.violation(v, cover, true).Pods
	}
	return n
}

// protect parts victims, most important first, into those that may go without
// violating a budget and those that budgets protect. It walks them least
// important first: a victim whose pods all their budgets can bear uses them up,
// another one stays and uses up nothing. Both results keep the order given.
func protect(victims []*Victim, cover coverage) (free []*Victim, protected []Violation) {
	if len(cover.budgets) == 0 {
		return victims, nil
	}
	l := newLedger(cover.budgets)
	for i := len(victims) - 1; i >= 0; i-- {
		v := victims[i]
		if found := l.violation(v, cover, true); found.Pods > 0 {
			l.giveBack(v, cover)
			protected = append(protected, found)
		} else {
			free = append(free, v)
		}
	}
	slices.Reverse(free)
	slices.Reverse(protected)
	return free, protected
}

// protectedStatus names the budgets, each once, in the order in which they come
// up. Evictions may help once a budget allows them.
func protectedStatus(protected []Violation) Status {
	s := Status{Code: Unschedulable}
	seen := make(map[*PodDisruptionBudget]bool)
	for _, v := range protected {
		for _, b := range v.Budgets {
			if !seen[b] {
				seen[b] = true
				s.Reasons = append(s.Reasons, ReasonProtectedBy+b.String())
			}
		}
	}
	return s
}

// A ledger is what is left of each budget during one walk over victims.
type ledger struct {
	budgets []*PodDisruptionBudget
	left    []int64 // int64: an allowance of MinInt32 can still be charged
}

func newLedger(budgets []*PodDisruptionBudget) ledger {
	l := ledger{budgets, make([]int64, len(budgets))}
	for i, b := range budgets {
		l.left[i] = int64(b.Allowed)
	}
	return l
}

// violation charges a victim and says what that overdraws; Pods is zero if
// nothing. A pod is charged to every budget over it, or else only up to the
// first that it overdraws.
func (l ledger) violation(v *Victim, cover coverage, all bool) Violation {
	found := Violation{Victim: v}
	for _, p := range v.Pods {
		overdrawn := false
		for _, i := range cover.over(p) {
			if l.charge(i, p) {
				continue
			}
			overdrawn = true
			if !slices.Contains(found.Budgets, l.budgets[i]) {
				found.Budgets = append(found.Budgets, l.budgets[i])
			}
			if !all {
				break
			}
		}
		if overdrawn {
			found.Pods++
		}
	}
	return found
}

// giveBack undoes the charges for a victim that was charged to all its budgets.
func (l ledger) giveBack(v *Victim, cover coverage) {
	for _, p := range v.Pods {
		for _, i := range cover.over(p) {
			if !slices.Contains(l.budgets[i].Disrupted, p.Name) {
				l.left[i]++
			}
		}
	}
}

// charge takes one disruption from budget i for the pod and reports whether the
// budget could bear it.
func (l ledger) charge(i int, p *Pod) bool {
	if slices.Contains(l.budgets[i].Disrupted, p.Name) {
		return true
	}
	l.left[i]--
	return l.left[i] >= 0
}

// coverers lists by namespace, in list order, the budgets that can cover a pod.
func (r Release) coverers(budgets []*PodDisruptionBudget) map[string][]int {
	m := make(map[string][]int)
	for i, b := range budgets {
		if b.Selector != nil && b.Selector.Validate() == nil {
			m[b.Namespace] = append(m[b.Namespace], i)
		}
	}
	return m
}

// selects reports whether a budget with this valid selector covers a pod with
// these labels.
func (r Release) selects(s *Selector, labels map[string]string) bool {
	if !r.rules().emptySelectorMatches && (s.empty() || len(labels) == 0) {
		return false
	}
	return s.matches(labels)
}

// Availability is what a budget's owner asks for and what there is, from which
// the number of allowed disruptions follows. At most one of MinAvailable and
// MaxUnavailable may be set.
type Availability struct {
	// Expected is how many pods there should be: the sum of the scales of the
	// covered pods' controllers, or, for a MinAvailable that is a number, the
	// number of covered pods.
	Expected int
	// Healthy is how many covered pods are ready, not terminating, and not
	// recently disrupted.
	Healthy        int
	MinAvailable   *Amount // must stay healthy
	MaxUnavailable *Amount // may be unhealthy
}

// An Amount is a number of pods, or a percentage of the expected pods.
type Amount struct {
	Value   int
	Percent bool
}

// ParseAmount reads a number such as "3" or a percentage such as "40%".
func ParseAmount(s string) (Amount, error) {
	digits, percent := strings.CutSuffix(s, "%")
	n, err := strconv.ParseUint(digits, 10, strconv.IntSize-1) // no sign
	if err != nil {
		return Amount{}, fmt.Errorf("preemption: %q is neither a number of pods nor a percentage", s)
	}
	if percent && n > 100 {
		return Amount{}, fmt.Errorf("preemption: %q is more than 100%%", s)
	}
	return Amount{int(n), percent}, nil
}

// of returns the amount as a number of pods. Percentages round up in both
// directions, as the disruption controller does.
func (a Amount) of(expected int) int {
	if !a.Percent {
		return a.Value
	}
	// Split to stay exact where expected×value would overflow.
	whole, part := expected/100, expected%100
	return whole*a.Value + (part*a.Value+99)/100
}

func (a Amount) validate(name string) error {
	switch {
	case a.Value < 0:
		return fmt.Errorf("preemption: %s %d is negative", name, a.Value)
	case a.Percent && a.Value > 100:
		return fmt.Errorf("preemption: %s %d%% is more than 100%%", name, a.Value)
	}
	return nil
}

// DisruptionsAllowed returns how many pods may be disrupted now: the healthy
// pods beyond those that must stay, never negative, and none while no pod is
// expected. With neither limit set it is none: the controller then expects no pod.
//
// It corresponds to the arithmetic of the disruption controller
// (pkg/controller/disruption), and is an error where validation would have
// rejected the budget.
func (a Availability) DisruptionsAllowed() (int32, error) {
	if err := a.validate(); err != nil {
		return 0, err
	}
	desired := 0
	if m := a.MinAvailable; m != nil {
		desired = m.of(a.Expected)
	}
	if m := a.MaxUnavailable; m != nil {
		desired = max(0, a.Expected-m.of(a.Expected))
	}
	unlimited := a.MinAvailable == nil && a.MaxUnavailable == nil
	if unlimited || a.Expected == 0 {
		return 0, nil
	}
	return int32(min(max(a.Healthy-desired, 0), math.MaxInt32)), nil
}

func (a Availability) validate() error {
	if a.Expected < 0 || a.Healthy < 0 {
		return fmt.Errorf("preemption: negative number of pods: expected %d, healthy %d", a.Expected, a.Healthy)
	}
	if a.MinAvailable != nil && a.MaxUnavailable != nil {
		return errors.New("preemption: minAvailable and maxUnavailable are both set: want one")
	}
	if m := a.MinAvailable; m != nil {
		return m.validate("minAvailable")
	}
	if m := a.MaxUnavailable; m != nil {
		return m.validate("maxUnavailable")
	}
	return nil
}
