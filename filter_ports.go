package preemption

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
	r := &portsRun{want: f.want, node: node}
	for _, p := range f.view.PodsOn(node) {
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
}

func (r *portsRun) Add(p *Pod, on *Node) error {
	if on == r.node {
		r.clashes += r.clashesOf(p)
	}
	return nil
}

func (r *portsRun) Remove(p *Pod, on *Node) error {
	if on == r.node {
		if !isOn(p, on) {
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
