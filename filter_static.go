package preemption

// Filters that look at the node alone: no eviction changes their answer.

// NodeUnschedulable returns the filter that refuses cordoned nodes, unless the
// pod tolerates the taint node.kubernetes.io/unschedulable:NoSchedule.
func NodeUnschedulable() Filter { return nodeUnschedulable{} }

// TaintToleration returns the filter that refuses nodes with a NoSchedule or
// NoExecute taint that the pod does not tolerate.
func TaintToleration() Filter { return taintToleration{} }

// NodeSelector returns the filter that refuses nodes without the labels of the
// pod's node selector.
func NodeSelector() Filter { return nodeSelector{} }

// unschedulableTaint is what a cordoned node would be tainted with.
var unschedulableTaint = Taint{Key: "node.kubernetes.io/unschedulable", Effect: NoSchedule}

type nodeUnschedulable struct{}

// Name returns kube-scheduler's name of the filter.
func (nodeUnschedulable) Name() string { return "NodeUnschedulable" }

func (f nodeUnschedulable) Prepare(preemptor *Pod, _ View) (Prepared, error) {
	if tolerated(preemptor.Tolerations, unschedulableTaint) {
		return nil, nil
	}
	return nodeRule{f.judge}, nil
}

func (f nodeUnschedulable) judge(node *Node) Status {
	if node.Unschedulable {
		return unresolvable(f.Name(), "node(s) were unschedulable")
	}
	return Status{}
}

type taintToleration struct{}

// Name returns kube-scheduler's name of the filter.
func (taintToleration) Name() string { return "TaintToleration" }

func (f taintToleration) Prepare(preemptor *Pod, _ View) (Prepared, error) {
	tolerations := preemptor.Tolerations
	return nodeRule{func(node *Node) Status {
		for _, t := range node.Taints {
			if (t.Effect == NoSchedule || t.Effect == NoExecute) && !tolerated(tolerations, t) {
				return unresolvable(f.Name(), "node(s) had untolerated taint(s)")
			}
		}
		return Status{}
	}}, nil
}

type nodeSelector struct{}

// Name returns the name of kube-scheduler's plugin that applies node selectors.
func (nodeSelector) Name() string { return "NodeAffinity" }

func (f nodeSelector) Prepare(preemptor *Pod, _ View) (Prepared, error) {
	if len(preemptor.NodeSelector) == 0 {
		return nil, nil
	}
	want := Selector{MatchLabels: preemptor.NodeSelector}
	return nodeRule{func(node *Node) Status {
		if !want.matches(node.Labels) {
			return unresolvable(f.Name(), "node(s) didn't match Pod's node affinity/selector")
		}
		return Status{}
	}}, nil
}

// A nodeRule is a filter that depends on the node alone.
type nodeRule struct{ judge func(*Node) Status }

func (nodeRule) Monotone() bool { return true }

func (r nodeRule) Begin(node *Node) (DryRun, error) { return fixedStatus(r.judge(node)), nil }

// fixedStatus is the dry run of a node rule.
type fixedStatus Status

func (fixedStatus) Add(*Pod, *Node) error    { return nil }
func (fixedStatus) Remove(*Pod, *Node) error { return nil }
func (s fixedStatus) Fits() (Status, error)  { return Status(s), nil }
