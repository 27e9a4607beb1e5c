package dump

import (
	"errors"
	"fmt"
	"io"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
)

// A Template is what pods that do not exist yet are made from.
type Template struct {
	Pod *v1.Pod
	// Replicas is how many of them the manifest asks for.
	Replicas int
	// Workload is what makes the pods, such as "Deployment shop/web", "" for a pod.
	Workload string
}

// ReadTemplate reads a manifest of one pod, or of a workload that makes pods. One
// that names no namespace gets the given one.
func ReadTemplate(name string, stdin io.Reader, namespace string) (*Template, error) {
	var found []*Template
	c := Contents{Namespace: namespace}
	passed := ""
	err := open(name, false, stdin, func(r io.Reader, source string) error {
		return pieces(r, source, func(p piece) error {
			t, err := template(p, &c)
			switch {
			case err != nil:
				return fmt.Errorf("%v: %s %w", p.at, p.kind, err)
			case t != nil:
				found = append(found, t)
			default:
				passed = p.kind
			}
			return nil
		})
	})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0 && passed != "":
		return nil, fmt.Errorf("%s: want a pod, or a workload with a template of pods; a %s is neither", name, passed)
	case len(found) != 1:
		return nil, fmt.Errorf("%s: want one pod or workload, found %d", name, len(found))
	}
	t := found[0]
	if t.Pod.Name == "" {
		t.Pod.Name = t.Pod.GenerateName + "new"
	}
	if t.Pod.Spec.NodeName != "" {
		return nil, fmt.Errorf("%s: Pod %s/%s: spec.nodeName is set: the pod is not for a scheduler to place", name, t.Pod.Namespace, t.Pod.Name)
	}
	return t, nil
}

// template returns what pods to make from an object, nil if it makes none.
func template(p piece, c *Contents) (*Template, error) {
	switch schema.FromAPIVersionAndKind(p.version, p.kind) {
	case v1.SchemeGroupVersion.WithKind("Pod"):
		if err := c.add(p); err != nil {
			return nil, errors.Unwrap(err)
		}
		return &Template{Pod: c.Cluster.Pods[len(c.Cluster.Pods)-1], Replicas: 1}, nil
	case v1.SchemeGroupVersion.WithKind("PodTemplate"):
		return made(c, p, func(x *v1.PodTemplate) (*v1.PodTemplateSpec, *int32) { return &x.Template, nil })
	case v1.SchemeGroupVersion.WithKind("ReplicationController"):
		return made(c, p, func(x *v1.ReplicationController) (*v1.PodTemplateSpec, *int32) {
			return x.Spec.Template, x.Spec.Replicas
		})
	case appsv1.SchemeGroupVersion.WithKind("Deployment"):
		return made(c, p, func(x *appsv1.Deployment) (*v1.PodTemplateSpec, *int32) { return &x.Spec.Template, x.Spec.Replicas })
	case appsv1.SchemeGroupVersion.WithKind("ReplicaSet"):
		return made(c, p, func(x *appsv1.ReplicaSet) (*v1.PodTemplateSpec, *int32) { return &x.Spec.Template, x.Spec.Replicas })
	case appsv1.SchemeGroupVersion.WithKind("StatefulSet"):
		return made(c, p, func(x *appsv1.StatefulSet) (*v1.PodTemplateSpec, *int32) { return &x.Spec.Template, x.Spec.Replicas })
	case appsv1.SchemeGroupVersion.WithKind("DaemonSet"):
		return nil, errors.New("has a pod for each node, and each pod names its own: explain such a pod once it exists")
	case batchv1.SchemeGroupVersion.WithKind("Job"):
		return made(c, p, func(x *batchv1.Job) (*v1.PodTemplateSpec, *int32) { return &x.Spec.Template, x.Spec.Parallelism })
	case batchv1.SchemeGroupVersion.WithKind("CronJob"):
		return made(c, p, func(x *batchv1.CronJob) (*v1.PodTemplateSpec, *int32) {
			return &x.Spec.JobTemplate.Spec.Template, x.Spec.JobTemplate.Spec.Parallelism
		})
	}
	return nil, nil
}

// made makes the pod of a workload as its controller would.
func made[T any, P object[T]](c *Contents, p piece, parts func(P) (*v1.PodTemplateSpec, *int32)) (*Template, error) {
	x := P(new(T))
	if err := decode(p.json, x); err != nil {
		return nil, err
	}
	spec, replicas := parts(x)
	if spec == nil {
		return nil, fmt.Errorf("%s: without a template", x.GetName())
	}
	namespace := x.GetNamespace()
	if namespace == "" {
		if namespace = c.Namespace; namespace == "" {
			namespace = metav1.NamespaceDefault
		}
	}
	owner := x.GetName()
	controller := true
	pod := &v1.Pod{ObjectMeta: *spec.ObjectMeta.DeepCopy(), Spec: *spec.Spec.DeepCopy()}
	pod.Namespace, pod.Name, pod.GenerateName = namespace, "", owner+"-"
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: p.version, Kind: p.kind, Name: owner, Controller: &controller}}
	defaults.SetObjectDefaults_Pod(pod)
	t := &Template{Pod: pod, Replicas: 1, Workload: p.kind + " " + fullName(namespace, owner)}
	if replicas != nil {
		t.Replicas = int(*replicas)
	}
	return t, nil
}
