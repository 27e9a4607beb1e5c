package preemption

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"example.com/preemption/internal/columnar"
)

// maxDimensions bounds how many resources the engine keeps in its columns, the
// number of pods included: each costs four bytes a pod, mostly. A preemptor that
// requests a resource beyond them, which pods request too, takes the slow path.
const maxDimensions = columnar.MaxDimensions

// engine keeps the columnar state of a cluster. It is told of every change.
//
// Invariants: each row of the table has the node's units as residents, by importance,
// and the pods nominated to it as held; a resident's reference is the number of its
// pod, or the complement of its unit's index; every pod that takes room is counted
// once, in uses or in others, for each resource that it requests. Tests compute rows
// anew (CheckEngine).
type engine struct {
	cluster *Cluster
	table   *columnar.Table
	// names are the dimensions' resources. The first is PodCount, of which each pod takes
	// one without requesting it.
	names []string
	// uses counts, by dimension, the bound and nominated pods that request some of it. One
	// that none requests any more may be given to another resource. Others lists those of
	// resources that have none.
	uses   []int
	others map[string]idSet
	units  []*groupUnit // by index in the table; nil: unused
	unused []int32      // places in units whose unit is gone
	pool   sync.Pool    // of *fastSearch, which queries may borrow at the same time
	// buffer is for one pod's amounts: updates come one at a time.
	buffer [maxDimensions]int64
}

// An idSet is a set of pods, by number.
type idSet map[int32]struct{}

// compile builds the engine of a cluster that is complete but for it.
func compile(l *loading) *engine {
	e := &engine{cluster: l.Cluster, names: []string{PodCount}, uses: []int{0}, others: map[string]idSet{}}
	e.chooseDimensions(l)

	// What rows refer to comes before them: sets of budgets, budgets, units.
	e.table = columnar.New(len(e.names), l.release.rules().chargesEveryBudget, e.comparison())
	for i := range l.covers.sets {
		e.setCover(int32(i))
	}
	for _, b := range l.budgets.inOrder() {
		e.addBudget(b)
	}
	shares := make(map[*groupUnit][]int64)
	for _, u := range l.inUnits() {
		e.numberUnit(u)
		shares[u] = e.unitRequests(u)
	}
	e.load(l, shares)

	// Nominations: the order is that of each node, which the map does not touch.
	for node, pods := range l.nominated {
		for _, p := range pods {
			if s := l.byName[node]; s != nil {
				e.hold(s, l.pods.find(p.Namespace, p.Name), e.requests(p))
			}
		}
	}
	return e
}

// chooseDimensions takes the resources that most pods request. The others keep lists of
// those that do.
func (e *engine) chooseDimensions(l *loading) {
	uses := make(map[string]int)
	for k, name := range l.requested.names {
		if n := l.requested.uses[k]; n > 0 {
			uses[name] = n
		}
	}
	names := byUse(uses)
	most := min(len(names), maxDimensions-1)
	for _, name := range names[:most] {
		e.names, e.uses = append(e.names, name), append(e.uses, uses[name])
	}
	for _, name := range names[most:] {
		e.others[name] = make(idSet, uses[name])
	}
	if len(e.others) == 0 {
		return // mostly there are few resources
	}

	// The others want to know which pods to look at, should a dimension become free.
	for id := range l.pods.entries {
		if id := int32(id); l.takesRoom(id) {
			for name, amount := range l.pods.at(id).pod.Requests {
				if users := e.others[name]; users != nil && amount > 0 {
					users[id] = struct{}{}
				}
			}
		}
	}
}

// byUse returns resources, most used first, and of those used alike the first by name,
// so that equal clusters compile to equal tables.
func byUse(uses map[string]int) []string {
	names := slices.Collect(maps.Keys(uses))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(uses[b], uses[a]), cmp.Compare(a, b))
	})
	return names
}

// dimension returns the dimension of a resource, zero if it has none. Comparing a
// handful of names is faster than a map.
func (e *engine) dimension(name string) int {
	return 1 + slices.Index(e.names[1:], name)
}

// takesRoom reports whether the pod is bound, or nominated, so that it can be in
// the way of a preemptor.
func (c *Cluster) takesRoom(id int32) bool {
	_, nominated := c.nominations[id]
	return nominated || c.slotOf(id) != nil
}

// vector lays amounts out by dimension, seats first. It is valid until the next call of
// vector or requests.
func (e *engine) vector(r Resources, seats int64) []int64 {
	v := append(e.buffer[:0], seats)
	for _, name := range e.names[1:] {
		v = append(v, r[name])
	}
	return v
}

// requests lays a pod's requests out by dimension, without its seat. What has no
// dimension is left out: a preemptor that requests it takes the slow path, so no search
// misses it.
func (e *engine) requests(p *Pod) []int64 {
	v := e.row()
	for name, amount := range p.Requests {
		if d := e.dimension(name); d > 0 {
			v[d-1] = amount
		}
	}
	return v
}

// row returns room for an amount in each dimension but the seats, all zero.
func (e *engine) row() []int64 {
	v := e.buffer[:len(e.names)-1]
	clear(v)
	return v
}

// demandsOf lays a pod's requests out by dimension: what fewer pods request, which may
// rule out more nodes, first, seats last. What no pod requests is set apart. It reports
// false if some pods request it, but it is no dimension.
func (e *engine) demandsOf(p *Pod, demands []columnar.Demand, beyond []demand) ([]columnar.Demand, []demand, bool) {
	known := 0 // by the dimensions' names: a map's order would show in a search's work
	for d, name := range e.names {
		if amount, ok := p.Requests[name]; ok {
			known++
			switch {
			case amount == 0 || d == columnar.Seat:
			case e.uses[d] == 0: // what requested it has gone
				beyond = append(beyond, demand{name, amount})
			default:
				demands = append(demands, columnar.Demand{Dim: d, Amount: amount})
			}
		}
	}
	slices.SortStableFunc(demands, func(a, b columnar.Demand) int { return cmp.Compare(e.uses[a.Dim], e.uses[b.Dim]) })
	demands = append(demands, columnar.Demand{Dim: columnar.Seat, Amount: 1})
	if known == len(p.Requests) {
		return demands, beyond, true
	}
	for name, amount := range p.Requests {
		if e.dimension(name) > 0 || amount == 0 || name == PodCount {
			continue
		}
		if len(e.others[name]) > 0 {
			return demands, beyond, false
		}
		beyond = append(beyond, demand{name, amount})
	}
	return demands, beyond, true
}

// comparison orders residents as CompareImportance orders victims; of equals the
// one whose first pod was added to the node earlier comes first, as in a stable
// sort of the node's victims.
//
// The table orders rows by it and never asks what a resident stands for, so it is the
// one place where the release's rules of importance enter the engine.
func (e *engine) comparison() func(node int, a, b columnar.Resident) int {
	return func(node int, a, b columnar.Resident) int {
		if d := cmp.Compare(a.Priority, b.Priority); d != 0 {
			return d
		}

		// A pod by itself stands below a group, whatever the group's size.
		kind, pods := e.standing(&a)
		otherKind, otherPods := e.standing(&b)
		if d := cmp.Or(cmp.Compare(kind, otherKind), cmp.Compare(pods, otherPods)); d != 0 {
			return d
		}
		if d := cmp.Compare(b.Start, a.Start); d != 0 {
			return d
		}
		if d := cmp.Compare(e.firstPod(&b).UID, e.firstPod(&a).UID); d != 0 {
			return d
		}

		// Equal in everything: the node decides, which few comparisons come to.
		s := e.cluster.slots[node]
		return cmp.Compare(e.place(s, &b), e.place(s, &a))
	}
}

// standing returns what a resident ranks by before its start. A pod that only ranks as
// its group says is of the group's kind, and one pod.
func (e *engine) standing(x *columnar.Resident) (VictimKind, int) {
	if x.Ref >= 0 {
		return KindPod, 1
	}
	u := e.units[^x.Ref]
	if u.key == (groupKey{}) {
		return e.cluster.victimIn(u).Kind, 1
	}
	return u.key.kind, u.tally.Pods()
}

// firstPod returns the pod whose UID tells residents apart that are alike otherwise.
func (e *engine) firstPod(x *columnar.Resident) *Pod {
	if x.Ref >= 0 {
		return e.cluster.pods.at(x.Ref).pod
	}
	return e.cluster.pods.at(e.units[^x.Ref].members[0]).pod
}

// place returns the place on the node of a resident's first pod there.
func (e *engine) place(s *nodeSlot, x *columnar.Resident) int {
	return slices.IndexFunc(s.pods, func(p *Pod) bool {
		if x.Ref >= 0 {
			return p == e.cluster.pods.at(x.Ref).pod
		}
		return e.cluster.unitOfPod(p) == e.units[^x.Ref]
	})
}

// load fills the table, which is done row by row so that all that a row needs is read
// while it is at hand.
func (e *engine) load(l *loading, shares map[*groupUnit][]int64) {
	// Rows have room to grow, so that the first pods to come move no row.
	w := len(e.names) - 1
	room, most := 0, 0
	for _, s := range l.slots {
		n := roomFor(len(s.pods))
		room, most = room+n, max(most, n)
	}
	residents := make([]columnar.Resident, most)
	var amounts []int64

	// Requests were read once, when the pods were entered.
	columns := make([][]int64, w)
	for d := range columns {
		columns[d] = l.requested.column(e.names[d+1])
	}

	// Row by row: the residents, a unit once, then in order, then what they request.
	e.table.Load(len(l.slots), room, func(node int) ([]int64, []columnar.Resident, []int64) {
		s := l.slots[node]
		row := residents[:0:roomFor(len(s.pods))]
		amounts = amounts[:0]
		for _, id := range l.on(s) {
			if u := l.unitOf[id]; u == nil {
				row = append(row, plainResident(l.pods.at(id), id))
			} else if x := e.share(u, u.shares[u.shareOf(s)]); !slices.ContainsFunc(row, func(o columnar.Resident) bool { return o.Ref == x.Ref }) {
				row = append(row, x)
			}
		}
		e.sortRow(node, row)
		for i := range row {
			amounts = append(amounts, e.loaded(l, row[i].Ref, s, columns, shares)...)
		}
		return e.vector(s.node.Allocatable, s.node.Allocatable[PodCount]), row, amounts
	})
}

// loaded returns what a resident of a node requests, from what was read of the pods.
func (e *engine) loaded(l *loading, ref int32, s *nodeSlot, columns [][]int64, shares map[*groupUnit][]int64) []int64 {
	if ref < 0 {
		u := e.units[^ref]
		w, i := len(columns), u.shareOf(s)
		return shares[u][i*w : (i+1)*w]
	}
	v := e.buffer[:0]
	for d, column := range columns {
		if column != nil {
			v = append(v, column[ref])
		} else {
			v = append(v, l.pods.at(ref).pod.Requests[e.names[d+1]])
		}
	}
	return v
}

// sortRow sorts the residents of a node, most important first. Mostly priority and
// start settle it.
func (e *engine) sortRow(node int, row []columnar.Resident) {
	compare := e.comparison()
	slices.SortFunc(row, func(a, b columnar.Resident) int {
		if a.Priority != b.Priority {
			return cmp.Compare(b.Priority, a.Priority)
		}
		if a.Ref >= 0 && b.Ref >= 0 && a.Start != b.Start {
			return cmp.Compare(a.Start, b.Start)
		}
		return compare(node, b, a)
	})
}

// plainResident is what a pod that goes by itself is on its node.
func plainResident(entry *podEntry, id int32) columnar.Resident {
	return columnar.Resident{Priority: entry.pod.Priority, Ref: id, Cover: entry.cover, Seats: 1, Start: startOf(entry.pod.Start)}
}

// share returns what a unit is on one of its nodes. It ranks and starts as the whole unit
// does; only its seats are the node's own. Budgets are over the unit, not over shares.
func (e *engine) share(u *groupUnit, on unitShare) columnar.Resident {
	return columnar.Resident{Priority: u.tally.Rank(), Ref: ^u.index, Cover: noCover, Seats: int32(on.pods), Start: u.tally.Earliest()}
}

// unitRequests sums what a unit requests on each of its nodes.
func (e *engine) unitRequests(u *groupUnit) []int64 {
	w := len(e.names) - 1
	sums := make([]int64, w*len(u.shares))
	at := make(map[*nodeSlot]int, len(u.shares))
	for i, share := range u.shares {
		at[share.slot] = i * w
	}
	for _, id := range u.members {
		sum := sums[at[e.cluster.slotOf(id)]:]
		for d, q := range e.requests(e.cluster.pods.at(id).pod) {
			sum[d] += q
		}
	}
	return sums
}

// inUnits returns the units in an order that does not depend on a map.
func (c *Cluster) inUnits() []*groupUnit {
	var units []*groupUnit
	if len(c.unitOf) == 0 {
		return nil
	}

	// The order of nodes, and of pods on them.
	seen := make(map[*groupUnit]bool, len(c.unitOf))
	for _, s := range c.slots {
		for _, p := range s.pods {
			if u := c.unitOfPod(p); u != nil && !seen[u] {
				seen[u] = true
				units = append(units, u)
			}
		}
	}
	return units
}

// numberUnit gives a unit its place in the table: that of one which is gone, if there
// is any, so that numbers do not grow with the units that come and go.
func (e *engine) numberUnit(u *groupUnit) {
	if n := len(e.unused); n > 0 {
		u.index, e.unused = e.unused[n-1], e.unused[:n-1]
	} else {
		u.index = int32(len(e.units))
		e.units = append(e.units, nil)
	}
	e.units[u.index] = u
	e.table.SetUnit(u.index, e.costs(u))
}

// costs says what evicting a unit costs, which is the same on each of its nodes: to
// evict one share is to evict all.
func (e *engine) costs(u *groupUnit) columnar.Unit {
	x := columnar.Unit{Cost: u.tally.Score(e.cluster.pods.at(u.members[0]).pod.Priority), Odd: u.tally.Odd()}
	if e.cluster.budgets.count() == 0 {
		return x
	}

	// One set for each covered pod, in the order of the pods, in which they are charged.
	for _, id := range u.members {
		if cover := e.cluster.pods.at(id).cover; cover != noCover {
			x.Covers = append(x.Covers, cover)
		}
	}
	return x
}
