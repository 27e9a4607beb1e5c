package preemption

import "slices"

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
	l := newLedger(budgets)
	covers := r.coverers(budgets)
	var scratch []int
	return r.classify(victims, l, func(p *Pod) []int {
		scratch = scratch[:0]
		for _, i := range covers[p.Namespace] {
			if r.selects(budgets[i].Selector, p.Labels) {
				scratch = append(scratch, i)
			}
		}
		return scratch
	})
}

// classify is FilterVictimsWithPDBViolation with the question which budgets
// cover a pod answered by the caller, as indices into the ledger in list order.
func (r Release) classify(victims []*Victim, l ledger, covering func(*Pod) []int) (violating []Violation, rest []*Victim) {
	for _, v := range victims {
		var found Violation
		for _, p := range v.Pods {
			before := len(found.Budgets)
			overdrawn := false
			for _, i := range covering(p) {
				if l.charge(i, p) {
					continue
				}
				overdrawn = true
				if !slices.Contains(found.Budgets[:before], l.budgets[i]) {
					found.Budgets = append(found.Budgets, l.budgets[i])
				}
				if !r.chargesEveryBudget() {
					break
				}
			}
			if overdrawn {
				found.Pods++
			}
		}
		if found.Pods > 0 {
			found.Victim = v
			violating = append(violating, found)
		} else {
			rest = append(rest, v)
		}
	}
	return violating, rest
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
	if !r.emptySelectorMatches() && (s.empty() || len(labels) == 0) {
		return false
	}
	return s.matches(labels)
}
