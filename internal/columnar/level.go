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

// A level is a range of priorities, from low to high. Levels are disjoint and
// ascending, and together with the gaps between them cover all priorities: a
// new priority in the gap below a level joins that level or founds its own.
type level struct {
	low, high int32
	count     int   // residents
	clean     plane // evicting all residents up to here that may be clean of violations
	all       plane // evicting all residents up to here
	// Of the residents of this level alone, those that may be clean:
	largest []int64 // node×dims + dim: the largest request
	latest  []int64 // node: the latest start
}

func (l *level) grow(allocatable []int64) {
	l.clean.grow(allocatable)
	l.all.grow(allocatable)
	l.largest = append(l.largest, make([]int64, len(allocatable))...)
	l.latest = append(l.latest, never)
}

func (l *level) remove(node int) {
	l.clean.remove(node)
	l.all.remove(node)
	d := l.clean.dims
	l.largest = slices.Delete(l.largest, node*d, (node+1)*d)
	l.latest = slices.Delete(l.latest, node, node+1)
}

// raise takes a resident into what the level knows of a node.
func (l *level) raise(node, dims int, x *Resident, requests []int64) {
	largest := l.largest[node*dims : (node+1)*dims]
	largest[Seat] = max(largest[Seat], int64(x.Seats))
	for d, q := range requests {
		largest[d+1] = max(largest[d+1], q)
	}
	l.latest[node] = max(l.latest[node], x.Start)
}

// lower forgets what the level knows of a node.
func (l *level) lower(node, dims int) {
	clear(l.largest[node*dims : (node+1)*dims])
	l.latest[node] = never
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
	if len(t.levels) < maxLevels {
		t.found(k, priority)
		return k
	}
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
	l := level{low: priority, high: priority,
		largest: make([]int64, len(t.rows)*t.dims), latest: make([]int64, len(t.rows))}
	for i := range l.latest {
		l.latest[i] = never
	}
	if k == 0 {
		l.clean, l.all = t.free.clone(), t.free.clone()
	} else {
		l.clean, l.all = t.levels[k-1].clean.clone(), t.levels[k-1].all.clone()
	}
	t.levels = slices.Insert(t.levels, k, l)
}

// relayIfSkewed lays the levels out anew where ranges have become lopsided. It
// does so at most once in as many updates as there are residents, so that the
// cost is constant an update.
func (t *Table) relayIfSkewed() {
	if len(t.levels) < maxLevels || t.churn <= t.residents {
		return
	}
	for i := range t.levels {
		if l := &t.levels[i]; l.low < l.high && l.count > 4*t.residents/maxLevels {
			t.Relay()
			return
		}
	}
	t.churn = 0
}

// Relay lays the levels out anew, so that each has about as many residents as
// any other, and computes every plane. It takes O(nodes × levels + residents).
func (t *Table) Relay() {
	t.churn = 0
	counts := make(map[int32]int)
	for i := range t.rows {
		for _, x := range t.rows[i].residents {
			counts[x.Priority]++
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
	t.levels = nil
	share, taken := t.residents/maxLevels+1, 0
	for i, s := range steps {
		exact := len(steps) <= maxLevels
		if i == 0 || exact || taken >= share && len(t.levels) < maxLevels {
			t.levels = append(t.levels, level{low: s.priority})
			taken = 0
		}
		t.levels[len(t.levels)-1].high = s.priority
		taken += s.count
	}
	t.fill()
}

// fill computes the planes of freshly laid out levels.
func (t *Table) fill() {
	w := t.dims - 1
	for i := range t.levels {
		l := &t.levels[i]
		l.count = 0
		l.clean, l.all = t.free.clone(), t.free.clone()
		l.largest, l.latest = make([]int64, len(t.rows)*t.dims), make([]int64, len(t.rows))
		for n := range t.rows {
			l.latest[n] = never
		}
	}
	for n := range t.rows {
		r := &t.rows[n]
		for i := range r.residents {
			x, requests := &r.residents[i], r.requests[i*w:(i+1)*w]
			k := t.levelOf(x.Priority)
			t.levels[k].count++
			spent := t.isSpent(x)
			if !spent {
				t.levels[k].raise(n, t.dims, x, requests)
			}
			for j := k; j < len(t.levels); j++ {
				t.levels[j].all.evict(n, x, requests)
				if !spent {
					t.levels[j].clean.evict(n, x, requests)
				}
			}
		}
	}
}

func (p *plane) evict(node int, x *Resident, requests []int64) {
	p.add(node, Seat, int64(x.Seats))
	for d, q := range requests {
		p.add(node, d+1, q)
	}
}
