package kube_test

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// list makes a resource list of names and quantities in turn.
func list(pairs ...string) v1.ResourceList {
	l := v1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		l[v1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return l
}

func container(name string, requests ...string) v1.Container {
	return v1.Container{Name: name, Resources: v1.ResourceRequirements{Requests: list(requests...)}}
}

func sidecar(c v1.Container) v1.Container {
	always := v1.ContainerRestartPolicyAlways
	c.RestartPolicy = &always
	return c
}

// podOn returns a pod as the API server would serve it, on a node or pending.
func podOn(node, name string, priority int32, requests ...string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name)},
		Spec:       v1.PodSpec{NodeName: node, Priority: &priority, Containers: []v1.Container{container("main", requests...)}},
	}
}

func nodeWith(name string, allocatable ...string) *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: v1.NodeStatus{
			Allocatable: list(allocatable...),
			Capacity:    list("cpu", "1k", "memory", "1Ti", "pods", "1k"),
		},
	}
}

func pointer[T any](x T) *T { return &x }

// waitUntil waits for what other goroutines do, and panics if they do not.
func waitUntil(done func() bool) {
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			panic("a minute has passed, and it has not been done")
		}
	}
}
