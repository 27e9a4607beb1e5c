package generate

import (
	"fmt"
	"math"

	"example.com/preemption/internal/golden"
)

// makePreemptor sets the preemptor: more important than some pods, as important
// as others, and larger than most gaps.
func (g *generator) makePreemptor() {
	p := golden.Pod{
		Namespace: "default",
		Name:      "preemptor",
		UID:       "u-preemptor",
		Priority:  g.above(),
		Requests:  golden.Resources{},
	}
	if g.chance(0.95) {
		p.Requests["cpu"] = g.amount(pick[int64](g, 250, 500, 1000, 1500, 2000, 2500, 3000, 4000))
	}
	if g.chance(0.4) {
		p.Requests["memory"] = g.amount(pick[int64](g, 4, 16, 32, 64, 100) * unit("memory"))
	}
	for _, resource := range g.extra {
		if g.chance(0.5) {
			p.Requests[resource] = g.amount(pick[int64](g, 1, 2, 4) * unit(resource))
		}
	}
	if g.chance(g.shape.huge) {
		p.Requests[pick(g, append([]string{"cpu", "memory"}, g.extra...)...)] = pick[int64](g, 5000, 9*gi)
	}
	if g.chance(g.shape.ports) {
		p.HostPorts = g.hostPorts()
	}
	if g.chance(g.shape.selector) {
		p.NodeSelector = map[string]string{pick(g, "zone", "zone", "zone", "disk"): pick(g, zones...)}
	}
	if g.shape.taints > 0 || g.shape.cordoned > 0 {
		p.Tolerations = g.tolerations()
	}
	if g.chance(g.shape.own) {
		p.NominatedNode = g.someNode()
	}
	if g.chance(g.shape.never) {
		p.PreemptionPolicy = "Never"
	} else if g.chance(0.1) {
		p.PreemptionPolicy = "PreemptLowerPriority"
	}
	g.c.Preemptor = p
}

// above returns a priority at or next to one that pods have, more often high
// than low.
func (g *generator) above() int32 {
	n := len(g.shape.priorities)
	p := g.shape.priorities[max(g.rng.IntN(n), g.rng.IntN(n))]
	if p < math.MaxInt32 && g.chance(0.7) {
		p++
	}
	return p
}

// someNode returns the name of a node, and now and then one that is gone.
func (g *generator) someNode() string {
	if g.chance(0.15) {
		return "gone"
	}
	return pick(g, g.c.Nodes...).Name
}

func (g *generator) tolerations() []golden.Toleration {
	var tolerations []golden.Toleration
	for range g.rng.IntN(4) {
		t := golden.Toleration{
			Key:      pick(g, "a", "b", "a", "b", "node.kubernetes.io/unschedulable", ""),
			Operator: pick(g, "Exists", "Equal", "Equal", "", "Gt", "Lt"),
			Effect:   pick(g, "", "", "NoSchedule", "NoExecute", "PreferNoSchedule"),
		}
		if t.Operator != "Exists" || g.chance(0.1) {
			t.Value = pick(g, values...)
		}
		tolerations = append(tolerations, t)
	}
	return tolerations
}

// makeNominated adds pending pods that are nominated to nodes.
func (g *generator) makeNominated() {
	for i := range g.c.Nodes {
		if !g.chance(g.shape.nominated) {
			continue
		}
		for range 1 + g.rng.IntN(2) {
			p := g.newPod("default")
			p.NominatedNode, p.Terminating = g.c.Nodes[i].Name, ""
			if g.chance(0.4) {
				p.Priority = g.c.Preemptor.Priority
			}
			g.c.Pods = append(g.c.Pods, p)
		}
	}
}

// makeGang turns the preemptor into a group of pending pods with places.
func (g *generator) makeGang() {
	for i := range g.count(g.shape.gang) {
		g.c.Gang = append(g.c.Gang, golden.GangMember{
			Pod: golden.Pod{
				Namespace: "default",
				Name:      fmt.Sprintf("member%d", i),
				UID:       fmt.Sprintf("u-member%d", i),
				Priority:  g.c.Preemptor.Priority,
				Requests:  golden.Resources{"cpu": pick[int64](g, 250, 500, 1000, 1500, 2000)},
				Labels:    map[string]string{},
				HostPorts: g.c.Preemptor.HostPorts,
			},
			Assigned: pick(g, g.c.Nodes...).Name,
		})
	}
}
