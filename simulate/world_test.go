package simulate

import (
	"fmt"
	"time"

	"example.com/preemption"
	"pgregory.net/rapid"
)

// drawWorld draws a small world in which everything happens: preemption and its
// aftermath, budgets, owners of every kind, arrivals and departures.
func drawWorld(t *rapid.T) World {
	release := rapid.SampledFrom(preemption.Releases()).Draw(t, "release")
	state := preemption.ClusterState{Release: release}
	free := map[string]int64{}
	for i := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		n := &preemption.Node{
			Name: fmt.Sprintf("n%d", i),
			Allocatable: preemption.Resources{
				preemption.CPU: rapid.Int64Range(2, 6).Draw(t, "room"), preemption.PodCount: 10,
				preemption.Memory: rapid.SampledFrom([]int64{0, 30, 40}).Draw(t, "memory of the node"),
			},
		}
		free[n.Name] = n.Allocatable[preemption.CPU]
		state.Nodes = append(state.Nodes, n)
	}

	names := 0
	pod := func(kind string) *preemption.Pod {
		app := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "app")
		p := &preemption.Pod{
			Namespace:   "d",
			Name:        fmt.Sprintf("%s%d", kind, names),
			Labels:      map[string]string{"app": app},
			Priority:    rapid.SampledFrom([]int32{0, 0, 10, 20, 100}).Draw(t, "priority"),
			Requests:    preemption.Resources{preemption.CPU: rapid.Int64Range(1, 4).Draw(t, "cpu")},
			GracePeriod: rapid.SampledFrom([]time.Duration{0, time.Second, 5 * time.Second, 30 * time.Second}).Draw(t, "grace"),
		}
		if rapid.IntRange(0, 3).Draw(t, "with memory") == 0 {
			p.Requests[preemption.Memory] = rapid.Int64Range(1, 3).Draw(t, "memory")
		}
		p.UID = rapid.StringMatching("[a-c]").Draw(t, "uid") + p.Name
		if kind := rapid.SampledFrom([]string{"", "ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet"}).Draw(t, "owner"); kind != "" {
			p.Owner = preemption.Owner{Kind: kind, Name: app}
		}
		p.Group = rapid.SampledFrom([]string{"", "", "", "", "g", "h"}).Draw(t, "group")
		if rapid.IntRange(0, 9).Draw(t, "never") == 0 {
			p.PreemptionPolicy = preemption.PreemptNever
		}
		if rapid.IntRange(0, 5).Draw(t, "with a port") == 0 {
			p.HostPorts = []preemption.HostPort{{Port: rapid.Int32Range(80, 81).Draw(t, "port")}}
		}
		names++
		return p
	}
	// Up to 1.37 the priority of a member is its group's where it is a victim and its
	// own where it preempts, so that two pods can evict each other for ever.
	for _, g := range []string{"g", "h"} {
		state.PodGroups = append(state.PodGroups, &preemption.PodGroup{
			Namespace: "d", Name: g, Priority: rapid.SampledFrom([]int32{0, 5}).Draw(t, "group priority"),
			DisruptionMode: drawMode(t), Parent: rapid.SampledFrom([]string{"", "", "above"}).Draw(t, "parent"),
		})
	}
	state.CompositePodGroups = []*preemption.CompositePodGroup{{Namespace: "d", Name: "above", Priority: 5, DisruptionMode: drawMode(t)}}
	for range rapid.IntRange(0, 14).Draw(t, "bound") {
		p := pod("p")
		n := rapid.SampledFrom(state.Nodes).Draw(t, "node").Name
		if free[n] < p.Requests[preemption.CPU] || p.Requests[preemption.Memory] > 0 {
			continue // memory is for arrivals, and never scarce where there is any
		}
		free[n] -= p.Requests[preemption.CPU]
		p.NodeName, p.Start = n, time.Unix(rapid.Int64Range(1, 4).Draw(t, "start"), 0)
		if rapid.IntRange(0, 7).Draw(t, "terminating") == 0 {
			p.Termination = rapid.SampledFrom([]preemption.Termination{preemption.TerminatingByPreemption, preemption.TerminatingOther}).Draw(t, "termination")
		}
		state.Pods = append(state.Pods, p)
	}

	var w World
	for i, app := range rapid.Permutation([]string{"a", "b"}).Draw(t, "budgets over") {
		object := &preemption.PodDisruptionBudget{
			Namespace: "d", Name: app, Selector: &preemption.Selector{MatchLabels: map[string]string{"app": app}},
			Allowed: rapid.Int32Range(0, 2).Draw(t, "allowed"),
		}
		amount := &preemption.Amount{Value: rapid.IntRange(0, 3).Draw(t, "amount")}
		if rapid.Bool().Draw(t, "percent") {
			amount.Value, amount.Percent = amount.Value*30, true
		}
		switch rapid.SampledFrom([]string{"no", "bare", "min", "max"}).Draw(t, "budget") {
		case "no":
			continue
		case "min":
			w.Budgets = append(w.Budgets, Budget{PodDisruptionBudget: object, MinAvailable: amount})
		case "max":
			w.Budgets = append(w.Budgets, Budget{PodDisruptionBudget: object, MaxUnavailable: amount})
		}
		if i == 0 || rapid.Bool().Draw(t, "in the cluster") {
			state.DisruptionBudgets = append(state.DisruptionBudgets, object)
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "pending in the cluster") {
		p := pod("c")
		if rapid.Bool().Draw(t, "nominated") {
			p.NominatedNode = rapid.SampledFrom(state.Nodes).Draw(t, "nominated node").Name
		}
		state.Pods = append(state.Pods, p)
	}
	c, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	w.Cluster = c
	for range rapid.IntRange(0, 5).Draw(t, "pending") {
		w.Pending = append(w.Pending, pod("q"))
	}
	seconds := func(label string) time.Duration {
		return time.Duration(rapid.IntRange(0, 40).Draw(t, label)) * time.Second
	}
	for range rapid.IntRange(0, 3).Draw(t, "arrivals") {
		w.Arrivals = append(w.Arrivals, Arrival{seconds("arrives at"), pod("r")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "departures") {
		name := fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"p", "q", "r", "c"}).Draw(t, "who"), rapid.IntRange(0, names).Draw(t, "which"))
		at := seconds("departs at")
		if rapid.Bool().Draw(t, "at the start") {
			at = 0
		}
		w.Departures = append(w.Departures, Departure{at, "d", name})
	}
	delay := rapid.SampledFrom([]time.Duration{0, 0, 3 * time.Second, 40 * time.Second}).Draw(t, "healthy after")
	w.Healthy = func(p *preemption.Pod) time.Duration {
		if p.Labels["app"] == "b" {
			return delay
		}
		return 0
	}
	w.Horizon = 10 * time.Minute
	return w
}

func drawMode(t *rapid.T) preemption.DisruptionMode {
	return rapid.SampledFrom([]preemption.DisruptionMode{preemption.DisruptSingle, preemption.DisruptAll}).Draw(t, "mode")
}

// drawGangs adds gangs of pending pods to a world, some with members running
// already.
func drawGangs(t *rapid.T, w *World) {
	if w.Cluster.Release() == preemption.Release136 {
		return // gangs of 1.36 are refused
	}
	for i := range rapid.IntRange(1, 2).Draw(t, "gangs") {
		g := &preemption.Gang{
			Namespace: "d", Name: []string{"team", "job"}[i],
			Priority: rapid.SampledFrom([]int32{0, 10, 50}).Draw(t, "gang's priority"),
			Policy:   rapid.SampledFrom([]preemption.GangPolicy{preemption.GangPolicyUnset, preemption.GangPreempts}).Draw(t, "gang's policy"),
		}
		cpu := rapid.Int64Range(1, 3).Draw(t, "member's cpu")
		for k := range rapid.IntRange(1, 4).Draw(t, "members") {
			name := fmt.Sprintf("%s-%d", g.Name, k)
			g.Members = append(g.Members, &preemption.Pod{
				Namespace: "d", Name: name, UID: name, Group: g.Name, Priority: g.Priority,
				Labels: map[string]string{"app": "a"}, GracePeriod: time.Second,
				Requests: preemption.Resources{preemption.CPU: cpu}, Owner: preemption.Owner{Kind: "Job", Name: g.Name},
			})
		}
		g.MinCount = rapid.IntRange(0, len(g.Members)).Draw(t, "minimum")
		w.Gangs = append(w.Gangs, g)
	}
}
