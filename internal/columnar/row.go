package columnar

import "slices"

// row is one node. What every evaluation reads of it comes first: a row is two lines of
// memory, and what walks for victims go by is in the first.
type row struct {
	// The residents, most important first: their priorities, which most walks ask for
	// alone; what they request; and all else.
	priorities []int32
	requests   requests
	residents  []resident

	// What follows from the residents, up to date unless the row is stale.
	covered   []int32 // residents with a budget over them, as indices, least important first
	odd       int32   // odd residents
	grouped   int32   // residents that are units
	spent     int32   // residents that surely violate
	waits     bool    // for what is stale to be computed, among the rows that a query computes
	waitsLong bool    // among those that it may leave to others
}

// resident is what a row keeps of a Resident beside its priority and requests.
type resident struct {
	start int64
	ref   int32
	// over is the set of budgets over a pod. Units have sets of their own: of them it is
	// the seats, of which a pod has one.
	over int32
}

// resident returns one of the residents, in the terms of callers.
func (r *row) resident(i int) Resident {
	e := &r.residents[i]
	return Resident{Priority: r.priorities[i], Ref: e.ref, Cover: e.cover(), Seats: e.seats(), Start: e.start}
}

// cover returns the set of budgets over a pod, -1 for a unit.
func (e *resident) cover() int32 {
	if e.ref < 0 {
		return -1
	}
	return e.over
}

func (e *resident) seats() int32 {
	if e.ref < 0 {
		return e.over
	}
	return 1
}

// kept is what a row keeps of a resident.
func kept(x *Resident) resident {
	if x.Ref < 0 {
		return resident{x.Start, x.Ref, x.Seats}
	}
	return resident{x.Start, x.Ref, x.Cover}
}

// set puts a resident in the place of another one, insert before another one; what they
// request is left alone.
func (r *row) set(i int, x *Resident) { r.priorities[i], r.residents[i] = x.Priority, kept(x) }

func (r *row) insert(i int, x *Resident) {
	r.priorities = slices.Insert(r.priorities, i, x.Priority)
	r.residents = slices.Insert(r.residents, i, kept(x))
}

// drop takes resident i out of a row.
func (r *row) drop(i int) {
	r.priorities = slices.Delete(r.priorities, i, i+1)
	r.residents = slices.Delete(r.residents, i, i+1)
	r.requests.drop(i)
}

// fit cuts requests, one for each dimension of the table, down to the row's width,
// which it makes large enough for them.
func (r *row) fit(requests []int64) []int64 {
	w := len(requests)
	for w > int(r.requests.width) && requests[w-1] == 0 {
		w--
	}
	if w > int(r.requests.width) {
		r.requests.widen(w, len(r.residents))
	}
	return requests[:r.requests.width]
}

// indexOf returns the index of the resident with that reference. Going through a
// short row from its beginning is faster than jumping about in it.
func (r *row) indexOf(ref int32) int {
	for i := range r.residents {
		if r.residents[i].ref == ref {
			return i
		}
	}
	return -1
}

// below returns the index of the first resident of lower priority than that.
func (r *row) below(priority int32) int {
	lo, hi := 0, len(r.priorities)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if r.priorities[mid] < priority {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
