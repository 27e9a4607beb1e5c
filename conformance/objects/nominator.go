package objects

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// Nominator is a nominator with fixed content: the nominated pods of each
// node, in the order of nomination. A scheduling queue does not serve, as it
// knows the nominations of the pods it holds only.
//
// It is a fwk.PodNominator of 1.36 and 1.37; later ones want a logger with
// NominatedPodsForNode.
type Nominator map[string][]fwk.PodInfo

// Nominate adds a pod to the node it is nominated to, if any.
func (n Nominator) Nominate(p fwk.PodInfo) {
	if node := p.GetPod().Status.NominatedNodeName; node != "" {
		n[node] = append(n[node], p)
	}
}

// NominatedPodsForNode returns the pods nominated to a node.
func (n Nominator) NominatedPodsForNode(node string) []fwk.PodInfo { return n[node] }

// AddNominatedPod does nothing, like the two methods below: the cluster of a
// case stays as it is.
func (Nominator) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}

// DeleteNominatedPodIfExists does nothing.
func (Nominator) DeleteNominatedPodIfExists(*v1.Pod) {}

// UpdateNominatedPod does nothing.
func (Nominator) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo) {}
