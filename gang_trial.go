package preemption

import "slices"

// A trial of a placement says whether the members fit where they are placed, while
// victims go and come back. Members without a node take no part.
//
// There are two. gangRuns serves every filter by dry runs, and says which member is
// refused. gangRooms serves the built-in ones by one sum a node; docs/gangs.md says
// why that is enough. A placement that gangRooms refuses is tried by gangRuns, for
// the reasons.

// gangRuns is the trial by dry runs, one for each member, in which the members
// before it are in place, and every victim comes and goes.
type gangRuns []fitTest

// Dry runs serve any filter, and take a fit test of each member for each victim tried.

// startRuns returns the trial with these victims gone, or the first refusal and
// which member got it.
//
// Members are added once the victims are gone, and each has passed by then, so no
// sum overflows for them, however many are placed on a node.
func (q *gangQuery) startRuns(nodes []*Node, gone []*Victim) (t gangRuns, status Status, member int, err error) {
	for i, n := range nodes {
		if n == nil {
			continue
		}
		test, err := q.startRun(i, nodes, gone)
		if err != nil {
			return nil, Status{}, i, err
		}
		status, err := test.fits()
		if err != nil || !status.Fits() {
			return nil, status, i, err
		}
		t = append(t, test)
	}
	return t, Status{}, 0, nil
}

func (q *gangQuery) startRun(i int, nodes []*Node, gone []*Victim) (fitTest, error) {
	m, n := q.gang.Members[i], nodes[i]
	prepared, err := prepare(q.filters(), m, q.cluster)
	if err != nil {
		return fitTest{}, err
	}
	run, err := prepared.Begin(n)
	if err != nil {
		return fitTest{}, &StepError{Step: "begin", Node: n.Name, Err: err}
	}

	// First the victims go, wherever they run: a filter may look at all nodes.
	test := fitTest{node: n, run: run, nominated: q.holding(m, n)}
	for _, v := range gone {
		if err := test.remove(v); err != nil {
			return fitTest{}, err
		}
	}

	// Then the members before this one are there, which have passed their own tests.
	for j, on := range nodes[:i] {
		if on == nil {
			continue
		}
		if err := test.addMember(q.gang.Members[j], on); err != nil {
			return fitTest{}, err
		}
	}
	return test, nil
}

// addMember puts a member in place, on the node of the dry run or on another.
func (t *fitTest) addMember(m *Pod, on *Node) error {
	if err := t.run.Add(m, on); err != nil {
		return t.failed("add member", m, err)
	}
	return nil
}

// add puts a victim back into every dry run, remove takes it out: a member's run
// has all pods of all nodes.
func (t gangRuns) add(v *Victim) error {
	for i := range t {
		if err := t[i].add(v); err != nil {
			return err
		}
	}
	return nil
}

func (t gangRuns) remove(v *Victim) error {
	for i := range t {
		if err := t[i].remove(v); err != nil {
			return err
		}
	}
	return nil
}

// fits tests the members in order, each beside those before it.
func (t gangRuns) fits() (Status, error) {
	for i := range t {
		if status, err := t[i].fits(); err != nil || !status.Fits() {
			return status, err
		}
	}
	return Status{}, nil
}

// gangRooms is the trial for the built-in filters. They look at their own node
// alone, a request of zero is never short, and the requests of those that ask for
// more add up: the members on a node fit one after another if and only if they fit
// together. All members have one priority, so that the same nominated pods hold
// their place against each.
//
// Invariants: refused counts the rooms that are short, and each room's short is what
// enough would say, so that fits takes no time, whatever has come and gone.
type gangRooms struct {
	rooms   map[*Node]*gangRoom
	refused int  // rooms that do not have enough
	never   bool // a member is refused, whoever leaves
}

// gangRoom is one node and what the members placed there need together. It is made
// with the pods in place, and follows those that come and go.
type gangRoom struct {
	demands []demand
	free    []int64 // by demand
	seats   int64   // free ones
	members int64
	ports   []HostPort
	clashes int
	short   bool
}

// newRooms returns the trial with every pod in place.
func (q *gangQuery) newRooms(nodes []*Node, f sortedFilters) *gangRooms {
	// What the members on a node need together, and what refuses a member for good:
	// a filter that asks about the node alone, or a member before it with its port.
	t := &gangRooms{rooms: make(map[*Node]*gangRoom)}
	var used []*Node
	for i, n := range nodes {
		if n == nil {
			continue
		}
		m := q.gang.Members[i]
		t.never = t.never || f.refuses(m, n)
		r := t.rooms[n]
		if r == nil {
			r = &gangRoom{seats: n.Allocatable[PodCount]}
			t.rooms[n] = r
			used = append(used, n)
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

	// What the pods that are there leave of it. Pods that are nominated hold their
	// place against the first member, and so against each.
	for _, n := range used {
		r := t.rooms[n]
		for _, d := range r.demands {
			r.free = append(r.free, n.Allocatable[d.name])
		}
		for _, p := range q.cluster.PodsOn(n) {
			r.take(p, 1)
		}
		for _, p := range q.holding(q.gang.Members[0], n) {
			r.take(p, 1)
		}
		if r.short = !r.enough(); r.short {
			t.refused++
		}
	}
	return t
}

// demand adds what a member requests. Rooms know few dimensions, so a list will do.
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
	r.clashes += int(sign) * clashes(r.ports, p.HostPorts)
}

// enough reports whether the members fit. Seats count only for NodeResources, which
// counts members, and a request of zero is never short: it is not among demands.
func (r *gangRoom) enough() bool {
	for i, d := range r.demands {
		if d.amount > r.free[i] {
			return false
		}
	}
	return r.clashes == 0 && (r.members == 0 || r.seats >= r.members)
}

// change accounts for a victim that comes (1) or goes (-1), on those of its nodes
// that have members.
func (t *gangRooms) change(v *Victim, sign int64) {
	for i, p := range v.Pods {
		r := t.rooms[v.Nodes[i]]
		if r == nil {
			continue
		}
		r.take(p, sign)

		// Only a room that changes sides changes the count.
		short := !r.enough()
		switch {
		case short && !r.short:
			t.refused++
		case r.short && !short:
			t.refused--
		}
		r.short = short
	}
}

func (t *gangRooms) add(v *Victim) error    { t.change(v, 1); return nil }
func (t *gangRooms) remove(v *Victim) error { t.change(v, -1); return nil }

// fits does not say why not: dry runs do.
func (t *gangRooms) fits() (Status, error) {
	if t.refused == 0 && !t.never {
		return Status{}, nil
	}
	return Status{Code: Unschedulable}, nil
}
