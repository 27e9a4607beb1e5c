package trace

import (
	"cmp"
	"slices"
)

// room is what is left of a node.
type room struct{ gpu, cpu, memory, seats int64 }

func (r room) takes(p *Pod) bool {
	return r.gpu >= p.GPU && r.cpu >= p.CPU && r.memory >= p.Memory && r.seats >= 1
}

func (r room) without(p *Pod) room {
	return room{r.gpu - p.GPU, r.cpu - p.CPU, r.memory - p.Memory, r.seats - 1}
}

// compare orders rooms by what is scarcest in this cluster.
func (r room) compare(o room) int {
	return cmp.Or(cmp.Compare(r.gpu, o.gpu), cmp.Compare(r.cpu, o.cpu), cmp.Compare(r.memory, o.memory))
}

// BestFit puts the pods on nodes in the order given, each where it leaves the
// least room: the fewest GPUs, then least CPU, then least memory. It returns the
// index of each pod's node, -1 where a pod fits nowhere.
func BestFit(nodes []Node, pods []Pod) []int {
	rooms := make([]room, len(nodes))
	for i, n := range nodes {
		rooms[i] = room{n.GPU, n.CPU, n.Memory, PodsPerNode}
	}
	where := make([]int, len(pods))
	for i := range pods {
		p := &pods[i]
		best := -1
		for j, r := range rooms {
			if !r.takes(p) || len(p.Models) > 0 && !slices.Contains(p.Models, nodes[j].Model) {
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
