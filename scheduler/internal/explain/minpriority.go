package explain

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/situation"
)

// MinPriority finds the lowest priority at which the pod would get a node.
//
// Between two priorities of others that follow each other the decision is the
// same, so one priority of each such range is tried, from the lowest up. That
// needs no assumption about filters.
func MinPriority(ctx context.Context, s *situation.Situation, pod *preemption.Pod, progress func(string)) (*explanation.MinPriority, error) {
	steps := thresholds(s)
	for i, priority := range steps {
		progress(fmt.Sprintf("trying priority %d (%d of %d)", priority, i+1, len(steps)))
		changed := *pod
		changed.Priority = priority
		r, err := s.Evaluator.Preempt(ctx, s.Cluster, &changed)
		if err != nil {
			return nil, err
		}
		if r.Outcome == preemption.OutcomeFits || r.Outcome == preemption.OutcomePreempt {
			d := decision(r)
			return &explanation.MinPriority{Found: true, Priority: priority, Decision: &d}, nil
		}
	}
	m := &explanation.MinPriority{}
	if pod.PreemptionPolicy == preemption.PreemptNever {
		m.Reason = "its preemptionPolicy is Never: however high its priority, nobody goes for it (--what-if preemptionPolicy=PreemptLowerPriority)"
	}
	return m, nil
}

// thresholds are the priorities at which a decision can become another one: the
// lowest of all, and just above those of potential victims and nominated pods.
func thresholds(s *situation.Situation) []int32 {
	set := map[int32]bool{math.MinInt32: true}
	above := func(priority int32) {
		if priority < math.MaxInt32 {
			set[priority+1] = true
		}
	}
	groups := preemption.NewGroups(s.State.PodGroups, s.State.CompositePodGroups)
	for _, n := range s.Cluster.Nodes() {
		for _, v := range s.State.Release.Victims(n, s.Cluster, groups) {
			above(v.Priority)
			// A pod that is terminating is judged by itself.
			for i, p := range v.Pods {
				above(s.State.Release.PodVictim(p, v.Nodes[i], groups).Priority)
			}
		}
		for _, p := range s.Cluster.NominatedTo(n.Name) {
			above(p.Priority)
		}
	}
	return slices.Sorted(maps.Keys(set))
}
