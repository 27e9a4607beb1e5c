package generate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"example.com/preemption/internal/golden"
)

const (
	mi = 1 << 20
	gi = 1 << 30
)

// extraResources are resources beyond cpu and memory. The scheduler has a field
// for the first and a map for the others; one of them sorts before it.
var extraResources = []string{"ephemeral-storage", "amd.com/gpu", "example.com/gpu", "hugepages-2Mi"}

var (
	zones  = []string{"z0", "z1"}
	keys   = []string{"a", "b"}
	values = []string{"", "x", "y", "7"}
)

// makeNode adds a node and the pods bound to it.
func (g *generator) makeNode(name string) {
	n := golden.Node{
		Name:          name,
		Labels:        map[string]string{},
		Unschedulable: g.chance(g.shape.cordoned),
		Allocatable: golden.Resources{
			"cpu":    pick[int64](g, 4000, 4000, 4000, 2000, 8000),
			"memory": pick[int64](g, 8*gi, 8*gi, 4*gi),
			"pods":   110,
		},
	}
	if g.chance(0.8) {
		n.Labels["zone"] = pick(g, zones...)
	}
	for _, resource := range g.extra {
		if g.chance(0.8) {
			n.Allocatable[resource] = pick[int64](g, 0, 2, 4, 8) * unit(resource)
		}
	}
	if g.chance(g.shape.taints) {
		g.taint(&n)
	}

	free := maps.Clone(n.Allocatable)
	pods := 0
	for range g.count(g.shape.pods) {
		p := g.newPod("default")
		p.Node = name
		if !fits(p.Requests, free) && !g.chance(g.shape.over) {
			continue
		}
		take(p.Requests, free)
		g.c.Pods = append(g.c.Pods, p)
		pods++
	}
	if !g.chance(g.shape.roomy) {
		for _, resource := range append([]string{"cpu", "memory"}, g.extra...) {
			if p, ok := g.filler(name, resource, free[resource]); ok {
				g.c.Pods = append(g.c.Pods, p)
				pods++
			}
		}
	}
	if g.chance(g.shape.limited) {
		n.Allocatable["pods"] = int64(max(0, pods+g.rng.IntN(4)-1))
	}
	g.c.Nodes = append(g.c.Nodes, n)
	g.partPorts(g.c.Pods[len(g.c.Pods)-pods:])
}

// partPorts takes a host port from all pods of a node but the first. A node
// does not run two pods with one port, and the scheduler relies on it: it keeps
// the ports as a set, and to remove either pod would free the port.
func (g *generator) partPorts(pods []golden.Pod) {
	taken := map[golden.HostPort]bool{}
	for i := range pods {
		pods[i].HostPorts = slices.DeleteFunc(pods[i].HostPorts, func(h golden.HostPort) bool {
			h.Protocol, h.IP = cmp.Or(h.Protocol, "TCP"), cmp.Or(h.IP, "0.0.0.0")
			clash := taken[h]
			taken[h] = true
			return clash
		})
		if len(pods[i].HostPorts) == 0 {
			pods[i].HostPorts = nil
		}
	}
}

// filler returns a pod that leaves little or nothing of a resource, if it is
// one that is to be filled up: cpu always, the others now and then.
func (g *generator) filler(node, resource string, free int64) (golden.Pod, bool) {
	left := pick[int64](g, 0, 0, 0, 1, 100) * unit(resource)
	if free <= left || resource != "cpu" && !g.chance(g.shape.filled) {
		return golden.Pod{}, false
	}
	p := g.newPod("default")
	p.Node = node
	p.Requests = golden.Resources{resource: free - left}
	return p, true
}

// taint gives a node taints.
func (g *generator) taint(n *golden.Node) {
	if g.chance(0.2) {
		n.Taint = pick(g, keys...)
		return
	}
	seen := map[string]bool{}
	n.Taints = []golden.Taint{}
	for range 1 + g.rng.IntN(3) {
		t := golden.Taint{
			Key:    pick(g, keys...),
			Value:  pick(g, values...),
			Effect: pick(g, "NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule"),
		}
		if id := fmt.Sprint(t.Key, t.Effect); !seen[id] {
			seen[id] = true
			n.Taints = append(n.Taints, t)
		}
	}
}

// unit returns what amounts of a resource are multiples of.
func unit(resource string) int64 {
	switch resource {
	case "memory", "ephemeral-storage":
		return 64 * mi
	case "hugepages-2Mi":
		return 2 * mi
	}
	return 1
}

func fits(requests, free golden.Resources) bool {
	for resource, amount := range requests {
		if amount > free[resource] {
			return false
		}
	}
	return true
}

func take(requests, free golden.Resources) {
	for resource, amount := range requests {
		free[resource] -= amount
	}
}
