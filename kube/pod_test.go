package kube_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
)

const (
	mi = 1 << 20
	gi = 1 << 30
)

// The sums are those that kube-scheduler's own code was seen to make of the same
// pods.
func TestRequests(t *testing.T) {
	initialised := func(change func(*v1.Pod)) *v1.Pod {
		p := podOn("", "p", 0)
		p.Spec.InitContainers = []v1.Container{
			container("first", "cpu", "2", "memory", "1Gi"),
			sidecar(container("proxy", "cpu", "500m", "memory", "100Mi")),
			container("second", "cpu", "1800m", "memory", "1Gi"),
		}
		p.Spec.Containers = []v1.Container{container("main", "cpu", "1", "memory", "500Mi")}
		p.Spec.Overhead = list("cpu", "100m", "memory", "10Mi")
		if change != nil {
			change(p)
		}
		return p
	}
	resized := func(node string, conditions ...v1.PodCondition) *v1.Pod {
		p := podOn(node, "p", 0, "cpu", "2", "memory", "1Gi")
		p.Status.Conditions = conditions
		p.Status.ContainerStatuses = []v1.ContainerStatus{{
			Name:               "main",
			AllocatedResources: list("cpu", "1", "memory", "1Gi"),
			Resources:          &v1.ResourceRequirements{Requests: list("cpu", "500m", "memory", "2Gi")},
		}}
		return p
	}
	resizedAsWhole := func(node string) *v1.Pod {
		p := podOn(node, "p", 0, "cpu", "1", "memory", "1Gi")
		p.Spec.Resources = &v1.ResourceRequirements{Requests: list("cpu", "2", "memory", "1Gi")}
		p.Status.AllocatedResources = list("cpu", "3", "memory", "1Gi")
		p.Status.Resources = &v1.ResourceRequirements{Requests: list("cpu", "1", "memory", "2Gi")}
		return p
	}
	infeasible := v1.PodCondition{Type: v1.PodResizePending, Status: v1.ConditionTrue, Reason: v1.PodReasonInfeasible}

	for _, tc := range []struct {
		name string
		pod  *v1.Pod
		want preemption.Resources
	}{
		{"nothing", podOn("", "p", 0), preemption.Resources{}},
		{"fractions round up", podOn("", "p", 0, "cpu", "1500u", "memory", "1500m"), preemption.Resources{"cpu": 2, "memory": 2}},
		{"init containers, a sidecar and overhead", initialised(nil), preemption.Resources{"cpu": 2400, "memory": 1134 * mi}},
		{
			"pod-level cpu replaces that of the containers",
			initialised(func(p *v1.Pod) { p.Spec.Resources = &v1.ResourceRequirements{Requests: list("cpu", "1")} }),
			preemption.Resources{"cpu": 1100, "memory": 1134 * mi},
		},
		{"a resize under way counts the most of what may be used", resized("n1"), preemption.Resources{"cpu": 2000, "memory": 2 * gi}},
		{"an infeasible resize counts what is allocated", resized("n1", infeasible), preemption.Resources{"cpu": 1000, "memory": 2 * gi}},
		{"a resize of the pod as a whole", resizedAsWhole("n1"), preemption.Resources{"cpu": 3000, "memory": 2 * gi}},
		{"that of a pending pod counts its spec", resizedAsWhole(""), preemption.Resources{"cpu": 2000, "memory": 1 * gi}},
		{"a pending pod counts its spec", resized(""), preemption.Resources{"cpu": 2000, "memory": 1 * gi}},
		{
			"resources that no scheduler counts",
			podOn("", "p", 0, "storage", "1Gi", "requests.cpu", "1", "requests.example.com/gpu", "1",
				"example.com/gpu", "2", "hugepages-2Mi", "4Mi", "ephemeral-storage", "1Gi", "attachable-volumes-x", "3"),
			preemption.Resources{"example.com/gpu": 2, "hugepages-2Mi": 4 * mi, "ephemeral-storage": gi, "attachable-volumes-x": 3},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := kube.Pod(tc.pod, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.Requests); diff != "" {
				t.Errorf("Requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPod(t *testing.T) {
	start := metav1.NewTime(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	p := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "web", UID: "u1", Labels: map[string]string{"app": "web"},
			OwnerReferences:   []metav1.OwnerReference{{Kind: "Node", Name: "n1"}, {Kind: "ReplicaSet", Name: "web-7d9", Controller: pointer(true)}},
			DeletionTimestamp: &start, DeletionGracePeriodSeconds: pointer(int64(5)),
		},
		Spec: v1.PodSpec{
			NodeName:                      "n1",
			Priority:                      pointer(int32(7)),
			PreemptionPolicy:              pointer(v1.PreemptNever),
			NodeSelector:                  map[string]string{"disk": "ssd"},
			Tolerations:                   []v1.Toleration{{Key: "k", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute}},
			SchedulingGroup:               &v1.PodSchedulingGroup{PodGroupName: pointer("g")},
			TerminationGracePeriodSeconds: pointer(int64(30)),
			InitContainers: []v1.Container{
				{Name: "once", Ports: []v1.ContainerPort{{HostPort: 1}}},
				{Name: "again", RestartPolicy: pointer(v1.ContainerRestartPolicyOnFailure), Ports: []v1.ContainerPort{{HostPort: 4}}},
				sidecar(v1.Container{Name: "proxy", Ports: []v1.ContainerPort{{HostPort: 2, Protocol: v1.ProtocolUDP}}}),
			},
			Containers: []v1.Container{{Name: "main", Ports: []v1.ContainerPort{{ContainerPort: 80}, {HostPort: 3, HostIP: "10.0.0.1"}}}},
		},
		Status: v1.PodStatus{StartTime: &start, NominatedNodeName: "n2", Conditions: []v1.PodCondition{
			{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler},
		}},
	}
	before := p.DeepCopy()
	got, err := kube.Pod(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &preemption.Pod{
		Namespace: "shop", Name: "web", UID: "u1", Labels: map[string]string{"app": "web"},
		Priority: 7, PreemptionPolicy: preemption.PreemptNever, Requests: preemption.Resources{},
		HostPorts:    []preemption.HostPort{{Protocol: "UDP", Port: 2}, {IP: "10.0.0.1", Port: 3}},
		NodeSelector: map[string]string{"disk": "ssd"},
		Tolerations:  []preemption.Toleration{{Key: "k", Operator: preemption.TolerationExists, Effect: preemption.NoExecute}},
		NodeName:     "n1", NominatedNode: "n2", Start: start.Time, Group: "g",
		Termination: preemption.TerminatingByPreemption, GracePeriod: 5 * time.Second, TerminatesAt: start.Time,
		Owner: preemption.Owner{Kind: "ReplicaSet", Name: "web-7d9"}, Object: p,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Pod (-want +got):\n%s", diff)
	}
	if kube.PodOf(got) != p {
		t.Error("PodOf does not return the pod that was converted")
	}
	if diff := cmp.Diff(before, p); diff != "" {
		t.Errorf("the pod was modified (-before +after):\n%s", diff)
	}
}

func TestTermination(t *testing.T) {
	deleted := metav1.NewTime(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	target := func(status v1.ConditionStatus, reason string) v1.PodCondition {
		return v1.PodCondition{Type: v1.DisruptionTarget, Status: status, Reason: reason}
	}
	for _, tc := range []struct {
		name      string
		deleted   *metav1.Time
		condition v1.PodCondition
		want      preemption.Termination
	}{
		{"running", nil, v1.PodCondition{}, preemption.NotTerminating},
		{"marked but not deleted yet", nil, target(v1.ConditionTrue, v1.PodReasonPreemptionByScheduler), preemption.NotTerminating},
		{"deleted by somebody", &deleted, v1.PodCondition{}, preemption.TerminatingOther},
		{"evicted", &deleted, target(v1.ConditionTrue, "EvictionByEvictionAPI"), preemption.TerminatingOther},
		{"mark taken back", &deleted, target(v1.ConditionFalse, v1.PodReasonPreemptionByScheduler), preemption.TerminatingOther},
		{"preempted", &deleted, target(v1.ConditionTrue, v1.PodReasonPreemptionByScheduler), preemption.TerminatingByPreemption},
	} {
		p := podOn("n1", "p", 0)
		p.DeletionTimestamp, p.Status.Conditions = tc.deleted, []v1.PodCondition{tc.condition}
		if got, err := kube.Pod(p, nil); err != nil || got.Termination != tc.want {
			t.Errorf("%s: termination %v, %v, want %v", tc.name, got.Termination, err, tc.want)
		}
	}
}

// A grace period that a Duration cannot hold does not wrap around.
func TestGracePeriodIsBounded(t *testing.T) {
	p := podOn("n1", "p", 0)
	p.Spec.TerminationGracePeriodSeconds = pointer(int64(1) << 62)
	got, err := kube.Pod(p, nil)
	if err != nil || got.GracePeriod < 200*365*24*time.Hour {
		t.Errorf("grace period %v, %v", got.GracePeriod, err)
	}
}
