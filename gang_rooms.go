package preemption

import "slices"

// gangRooms is the trial for built-in filters: one sum a node instead of a dry
// run a member. A request of zero is never short, and the requests of those that
// ask for more add up, so the members fit one after another if and only if they
// fit together. It does not say which one is refused: gangRuns does.
type gangRooms struct {
	rooms   map[*Node]*gangRoom
	list    []*gangRoom
	refused int // rooms that do not have enough
	never   bool
}

// gangRoom is one node and what the members placed there need together.
type gangRoom struct {
	node    *Node
	demands []demand
	free    []int64 // by demand
	seats   int64   // free ones
	members int64
	ports   []HostPort
	clashes int
	short   bool
}

func newRooms(q *gangQuery, nodes []*Node, f builtinFilters) *gangRooms {
	t := &gangRooms{rooms: make(map[*Node]*gangRoom)}
	for i, n := range nodes {
		if n == nil {
			continue
		}
		m := q.gang.Members[i]
		for _, rule := range f.rules {
			t.never = t.never || rule.refuses(m, n)
		}
		r := t.rooms[n]
		if r == nil {
			r = &gangRoom{node: n, seats: n.Allocatable[PodCount]}
			t.rooms[n] = r
			t.list = append(t.list, r)
		}
		if f.resources {
			r.members++
			r.demand(m)
		}
		if f.ports {
			t.never = t.never || clashes(m.HostPorts, r.ports) > 0
			r.ports = append(r.ports, m.HostPorts...)
		}
	}
	for _, r := range t.list {
		for _, d := range r.demands {
			r.free = append(r.free, r.node.Allocatable[d.name])
		}
		for _, p := range q.cluster.PodsOn(r.node) {
			r.take(p, 1)
		}
		for _, p := range q.holding(q.gang.Members[0], r.node) {
			r.take(p, 1)
		}
		r.short = !r.enough()
		if r.short {
			t.refused++
		}
	}
	return t
}

func (r *gangRoom) demand(m *Pod) {
	for _, d := range demandOf(m) {
		i := slices.IndexFunc(r.demands, func(x demand) bool { return x.name == d.name })
		if i < 0 {
			r.demands = append(r.demands, d)
		} else {
			r.demands[i].amount += d.amount
		}
	}
}

// take accounts for a pod that comes (1) or goes (-1).
func (r *gangRoom) take(p *Pod, sign int64) {
	for i, d := range r.demands {
		r.free[i] -= sign * p.Requests[d.name]
	}
	r.seats -= sign
	if len(r.ports) > 0 {
		r.clashes += int(sign) * clashes(r.ports, p.HostPorts)
	}
}

func (r *gangRoom) enough() bool {
	for i, d := range r.demands {
		if d.amount > r.free[i] {
			return false
		}
	}
	return r.clashes == 0 && (r.members == 0 || r.seats >= r.members)
}

func (t *gangRooms) change(v *Victim, sign int64) {
	for i, p := range v.Pods {
		r := t.rooms[v.Nodes[i]]
		if r == nil {
			continue
		}
		r.take(p, sign)
		if short := !r.enough(); short != r.short {
			r.short = short
			if short {
				t.refused++
			} else {
				t.refused--
			}
		}
	}
}

func (t *gangRooms) add(v *Victim) error    { t.change(v, 1); return nil }
func (t *gangRooms) remove(v *Victim) error { t.change(v, -1); return nil }

func (t *gangRooms) fits() (Status, int, error) {
	if t.refused == 0 && !t.never {
		return Status{}, 0, nil
	}
	return Status{Code: Unschedulable}, 0, nil
}

func (t *gangRooms) local() bool { return true }

func (t *gangRooms) uses(n *Node) bool { return t.rooms[n] != nil }

func (t *gangRooms) touches(v *Victim) bool { return slices.ContainsFunc(v.Nodes, t.uses) }
