package world

import (
	"fmt"
	"math"
	"slices"

	"example.com/preemption"
)

// Gang makes a gang of up to four members that are alike or not.
func (w *World) Gang() *preemption.Gang {
	g := &preemption.Gang{Namespace: "a", Name: "gang", Priority: Pick[int32](w, 2, 11, 50, 1000, math.MaxInt32)}
	model := w.Pod("m")
	model.Priority, model.Group, model.Termination = g.Priority, "gang", preemption.NotTerminating
	model.Requests[preemption.CPU] = int64(1+w.Choose(4)) * 500
	if !w.OneIn(3) {
		model.HostPorts = nil
	} else if w.OneIn(3) {
		model.HostPorts = []preemption.HostPort{{Protocol: "TCP"}} // claims nothing
	}
	if w.OneIn(8) {
		model.Requests["unheard"] = int64(1 + w.Choose(2))
	}
	if w.OneIn(6) {
		model.Priority = w.Priority()
	}

	for i := range 1 + w.Choose(4) {
		m := *model
		m.Name, m.UID = fmt.Sprint("member-", i), fmt.Sprint("member-", i)
		switch w.Choose(24) {
		case 0:
			m.Requests = w.Requests()
		case 1:
			m.Priority = w.Priority()
		case 2:
			m.Tolerations = []preemption.Toleration{{Operator: preemption.TolerationExists}}
		case 3:
			m.Labels = map[string]string{"app": Pick(w, "x", "y")}
		case 4:
			m.PreemptionPolicy = preemption.PreemptNever
		}
		if w.OneIn(8) {
			m.NominatedNode = Pick(w, append(w.Nodes, "nowhere")...)
		}
		g.Members = append(g.Members, &m)
	}

	if w.OneIn(6) {
		g.Policy = Pick(w, preemption.GangPreempts, preemption.GangNeverPreempts)
	}
	if w.OneIn(3) {
		g.MinCount = 1 + w.Choose(len(g.Members))
	}
	return g
}

// GangRelease is one of the releases that know gangs.
func (w *World) GangRelease() preemption.Release {
	return Pick(w, preemption.ReleaseNewest, preemption.Release137, preemption.Release138)
}

// SmallState makes a cluster small enough to try every placement of a gang with
// every set of victims.
func (w *World) SmallState() preemption.ClusterState {
	s := preemption.ClusterState{Release: w.GangRelease()}
	for i := range 1 + w.Choose(3) {
		n := w.Node(fmt.Sprint("n", i))
		n.Allocatable[preemption.CPU] = int64(1+w.Choose(6)) * 500
		if w.OneIn(3) {
			n.Allocatable["unheard"] = int64(1 + w.Choose(4))
		}
		s.Nodes = append(s.Nodes, n)
		w.Nodes = append(w.Nodes, n.Name)
	}
	for i := range w.Choose(9) {
		p := w.Pod(fmt.Sprint("p", i))
		p.NodeName = Pick(w, w.Nodes...)
		p.Group = ""
		s.Pods = append(s.Pods, p)
	}

	if w.OneIn(4) {
		for _, p := range s.Pods {
			if w.OneIn(3) {
				p.Namespace, p.Group = "a", Pick(w, "g0", "g0", "g1")
			}
		}
		s.PodGroups = append(s.PodGroups,
			&preemption.PodGroup{Namespace: "a", Name: "g0", DisruptionMode: preemption.DisruptAll, Parent: Pick(w, "", "c0")},
			&preemption.PodGroup{Namespace: "a", Name: "g1", Priority: 1, DisruptionMode: preemption.DisruptSingle, Parent: Pick(w, "", "c0")})
		s.CompositePodGroups = append(s.CompositePodGroups,
			&preemption.CompositePodGroup{Namespace: "a", Name: "c0", Priority: 1, DisruptionMode: Pick(w, preemption.DisruptAll, preemption.DisruptSingle)})
	}
	for i := range max(w.Choose(6)-3, 0) {
		b := w.Budget(fmt.Sprint("b", i))
		if w.OneIn(2) {
			b.Allowed = Pick[int32](w, -1, 0, 0, 50) // spent or ample
		}
		s.DisruptionBudgets = append(s.DisruptionBudgets, b)
	}
	if w.OneIn(4) {
		p := w.Pod("nominated")
		p.NominatedNode = Pick(w, w.Nodes...)
		s.Pods = append(s.Pods, p)
	}
	return s
}

// GangVictims returns all units that the gang may evict, the most important first.
func GangVictims(e *preemption.Evaluator, c *preemption.Cluster, g *preemption.Gang) []*preemption.Victim {
	var victims []*preemption.Victim
	for _, n := range c.Nodes() {
		for _, v := range c.Release().Victims(n, c, c.Groups()) {
			seen := slices.ContainsFunc(victims, func(x *preemption.Victim) bool { return x.Pods[0] == v.Pods[0] })
			if seen || v.Priority >= g.Priority || e.Eligible != nil && !e.Eligible(g.Members[0], v, n) {
				continue
			}
			victims = append(victims, v)
		}
	}
	slices.SortStableFunc(victims, func(a, b *preemption.Victim) int { return preemption.CompareImportance(b, a) })
	return victims
}
