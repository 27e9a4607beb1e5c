package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/preemption"
	"example.com/preemption/scheduler/internal/situation"
)

// A policy is how to decide: the flags of the commands that can decide otherwise
// than kube-scheduler.
type policy struct {
	victims string
	budgets string
}

// The policies that can be asked for; the first of each is kube-scheduler's.
var (
	victimPolicies = map[string]preemption.VictimPolicy{"": 0, "reprieve": preemption.VictimsReprieve, "best": preemption.VictimsBest}
	budgetPolicies = map[string]preemption.BudgetPolicy{
		"": 0, "as-upstream": preemption.BudgetsAsUpstream, "exact": preemption.BudgetsExact, "respected": preemption.BudgetsRespected,
	}
)

func (o *policy) addPolicyFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.victims, "victims", "", "How to choose victims: reprieve, as kube-scheduler, or best.")
	f.StringVar(&o.budgets, "budgets", "", "What budgets mean: as-upstream, exact (violations are counted exactly) or respected (none is violated).")
}

func (o *policy) validate() error {
	if _, known := victimPolicies[o.victims]; !known {
		return fmt.Errorf("--victims: %q: want reprieve or best", o.victims)
	}
	if _, known := budgetPolicies[o.budgets]; !known {
		return fmt.Errorf("--budgets: %q: want as-upstream, exact or respected", o.budgets)
	}
	return nil
}

// apply makes the evaluator follow the policy.
func (o *policy) apply(s *situation.Situation) {
	e := &s.Evaluator
	e.Victims, e.Budgets = victimPolicies[o.victims], budgetPolicies[o.budgets]
	if e.Victims != preemption.VictimsReprieve || e.Budgets != preemption.BudgetsAsUpstream {
		e.Contrast = true
		s.Notes = append(s.Notes, fmt.Sprintf("this is not what kube-scheduler does: it was asked for victims %v, budgets %v", e.Victims, e.Budgets))
	}
}
