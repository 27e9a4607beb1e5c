package judge

import (
	"cmp"
	"context"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"example.com/preemption/internal/golden"
)

// ties is how often the scheduler is asked to choose between two nodes before
// they count as not tied. It breaks a tie by the order of a map of two, which
// favours the node inserted first by at least even odds, so that a tie goes
// unnoticed with a probability below 2^-100.
const ties = 100

// best returns the nodes, by name, that the criteria of the choice leave tied:
// one that the scheduler picks, and each that it sometimes picks instead.
func best(ctx context.Context, evaluator *preemption.Evaluator, candidates []fwk.PreemptionCandidate) []string {
	pick := evaluator.SelectCandidate(ctx, candidates)
	tied := []string{pick.Name()}
	for _, c := range candidates {
		if c.Name() == pick.Name() {
			continue
		}
		for range ties {
			if evaluator.SelectCandidate(ctx, []fwk.PreemptionCandidate{c, pick}).Name() == c.Name() {
				tied = append(tied, c.Name())
				break
			}
		}
	}
	slices.Sort(tied)
	return tied
}

func byNode(a, b golden.Candidate) int { return cmp.Compare(a.Node, b.Node) }
