package columnar

import "slices"

// Clone returns an independent copy whose residents are ordered by compare.
func (t *Table) Clone(compare func(node int, a, b Resident) int) *Table {
	// The copy's journal is empty: no memory of a search is about it.
	t.settle()
	k := *t
	k.importance, k.stale, k.journal = compare, t.stale.clone(), journal{}
	k.free, k.spentTops, k.spentSum, k.held = t.free.clone(), t.spentTops.clone(), t.spentSum.clone(), t.held.clone()
	k.levels = make([]level, len(t.levels))
	for i := range t.levels {
		k.levels[i] = t.levels[i].clone()
	}
	k.cloneRows(t.rows)
	k.units, k.budgets, k.covers = slices.Clone(t.units), slices.Clone(t.budgets), slices.Clone(t.covers)
	k.gathered, k.removed = gathering{}, nil // scratch memory is not shared
	return &k
}

// clone copies a level's planes: a level has no other memory.
func (l *level) clone() level {
	k := *l
	k.clean, k.tops = l.clean.clone(), l.tops.clone()
	k.latest, k.late = l.latest.clone(), l.late.clone()
	return k
}

// cloneRows copies the rows, what they hold of all nodes one behind the other, so
// that a search that goes from node to node reads on.
func (t *Table) cloneRows(rows []row) {
	// How much there is of each, then one piece of memory for it.
	t.rows = slices.Clone(rows)
	var priorities slab[int32]
	var residents slab[resident]
	var requests slab[uint32]
	var covered slab[int32]
	for i := range rows {
		r := &rows[i]
		priorities.size += len(r.priorities)
		residents.size += len(r.residents)
		requests.size += len(r.requests.small)
		covered.size += len(r.covered)
	}
	for i := range t.rows {
		r := &t.rows[i]
		r.priorities, r.residents = priorities.copy(r.priorities), residents.copy(r.residents)
		r.requests.small = requests.copy(r.requests.small)
		if r.requests.large != nil {
			large := slices.Clone(*r.requests.large)
			r.requests.large = &large
		}
		r.covered = covered.copy(r.covered)
	}
}

// clone copies what is held, in as few pieces of memory.
func (h *holdings) clone() holdings {
	k := holdings{slices.Clone(h.pods), slices.Clone(h.sums), slices.Clone(h.weakest)}
	for d := range k.sums {
		k.sums[d] = slices.Clone(k.sums[d])
	}
	var pods slab[heldPod]
	var requests slab[int64]
	for _, list := range h.pods {
		pods.size += len(list)
		for i := range list {
			requests.size += len(list[i].requests)
		}
	}
	for node := range k.pods {
		k.pods[node] = pods.copy(k.pods[node])
		for i := range k.pods[node] {
			p := &k.pods[node][i]
			p.requests = requests.copy(p.requests)
		}
	}
	return k
}

// A slab is memory for many short lists.
type slab[T any] struct {
	size int
	used []T
}

// copy copies a list into the slab. What is added to the copy later goes elsewhere.
func (s *slab[T]) copy(list []T) []T {
	if s.used == nil {
		s.used = make([]T, 0, s.size)
	}
	from := len(s.used)
	s.used = append(s.used, list...)
	return s.used[from:len(s.used):len(s.used)]
}
