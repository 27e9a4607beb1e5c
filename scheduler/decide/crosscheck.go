package decide

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"example.com/preemption"
)

// crossCheck runs kube-scheduler's whole search, over every node, and compares
// its choice with the library's by the five criteria; and with the choice that
// its sample would have led to.
func (d *Decider) crossCheck(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader, budgets budgetLister, decision *Decision) {
	logger := klog.FromContext(ctx)
	nodes, err := statuses.NodesForStatusCode(d.handle.SnapshotSharedLister().NodeInfos(), fwk.Unschedulable)
	if err != nil || len(nodes) == 0 {
		logger.Error(err, "The decision cannot be cross-checked", "pod", klog.KObj(pod), "nodes", len(nodes))
		return
	}
	all, _, err := d.evaluator.DryRunPreemption(ctx, cycle, decision.Pod, nodes, budgets.budgets, 0, int32(len(nodes)))
	if err != nil && len(all) == 0 {
		logger.Error(err, "The decision cannot be cross-checked", "pod", klog.KObj(pod))
		return
	}
	decision.CrossChecked = true
	chosen := candidateOf(&extenderv1.Victims{Pods: decision.Victims, NumPDBViolations: int64(decision.Violations)})
	best := d.evaluator.SelectCandidate(ctx, all)
	if best != nil && compareCandidates(candidateOf(best.Victims()), chosen) < 0 {
		decision.Agreement = Worse
		logger.Info("kube-scheduler knows a better node", "pod", klog.KObj(pod), "node", decision.Node, "better", best.Name(),
			"victims", len(decision.Victims), "violations", decision.Violations, "betterVictims", len(best.Victims().Pods), "betterViolations", best.Victims().NumPDBViolations)
	}
	offset, count := d.evaluator.GetOffsetAndNumCandidates(int32(len(nodes)))
	if sampled := d.evaluator.SelectCandidate(ctx, sample(nodes, all, int(offset), int(count))); sampled != nil {
		decision.BetterThanSample = compareCandidates(chosen, candidateOf(sampled.Victims())) < 0
	}
}

// sample returns those of the candidates that kube-scheduler would have seen, had
// it looked at the nodes one after another from the offset on until it had enough.
func sample(nodes []fwk.NodeInfo, all []upstream.Candidate, offset, count int) []upstream.Candidate {
	byNode := make(map[string]upstream.Candidate, len(all))
	for _, c := range all {
		byNode[c.Name()] = c
	}
	var clean, violating []upstream.Candidate
	for i := range nodes {
		c := byNode[nodes[(offset+i)%len(nodes)].Node().Name]
		switch {
		case c == nil:
			continue
		case c.Victims().NumPDBViolations == 0:
			clean = append(clean, c)
		default:
			violating = append(violating, c)
		}
		if len(clean) > 0 && len(clean)+len(violating) >= count {
			break
		}
	}
	return append(clean, violating...)
}

// candidateOf is a candidate as far as the criteria look at it.
func candidateOf(v *extenderv1.Victims) *preemption.Candidate {
	c := &preemption.Candidate{Node: &preemption.Node{}, Violations: int(v.NumPDBViolations)}
	for _, object := range v.Pods {
		p := &preemption.Pod{Namespace: object.Namespace, Name: object.Name}
		if object.Spec.Priority != nil {
			p.Priority = *object.Spec.Priority
		}
		if object.Status.StartTime != nil {
			p.Start = object.Status.StartTime.Time
		}
		c.Victims = append(c.Victims, preemption.NewPodVictim(p, c.Node))
	}
	return c
}

// compareCandidates is negative if a is the better one by kube-scheduler's
// criteria, zero if they are equally good.
func compareCandidates(a, b *preemption.Candidate) int {
	orders := preemption.DefaultOrders()
	if i := slices.IndexFunc(orders, func(o preemption.Order) bool { return o.Compare(a, b) != 0 }); i >= 0 {
		return orders[i].Compare(a, b)
	}
	return 0
}
