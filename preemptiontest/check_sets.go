package preemptiontest

import (
	"math/bits"

	"example.com/preemption"
)

// violations counts exactly: every pod is charged to all budgets that a walk over
// it alone, with nothing left, says it violates.
func (c *resultCheck) violations(victims []*preemption.Victim) (count int) {
	charged := make([]int64, len(c.budgets))
	for _, v := range victims {
		for i, p := range v.Pods {
			one, over := []*preemption.Victim{preemption.NewPodVictim(p, v.Nodes[i])}, 0
			for k, b := range c.budgets {
				spent := []*preemption.PodDisruptionBudget{{Namespace: b.Namespace, Selector: b.Selector, Disrupted: b.Disrupted}}
				if bears, _ := c.Release.FilterVictimsWithPDBViolation(one, spent); len(bears) > 0 {
					if charged[k]++; charged[k] > int64(b.Allowed) {
						over = 1
					}
				}
			}
			count += over
		}
	}
	return count
}

// candidate is a set of potential victims that suffices and of which none can be
// spared, nil if it is not one.
func (c *resultCheck) candidate(n *preemption.Node, potential []*preemption.Victim, set uint) *preemption.Candidate {
	pick := func(set uint) (list []*preemption.Victim) {
		for ; set != 0; set &= set - 1 {
			list = append(list, potential[bits.TrailingZeros(set)])
		}
		return list
	}
	suffices := c.ask(n, pick(set)).Fits()
	for rest := set; rest != 0 && suffices; rest &= rest - 1 {
		suffices = !c.ask(n, pick(set&^(rest&-rest))).Fits()
	}
	if !suffices {
		return nil
	}
	return &preemption.Candidate{Node: n, Victims: pick(set), Violations: c.violations(pick(set))}
}
