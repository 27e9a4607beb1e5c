package replay

import (
	"context"

	"example.com/preemption"
	"example.com/preemption/internal/golden"
)

// Gang returns the answer for a case whose preemptor is a group with a given
// placement.
func Gang(c *golden.Case, r preemption.Release) (golden.Answer, error) {
	state, err := State(c, r)
	if err != nil {
		return golden.Answer{}, err
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		return golden.Answer{}, err
	}
	gang := &preemption.Gang{Namespace: c.Preemptor.Namespace, Name: c.Preemptor.Name, Priority: c.Preemptor.Priority}
	nodes := make([]*preemption.Node, len(c.Gang))
	for i := range c.Gang {
		p, err := Pod(&c.Gang[i].Pod)
		if err != nil {
			return golden.Answer{}, err
		}
		gang.Members = append(gang.Members, p)
		nodes[i] = cluster.Node(c.Gang[i].Assigned)
	}
	placed := func(context.Context, preemption.View, *preemption.Gang) ([]*preemption.Node, error) {
		return nodes, nil
	}
	var e preemption.Evaluator
	result, err := e.PreemptGroup(context.Background(), cluster, gang, preemption.GivenPlacement{Placer: placed})
	if err != nil {
		return golden.Answer{}, err
	}
	a := golden.Answer{Outcome: result.Outcome.String(), Victims: keys(result.Victims), PDBViolations: int64(result.Violations)}
	if result.Outcome == preemption.OutcomeUnhelpful {
		a.Reason = result.Code.String() + ": " + result.Reason
	}
	return a, nil
}
