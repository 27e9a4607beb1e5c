package main

import (
	"fmt"
	"time"

	"example.com/preemption"
)

// epoch is when the first pod of the cluster started; the others followed a
// minute apart, node after node.
var epoch = time.Date(2026, time.January, 5, 8, 0, 0, 0, time.UTC)

// state is the cluster that the pending pod finds no room in.
func (q question) state() preemption.ClusterState {
	state := preemption.ClusterState{Release: q.release}
	run := func(app string, number int, node string, priority int32, cpu int64) {
		state.Pods = append(state.Pods, &preemption.Pod{
			Namespace: "default",
			Name:      fmt.Sprintf("%s-%d", app, number),
			UID:       fmt.Sprintf("uid-%02d", len(state.Pods)+1),
			Labels:    map[string]string{"app": app},
			Priority:  priority,
			Requests:  preemption.Resources{preemption.CPU: cpu},
			NodeName:  node,
			Start:     epoch.Add(time.Duration(len(state.Pods)) * time.Minute),
		})
	}
	for n := range 5 {
		node := &preemption.Node{
			Name:        fmt.Sprintf("node-%d", n+1),
			Allocatable: preemption.Resources{preemption.CPU: 4000, preemption.PodCount: 110},
		}
		state.Nodes = append(state.Nodes, node)
		for i := range 2 {
			run("web", 2*n+i+1, node.Name, 1000, 750)
		}
		for i := range 5 {
			run("batch", 5*n+i+1, node.Name, 100, 500)
		}
	}
	if q.budget {
		state.DisruptionBudgets = []*preemption.PodDisruptionBudget{{
			Namespace: "default",
			Name:      "batch",
			Selector:  &preemption.Selector{MatchLabels: map[string]string{"app": "batch"}},
			Allowed:   1,
		}}
	}
	return state
}

// pendingPod is the pod that asks for room.
func (q question) pendingPod() *preemption.Pod {
	pod := &preemption.Pod{
		Namespace: "default",
		Name:      "web-11",
		UID:       "uid-36",
		Labels:    map[string]string{"app": "web"},
		Priority:  q.priority,
		Requests:  preemption.Resources{preemption.CPU: q.cpu},
	}
	if q.never {
		pod.PreemptionPolicy = preemption.PreemptNever
	}
	return pod
}
