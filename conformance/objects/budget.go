package objects

import (
	policy "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption/internal/golden"
)

// Budgets returns the budgets of a case in case order.
func Budgets(c *golden.Case) []*policy.PodDisruptionBudget {
	var budgets []*policy.PodDisruptionBudget
	for i := range c.PDBs {
		budgets = append(budgets, budget(&c.PDBs[i]))
	}
	return budgets
}

func budget(b *golden.PDB) *policy.PodDisruptionBudget {
	pdb := &policy.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name},
		Spec:       policy.PodDisruptionBudgetSpec{Selector: selector(b.Selector)},
		Status:     policy.PodDisruptionBudgetStatus{DisruptionsAllowed: b.Allowed},
	}
	if len(b.DisruptedPods) > 0 {
		pdb.Status.DisruptedPods = map[string]metav1.Time{}
		for _, name := range b.DisruptedPods {
			pdb.Status.DisruptedPods[name] = deleted
		}
	}
	return pdb
}

func selector(s *golden.Selector) *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	selector := &metav1.LabelSelector{MatchLabels: s.MatchLabels}
	for _, r := range s.MatchExpressions {
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
			Key:      r.Key,
			Operator: metav1.LabelSelectorOperator(r.Operator),
			Values:   r.Values,
		})
	}
	return selector
}
