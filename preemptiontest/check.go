package preemptiontest

import (
	"errors"
	"fmt"
	"slices"

	"example.com/preemption"
)

// Settings say how a result came about. The zero value stands for the zero
// Evaluator, the newest release, no groups and no nominations.
type Settings struct {
	Evaluator preemption.Evaluator
	Release   preemption.Release
	Groups    *preemption.Groups
	Nominated func(node string) []*preemption.Pod
	Most      int // potential victims of a node up to which all sets of them are tried
}

// CheckResult checks a decision for a single pod against definitions alone, with
// fresh dry runs: the preemptor fits without the victims, it may evict them, none
// could be spared (with monotone filters or VictimsBest), violations are right
// where they are counted exactly and none where budgets are respected. If nothing
// helps, no node lets it fit without all that it may evict (with monotone filters
// and budgets not respected). If a result of VictimsBest is Exact, no set is better
// on any node with at most s.Most potential victims.
//
// The view is the cluster decided on, and budgets are in its order. With Sampling or
// Statuses only the fit without the victims is checked, with Accept not what it may
// have refused, and with Extenders, whose victims may be any, nothing. The error says all that is wrong.
func CheckResult(view preemption.View, budgets []*preemption.PodDisruptionBudget, preemptor *preemption.Pod, result *preemption.Result, s Settings) error {
	e := &s.Evaluator
	if len(e.Extenders) > 0 {
		return nil
	}
	filters := e.Filters
	if filters == nil {
		filters = preemption.DefaultFilters()
	}
	prepared, err := preemption.All(filters...).Prepare(preemptor, view)
	if err != nil {
		return err
	}
	c := &resultCheck{Settings: s, view: view, budgets: budgets, preemptor: preemptor, prepared: prepared}
	declared, ok := prepared.(interface{ Monotone() bool })
	monotone := prepared == nil || ok && declared.Monotone()
	best, respected := e.Victims == preemption.VictimsBest, e.Budgets == preemption.BudgetsRespected
	plain := e.Sampling == nil && e.Statuses == nil

	switch n := result.Node; result.Outcome {
	case preemption.OutcomeFits:
		c.must(e.Statuses != nil || c.ask(n, nil).Fits(), "node %s does not take it as it is", n.Name)
		return errors.Join(c.wrong...)
	case preemption.OutcomePreempt:
		c.must(c.ask(n, result.Victims).Fits(), "it does not fit on node %s without %v", n.Name, result.Victims)
		potential, at := c.potential(n), -1
		for i := 0; i < len(result.Victims) && plain; i++ {
			v := result.Victims[i]
			place := slices.IndexFunc(potential, func(o *preemption.Victim) bool { return slices.Equal(o.Pods, v.Pods) })
			c.must(place > at, "%s may not be evicted from node %s, or is out of order", v, n.Name)
			at = place
			others := slices.Delete(slices.Clone(result.Victims), i, i+1)
			c.must(!monotone && !best || !c.ask(n, others).Fits(), "%s on node %s could be spared", v, n.Name)
		}
		if count := c.violations(result.Victims); plain && (best || e.Budgets != preemption.BudgetsAsUpstream) {
			c.must(result.Violations == count, "%d violations on node %s, want %d", result.Violations, n.Name, count)
			c.must(count == 0 || !respected, "evicting %v violates budgets", result.Victims)
		}
	case preemption.OutcomeIneligible, preemption.OutcomeWaiting:
		return nil
	}
	chosen := &preemption.Candidate{Node: result.Node, Victims: result.Victims, Violations: result.Violations}
	for _, n := range view.Nodes() {
		potential := c.potential(n)
		if !plain || e.Accept != nil || c.ask(n, nil).Code != preemption.Unschedulable || len(potential) == 0 {
			continue
		}
		helps := result.Outcome == preemption.OutcomePreempt
		c.must(helps || !monotone || respected || !c.ask(n, potential).Fits(), "unhelpful, but it fits on node %s without %v", n.Name, potential)
		for set := uint(1); best && result.Exact && len(potential) <= s.Most && set < 1<<len(potential); set++ {
			if k := c.candidate(n, potential, set); k != nil && (k.Violations == 0 || !respected) {
				first, by := preemption.PickOneNode([]*preemption.Candidate{chosen, k}, e.Orders...)
				c.must(helps && (first == chosen || by < 0), "evicting %v from node %s is better", k.Victims, n.Name)
			}
		}
	}
	return errors.Join(c.wrong...)
}

type resultCheck struct {
	Settings
	view      preemption.View
	budgets   []*preemption.PodDisruptionBudget
	preemptor *preemption.Pod
	prepared  preemption.Prepared
	wrong     []error
}

func (c *resultCheck) must(ok bool, format string, args ...any) {
	if !ok {
		c.wrong = append(c.wrong, fmt.Errorf("preemptor %s: "+format, append([]any{c.preemptor}, args...)...))
	}
}

// ask asks a fresh dry run with the victims gone, beside nominated pods and alone.
func (c *resultCheck) ask(n *preemption.Node, gone []*preemption.Victim) (status preemption.Status) {
	if c.prepared == nil {
		return status
	}
	run, err := c.prepared.Begin(n)
	for _, v := range gone {
		for i := 0; i < len(v.Pods) && err == nil; i++ {
			err = run.Remove(v.Pods[i], v.Nodes[i])
		}
	}
	var nominated []*preemption.Pod
	if c.Nominated != nil {
		nominated = c.Nominated(n.Name)
	}
	if err == nil {
		status, err = preemption.FitsWithNominated(c.preemptor, n, run, nominated)
	}
	c.must(err == nil, "node %s: %v", n.Name, err)
	return status
}

// potential returns who may be evicted from a node, most important first.
func (c *resultCheck) potential(n *preemption.Node) []*preemption.Victim {
	victims := slices.DeleteFunc(c.Release.Victims(n, c.view, c.Groups), func(v *preemption.Victim) bool {
		return v.Priority >= c.preemptor.Priority || c.Evaluator.Eligible != nil && slices.ContainsFunc(v.Nodes,
			func(on *preemption.Node) bool { return !c.Evaluator.Eligible(c.preemptor, v, on) })
	})
	compare := c.Evaluator.Compare
	if compare == nil {
		compare = preemption.CompareImportance
	}
	slices.SortStableFunc(victims, func(a, b *preemption.Victim) int { return compare(b, a) })
	return victims
}
