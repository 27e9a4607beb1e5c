package scheduler_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// A member of a group in another zone raises the minimum there: with it the skew
// is small enough, without it is not. So where groups are about, topology spread
// must not call itself monotone; where none are, it may.
func TestSpreadIsNotMonotoneAcrossNodes(t *testing.T) {
	node := func(name string) *v1.Node {
		return &v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": name}},
			Status:     v1.NodeStatus{Allocatable: list("4", "110")},
		}
	}
	like := func(p *v1.Pod) *v1.Pod {
		p.Labels = map[string]string{"app": "web"}
		return p
	}
	near, far := like(plainPod("near", "east", 1)), like(plainPod("far", "west", 1))
	pending := like(plainPod("new", "", 10))
	pending.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: pending.Labels},
	}}
	for _, grouped := range []bool{false, true} {
		if grouped {
			group := "g"
			far.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &group}
		}
		objects := kube.Objects{Nodes: []*v1.Node{node("east"), node("west")}, Pods: []*v1.Pod{near, far}}
		state, err := objects.State(preemption.Release137)
		if err != nil {
			t.Fatal(err)
		}
		cluster, err := preemption.NewCluster(state)
		if err != nil {
			t.Fatal(err)
		}
		preemptor, err := kube.Pod(pending, nil)
		if err != nil {
			t.Fatal(err)
		}
		prepared := prepare(t, "PodTopologySpread", cluster, preemptor)
		if got := prepared.(interface{ Monotone() bool }).Monotone(); got == grouped {
			t.Errorf("with groups %t: monotone %t", grouped, got)
		}
		run, err := prepared.Begin(cluster.Node("east"))
		if err != nil {
			t.Fatal(err)
		}
		west := cluster.Node("west")
		member := cluster.PodsOn(west)[0]
		if status, err := run.Fits(); err != nil || !status.Fits() {
			t.Errorf("with the pod in the west: %v, %v", status, err)
		}
		if err := run.Remove(member, west); err != nil {
			t.Fatal(err)
		}
		if status, err := run.Fits(); err != nil || status.Fits() {
			t.Errorf("without the pod in the west: %v, %v", status, err)
		}
		if err := run.Add(member, west); err != nil {
			t.Fatal(err)
		}
		if status, err := run.Fits(); err != nil || !status.Fits() {
			t.Errorf("with it again: %v, %v", status, err)
		}
	}
}

// prepare prepares the filter of that name.
func prepare(t *testing.T, name string, cluster *preemption.Cluster, preemptor *preemption.Pod) preemption.Prepared {
	t.Helper()
	for _, f := range defaults(t).Filters() {
		if f.Name() != name {
			continue
		}
		prepared, err := f.Prepare(preemptor, cluster)
		if err != nil {
			t.Fatal(err)
		}
		return prepared
	}
	t.Fatalf("no filter %s", name)
	return nil
}
