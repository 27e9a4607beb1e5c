package preemptiontest

import (
	"maps"
	"reflect"
	"slices"

	"example.com/preemption"
)

// An overlay is a view with other pods on some nodes.
type overlay struct {
	preemption.View
	pods  map[*preemption.Node][]*preemption.Pod
	bound map[*preemption.Pod]bool // that were nominated
}

func (o overlay) PodsOn(n *preemption.Node) []*preemption.Pod {
	if pods, ok := o.pods[n]; ok {
		return pods
	}
	return o.View.PodsOn(n)
}

// NominatedTo leaves out the pods that are bound by now.
func (o overlay) NominatedTo(node string) []*preemption.Pod {
	return slices.DeleteFunc(slices.Clone(o.View.NominatedTo(node)), func(p *preemption.Pod) bool { return o.bound[p] })
}

// viewAfter returns the cluster as it would be after the steps. Pods that stay
// keep their place; a guest is shown as a pod that is bound to the node, and is
// not nominated any more.
func (b *bench) viewAfter(past []step) preemption.View {
	o := overlay{b.view, make(map[*preemption.Node][]*preemption.Pod), make(map[*preemption.Pod]bool)}
	gone := make(map[*preemption.Pod]bool)
	for _, s := range past {
		gone[s.pod] = !s.add
		o.pods[s.on] = nil
	}
	for n := range o.pods {
		for _, p := range b.view.PodsOn(n) {
			if !gone[p] {
				o.pods[n] = append(o.pods[n], p)
			}
		}
	}
	for _, s := range b.seats {
		if away, moved := gone[s.pod]; s.guest && moved && !away {
			bound := s.pod.Clone()
			bound.NodeName, bound.NominatedNode = b.node.Name, ""
			o.bound[s.pod] = true
			o.pods[b.node] = append(o.pods[b.node], bound)
		}
	}
	return o
}

// A snapshot is a copy of all inputs.
type snapshot struct {
	preemptors []*preemption.Pod
	nodes      []*preemption.Node
	pods       [][]*preemption.Pod // by node
}

func takeSnapshot(view preemption.View, preemptors []*preemption.Pod) snapshot {
	s := snapshot{preemptors: clonePods(preemptors)}
	for _, n := range view.Nodes() {
		s.nodes = append(s.nodes, cloneNode(n))
		s.pods = append(s.pods, clonePods(view.PodsOn(n)))
	}
	return s
}

// changes names the objects that are not as they were.
func (s snapshot) changes(view preemption.View, preemptors []*preemption.Pod) []string {
	var list []string
	for i, p := range s.preemptors {
		if podChanged(p, preemptors[i]) {
			list = append(list, "preemptor "+p.String())
		}
	}
	nodes := view.Nodes()
	if len(nodes) != len(s.nodes) {
		return append(list, "the list of nodes")
	}
	for i, n := range s.nodes {
		if nodeChanged(n, nodes[i]) {
			list = append(list, "node "+n.Name)
		}
		pods := view.PodsOn(nodes[i])
		if len(pods) != len(s.pods[i]) {
			list = append(list, "the list of pods of node "+n.Name)
			continue
		}
		for j, p := range s.pods[i] {
			if podChanged(p, pods[j]) {
				list = append(list, "pod "+p.String())
			}
		}
	}
	return list
}

func podChanged(was, is *preemption.Pod) bool {
	a, b := *was, *is
	a.Object, b.Object = nil, nil
	return !reflect.DeepEqual(a, b)
}

func nodeChanged(was, is *preemption.Node) bool {
	a, b := *was, *is
	a.Object, b.Object = nil, nil
	return !reflect.DeepEqual(a, b)
}

func clonePods(pods []*preemption.Pod) []*preemption.Pod {
	var list []*preemption.Pod
	for _, p := range pods {
		list = append(list, p.Clone())
	}
	return list
}

func cloneNode(n *preemption.Node) *preemption.Node {
	c := *n
	c.Labels = maps.Clone(n.Labels)
	c.Allocatable = maps.Clone(n.Allocatable)
	c.Taints = slices.Clone(n.Taints)
	return &c
}
