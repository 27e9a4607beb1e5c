package preemption

import "slices"

// FilterFunc makes a filter of a function that is shown the preemptor, the node
// and the pods left on it. It sees every pod that is in the way at that moment,
// nominated ones last. Members of a group on other nodes are not shown.
//
// It is not monotone and keeps no state: right for a rule that is easy to say,
// slow for one that is asked often.
type FilterFunc func(preemptor *Pod, node *Node, pods []*Pod) Status

// Name returns "FilterFunc".
func (FilterFunc) Name() string { return "FilterFunc" }

// Prepare binds the function to the preemptor.
func (f FilterFunc) Prepare(preemptor *Pod, view View) (Prepared, error) {
	return preparedFunc{f, preemptor, view}, nil
}

type preparedFunc struct {
	f         FilterFunc
	preemptor *Pod
	view      View
}

func (p preparedFunc) Begin(node *Node) (DryRun, error) {
	return &funcRun{preparedFunc: p, node: node, pods: slices.Clone(p.view.PodsOn(node))}, nil
}

type funcRun struct {
	preparedFunc
	node *Node
	pods []*Pod
}

func (r *funcRun) Add(p *Pod, on *Node) error {
	if on == r.node {
		r.pods = append(r.pods, p)
	}
	return nil
}

func (r *funcRun) Remove(p *Pod, on *Node) error {
	if on == r.node {
		if i := slices.Index(r.pods, p); i >= 0 {
			r.pods = slices.Delete(r.pods, i, i+1)
		} else {
			return errNotOnNode
		}
	}
	return nil
}

func (r *funcRun) Fits() (Status, error) {
	return r.f(r.preemptor, r.node, r.pods), nil
}
