package columnar

import "slices"

// Grow adds a dimension of which no node has anything and no resident takes anything.
// It takes O(nodes × levels), for planes of its own; what there is stays as it is.
func (t *Table) Grow() {
	t.dims++
	t.free.widen()
	t.spentSum.widen()
	t.spentTops.widen()
	t.held.widen()
	for i := range t.levels {
		t.levels[i].clean.widen()
		t.levels[i].tops.widen()
	}
}

// Redefine gives a dimension that no resident and no held pod requests another meaning:
// what each node has of it to give. It takes O(nodes), and O(levels) for those that have
// something, or had.
func (t *Table) Redefine(dim int, allocatable func(node int) int64) {
	// Levels have what is free and what their residents take. Of this dimension these
	// take nothing.
	t.journal.forget()
	for node := range t.rows {
		delta := allocatable(node) - t.free.at(node, dim)
		if delta == 0 {
			continue
		}
		t.free.add(node, dim, delta)
		for i := range t.levels {
			t.levels[i].clean.add(node, dim, delta)
		}
	}
}

// Take adds so much to what the resident, or the held pod, with that reference takes in
// a dimension. It does nothing if there is none.
func (t *Table) Take(node int, ref int32, dim int, amount int64) {
	// On one node a reference is that of a bound pod or of a nominated one. What is held is
	// summed up by node. A resident's row is summed up again.
	if held := slices.IndexFunc(t.held.pods[node], func(h heldPod) bool { return h.Ref == ref }); held >= 0 {
		h := &t.held.pods[node][held]
		h.requests = append(h.requests, make([]int64, max(dim-len(h.requests), 0))...)
		h.requests[dim-1] += amount
		t.held.sums[dim][node] += amount
		t.journal.note(node)
		return
	}
	r := &t.rows[node]
	i := r.indexOf(ref)
	if i < 0 {
		return
	}
	if dim > int(r.requests.width) {
		r.requests.widen(dim, len(r.residents))
	}
	r.requests.add(i, dim, amount)
	t.free.add(node, dim, -amount)
	t.mark(node, everything)
}
