package scheduler

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// Monotone reports whether adding pods can never turn the plugin's refusal into
// a fit. Where that is in doubt the answer is no, which costs time only.
func (p prepared) Monotone() bool {
	if p.kind.concern&concernNode != 0 {
		return true
	}
	switch p.kind.name {
	case names.VolumeRestrictions:
		// A pod that is added can only bring a conflict with it.
		return true
	case names.InterPodAffinity:
		// Anti-affinity of either side is only hurt. A pod that the preemptor wants
		// to be near can help.
		return !wantsCompany(p.pod)
	case names.PodTopologySpread:
		// On one node the skew grows with every matching pod. Members of a group on
		// other nodes raise the minimum, and so can help.
		return !p.snapshot.grouped
	}
	// NodeVolumeLimits: a pod that is added may already have the preemptor's
	// volumes attached, which then no longer count as new.
	return false
}

func wantsCompany(p *v1.Pod) bool {
	a := p.Spec.Affinity
	return a != nil && a.PodAffinity != nil && len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0
}
