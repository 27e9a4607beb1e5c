package main

import (
	"fmt"
	"time"

	"example.com/preemption"
	"example.com/preemption/internal/trace"
	"example.com/preemption/simulate"
)

// policies are what is compared.
var policies = []simulate.Policy{
	{Name: "no-preemption", Evaluator: preemption.Evaluator{
		Eligible: func(*preemption.Pod, *preemption.Victim, *preemption.Node) bool { return false },
	}},
	{Name: "kube-scheduler"},
	{Name: "best-victims", Evaluator: preemption.Evaluator{Victims: preemption.VictimsBest}},
	{Name: "fewest-pods", Evaluator: preemption.Evaluator{
		Victims: preemption.VictimsBest,
		Orders: []preemption.Order{
			preemption.FewestPods, preemption.LowestHighestPriority, preemption.LowestPrioritySum,
			preemption.FewestViolations, preemption.LatestStart,
		},
	}},
}

// dayLength is when the last pod arrives. Long pods run on after it.
const dayLength = 24 * time.Hour

// day is an empty cluster and what arrives on it.
func day(nodeCount, podCount int) (simulate.World, error) {
	w := simulate.World{Now: trace.Epoch, Horizon: 2 * dayLength}
	nodes, err := trace.Nodes()
	if err != nil {
		return w, err
	}
	pods, err := trace.Pods()
	if err != nil {
		return w, err
	}
	if nodeCount < 1 || nodeCount > len(nodes) {
		return w, fmt.Errorf("-nodes %d: the trace has 1 to %d", nodeCount, len(nodes))
	}
	if podCount < 1 || podCount > len(pods) {
		return w, fmt.Errorf("-pods %d: the trace has 1 to %d", podCount, len(pods))
	}

	var state preemption.ClusterState
	for _, n := range trace.Sample(nodes, nodeCount) {
		state.Nodes = append(state.Nodes, n.Object())
	}
	if w.Cluster, err = preemption.NewCluster(state); err != nil {
		return w, err
	}
	for i := range podCount {
		p := pod(&pods[i*len(pods)/podCount])
		at := dayLength * time.Duration(i) / time.Duration(podCount)
		w.Arrivals = append(w.Arrivals, simulate.Arrival{At: at, Pod: p})
		life := pods[i*len(pods)/podCount].Life
		w.Departures = append(w.Departures, simulate.Departure{At: at + max(life, time.Minute), Namespace: p.Namespace, Name: p.Name})
	}
	return w, nil
}

// pod is a pod of the trace as its owner creates it.
func pod(p *trace.Pod) *preemption.Pod {
	x := &preemption.Pod{
		Namespace: "trace", Name: p.Name, UID: p.Name, Priority: trace.Priority[p.QoS], Requests: p.Requests(),
		GracePeriod: 30 * time.Second, Owner: preemption.Owner{Kind: "Job", Name: p.Name},
	}
	if len(p.Models) == 1 {
		x.NodeSelector = map[string]string{trace.ModelLabel: p.Models[0]}
	}
	return x
}
