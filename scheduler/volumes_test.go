package scheduler_test

import (
	"context"
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler"
)

// storage is a cluster of two nodes with room for one volume each, both taken,
// and the volumes of east alone reachable from east.
func storage() (*kube.Objects, scheduler.Objects) {
	var o kube.Objects
	var s scheduler.Objects
	one := int32(1)
	class := storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}, Provisioner: "csi.example.com"}
	s.StorageClasses = append(s.StorageClasses, &class)
	for _, zone := range zones {
		o.Nodes = append(o.Nodes, &v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: zone, Labels: map[string]string{"zone": zone}},
			Status:     v1.NodeStatus{Allocatable: list("8", "10")},
		})
		s.CSINodes = append(s.CSINodes, &storagev1.CSINode{
			ObjectMeta: metav1.ObjectMeta{Name: zone},
			Spec:       storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{Name: "csi.example.com", Allocatable: &storagev1.VolumeNodeResources{Count: &one}}}},
		})
		o.Pods = append(o.Pods, withClaim(plainPod("old-"+zone, zone, 1), "old-"+zone))
		claim(&s, "old-"+zone, zone, v1.ReadWriteOnce)
	}
	return &o, s
}

// claim adds a claim bound to a volume of the zone.
func claim(s *scheduler.Objects, name, zone string, mode v1.PersistentVolumeAccessMode) {
	class := "fast"
	s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
		Spec:       v1.PersistentVolumeClaimSpec{VolumeName: "pv-" + name, StorageClassName: &class, AccessModes: []v1.PersistentVolumeAccessMode{mode}},
		Status:     v1.PersistentVolumeClaimStatus{Phase: v1.ClaimBound},
	})
	s.PersistentVolumes = append(s.PersistentVolumes, &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pv-" + name},
		Spec: v1.PersistentVolumeSpec{
			StorageClassName:       class,
			AccessModes:            []v1.PersistentVolumeAccessMode{mode},
			ClaimRef:               &v1.ObjectReference{Namespace: "default", Name: name},
			PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: name}},
			NodeAffinity: &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchExpressions: []v1.NodeSelectorRequirement{{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: []string{zone}}},
			}}}},
		},
	})
}

func plainPod(name, node string, priority int32) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       v1.PodSpec{NodeName: node, Priority: &priority},
	}
}

func withClaim(p *v1.Pod, name string) *v1.Pod {
	p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: name, VolumeSource: v1.VolumeSource{
		PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name},
	}})
	return p
}

func examine(t *testing.T, o *kube.Objects, s scheduler.Objects, pod *v1.Pod) *preemption.Examination {
	t.Helper()
	state, err := o.State(preemption.Release137)
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	preemptor, err := kube.Pod(pod, nil)
	if err != nil {
		t.Fatal(err)
	}
	plugins, err := scheduler.New(s)
	if err != nil {
		t.Fatal(err)
	}
	evaluator := preemption.Evaluator{Filters: plugins.Filters()}
	x, err := evaluator.Examine(context.Background(), cluster, preemptor)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The node that reaches the volume is cleared of the pod whose volume takes the
// place; the other one is out of the question.
func TestVolumes(t *testing.T) {
	o, s := storage()
	claim(&s, "new", "east", v1.ReadWriteOnce)
	x := examine(t, o, s, withClaim(plainPod("new", "", 10), "new"))
	if x.Outcome != preemption.OutcomePreempt || x.Node.Name != "east" || x.Victims[0].Pods[0].Name != "old-east" {
		t.Errorf("%v, want east cleared of old-east\n%s", x.Outcome, x.Explain())
	}
	const full = "Unschedulable: node(s) exceed max volume count"
	for _, r := range x.Nodes {
		if r.Filter.String() != full {
			t.Errorf("node %s as it is: %s, want %s", r.Node.Name, r.Filter, full)
		}
	}
	if got, want := x.Nodes[1].Status.String(), "UnschedulableAndUnresolvable: node(s) didn't match PersistentVolume's node affinity"; got != want {
		t.Errorf("node west with nobody left: %s, want %s", got, want)
	}
}

// A volume for one pod only, in use on one node, is in use for all of them.
func TestVolumeForOnePod(t *testing.T) {
	o, s := storage()
	claim(&s, "single", "east", v1.ReadWriteOncePod)
	o.Pods = append(o.Pods, withClaim(plainPod("user", "east", 1), "single"))
	s.CSINodes = nil
	x := examine(t, o, s, withClaim(plainPod("new", "", 10), "single"))
	if x.Outcome != preemption.OutcomePreempt || x.Node.Name != "east" || len(x.Victims) != 1 || x.Victims[0].Pods[0].Name != "user" {
		t.Errorf("%v, want east cleared of the user of the volume\n%s", x.Outcome, x.Explain())
	}
}

// A claim that is not there rejects the pod as a whole.
func TestMissingClaim(t *testing.T) {
	o, s := storage()
	pod := withClaim(plainPod("new", "", 10), "nosuch")
	x := examine(t, o, s, pod)
	want := `UnschedulableAndUnresolvable: persistentvolumeclaim "nosuch" not found`
	if x.Outcome != preemption.OutcomeUnhelpful || x.Nodes[0].Status.String() != want {
		t.Errorf("%v: %s, want %s", x.Outcome, x.Nodes[0].Status, want)
	}
	// Without any claims nothing is said about volumes.
	if x := examine(t, o, scheduler.Objects{}, pod); x.Outcome != preemption.OutcomeFits {
		t.Errorf("%v without claims", x.Outcome)
	}
}

// Where a volume of the preemptor's own is attached already through another pod,
// putting that pod back can only help. So the plugin that counts volumes must
// not call itself monotone.
func TestVolumeCountIsNotMonotone(t *testing.T) {
	o, s := storage()
	o.Pods[0] = withClaim(plainPod("sharer", "east", 1), "shared")
	claim(&s, "shared", "east", v1.ReadWriteMany)
	name := "pv-shared"
	s.VolumeAttachments = append(s.VolumeAttachments, &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: "attached"},
		Spec:       storagev1.VolumeAttachmentSpec{NodeName: "east", Attacher: "csi.example.com", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &name}},
	})
	plugins, err := scheduler.New(s)
	if err != nil {
		t.Fatal(err)
	}
	state, err := o.State(preemption.Release137)
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	preemptor, err := kube.Pod(withClaim(plainPod("new", "", 10), "shared"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range plugins.Filters() {
		if f.Name() != "NodeVolumeLimits" {
			continue
		}
		prepared, err := f.Prepare(preemptor, cluster)
		if err != nil {
			t.Fatal(err)
		}
		if prepared.(interface{ Monotone() bool }).Monotone() {
			t.Error("it calls itself monotone")
		}
		run, err := prepared.Begin(cluster.Node("east"))
		if err != nil {
			t.Fatal(err)
		}
		sharer := cluster.PodsOn(cluster.Node("east"))[0]
		if err := run.Remove(sharer, cluster.Node("east")); err != nil {
			t.Fatal(err)
		}
		without, err := run.Fits()
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Add(sharer, cluster.Node("east")); err != nil {
			t.Fatal(err)
		}
		with, err := run.Fits()
		if err != nil {
			t.Fatal(err)
		}
		if without.Fits() || !with.Fits() {
			t.Errorf("without the sharer: %s, with it: %s; want a refusal and a fit", without, with)
		}
		return
	}
	t.Fatal("no filter counts volumes")
}
