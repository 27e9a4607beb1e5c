package main

import (
	"cmp"

	"example.com/preemption"
)

// gpu is the resource that counts GPUs, in thousandths of one.
const gpu = "gpu-milli"

// podsPerNode is what a kubelet takes by default; the trace does not say.
const podsPerNode = 110

// gpuNodes is how many nodes of the trace have GPUs.
const gpuNodes = 1213

// qosClasses are the classes of the trace, most important first.
var qosClasses = []string{"LS", "Guaranteed", "Burstable", "BE"}

// qosPriority gives a class its priority, by the ranges of Koordinator: prod,
// prod, mid and batch.
var qosPriority = map[string]int32{"LS": 9500, "Guaranteed": 9500, "Burstable": 7500, "BE": 5500}

// qosLabel is the label of a pod that names its class.
const qosLabel = "qos"

// A world is the cluster with what the report says of it.
type world struct {
	cluster    *preemption.Cluster
	pods       int
	gpus, used int64 // in thousandths
}

// newWorld places the pods of the trace that ask for GPUs on so many of its GPU
// nodes by best fit: in the order of the list, each where it leaves the fewest
// GPUs, then the least CPU.
func newWorld(count int) (*world, error) {
	nodes, err := loadNodes()
	if err != nil {
		return nil, err
	}
	pods, err := loadPods()
	if err != nil {
		return nil, err
	}
	nodes = sample(nodes, count)
	w := &world{}
	left := make([]preemption.Resources, len(nodes))
	for i, n := range nodes {
		left[i] = preemption.Resources{}
		for name, amount := range n.Allocatable {
			left[i][name] = amount
		}
		w.gpus += n.Allocatable[gpu]
	}
	state := preemption.ClusterState{Nodes: nodes}
	for _, p := range pods {
		best := -1
		for i := range nodes {
			if takes(left[i], p) && (best < 0 || less(left[i], left[best])) {
				best = i
			}
		}
		if best < 0 {
			continue
		}
		left[best][preemption.PodCount]--
		for name, amount := range p.Requests {
			left[best][name] -= amount
		}
		p.NodeName = nodes[best].Name
		state.Pods = append(state.Pods, p)
		w.used += p.Requests[gpu]
	}
	w.pods = len(state.Pods)
	w.cluster, err = preemption.NewCluster(state)
	return w, err
}

// sample takes n nodes evenly from the list, which is sorted by kind, so that
// the mix stays.
func sample(nodes []*preemption.Node, n int) []*preemption.Node {
	taken := make([]*preemption.Node, n)
	for i := range taken {
		taken[i] = nodes[i*len(nodes)/n]
	}
	return taken
}

func takes(left preemption.Resources, p *preemption.Pod) bool {
	for name, amount := range p.Requests {
		if left[name] < amount {
			return false
		}
	}
	return left[preemption.PodCount] > 0
}

func less(a, b preemption.Resources) bool {
	return cmp.Or(cmp.Compare(a[gpu], b[gpu]), cmp.Compare(a[preemption.CPU], b[preemption.CPU])) < 0
}
