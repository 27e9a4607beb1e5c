package preemption

// Filters that look at the node alone: no eviction changes their answer.

// NodeFilter returns a filter of that name that is a function of the preemptor
// and the node alone: whatever pods are on the node, its answer is the same. The
// function must be safe for concurrent use.
//
// It is the cheapest kind of filter: [Evaluator.Preempt] asks it first, and only
// about nodes that arithmetic leaves in question. A filter of one's own that has
// more to prepare declares the same by a method; see [Prepared].
func NodeFilter(name string, answer func(preemptor *Pod, node *Node) Status) Filter {
	return nodeFilter{name: name, answer: answer}
}

// NodeUnschedulable returns the filter that refuses cordoned nodes, unless the
// pod tolerates the taint node.kubernetes.io/unschedulable:NoSchedule.
func NodeUnschedulable() Filter {
	return nodeRule("NodeUnschedulable", "node(s) were unschedulable", cordoned)
}

// TaintToleration returns the filter that refuses nodes with a NoSchedule or
// NoExecute taint that the pod does not tolerate.
func TaintToleration() Filter {
	return nodeRule("TaintToleration", "node(s) had untolerated taint(s)", untolerated)
}

// NodeSelector returns the filter that refuses nodes without the labels of the
// pod's node selector. Its name is that of kube-scheduler's plugin, which applies
// node affinity too.
func NodeSelector() Filter {
	return nodeRule("NodeAffinity", "node(s) didn't match Pod's node affinity/selector", unselected)
}

// unschedulableTaint is what a cordoned node would be tainted with.
var unschedulableTaint = Taint{Key: "node.kubernetes.io/unschedulable", Effect: NoSchedule}

func cordoned(preemptor *Pod, node *Node) bool {
	return node.Unschedulable && !tolerated(preemptor.Tolerations, unschedulableTaint)
}

func untolerated(preemptor *Pod, node *Node) bool {
	for _, t := range node.Taints {
		if (t.Effect == NoSchedule || t.Effect == NoExecute) && !tolerated(preemptor.Tolerations, t) {
			return true
		}
	}
	return false
}

func unselected(preemptor *Pod, node *Node) bool {
	if len(preemptor.NodeSelector) == 0 {
		return false
	}
	want := Selector{MatchLabels: preemptor.NodeSelector}
	return !want.matches(node.Labels)
}

// nodeRule returns a built-in filter of kube-scheduler's name that gives one
// reason to refuse.
func nodeRule(name, reason string, refuses func(preemptor *Pod, node *Node) bool) Filter {
	refusal := Status{Unresolvable, name, []string{reason}}
	return nodeFilter{name, true, func(preemptor *Pod, node *Node) Status {
		if refuses(preemptor, node) {
			return refusal
		}
		return Status{}
	}}
}

type nodeFilter struct {
	name    string
	builtin bool
	answer  func(preemptor *Pod, node *Node) Status
}

func (f nodeFilter) Name() string { return f.name }

func (f nodeFilter) Prepare(preemptor *Pod, _ View) (Prepared, error) {
	return preparedNodeFilter{f, preemptor}, nil
}

// nodeStatuser is what a Prepared that looks at the node alone implements.
type nodeStatuser interface {
	NodeStatus(node *Node) (Status, error)
}

type preparedNodeFilter struct {
	nodeFilter
	preemptor *Pod
}

func (preparedNodeFilter) Monotone() bool { return true }

func (p preparedNodeFilter) NodeStatus(node *Node) (Status, error) {
	return p.answer(p.preemptor, node), nil
}

func (p preparedNodeFilter) Begin(node *Node) (DryRun, error) {
	status := p.answer(p.preemptor, node)
	if status.Fits() {
		return fitsEverywhere{}, nil // which takes no memory
	}
	return fixedStatus(status), nil
}

// fixedStatus is the dry run of a filter that looks at the node alone.
type fixedStatus Status

func (fixedStatus) Add(*Pod, *Node) error    { return nil }
func (fixedStatus) Remove(*Pod, *Node) error { return nil }
func (s fixedStatus) Fits() (Status, error)  { return Status(s), nil }

// fitsEverywhere is the dry run of a filter that is not concerned, or lets the preemptor
// pass whatever pods are there.
type fitsEverywhere struct{}

func (fitsEverywhere) Begin(*Node) (DryRun, error) { return fitsEverywhere{}, nil }
func (fitsEverywhere) Monotone() bool              { return true }
func (fitsEverywhere) Add(*Pod, *Node) error       { return nil }
func (fitsEverywhere) Remove(*Pod, *Node) error    { return nil }
func (fitsEverywhere) Fits() (Status, error)       { return Status{}, nil }
