package judge

import (
	"context"
	"fmt"

	"k8s.io/kubernetes/pkg/scheduler/framework"

	"example.com/preemption/internal/golden"
)

// message returns the text that the FailedScheduling event has when the
// scheduler finds the given answer. The scheduler goes through it all again by
// its own way, from the failed Filter phase to the preemption of victims, with
// the choice among tied nodes pinned to that of the answer; where it comes out
// elsewhere, that is an error.
func (s *scheduler) message(ctx context.Context, f *filtered, answer golden.Answer) (string, error) {
	s.window.pinned = answer.Node
	result, status := s.framework.RunPostFilterPlugins(ctx, f.state, s.preemptor, byName{f.nodeToStatus})

	if status.IsSuccess() != (answer.Outcome == golden.Preempt) || !status.IsSuccess() && !status.IsRejected() {
		return "", fmt.Errorf("the outcome of the parts is %s, that of the whole is %v", answer.Outcome, status)
	}
	if status.IsSuccess() && result.NominatedNodeName != answer.Node {
		return "", fmt.Errorf("the whole nominates %s, not %s", result.NominatedNodeName, answer.Node)
	}
	failure := framework.FitError{
		Pod:         s.preemptor,
		NumAllNodes: len(s.nodes),
		Diagnosis: framework.Diagnosis{
			NodeToStatus:  f.nodeToStatus,
			PostFilterMsg: status.Message(),
		},
	}
	return failure.Error(), nil
}
