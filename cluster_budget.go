package preemption

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// SetBudget adds the budget at the end, or replaces the one of the same name in
// its place. If only the number of allowed disruptions changed, the cost is
// constant, or, where it passes zero, O(pods under the budget); else it asks the
// selector about every bound pod of the namespace.
func (c *Cluster) SetBudget(b *PodDisruptionBudget) error {
	if b == nil {
		return errors.New("preemption: the disruption budget is nil")
	}
	if b.Name == "" {
		return errors.New("preemption: disruption budget without a name")
	}
	c.ready()
	e, known := c.budgets.find(b)
	if !known {
		e = c.budgets.add(b)
		c.engine.addBudget(e)
		c.coverAnew(e, b.Selector)
		return nil
	}
	old := e.budget
	if sameSelector(old.Selector, b.Selector) {
		e.budget = b
		c.engine.setBudget(e)
		c.coverDisrupted(old, b)
		return nil
	}
	c.budgets.replace(e, b)
	c.engine.setBudget(e)
	c.coverAnew(e, b.Selector)
	return nil
}

// RemoveBudget removes the budget of that name.
func (c *Cluster) RemoveBudget(namespace, name string) error {
	e, known := c.budgets.find(&PodDisruptionBudget{Namespace: namespace, Name: name})
	if !known {
		return fmt.Errorf("preemption: disruption budget %s/%s: there is no budget of that name to remove", namespace, name)
	}
	c.budgets.remove(e)
	c.coverAnew(e, nil)
	if c.budgets.sparse() {
		c.budgets.renumber()
		c.covers.rekey()
		c.engine.renumberBudgets()
	}
	return nil
}

// addBudget is SetBudget for construction.
func (c *Cluster) addBudget(b *PodDisruptionBudget) error {
	if _, known := c.budgets.find(b); known {
		return fmt.Errorf("preemption: disruption budget %s: there already is a budget of that name", b)
	}
	if b.Name == "" {
		return errors.New("preemption: disruption budget without a name")
	}
	c.budgets.add(b)
	return nil
}

// coverAnew finds the pods that a budget covers once its selector is another one, or
// that it no longer covers.
func (c *Cluster) coverAnew(b *budgetEntry, selector *Selector) {
	x := recovering{Cluster: c, budget: b, moves: make(map[int32]int32)}
	if selector != nil && selector.Validate() == nil {
		x.selects = func(labels map[string]string) bool { return c.release.selects(selector, labels) }
	}
	var ids [someAtATime]int32
	n := 0
	for id := range c.pods.names.Within(b.budget.Namespace) {
		ids[n] = id
		if n++; n == len(ids) {
			x.look(ids[:])
			n = 0
		}
	}
	x.look(ids[:n])
	c.engine.covered(x.changed)
}

// A recovering is a budget's search for the pods that it comes to cover, or leaves.
type recovering struct {
	*Cluster
	budget  *budgetEntry
	selects func(labels map[string]string) bool // nil: covers none
	// moves says from which set of budgets to which pods go: those under the same
	// budgets go the same way.
	moves   map[int32]int32
	changed []int32
}

// someAtATime pods are looked at in steps, each for all of them before the next: pods
// lie far apart, and so memory has many of them on the way at the same time.
const someAtATime = 256

// look looks at pods, among which may be some of another namespace, or gone.
func (x *recovering) look(ids []int32) {
	var (
		pods     [someAtATime]*Pod
		labels   [someAtATime]map[string]string
		selected [someAtATime]bool
	)
	bound := ids[:0]
	for _, id := range ids {
		if e := x.pods.at(id); e.pod != nil && e.home != none {
			pods[len(bound)] = e.pod
			bound = append(bound, id)
		}
	}

	// Which of them the selector chooses. Many have no labels.
	if x.selects != nil {
		for i := range bound {
			labels[i] = pods[i].Labels
		}
		unlabelled := x.selects(nil)
		for i := range bound {
			selected[i] = len(labels[i]) > 0 || unlabelled
		}
		for i := range bound {
			selected[i] = selected[i] && x.selects(labels[i])
		}
	}

	// Those with which that is not as it was. Those that were covered are in the
	// namespace for sure.
	budget := x.budget.budget
	changed := bound[:0]
	for i, id := range bound {
		covered := slices.Contains(x.covers.budgets(x.pods.at(id).cover), x.budget)
		if covered || selected[i] && pods[i].Namespace == budget.Namespace {
			if covered != (selected[i] && !slices.Contains(budget.Disrupted, pods[i].Name)) {
				changed = append(changed, id)
			}
		}
	}
	for _, id := range changed {
		x.move(x.pods.at(id))
	}
	x.changed = append(x.changed, changed...)
}

// move has a pod covered by the budget, or no longer.
func (x *recovering) move(e *podEntry) {
	old := e.cover
	if set, known := x.moves[old]; known {
		// A set that pods have come to is not left again here, so its number stays.
		e.cover = x.covers.join(set, e.home)
	} else {
		over := x.covers.budgets(old)
		e.cover = x.covers.enter(withBudget(over, x.budget, !slices.Contains(over, x.budget)), e.home)
		x.moves[old] = e.cover
	}
	x.covers.leave(old, e.home)
}

// withBudget returns a set of budgets, in the order of charging, with one more or
// with one less.
func withBudget(set []*budgetEntry, b *budgetEntry, more bool) []*budgetEntry {
	at, _ := slices.BinarySearchFunc(set, b, compareOrder)
	if more {
		return spliced(set, at, at, b)
	}
	return spliced(set, at, at+1)
}

// coverDisrupted finds the budgets over the pods that one came to list as disrupted,
// or no longer does.
func (c *Cluster) coverDisrupted(old, b *PodDisruptionBudget) {
	if slices.Equal(old.Disrupted, b.Disrupted) {
		return
	}
	var changed []int32
	for _, name := range slices.Concat(old.Disrupted, b.Disrupted) {
		if id := c.pods.find(b.Namespace, name); id >= 0 && c.slotOf(id) != nil {
			changed = c.coverAgain(id, changed)
		}
	}
	c.engine.covered(changed)
}

// cover finds the budgets that bear on the eviction of a bound pod.
func (c *Cluster) cover(id int32) {
	e := c.pods.at(id)
	old := e.cover
	// The new set is entered before the old one is left, so that a number cannot
	// come to stand for another set unnoticed.
	e.cover = c.covers.enter(c.budgets.over(c.release, e.pod), e.home)
	c.covers.leave(old, e.home)
}

// coverAgain is cover after budgets changed. The pod is appended to the list if
// another set of budgets covers it now.
func (c *Cluster) coverAgain(id int32, changed []int32) []int32 {
	old := c.pods.at(id).cover
	if c.cover(id); c.pods.at(id).cover != old {
		changed = append(changed, id)
	}
	return changed
}

// classify is [Release.FilterVictimsWithPDBViolation] with the cluster's budgets.
func (c *Cluster) classify(victims []*Victim) ([]Violation, []*Victim) {
	return c.release.classify(victims, c.coverage(victims))
}

// coverage returns which budgets are over the pods of these victims, as found
// before. Only budgets that cover one of them take part, so the cost does not
// depend on how many others there are.
func (c *Cluster) coverage(victims []*Victim) coverage {
	if c.budgets.count() == 0 {
		return coverage{}
	}
	covering := func(p *Pod) []*budgetEntry {
		return c.covers.budgets(c.pods.at(c.pods.find(p.Namespace, p.Name)).cover)
	}
	var relevant []*budgetEntry
	for _, v := range victims {
		for _, p := range v.Pods {
			relevant = append(relevant, covering(p)...)
		}
	}
	slices.SortFunc(relevant, compareOrder)
	relevant = slices.Compact(relevant)
	budgets := make([]*PodDisruptionBudget, len(relevant))
	for i, b := range relevant {
		budgets[i] = b.budget
	}
	var scratch []int
	return coverage{budgets, func(p *Pod) []int {
		scratch = scratch[:0]
		for _, b := range covering(p) {
			i, _ := slices.BinarySearchFunc(relevant, b, compareOrder)
			scratch = append(scratch, i)
		}
		return scratch
	}}
}

func compareOrder(a, b *budgetEntry) int { return cmp.Compare(a.order, b.order) }

func sameSelector(a, b *Selector) bool {
	if a == nil || b == nil {
		return a == b
	}
	return maps.Equal(a.MatchLabels, b.MatchLabels) &&
		slices.EqualFunc(a.MatchExpressions, b.MatchExpressions, func(x, y Requirement) bool {
			return x.Key == y.Key && x.Operator == y.Operator && slices.Equal(x.Values, y.Values)
		})
}

// spliced returns a new list with a part replaced.
func spliced[T any](list []T, from, to int, by ...T) []T {
	out := make([]T, 0, len(list)+len(by))
	return append(append(append(out, list[:from]...), by...), list[to:]...)
}
