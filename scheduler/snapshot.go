package scheduler

import (
	"fmt"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// A snapshot is a view in the scheduler's own terms. It never changes.
type snapshot struct {
	nodes []*nodeEntry
	infos []fwk.NodeInfo // of nodes, in the view's order
	byKey map[*preemption.Node]*nodeEntry

	withAffinity     []fwk.NodeInfo
	withAntiAffinity []fwk.NodeInfo
	withWideAnti     []fwk.NodeInfo
	grouped          bool // whether any pod on a node names a group
}

// nodeEntry is a node with its pods. Its info is shared between decisions and
// must not be modified; a dry run works on a copy.
type nodeEntry struct {
	node    *preemption.Node
	pods    []*preemption.Pod
	podInfo map[*preemption.Pod]*framework.PodInfo
	info    *framework.NodeInfo
}

// snapshots keeps the latest snapshot. Since pods and nodes are replaced and
// never modified, what is the same pointer needs no work the next time.
type snapshots struct {
	mu     sync.Mutex
	latest *snapshot
}

// of returns a snapshot of the view.
func (s *snapshots) of(view preemption.View) (*snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	nodes := view.Nodes()
	if s.latest != nil && s.latest.shows(view, nodes) {
		return s.latest, nil
	}
	next, err := newSnapshot(view, nodes, s.latest)
	if err != nil {
		return nil, err
	}
	s.latest = next
	return next, nil
}

// shows reports whether the snapshot is one of the view as it is now.
func (s *snapshot) shows(view preemption.View, nodes []*preemption.Node) bool {
	return len(nodes) == len(s.nodes) && !slices.ContainsFunc(s.nodes, func(e *nodeEntry) bool {
		return !e.shows(e.node, view.PodsOn(e.node))
	}) && slices.EqualFunc(nodes, s.nodes, func(n *preemption.Node, e *nodeEntry) bool { return n == e.node })
}

func (e *nodeEntry) shows(n *preemption.Node, pods []*preemption.Pod) bool {
	return e.node == n && slices.Equal(e.pods, pods)
}

// newSnapshot takes over from the one before what has not changed.
func newSnapshot(view preemption.View, nodes []*preemption.Node, before *snapshot) (*snapshot, error) {
	s := &snapshot{byKey: make(map[*preemption.Node]*nodeEntry, len(nodes))}
	for _, n := range nodes {
		pods := view.PodsOn(n)
		var e *nodeEntry
		if before != nil {
			e = before.byKey[n]
		}
		if e == nil || !e.shows(n, pods) {
			var err error
			if e, err = newEntry(n, pods); err != nil {
				return nil, err
			}
		}
		s.nodes = append(s.nodes, e)
		s.infos = append(s.infos, e.info)
		s.byKey[n] = e
		s.index(e)
	}
	return s, nil
}

func (s *snapshot) index(e *nodeEntry) {
	if len(e.info.PodsWithAffinity) > 0 {
		s.withAffinity = append(s.withAffinity, e.info)
	}
	if len(e.info.PodsWithRequiredAntiAffinity) > 0 {
		s.withAntiAffinity = append(s.withAntiAffinity, e.info)
	}
	if len(e.info.PodsWithRequiredNonHostScopedAntiAffinity) > 0 {
		s.withWideAnti = append(s.withWideAnti, e.info)
	}
	s.grouped = s.grouped || slices.ContainsFunc(e.pods, func(p *preemption.Pod) bool { return p.Group != "" })
}

func newEntry(n *preemption.Node, pods []*preemption.Pod) (*nodeEntry, error) {
	node := kube.NodeOf(n)
	if node == nil {
		return nil, fmt.Errorf("node %s was not converted from a Kubernetes node", n.Name)
	}
	e := &nodeEntry{
		node:    n,
		pods:    slices.Clone(pods),
		podInfo: make(map[*preemption.Pod]*framework.PodInfo, len(pods)),
		info:    framework.NewNodeInfo(),
	}
	e.info.SetNode(node)
	for _, p := range pods {
		info, err := newPodInfo(p)
		if err != nil {
			return nil, err
		}
		e.podInfo[p] = info
		e.info.AddPodInfo(info)
	}
	return e, nil
}

// newPodInfo parses the pod's affinity terms. As in the scheduler, terms that
// are not valid have no effect.
func newPodInfo(p *preemption.Pod) (*framework.PodInfo, error) {
	pod, err := podOf(p)
	if err != nil {
		return nil, err
	}
	info, _ := framework.NewPodInfo(pod)
	info.CalculateResource() // so that it is not calculated by several at a time
	return info, nil
}

// podOf returns the Kubernetes pod. The scheduler tells pods apart by UID; one
// without, from a manifest, gets its name for one.
func podOf(p *preemption.Pod) (*v1.Pod, error) {
	pod := kube.PodOf(p)
	if pod == nil {
		return nil, fmt.Errorf("pod %s was not converted from a Kubernetes pod", p)
	}
	if pod.UID != "" {
		return pod, nil
	}
	named := *pod
	named.UID = types.UID(p.String())
	return &named, nil
}
