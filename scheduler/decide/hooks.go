package decide

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// eligible is the plugin's IsEligiblePod in the library's terms, nil for the
// default.
func (d *Decider) eligible(preemptor *v1.Pod) func(*preemption.Pod, *preemption.Victim, *preemption.Node) bool {
	if d.options.IsEligiblePod == nil {
		return nil
	}
	eligible := d.options.IsEligiblePod()
	if eligible == nil {
		return nil
	}
	nodes := d.handle.SnapshotSharedLister().NodeInfos()
	return func(_ *preemption.Pod, v *preemption.Victim, n *preemption.Node) bool {
		info, err := nodes.Get(n.Name)
		return err == nil && eligible(info, victimOf(v), preemptor)
	}
}

// compare is the plugin's MoreImportantVictim in the library's terms, nil for the
// default.
func (d *Decider) compare() func(a, b *preemption.Victim) int {
	if d.options.MoreImportantVictim == nil {
		return nil
	}
	more := d.options.MoreImportantVictim()
	if more == nil {
		return nil
	}
	return func(a, b *preemption.Victim) int {
		x, y := victimOf(a), victimOf(b)
		switch {
		case more(x, y):
			return 1
		case more(y, x):
			return -1
		}
		return 0
	}
}

var keyTypes = map[preemption.VictimKind]fwk.EntityKeyType{
	preemption.KindPod:               fwk.PodKeyType,
	preemption.KindPodGroup:          fwk.PodGroupKeyType,
	preemption.KindCompositePodGroup: fwk.CompositePodGroupKeyType,
}

// victimOf is the victim in kube-scheduler's terms.
func victimOf(v *preemption.Victim) upstream.Victim {
	pods := make([]fwk.PodInfo, len(v.Pods))
	for i, p := range v.Pods {
		// Terms that are not valid have no effect, as in the scheduler.
		pods[i], _ = framework.NewPodInfo(kube.PodOf(p))
	}
	victim, _ := upstream.NewVictim(pods, v.Priority, keyTypes[v.Kind]) // it fails without pods only
	return victim
}
