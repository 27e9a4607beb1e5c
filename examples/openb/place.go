package main

import (
	"cmp"
	"slices"
)

// A placement says where each pod runs: the index of its node, -1 for nowhere.
type placement []int

// room is what is left of a node.
type room struct{ gpu, cpu, memory, seats int64 }

func (r room) takes(p *tracePod) bool {
	return r.gpu >= p.gpu && r.cpu >= p.cpu && r.memory >= p.memory && r.seats >= 1
}

func (r room) without(p *tracePod) room {
	return room{r.gpu - p.gpu, r.cpu - p.cpu, r.memory - p.memory, r.seats - 1}
}

// compare orders rooms by what is scarcest in this cluster.
func (r room) compare(o room) int {
	return cmp.Or(cmp.Compare(r.gpu, o.gpu), cmp.Compare(r.cpu, o.cpu), cmp.Compare(r.memory, o.memory))
}

// bestFit puts the pods on nodes in the order given, each where it leaves the
// least room: fewest GPUs, then least CPU, then least memory. A pod that fits
// nowhere is passed over.
func bestFit(nodes []traceNode, pods []tracePod) placement {
	rooms := make([]room, len(nodes))
	for i, n := range nodes {
		rooms[i] = room{n.gpu, n.cpu, n.memory, podsPerNode}
	}
	where := make(placement, len(pods))
	for i := range pods {
		p := &pods[i]
		best := -1
		for j, r := range rooms {
			if !r.takes(p) || len(p.models) > 0 && !slices.Contains(p.models, nodes[j].gpuModel) {
				continue
			}
			if best < 0 || r.without(p).compare(rooms[best].without(p)) < 0 {
				best = j
			}
		}
		if where[i] = best; best >= 0 {
			rooms[best] = rooms[best].without(p)
		}
	}
	return where
}
