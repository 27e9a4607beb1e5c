package columnar

import (
	"cmp"
	"slices"
	"sort"
)

// maxLevels bounds the number of planes. As long as there are no more distinct
// priorities than that, each has a level of its own and the bounds are exact in
// priority; beyond it levels are ranges.
const maxLevels = 32

// Planes take room on every node, so there are not many more of them than a node
// has residents, but for a few.
const (
	levelsPerResident = 2
	fewestLevels      = 8
)

// A level is a range of priorities, from low to high. Levels are disjoint and
// ascending, and together with the gaps between them cover all priorities: a
// new priority in the gap below a level joins that level or founds its own.
//
// Invariants, but for stale rows, whose count alone is right at once: clean, latest and
// late are exact, and tops a little above, or above by some that have come to violate for
// sure. docs/engine.md says what a search makes of them.
type level struct {
	low, high int32
	count     int // residents
	// clean is what is available on each node with all residents up to here gone
	// that may go without violating a budget.
	clean plane
	// tops are the largest requests of those residents.
	tops tops
	// latest are the latest starts, latest first, of those of them that belong to
	// this level alone: several for the lowest level, where most searches end, one
	// for the others.
	latest plane
	// late is the latest start of those of this level alone that surely violate.
	late plane
}

// lowestStarts is how many starts the lowest level keeps.
const lowestStarts = 8

// startsAt returns how many starts level k keeps.
func startsAt(k int) int {
	if k == 0 {
		return lowestStarts
	}
	return 1
}

func (l *level) grow() {
	l.clean.grow()
	l.tops.grow()
	l.latest.grow()
	l.late.grow()
	l.forget(l.late.nodes - 1)
}

// forget leaves a node without starts.
func (l *level) forget(node int) {
	l.latest.setAll(node, nil)
	l.late.set(node, 0, never)
}

// setAll takes the amounts of a node in the first dimensions, and never in others.
func (p *plane) setAll(node int, amounts []int64) {
	for d := range p.dims {
		if d < len(amounts) {
			p.set(node, d, amounts[d])
		} else {
			p.set(node, d, never)
		}
	}
}

// settle finds the extremes of the blocks in a range.
func (l *level) settle(from, to int) {
	l.clean.settle(from, to)
	l.tops.settle(from, to)
	l.latest.settle(from, to)
	l.late.settle(from, to)
}

// loosen leaves the extremes of blocks to settle (true), or keeps them from now on.
func (l *level) loosen(loose bool) {
	l.clean.loose, l.tops.loose, l.latest.loose, l.late.loose = loose, loose, loose, loose
}

func (l *level) remove(node int) {
	l.clean.remove(node)
	l.tops.remove(node)
	l.latest.remove(node)
	l.late.remove(node)
}

// levelOf returns the level that a priority belongs to; it must exist.
func (t *Table) levelOf(priority int32) int {
	return sort.Search(len(t.levels), func(i int) bool { return priority <= t.levels[i].high })
}

// levelFor returns the level that a priority belongs to, and makes it if there
// is room for one more.
func (t *Table) levelFor(priority int32) int {
	k := t.levelOf(priority)
	if k < len(t.levels) && t.levels[k].low <= priority {
		return k
	}
	if len(t.levels) < t.mostLevels {
		t.found(k, priority)
		return k
	}
	// No room: a neighbour becomes a wider range. Its planes hold for that as they are,
	// since no resident is in the gap yet.
	if k == len(t.levels) {
		k--
		t.levels[k].high = priority
	} else {
		t.levels[k].low = priority
	}
	return k
}

// found makes a level at place k. Nobody is in it yet, so what is available when
// it is evicted is what was available below it.
func (t *Table) found(k int, priority int32) {
	l := level{low: priority, high: priority, latest: newPlane(startsAt(k), len(t.rows)), late: newPlane(1, len(t.rows))}
	if k == 0 {
		l.clean, l.tops = t.free.clone(), newTops(t.dims, len(t.rows))
	} else {
		below := &t.levels[k-1]
		l.clean, l.tops = below.clean.clone(), below.tops.clone()
	}
	for n := range t.rows {
		l.forget(n)
	}
	t.levels = slices.Insert(t.levels, k, l)
	t.widenStale()
}

// relayIfSkewed lays the levels out anew where ranges have become lopsided. It
// does so at most once in as many updates as there are residents, so that the
// cost is constant an update.
func (t *Table) relayIfSkewed() {
	if len(t.levels) < t.mostLevels || t.churn <= t.residents {
		return
	}
	t.churn = 0
	for i := range t.levels {
		if l := &t.levels[i]; l.low < l.high && l.count > 4*t.residents/t.mostLevels {
			t.Relay()
			return
		}
	}
}

// Relay lays the levels out anew, so that each has about as many residents as
// any other, and computes every plane. It takes O(nodes × levels + residents).
func (t *Table) Relay() {
	// How many residents there are of each priority.
	counts := make(map[int32]int)
	for i := range t.rows {
		for _, p := range t.rows[i].priorities {
			counts[p]++
		}
	}
	type step struct {
		priority int32
		count    int
	}
	steps := make([]step, 0, len(counts))
	for p, n := range counts {
		steps = append(steps, step{p, n})
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.priority, b.priority) })
	// As many levels as rows are long, more or less. Priorities that share one are
	// neighbours, and each level has its share of the residents.
	t.levels = nil
	t.mostLevels = maxLevels
	if n := len(t.rows); n > 0 {
		t.mostLevels = min(max(levelsPerResident*t.residents/n, fewestLevels), maxLevels)
	}
	share, taken := t.residents/t.mostLevels+1, 0
	for i, s := range steps {
		exact := len(steps) <= t.mostLevels
		if i == 0 || exact || taken >= share && len(t.levels) < t.mostLevels {
			n := len(t.rows)
			t.levels = append(t.levels, level{low: s.priority, clean: newPlane(t.dims, n), tops: newTops(t.dims, n),
				latest: newPlane(startsAt(len(t.levels)), n), late: newPlane(1, n)})
			taken = 0
		}
		l := &t.levels[len(t.levels)-1]
		l.high = s.priority
		l.count += s.count
		taken += s.count
	}

	// Extremes of blocks are found once, when all is there.
	t.loosen(true)
	gathered := new([blockSize]gathering)
	for b := range t.blocks() {
		t.refreshBlock(b, gathered)
	}
	t.loosen(false)
}

func (t *Table) loosen(loose bool) {
	t.spentSum.loose, t.spentTops.loose = loose, loose
	for i := range t.levels {
		t.levels[i].loosen(loose)
	}
}
