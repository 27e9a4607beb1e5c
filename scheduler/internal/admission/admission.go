// Package admission does to a pod that does not exist yet what the API server's
// admission would: it fills in what the pod's class, its namespace and its runtime
// decide, and refuses what they forbid.
package admission

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"example.com/preemption/kube"
	"example.com/preemption/scheduler/internal/dump"
)

// A Refusal is why the pod would not be created.
type Refusal struct {
	Pod    string
	Reason error
}

func (r *Refusal) Error() string { return fmt.Sprintf("Pod %s would be refused: %v", r.Pod, r.Reason) }

func (r *Refusal) Unwrap() error { return r.Reason }

// Admit returns the pod as it would be stored, and notes on what was done and what
// could not be, as the contents do not have the objects that decide it. A pod that
// the API server has seen is as it is.
func Admit(p *v1.Pod, c *dump.Contents) (*v1.Pod, []string, error) {
	if p.UID != "" || !p.CreationTimestamp.IsZero() {
		return p, nil, nil
	}
	a := &admission{pod: p.DeepCopy(), contents: c}
	for _, step := range []func() error{a.priority, a.runtimeClass, a.namespace, a.tolerations, a.limits} {
		if err := step(); err != nil {
			return nil, nil, &Refusal{p.Namespace + "/" + p.Name, err}
		}
	}
	return a.pod, a.notes, nil
}

type admission struct {
	pod      *v1.Pod
	contents *dump.Contents
	notes    []string
}

func (a *admission) note(format string, args ...any) {
	a.notes = append(a.notes, fmt.Sprintf(format, args...))
}

// missing notes that a kind decides something about the pod and is not there.
func (a *admission) missing(kind, meaning string) {
	if !a.contents.Live {
		a.note("no %s in the input: %s", kind, meaning)
	}
}

// priority refuses a priority other than that of the pod's class. That of a pod
// without one is the default class's; kube.Pod computes it.
func (a *admission) priority() error {
	given := a.pod.Spec.Priority
	if len(a.contents.Cluster.PriorityClasses) == 0 || given == nil || a.pod.Spec.PriorityClassName != "" {
		return nil // nothing to compare with, or compared by kube.Pod
	}
	classless := a.pod.DeepCopy()
	classless.Spec.Priority = nil
	p, err := kube.Pod(classless, kube.NewPriorityClasses(a.contents.Cluster.PriorityClasses))
	if err != nil || p.Priority == *given {
		return nil // another error is for kube.Pod to report
	}
	return field.Forbidden(field.NewPath("spec", "priority"), fmt.Sprintf(
		"%d is given without a class, and the priority is computed to be %d: name a priorityClassName instead (or use --what-if priority=%d)", *given, p.Priority, *given))
}

// runtimeClass applies the class's overhead, node selector and tolerations.
func (a *admission) runtimeClass() error {
	spec := field.NewPath("spec")
	name := a.pod.Spec.RuntimeClassName
	if name == nil || *name == "" {
		if len(a.pod.Spec.Overhead) > 0 {
			return field.Forbidden(spec.Child("overhead"), "only a RuntimeClass sets it")
		}
		return nil
	}
	i := slices.IndexFunc(a.contents.RuntimeClasses, func(c *nodev1.RuntimeClass) bool { return c.Name == *name })
	switch {
	case i < 0 && len(a.contents.RuntimeClasses) == 0 && !a.contents.Live:
		a.missing("RuntimeClasses", fmt.Sprintf("the overhead and the scheduling of %s were not applied", *name))
		return nil
	case i < 0:
		return field.NotFound(spec.Child("runtimeClassName"), *name)
	}
	class := a.contents.RuntimeClasses[i]
	if class.Overhead != nil {
		if len(a.pod.Spec.Overhead) > 0 && !sameAmounts(a.pod.Spec.Overhead, class.Overhead.PodFixed) {
			return field.Forbidden(spec.Child("overhead"), "it differs from that of RuntimeClass "+*name)
		}
		a.pod.Spec.Overhead = class.Overhead.PodFixed.DeepCopy()
	}
	if class.Scheduling == nil {
		return nil
	}
	if err := a.selectNodes(class.Scheduling.NodeSelector, "RuntimeClass "+*name); err != nil {
		return err
	}
	a.tolerate(class.Scheduling.Tolerations)
	return nil
}

func sameAmounts(a, b v1.ResourceList) bool {
	if len(a) != len(b) {
		return false
	}
	for name, x := range a {
		if y, ok := b[name]; !ok || x.Cmp(y) != 0 {
			return false
		}
	}
	return true
}

// selectNodes adds labels to the pod's node selector.
func (a *admission) selectNodes(labels map[string]string, by string) error {
	for key, value := range labels {
		if own, ok := a.pod.Spec.NodeSelector[key]; ok && own != value {
			return field.Invalid(field.NewPath("spec", "nodeSelector").Key(key), own, fmt.Sprintf("conflicts with %s, which selects %s", by, value))
		}
		if a.pod.Spec.NodeSelector == nil {
			a.pod.Spec.NodeSelector = make(map[string]string)
		}
		a.pod.Spec.NodeSelector[key] = value
	}
	return nil
}

// tolerate adds the tolerations that the pod does not have.
func (a *admission) tolerate(list []v1.Toleration) {
	for _, t := range list {
		if !slices.ContainsFunc(a.pod.Spec.Tolerations, func(own v1.Toleration) bool { return own.MatchToleration(&t) }) {
			a.pod.Spec.Tolerations = append(a.pod.Spec.Tolerations, t)
		}
	}
}

// What a namespace can say about the nodes of its pods: to the admission plugins
// PodNodeSelector and PodTolerationRestriction, and to OpenShift.
const (
	nodeSelectorAnnotation = "scheduler.alpha.kubernetes.io/node-selector"
	openShiftAnnotation    = "openshift.io/node-selector"
	tolerationsAnnotation  = "scheduler.alpha.kubernetes.io/defaultTolerations"
)

// namespace applies what the pod's namespace says. The plugins that do so are not
// on everywhere; a namespace that says it is taken for a sign that they are.
func (a *admission) namespace() error {
	all := a.contents.Plugins.Namespaces
	if len(all) == 0 {
		a.missing("Namespaces", "a node selector or tolerations of the new pod's namespace were not applied")
		return nil
	}
	i := slices.IndexFunc(all, func(n *v1.Namespace) bool { return n.Name == a.pod.Namespace })
	if i < 0 {
		a.note("there is no namespace %s yet: what it may say about nodes was not applied", a.pod.Namespace)
		return nil
	}
	ns := all[i]
	for _, key := range []string{nodeSelectorAnnotation, openShiftAnnotation} {
		text := ns.Annotations[key]
		if text == "" {
			continue
		}
		labels, err := parseLabels(text)
		if err != nil {
			a.note("namespace %s: annotation %s: %v: it was not applied", ns.Name, key, err)
			continue
		}
		if err := a.selectNodes(labels, "namespace "+ns.Name); err != nil {
			return err
		}
		a.note("the node selector of namespace %s was applied: %s", ns.Name, text)
	}
	return a.namespaceTolerations(ns)
}

// parseLabels reads "a=b,c=d".
func parseLabels(text string) (map[string]string, error) {
	labels := make(map[string]string)
	for _, part := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is no list of labels", text)
		}
		labels[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return labels, nil
}
