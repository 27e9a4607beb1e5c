package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler/internal/situation"
)

// details says about nodes what their status does not.
func details(ctx context.Context, s *situation.Situation, r *Report) (map[string]string, error) {
	m := make(map[string]string)
	held, err := heldByNominated(ctx, s, r)
	if err != nil {
		return nil, err
	}
	for i := range r.Examination.Nodes {
		n := &r.Examination.Nodes[i]
		switch {
		case n.Filter.Fits():
		case held[n.Node] != "":
			m[n.Node.Name] = held[n.Node]
		case n.Filter.Filter == "TaintToleration":
			if t := untolerated(r.Pod, n.Node); t != "" {
				m[n.Node.Name] = "taint " + t
			}
		}
	}
	if len(m) == 0 {
		return nil, nil
	}
	return m, nil
}

// untolerated names the first taint that keeps the pod away.
func untolerated(pod *preemption.Pod, node *preemption.Node) string {
	object, on := kube.PodOf(pod), kube.NodeOf(node)
	if object == nil || on == nil {
		return ""
	}
	t, found := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), on.Spec.Taints, object.Spec.Tolerations, func(t *v1.Taint) bool {
		return t.Effect == v1.TaintEffectNoSchedule || t.Effect == v1.TaintEffectNoExecute
	}, false)
	if !found {
		return ""
	}
	return t.ToString()
}

// heldByNominated names, for nodes that would take the pod were it not for pods
// nominated to them, those pods.
func heldByNominated(ctx context.Context, s *situation.Situation, r *Report) (map[*preemption.Node]string, error) {
	names := make(map[*preemption.Node]string)
	for i := range r.Examination.Nodes {
		n := &r.Examination.Nodes[i]
		if n.Filter.Fits() {
			continue
		}
		var holders []string
		for _, p := range s.Cluster.NominatedTo(n.Node.Name) {
			if p != r.Pod && p.Priority >= r.Pod.Priority {
				holders = append(holders, p.String())
			}
		}
		if len(holders) > 0 {
			names[n.Node] = "its room is held for nominated pods: " + strings.Join(holders, ", ")
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	without, err := s.Imagine(func(*preemption.Pod) bool { return true }, false)
	if err != nil {
		return nil, err
	}
	x, err := s.Evaluator.Examine(ctx, without, r.Pod)
	if err != nil {
		return nil, err
	}
	for n := range names {
		if !slices.Contains(x.FitNodes, n) {
			delete(names, n)
		}
	}
	return names, nil
}

// affinityToVictims counts the nodes that would do if the pods that the pod wants to
// be near were not among those that make room.
func affinityToVictims(x *preemption.Examination) string {
	const affinity = "node(s) didn't match pod affinity rules"
	n := 0
	for i := range x.Nodes {
		r := &x.Nodes[i]
		if r.Examined && r.Candidate == nil && slices.Contains(r.Status.Reasons, affinity) && !slices.Contains(r.Filter.Reasons, affinity) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("on %d of the nodes the pods that it has affinity to are of lower priority: the scheduler takes them away with the others before it looks, and then the affinity fails", n)
}
