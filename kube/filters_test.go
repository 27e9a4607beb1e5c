package kube_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// A node that does not match is out of the question, whatever is evicted there.
func TestNodeAffinity(t *testing.T) {
	ssd, hdd := nodeWith("ssd", "cpu", "1", "pods", "9"), nodeWith("hdd", "cpu", "1", "pods", "9")
	ssd.Labels, hdd.Labels = map[string]string{"disk": "ssd"}, map[string]string{"disk": "hdd"}
	objects := kube.Objects{
		Nodes: []*v1.Node{hdd, ssd},
		Pods:  []*v1.Pod{podOn("hdd", "a", 0, "cpu", "1"), podOn("ssd", "b", 0, "cpu", "1")},
	}
	required := func(values ...string) *v1.Affinity {
		return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "disk", Operator: v1.NodeSelectorOpIn, Values: values}}}},
		}}}
	}
	for _, tc := range []struct {
		name     string
		affinity *v1.Affinity
		selector map[string]string
		want     string
	}{
		{name: "no wish", want: "hdd"},
		{name: "affinity", affinity: required("ssd"), want: "ssd"},
		{name: "either", affinity: required("hdd", "ssd"), want: "hdd"},
		{name: "selector", selector: map[string]string{"disk": "ssd"}, want: "ssd"},
		{name: "both", selector: map[string]string{"disk": "ssd"}, affinity: required("hdd"), want: ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pod := podOn("", "p", 10, "cpu", "1")
			pod.Spec.Affinity, pod.Spec.NodeSelector = tc.affinity, tc.selector
			if got := decide(t, objects, pod); got != tc.want {
				t.Errorf("node %q, want %q", got, tc.want)
			}
			if status := judge(t, hdd, pod); status.Fits() != (tc.want == "hdd") || !status.Fits() && status.Code != preemption.Unresolvable {
				t.Errorf("node hdd: %v", status)
			}
		})
	}
}

// judge asks NodeAffinity about the node.
func judge(t *testing.T, node *v1.Node, pod *v1.Pod) preemption.Status {
	t.Helper()
	p, err := kube.Pod(pod, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := kube.Node(node)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := kube.NodeAffinity().Prepare(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if prepared == nil {
		return preemption.Status{}
	}
	run, err := prepared.Begin(n)
	if err != nil {
		t.Fatal(err)
	}
	status, err := run.Fits()
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func decide(t *testing.T, objects kube.Objects, pod *v1.Pod) string {
	t.Helper()
	state, err := objects.State(preemption.Release137)
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
	evaluator := preemption.Evaluator{Filters: kube.Filters()}
	result, err := evaluator.Preempt(context.Background(), cluster, preemptor)
	if err != nil {
		t.Fatal(err)
	}
	if result.Node == nil {
		return ""
	}
	return result.Node.Name
}

// The filter does not judge what did not come from Kubernetes objects.
func TestNodeAffinityNeedsObjects(t *testing.T) {
	if _, err := kube.NodeAffinity().Prepare(&preemption.Pod{Name: "p"}, nil); err == nil {
		t.Error("no error for a pod that was not converted")
	}
	pod := podOn("", "p", 0)
	pod.Spec.NodeSelector = map[string]string{"a": "b"}
	converted, err := kube.Pod(pod, nil)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := kube.NodeAffinity().Prepare(converted, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prepared.Begin(&preemption.Node{Name: "n"}); err == nil {
		t.Error("no error for a node that was not converted")
	}
}

func TestUnjudged(t *testing.T) {
	term := []v1.PodAffinityTerm{{TopologyKey: "zone"}}
	p := podOn("", "p", 0)
	p.Spec.Affinity = &v1.Affinity{
		PodAffinity:     &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term},
		PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term},
	}
	p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{WhenUnsatisfiable: v1.DoNotSchedule}}
	p.Spec.Volumes = []v1.Volume{{VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{}}}}
	p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu"}}
	p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "wait"}}
	want := []string{
		"spec.affinity.podAffinity", "spec.affinity.podAntiAffinity", "spec.topologySpreadConstraints",
		"spec.volumes", "spec.resourceClaims", "spec.schedulingGates",
	}
	if diff := cmp.Diff(want, kube.Unjudged(p)); diff != "" {
		t.Errorf("Unjudged (-want +got):\n%s", diff)
	}

	// Wishes and volumes that are always there restrict nothing.
	p = podOn("", "p", 0)
	p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 1}}}}
	p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{WhenUnsatisfiable: v1.ScheduleAnyway}}
	p.Spec.Volumes = []v1.Volume{{VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}}}
	if got := kube.Unjudged(p); len(got) > 0 {
		t.Errorf("Unjudged = %v, want nothing", got)
	}
}
