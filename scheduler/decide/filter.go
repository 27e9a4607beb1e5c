package decide

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// profileFilter is the scheduler's own filters for one preemptor, as a filter of
// the library. They run on clones of the cycle's state, with the calls that
// kube-scheduler's dry run makes and no others: some plugins change themselves in
// them.
type profileFilter struct {
	ctx      context.Context
	cycle    fwk.CycleState
	pod      *v1.Pod
	statuses fwk.NodeToStatusReader
	state    *state
	handle   fwk.Handle
	listed   bool             // whether the plugins are known
	plugins  []string         // those that take part
	skip     sets.Set[string] // those that do not
	order    []string         // all, as they run
	runs     int              // how often they ran
}

// Name returns the name of the extension point; statuses name the plugin.
func (f *profileFilter) Name() string { return "Filter" }

func (f *profileFilter) Prepare(*preemption.Pod, preemption.View) (preemption.Prepared, error) {
	switch {
	case f.listed && len(f.plugins) == 0:
		return nil, nil
	case f.ofNode():
		return nodePrepared{f}, nil
	}
	return f, nil
}

// ofNode reports whether there are filters, and the pods on a node make no
// difference to any.
func (f *profileFilter) ofNode() bool {
	return f.listed && len(f.plugins) > 0 && ofNode.HasAll(f.plugins...)
}

// known is what the filter phase found, in the library's terms: whether evictions
// may help. It refused the preemptor on every node. Where the filters are asked
// about a node before it is cleared, they say what became of it, which saves
// looking at all nodes here; but for the node that the preemptor is nominated to,
// on which its eligibility depends. What nodes are called is not looked at: with
// thousands of them, none in the processor's cache, that takes longer than the rest.
func (f *profileFilter) known() func(*preemption.Node) (preemption.Status, bool) {
	later := f.ofNode()
	nominated := f.state.cluster.Node(f.pod.Status.NominatedNodeName)
	return func(n *preemption.Node) (preemption.Status, bool) {
		if later && n != nominated || f.mayHelp(n) {
			return preemption.Status{Code: preemption.Unschedulable}, true
		}
		return preemption.Status{Code: preemption.Unresolvable}, true
	}
}

// mayHelp reports whether evictions may help on the node, by the filter phase.
func (f *profileFilter) mayHelp(n *preemption.Node) bool {
	return f.statuses.Get(n.Name).Code() == fwk.Unschedulable
}

// Monotone reports whether a pod more can never make the preemptor fit. For
// plugins that are not known here that is in doubt, which costs time only; and for
// NodePorts it is not so: a node keeps a set of ports, from which the first of two
// pods with the same port takes it when it goes.
func (f *profileFilter) Monotone() bool {
	return f.listed && !slices.ContainsFunc(f.plugins, func(name string) bool {
		switch {
		case ofNode.Has(name) || name == names.VolumeRestrictions || name == names.NodeResourcesFit:
			return false
		case name == names.InterPodAffinity:
			return wantsCompany(f.pod)
		case name == names.PodTopologySpread:
			// Members of a group on other nodes raise the minimum.
			return f.state.features.EnableGenericWorkload
		}
		return true
	})
}

func wantsCompany(p *v1.Pod) bool {
	a := p.Spec.Affinity
	return a != nil && a.PodAffinity != nil && len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0
}

func (f *profileFilter) Begin(n *preemption.Node) (preemption.DryRun, error) {
	info, err := f.handle.SnapshotSharedLister().NodeInfos().Get(n.Name)
	if err != nil {
		return nil, err
	}
	return &podRun{profileFilter: f, main: info, own: trial{f.clone(), info.Snapshot()}}, nil
}

// run runs the filters.
func (f *profileFilter) run(cycle fwk.CycleState, info fwk.NodeInfo) (preemption.Status, error) {
	f.runs++
	status := f.handle.RunFilterPlugins(f.ctx, cycle, f.pod, info)
	switch {
	case status.IsSuccess():
		return preemption.Status{}, nil
	case status.Code() == fwk.Unschedulable:
		return preemption.Status{Code: preemption.Unschedulable, Filter: status.Plugin(), Reasons: status.Reasons()}, nil
	case status.IsRejected():
		return preemption.Status{Code: preemption.Unresolvable, Filter: status.Plugin(), Reasons: status.Reasons()}, nil
	}
	return preemption.Status{}, status.AsError()
}

// clone returns a cycle state of one's own in which only the plugins run that
// take part.
func (f *profileFilter) clone() fwk.CycleState {
	c := f.cycle.Clone()
	c.SetSkipFilterPlugins(f.skip)
	return c
}

// nodePrepared are the filters where the pods on a node make no difference.
type nodePrepared struct{ *profileFilter }

// NodeStatus says what the filters make of a node, whatever pods are on it.
func (f nodePrepared) NodeStatus(n *preemption.Node) (preemption.Status, error) {
	if !f.mayHelp(n) {
		return preemption.Status{Code: preemption.Unresolvable}, nil
	}
	// What refused the node in the filter phase may have run behind all plugins that
	// take part: then they took it.
	at := slices.Index(f.order, f.statuses.Get(n.Name).Plugin())
	if !slices.ContainsFunc(f.plugins, func(name string) bool { return slices.Index(f.order, name) > at }) {
		return preemption.Status{}, nil
	}
	info, err := f.handle.SnapshotSharedLister().NodeInfos().Get(n.Name)
	if err != nil {
		return preemption.Status{}, err
	}
	return f.run(f.clone(), info)
}

func (f nodePrepared) Begin(n *preemption.Node) (preemption.DryRun, error) {
	return &nodeRun{filter: f, node: n}, nil
}

type nodeRun struct {
	filter nodePrepared
	node   *preemption.Node
}

func (*nodeRun) Add(*preemption.Pod, *preemption.Node) error    { return nil }
func (*nodeRun) Remove(*preemption.Pod, *preemption.Node) error { return nil }
func (r *nodeRun) Fits() (preemption.Status, error)             { return r.filter.NodeStatus(r.node) }

// podRun is the dry run where they do. It has a state and a node info of its own.
type podRun struct {
	*profileFilter
	main      fwk.NodeInfo // the snapshot's
	own       trial
	nominated []*preemption.Pod // added, as long as they are
	infos     map[types.UID]fwk.PodInfo
}

type trial struct {
	cycle fwk.CycleState
	info  fwk.NodeInfo
}

func (r *podRun) Fits() (preemption.Status, error) {
	t := r.own
	if len(r.nominated) > 0 {
		// Nominated pods are added to a copy, as kube-scheduler does it.
		t = trial{t.cycle.Clone(), t.info.Snapshot()}
	}
	for _, p := range r.nominated {
		info, err := r.podInfo(p)
		if err != nil {
			return preemption.Status{}, err
		}
		t.info.AddPodInfo(info)
		if status := r.handle.RunPreFilterExtensionAddPod(r.ctx, t.cycle, r.pod, info, t.info); !status.IsSuccess() {
			return preemption.Status{}, status.AsError()
		}
	}
	return r.run(t.cycle, t.info)
}

func (r *podRun) Add(p *preemption.Pod, on *preemption.Node) error {
	if p.NodeName == "" {
		r.nominated = append(r.nominated, p)
		return nil
	}
	info, node, mine, err := r.find(p, on)
	if err != nil {
		return err
	}
	if mine {
		node.AddPodInfo(info)
	}
	return r.handle.RunPreFilterExtensionAddPod(r.ctx, r.own.cycle, r.pod, info, node).AsError()
}

func (r *podRun) Remove(p *preemption.Pod, on *preemption.Node) error {
	if i := slices.Index(r.nominated, p); i >= 0 {
		r.nominated = slices.Delete(r.nominated, i, i+1)
		return nil
	}
	info, node, mine, err := r.find(p, on)
	if err != nil {
		return err
	}
	if mine {
		if err := node.RemovePod(klog.FromContext(r.ctx), info.GetPod()); err != nil {
			return err
		}
	}
	return r.handle.RunPreFilterExtensionRemovePod(r.ctx, r.own.cycle, r.pod, info, node).AsError()
}

// find returns the pod, the info of the node it is on, and whether that is the dry
// run's own, which alone is changed.
func (r *podRun) find(p *preemption.Pod, on *preemption.Node) (pod fwk.PodInfo, node fwk.NodeInfo, mine bool, err error) {
	if pod, err = r.podInfo(p); err != nil {
		return nil, nil, false, err
	}
	if on.Name == r.main.Node().Name {
		return pod, r.own.info, true, nil
	}
	node, err = r.handle.SnapshotSharedLister().NodeInfos().Get(on.Name)
	return pod, node, false, err
}

// podInfo returns the snapshot's form of a pod, or a new one of a pod that is not
// on the dry run's node.
func (r *podRun) podInfo(p *preemption.Pod) (fwk.PodInfo, error) {
	if r.infos == nil {
		r.infos = make(map[types.UID]fwk.PodInfo)
		for _, x := range r.main.GetPods() {
			r.infos[x.GetPod().UID] = x
		}
	}
	object := kube.PodOf(p)
	info := r.infos[object.UID]
	if info == nil {
		var err error
		if info, err = framework.NewPodInfo(object); err != nil {
			return nil, err
		}
		r.infos[object.UID] = info
	}
	return info, nil
}
