package columnar

import (
	"slices"
	"sort"

	"example.com/preemption/internal/score"
)

// Seat is the dimension of the number of pods; every pod requests one.
const Seat = 0

// A Table holds the nodes and their residents. Queries may run concurrently with
// each other, not with updates.
type Table struct {
	dims    int
	compare func(node int, a, b *Resident) int // importance: positive if a is the more important
	rows    []row
	free    plane // with nobody evicted
	levels  []level
	// mostLevels is how many levels there may be.
	mostLevels int
	// Of the residents that surely violate a budget, of all priorities: the largest
	// requests and the sum of requests.
	spentTops tops
	spentSum  plane

	residents int // in all rows
	odd       int // rows with odd residents
	spent     int // residents whose eviction surely violates a budget
	churn     int // updates since the levels were last laid out

	Units   []Unit    // by index
	Budgets []int64   // what each budget has left
	Covers  [][]int32 // sets of budgets over a pod, each in the order of charging
	// chargeAll: a pod is charged to every budget that covers it, not only up to
	// the first overdrawn.
	chargeAll bool
	gathered  gathering
}

// A Resident is one unit of eviction on one node: a pod, or the share of an
// atomic group.
type Resident struct {
	Priority int32 // effective
	Ref      int32 // the pod, or the complement (^) of the unit's index
	Cover    int32 // the budgets over a pod, -1 for none; a unit has its own
	Seats    int32 // pods on this node
	Start    int64
}

// A Unit is what an atomic group, or a pod whose own priority is not the
// effective one, costs as a whole, wherever its pods run.
type Unit struct {
	Cost   score.Score // violations left aside
	Odd    bool        // some pod's own priority is not the effective one
	Covers []int32     // of the pods that budgets cover, in the order of the pods
}

// row is one node.
type row struct {
	residents []Resident // most important first
	requests  []int64    // resident×(dims-1) + dim-1; seats are in the resident
	held      []Held
	heldReqs  []int64
	covered   []int32 // residents with a budget over them, as indices, least important first
	odd       int32   // odd residents
	grouped   int32   // residents that are units
	spent     int32   // residents that surely violate
}

// Held is a pod that is nominated to a node. It takes room there from preemptors
// of a priority not above its own.
type Held struct {
	Priority int32
	Ref      int32
}

// New returns an empty table of so many dimensions, seats included. Residents of
// a node are ordered by compare.
func New(dims int, chargeAll bool, compare func(node int, a, b *Resident) int) *Table {
	return &Table{dims: dims, compare: compare, free: newPlane(dims, 0), spentTops: newTops(dims, 0),
		spentSum: newPlane(dims, 0), chargeAll: chargeAll, mostLevels: maxLevels}
}

// Dims returns the number of dimensions.
func (t *Table) Dims() int { return t.dims }

// Nodes returns the number of nodes.
func (t *Table) Nodes() int { return len(t.rows) }

// AddNode adds a node at the end that has these amounts to give.
func (t *Table) AddNode(allocatable []int64) {
	t.rows = append(t.rows, row{})
	t.free.grow()
	t.spentTops.grow()
	t.spentSum.grow()
	for i := range t.levels {
		t.levels[i].grow()
	}
	t.Resize(len(t.rows)-1, allocatable)
}

// RemoveNode removes an empty node; those behind it move up.
func (t *Table) RemoveNode(node int) {
	t.rows = slices.Delete(t.rows, node, node+1)
	t.free.remove(node)
	t.spentTops.remove(node)
	t.spentSum.remove(node)
	for i := range t.levels {
		t.levels[i].remove(node)
	}
}

// Resize changes what a node has to give by these amounts.
func (t *Table) Resize(node int, delta []int64) {
	for d, x := range delta {
		t.free.add(node, d, x)
		for i := range t.levels {
			t.levels[i].clean.add(node, d, x)
		}
	}
}

// Load sets the residents of a node that has none, most important first. Relay
// must follow once all nodes are loaded.
func (t *Table) Load(node int, residents []Resident, requests []int64) {
	r := &t.rows[node]
	r.residents, r.requests = residents, requests
	w := t.dims - 1
	for i := range residents {
		t.free.add(node, Seat, -int64(residents[i].Seats))
		for d, q := range requests[i*w : (i+1)*w] {
			t.free.add(node, d+1, -q)
		}
	}
	t.residents += len(residents)
}

// Add adds a resident with its requests, one for each dimension but the seats.
// It takes O(residents + levels).
func (t *Table) Add(node int, x Resident, requests []int64) {
	t.insert(node, x, requests)
	t.residents++
	t.churn++
	k := t.levelFor(x.Priority)
	t.levels[k].count++
	t.take(node, &x, requests, -1)
	t.refresh(node, t.affected(k, &x))
	t.relayIfSkewed()
}

// Remove removes the resident with that reference. It takes O(residents +
// levels).
func (t *Table) Remove(node int, ref int32) {
	r := &t.rows[node]
	at := slices.IndexFunc(r.residents, func(x Resident) bool { return x.Ref == ref })
	x := r.residents[at]
	w := t.dims - 1
	t.take(node, &x, r.requests[at*w:(at+1)*w], +1)
	r.residents = slices.Delete(r.residents, at, at+1)
	r.requests = slices.Delete(r.requests, at*w, (at+1)*w)
	t.residents--
	t.churn++
	k := t.levelOf(x.Priority)
	t.levels[k].count--
	t.refresh(node, t.affected(k, &x))
}

// Change puts x in the place of the resident with its reference, and adds requests
// to what it takes (sign +1) or takes them away (-1). Stale tells that its unit has
// come to count otherwise. It takes O(residents) if nothing has to be refreshed.
func (t *Table) Change(node int, x Resident, requests []int64, sign int64, stale bool) {
	r := &t.rows[node]
	w := t.dims - 1
	at := slices.IndexFunc(r.residents, func(o Resident) bool { return o.Ref == x.Ref })
	old := r.residents[at]
	r.residents[at] = x
	if sign != 0 {
		t.take(node, &Resident{Seats: 1}, requests, -sign)
		for d, q := range requests {
			r.requests[at*w+d] += sign * q
		}
	}
	if x.Priority != old.Priority {
		t.levels[t.levelOf(old.Priority)].count--
		t.levels[t.levelFor(x.Priority)].count++
	}
	if t.reorder(node, at) || x != old || stale {
		t.refresh(node, everything)
	}
}

// reorder puts a resident whose importance has changed in its place. It reports
// whether that is another one.
func (t *Table) reorder(node, at int) (moved bool) {
	r := &t.rows[node]
	before := at == 0 || t.compare(node, &r.residents[at-1], &r.residents[at]) > 0
	behind := at == len(r.residents)-1 || t.compare(node, &r.residents[at], &r.residents[at+1]) > 0
	if before && behind {
		return false
	}
	w := t.dims - 1
	x, requests := r.residents[at], slices.Clone(r.requests[at*w:(at+1)*w])
	r.residents = slices.Delete(r.residents, at, at+1)
	r.requests = slices.Delete(r.requests, at*w, (at+1)*w)
	t.insert(node, x, requests)
	return true
}

// insert puts a resident into a row.
func (t *Table) insert(node int, x Resident, requests []int64) {
	r := &t.rows[node]
	at := sort.Search(len(r.residents), func(i int) bool { return t.compare(node, &r.residents[i], &x) < 0 })
	r.residents = slices.Insert(r.residents, at, x)
	r.requests = slices.Insert(r.requests, at*(t.dims-1), requests...)
}

// Grow adds a dimension of which nobody has or takes anything.
func (t *Table) Grow() {
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
	for i := range t.levels {
		l := &t.levels[i]
		l.clean, l.tops = l.clean.wider(), l.tops.wider()
	}
}

// Redefine gives a dimension another meaning: what each node has of it to give, and
// what its residents and those that hold a place on it take.
func (t *Table) Redefine(dim int, allocatable func(node int) int64, request func(node int, ref int32) int64) {
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
		for i, h := range r.held {
			r.heldReqs[i*w+dim-1] = request(node, h.Ref)
		}
		if same && left == t.free.at(node, dim) {
			continue
		}
		t.free.set(node, dim, left)
		t.refresh(node, everything)
	}
}

// everything tells refresh to compute all.
const everything = -1

// affected tells refresh what changes with a resident of level k.
func (t *Table) affected(k int, x *Resident) int {
	if t.isSpent(x) {
		return everything
	}
	return k
}

// take accounts in the free plane for a resident that comes (-1) or goes (+1).
func (t *Table) take(node int, x *Resident, requests []int64, sign int64) {
	t.free.add(node, Seat, sign*int64(x.Seats))
	for d, q := range requests {
		t.free.add(node, d+1, sign*q)
	}
}

// below returns the index of the first resident of lower priority than that.
func (r *row) below(priority int32) int {
	lo, hi := 0, len(r.residents)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if r.residents[mid].Priority < priority {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// Refresh computes what the table knows of a node again, after its residents, or
// Units, Budgets or Covers under them, changed. It takes O(residents + levels).
func (t *Table) Refresh(node int) { t.refresh(node, everything) }

// refresh is Refresh after a resident of one level, clean of violations, came or
// went: below its level what is available changes, from there on the largest
// requests.
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
		l.from[node] = int32(at)
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

// SetCover changes which budgets are over a pod. Refresh must follow.
func (t *Table) SetCover(node int, ref, cover int32) {
	for i := range t.rows[node].residents {
		if x := &t.rows[node].residents[i]; x.Ref == ref {
			x.Cover = cover
			return
		}
	}
}

// isSpent reports whether evicting the resident violates a budget whatever else
// is evicted: one over it has nothing left.
func (t *Table) isSpent(x *Resident) bool {
	if x.Ref >= 0 {
		return x.Cover >= 0 && t.overdrawn(x.Cover)
	}
	return t.SpentUnit(&t.Units[^x.Ref])
}

// SpentUnit reports whether evicting a unit violates a budget whatever else is
// evicted.
func (t *Table) SpentUnit(u *Unit) bool { return slices.ContainsFunc(u.Covers, t.overdrawn) }

func (t *Table) overdrawn(cover int32) bool {
	for _, b := range t.Covers[cover] {
		if t.Budgets[b] <= 0 {
			return true
		}
	}
	return false
}

// Hold records that a nominated pod takes room on a node.
func (t *Table) Hold(node int, h Held, requests []int64) {
	r := &t.rows[node]
	r.held = append(r.held, h)
	r.heldReqs = append(r.heldReqs, requests...)
}

// Release undoes Hold.
func (t *Table) Release(node int, ref int32) {
	r := &t.rows[node]
	w := t.dims - 1
	at := slices.IndexFunc(r.held, func(h Held) bool { return h.Ref == ref })
	r.held = slices.Delete(r.held, at, at+1)
	r.heldReqs = slices.Delete(r.heldReqs, at*w, (at+1)*w)
}

// Free returns what is available on a node with nobody evicted.
func (t *Table) Free(node, dim int) int64 { return t.free.at(node, dim) }

// Residents returns the residents of a node, most important first, and their
// requests, one for each dimension but the seats. They must not be modified.
func (t *Table) Residents(node int) ([]Resident, []int64) {
	return t.rows[node].residents, t.rows[node].requests
}

// Spent reports whether evicting the resident violates a budget whatever else is
// evicted.
func (t *Table) Spent(x *Resident) bool { return t.isSpent(x) }

// Covered reports whether there are budgets over any resident of the node.
func (t *Table) Covered(node int) bool { return len(t.rows[node].covered) > 0 }
