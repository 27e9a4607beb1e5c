package preemption

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.com/preemption/internal/index"
)

// NewCluster validates the state and compiles it. The error joins all that is
// wrong, each with the name of the object: missing or duplicate names, pods on
// unknown nodes, negative requests, sums of requests that overflow.
//
// Pod groups whose ancestry cannot be resolved are not an error; see
// [Cluster.Warnings].
func NewCluster(state ClusterState) (*Cluster, error) {
	if !state.Release.valid() {
		return nil, fmt.Errorf("preemption: unknown release %d", state.Release)
	}
	l := &loading{Cluster: &Cluster{release: state.Release}}
	l.makeRoom(state)
	for i, n := range state.Nodes {
		l.note(at("node", i, n == nil, func() error { _, err := l.enterNode(n); return err }))
	}
	for i, g := range state.PodGroups {
		l.note(at("pod group", i, g == nil, func() error { return l.addPodGroup(g) }))
	}
	for i, g := range state.CompositePodGroups {
		l.note(at("composite pod group", i, g == nil, func() error { return l.addCompositePodGroup(g) }))
	}
	for i, b := range state.DisruptionBudgets {
		l.note(at("disruption budget", i, b == nil, func() error { return l.addBudget(b) }))
	}
	l.requested.pods = len(state.Pods)
	l.enterPods(state.Pods)
	if len(l.errs) > 0 {
		return nil, errors.Join(l.errs...)
	}
	l.settle()
	return l.Cluster, nil
}

// ready makes the zero Cluster fit for its first object.
func (c *Cluster) ready() {
	if c.byName == nil {
		c.makeRoom(ClusterState{})
		(&loading{Cluster: c}).settle()
	}
}

// makeRoom makes the indices of a cluster of about as many nodes and pods.
func (c *Cluster) makeRoom(state ClusterState) {
	c.byName = make(map[string]*nodeSlot, len(state.Nodes))
	c.pods = newPodIndex(len(state.Pods))
	c.nominated = make(map[string][]*Pod)
	c.nominations = make(map[int32]string)
	c.nominees = make(map[string]int)
	c.groups = NewGroups(nil, nil)
	c.units = make(map[groupKey]*groupUnit)
	c.unitOf = make(map[int32]*groupUnit)
	c.inGroup = make(map[objectKey][]int32)
	c.budgets = newBudgetIndex()
	c.covers = newCoverSets()
}

// at turns a missing element of a list into an error instead of a panic.
func at(kind string, i int, missing bool, add func() error) error {
	if missing {
		return fmt.Errorf("preemption: %s %d of the list is nil", kind, i)
	}
	return add()
}

// A loading is a cluster under construction: all objects are entered first, each pod
// read once, and then everything that lists pods by node is laid out in one piece.
// Until then the nodes list no pods, and there is no engine. Nothing is undone where
// an object is refused: the whole cluster will be.
type loading struct {
	*Cluster
	errs      []error
	requested requestColumns
	last      *nodeSlot // of the pod before; most states list pods by node
	// sums is what is requested on each node, by number and resource. They are kept
	// once one is so large that it might overflow.
	sums []Resources
	byHome
}

// byHome lists the numbers of the bound pods, node by node, in order.
type byHome struct {
	ids  []int32
	from []int32 // by the node's number, where its pods begin; one more at the end
}

func (b *byHome) on(s *nodeSlot) []int32 { return b.ids[b.from[s.number]:b.from[s.number+1]] }

func (l *loading) note(err error) {
	if err != nil {
		l.errs = append(l.errs, err)
	}
}

// enterPods enters the pods, some at a time, so that what the index has to read for
// their names is fetched together.
func (l *loading) enterPods(pods []*Pod) {
	var keys [64]index.Key
	for from := 0; from < len(pods); from += len(keys) {
		some := pods[from:min(from+len(keys), len(pods))]
		for i, p := range some {
			if p != nil {
				keys[i] = l.pods.names.Key(p.Namespace, p.Name)
			}
		}
		l.pods.names.Fetch(keys[:len(some)])
		for i, p := range some {
			if p == nil {
				l.note(at("pod", from+i, true, nil))
			} else if err := l.enterPod(p, keys[i]); err != nil {
				l.note(err)
			}
		}
	}
}

// enterPod is AddPod for construction. The key is that of its names.
func (l *loading) enterPod(p *Pod, key index.Key) error {
	if err := validatePodNames(p); err != nil {
		return err
	}
	if l.pods.findKey(key, p.Namespace, p.Name) >= 0 {
		return fmt.Errorf("preemption: pod %s: there already is a pod of that name", p)
	}
	bound := l.nodeNamed(p.NodeName)
	if p.NodeName != "" && bound == nil {
		return unknownNode(p)
	}
	nominated := nominatedTo(p, p.NominatedNode)
	home := bound
	if home == nil {
		home = l.nodeNamed(nominated)
	}
	id, takesRoom := int32(len(l.pods.entries)), bound != nil || nominated != ""
	total, ok := l.requested.enter(id, p.Requests, takesRoom)
	if !ok {
		return validatePod(p)
	}
	if home != nil {
		if err := l.commitTo(home, p, total); err != nil {
			return err
		}
	}

	// Nothing speaks against it.
	e := podEntry{pod: p, home: none, cover: noCover}
	if bound != nil {
		e.home = bound.number
	}
	l.pods.entries = append(l.pods.entries, e)
	l.pods.names.AddKey(key, id)
	switch {
	case bound != nil:
		if len(p.HostPorts) > 0 {
			bound.ports++
		}
		if l.budgets.count() > 0 {
			l.cover(id)
		}
		if p.Group != "" {
			l.enlist(id)
		}
	case nominated != "":
		l.nominations[id] = nominated
		l.nominees[p.UID]++
		l.nominated[nominated] = append(l.nominated[nominated], p)
	}
	return nil
}

// nodeNamed finds a node, nil if there is none. Mostly it is the one asked for last.
func (l *loading) nodeNamed(name string) *nodeSlot {
	if name == "" {
		return nil
	}
	if l.last == nil || l.last.node.Name != name {
		if s := l.byName[name]; s != nil {
			l.last = s
		} else {
			return nil
		}
	}
	return l.last
}

// commitTo is commit for construction, where the nodes list no pods yet.
func (l *loading) commitTo(s *nodeSlot, p *Pod, requested committed) error {
	total := s.committed.add(requested)
	if !total.small() || l.sums != nil {
		if l.sums == nil {
			l.sumUp()
		}
		sums := l.sums[s.number]
		for _, name := range p.Requests.names() {
			if sums[name] > math.MaxInt64-p.Requests[name] {
				return overflowOn(s, p, name)
			}
		}
		for name, amount := range p.Requests {
			sums[name] += amount
		}
	}
	s.committed = total
	return nil
}

// sumUp adds up what the pods entered so far request on each node.
func (l *loading) sumUp() {
	l.sums = make([]Resources, len(l.homes))
	for i := range l.sums {
		l.sums[i] = Resources{}
	}
	for id := range l.pods.entries {
		e := &l.pods.entries[id]
		home := l.home(e)
		if home == nil {
			home = l.byName[l.nominations[int32(id)]]
		}
		if home != nil {
			for name, amount := range e.pod.Requests {
				l.sums[home.number][name] += amount
			}
		}
	}
}

// enlist makes a bound pod part of its unit, if it has one.
func (l *loading) enlist(id int32) {
	p := l.pods.at(id).pod
	key := objectKey{p.Namespace, p.Group}
	l.inGroup[key] = append(l.inGroup[key], id)
	if u := l.unitFor(id); u != nil {
		if u.members = append(u.members, id); u.key == (groupKey{}) {
			l.renew(u)
		}
	}
}

// settle lays out what was entered, and builds the engine on it.
func (l *loading) settle() {
	// Numbers of pods by node, by counting.
	from := make([]int32, len(l.homes)+1)
	for i := range l.pods.entries {
		if home := l.pods.entries[i].home; home != none {
			from[home+1]++
		}
	}
	for i := range l.homes {
		from[i+1] += from[i]
	}
	next := slices.Clone(from)
	l.byHome = byHome{make([]int32, from[len(l.homes)]), from}
	for i := range l.pods.entries {
		if home := l.pods.entries[i].home; home != none {
			l.ids[next[home]] = int32(i)
			next[home]++
		}
	}

	// The nodes' lists, one behind the other, each with room for a few more.
	room := 0
	for i := range l.homes {
		room += roomFor(int(from[i+1] - from[i]))
	}
	all := make([]*Pod, room)
	for _, s := range l.slots {
		ids := l.on(s)
		s.pods, all = all[:0:roomFor(len(ids))], all[roomFor(len(ids)):]
		for _, id := range ids {
			s.pods = append(s.pods, l.pods.at(id).pod)
		}
	}

	for _, u := range l.units {
		l.renew(u)
	}
	l.engine = compile(l)
}

// roomFor leaves room for so many to become some more.
func roomFor(n int) int { return n + n/32 + 1 }

// requestColumns are what the pods request, a list for each resource, by the pod's
// number: reading them again from half a million maps would take longer than all the
// rest. There are lists for as many resources as the engine has dimensions, of those
// seen first.
type requestColumns struct {
	pods    int // how many there may be
	names   []string
	byName  map[string]int // once there are many names
	uses    []int          // pods that take room and request more than zero
	columns [][]int64
}

// enter takes in what a pod requests, and returns the sum over all resources. It
// reports false if that cannot be right.
func (x *requestColumns) enter(id int32, r Resources, takesRoom bool) (total committed, ok bool) {
	// Mostly a pod requests what the first ones did, and a few look-ups are faster than
	// going through a map.
	var amounts [fewResources]int64
	known, seen := x.names[:min(len(x.names), fewResources)], 0
	for k, name := range known {
		if amount := r[name]; amount > 0 && name != PodCount {
			amounts[k] = amount
			total = total.add(committed{0, uint64(amount)})
			seen++
		}
	}
	if seen == len(r) {
		for k := range known {
			x.put(k, id, amounts[k], takesRoom)
		}
		return total, true
	}

	total, ok = committed{}, true
	for name, amount := range r {
		ok = ok && amount >= 0 && name != PodCount
		total = total.add(committed{0, uint64(amount)})
		if takesRoom {
			x.put(x.indexOf(name), id, amount, true)
		}
	}
	return total, ok
}

// fewResources are looked for by name.
const fewResources = 3

// put notes what a pod requests of a resource, if it takes room.
func (x *requestColumns) put(k int, id int32, amount int64, takesRoom bool) {
	if amount <= 0 || !takesRoom {
		return
	}
	x.uses[k]++
	if k < len(x.columns) {
		x.columns[k][id] = amount
	}
}

// indexOf returns the index of a resource, which may be new.
func (x *requestColumns) indexOf(name string) int {
	if x.byName == nil {
		if k := slices.Index(x.names, name); k >= 0 {
			return k
		}
	} else if k, known := x.byName[name]; known {
		return k
	}
	k := len(x.names)
	x.names, x.uses = append(x.names, name), append(x.uses, 0)
	if k < maxDimensions {
		x.columns = append(x.columns, make([]int64, x.pods))
	} else if x.byName == nil {
		x.byName = make(map[string]int)
		for i, name := range x.names {
			x.byName[name] = i
		}
	}
	if x.byName != nil {
		x.byName[name] = k
	}
	return k
}

// column returns the list of a resource, nil if there is none.
func (x *requestColumns) column(name string) []int64 {
	if k := slices.Index(x.names, name); k >= 0 && k < len(x.columns) {
		return x.columns[k]
	}
	return nil
}
