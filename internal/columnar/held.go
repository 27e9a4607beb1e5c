package columnar

import (
	"math"
	"slices"
)

// Held is a pod that is nominated to a node. It takes room there from preemptors
// of a priority not above its own.
type Held struct {
	Priority int32
	Ref      int32
}

// A heldPod is one with what it requests, by dimension but the seats. Of dimensions beyond
// those it requests nothing.
type heldPod struct {
	Held
	requests []int64
}

// holdings are what is held by node, and sums of it. Mostly all or none of it stands in a
// preemptor's way, so that searches need not look at the pods.
type holdings struct {
	pods [][]heldPod // by node
	sums [][]int64   // by dimension and node
	// weakest is by how much the lowest priority of those held is below all above
	// it, 0 if none are held.
	weakest []int64
}

// weakness turns priorities around: it is positive for each, and zero stays for nodes
// on which none is held.
func weakness(priority int32) int64 { return math.MaxInt32 + 1 - int64(priority) }

func newHoldings(dims, nodes int) holdings {
	h := holdings{pods: make([][]heldPod, nodes), weakest: make([]int64, nodes)}
	for range dims {
		h.widen()
	}
	return h
}

// widen adds a dimension, of nothing.
func (h *holdings) widen() { h.sums = append(h.sums, make([]int64, len(h.weakest))) }

func (h *holdings) grow() {
	for d := range h.sums {
		h.sums[d] = append(h.sums[d], 0)
	}
	h.pods, h.weakest = append(h.pods, nil), append(h.weakest, 0)
}

func (h *holdings) remove(node int) {
	for d := range h.sums {
		h.sums[d] = slices.Delete(h.sums[d], node, node+1)
	}
	h.pods, h.weakest = slices.Delete(h.pods, node, node+1), slices.Delete(h.weakest, node, node+1)
}

// Hold records that a nominated pod takes room on a node.
func (t *Table) Hold(node int, h Held, requests []int64) {
	t.held.pods[node] = append(t.held.pods[node], heldPod{h, slices.Clone(requests)})
	t.holds(node, requests, +1)
	t.findWeakest(node)
}

// Release undoes Hold.
func (t *Table) Release(node int, ref int32) {
	pods := t.held.pods[node]
	at := slices.IndexFunc(pods, func(h heldPod) bool { return h.Ref == ref })
	t.holds(node, pods[at].requests, -1)
	t.held.pods[node] = slices.Delete(pods, at, at+1)
	t.findWeakest(node)
}

// holds sums up that a pod more is held on a node (sign +1), or one less (-1).
func (t *Table) holds(node int, requests []int64, sign int64) {
	t.journal.note(node)
	t.held.sums[Seat][node] += sign
	for d, q := range requests {
		t.held.sums[d+1][node] += sign * q
	}
}

// findWeakest finds the lowest priority of those held on a node: few are, so the
// list is gone through.
func (t *Table) findWeakest(node int) {
	most := int64(0)
	for _, h := range t.held.pods[node] {
		most = max(most, weakness(h.Priority))
	}
	t.held.weakest[node] = most
}

// amount returns what is requested of a dimension that is not the seats.
func amount(requests []int64, dim int) int64 {
	if dim > len(requests) {
		return 0
	}
	return requests[dim-1]
}

// besideHeld reports whether a node that has enough still has beside the pods
// nominated to it.
func (x *search) besideHeld(p *plane, node int, violations int64) bool {
	if x.held.weakest[node] == 0 {
		return true // nothing is held
	}
	for _, d := range x.Demands {
		have := p.at(node, d.Dim)
		if violations > 0 {
			have = sum(have, x.spentSum.at(node, d.Dim))
		}
		if have-x.heldAmount(node, d.Dim) < d.Amount {
			return false
		}
	}
	return true
}

// heldAmount sums what the pods that hold their place against the preemptor
// take in one dimension.
func (x *search) heldAmount(node, dim int) int64 {
	// Mostly there are none. If the lowest of them holds against the preemptor all do,
	// unless it is one of them itself.
	weakest := x.held.weakest[node]
	if weakest == 0 {
		return 0
	}
	if x.Self == nil && weakest <= weakness(x.Priority) {
		return x.held.sums[dim][node]
	}

	// Otherwise one by one.
	total := int64(0)
	for _, h := range x.held.pods[node] {
		if h.Priority < x.Priority || x.Self != nil && x.Self(h.Ref) {
			continue
		}
		if dim == Seat {
			total++
		} else {
			total += amount(h.requests, dim)
		}
	}
	return total
}
