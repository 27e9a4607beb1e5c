package main

import "example.com/preemption"

// selectByHand finds out what it takes to clear one node, without an Evaluator:
// for those who build something else from the steps.
func selectByHand(cluster *preemption.Cluster, node *preemption.Node, pending *preemption.Pod) (preemption.Selection, error) {
	filter := preemption.All(filters()...)
	prepared, err := filter.Prepare(pending, cluster)
	if err != nil {
		return preemption.Selection{}, err
	}
	// Prepare returns nil if no filter is concerned; NodeResources always is.
	run, err := prepared.Begin(node)
	if err != nil {
		return preemption.Selection{}, err
	}
	groups := preemption.NewGroups([]*preemption.PodGroup{testGroup(true)}, nil)
	return preemption.SelectVictimsOnNode(preemption.NodeCase{
		Preemptor: pending,
		Node:      node,
		DryRun:    run,
		Nominated: cluster.NominatedTo(node.Name),
		Victims:   preemption.Victims(node, cluster, groups),
	})
}
