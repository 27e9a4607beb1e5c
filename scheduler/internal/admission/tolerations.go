package admission

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
)

// seconds is how long pods stay on a node that went away, unless they say
// otherwise.
const seconds = 300

// tolerations adds what every pod gets by default: to stay for a while on a node
// that is not ready or not reachable.
func (a *admission) tolerations() error {
	for _, key := range []string{v1.TaintNodeNotReady, v1.TaintNodeUnreachable} {
		if a.tolerates(key) {
			continue
		}
		s := int64(seconds)
		a.pod.Spec.Tolerations = append(a.pod.Spec.Tolerations, v1.Toleration{
			Key: key, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &s,
		})
	}
	return nil
}

// tolerates reports whether the pod says something about the taint already.
func (a *admission) tolerates(key string) bool {
	for _, t := range a.pod.Spec.Tolerations {
		if (t.Key == key || t.Key == "") && (t.Effect == v1.TaintEffectNoExecute || t.Effect == "") {
			return true
		}
	}
	return false
}

// namespaceTolerations applies a namespace's default tolerations.
func (a *admission) namespaceTolerations(ns *v1.Namespace) error {
	text := ns.Annotations[tolerationsAnnotation]
	if text == "" {
		return nil
	}
	var list []v1.Toleration
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		a.note("namespace %s: annotation %s: %v: it was not applied", ns.Name, tolerationsAnnotation, err)
		return nil
	}
	a.tolerate(list)
	a.note("the default tolerations of namespace %s were applied", ns.Name)
	return nil
}
