package explain

import (
	"context"
	"strings"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/situation"
)

// WhatIf explains the decision with things changed, and says what it would be
// without. The situation is left changed.
func WhatIf(ctx context.Context, s *situation.Situation, pod *preemption.Pod, changes []situation.Change) (*Report, error) {
	without, err := s.Evaluator.Preempt(ctx, s.Cluster, pod)
	if err != nil {
		return nil, err
	}
	changed, err := Change(s, pod, changes)
	if err != nil {
		return nil, err
	}
	r, err := decideOn(ctx, s, changed)
	if err != nil {
		return nil, err
	}
	r.WhatIf = &explanation.WhatIf{Change: join(changes), Without: decision(without)}
	for _, c := range changes {
		r.WhatIf.Changes = append(r.WhatIf.Changes, c.String())
	}
	return r, addAftermath(ctx, s, r)
}

// Change makes the changes one after another and returns the pod as it is then.
func Change(s *situation.Situation, pod *preemption.Pod, changes []situation.Change) (*preemption.Pod, error) {
	var err error
	for _, c := range changes {
		if pod, err = s.Apply(c, pod); err != nil {
			return nil, err
		}
	}
	return pod, nil
}

func join(changes []situation.Change) string {
	var list []string
	for _, c := range changes {
		list = append(list, c.String())
	}
	return strings.Join(list, ", ")
}
