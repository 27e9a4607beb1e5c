package decide

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// A nominee is a pending pod that is nominated to a node.
type nominee struct {
	pod  *preemption.Pod
	uid  types.UID
	node string
}

func (x *nominee) object() *v1.Pod { return kube.PodOf(x.pod) }

// settle asks the nominator about the nodes that claims name. What it says
// counts; claims that it does not agree with yet are looked at again.
func (s *state) settle(claims []claim) error {
	// The preemptor is a nominee no more; whether it is one is asked again later.
	if x := s.nominees[s.preemptor]; x != nil {
		s.events.nomination(x.uid, "", x.node, nil)
		if err := s.removeNominee(x); err != nil {
			return err
		}
	}
	if len(claims) == 0 {
		return nil
	}
	asked := make(map[string]bool)
	for _, c := range claims {
		if !s.knows(c) && !asked[c.node] {
			asked[c.node] = true
			if _, err := s.nominations(c.node); err != nil {
				return err
			}
		}
	}
	s.events.again(slices.DeleteFunc(claims, func(c claim) bool { return s.holds(c) == c.nominated }))
	return nil
}

// holds reports whether the pod of a claim is a nominee of its node.
func (s *state) holds(c claim) bool {
	x := s.nominees[c.pod]
	return x != nil && x.node == c.node
}

// knows reports whether a claim is no news: what it says is so, of a pod that is as
// it was.
func (s *state) knows(c claim) bool {
	if s.holds(c) != c.nominated {
		return false
	}
	return !c.nominated || c.object != nil && alike(s.nominees[c.pod].object(), c.object)
}

// alike reports whether two versions of a pod differ in their status at most, as far
// as matters to others while the pod is on no node.
func alike(a, b *v1.Pod) bool {
	return a.ResourceVersion == b.ResourceVersion || a.Generation > 0 && a.Generation == b.Generation && maps.Equal(a.Labels, b.Labels)
}

// nominations makes the nominations to a node what the nominator says and reports
// whether that changed anything. The nominator locks the queue and copies every
// pod, so it must not be asked about all nodes.
func (s *state) nominations(node string) (changed bool, err error) {
	infos := s.handle.NominatedPodsForNode(node)
	here := make(map[types.UID]bool, len(infos))
	for _, info := range infos {
		here[info.GetPod().UID] = true
	}
	for _, uid := range append([]types.UID(nil), s.nominatedTo[node]...) {
		if !here[uid] {
			changed = true
			if err := s.removeNominee(s.nominees[uid]); err != nil {
				return true, err
			}
		}
	}
	for _, info := range infos {
		object := info.GetPod()
		x := s.nominees[object.UID] // of another copy: each call makes new ones
		if object.UID == s.preemptor || s.pods[object.UID] != nil ||
			x != nil && x.node == node && alike(x.object(), object) {
			continue
		}
		changed = true
		if x != nil {
			if err := s.removeNominee(x); err != nil {
				return true, err
			}
		}
		pod, err := s.counted(info)
		if err != nil {
			return true, err
		}
		pod.NodeName = ""
		s.name(pod)
		if err := s.cluster.Nominate(pod, node); err != nil {
			return true, err
		}
		s.nominees[object.UID] = &nominee{pod, object.UID, node}
		s.nominatedTo[node] = append(s.nominatedTo[node], object.UID)
	}
	return changed, nil
}

func (s *state) removeNominee(x *nominee) error {
	delete(s.nominees, x.uid)
	if rest := without(s.nominatedTo[x.node], x.uid); len(rest) > 0 {
		s.nominatedTo[x.node] = rest
	} else {
		delete(s.nominatedTo, x.node)
	}
	return s.cluster.RemovePod(x.pod.Namespace, x.pod.Name)
}

// listed claims what the pods say, for a state that is built afresh.
func (s *state) listed() []claim {
	var claims []claim
	until := time.Now().Add(patience)
	pods, _ := s.lister.List(labels.Everything()) // listers of informers do not fail
	for _, p := range pods {
		if uid, node := nominationOf(p); node != "" {
			claims = append(claims, claim{uid, node, true, nil, until})
		}
	}
	return claims
}
