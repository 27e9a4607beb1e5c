package world

import "example.com/preemption"

// Evaluators are the default one and one with hooks or filters of its own.
func (w *World) Evaluators() []*preemption.Evaluator {
	eligible := func(_ *preemption.Pod, v *preemption.Victim, n *preemption.Node) bool {
		return v.Pods[0].Labels["app"] != "y" || n.Labels["zone"] == "a"
	}
	zoned := preemption.NodeFilter("Zoned", func(p *preemption.Pod, n *preemption.Node) preemption.Status {
		if p.Labels["app"] == "x" && n.Labels["zone"] == "b" {
			return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"wrong zone"}}
		}
		return preemption.Status{}
	})
	with := func(own ...preemption.Filter) []preemption.Filter { return append(preemption.DefaultFilters(), own...) }
	return []*preemption.Evaluator{{}, Pick(w,
		&preemption.Evaluator{Eligible: eligible},
		&preemption.Evaluator{Eligible: eligible, Filters: with(AntiAffinity{})},
		&preemption.Evaluator{Filters: with(zoned)},
		&preemption.Evaluator{Filters: append([]preemption.Filter{ownZone{zoned}, AntiAffinity{}}, with()...)},
		&preemption.Evaluator{Statuses: someStatuses},
		&preemption.Evaluator{Statuses: someStatuses, Eligible: eligible, Filters: with(preemption.FilterFunc(OddCompany))},
		&preemption.Evaluator{Filters: append(preemption.DefaultFilters(), AntiAffinity{})},
		&preemption.Evaluator{Filters: []preemption.Filter{AntiAffinity{}, preemption.All(preemption.DefaultFilters()...)}},
		&preemption.Evaluator{Filters: []preemption.Filter{preemption.NodeResources()}},
		&preemption.Evaluator{Filters: append(preemption.DefaultFilters(), preemption.FilterFunc(OddCompany))},
	)}
}

// someStatuses knows of some nodes, right or wrong.
func someStatuses(n *preemption.Node) (preemption.Status, bool) {
	last := n.Name[len(n.Name)-1]
	return preemption.Status{Code: preemption.Code(1 + last%2)}, last%3 > 0
}

// ownZone is a filter of which only a method says that it looks at nodes alone.
type ownZone struct{ preemption.Filter }

func (z ownZone) Prepare(p *preemption.Pod, v preemption.View) (preemption.Prepared, error) {
	return z.Filter.Prepare(p, v)
}

// Policies are an evaluator with some policy, in an order of some of the criteria,
// and beside it one with hooks or filters of its own.
func (w *World) Policies() []*preemption.Evaluator {
	list := w.Evaluators()
	for _, e := range list {
		e.Victims = Pick(w, preemption.VictimsBest, preemption.VictimsReprieve)
		if w.OneIn(4) {
			e.Accept = Pick(w, fewer, steady)
		}
		e.Budgets = Pick(w, preemption.BudgetsExact, preemption.BudgetsRespected, preemption.BudgetsAsUpstream)
		if w.OneIn(2) {
			continue
		}
		left := preemption.DefaultOrders()
		for range 1 + w.Choose(5) {
			i := w.Choose(len(left))
			e.Orders = append(e.Orders, left[i])
			left = append(left[:i], left[i+1:]...)
		}
	}
	return list
}

// fewer accepts no more than two pods.
func fewer(_ *preemption.Pod, _ *preemption.Node, victims []*preemption.Victim) preemption.Status {
	if len((&preemption.Candidate{Victims: victims}).Pods()) > 2 {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"too many"}}
	}
	return preemption.Status{}
}

// steady accepts no set whose least important victim is an app's x.
func steady(_ *preemption.Pod, _ *preemption.Node, victims []*preemption.Victim) preemption.Status {
	if victims[len(victims)-1].Pods[0].Labels["app"] == "x" {
		return preemption.Status{Code: preemption.Unresolvable, Reasons: []string{"x stays"}}
	}
	return preemption.Status{}
}
