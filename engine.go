package preemption

import (
	"cmp"
	"slices"
	"sync"

	"example.com/preemption/internal/columnar"
)

// maxDimensions bounds how many resources the engine keeps in its columns, the
// number of pods included: each costs eight bytes a pod. A preemptor that
// requests a resource beyond them, which pods request too, takes the slow path.
const maxDimensions = 8

// engine keeps the columnar state of a cluster. It is told of every change once
// the cluster is complete; the nil engine of a cluster under construction
// ignores them.
type engine struct {
	cluster *Cluster
	table   *columnar.Table
	names   []string       // of the dimensions; the first is PodCount
	dims    map[string]int // by name
	// uses counts the bound and nominated pods that request a resource. A dimension
	// of a resource that none requests any more may be given to another.
	uses   map[string]int
	units  []*groupUnit // by index in the table; nil: unused
	unused []int32
	buffer []int64
	pool   sync.Pool // of *search
}

// compile builds the engine's state from scratch.
func (c *Cluster) compile() {
	e := &engine{cluster: c, names: []string{PodCount}, dims: map[string]int{}, uses: map[string]int{}}
	c.engine = e
	e.chooseDimensions()
	e.table = columnar.New(len(e.names), c.release.rules().chargesEveryBudget, e.comparison())
	for i := range c.covers.sets {
		e.setCover(int32(i))
	}
	for _, b := range c.budgets.inOrder() {
		e.addBudget(b)
	}
	shares := make(map[*groupUnit][]int64)
	for _, u := range c.inUnits() {
		e.numberUnit(u)
		shares[u] = e.unitRequests(u)
	}
	w := len(e.names) - 1
	room := 0
	for _, s := range c.slots {
		room += roomFor(len(s.pods))
	}
	slab := loadSlab{make([]columnar.Resident, 0, room), make([]int64, 0, room*w)}
	for _, s := range c.slots {
		e.table.AddNode(e.vector(s.node.Allocatable, s.node.Allocatable[PodCount]))
		e.load(s, shares, &slab)
		for _, p := range c.nominated[s.node.Name] {
			e.holdRow(s, c.pods.find(p.Namespace, p.Name), p)
		}
	}
	e.table.Relay()
}

// chooseDimensions takes the resources that most pods request.
func (e *engine) chooseDimensions() {
	for i := range e.cluster.pods.entries {
		if entry := &e.cluster.pods.entries[i]; entry.pod != nil && e.cluster.takesRoom(int32(i)) {
			for name, amount := range entry.pod.Requests {
				if amount > 0 && name != PodCount {
					e.uses[name]++
				}
			}
		}
	}
	names := e.byUse()
	for _, name := range names[:min(len(names), maxDimensions-1)] {
		e.dims[name] = len(e.names)
		e.names = append(e.names, name)
	}
}

// byUse returns the resources that pods request, most used first.
func (e *engine) byUse() []string {
	names := make([]string, 0, len(e.uses))
	for name := range e.uses {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(e.uses[b], e.uses[a]), cmp.Compare(a, b))
	})
	return names
}

// takesRoom reports whether the pod is bound, or nominated, so that it can be in
// the way of a preemptor.
func (c *Cluster) takesRoom(id int32) bool {
	_, nominated := c.nominations[id]
	return nominated || c.pods.at(id).slot != nil
}

// admit counts the resources that a pod which comes requests, and gives each a
// dimension if there is one to give.
func (e *engine) admit(p *Pod) {
	fresh := false
	for name, amount := range p.Requests {
		if amount > 0 && name != PodCount {
			e.uses[name]++
			_, known := e.dims[name]
			fresh = fresh || !known
		}
	}
	if !fresh {
		return
	}
	for _, name := range p.Requests.names() {
		if e.uses[name] > 0 {
			e.adopt(name)
		}
	}
}

// dismiss undoes admit, once the pod is gone from the table. If nobody requests a
// resource any more, its dimension goes to one that has none.
func (e *engine) dismiss(p *Pod) {
	for name, amount := range p.Requests {
		if amount <= 0 || name == PodCount {
			continue
		}
		if e.uses[name]--; e.uses[name] > 0 {
			continue
		}
		delete(e.uses, name)
		if len(e.uses) >= maxDimensions-1 {
			for _, other := range e.byUse() {
				e.adopt(other)
			}
		}
	}
}

// adopt gives a resource a dimension if it has none and there is one to give: one
// more, as long as there may be, or that of a resource which no pod requests. The
// rest of the table stays as it is.
func (e *engine) adopt(name string) {
	if _, known := e.dims[name]; known {
		return
	}
	dim := 1 + slices.IndexFunc(e.names[1:], func(old string) bool { return e.uses[old] == 0 })
	if dim == 0 && len(e.names) == maxDimensions {
		return
	}
	if dim == 0 {
		dim = len(e.names)
		e.names = append(e.names, name)
		e.table.Grow()
	} else {
		delete(e.dims, e.names[dim])
		e.names[dim] = name
	}
	e.dims[name] = dim
	e.table.Redefine(dim,
		func(node int) int64 { return e.cluster.nodes[node].Allocatable[name] },
		func(node int, ref int32) (sum int64) {
			if ref >= 0 {
				return e.cluster.pods.at(ref).pod.Requests[name]
			}
			v := e.units[^ref].victim
			for i, p := range v.Pods {
				if v.Nodes[i] == e.cluster.nodes[node] {
					sum += p.Requests[name]
				}
			}
			return sum
		})
}

// vector lays amounts out by dimension, seats first.
func (e *engine) vector(r Resources, seats int64) []int64 {
	v := append(e.buffer[:0], seats)
	for _, name := range e.names[1:] {
		v = append(v, r[name])
	}
	e.buffer = v
	return v
}

// requests lays a pod's requests out by dimension, without its seat.
func (e *engine) requests(p *Pod) []int64 { return e.vector(p.Requests, 1)[1:] }

// comparison orders residents as CompareImportance orders victims; of equals the
// one whose first pod was added to the node earlier comes first, as in a stable
// sort of the node's victims.
func (e *engine) comparison() func(node int, a, b *columnar.Resident) int {
	return func(node int, a, b *columnar.Resident) int {
		if d := cmp.Compare(a.Priority, b.Priority); d != 0 {
			return d
		}
		if a.Ref < 0 || b.Ref < 0 {
			kind, pods := e.standing(a)
			otherKind, otherPods := e.standing(b)
			if d := cmp.Or(cmp.Compare(kind, otherKind), cmp.Compare(pods, otherPods)); d != 0 {
				return d
			}
		}
		if d := cmp.Compare(b.Start, a.Start); d != 0 {
			return d
		}
		if d := cmp.Compare(e.firstPod(b).UID, e.firstPod(a).UID); d != 0 {
			return d
		}
		s := e.cluster.slots[node]
		return cmp.Compare(e.place(s, b), e.place(s, a))
	}
}

// standing returns what a resident ranks by before its start.
func (e *engine) standing(x *columnar.Resident) (VictimKind, int) {
	if x.Ref >= 0 {
		return KindPod, 1
	}
	v := e.units[^x.Ref].victim
	return v.Kind, len(v.Pods)
}

func (e *engine) firstPod(x *columnar.Resident) *Pod {
	if x.Ref >= 0 {
		return e.cluster.pods.at(x.Ref).pod
	}
	return e.units[^x.Ref].victim.Pods[0]
}

// place returns the place on the node of a resident's first pod there.
func (e *engine) place(s *nodeSlot, x *columnar.Resident) int {
	return slices.IndexFunc(s.pods, func(p *Pod) bool {
		if x.Ref >= 0 {
			return p == e.cluster.pods.at(x.Ref).pod
		}
		return slices.Contains(e.units[^x.Ref].victim.Pods, p)
	})
}

// loadSlab is memory for the rows of all nodes, one behind the other in node
// order, so that a search that goes from node to node reads on.
type loadSlab struct {
	residents []columnar.Resident
	requests  []int64
}

// roomFor leaves room for so many to become some more.
func roomFor(n int) int { return n + n/16 + 1 }

// take cuts off room for n residents with w requests each. There are no more
// than pods on the node.
func (l *loadSlab) take(n, w int) ([]columnar.Resident, []int64) {
	room := roomFor(n)
	i, j := len(l.residents), len(l.requests)
	l.residents, l.requests = l.residents[:i+room], l.requests[:j+room*w]
	return l.residents[i : i : i+room], l.requests[j : j : j+room*w]
}

// load fills a node's row.
func (e *engine) load(s *nodeSlot, shares map[*groupUnit][]int64, slab *loadSlab) {
	type entry struct {
		resident columnar.Resident
		requests []int64
	}
	w := len(e.names) - 1
	entries := make([]entry, 0, len(s.pods))
	var done []*groupUnit
	for _, p := range s.pods {
		if u := e.cluster.unitOfPod(p); u != nil {
			if !slices.Contains(done, u) {
				done = append(done, u)
				i := u.shareOf(s)
				entries = append(entries, entry{e.share(u, u.shares[i]), shares[u][i*w : (i+1)*w]})
			}
			continue
		}
		id := e.cluster.pods.find(p.Namespace, p.Name)
		entries = append(entries, entry{plainResident(e.cluster.pods.at(id), id), slices.Clone(e.requests(p))})
	}
	compare := e.comparison()
	slices.SortStableFunc(entries, func(a, b entry) int { return compare(s.index, &b.resident, &a.resident) })
	residents, requests := slab.take(len(s.pods), w)
	for _, x := range entries {
		residents = append(residents, x.resident)
		requests = append(requests, x.requests...)
	}
	e.table.Load(s.index, residents, requests)
}

func plainResident(entry *podEntry, id int32) columnar.Resident {
	return columnar.Resident{Priority: entry.pod.Priority, Ref: id, Cover: entry.cover, Seats: 1, Start: startOf(entry.pod.Start)}
}

// share returns what a unit is on one of its nodes.
func (e *engine) share(u *groupUnit, on unitShare) columnar.Resident {
	return columnar.Resident{Priority: u.victim.Priority, Ref: ^u.index, Cover: noCover, Seats: int32(on.pods), Start: u.victim.earliest()}
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
		entry := e.cluster.pods.at(id)
		sum := sums[at[entry.slot]:]
		for d, q := range e.requests(entry.pod) {
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

// numberUnit gives a unit its place in the table.
func (e *engine) numberUnit(u *groupUnit) {
	if n := len(e.unused); n > 0 {
		u.index, e.unused = e.unused[n-1], e.unused[:n-1]
	} else {
		u.index = int32(len(e.units))
		e.units = append(e.units, nil)
		e.table.Units = append(e.table.Units, columnar.Unit{})
	}
	e.units[u.index] = u
	e.table.Units[u.index] = e.costs(u)
}

// costs adds up what evicting a unit costs.
func (e *engine) costs(u *groupUnit) columnar.Unit {
	v := u.victim
	x := columnar.Unit{Cost: scoreOf([]*Victim{v})}
	for i, p := range v.Pods {
		x.Odd = x.Odd || p.Priority != v.Priority
		if cover := e.cluster.pods.at(u.members[i]).cover; cover != noCover {
			x.Covers = append(x.Covers, cover)
		}
	}
	return x
}
