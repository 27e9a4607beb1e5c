package kube_test

import (
	"errors"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/preemption/kube"
)

// replicas returns so many ready pods of a controller.
func replicas(controller string, n int) []*v1.Pod {
	var pods []*v1.Pod
	for range n {
		p := podOn("n1", controller, 0)
		p.Labels = map[string]string{"app": "web"}
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: controller, UID: types.UID(controller), Controller: pointer(true)}}
		p.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue}}
		pods = append(pods, p)
	}
	return pods
}

func budget(minAvailable, maxUnavailable string) *policyv1.PodDisruptionBudget {
	amount := func(s string) *intstr.IntOrString {
		if s == "" {
			return nil
		}
		x := intstr.Parse(s)
		return &x
	}
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec: policyv1.PodDisruptionBudgetSpec{
			Selector:       &metav1.LabelSelector{},
			MinAvailable:   amount(minAvailable),
			MaxUnavailable: amount(maxUnavailable),
		},
	}
}

func TestAvailability(t *testing.T) {
	scale := func(_ string, c metav1.OwnerReference) (int32, error) {
		switch c.Name {
		case "web-1":
			return 7, nil
		case "web-2":
			return 3, nil
		}
		return 0, errors.New("no such controller")
	}
	seven := replicas("web-1", 7)
	unready := replicas("web-1", 7)
	unready[0].Status.Conditions = nil
	unready[1].DeletionTimestamp = &metav1.Time{}
	alone := replicas("web-1", 2)
	alone[1].OwnerReferences = nil

	for _, tc := range []struct {
		name   string
		budget *policyv1.PodDisruptionBudget
		pods   []*v1.Pod
		want   int32
		err    string
	}{
		// Percentages round up in both directions: half of seven is four.
		{name: "half available", budget: budget("50%", ""), pods: seven, want: 3},
		{name: "half unavailable", budget: budget("", "50%"), pods: seven, want: 4},
		{name: "a number available", budget: budget("5", ""), pods: seven, want: 2},
		{name: "a number unavailable", budget: budget("", "2"), pods: seven, want: 2},
		{name: "more than there are", budget: budget("9", ""), pods: seven, want: 0},
		{name: "unready and dying pods are not healthy", budget: budget("", "3"), pods: unready, want: 1},
		{name: "scales of two controllers", budget: budget("", "1"), pods: append(replicas("web-1", 7), replicas("web-2", 3)...), want: 1},
		{name: "missing replicas are unhealthy", budget: budget("", "2"), pods: replicas("web-1", 5), want: 0},
		{name: "pods without a controller have no scale", budget: budget("", "6"), pods: alone, want: 1},
		{name: "no limit expects nothing", budget: budget("", ""), pods: seven, want: 0},
		{name: "an unknown controller", budget: budget("", "1"), pods: replicas("web-9", 1),
			err: "PodDisruptionBudget default/web: scale of ReplicaSet web-9: no such controller"},
		{name: "a string that is no percentage", budget: budget("half", ""), pods: seven,
			err: `PodDisruptionBudget default/web: spec.minAvailable: Invalid value: "half"`},
		{name: "more than all", budget: budget("", "101%"), pods: seven,
			err: `PodDisruptionBudget default/web: spec.maxUnavailable: Invalid value: "101%": is out of range`},
		{name: "less than none", budget: budget("-1", ""), pods: seven,
			err: `PodDisruptionBudget default/web: spec.minAvailable: Invalid value: "-1": is out of range`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, err := kube.Availability(tc.budget, tc.pods, scale)
			if tc.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tc.err) {
					t.Errorf("error %v\nwant  %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.DisruptionsAllowed()
			if err != nil || got != tc.want {
				t.Errorf("DisruptionsAllowed of %+v = %d, %v, want %d", a, got, err, tc.want)
			}
		})
	}
}

// What does not count: other namespaces, other labels, pods already disrupted.
func TestAvailabilityCountsCoveredPods(t *testing.T) {
	b := budget("1", "")
	b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	b.Status.DisruptedPods = map[string]metav1.Time{"web-1": {}}
	pods := replicas("web-1", 1) // disrupted: expected, not healthy
	pods = append(pods, replicas("web-2", 3)...)
	pods[1].Namespace = "other"
	pods[2].Labels = nil
	a, err := kube.Availability(b, pods, nil)
	if err != nil || a.Expected != 2 || a.Healthy != 1 {
		t.Errorf("Availability = %+v, %v, want 2 expected and 1 healthy", a, err)
	}
	b.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Like"}}
	if _, err := kube.Availability(b, pods, nil); err == nil || !strings.Contains(err.Error(), "spec.selector") {
		t.Errorf("error %v names no field of an invalid selector", err)
	}
}
