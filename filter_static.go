package preemption

// Filters that look at the node alone: no eviction changes their answer.

// NodeUnschedulable returns the filter that refuses cordoned nodes, unless the
// pod tolerates the taint node.kubernetes.io/unschedulable:NoSchedule.
func NodeUnschedulable() Filter {
	return nodeRule{"NodeUnschedulable", "node(s) were unschedulable", cordoned}
}

// TaintToleration returns the filter that refuses nodes with a NoSchedule or
// NoExecute taint that the pod does not tolerate.
func TaintToleration() Filter {
	return nodeRule{"TaintToleration", "node(s) had untolerated taint(s)", untolerated}
}

// NodeSelector returns the filter that refuses nodes without the labels of the
// pod's node selector. Its name is that of kube-scheduler's plugin, which applies
// node affinity too.
func NodeSelector() Filter {
	return nodeRule{"NodeAffinity", "node(s) didn't match Pod's node affinity/selector", unselected}
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

// A nodeRule is a filter that depends on the node and the preemptor alone.
type nodeRule struct {
	name, reason string
	refuses      func(preemptor *Pod, node *Node) bool
}

// Name returns kube-scheduler's name of the filter.
func (r nodeRule) Name() string { return r.name }

func (r nodeRule) Prepare(preemptor *Pod, _ View) (Prepared, error) {
	return preparedRule{r, preemptor}, nil
}

type preparedRule struct {
	nodeRule
	preemptor *Pod
}

func (preparedRule) Monotone() bool { return true }

func (r preparedRule) Begin(node *Node) (DryRun, error) {
	if r.refuses(r.preemptor, node) {
		return fixedStatus{Unresolvable, r.name, []string{r.reason}}, nil
	}
	return fixedStatus{}, nil
}

// fixedStatus is the dry run of a node rule.
type fixedStatus Status

func (fixedStatus) Add(*Pod, *Node) error    { return nil }
func (fixedStatus) Remove(*Pod, *Node) error { return nil }
func (s fixedStatus) Fits() (Status, error)  { return Status(s), nil }
