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
	g := &t.gathered
	t.begin(g, node)
	for k := range t.levels {
		l := &t.levels[k]
		some := t.gather(g, node, l.high)
		if changed == everything || k < changed {
			l.setClean(node, g)
		}
		if changed == everything || k == changed {
			l.setStarts(node, g)
		}
		if changed == everything || k >= changed {
			if some || k == 0 {
				l.setTops(node, g)
			} else {
				l.tops.copyFrom(&t.levels[k-1].tops, node)
			}
		}
	}
	if changed == everything {
		t.setSpent(node, g)
	}
}

// refreshBlock computes what follows from the rows of a block, in levels that are laid
// out anew. It goes level by level, so that what it writes is near at hand.
func (t *Table) refreshBlock(block int, gathered *[blockSize]gathering) {
	first := block * blockSize
	rows := gathered[:t.free.inBlock(block)]
	for i := range rows {
		t.begin(&rows[i], first+i)
	}
	for k := range t.levels {
		l := &t.levels[k]
		if k == 0 {
			l.clean.copyBlock(&t.free, block)
		} else {
			l.clean.copyBlock(&t.levels[k-1].clean, block)
			l.tops.copyBlock(&t.levels[k-1].tops, block)
		}
		for i := range rows {
			if t.gather(&rows[i], first+i, l.high) {
				l.setClean(first+i, &rows[i])
				l.setTops(first+i, &rows[i])
			}
			l.setStarts(first+i, &rows[i])
		}
		l.settle(block, block+1)
	}
	for i := range rows {
		t.setSpent(first+i, &rows[i])
	}
	t.spentSum.settle(block, block+1)
	t.spentTops.settle(block, block+1)
}

// begin makes ready to gather what a row adds up to, and takes it out of the counts.
func (t *Table) begin(g *gathering, node int) {
	r := &t.rows[node]
	t.forget(r)
	g.reset(t.dims)
	g.left = len(r.residents)
	for d := range t.dims {
		g.clean[d] = t.free.at(node, d)
	}
}

// gather goes on through a row, up to a priority, and counts whom it passes. It reports
// whether there was any.
func (t *Table) gather(g *gathering, node int, high int32) (some bool) {
	r := &t.rows[node]
	g.starts, g.late = g.starts[:0], never
	for ; g.left > 0 && r.residents[g.left-1].Priority <= high; g.left-- {
		x, requests := &r.residents[g.left-1], r.requestsOf(g.left-1)
		t.count(r, x, g.left-1)
		g.late = max(g.late, x.Start)
		some = true
		if t.isSpent(x) {
			g.spend(x, requests)
			continue
		}
		g.gain(x, requests)
		g.starts = enter(g.starts, x.Start)
	}
	return some
}

func (l *level) setClean(node int, g *gathering) {
	for d, amount := range g.clean {
		l.clean.set(node, d, amount)
	}
}

func (l *level) setTops(node int, g *gathering) {
	for d := Seat + 1; d < len(g.largest); d++ {
		l.tops.set(node, d, g.largest[d])
	}
}

func (l *level) setStarts(node int, g *gathering) {
	l.latest.setAll(node, g.starts)
	l.late.set(node, 0, g.late)
}

func (t *Table) setSpent(node int, g *gathering) {
	for d := range t.dims {
		t.spentSum.set(node, d, g.sum[d])
		if d != Seat {
			t.spentTops.set(node, d, g.spent[d])
		}
	}
}

// gathering is what refresh adds up, from the end of a row on.
type gathering struct {
	left       int       // how many residents it has not come to
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
