package preemptiontest

import (
	"errors"
	"fmt"
	"slices"

	"example.com/preemption"
)

// Settings say how a result came about. Zero: the zero Evaluator, the newest release, no groups.
type Settings struct {
	Evaluator preemption.Evaluator
	Release   preemption.Release
	Groups    *preemption.Groups
	Most      int // potential victims of a node up to which all sets of them are tried
}

// CheckResult checks a decision for a single pod against definitions alone, with
// fresh dry runs: the preemptor fits without the victims, it may evict them, none
// could be spared (with monotone filters or VictimsBest), Accept agrees, violations are
// right where counted exactly and none where budgets are respected. If nothing helps,
// no node lets it fit without all that may go (with monotone filters and budgets not
// respected), unless Accept refuses a set there. If a result of VictimsBest is Exact, no
// set is better on nodes with at most s.Most potential victims. The view is the cluster
// decided on, budgets in its order. With Sampling or Statuses only the chosen node is
// looked at, with Extenders, who may take any, none. The error says all that is wrong.
func CheckResult(view preemption.View, budgets []*preemption.PodDisruptionBudget, preemptor *preemption.Pod, result *preemption.Result, s Settings) error {
	e, filters := &s.Evaluator, s.Evaluator.Filters
	if filters == nil {
		filters = preemption.DefaultFilters()
	}
	prepared, err := preemption.All(filters...).Prepare(preemptor, view)
	if err != nil || prepared == nil || len(e.Extenders) > 0 || result.Outcome == preemption.OutcomeIneligible || result.Outcome == preemption.OutcomeWaiting {
		return err
	}
	c := &check{s, view, budgets, preemptor, prepared, nil}
	declared, ok := prepared.(interface{ Monotone() bool })
	monotone, best, respected := ok && declared.Monotone(), e.Victims == preemption.VictimsBest, e.Budgets == preemption.BudgetsRespected
	refused := func(k *preemption.Candidate) bool {
		return e.Accept != nil && !e.Accept(preemptor, k.Node, k.Victims).Fits()
	}

	// Is the choice right by itself?
	chosen := &preemption.Candidate{Node: result.Node, Victims: result.Victims, Violations: result.Violations}
	if n := chosen.Node; n != nil {
		c.must(len(chosen.Victims) == 0 && e.Statuses != nil || c.ask(n, chosen.Victims).Fits(), "it does not fit on node %s without %v", n.Name, chosen.Victims)
		c.must(!monotone && !best || c.needsAll(chosen), "one of %v on node %s could be spared", chosen.Victims, n.Name)
		c.must(len(chosen.Victims) == 0 || !refused(chosen), "evicting %v from node %s is refused", chosen.Victims, n.Name)
		others := func(v *preemption.Victim) bool { return !slices.Contains(chosen.Pods(), v.Pods[0]) }
		may := &preemption.Candidate{Victims: slices.DeleteFunc(c.potential(n), others)}
		c.must(slices.Equal(may.Pods(), chosen.Pods()), "of %v on node %s may go, in this order, %v", chosen.Victims, n.Name, may.Victims)
		count := c.Release.CountViolations(chosen.Victims, budgets)
		c.must(count == chosen.Violations || !best && e.Budgets == preemption.BudgetsAsUpstream, "%d violations, want %d", chosen.Violations, count)
		c.must(count == 0 || !respected, "evicting %v violates budgets", chosen.Victims)
	}

	// Is there another one, or a better one?
	var rivals []*preemption.Candidate
	for _, n := range view.Nodes() {
		potential := c.potential(n)
		if e.Sampling != nil || e.Statuses != nil || len(potential) == 0 || c.ask(n, nil).Code != preemption.Unschedulable {
			continue
		}
		sets := c.sets(n, potential)
		doubt := e.Accept != nil && (sets == nil || slices.ContainsFunc(sets, refused))
		c.must(chosen.Node != nil || !monotone || doubt || respected || !c.ask(n, potential).Fits(), "unhelpful, but it fits on node %s without %v", n.Name, potential)
		switch k, _ := preemption.PickOneNode(sets, e.Orders...); {
		case n == chosen.Node && (k == nil || slices.Equal(k.Pods(), chosen.Pods())):
			rivals = append(rivals, chosen)
		case k != nil && !refused(k):
			rivals = append(rivals, k)
		}
	}
	if k, _ := preemption.PickOneNode(rivals, e.Orders...); k != nil && best && result.Exact {
		c.must(k == chosen, "evicting %v from node %s is better", k.Victims, k.Node.Name)
	}
	return errors.Join(c.wrong...)
}

type check struct {
	Settings
	view      preemption.View
	budgets   []*preemption.PodDisruptionBudget
	preemptor *preemption.Pod
	prepared  preemption.Prepared
	wrong     []error
}

func (c *check) must(ok bool, format string, args ...any) {
	if !ok {
		c.wrong = append(c.wrong, fmt.Errorf("preemptor %s: "+format, append([]any{c.preemptor}, args...)...))
	}
}

// ask asks a fresh dry run with the victims gone, beside nominated pods and alone.
func (c *check) ask(n *preemption.Node, gone []*preemption.Victim) (status preemption.Status) {
	run, err := c.prepared.Begin(n)
	for _, v := range gone {
		for i := 0; i < len(v.Pods) && err == nil; i++ {
			err = run.Remove(v.Pods[i], v.Nodes[i])
		}
	}
	if err == nil {
		status, err = preemption.FitsWithNominated(c.preemptor, n, run, c.view.NominatedTo(n.Name))
	}
	c.must(err == nil, "node %s: %v", n.Name, err)
	return status
}

// needsAll reports whether no victim could be put back.
func (c *check) needsAll(k *preemption.Candidate) bool {
	return !slices.ContainsFunc(k.Victims, func(v *preemption.Victim) bool {
		others := slices.DeleteFunc(slices.Clone(k.Victims), func(o *preemption.Victim) bool { return o == v })
		return c.ask(k.Node, others).Fits()
	})
}

// potential returns what may be evicted from a node, most important first.
func (c *check) potential(n *preemption.Node) []*preemption.Victim {
	victims := slices.DeleteFunc(c.Release.Victims(n, c.view, c.Groups), func(v *preemption.Victim) bool {
		spared := func(on *preemption.Node) bool { return !c.Evaluator.Eligible(c.preemptor, v, on) }
		return v.Priority >= c.preemptor.Priority || c.Evaluator.Eligible != nil && slices.ContainsFunc(v.Nodes, spared)
	})
	compare := c.Evaluator.Compare
	if compare == nil {
		compare = preemption.CompareImportance
	}
	slices.SortStableFunc(victims, func(a, b *preemption.Victim) int { return compare(b, a) })
	return victims
}

// sets are all that suffice and need all, where it matters, most important ones kept
// first. The node is one that the preemptor does not fit on as it is.
func (c *check) sets(n *preemption.Node, potential []*preemption.Victim) (list []*preemption.Candidate) {
	if len(potential) > c.Most || c.Evaluator.Victims != preemption.VictimsBest && c.Evaluator.Accept == nil {
		return nil
	}
	for set := range 1 << len(potential) {
		k := &preemption.Candidate{Node: n}
		for i, v := range potential {
			if set<<i>>(len(potential)-1)&1 == 1 {
				k.Victims = append(k.Victims, v)
			}
		}
		k.Violations = c.Release.CountViolations(k.Victims, c.budgets)
		if (k.Violations == 0 || c.Evaluator.Budgets != preemption.BudgetsRespected) && c.ask(n, k.Victims).Fits() && c.needsAll(k) {
			list = append(list, k)
		}
	}
	return list
}
