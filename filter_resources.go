package preemption

import (
	"cmp"
	"math"
	"slices"
)

// NodeResources returns the filter that refuses nodes short of a resource that
// the preemptor requests, or of room for one more pod. A request of zero is
// never short, however overcommitted the node is. Evictions can resolve it,
// unless a request exceeds what the node has at all.
//
// It corresponds to kube-scheduler's NodeResourcesFit. Reasons come in its
// order; extended resources, which it lists in map order, come by name.
func NodeResources() Filter { return nodeResources{} }

type nodeResources struct{}

// Name returns kube-scheduler's name of the filter.
func (nodeResources) Name() string { return "NodeResourcesFit" }

func (nodeResources) Prepare(preemptor *Pod, view View) (Prepared, error) {
	f := &preparedResources{demands: demandOf(preemptor), view: view}
	for _, d := range f.demands {
		f.short = append(f.short, []string{"Insufficient " + d.name})
	}
	return f, nil
}

// A demand is one resource of which a pod requests more than zero.
type demand struct {
	name   string
	amount int64
}

// demandOf lists what the pod requests in the order in which reasons are given:
// cpu, memory, ephemeral storage, then the others by name.
func demandOf(p *Pod) []demand {
	var demands []demand
	for name, amount := range p.Requests {
		if amount > 0 && name != PodCount {
			demands = append(demands, demand{name, amount})
		}
	}
	slices.SortFunc(demands, func(a, b demand) int {
		return cmp.Or(cmp.Compare(reasonRank(a.name), reasonRank(b.name)), cmp.Compare(a.name, b.name))
	})
	return demands
}

func reasonRank(resource string) int {
	if i := slices.Index(nativeResources[:], resource); i >= 0 {
		return i
	}
	return len(nativeResources)
}

var nativeResources = [...]string{CPU, Memory, EphemeralStorage}

type preparedResources struct {
	demands []demand
	// short holds for each demand the reason to refuse if there is too little, made
	// once: most refusals have one reason, and need not allocate for it.
	short [][]string
	view  View
}

func (*preparedResources) Monotone() bool { return true }

func (f *preparedResources) Begin(node *Node) (DryRun, error) {
	pods := f.view.PodsOn(node)
	n := len(f.demands)
	amounts := make([]int64, 2*n, (len(pods)+3)*n)
	r := &resourcesRun{demands: f.demands, short: f.short, node: node, free: amounts[:n:n], refusedFree: amounts[n : 2*n : 2*n], requests: amounts[2*n:]}
	for i, d := range f.demands {
		r.free[i] = node.Allocatable[d.name]
	}
	r.seats = node.Allocatable[PodCount] - int64(len(pods))
	r.here = present(pods)
	for row, p := range pods {
		r.read(p)
		if err := r.take(row); err != nil {
			return nil, &StepError{"add pod", node.Name, p.String(), err}
		}
	}
	return r, nil
}

// resourcesRun keeps what is left of the resources that the preemptor requests.
// Others cannot be short for it.
type resourcesRun struct {
	demands []demand
	short   [][]string // as in preparedResources
	node    *Node
	free    []int64 // by demand; negative on an overcommitted node
	seats   int64   // pods the node still takes
	here    presence
	// requests are the rows of the pods that are or were there: what a pod requests, by
	// demand. Its map is read once.
	requests []int64

	// What was left when Fits refused last, for Shortfalls: by then nominated pods
	// may have been taken away again.
	refused      bool
	refusedFree  []int64
	refusedSeats int64
}

func (r *resourcesRun) Add(p *Pod, on *Node) error {
	if on != r.node {
		return nil
	}
	row, fresh := r.here.come(p)
	if fresh {
		r.read(p)
	}
	if err := r.take(row); err != nil {
		return err
	}
	r.seats--
	return nil
}

// read adds the row of a pod.
func (r *resourcesRun) read(p *Pod) {
	for i := range r.demands {
		r.requests = append(r.requests, p.Requests[r.demands[i].name])
	}
}

// row returns what the pod with this row requests.
func (r *resourcesRun) row(row int) []int64 {
	n := len(r.free)
	return r.requests[row*n:][:n]
}

// take takes off what is left what a pod requests.
func (r *resourcesRun) take(row int) error {
	for i, request := range r.row(row) {
		if request < 0 || r.free[i] < math.MinInt64+request {
			return errOverflow
		}
		r.free[i] -= request
	}
	return nil
}

func (r *resourcesRun) Remove(p *Pod, on *Node) error {
	if on != r.node {
		return nil
	}
	row, there := r.here.leave(p)
	if !there {
		return errNotOnNode
	}
	for i, request := range r.row(row) {
		r.free[i] += request // which was taken off before
	}
	r.seats++
	return nil
}

// A presence is which pods a dry run has on its node, and which have left. It keeps the
// room of a pod from being freed twice. Each pod has a place, which it keeps.
type presence struct {
	pods []*Pod // the view's, then those that came besides
	gone []bool // by place
	last int    // the place found last
}

func present(pods []*Pod) presence {
	return presence{pods: pods[:len(pods):len(pods)], gone: make([]bool, len(pods))}
}

// come returns the place of a pod that comes. If it has not been there before, that is
// the next.
func (x *presence) come(p *Pod) (place int, fresh bool) {
	if place = x.find(p, true); place >= 0 {
		x.gone[place] = false
		return place, false
	}
	x.pods, x.gone = append(x.pods, p), append(x.gone, false)
	return len(x.pods) - 1, true
}

// leave returns the place of a pod that leaves, and whether it was there.
func (x *presence) leave(p *Pod) (place int, there bool) {
	if place = x.find(p, false); place >= 0 {
		x.gone[place], there = true, true
	}
	return place, there
}

// find returns the place of a pod that is there, or of one that is gone; -1 if there is
// no such. Mostly it is asked for the pod that it found last, or for the next.
func (x *presence) find(p *Pod, gone bool) int {
	for i := x.last; i < len(x.pods); i++ {
		if x.pods[i] == p && x.gone[i] == gone {
			x.last = i
			return i
		}
	}
	for i, o := range x.pods[:x.last] {
		if o == p && x.gone[i] == gone {
			x.last = i
			return i
		}
	}
	return -1
}

func (r *resourcesRun) Fits() (Status, error) {
	if r.seats >= 1 && r.demandsMet() {
		return Status{}, nil
	}
	r.refused, r.refusedSeats = true, r.seats
	copy(r.refusedFree, r.free)
	s := Status{Code: Unschedulable, Filter: nodeResources{}.Name()}
	if r.seats < 1 {
		s.Reasons = tooManyPods
	}
	for i, d := range r.demands {
		if d.amount > r.free[i] {
			s.Reasons = withReason(s.Reasons, r.short[i])
		}
		if d.amount > r.node.Allocatable[d.name] {
			s.Code = Unresolvable
		}
	}
	return s, nil
}

// tooManyPods is the reason to refuse a node that takes no further pod.
var tooManyPods = []string{"Too many pods"}

// withReason adds a reason. The first is shared, never written to: it is as long
// as its memory, so that the second makes a copy.
func withReason(reasons, next []string) []string {
	if reasons == nil {
		return next
	}
	return append(reasons, next...)
}

func (r *resourcesRun) demandsMet() bool {
	for i := range r.demands {
		if r.demands[i].amount > r.free[i] {
			return false
		}
	}
	return true
}

// Shortfalls lists what was short at the last refusal, in the order of the
// reasons. It is nil before the first.
func (r *resourcesRun) Shortfalls() []Shortfall {
	if !r.refused {
		return nil
	}
	var short []Shortfall
	if r.refusedSeats < 1 {
		limit := r.node.Allocatable[PodCount]
		short = append(short, Shortfall{PodCount, 1, limit - r.refusedSeats, limit})
	}
	for i, d := range r.demands {
		if free := r.refusedFree[i]; d.amount > free {
			all := r.node.Allocatable[d.name]
			short = append(short, Shortfall{d.name, d.amount, all - free, all})
		}
	}
	return short
}

// NodePorts returns the filter that refuses nodes where a pod already claims a
// host port that the preemptor wants: the same port and protocol, on the same
// address or with either on every address. Evictions can resolve it.
func NodePorts() Filter { return nodePorts{} }

type nodePorts struct{}

// Name returns kube-scheduler's name of the filter.
func (nodePorts) Name() string { return "NodePorts" }

func (f nodePorts) Prepare(preemptor *Pod, view View) (Prepared, error) {
	want := wantedPorts(preemptor)
	if len(want) == 0 {
		return nil, nil
	}
	return &preparedPorts{want, view}, nil
}

// wantedPorts returns the host ports that the pod claims; port 0 claims nothing.
func wantedPorts(p *Pod) []HostPort {
	var want []HostPort
	for _, port := range p.HostPorts {
		if port.Port > 0 {
			want = append(want, port)
		}
	}
	return want
}

type preparedPorts struct {
	want []HostPort
	view View
}

func (*preparedPorts) Monotone() bool { return true }

func (f *preparedPorts) Begin(node *Node) (DryRun, error) {
	pods := f.view.PodsOn(node)
	r := &portsRun{want: f.want, node: node, here: present(pods)}
	for _, p := range pods {
		r.clashes += r.clashesOf(p)
	}
	return r, nil
}

// portsRun counts how many claims clash with the wanted ports: that is all it
// takes, since a claim is given up exactly when it was made.
type portsRun struct {
	want    []HostPort
	node    *Node
	clashes int
	here    presence
}

func (r *portsRun) Add(p *Pod, on *Node) error {
	if on == r.node {
		r.here.come(p)
		r.clashes += r.clashesOf(p)
	}
	return nil
}

func (r *portsRun) Remove(p *Pod, on *Node) error {
	if on == r.node {
		if _, there := r.here.leave(p); !there {
			return errNotOnNode
		}
		r.clashes -= r.clashesOf(p)
	}
	return nil
}

func (r *portsRun) Fits() (Status, error) {
	if r.clashes > 0 {
		return Status{Unschedulable, nodePorts{}.Name(), portsTaken}, nil
	}
	return Status{}, nil
}

// portsTaken is the reason to refuse, made once.
var portsTaken = []string{"node(s) didn't have free ports for the requested pod ports"}

func (r *portsRun) clashesOf(p *Pod) int { return clashes(r.want, p.HostPorts) }

// clashes counts the claims that collide with a wanted port.
func clashes(want, claims []HostPort) int {
	n := 0
	for _, c := range claims {
		for _, w := range want {
			if w.clashesWith(c) {
				n++
			}
		}
	}
	return n
}

func (h HostPort) clashesWith(o HostPort) bool {
	return h.Port > 0 && h.Port == o.Port && h.protocol() == o.protocol() &&
		(h.everyAddress() || o.everyAddress() || h.IP == o.IP)
}

func (h HostPort) protocol() string {
	if h.Protocol == "" {
		return "TCP"
	}
	return h.Protocol
}

func (h HostPort) everyAddress() bool { return h.IP == "" || h.IP == "0.0.0.0" }
