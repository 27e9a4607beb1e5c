package columnar

// Grow adds a dimension of which nobody has or takes anything.
func (t *Table) Grow() {
	t.settle()
	t.journal.epoch++
	w := t.dims - 1
	wider := func(requests []int64, n int) []int64 {
		out := make([]int64, 0, n*(w+1)+n/16)
		for i := range n {
			out = append(append(out, requests[i*w:(i+1)*w]...), 0)
		}
		return out
	}
	for i := range t.rows {
		r := &t.rows[i]
		r.requests, r.heldReqs = wider(r.requests, len(r.residents)), wider(r.heldReqs, len(r.held))
	}
	t.dims++
	t.free, t.spentSum, t.spentTops = t.free.wider(), t.spentSum.wider(), t.spentTops.wider()
	t.held.amounts = t.held.amounts.wider()
	for i := range t.levels {
		l := &t.levels[i]
		l.clean, l.tops = l.clean.wider(), l.tops.wider()
	}
}

// Redefine gives a dimension another meaning: what each node has of it to give, and
// what its residents and those that hold a place on it take.
func (t *Table) Redefine(dim int, allocatable func(node int) int64, request func(node int, ref int32) int64) {
	t.journal.epoch++
	w := t.dims - 1
	for node := range t.rows {
		r := &t.rows[node]
		left, same := allocatable(node), true
		set := func(amount *int64, to int64) { same = same && *amount == to; *amount = to }
		for i := range r.residents {
			q := request(node, r.residents[i].Ref)
			set(&r.requests[i*w+dim-1], q)
			left -= q
		}
		held := int64(0)
		for i, h := range r.held {
			q := request(node, h.Ref)
			r.heldReqs[i*w+dim-1] = q
			held += q
		}
		t.held.amounts.set(node, dim, held)
		if same && left == t.free.at(node, dim) {
			continue
		}
		t.free.set(node, dim, left)
		t.mark(node, everything)
	}
}
