package world

import (
	"fmt"
	"math"
	"math/rand/v2"

	"example.com/preemption"
)

// Hard has nodes full of pods that differ in three dimensions and weigh as much
// as they free, or twice that, so that searches for the best victims reach their bound
// on some nodes, and with a better node known not on all of these. Pods that are unlike
// request two of the three each.
func Hard(r *rand.Rand, unlike bool) (preemption.ClusterState, *preemption.Pod) {
	var state preemption.ClusterState
	sizes := []string{preemption.CPU, preemption.Memory, "gpu"}
	for n := range 2 + r.IntN(3) {
		node := &preemption.Node{Name: fmt.Sprint("n", n), Allocatable: preemption.Resources{preemption.PodCount: 110}}
		weight := 1 + r.Int32N(2)
		for p := range 14 + r.IntN(20) {
			pod := &preemption.Pod{Namespace: "ns", Name: fmt.Sprint("p", n, "-", p), NodeName: node.Name, UID: fmt.Sprint(n, "-", p), Requests: preemption.Resources{}, Priority: math.MinInt32}
			without := len(sizes) // all are requested
			if unlike {
				without = r.IntN(len(sizes))
			}
			for i, d := range sizes {
				if i == without {
					continue
				}
				pod.Requests[d] = 1 + int64(r.IntN(1000))
				node.Allocatable[d] += pod.Requests[d]
				pod.Priority += weight * int32(pod.Requests[d])
			}
			if r.IntN(8) == 0 {
				pod.Priority = 3000
			}
			state.Pods = append(state.Pods, pod)
		}
		state.Nodes = append(state.Nodes, node)
	}
	share := int64(2 + r.IntN(3))
	wants := preemption.Resources{}
	for _, d := range sizes {
		wants[d] = state.Nodes[0].Allocatable[d] / share
	}
	return state, &preemption.Pod{Namespace: "ns", Name: "preemptor", UID: "preemptor", Priority: 2000, Requests: wants}
}
