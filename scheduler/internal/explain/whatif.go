package explain

import (
	"context"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/situation"
)

// WhatIf explains the decision with one thing changed, and says what it would be
// without. The situation is left changed.
func WhatIf(ctx context.Context, s *situation.Situation, pod *preemption.Pod, c situation.Change) (*Report, error) {
	without, err := s.Evaluator.Preempt(ctx, s.Cluster, pod)
	if err != nil {
		return nil, err
	}
	changed, err := s.Apply(c, pod)
	if err != nil {
		return nil, err
	}
	r, err := Pod(ctx, s, changed)
	if err != nil {
		return nil, err
	}
	r.WhatIf = &explanation.WhatIf{Change: c.String(), Without: decision(without)}
	return r, nil
}
