package columnar

import (
	"sync"
	"sync/atomic"
)

// staleRows are the rows of which something has to be computed again. Queries, which
// may be many at a time, compute it under the lock; the first does it for all.
type staleRows struct {
	nodes   []int32
	waiting atomic.Bool // there are some
	lock    sync.Mutex
}

// What of a row is stale: nothing, all, or what a clean resident of one level, given
// by the level's index, has a part in.
const (
	fresh      = -2
	everything = -1
)

// Touch makes the table look at a node again, after Budgets or Units over its
// residents changed.
func (t *Table) Touch(node int) { t.mark(node, everything) }

// mark notes that of a row this much is stale, beside what is already.
func (t *Table) mark(node, what int) {
	t.journal.note(node)
	r := &t.rows[node]
	switch {
	case r.stale == fresh:
		r.stale = int32(what)
		t.stale.nodes = append(t.stale.nodes, int32(node))
		t.stale.waiting.Store(true)
	case int(r.stale) != what:
		r.stale = everything
	}
}

// affected says what is stale once a resident of level k has come or gone.
func (t *Table) affected(k int, x *Resident) int {
	if t.isSpent(x) {
		return everything
	}
	return k
}

// settle computes what is stale. Every query begins with it.
func (t *Table) settle() {
	if !t.stale.waiting.Load() {
		return
	}
	t.stale.lock.Lock()
	defer t.stale.lock.Unlock()
	for _, node := range t.stale.nodes {
		t.refresh(int(node), int(t.rows[node].stale))
		t.rows[node].stale = fresh
	}
	t.stale.nodes = t.stale.nodes[:0]
	t.stale.waiting.Store(false)
}

// forgetStale is settle once every row has been computed afresh.
func (t *Table) forgetStale() {
	for _, node := range t.stale.nodes {
		t.rows[node].stale = fresh
	}
	t.stale.nodes = t.stale.nodes[:0]
	t.stale.waiting.Store(false)
}

// widenStale follows a change of the levels' indices.
func (t *Table) widenStale() {
	for _, node := range t.stale.nodes {
		t.rows[node].stale = everything
	}
}

// refresh computes what follows from a row, or that part of it that a clean resident
// of one level has a part in: below its level what is available, from there on the
// largest requests. It takes O(residents + levels).
func (t *Table) refresh(node, changed int) {
	r := &t.rows[node]
	t.forget(r)
	w := t.dims - 1
	g := &t.gathered
	g.reset(t.dims)
	for d := range t.dims {
		g.clean[d] = t.free.at(node, d)
	}
	at := len(r.residents)
	for k := range t.levels {
		l := &t.levels[k]
		before := at
		g.starts, g.late = g.starts[:0], never
		for ; at > 0 && r.residents[at-1].Priority <= l.high; at-- {
			x, requests := &r.residents[at-1], r.requests[(at-1)*w:at*w]
			t.count(r, x, at-1)
			g.late = max(g.late, x.Start)
			if t.isSpent(x) {
				g.spend(x, requests)
				continue
			}
			g.gain(x, requests)
			g.starts = enter(g.starts, x.Start)
		}
		if changed == everything || k < changed {
			for d := range t.dims {
				l.clean.set(node, d, g.clean[d])
			}
		}
		if changed == everything || k == changed {
			l.setStarts(node, g.starts)
			l.late.set(node, 0, g.late)
		}
		if changed == everything || k >= changed {
			if at == before && k > 0 {
				l.tops.copyFrom(&t.levels[k-1].tops, node)
				continue
			}
			for d := 1; d < t.dims; d++ {
				l.tops.set(node, d, g.largest[d])
			}
		}
	}
	if changed == everything {
		for d := range t.dims {
			t.spentSum.set(node, d, g.sum[d])
			if d != Seat {
				t.spentTops.set(node, d, g.spent[d])
			}
		}
	}
}

// gathering is what Refresh adds up.
type gathering struct {
	clean, sum []int64   // by dimension
	largest    [][]int64 // by dimension, of the residents that may be clean
	starts     []int64   // of those of one level
	spent      [][]int64 // by dimension, of the residents that surely violate
	late       int64     // the latest start of anybody of one level
}

func (g *gathering) reset(dims int) {
	if len(g.clean) != dims {
		*g = gathering{clean: make([]int64, dims), sum: make([]int64, dims), largest: make([][]int64, dims), spent: make([][]int64, dims)}
	}
	clear(g.sum)
	for d := range g.largest {
		g.largest[d], g.spent[d] = g.largest[d][:0], g.spent[d][:0]
	}
}

func (g *gathering) gain(x *Resident, requests []int64) {
	g.clean[Seat] += int64(x.Seats)
	for d, q := range requests {
		g.clean[d+1] += q
		g.largest[d+1] = enter(g.largest[d+1], q)
	}
}

func (g *gathering) spend(x *Resident, requests []int64) {
	g.sum[Seat] += int64(x.Seats)
	for d, q := range requests {
		g.sum[d+1] += q
		g.spent[d+1] = enter(g.spent[d+1], q)
	}
}

// forget takes a row out of the counts, count takes its residents in again.
func (t *Table) forget(r *row) {
	t.spent -= int(r.spent)
	if r.odd > 0 {
		t.odd--
	}
	r.odd, r.grouped, r.spent, r.covered = 0, 0, 0, r.covered[:0]
}

func (t *Table) count(r *row, x *Resident, index int) {
	if x.Ref < 0 {
		r.grouped++
		u := &t.Units[^x.Ref]
		if u.Odd {
			if r.odd == 0 {
				t.odd++
			}
			r.odd++
		}
		if len(u.Covers) > 0 {
			r.covered = append(r.covered, int32(index))
		}
	} else if x.Cover >= 0 {
		r.covered = append(r.covered, int32(index))
	}
	if t.isSpent(x) {
		r.spent++
		t.spent++
	}
}
