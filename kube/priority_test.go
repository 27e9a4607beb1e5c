package kube_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
)

func TestPriority(t *testing.T) {
	class := func(name string, value int32, isDefault bool, policy *v1.PreemptionPolicy) *schedulingv1.PriorityClass {
		return &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value, GlobalDefault: isDefault, PreemptionPolicy: policy}
	}
	classes := kube.NewPriorityClasses([]*schedulingv1.PriorityClass{
		class("high", 1000, false, nil),
		class("polite", 500, false, pointer(v1.PreemptNever)),
		class("standard", 20, true, nil),
		class("modest", 10, true, nil),
		class("ample", 30, true, nil),
	})
	var none *kube.PriorityClasses

	for _, tc := range []struct {
		name     string
		classes  *kube.PriorityClasses
		stored   bool // by the API server
		node     string
		class    string
		priority *int32
		policy   *v1.PreemptionPolicy
		want     int32
		never    bool
		err      string
	}{
		{name: "new, of a class", classes: classes, class: "high", want: 1000},
		{name: "new, of a class that forbids preemption", classes: classes, class: "polite", want: 500, never: true},
		{name: "new, of the lowest of several defaults", classes: classes, want: 10},
		{name: "new, without any class", classes: none, want: 0},
		{name: "new, with a number alone", classes: classes, priority: pointer(int32(5)), want: 5},
		{name: "new, repeating its class", classes: classes, class: "high", priority: pointer(int32(1000)), want: 1000},
		{name: "new, contradicting its class", classes: classes, class: "high", priority: pointer(int32(5)),
			err: "Pod default/p: spec.priority: Invalid value: 5: PriorityClass high has the value 1000"},
		{name: "new, contradicting the policy", classes: classes, class: "polite", policy: pointer(v1.PreemptLowerPriority),
			err: `Pod default/p: spec.preemptionPolicy: Invalid value: "PreemptLowerPriority": PriorityClass polite has the policy Never`},
		{name: "new, choosing a policy where the class has none", classes: classes, class: "high", policy: pointer(v1.PreemptNever), want: 1000, never: true},
		{name: "of a class nobody knows", classes: classes, class: "hihg",
			err: `Pod default/p: spec.priorityClassName: Not found: "hihg"`},
		{name: "of a system class", classes: none, class: "system-node-critical", want: 2_000_001_000},
		{name: "of the other system class", classes: classes, class: "system-cluster-critical", want: 2_000_000_000},
		{name: "stored, whose class has changed since", classes: classes, stored: true, class: "high", priority: pointer(int32(5)), want: 5},
		{name: "stored before there was a default", classes: classes, stored: true, want: 0},
		{name: "stored, in a dump without numbers", classes: classes, stored: true, class: "high", want: 1000},
		{name: "on a node, whose class has changed since", classes: classes, node: "n", class: "high", priority: pointer(int32(5)), want: 5},
		{name: "stored, with a policy", classes: none, stored: true, priority: pointer(int32(1)), policy: pointer(v1.PreemptNever), want: 1, never: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := &v1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"},
				Spec:       v1.PodSpec{PriorityClassName: tc.class, Priority: tc.priority, PreemptionPolicy: tc.policy, NodeName: tc.node},
			}
			if tc.stored {
				p.UID = "u"
			}
			got, err := kube.Pod(p, tc.classes)
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("error %v\nwant  %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Priority != tc.want || (got.PreemptionPolicy == preemption.PreemptNever) != tc.never {
				t.Errorf("priority %d, never preempts %v; want %d, %v", got.Priority, got.PreemptionPolicy == preemption.PreemptNever, tc.want, tc.never)
			}
		})
	}
}
