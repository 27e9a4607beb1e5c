package preemptiontest_test

import (
	"fmt"

	"example.com/preemption"
	"example.com/preemption/preemptiontest"
)

// A filter that keeps pods of one team apart. Its dry run forgets to look at
// the node a pod runs on, so members of a group elsewhere count as if here.
type oneTeamANode struct{}

func (oneTeamANode) Name() string { return "OneTeamANode" }

func (oneTeamANode) Prepare(preemptor *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	return preparedTeam{preemptor.Labels["team"], view}, nil
}

type preparedTeam struct {
	team string
	view preemption.View
}

func (t preparedTeam) Begin(node *preemption.Node) (preemption.DryRun, error) {
	r := &teamRun{team: t.team}
	for _, p := range t.view.PodsOn(node) {
		if err := r.Add(p, node); err != nil {
			return nil, err
		}
	}
	return r, nil
}

type teamRun struct {
	team   string
	others int
}

func (r *teamRun) Add(p *preemption.Pod, _ *preemption.Node) error {
	if p.Labels["team"] != r.team {
		r.others++
	}
	return nil
}

func (r *teamRun) Remove(p *preemption.Pod, _ *preemption.Node) error {
	if p.Labels["team"] != r.team {
		r.others--
	}
	return nil
}

func (r *teamRun) Fits() (preemption.Status, error) {
	if r.others > 0 {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"node(s) had pods of another team"}}, nil
	}
	return preemption.Status{}, nil
}

func ExampleTestFilter() {
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{{Name: "n1"}, {Name: "n2"}},
		Pods: []*preemption.Pod{
			{Namespace: "shop", Name: "mail", NodeName: "n1", Labels: map[string]string{"team": "ops"}},
			{Namespace: "shop", Name: "stock", NodeName: "n2", Labels: map[string]string{"team": "data"}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	preemptor := &preemption.Pod{Namespace: "shop", Name: "pay", Labels: map[string]string{"team": "web"}}
	fmt.Println(preemptiontest.TestFilter(oneTeamANode{}, cluster, preemptor))

	// Output:
	// OneTeamANode: a dry run must answer as a fresh one with the same pods: preemptor shop/pay, node n1: after remove shop/stock on n2: Success, want Unschedulable: node(s) had pods of another team
	// OneTeamANode: a dry run must answer as a fresh one with the same pods: preemptor shop/pay, node n2: after remove shop/mail on n1: Success, want Unschedulable: node(s) had pods of another team
}
