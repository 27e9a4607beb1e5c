package columnar

import (
	"math"
	"slices"
	"sort"
)

// Seat is the dimension of the number of pods; every pod requests one.
const Seat = 0

// A Table holds the nodes and their residents. Queries may run concurrently with
// each other, not with updates.
type Table struct {
	dims    int
	compare func(a, b *Resident) int // importance: positive if a is the more important
	rows    []row
	free    plane // with nobody evicted
	levels  []level

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
	First    int32 // own priority of the first pod
	Top      int32 // highest own priority
	TopStart int64 // earliest start of the pods of that priority
	Sum      int64 // of (own priority + 2^31)
	Pods     int32
	Odd      bool    // some pod's own priority is not the effective one
	Covers   []int32 // of the pods that budgets cover, in the order of the pods
}

// row is one node.
type row struct {
	residents []Resident // most important first
	requests  []int64    // resident×(dims-1) + dim-1; seats are in the resident
	held      []Held
	heldReqs  []int64
	odd       int32 // odd residents
	covered   int32 // residents with a budget over them
	grouped   int32 // residents that are units
	spent     int32 // residents that surely violate
}

// Held is a pod that is nominated to a node. It takes room there from preemptors
// of a priority not above its own.
type Held struct {
	Priority int32
	Ref      int32
}

// New returns an empty table of so many dimensions, seats included.
func New(dims int, chargeAll bool, compare func(a, b *Resident) int) *Table {
	return &Table{dims: dims, compare: compare, free: plane{dims: dims}, chargeAll: chargeAll}
}

// Dims returns the number of dimensions.
func (t *Table) Dims() int { return t.dims }

// Nodes returns the number of nodes.
func (t *Table) Nodes() int { return len(t.rows) }

// AddNode adds a node at the end that has these amounts to give.
func (t *Table) AddNode(allocatable []int64) {
	t.rows = append(t.rows, row{})
	t.free.grow(allocatable)
	for i := range t.levels {
		t.levels[i].grow(allocatable)
	}
}

// RemoveNode removes an empty node; those behind it move up.
func (t *Table) RemoveNode(node int) {
	t.rows = slices.Delete(t.rows, node, node+1)
	t.free.remove(node)
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
			t.levels[i].all.add(node, d, x)
		}
	}
}

// Add adds a resident with its requests, one for each dimension but the seats.
func (t *Table) Add(node int, x Resident, requests []int64) {
	at := sort.Search(len(t.rows[node].residents), func(i int) bool {
		return t.compare(&t.rows[node].residents[i], &x) < 0
	})
	t.insert(node, at, x, requests)
}

func (t *Table) insert(node, at int, x Resident, requests []int64) {
	r := &t.rows[node]
	r.residents = slices.Insert(r.residents, at, x)
	r.requests = slices.Insert(r.requests, at*(t.dims-1), requests...)
	t.residents++
	t.churn++
	t.count(r, &x, 1)
	k := t.levelFor(x.Priority)
	t.shift(node, k, &x, requests, -1)
	if !t.isSpent(&x) {
		t.levels[k].raise(node, t.dims, &x, requests)
	}
	t.levels[k].count++
	t.relayIfSkewed()
}

// Remove removes the resident with that reference.
func (t *Table) Remove(node int, ref int32) {
	r := &t.rows[node]
	at := slices.IndexFunc(r.residents, func(x Resident) bool { return x.Ref == ref })
	x := r.residents[at]
	w := t.dims - 1
	requests := slices.Clone(r.requests[at*w : (at+1)*w])
	r.residents = slices.Delete(r.residents, at, at+1)
	r.requests = slices.Delete(r.requests, at*w, (at+1)*w)
	t.residents--
	t.churn++
	t.count(r, &x, -1)
	k := t.levelOf(x.Priority)
	t.shift(node, k, &x, requests, +1)
	t.levels[k].count--
	if !t.isSpent(&x) {
		t.relevel(node, k)
	}
}

// shift accounts for a resident of level k that comes (-1) or goes (+1): it takes
// room in the planes in which it is not evicted.
func (t *Table) shift(node, k int, x *Resident, requests []int64, sign int64) {
	spent := t.isSpent(x)
	t.free.add(node, Seat, sign*int64(x.Seats))
	for d, q := range requests {
		t.free.add(node, d+1, sign*q)
	}
	for i := range t.levels {
		l := &t.levels[i]
		if i < k {
			l.all.add(node, Seat, sign*int64(x.Seats))
			for d, q := range requests {
				l.all.add(node, d+1, sign*q)
			}
		}
		if i < k || spent {
			l.clean.add(node, Seat, sign*int64(x.Seats))
			for d, q := range requests {
				l.clean.add(node, d+1, sign*q)
			}
		}
	}
}

// relevel computes again what a level knows of a node's residents.
func (t *Table) relevel(node, k int) {
	l := &t.levels[k]
	l.lower(node, t.dims)
	r := &t.rows[node]
	w := t.dims - 1
	from, to := r.span(l.high, l.low)
	for i := from; i < to; i++ {
		if x := &r.residents[i]; !t.isSpent(x) {
			l.raise(node, t.dims, x, r.requests[i*w:(i+1)*w])
		}
	}
}

// span returns the residents with priorities in [low, high].
func (r *row) span(high, low int32) (from, to int) {
	from = sort.Search(len(r.residents), func(i int) bool { return r.residents[i].Priority <= high })
	to = from + sort.Search(len(r.residents)-from, func(i int) bool { return r.residents[from+i].Priority < low })
	return from, to
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

func (t *Table) count(r *row, x *Resident, by int32) {
	if x.Ref < 0 {
		r.grouped += by
		u := &t.Units[^x.Ref]
		if u.Odd {
			if r.odd == 0 && by > 0 {
				t.odd++
			}
			r.odd += by
			if r.odd == 0 {
				t.odd--
			}
		}
		if len(u.Covers) > 0 {
			r.covered += by
		}
	} else if x.Cover >= 0 {
		r.covered += by
	}
	if t.isSpent(x) {
		r.spent += by
		t.spent += int(by)
	}
}

// Refresh computes what the table knows of a node again, after Units, Budgets or
// Covers changed under its residents. It takes O(residents + levels).
func (t *Table) Refresh(node int) {
	r := &t.rows[node]
	t.spent -= int(r.spent)
	if r.odd > 0 {
		t.odd--
	}
	r.odd, r.covered, r.grouped, r.spent = 0, 0, 0, 0
	w := t.dims - 1
	clean := slices.Clone(t.free.at(node))
	at := len(r.residents)
	for k := range t.levels {
		l := &t.levels[k]
		l.lower(node, t.dims)
		for ; at > 0 && r.residents[at-1].Priority <= l.high; at-- {
			x, requests := &r.residents[at-1], r.requests[(at-1)*w:at*w]
			t.count(r, x, 1)
			if t.isSpent(x) {
				continue
			}
			l.raise(node, t.dims, x, requests)
			clean[Seat] += int64(x.Seats)
			for d, q := range requests {
				clean[d+1] += q
			}
		}
		for d, have := range l.clean.at(node) {
			l.clean.add(node, d, clean[d]-have)
		}
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
	return slices.ContainsFunc(t.Units[^x.Ref].Covers, t.overdrawn)
}

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

const never = math.MinInt64 // later than no start

// Load sets the residents of a node that has none, most important first. Relay
// must follow once all nodes are loaded.
func (t *Table) Load(node int, residents []Resident, requests []int64) {
	r := &t.rows[node]
	r.residents, r.requests = residents, requests
	w := t.dims - 1
	for i := range residents {
		x := &residents[i]
		t.count(r, x, 1)
		t.free.add(node, Seat, -int64(x.Seats))
		for d, q := range requests[i*w : (i+1)*w] {
			t.free.add(node, d+1, -q)
		}
	}
	t.residents += len(residents)
}
