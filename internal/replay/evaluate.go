package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/preemption"
	"example.com/preemption/internal/golden"
	"example.com/preemption/preemptiontest"
)

// Evaluate returns the answer of the evaluator: of Examine, once it is sure that
// Preempt decides the same.
func Evaluate(c *golden.Case, r preemption.Release) (golden.Answer, error) {
	if len(c.Gang) > 0 {
		return Gang(c, r)
	}
	state, err := State(c, r)
	if err != nil {
		return golden.Answer{}, err
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		return golden.Answer{}, err
	}
	preemptor, err := Pod(&c.Preemptor)
	if err != nil {
		return golden.Answer{}, err
	}
	e, err := evaluator(c)
	if err != nil {
		return golden.Answer{}, err
	}
	x, err := e.Examine(context.Background(), cluster, preemptor)
	if err != nil {
		return golden.Answer{}, err
	}
	fast, err := e.Preempt(context.Background(), cluster, preemptor)
	if err != nil {
		return golden.Answer{}, fmt.Errorf("by Preempt: %w, while Examine decides", err)
	}
	if a, b := Summary(fast), Summary(&x.Result); a != b {
		return golden.Answer{}, fmt.Errorf("decided by Preempt: %s, by Examine: %s", a, b)
	}
	if err := preemptiontest.CheckResult(cluster, state.DisruptionBudgets, preemptor, fast, preemptiontest.Settings{
		Evaluator: e, Release: r, Groups: preemption.NewGroups(state.PodGroups, state.CompositePodGroups), Most: 8,
	}); err != nil {
		return golden.Answer{}, fmt.Errorf("against definitions: %w", err)
	}
	return answer(c, x), nil
}

// Summary is what Preempt and Examine must agree on.
func Summary(r *preemption.Result) string {
	node := ""
	if r.Node != nil {
		node = r.Node.Name
	}
	return fmt.Sprint(r.Outcome, r.Reason, node, r.Victims, r.Violations, r.Delete, r.Terminating, r.Waiting, r.ClearNominations, r.Nomination)
}

func answer(c *golden.Case, x *preemption.Examination) golden.Answer {
	a := golden.Answer{
		Outcome:        outcome(x),
		Reason:         x.Reason,
		PDBViolations:  int64(x.Violations),
		PotentialNodes: x.Potential,
		Statuses:       map[string]string{},
		// The judge of 1.36 runs preemption alone, without the plugin for claims.
		Message: strings.Replace(x.Message(), preemption.NoClaims, "", 1),
	}
	if x.Outcome == preemption.OutcomePreempt {
		a.Node, a.Victims = x.Node.Name, keys(x.Victims)
	}
	for _, n := range x.FitNodes {
		a.FitNodes = append(a.FitNodes, n.Name)
	}
	for _, r := range x.Nodes {
		if r.Candidate != nil {
			a.Statuses[r.Node.Name] = r.Filter.String()
		} else if !r.Status.Fits() {
			a.Statuses[r.Node.Name] = r.Status.String()
		}
	}
	a.Candidates = candidates(c, x.Candidates)
	return a
}

// outcome is the recorded word: kube-scheduler has one for every pod that may not
// preempt now.
func outcome(x *preemption.Examination) string {
	if x.Outcome == preemption.OutcomeWaiting {
		return golden.Ineligible
	}
	return x.Outcome.String()
}

// candidates lists them as recorded: by name, unless the search was sampled.
func candidates(c *golden.Case, found []*preemption.Candidate) []golden.Candidate {
	var list []golden.Candidate
	for _, x := range found {
		list = append(list, golden.Candidate{Node: x.Node.Name, Victims: keys(x.Victims), PDBViolations: int64(x.Violations)})
	}
	if c.Sampling == nil {
		slices.SortFunc(list, func(a, b golden.Candidate) int {
			if a.Node < b.Node {
				return -1
			}
			return 1
		})
	}
	return list
}

func keys(victims []*preemption.Victim) []string {
	var list []string
	for _, v := range victims {
		for _, p := range v.Pods {
			list = append(list, p.String())
		}
	}
	return list
}
