package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/preemption"
	"example.com/preemption/scheduler/internal/explain"
	"example.com/preemption/scheduler/internal/situation"
	"example.com/preemption/scheduler/internal/text"
)

// A bar is a node: its pods by priority, the victims last, then what is free.
type bar struct {
	Node    string
	Chosen  bool
	Says    string // in words
	Parts   []part
	Request part
	End     float64 // where the node ends
}

// A part is a pod, or several, from X on, in thousandths of the width.
type part struct {
	X, Width float64
	Label    string
	Victim   bool
	Shade    int // 0 for the lowest priority to 4 for the highest
}

// wide is the width of the drawing.
const wide = 1000.0

// scarcest is the resource that the pod asks for the largest part of, which is
// what decides.
func scarcest(s *situation.Situation, r *explain.Report) string {
	name, share := preemption.CPU, -1.0
	most := func(resource string) int64 {
		n := int64(0)
		for _, node := range s.Cluster.Nodes() {
			n = max(n, node.Allocatable[resource])
		}
		return n
	}
	var names []string
	for resource := range r.Pod.Requests {
		names = append(names, resource)
	}
	slices.Sort(names)
	for _, resource := range names {
		if n := most(resource); n > 0 && float64(r.Pod.Requests[resource])/float64(n) > share {
			name, share = resource, float64(r.Pod.Requests[resource])/float64(n)
		}
	}
	return name
}

// bars draws the nodes that can be cleared, the chosen one first, then those that
// take the pod, then the others.
func bars(s *situation.Situation, r *explain.Report, resource string) (list []bar, more int) {
	victims := make(map[*preemption.Node]map[*preemption.Pod]bool)
	var order []*preemption.Node
	for _, c := range text.Ranked(r.Examination) {
		order = append(order, c.Node)
		victims[c.Node] = make(map[*preemption.Pod]bool)
		for _, p := range c.Pods() {
			victims[c.Node][p] = true
		}
	}
	order = append(order, r.Examination.FitNodes...)
	for i := range r.Examination.Nodes {
		if n := r.Examination.Nodes[i].Node; !slices.Contains(order, n) {
			order = append(order, n)
		}
	}
	if len(order) > most {
		more, order = len(order)-most, order[:most]
	}
	levels := levelsOf(s)
	for _, n := range order {
		list = append(list, barOf(s, r, n, victims[n], resource, levels))
	}
	return list, more
}

// levelsOf are the priorities of the pods on nodes, lowest first.
func levelsOf(s *situation.Situation) []int32 {
	var levels []int32
	for _, n := range s.Cluster.Nodes() {
		for _, p := range s.Cluster.PodsOn(n) {
			levels = append(levels, p.Priority)
		}
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}

const shades = 5

func shadeOf(levels []int32, priority int32) int {
	i, _ := slices.BinarySearch(levels, priority)
	return i * shades / max(len(levels), 1)
}

func barOf(s *situation.Situation, r *explain.Report, n *preemption.Node, victims map[*preemption.Pod]bool, resource string, levels []int32) bar {
	pods := slices.Clone(s.Cluster.PodsOn(n))
	slices.SortStableFunc(pods, func(a, b *preemption.Pod) int {
		if victims[a] != victims[b] {
			if victims[a] {
				return 1
			}
			return -1
		}
		return cmp.Compare(b.Priority, a.Priority)
	})
	allocatable, request := n.Allocatable[resource], r.Pod.Requests[resource]
	kept, used := int64(0), int64(0)
	for _, p := range pods {
		used += p.Requests[resource]
		if !victims[p] {
			kept += p.Requests[resource]
		}
	}
	scale := wide / float64(max(allocatable, used, kept+request, 1))
	b := bar{Node: n.Name, Chosen: n == r.Examination.Node, End: float64(allocatable) * scale}
	at := int64(0)
	var words []string
	for _, p := range pods {
		amount := p.Requests[resource]
		label := fmt.Sprintf("%s, priority %d, %s %s", p, p.Priority, resource, explain.Amount(resource, amount))
		if victims[p] {
			label += ", a victim"
		}
		words = append(words, label)
		if amount > 0 {
			b.Parts = append(b.Parts, part{X: float64(at) * scale, Width: float64(amount) * scale, Label: label, Victim: victims[p], Shade: shadeOf(levels, p.Priority)})
		}
		at += amount
	}
	b.Request = part{
		X: float64(kept) * scale, Width: float64(request) * scale,
		Label: fmt.Sprintf("asked for: %s %s", resource, explain.Amount(resource, request)),
	}
	fits := "it does not fit beside the pods that stay"
	if kept+request <= allocatable {
		fits = "it fits beside the pods that stay, as far as " + resource + " goes"
	}
	b.Says = fmt.Sprintf("%s of %s %s free; %s asked for: %s.", explain.Amount(resource, max(allocatable-used, 0)),
		explain.Amount(resource, allocatable), resource, explain.Amount(resource, request), fits)
	if len(words) > 0 {
		b.Says += " Pods: " + strings.Join(words, "; ") + "."
	}
	return b
}
