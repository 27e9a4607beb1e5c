package scenario

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/preemption"
	"example.com/preemption/preemptiontest"
)

// Every decision is made in several ways that must agree. The checks return
// what disagrees, nothing as a rule.

// checkDecision asks again: by Preempt, with many workers, of a cluster built
// afresh, and with the pods shuffled. It also sees to it that the cluster is as it
// was.
func (w *world) checkDecision(c *preemption.Cluster, preemptor *preemption.Pod, want, before string) []string {
	var found []string
	check := func(way, got string) {
		if got != want {
			found = append(found, fmt.Sprintf("%s: %s; want %s", way, got, want))
		}
	}
	preempt := func(way string, c *preemption.Cluster, workers int) {
		if got := w.ask(c, workers, preemptor); got != want && !w.unmet(c, preemptor, got) {
			check(way, got)
		}
	}
	for _, workers := range []int{1, 8} {
		preempt(fmt.Sprintf("Preempt, parallelism %d", workers), c, workers)
	}
	x, err := w.settings.build(c, nil, 8).Examine(context.Background(), c, preemptor)
	check("Examine, parallelism 8", summary(x, err))
	if fresh, err := preemption.NewCluster(w.model.state(c.Release())); err != nil {
		check("a fresh cluster", err.Error())
	} else {
		preempt("a fresh cluster", fresh, 1)
	}
	if shuffled := w.shuffled(c); shuffled != nil {
		preempt("shuffled pods", shuffled, 1)
	}
	if err == nil && len(w.settings.filters) == 0 { // scripted ones break the laws of filters on purpose
		err = preemptiontest.CheckResult(c, w.model.budgets, preemptor, &x.Result, preemptiontest.Settings{
			Evaluator: *w.settings.build(c, nil, 1), Release: c.Release(), Groups: w.model.index(), Most: 8,
		})
		if err != nil {
			found = append(found, "the definitions: "+err.Error())
		}
	}
	if after := w.describe(c); after != before {
		found = append(found, "the cluster has changed: "+after)
	}
	return found
}

func (w *world) ask(c *preemption.Cluster, workers int, preemptor *preemption.Pod) string {
	for _, f := range w.settings.filters {
		f.failed.Store(false)
	}
	r, err := w.settings.build(c, nil, workers).Preempt(context.Background(), c, preemptor)
	if err != nil {
		return "error: " + err.Error()
	}
	return resultSummary(r)
}

// unmet reports whether Preempt, asked last, met none of the failures that Examine meets,
// and decided as Examine does where nothing fails.
func (w *world) unmet(c *preemption.Cluster, preemptor *preemption.Pod, got string) bool {
	if slices.ContainsFunc(w.settings.filters, func(f filterScript) bool { return f.failed.Load() }) {
		return false
	}
	calm := w.settings
	calm.filters = slices.DeleteFunc(slices.Clone(calm.filters), func(f filterScript) bool { return f.kind == "fail" })
	x, err := calm.build(c, nil, 1).Examine(context.Background(), c, preemptor)
	return len(calm.filters) < len(w.settings.filters) && got == summary(x, err)
}

// shuffled returns a cluster with the bound pods in another order, nil if their
// order may matter: equals keep it, and a filter that fails does so at the first
// pod that makes it.
func (w *world) shuffled(c *preemption.Cluster) *preemption.Cluster {
	compare := w.settings.compare
	if compare == nil {
		compare = preemption.CompareImportance
	}
	victims := w.victims(c, "")
	slices.SortStableFunc(victims, func(a, b *preemption.Victim) int { return compare(b, a) })
	for i := 1; i < len(victims); i++ {
		if compare(victims[i-1], victims[i]) == 0 {
			return nil
		}
	}
	if slices.ContainsFunc(w.settings.filters, func(f filterScript) bool { return f.kind == "fail" }) {
		return nil
	}
	var bound, pending []*preemption.Pod
	for _, p := range w.model.pods {
		if p.NodeName != "" {
			bound = append(bound, p)
		} else {
			pending = append(pending, p)
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(bound), func(i, j int) { bound[i], bound[j] = bound[j], bound[i] })
	state := w.model.state(c.Release())
	state.Pods = append(bound, pending...)
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		return nil
	}
	return cluster
}

// checkSelection compares a selection with the evaluator's, and the dry run that
// it leaves with a fresh one: with the victims put back they must agree.
func (w *world) checkSelection(c *preemption.Cluster, node *preemption.Node, preemptor *preemption.Pod, s preemption.Selection, run preemption.DryRun) []string {
	var found []string
	x, err := w.settings.build(c, nil, 1).Examine(context.Background(), c, preemptor)
	if err == nil {
		for i := range x.Nodes {
			r := &x.Nodes[i]
			if r.Node == node && r.Examined && r.Candidate != nil && len(r.Candidate.Victims) > 0 {
				want := fmt.Sprintf("%s violations=%d", victimNames(s.Victims, node), s.Violations)
				if got := fmt.Sprintf("%s violations=%d", victimNames(r.Candidate.Victims, node), r.Candidate.Violations); got != want {
					found = append(found, fmt.Sprintf("Examine: %s; want %s", got, want))
				}
			} else if r.Node == node && r.Examined && r.Candidate == nil && r.Err == nil && !s.Status.Fits() && r.Status.String() != s.Status.String() {
				found = append(found, fmt.Sprintf("Examine: %s; want %s", r.Status, s.Status))
			}
		}
	}
	if !s.Status.Fits() || run == nil {
		return found
	}
	for _, v := range s.Victims {
		for i, p := range v.Pods {
			if err := run.Add(p, v.Nodes[i]); err != nil {
				return append(found, fmt.Sprintf("putting the victims back: %v", err))
			}
		}
	}
	filters := w.settings.buildFilters(nil)
	if filters == nil {
		filters = preemption.DefaultFilters()
	}
	prepared, err := preemption.All(filters...).Prepare(preemptor, c)
	if err != nil || prepared == nil {
		return found
	}
	fresh, err := prepared.Begin(node)
	if err != nil {
		return append(found, fmt.Sprintf("a fresh dry run: %v", err))
	}
	got, gotErr := run.Fits()
	want, wantErr := fresh.Fits()
	if got.String() != want.String() || (gotErr == nil) != (wantErr == nil) {
		found = append(found, fmt.Sprintf("the dry run with the victims back: %v %v; want %v %v", got, gotErr, want, wantErr))
	}
	return found
}

// checkFresh compares the updated clusters with ones built afresh.
func (w *world) checkFresh() string {
	fresh, err := w.model.build()
	if err != nil {
		return fmt.Sprintf(Disagreement+" a fresh cluster: %v", err)
	}
	for _, r := range releases {
		if got, want := w.describe(w.clusters[r]), w.describe(fresh[r]); got != want {
			return fmt.Sprintf(Disagreement+" a fresh cluster of %v:\n%s\ninstead of\n%s", r, want, got)
		}
	}
	return ""
}
