package kube_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// A cluster as it is: pods that are done or lost do not count, dying ones do.
func TestStateLeavesOutWhatHoldsNothing(t *testing.T) {
	done, failed, dying, lost := podOn("n1", "done", 0), podOn("n1", "failed", 0), podOn("n1", "dying", 0), podOn("gone", "lost", 0)
	done.Status.Phase, failed.Status.Phase = v1.PodSucceeded, v1.PodFailed
	dying.DeletionTimestamp = &metav1.Time{}
	objects := kube.Objects{
		Nodes: []*v1.Node{nodeWith("n1", "cpu", "4", "pods", "110")},
		Pods:  []*v1.Pod{done, failed, dying, lost, podOn("", "pending", 0)},
	}
	state, err := objects.State(preemption.Release137)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range state.Pods {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"dying", "pending"}, names); diff != "" {
		t.Errorf("pods (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(preemption.Resources{"cpu": 4000, "pods": 110}, state.Nodes[0].Allocatable); diff != "" {
		t.Errorf("allocatable (-want +got):\n%s", diff)
	}
	if _, err := preemption.NewCluster(state); err != nil {
		t.Error(err)
	}
}

func TestNode(t *testing.T) {
	n := nodeWith("n1", "cpu", "1500m", "memory", "1Gi", "pods", "10", "example.com/gpu", "8", "storage", "1Ti")
	n.Labels = map[string]string{"zone": "a"}
	n.Spec = v1.NodeSpec{Unschedulable: true, Taints: []v1.Taint{{Key: "k", Value: "v", Effect: v1.TaintEffectNoSchedule}}}
	got, err := kube.Node(n)
	if err != nil {
		t.Fatal(err)
	}
	want := &preemption.Node{
		Name: "n1", Labels: n.Labels, Unschedulable: true, Object: n,
		Allocatable: preemption.Resources{"cpu": 1500, "memory": gi, "pods": 10, "example.com/gpu": 8},
		Taints:      []preemption.Taint{{Key: "k", Value: "v", Effect: preemption.NoSchedule}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Node (-want +got):\n%s", diff)
	}
	if kube.NodeOf(got) != n {
		t.Error("NodeOf does not return the node that was converted")
	}
}

func TestGroups(t *testing.T) {
	objects := kube.Objects{
		PriorityClasses: []*schedulingv1.PriorityClass{{ObjectMeta: metav1.ObjectMeta{Name: "batch"}, Value: 50}},
		PodGroups: []*schedulingv1beta1.PodGroup{
			{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "plain", UID: "1"}},
			{
				ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "single", UID: "3"},
				Spec:       schedulingv1beta1.PodGroupSpec{DisruptionMode: &schedulingv1beta1.DisruptionMode{Single: &schedulingv1beta1.SingleDisruptionMode{}}},
			},
			{
				ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "whole"},
				Spec: schedulingv1beta1.PodGroupSpec{
					PriorityClassName:           "batch",
					ParentCompositePodGroupName: pointer("root"),
					DisruptionMode:              &schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}},
				},
			},
		},
		CompositePodGroups: []*schedulingv1alpha3.CompositePodGroup{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "root", UID: "2"},
			Spec: schedulingv1alpha3.CompositePodGroupSpec{
				Priority:                    pointer(int32(70)),
				ParentCompositePodGroupName: pointer("above"),
				DisruptionMode:              &schedulingv1alpha3.CompositeDisruptionMode{All: &schedulingv1alpha3.AllCompositeDisruptionMode{}},
			},
		}},
	}
	state, err := objects.State(preemption.Release137)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*preemption.PodGroup{
		{Namespace: "a", Name: "plain"},
		{Namespace: "a", Name: "single"},
		{Namespace: "a", Name: "whole", Priority: 50, DisruptionMode: preemption.DisruptAll, Parent: "root"},
	}, state.PodGroups); diff != "" {
		t.Errorf("PodGroups (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]*preemption.CompositePodGroup{
		{Namespace: "a", Name: "root", Priority: 70, DisruptionMode: preemption.DisruptAll, Parent: "above"},
	}, state.CompositePodGroups); diff != "" {
		t.Errorf("CompositePodGroups (-want +got):\n%s", diff)
	}

	objects.PodGroups[2].Spec.PriorityClassName = "nosuch"
	_, err = objects.State(preemption.Release137)
	if want := `PodGroup a/whole: spec.priorityClassName: Not found: "nosuch"`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestDisruptionBudget(t *testing.T) {
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec: policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{
			MatchLabels:      map[string]string{"app": "web"},
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: []string{"front"}}},
		}},
		Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 2, DisruptedPods: map[string]metav1.Time{"b": {}, "a": {}}},
	}
	want := &preemption.PodDisruptionBudget{
		Namespace: "shop", Name: "web", Allowed: 2, Disrupted: []string{"a", "b"},
		Selector: &preemption.Selector{
			MatchLabels:      map[string]string{"app": "web"},
			MatchExpressions: []preemption.Requirement{{Key: "tier", Operator: preemption.SelectorIn, Values: []string{"front"}}},
		},
	}
	got := kube.DisruptionBudget(b)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("DisruptionBudget (-want +got):\n%s", diff)
	}
	objects := kube.Objects{PodDisruptionBudgets: []*policyv1.PodDisruptionBudget{{}, b}}
	if objects.DisruptionBudgetOf(got) != b || objects.DisruptionBudgetOf(&preemption.PodDisruptionBudget{Name: "x"}) != nil {
		t.Error("DisruptionBudgetOf does not lead back")
	}
	b.Spec.Selector = nil
	if kube.DisruptionBudget(b).Selector != nil {
		t.Error("a selector that matches nothing became one")
	}
}

// A missing element of a list is an error that names its place, of every kind.
func TestMissingObjects(t *testing.T) {
	for want, o := range map[string]kube.Objects{
		"node 1":                {Nodes: []*v1.Node{nodeWith("n"), nil}},
		"pod 0":                 {Pods: []*v1.Pod{nil}},
		"disruption budget 0":   {PodDisruptionBudgets: []*policyv1.PodDisruptionBudget{nil}},
		"priority class 0":      {PriorityClasses: []*schedulingv1.PriorityClass{nil}},
		"pod group 0":           {PodGroups: []*schedulingv1beta1.PodGroup{nil}},
		"composite pod group 0": {CompositePodGroups: []*schedulingv1alpha3.CompositePodGroup{nil}},
	} {
		if _, err := o.State(preemption.Release138); err == nil || err.Error() != "kube: "+want+" of the list is nil" {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
}
