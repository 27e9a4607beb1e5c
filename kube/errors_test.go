package kube_test

import (
	"errors"
	"testing"

	v1 "k8s.io/api/core/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"example.com/preemption"
	"example.com/preemption/kube"
)

func TestErrorsNameObjectAndField(t *testing.T) {
	podWith := func(change func(*v1.Pod)) kube.Objects {
		p := podOn("", "p", 0, "cpu", "1")
		change(p)
		return kube.Objects{Pods: []*v1.Pod{p}}
	}
	for _, tc := range []struct {
		name    string
		objects kube.Objects
		want    string
	}{
		{
			"a negative request hides behind no positive one",
			podWith(func(p *v1.Pod) { p.Spec.Containers = append(p.Spec.Containers, container("minus", "cpu", "-1")) }),
			`Pod default/p: spec.containers[1].resources.requests[cpu]: Invalid value: "-1": must be zero or more`,
		},
		{
			"an init container",
			podWith(func(p *v1.Pod) { p.Spec.InitContainers = []v1.Container{container("init", "memory", "1e30")} }),
			`Pod default/p: spec.initContainers[0].resources.requests[memory]: Invalid value: "1e30": is more than a scheduler can count`,
		},
		{
			"cpu in millicores",
			podWith(func(p *v1.Pod) { p.Spec.Containers = []v1.Container{container("main", "cpu", "9300T")} }),
			`Pod default/p: spec.containers[0].resources.requests[cpu]: Invalid value: "9300T": is more than a scheduler can count`,
		},
		{
			"overhead",
			podWith(func(p *v1.Pod) { p.Spec.Overhead = list("cpu", "-1m") }),
			`Pod default/p: spec.overhead[cpu]: Invalid value: "-1m": must be zero or more`,
		},
		{
			"a sum of amounts that are each well",
			podWith(func(p *v1.Pod) {
				p.Spec.Containers = []v1.Container{container("a", "memory", "6E"), container("b", "memory", "6E")}
			}),
			`Pod default/p: spec[memory]: Invalid value: "12E": is more than a scheduler can count`,
		},
		{
			"a resize",
			podWith(func(p *v1.Pod) {
				p.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "main", AllocatedResources: list("cpu", "-5")}}
			}),
			`Pod default/p: status.containerStatuses[0].allocatedResources[cpu]: Invalid value: "-5": must be zero or more`,
		},
		{
			"every amount of a resize",
			podWith(func(p *v1.Pod) {
				minus := &v1.ResourceRequirements{Requests: list("cpu", "-1")}
				status := []v1.ContainerStatus{{Name: "main", AllocatedResources: minus.Requests, Resources: minus}}
				p.Spec.Resources, p.Status.Resources, p.Status.AllocatedResources = minus, minus, minus.Requests
				p.Status.InitContainerStatuses, p.Status.ContainerStatuses = status, status
			}),
			`Pod default/p: [spec.resources.requests[cpu]: Invalid value: "-1": must be zero or more, ` +
				`status.allocatedResources[cpu]: Invalid value: "-1": must be zero or more, ` +
				`status.resources.requests[cpu]: Invalid value: "-1": must be zero or more, ` +
				`status.initContainerStatuses[0].allocatedResources[cpu]: Invalid value: "-1": must be zero or more, ` +
				`status.initContainerStatuses[0].resources.requests[cpu]: Invalid value: "-1": must be zero or more, ` +
				`status.containerStatuses[0].allocatedResources[cpu]: Invalid value: "-1": must be zero or more, ` +
				`status.containerStatuses[0].resources.requests[cpu]: Invalid value: "-1": must be zero or more]`,
		},
		{
			"a node",
			kube.Objects{Nodes: []*v1.Node{nodeWith("n1", "pods", "-110")}},
			`Node n1: status.allocatable[pods]: Invalid value: "-110": must be zero or more`,
		},
		{
			"several amounts, by name",
			kube.Objects{Nodes: []*v1.Node{nodeWith("n1", "pods", "-1", "memory", "-2", "cpu", "-3", "ephemeral-storage", "-4")}},
			`Node n1: [status.allocatable[cpu]: Invalid value: "-3": must be zero or more, ` +
				`status.allocatable[ephemeral-storage]: Invalid value: "-4": must be zero or more, ` +
				`status.allocatable[memory]: Invalid value: "-2": must be zero or more, ` +
				`status.allocatable[pods]: Invalid value: "-1": must be zero or more]`,
		},
		{
			"all that is wrong",
			kube.Objects{
				Nodes: []*v1.Node{nodeWith("n1", "cpu", "-1"), nodeWith("n2", "cpu", "-2")},
			},
			"Node n1: status.allocatable[cpu]: Invalid value: \"-1\": must be zero or more\n" +
				"Node n2: status.allocatable[cpu]: Invalid value: \"-2\": must be zero or more",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := tc.objects.State(preemption.Release137)
			if err == nil || err.Error() != tc.want {
				t.Errorf("error %v\nwant  %s", err, tc.want)
			}
		})
	}
}

// Callers can take an error apart.
func TestObjectErrorUnwraps(t *testing.T) {
	_, err := kube.Pod(podOn("", "p", 0, "cpu", "-1"), nil)
	var object *kube.ObjectError
	if !errors.As(err, &object) || object.Kind != "Pod" || object.Namespace != "default" || object.Name != "p" {
		t.Fatalf("error %#v is no ObjectError of the pod", err)
	}
	var all utilerrors.Aggregate
	if !errors.As(err, &all) || len(all.Errors()) != 1 {
		t.Fatalf("%v wraps no aggregate of one", err)
	}
	var wrong *field.Error
	if !errors.As(all.Errors()[0], &wrong) || wrong.Type != field.ErrorTypeInvalid {
		t.Errorf("%v is no field error", all.Errors()[0])
	}
}
