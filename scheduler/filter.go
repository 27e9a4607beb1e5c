package scheduler

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"example.com/preemption"
)

// A filter is one plugin.
type filter struct {
	scheduler *Scheduler
	kind      pluginKind
}

// Name returns the plugin's name.
func (f filter) Name() string { return f.kind.name }

func (f filter) Prepare(preemptor *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	c, err := f.scheduler.cycle(preemptor, view)
	if err != nil {
		return nil, err
	}
	p, concerned := c.concerned[f.kind.name]
	if !concerned || c.rejected != nil {
		return nil, nil
	}
	return prepared{c, p}, nil
}

// prepared is a plugin after PreFilter.
type prepared struct {
	*cycle
	prefiltered
}

func (p prepared) Begin(node *preemption.Node) (preemption.DryRun, error) {
	e := p.snapshot.byKey[node]
	if e == nil {
		return nil, fmt.Errorf("node %s is not in the view", node.Name)
	}
	if p.kind.concern&concernNode != 0 {
		return nodeRun{p, e}, nil
	}
	return &podRun{prepared: p, entry: e, state: p.prefiltered.state, info: e.info}, nil
}

// fits asks the plugin about the node.
func (p prepared) fits(state fwk.CycleState, info fwk.NodeInfo) (preemption.Status, error) {
	status := p.Filter(silent, state, p.pod, info)
	switch {
	case status.IsSuccess():
		return preemption.Status{}, nil
	case status.IsRejected():
		return statusOf(p.kind.name, status), nil
	}
	return preemption.Status{}, status.AsError()
}

// nodeRun is the dry run of a plugin that looks at the node alone.
type nodeRun struct {
	prepared
	entry *nodeEntry
}

func (nodeRun) Add(*preemption.Pod, *preemption.Node) error    { return nil }
func (nodeRun) Remove(*preemption.Pod, *preemption.Node) error { return nil }

func (r nodeRun) Fits() (preemption.Status, error) {
	return r.fits(r.prefiltered.state, r.entry.info)
}

// podRun is the dry run of a plugin that looks at pods. It starts with the state
// and the node info that all share, and takes copies of its own before the first
// change: most nodes are only asked about as they are.
type podRun struct {
	prepared
	entry *nodeEntry
	state fwk.CycleState
	info  *framework.NodeInfo
	own   bool
	// others are the pods that are bound nowhere: nominated ones.
	others map[*preemption.Pod]*framework.PodInfo
}

func (r *podRun) Fits() (preemption.Status, error) { return r.fits(r.state, r.info) }

func (r *podRun) Add(p *preemption.Pod, on *preemption.Node) error {
	return r.change(p, on, func(pod *framework.PodInfo) error {
		r.info.AddPodInfo(pod)
		return nil
	}, fwk.PreFilterExtensions.AddPod)
}

func (r *podRun) Remove(p *preemption.Pod, on *preemption.Node) error {
	return r.change(p, on, func(pod *framework.PodInfo) error {
		return r.info.RemovePod(klog.FromContext(silent), pod.Pod)
	}, fwk.PreFilterExtensions.RemovePod)
}

// extensionFunc is AddPod or RemovePod of a plugin's PreFilterExtensions.
type extensionFunc func(fwk.PreFilterExtensions, context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status

// change makes a change as the scheduler does: to the info of the dry run's own
// node, and to the plugin's state. The infos of other nodes stay as they are;
// members of a group there reach the plugin through its state alone.
func (r *podRun) change(p *preemption.Pod, on *preemption.Node, own func(*framework.PodInfo) error, extension extensionFunc) error {
	if !r.own {
		r.state, r.info, r.own = r.state.Clone(), r.info.SnapshotConcrete(), true
	}
	pod, info, err := r.find(p, on)
	if err != nil {
		return err
	}
	if on == r.entry.node {
		if err := own(pod); err != nil {
			return err
		}
	}
	if e := r.extensions(); e != nil {
		if status := extension(e, silent, r.state, r.pod, pod, info); !status.IsSuccess() {
			return status.AsError()
		}
	}
	return nil
}

// find returns the pod and the info of the node it is on in the scheduler's form.
func (r *podRun) find(p *preemption.Pod, on *preemption.Node) (*framework.PodInfo, *framework.NodeInfo, error) {
	e, info := r.entry, r.info
	if on != r.entry.node {
		if e = r.snapshot.byKey[on]; e == nil {
			return nil, nil, fmt.Errorf("node %s is not in the view", on.Name)
		}
		info = e.info
	}
	if pod := e.podInfo[p]; pod != nil {
		return pod, info, nil
	}
	if pod := r.others[p]; pod != nil {
		return pod, info, nil
	}
	pod, err := newPodInfo(p)
	if err != nil {
		return nil, nil, err
	}
	if r.others == nil {
		r.others = make(map[*preemption.Pod]*framework.PodInfo)
	}
	r.others[p] = pod
	return pod, info, nil
}
