package main

import (
	"slices"

	"example.com/preemption"
	"example.com/preemption/internal/trace"
)

// gpuNodes is how many nodes of the trace have GPUs.
const gpuNodes = 1213

// qosLabel is the label of a pod that names its class.
const qosLabel = "qos"

// A world is the cluster with what the report says of it.
type world struct {
	cluster    *preemption.Cluster
	pods       int
	gpus, used int64 // in thousandths
}

// newWorld places the pods of the trace that ask for GPUs on so many of its GPU
// nodes by best fit.
func newWorld(count int) (*world, error) {
	nodes, err := loadNodes()
	if err != nil {
		return nil, err
	}
	pods, err := loadPods()
	if err != nil {
		return nil, err
	}
	nodes = trace.Sample(nodes, count)

	w := &world{}
	var state preemption.ClusterState
	for i := range nodes {
		state.Nodes = append(state.Nodes, nodes[i].Object())
		w.gpus += nodes[i].GPU
	}
	for i, at := range trace.BestFit(nodes, pods) {
		if at < 0 {
			continue
		}
		p := &pods[i]
		state.Pods = append(state.Pods, &preemption.Pod{
			Namespace: "trace", Name: p.Name, UID: p.Name, Labels: map[string]string{qosLabel: p.QoS},
			Priority: trace.Priority[p.QoS], Requests: p.Requests(), NodeName: nodes[at].Name, Start: p.Created,
		})
		w.used += p.GPU
	}
	w.pods = len(state.Pods)
	w.cluster, err = preemption.NewCluster(state)
	return w, err
}

// loadNodes reads the nodes with GPUs.
func loadNodes() ([]trace.Node, error) {
	nodes, err := trace.Nodes()
	return slices.DeleteFunc(nodes, func(n trace.Node) bool { return n.GPU == 0 }), err
}

// loadPods reads the pods that ask for GPUs.
func loadPods() ([]trace.Pod, error) {
	pods, err := trace.Pods()
	return slices.DeleteFunc(pods, func(p trace.Pod) bool { return p.GPU == 0 }), err
}
