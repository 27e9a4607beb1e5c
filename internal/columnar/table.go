package columnar

import (
	"iter"
	"slices"
	"sort"

	"example.com/preemption/internal/score"
)

// Seat is the dimension of the number of pods; every pod requests one.
const Seat = 0

// A Table holds the nodes and their residents. Queries may run concurrently with
// each other, not with updates.
//
// An update changes the rows, and what is free, at once. What follows from a row
// (levels, tops, counts, see refresh.go) is computed when the next query asks, so
// that updates between two queries cost little more than one.
type Table struct {
	dims       int
	importance func(node int, a, b Resident) int // positive if a is the more important
	rows       []row
	stale      *staleRows // whose summaries are not computed yet
	free       plane      // with no resident evicted
	held       holdings
	levels     []level
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
	journal   journal

	units   []Unit    // by index
	budgets []int64   // what each budget has left
	covers  [][]int32 // sets of budgets over a pod, each in the order of charging
	// chargeAll: a pod is charged to every budget that covers it, not only up to
	// the first overdrawn.
	chargeAll bool
	gathered  gathering
	removed   []int64 // what Remove has returned
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

// New returns an empty table of so many dimensions, seats included. Residents of
// a node are ordered by compare.
func New(dims int, chargeAll bool, compare func(node int, a, b Resident) int) *Table {
	return &Table{dims: dims, importance: compare, stale: &staleRows{}, free: newPlane(dims, 0), held: newHoldings(dims, 0), spentTops: newTops(dims, 0),
		spentSum: newPlane(dims, 0), chargeAll: chargeAll, mostLevels: maxLevels}
}

// Dims returns the number of dimensions.
func (t *Table) Dims() int { return t.dims }

// Levels returns the number of levels.
func (t *Table) Levels() int { return len(t.levels) }

// Nodes returns the number of nodes.
func (t *Table) Nodes() int { return len(t.rows) }

func (t *Table) blocks() int { return blocksOf(len(t.rows)) }

// AddNode adds a node at the end that has these amounts to give.
func (t *Table) AddNode(allocatable []int64) {
	t.journal.forget()
	t.rows = append(t.rows, row{})
	t.stale.parts = append(t.stale.parts, fresh)
	t.free.grow()
	t.held.grow()
	t.spentTops.grow()
	t.spentSum.grow()
	for i := range t.levels {
		t.levels[i].grow()
	}
	t.Resize(len(t.rows)-1, allocatable)
}

// RemoveNode removes an empty node; those behind it move up.
func (t *Table) RemoveNode(node int) {
	t.settleAll() // stale rows go by the number of their node
	t.journal.forget()
	t.rows = slices.Delete(t.rows, node, node+1)
	t.stale.parts = slices.Delete(t.stale.parts, node, node+1)
	t.free.remove(node)
	t.held.remove(node)
	t.spentTops.remove(node)
	t.spentSum.remove(node)
	for i := range t.levels {
		t.levels[i].remove(node)
	}
}

// Resize changes what a node has to give by these amounts. It is called too if what
// a query's Open says of the node may have changed.
func (t *Table) Resize(node int, delta []int64) {
	t.journal.note(node)
	for d, x := range delta {
		t.free.add(node, d, x)
		for i := range t.levels {
			t.levels[i].clean.add(node, d, x)
		}
	}
}

// Load builds the table of so many nodes at once: next yields, for each in turn,
// what it has to give, its residents, most important first, and their requests, all of
// which it may write over for the next. Rows have room for as many residents as the
// capacities of these lists say, room in all. The table must be empty. It takes
// O(nodes × levels + residents).
func (t *Table) Load(nodes, room int, next func(node int) (allocatable []int64, residents []Resident, requests []int64)) {
	t.rows, t.stale.parts = make([]row, nodes), make([]part, nodes)
	t.free, t.spentSum, t.spentTops = newPlane(t.dims, nodes), newPlane(t.dims, nodes), newTops(t.dims, nodes)
	t.held = newHoldings(t.dims, nodes)
	t.free.loose = true

	// Rows first, with what they leave free. All else follows from the rows at once. They
	// are one behind the other, so that a search that goes from node to node reads on.
	w := t.dims - 1
	memory := row{priorities: make([]int32, room), residents: make([]resident, room)}
	small := make([]uint32, room*w)
	left := make([]int64, t.dims)
	for node := range t.rows {
		allocatable, residents, amounts := next(node)
		r, n := &t.rows[node], cap(residents)
		r.priorities, memory.priorities = memory.priorities[:0:n], memory.priorities[n:]
		r.residents, memory.residents = memory.residents[:0:n], memory.residents[n:]
		for i := range residents {
			r.priorities = append(r.priorities, residents[i].Priority)
			r.residents = append(r.residents, kept(&residents[i]))
		}
		r.requests.width, r.requests.small, small = uint8(w), small[:0:n*w], small[n*w:]
		if r.requests.pack(amounts); r.requests.large != nil {
			*r.requests.large = slices.Clone(amounts) // next writes over them
		}
		t.residents += len(residents)
		copy(left, allocatable)
		for i := range residents {
			left[Seat] -= int64(residents[i].Seats)
			for d, q := range amounts[i*w : (i+1)*w] {
				left[d+1] -= q
			}
		}
		for d, amount := range left {
			t.free.set(node, d, amount)
		}
	}
	t.free.loose = false
	t.free.settle(0, t.blocks())
	t.Relay()
}

// Add adds a resident with its requests, one for each dimension but the seats.
func (t *Table) Add(node int, x Resident, requests []int64) {
	t.insert(node, x, requests)
	t.residents++
	t.churn++
	k := t.levelFor(x.Priority)
	t.levels[k].count++
	t.take(node, &x, requests, -1)
	t.mark(node, moved(k, t.Spent(&x)))
	t.relayIfSkewed()
}

// Remove removes the resident with that reference. It returns what that requested, in as
// many dimensions as its row has, in memory that the next call uses again.
func (t *Table) Remove(node int, ref int32) (requests []int64) {
	r := &t.rows[node]
	at := r.indexOf(ref)
	x := r.resident(at)
	t.removed = r.requests.of(at, t.removed[:0])
	t.take(node, &x, t.removed, +1)
	r.drop(at)
	t.residents--
	t.churn++
	k := t.levelOf(x.Priority)
	t.levels[k].count--
	t.mark(node, moved(k, t.Spent(&x)))
	return t.removed
}

// Change puts x in the place of the resident with its reference, and adds requests
// to what it takes (sign +1) or takes them away (-1). Stale tells that its unit has
// come to count otherwise. It takes O(residents).
func (t *Table) Change(node int, x Resident, requests []int64, sign int64, stale bool) {
	r := &t.rows[node]
	// What is requested, then which level it counts in, then its place in the row.
	at := r.indexOf(x.Ref)
	old := r.resident(at)
	r.set(at, &x)
	if sign != 0 {
		requests = r.fit(requests)
		t.take(node, &Resident{Seats: 1}, requests, -sign)
		for d, q := range requests {
			r.requests.add(at, d+1, sign*q)
		}
	}
	if x.Priority != old.Priority {
		t.levels[t.levelOf(old.Priority)].count--
		t.levels[t.levelFor(x.Priority)].count++
	}
	if t.reorder(node, at) || x != old || stale || sign != 0 {
		t.mark(node, everything)
	}
}

// SetCover changes which budgets are over a pod.
func (t *Table) SetCover(node int, ref, cover int32) {
	r := &t.rows[node]
	r.residents[r.indexOf(ref)].over = cover
	t.mark(node, everything)
}

// reorder puts a resident whose importance has changed in its place. It reports
// whether that is another one.
func (t *Table) reorder(node, at int) (moved bool) {
	// Importance rarely changes much: mostly the neighbours say that nothing moves.
	r := &t.rows[node]
	x := r.resident(at)
	before := at == 0 || t.against(node, at-1, &x) > 0
	behind := at == len(r.residents)-1 || t.against(node, at+1, &x) < 0
	if before && behind {
		return false
	}
	requests := r.requests.of(at, nil)
	r.drop(at)
	t.insert(node, x, requests)
	return true
}

// insert puts a resident into a row.
func (t *Table) insert(node int, x Resident, requests []int64) {
	r := &t.rows[node]
	at := sort.Search(len(r.residents), func(i int) bool { return t.against(node, i, &x) < 0 })
	requests = r.fit(requests)
	r.insert(at, &x)
	r.requests.insert(at, requests)
}

// against compares the importance of resident i of a node with that of another one.
func (t *Table) against(node, i int, x *Resident) int {
	return t.importance(node, t.rows[node].resident(i), *x)
}

// take accounts in the free plane for a resident that comes (-1) or goes (+1).
func (t *Table) take(node int, x *Resident, requests []int64, sign int64) {
	t.free.add(node, Seat, sign*int64(x.Seats))
	for d, q := range requests {
		t.free.add(node, d+1, sign*q)
	}
}

// Free returns what is available on a node with no resident evicted.
func (t *Table) Free(node, dim int) int64 { return t.free.at(node, dim) }

// Residents yields the residents of a node with their indices, from one on, most important
// first.
func (t *Table) Residents(node, from int) iter.Seq2[int, Resident] {
	return func(yield func(int, Resident) bool) {
		r := &t.rows[node]
		for i := from; i < len(r.residents) && yield(i, r.resident(i)); i++ {
		}
	}
}

// FirstBelow returns the index of the first of them of lower priority than that.
func (t *Table) FirstBelow(node int, priority int32) int { return t.rows[node].below(priority) }

// Request returns what one of them requests, by its index.
func (t *Table) Request(node, i, dim int) int64 {
	r := &t.rows[node]
	if dim == Seat {
		return int64(r.residents[i].seats()) // known of a row that is stale too
	}
	return r.requests.at(i, dim)
}

// Spent reports whether evicting the resident violates a budget whatever else is
// evicted.
func (t *Table) Spent(x *Resident) bool {
	e := kept(x)
	return t.isSpent(&e)
}

// Covered reports whether there are budgets over any resident of the node.
func (t *Table) Covered(node int) bool {
	t.settle()
	return len(t.rows[node].covered) > 0
}
