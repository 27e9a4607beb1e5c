package preemption

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// budgetEntry is what the cluster keeps for a budget.
type budgetEntry struct {
	budget *PodDisruptionBudget
	index  int  // in Cluster.budgets
	valid  bool // whether the selector can match anything
}

// SetBudget adds the budget at the end, or replaces the one of the same name in
// its place.
func (c *Cluster) SetBudget(b *PodDisruptionBudget) error {
	if b.Name == "" {
		return errors.New("preemption: disruption budget without a name")
	}
	e := &budgetEntry{budget: b, index: len(c.budgets), valid: b.Selector != nil && b.Selector.Validate() == nil}
	if i := c.budgetIndex(b.Namespace, b.Name); i >= 0 {
		e.index = i
		c.budgets[i] = e
	} else {
		c.budgets = append(c.budgets, e)
	}
	c.recover(b.Namespace)
	return nil
}

// RemoveBudget removes the budget of that name.
func (c *Cluster) RemoveBudget(namespace, name string) error {
	i := c.budgetIndex(namespace, name)
	if i < 0 {
		return fmt.Errorf("preemption: disruption budget %s/%s: there is no budget of that name to remove", namespace, name)
	}
	c.budgets = slices.Delete(c.budgets, i, i+1)
	for j, b := range c.budgets[i:] {
		b.index = i + j
	}
	c.recover(namespace)
	return nil
}

// addBudget is SetBudget for construction.
func (c *Cluster) addBudget(b *PodDisruptionBudget) error {
	if c.budgetIndex(b.Namespace, b.Name) >= 0 {
		return fmt.Errorf("preemption: disruption budget %s: there already is a budget of that name", b)
	}
	return c.SetBudget(b)
}

func (c *Cluster) budgetIndex(namespace, name string) int {
	return slices.IndexFunc(c.budgets, func(e *budgetEntry) bool {
		return e.budget.Namespace == namespace && e.budget.Name == name
	})
}

// recover finds again which budgets cover the pods of a namespace.
func (c *Cluster) recover(namespace string) {
	for key, e := range c.pods {
		if key.namespace == namespace {
			c.cover(e)
		}
	}
}

// cover finds the budgets that cover a bound pod.
func (c *Cluster) cover(e *podEntry) {
	e.covering = nil
	if e.slot == nil {
		return
	}
	for _, b := range c.budgets {
		if b.valid && b.budget.Namespace == e.pod.Namespace && c.release.selects(b.budget.Selector, e.pod.Labels) {
			e.covering = append(e.covering, b)
		}
	}
}

// classify is [Release.FilterVictimsWithPDBViolation] with the cluster's
// budgets, from the coverage found before. Only budgets that cover one of the
// victims take part, so the cost does not depend on how many others there are.
func (c *Cluster) classify(victims []*Victim) ([]Violation, []*Victim) {
	var relevant []*budgetEntry
	for _, v := range victims {
		for _, p := range v.Pods {
			relevant = append(relevant, c.pods[objectKey{p.Namespace, p.Name}].covering...)
		}
	}
	if len(relevant) == 0 {
		return nil, victims
	}
	slices.SortFunc(relevant, func(a, b *budgetEntry) int { return cmp.Compare(a.index, b.index) })
	relevant = slices.Compact(relevant)
	budgets := make([]*PodDisruptionBudget, len(relevant))
	for i, b := range relevant {
		budgets[i] = b.budget
	}
	var scratch []int
	return c.release.classify(victims, newLedger(budgets), func(p *Pod) []int {
		scratch = scratch[:0]
		for _, b := range c.pods[objectKey{p.Namespace, p.Name}].covering {
			i, _ := slices.BinarySearchFunc(relevant, b, func(x, y *budgetEntry) int { return cmp.Compare(x.index, y.index) })
			scratch = append(scratch, i)
		}
		return scratch
	})
}
