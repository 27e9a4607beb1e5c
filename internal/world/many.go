package world

import (
	"fmt"
	"time"

	"example.com/preemption"
)

// ManyNodes makes a cluster of up to eight blocks whose nodes are nearly full, so
// that few preemptors fit as it is. One cluster in five has more priorities than
// the engine has levels.
func (w *World) ManyNodes(r preemption.Release) preemption.ClusterState {
	s := preemption.ClusterState{Release: r}
	uneven := w.OneIn(2) // starts all over the place, or few of them
	priorities := Pick(w, []int32{0}, []int32{0, 1}, []int32{0, 1, 10, 100}, []int32{-5, 0, 3, 1000}, manyPriorities())
	covered, grouped := w.Choose(3) == 0, w.Choose(3) == 0
	for i := range 65 + w.Choose(450) {
		n := w.Node(fmt.Sprint("n", i))
		n.Allocatable = preemption.Resources{preemption.CPU: 4000, preemption.Memory: 8, preemption.PodCount: 110}
		s.Nodes = append(s.Nodes, n)
		w.Nodes = append(w.Nodes, n.Name)
		for used := int64(0); used < 3500; {
			p := w.Pod(fmt.Sprint("p", i, "-", used))
			p.Priority, p.NodeName, p.HostPorts = Pick(w, priorities...), n.Name, nil
			p.Requests = preemption.Resources{preemption.CPU: min(int64(1+w.Choose(4))*500, 4000-used), preemption.Memory: int64(w.Choose(2))}
			if uneven {
				p.Start = time.Unix(int64(w.Choose(100_000)), 0)
			}
			if !grouped {
				p.Group = ""
			}
			used += p.Requests[preemption.CPU]
			s.Pods = append(s.Pods, w.enter(p))
		}
	}
	if grouped {
		for _, ns := range []string{"a", "b"} {
			for i := range w.Choose(4) {
				s.PodGroups = append(s.PodGroups, w.PodGroup(ns, fmt.Sprint("g", i)))
			}
		}
	}
	if covered {
		for i := range 1 + w.Choose(4) {
			b := w.Budget(fmt.Sprint("b", i))
			b.Allowed = Pick[int32](w, 0, 1, 2, 100)
			s.DisruptionBudgets = append(s.DisruptionBudgets, b)
		}
	}
	return s
}

func manyPriorities() []int32 {
	many := make([]int32, 120)
	for i := range many {
		many[i] = int32(i)
	}
	return many
}
