package replay

import (
	"fmt"

	"example.com/preemption"
	"example.com/preemption/internal/golden"
)

// evaluator returns the settings that a case asks for.
func evaluator(c *golden.Case) (preemption.Evaluator, error) {
	e := preemption.Evaluator{Sampling: sampling(c)}
	if c.Policy == nil {
		return e, nil
	}
	var ok bool
	if e.Victims, ok = victimPolicies[c.Policy.Victims]; !ok {
		return e, fmt.Errorf("unknown policy of victims %q", c.Policy.Victims)
	}
	if e.Budgets, ok = budgetPolicies[c.Policy.Budgets]; !ok {
		return e, fmt.Errorf("unknown policy of budgets %q", c.Policy.Budgets)
	}
	for _, name := range c.Policy.Criteria {
		o, ok := criteria[name]
		if !ok {
			return e, fmt.Errorf("unknown criterion %q", name)
		}
		e.Orders = append(e.Orders, o)
	}
	return e, nil
}

var victimPolicies = map[string]preemption.VictimPolicy{
	"reprieve": preemption.VictimsReprieve,
	"best":     preemption.VictimsBest,
}

var budgetPolicies = map[string]preemption.BudgetPolicy{
	"exact":     preemption.BudgetsExact,
	"respected": preemption.BudgetsRespected,
}

var criteria = map[string]preemption.Order{
	"violations": preemption.FewestViolations,
	"priority":   preemption.LowestHighestPriority,
	"sum":        preemption.LowestPrioritySum,
	"pods":       preemption.FewestPods,
	"start":      preemption.LatestStart,
}
