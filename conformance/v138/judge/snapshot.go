package judge

import (
	"context"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"example.com/preemption/conformance/objects"
	"example.com/preemption/internal/golden"
)

// setGates sets the feature gates for cases with or without groups.
func setGates(groups bool) error {
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{
		string(features.GenericWorkload):                 groups,
		string(features.TopologyAwareWorkloadScheduling): groups,
		string(features.CompositePodGroup):               groups,
	})
}

// fill brings the cluster of c into the snapshot by way of the scheduler's cache, with
// the preempting group if it is to be placed.
func (s *scheduler) fill(ctx context.Context, c *golden.Case, places bool) error {
	gates := utilfeature.DefaultFeatureGate
	contents := cache.New(ctx, nil, gates.Enabled(features.GenericWorkload), gates.Enabled(features.CompositePodGroup))
	for i := range c.PodGroups {
		contents.AddGenericPodGroup(fwk.NewGenericPodGroup(podGroup(&c.PodGroups[i])))
	}
	for i := range c.CompositePodGroups {
		contents.AddGenericPodGroup(fwk.NewGenericCompositePodGroup(compositePodGroup(&c.CompositePodGroups[i])))
	}
	for _, node := range objects.Nodes(c) {
		s.nodes = append(s.nodes, node.Name)
		contents.AddNode(s.logger, node)
	}
	bound, _ := objects.Pods(c)
	for _, pod := range bound {
		if err := contents.AddPod(s.logger, pod); err != nil {
			return err
		}
	}
	if places {
		contents.AddGenericPodGroup(preemptorGroup(c))
		for i := range c.Gang {
			contents.AddPodGroupMember(memberPod(c, i))
		}
	}
	s.contents = contents
	return contents.UpdateSnapshot(s.logger, s.snapshot)
}

// newNominator returns the nominations of c: those of other pods in case order,
// then the preemptor's own.
func newNominator(c *golden.Case) (nominator, error) {
	_, nominated := objects.Pods(c)
	n := nominator{objects.Nominator{}}
	for _, pod := range append(nominated, objects.Pod(&c.Preemptor)) {
		info, err := framework.NewPodInfo(pod)
		if err != nil {
			return n, err
		}
		n.Nominate(info)
	}
	return n, nil
}

// nominator is an [objects.Nominator] that takes a logger, as 1.38 wants it.
type nominator struct{ objects.Nominator }

var _ fwk.PodNominator = nominator{}

// NominatedPodsForNode returns the pods nominated to a node.
func (n nominator) NominatedPodsForNode(_ klog.Logger, node string) []fwk.PodInfo {
	return n.Nominator.NominatedPodsForNode(node)
}

func podGroup(g *golden.PodGroup) *schedulingv1beta1.PodGroup {
	pg := &schedulingv1beta1.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: g.Namespace, Name: g.Name, UID: types.UID("podgroup/" + g.Name)},
		Spec: schedulingv1beta1.PodGroupSpec{
			Priority:                    &g.Priority,
			ParentCompositePodGroupName: named(g.Parent),
			DisruptionMode:              &schedulingv1beta1.DisruptionMode{},
		},
	}
	if g.DisruptionMode == golden.ModeAll {
		pg.Spec.DisruptionMode.All = &schedulingv1beta1.AllDisruptionMode{}
	} else {
		pg.Spec.DisruptionMode.Single = &schedulingv1beta1.SingleDisruptionMode{}
	}
	return pg
}

func compositePodGroup(g *golden.CompositePodGroup) *schedulingv1beta1.CompositePodGroup {
	cpg := &schedulingv1beta1.CompositePodGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: g.Namespace, Name: g.Name, UID: types.UID("compositepodgroup/" + g.Name)},
		Spec: schedulingv1beta1.CompositePodGroupSpec{
			Priority:                    &g.Priority,
			ParentCompositePodGroupName: named(g.Parent),
			DisruptionMode:              &schedulingv1beta1.CompositeDisruptionMode{},
		},
	}
	if g.DisruptionMode == golden.ModeAll {
		cpg.Spec.DisruptionMode.All = &schedulingv1beta1.AllCompositeDisruptionMode{}
	} else {
		cpg.Spec.DisruptionMode.Single = &schedulingv1beta1.SingleCompositeDisruptionMode{}
	}
	return cpg
}

// named returns a reference by name, nil without one.
func named(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}
