package situation

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// notes says what is missing or wrong in the input, and what that means.
func (s *Situation) notes() []string {
	c := s.Contents
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }

	if strange := c.StrangeVersions(); len(strange) > 0 {
		note("passed over, as only other versions of their API can be read: %s", strings.Join(strange, ", "))
	}
	if other := c.OtherKinds(); len(other) > 0 {
		note("passed over, as filters and preemption do not look at them here: %s", strings.Join(other, ", "))
	}
	if n := onlyNamespace(c.Cluster.Pods); n != "" && !c.Live {
		note("all pods of the input are of namespace %s: was it dumped without -A? Pods that are not there hold no room", n)
	}
	if names := defaultClasses(c.Cluster.PriorityClasses); len(names) > 1 {
		note("%d PriorityClasses are the global default (%s): the one of the smallest value holds", len(names), strings.Join(names, ", "))
	}
	if len(c.Cluster.PodDisruptionBudgets) == 0 {
		note("no PodDisruptionBudgets in the input: victims are chosen as if none of them was protected")
	}
	if len(c.Plugins.Namespaces) == 0 && slices.ContainsFunc(c.Cluster.Pods, selectsNamespaces) {
		note("no Namespaces in the input: affinity terms that select namespaces by label select none")
	}
	known := make(map[string]bool, len(c.Cluster.Nodes))
	for _, n := range c.Cluster.Nodes {
		known[n.Name] = true
	}
	lost := 0
	for _, p := range c.Cluster.Pods {
		if p.Spec.NodeName != "" && !known[p.Spec.NodeName] && !kube.Finished(p) {
			lost++
		}
	}
	if lost == 1 {
		note("1 pod is on a node that the input does not have, and does not count")
	} else if lost > 1 {
		note("%d pods are on nodes that the input does not have, and do not count", lost)
	}
	for _, w := range s.Cluster.Warnings() {
		notes = append(notes, w.String())
	}
	return notes
}

// NotesOn says what of the pod's needs was not, or not fully, looked at.
func (s *Situation) NotesOn(pod *preemption.Pod) []string {
	p := kube.PodOf(pod)
	if p == nil {
		return nil
	}
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }

	if p.Spec.Priority == nil && p.Spec.PriorityClassName == "" && len(s.Contents.Cluster.PriorityClasses) == 0 {
		note("no PriorityClasses in the input: the pod has priority 0, as if none was the default")
	}
	if other := s.Cluster.Pod(pod.Namespace, pod.Name); other != nil && other.NodeName != "" {
		note("there is a pod of that name on node %s: this one was judged as one more", other.NodeName)
	}
	if usesClaims(p) {
		s.noteVolumes(note)
	}
	return notes
}

func (s *Situation) noteVolumes(note func(string, ...any)) {
	o := s.Contents.Plugins
	if len(o.PersistentVolumeClaims) == 0 {
		note("no PersistentVolumeClaims in the input: the pod's volumes were not looked at")
		return
	}
	var missing []string
	for kind, n := range map[string]int{
		"PersistentVolumes": len(o.PersistentVolumes),
		"StorageClasses":    len(o.StorageClasses),
		"CSINodes":          len(o.CSINodes),
	} {
		if n == 0 {
			missing = append(missing, kind)
		}
	}
	if slices.Sort(missing); len(missing) > 0 {
		note("no %s in the input: what was found out about the pod's volumes may be wrong", strings.Join(missing, ", no "))
	}
}

// onlyNamespace returns the namespace of all pods, "" where there are several, or
// so few pods that it means nothing.
func onlyNamespace(pods []*v1.Pod) string {
	const few = 4
	if len(pods) < few {
		return ""
	}
	for _, p := range pods {
		if p.Namespace != pods[0].Namespace {
			return ""
		}
	}
	return pods[0].Namespace
}

func defaultClasses(classes []*schedulingv1.PriorityClass) []string {
	var names []string
	for _, c := range classes {
		if c.GlobalDefault {
			names = append(names, c.Name)
		}
	}
	return names
}

func usesClaims(p *v1.Pod) bool {
	return slices.ContainsFunc(p.Spec.Volumes, func(v v1.Volume) bool { return v.PersistentVolumeClaim != nil || v.Ephemeral != nil })
}

func selectsNamespaces(p *v1.Pod) bool {
	a := p.Spec.Affinity
	if a == nil {
		return false
	}
	var terms []v1.PodAffinityTerm
	if a.PodAffinity != nil {
		terms = append(terms, a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
	}
	if a.PodAntiAffinity != nil {
		terms = append(terms, a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
	}
	return slices.ContainsFunc(terms, func(t v1.PodAffinityTerm) bool {
		return t.NamespaceSelector != nil && (len(t.NamespaceSelector.MatchLabels) > 0 || len(t.NamespaceSelector.MatchExpressions) > 0)
	})
}
