package simulate

import (
	"cmp"
	"slices"

	"example.com/preemption"
)

// FewestStranded returns an order that prefers candidates whose victims find
// another place, by the number of pods that do not. The victims, most important
// first, are placed in thought on the first other node of the cluster that takes
// them by the filters as it is, beside those placed before them and beside pods
// nominated there. A filter that fails takes nothing.
//
// It looks at the cluster whenever it compares, which costs a dry run of every
// node for every victim of both candidates, and keeps nothing. It is no order of
// kube-scheduler's; public issue 141227 asks for one like it.
func FewestStranded(c *preemption.Cluster, filters ...preemption.Filter) preemption.Order {
	if len(filters) == 0 {
		filters = preemption.DefaultFilters()
	}
	filter := preemption.All(filters...)
	return preemption.Order{
		Name: "fewest victims without another place",
		Compare: func(a, b *preemption.Candidate) int {
			return cmp.Compare(stranded(c, filter, a), stranded(c, filter, b))
		},
	}
}

// stranded counts the pods of a candidate that no other node takes.
func stranded(c *preemption.Cluster, filter preemption.Filter, k *preemption.Candidate) int {
	placed := make(map[*preemption.Node][]*preemption.Pod)
	n := 0
	for _, v := range k.Pods() {
		again := *v
		again.NodeName, again.NominatedNode, again.Name, again.UID = "", "", lifeName(v.Name, 2), ""
		i := slices.IndexFunc(c.Nodes(), func(node *preemption.Node) bool {
			return node != k.Node && takes(c, filter, node, placed[node], &again)
		})
		if i < 0 {
			n++
			continue
		}
		node := c.Nodes()[i]
		placed[node] = append(placed[node], &again)
	}
	return n
}

func takes(c *preemption.Cluster, filter preemption.Filter, n *preemption.Node, beside []*preemption.Pod, p *preemption.Pod) bool {
	prepared, err := filter.Prepare(p, c)
	if err != nil {
		return false
	}
	if prepared == nil {
		return true // no filter is concerned with this pod
	}
	run, err := prepared.Begin(n)
	if err != nil {
		return false
	}
	for _, x := range beside {
		if err := run.Add(x, n); err != nil {
			return false
		}
	}
	status, err := preemption.FitsWithNominated(p, n, run, c.NominatedTo(n.Name))
	return err == nil && status.Fits()
}
