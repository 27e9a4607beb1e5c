package decide

import (
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// state is the library's cluster, kept in step with the scheduler's snapshot.
//
// Nodes and the pods on them come from the snapshot: a node whose generation is
// the one of last time is the same to the last pod. Budgets, groups and
// nominations come by events; the nominator has the last word on nominations. It
// all happens in follow, before a decision; if that fails the cluster is dropped
// and built afresh the next time.
type state struct {
	handle   fwk.Handle
	features feature.Features
	lister   corelisters.PodLister
	events   *events
	objects  objects

	cluster     *preemption.Cluster // nil: to be built
	generations []int64             // in the snapshot's order
	nodes       map[string]*nodeState
	pods        map[types.UID]*podState // on nodes
	aliased     map[types.UID]bool      // those that do not have their own name
	nominees    map[types.UID]*nominee
	nominatedTo map[string][]types.UID // by node, those of nominees
	preemptor   types.UID              // is left out of the nominees
}

type nodeState struct {
	node       *v1.Node
	generation int64
	pods       []types.UID // in the snapshot's order
}

type podState struct {
	object *v1.Pod
	pod    *preemption.Pod
	node   string
}

func newState(handle fwk.Handle, features feature.Features) (*state, error) {
	pods := handle.SharedInformerFactory().Core().V1().Pods()
	s := &state{handle: handle, features: features, lister: pods.Lister(), events: newEvents()}
	s.drop(nil)
	if _, err := pods.Informer().AddEventHandler(s.events.pods()); err != nil {
		return nil, fmt.Errorf("pods: %w", err)
	}
	var err error
	s.objects, err = newObjects(handle.SharedInformerFactory(), features, s.events)
	return s, err
}

// follow brings the cluster in step. The preemptor is left out of the
// nominations: it does not stand in its own way.
func (s *state) follow(preemptor types.UID) (err error) {
	list, err := s.handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return err
	}
	s.preemptor = preemptor
	noted := s.events.take()
	claims := noted.claims
	defer func() {
		if err != nil {
			s.drop(noted.claims)
		}
	}()
	if s.cluster == nil {
		if err := s.build(list); err != nil {
			return err
		}
		noted.budgets, noted.groups, noted.composites = s.objects.all()
		claims = append(slices.Clip(claims), s.listed()...)
	} else if err := s.followNodes(list); err != nil {
		return err
	}
	if err := s.objects.apply(s.cluster, &noted); err != nil {
		return err
	}
	return s.settle(claims)
}

// drop gives the cluster up, to be built afresh. What is known of nominations and
// is not in the pods yet is noted again; of the rest nothing is lost.
func (s *state) drop(claims []claim) {
	claims = slices.Clip(claims)
	until := time.Now().Add(patience)
	for _, uid := range slices.Sorted(maps.Keys(s.nominees)) {
		claims = append(claims, claim{uid, s.nominees[uid].node, true, nil, until})
	}
	s.events.again(claims)
	s.cluster = nil
	s.nominees = make(map[types.UID]*nominee)
	s.nominatedTo = make(map[string][]types.UID)
}

// build compiles the cluster from the snapshot.
func (s *state) build(list []fwk.NodeInfo) error {
	s.nodes = make(map[string]*nodeState, len(list))
	s.pods = make(map[types.UID]*podState)
	s.aliased = make(map[types.UID]bool)
	s.generations = make([]int64, len(list))
	s.objects.forget()

	in := preemption.ClusterState{Release: preemption.Release137}
	names := make(map[types.NamespacedName]bool)
	for i, info := range list {
		s.generations[i] = info.GetGeneration()
		node, err := kube.Node(info.Node())
		if err != nil {
			return err
		}
		in.Nodes = append(in.Nodes, node)
		n := &nodeState{node: info.Node(), generation: info.GetGeneration()}
		s.nodes[node.Name] = n
		for _, x := range info.GetPods() {
			p := &podState{object: x.GetPod(), node: node.Name}
			if p.pod, err = s.counted(x); err != nil {
				return err
			}
			name := types.NamespacedName{Namespace: p.pod.Namespace, Name: p.pod.Name}
			if names[name] {
				p.pod.Name = alias(p.object)
				s.aliased[p.object.UID] = true
			}
			names[name] = true
			s.pods[p.object.UID] = p
			n.pods = append(n.pods, p.object.UID)
			in.Pods = append(in.Pods, p.pod)
		}
	}
	cluster, err := preemption.NewCluster(in)
	if err != nil {
		return err
	}
	s.cluster = cluster
	return nil
}

// followNodes makes the changes of the snapshot since the last time: what goes
// first, then what comes, so that a pod that moved finds its name free.
func (s *state) followNodes(list []fwk.NodeInfo) error {
	var changed []fwk.NodeInfo
	for i, info := range list {
		switch g := info.GetGeneration(); {
		case i >= len(s.generations):
			s.generations = append(s.generations, g)
		case s.generations[i] == g:
			continue
		default:
			s.generations[i] = g
		}
		if n := s.nodes[info.Node().Name]; n == nil || n.generation != info.GetGeneration() {
			changed = append(changed, info)
		}
	}
	shorter := len(list) < len(s.generations)
	s.generations = s.generations[:len(list)]

	known := 0
	for _, info := range changed {
		if s.nodes[info.Node().Name] != nil {
			known++
		}
	}
	if added := len(changed) - known; shorter || len(s.nodes)+added != len(list) {
		if err := s.removeNodes(list); err != nil {
			return err
		}
	}
	for _, info := range changed {
		if err := s.removePods(info); err != nil {
			return err
		}
	}
	for _, info := range changed {
		if err := s.updateNode(info); err != nil {
			return err
		}
	}
	return s.unalias()
}

// removeNodes removes the nodes that are not in the snapshot any more, with their
// pods.
func (s *state) removeNodes(list []fwk.NodeInfo) error {
	gone := make(map[string]*nodeState, len(s.nodes))
	for name, n := range s.nodes {
		gone[name] = n
	}
	for _, info := range list {
		delete(gone, info.Node().Name)
	}
	for name, n := range gone {
		for _, uid := range n.pods {
			if err := s.removePod(uid, name); err != nil {
				return err
			}
		}
		if err := s.cluster.RemoveNode(name); err != nil {
			return err
		}
		delete(s.nodes, name)
	}
	return nil
}

// removePods removes from a node the pods that are not on it any more.
func (s *state) removePods(info fwk.NodeInfo) error {
	name := info.Node().Name
	n := s.nodes[name]
	if n == nil {
		return nil
	}
	pods := info.GetPods()
	var here map[types.UID]bool
	for i, uid := range n.pods {
		if i < len(pods) && pods[i].GetPod().UID == uid {
			continue
		}
		if here == nil {
			here = make(map[types.UID]bool, len(pods))
			for _, p := range pods {
				here[p.GetPod().UID] = true
			}
		}
		if !here[uid] {
			if err := s.removePod(uid, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// removePod removes a pod that was on the node of that name. If the scheduler
// gave up binding it, it may be nominated again, which nobody tells.
func (s *state) removePod(uid types.UID, node string) error {
	p := s.pods[uid]
	if p == nil || p.node != node {
		return nil
	}
	delete(s.pods, uid)
	delete(s.aliased, uid)
	if to := p.object.Status.NominatedNodeName; to != "" {
		s.events.nomination(uid, "", to, nil)
	}
	return s.cluster.RemovePod(p.pod.Namespace, p.pod.Name)
}

// updateNode makes a node and the pods on it what the snapshot says. Pods that
// left it have been removed.
func (s *state) updateNode(info fwk.NodeInfo) error {
	name := info.Node().Name
	n := s.nodes[name]
	switch {
	case n == nil:
		node, err := kube.Node(info.Node())
		if err != nil {
			return err
		}
		if err := s.cluster.AddNode(node); err != nil {
			return err
		}
		n = &nodeState{}
		s.nodes[name] = n
	case n.node != info.Node():
		node, err := kube.Node(info.Node())
		if err != nil {
			return err
		}
		if err := s.cluster.UpdateNode(node); err != nil {
			return err
		}
	}
	n.node, n.generation = info.Node(), info.GetGeneration()
	n.pods = n.pods[:0]
	for _, x := range info.GetPods() {
		n.pods = append(n.pods, x.GetPod().UID)
		if err := s.setPod(x, name); err != nil {
			return err
		}
	}
	return nil
}

// setPod makes a pod on a node what the snapshot says.
func (s *state) setPod(info fwk.PodInfo, node string) error {
	object := info.GetPod()
	held := s.pods[object.UID]
	if held != nil && held.object == object && held.node == node {
		return nil
	}
	pod, err := s.counted(info)
	if err != nil {
		return err
	}
	if held != nil {
		pod.Name = held.pod.Name
		s.pods[object.UID] = &podState{object, pod, node}
		return s.cluster.UpdatePod(pod)
	}
	if x := s.nominees[object.UID]; x != nil {
		if err := s.removeNominee(x); err != nil {
			return err
		}
	}
	s.name(pod)
	s.pods[object.UID] = &podState{object, pod, node}
	return s.cluster.AddPod(pod)
}

// name gives the pod another name if its own is taken. A pod that is recreated
// under the same name can be in the snapshot beside the old one; the library
// tells pods apart by name, kube-scheduler by UID.
func (s *state) name(pod *preemption.Pod) {
	if s.cluster.Pod(pod.Namespace, pod.Name) == nil {
		return
	}
	object := kube.PodOf(pod)
	pod.Name = alias(object)
	s.aliased[object.UID] = true
}

// alias is a name that no pod can have.
func alias(p *v1.Pod) string { return p.Name + "@" + string(p.UID) }

// unalias gives pods their own names as soon as those are free.
func (s *state) unalias() error {
	for _, uid := range slices.Sorted(maps.Keys(s.aliased)) {
		p := s.pods[uid]
		if p == nil { // a nominee: it is named anew with every update
			delete(s.aliased, uid)
			continue
		}
		if s.cluster.Pod(p.object.Namespace, p.object.Name) != nil {
			continue
		}
		pod := *p.pod
		pod.Name = p.object.Name
		if err := s.cluster.RemovePod(p.pod.Namespace, p.pod.Name); err != nil {
			return err
		}
		if err := s.cluster.AddPod(&pod); err != nil {
			return err
		}
		p.pod = &pod
		delete(s.aliased, uid)
	}
	return nil
}

// convert returns the preemptor in the library's form.
func (s *state) convert(object *v1.Pod) (*preemption.Pod, error) {
	pod, err := kube.Pod(object, nil)
	return s.ungrouped(pod), err
}

// counted returns a pod that takes room on a node in the library's form. What it
// requests the scheduler has added up.
func (s *state) counted(info fwk.PodInfo) (*preemption.Pod, error) {
	sum := info.CalculateResource().Resource
	requests := make(preemption.Resources, 3+len(sum.GetScalarResources()))
	note := func(name v1.ResourceName, n int64) {
		if n != 0 {
			requests[string(name)] = n
		}
	}
	note(v1.ResourceCPU, sum.GetMilliCPU())
	note(v1.ResourceMemory, sum.GetMemory())
	note(v1.ResourceEphemeralStorage, sum.GetEphemeralStorage())
	for name, n := range sum.GetScalarResources() {
		note(name, n)
	}
	pod, err := kube.PodRequesting(info.GetPod(), requests, nil)
	return s.ungrouped(pod), err
}

// ungrouped takes the pod out of its group where the scheduler does not know groups.
func (s *state) ungrouped(pod *preemption.Pod) *preemption.Pod {
	if pod != nil && !s.features.EnableGenericWorkload {
		pod.Group = ""
	}
	return pod
}

func without(list []types.UID, uid types.UID) []types.UID {
	return slices.DeleteFunc(list, func(x types.UID) bool { return x == uid })
}
