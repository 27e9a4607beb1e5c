package columnar

import (
	"slices"
	"sync"
	"sync/atomic"
)

// What follows from the rows, and when it is computed. An update marks which part of which
// row it makes stale; the next query computes these parts, before it reads anything.
//
// Invariants: a row with a stale part is listed, in nodes or in later; what is not stale
// is as level says; and what waits in later is off in one direction only, which makes
// bounds lower than they could be. A part is never marked too small: where in doubt,
// everything.

// staleRows are the rows of which something has to be computed again. Queries, which
// may be many at a time, compute it under the lock; the first does it for all.
type staleRows struct {
	parts []part // by node
	nodes []int32
	// later are rows with residents that have come to violate for sure. As long as
	// these count as if they might go, every bound is only lower than it could be, so
	// that a query need not wait until all of them, which may be those of a large
	// service, have been computed.
	later   []int32
	waiting atomic.Bool // for the next query, since there was an update
	lock    sync.Mutex
}

// add notes that of a row this much is stale, beside what is already.
func (s *staleRows) add(node int, what part) { s.parts[node] = s.parts[node].and(what) }

// clone copies it: rows that wait for long wait in the copy too. None other does.
func (s *staleRows) clone() *staleRows {
	return &staleRows{parts: slices.Clone(s.parts), later: slices.Clone(s.later)}
}

// laterAtOnce is how many rows a query computes of those that could wait.
const laterAtOnce = 16

// A part is what of a row is stale: of which levels, and whether what is known of those
// residents that surely violate.
type part struct {
	clean, tops, starts levelSet
	spent               bool
}

// A levelSet is a set of levels, a bit for each.
type levelSet uint32

const allLevels levelSet = 1<<maxLevels - 1

// below has the levels below one, only has that one alone.
func below(level int) levelSet { return 1<<level - 1 }
func only(level int) levelSet  { return 1 << level }

func (s levelSet) has(level int) bool { return s>>level&1 > 0 }

var (
	fresh      = part{}
	everything = part{clean: allLevels, tops: allLevels, starts: allLevels, spent: true}
)

// and is what is stale after two changes. What one of them makes stale, the other does not
// mend.
func (p part) and(o part) part {
	return part{p.clean | o.clean, p.tops | o.tops, p.starts | o.starts, p.spent || o.spent}
}

// moved is what is stale once a resident of a level has come or gone. What goes
// with it makes available what it takes, so that only counts below its level, or on
// all if it is not to go.
func moved(level int, spent bool) part {
	what := part{clean: below(level), tops: ^below(level), starts: only(level)}
	if spent {
		what.clean, what.spent = allLevels, true
	}
	return what
}

// crossed is what is stale once a resident of a level has come to violate for sure, or
// no longer does. Tops go on counting one that has: they are above either way, and they
// take longer to compute than all else.
func crossed(level int, spent bool) part {
	what := part{clean: ^below(level), starts: only(level), spent: true}
	if !spent {
		what.tops = ^below(level)
	}
	return what
}

// Touch makes the table look at a node again, after units on it changed.
func (t *Table) Touch(node int) { t.mark(node, everything) }

// TouchCovered does so for those residents that a set of budgets is over, after what
// one of these has left passed zero.
func (t *Table) TouchCovered(node int, cover int32) {
	spent := t.overdrawn(cover)
	r := &t.rows[node]
	for i := range r.residents {
		if r.residents[i].cover() != cover {
			continue
		}
		if what := crossed(t.levelOf(r.priorities[i]), spent); spent {
			t.markLater(node, what)
		} else {
			t.mark(node, what)
		}
	}
}

// mark has what is stale of a row computed by the next query. The journal hears of it too,
// since a search that remembers the row's answer must not.
func (t *Table) mark(node int, what part) {
	t.journal.note(node)
	r := &t.rows[node]
	t.stale.add(node, what)
	if !r.waits {
		r.waits = true
		t.stale.nodes = append(t.stale.nodes, int32(node))
	}
	t.stale.waiting.Store(true)
}

// markLater is mark for what can wait.
func (t *Table) markLater(node int, what part) {
	t.journal.note(node)
	r := &t.rows[node]
	t.stale.add(node, what)
	if !r.waits && !r.waitsLong {
		r.waitsLong = true
		t.stale.later = append(t.stale.later, int32(node))
	}
	t.stale.waiting.Store(true)
}

// settle computes what is stale, and some of what can wait. Every query begins with
// it: the first after an update does it, before any of them reads on.
func (t *Table) settle() {
	s := t.stale
	if !s.waiting.Load() {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.waiting.Load() {
		t.settleUpTo(laterAtOnce)
	}
}

// settleAll leaves nothing stale. It is for updates, which are alone.
func (t *Table) settleAll() { t.settleUpTo(len(t.stale.later)) }

// settleUpTo computes every row that could not wait, and so many of those that could.
func (t *Table) settleUpTo(later int) {
	s := t.stale
	t.refreshRows(s.nodes)
	for _, node := range s.nodes {
		t.rows[node].waits = false
	}
	s.nodes = s.nodes[:0]

	// Of those that can wait, some at the end of the list. A row that was listed and has
	// been computed since, as something else about it could not wait, is fresh by now.
	slices.Sort(s.later) // they may come in the order of a map, which what a search looks at is not to show
	n := max(len(s.later)-later, 0)
	t.refreshRows(s.later[n:])
	for _, node := range s.later[n:] {
		t.rows[node].waitsLong = false
	}
	s.later = s.later[:n]
	s.waiting.Store(false)
}

// refreshRows computes rows. Neighbours share memory, so they come one after another.
func (t *Table) refreshRows(nodes []int32) {
	slices.Sort(nodes)
	for _, node := range nodes {
		if what := t.stale.parts[node]; what != fresh {
			t.refresh(int(node), what)
		}
	}
}

// widenStale follows a change of the levels' indices: sets of levels mean others by then.
func (t *Table) widenStale() {
	for _, node := range slices.Concat(t.stale.nodes, t.stale.later) {
		t.stale.parts[node] = everything
	}
}

// refresh computes what of a row is stale. It takes O(residents + levels).
func (t *Table) refresh(node int, stale part) {
	// All residents are gathered once, whatever is stale, as each level sums up those
	// below it. Only what is stale is written: planes keep their extremes at each write.
	g := &t.gathered
	t.beginRow(g, node)
	for k := range t.levels {
		l := &t.levels[k]
		some := t.gather(g, node, l.high)
		if stale.clean.has(k) {
			l.setClean(node, g)
		}
		if stale.starts.has(k) {
			l.setStarts(node, g)
		}
		if stale.tops.has(k) {
			if some || k == 0 {
				l.setTops(node, g)
			} else { // no resident of its own: as below, which is sooner copied than rounded
				l.tops.copyFrom(&t.levels[k-1].tops, node)
			}
		}
	}
	if stale.spent {
		t.setSpent(node, g)
	}
}

// refreshBlock computes what follows from the rows of a block, in levels that are laid
// out anew. It goes level by level, so that what it writes is near at hand.
func (t *Table) refreshBlock(block int, gathered *[blockSize]gathering) {
	first := block * blockSize
	rows := gathered[:t.free.inBlock(block)]
	for i := range rows {
		t.beginRow(&rows[i], first+i)
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

// beginRow makes ready to gather what a row adds up to, and takes it out of the counts.
func (t *Table) beginRow(g *gathering, node int) {
	r := &t.rows[node]
	t.stale.parts[node] = fresh
	t.forget(r)
	g.reset(t.dims)
	g.left = len(r.residents)
	for d := range t.dims {
		g.clean[d] = t.free.at(node, d)
	}
}

// gather goes on through a row, up to a priority, and counts what it passes. It reports
// whether there was any.
func (t *Table) gather(g *gathering, node int, high int32) (some bool) {
	r := &t.rows[node]
	g.starts, g.late = g.starts[:0], never
	for ; g.left > 0 && r.priorities[g.left-1] <= high; g.left-- {
		x := &r.residents[g.left-1]
		g.requests = r.requests.of(g.left-1, g.requests[:0])
		t.count(r, x, g.left-1)
		some = true
		if t.isSpent(x) {
			g.spend(x.seats(), g.requests)
			g.late = max(g.late, x.start)
			continue
		}
		g.gain(x.seats(), g.requests)
		g.starts = enter(g.starts, x.start)
	}
	return some
}

// What is gathered up to a level is written to its planes, one node's lane in each.

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
	late       int64     // the latest start of these in one level
	requests   []int64   // of the one it has come to
}

// reset empties it, and makes it anew only if the table has got another width.
func (g *gathering) reset(dims int) {
	if len(g.clean) != dims {
		*g = gathering{clean: make([]int64, dims), sum: make([]int64, dims), largest: make([][]int64, dims), spent: make([][]int64, dims)}
	}
	clear(g.sum)
	for d := range g.largest {
		g.largest[d], g.spent[d] = g.largest[d][:0], g.spent[d][:0]
	}
}

// gain takes in a resident that may go without a violation, as far as is known: what it
// makes available counts at every level from its own on.
func (g *gathering) gain(seats int32, requests []int64) {
	g.clean[Seat] += int64(seats)
	for d, q := range requests {
		g.clean[d+1] += q
		g.largest[d+1] = enter(g.largest[d+1], q)
	}
}

// spend takes in one that surely violates. It is kept apart, whatever its level: bounds
// without violations know nothing of it, and those with some add the largest of these.
func (g *gathering) spend(seats int32, requests []int64) {
	g.sum[Seat] += int64(seats)
	for d, q := range requests {
		g.sum[d+1] += q
		g.spent[d+1] = enter(g.spent[d+1], q)
	}
}

// forget takes a row out of the counts, count takes its residents in again. So counts
// are right for fresh rows and lag behind for stale ones, as the planes do.
func (t *Table) forget(r *row) {
	t.spent -= int(r.spent)
	if r.odd > 0 {
		t.odd--
	}
	r.odd, r.grouped, r.spent, r.covered = 0, 0, 0, r.covered[:0]
}

func (t *Table) count(r *row, x *resident, index int) {
	// A unit counts by what it is as a whole, a pod by the budgets over it.
	if x.ref < 0 {
		r.grouped++
		u := &t.units[^x.ref]
		if u.Odd {
			if r.odd == 0 {
				t.odd++
			}
			r.odd++
		}
		if len(u.Covers) > 0 {
			r.covered = append(r.covered, int32(index))
		}
	} else if x.over >= 0 {
		r.covered = append(r.covered, int32(index))
	}
	if t.isSpent(x) {
		r.spent++
		t.spent++
	}
}
