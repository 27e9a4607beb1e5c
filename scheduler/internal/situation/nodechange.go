package situation

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// nodeChange adds a node like the one named, removes it with all its pods, or
// (un)cordons it.
func nodeChange(name, value string) (applier, error) {
	change := map[string]func(*Situation, *preemption.Node) error{
		"add":      (*Situation).addLike,
		"remove":   (*Situation).removeNode,
		"cordon":   func(s *Situation, n *preemption.Node) error { return s.cordon(n, true) },
		"uncordon": func(s *Situation, n *preemption.Node) error { return s.cordon(n, false) },
	}[value]
	if change == nil {
		return nil, fmt.Errorf("%q cannot be done to a node: want add, remove, cordon or uncordon", value)
	}
	return func(s *Situation, pod *preemption.Pod) (*preemption.Pod, error) {
		n := s.Cluster.Node(name)
		if n == nil {
			return nil, fmt.Errorf("there is no node %s", name)
		}
		return pod, change(s, n)
	}, nil
}

// addLike adds an empty node that is like another one but for its name.
func (s *Situation) addLike(n *preemption.Node) error {
	object := kube.NodeOf(n).DeepCopy()
	for i := 1; ; i++ {
		object.Name = fmt.Sprintf("%s-added-%d", n.Name, i)
		if s.Cluster.Node(object.Name) == nil {
			break
		}
	}
	if object.Labels[v1.LabelHostname] != "" {
		object.Labels[v1.LabelHostname] = object.Name
	}
	object.UID = ""
	uncordon(object)
	added, err := kube.Node(object)
	if err != nil {
		return err
	}
	s.Notes = append(s.Notes, fmt.Sprintf("node %s was added, like %s and empty: the pods of DaemonSets that it would get were left out", added.Name, n.Name))
	return s.Cluster.AddNode(added)
}

// removeNode removes the node with its pods, which go nowhere.
func (s *Situation) removeNode(n *preemption.Node) error {
	pods := slices.Clone(s.Cluster.PodsOn(n))
	for _, p := range pods {
		if err := s.Cluster.RemovePod(p.Namespace, p.Name); err != nil {
			return err
		}
	}
	if len(s.Cluster.Nodes()) == 1 {
		return fmt.Errorf("%s is the only node", n.Name)
	}
	if len(pods) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("node %s was removed with its %d pods: those that their controllers would create again were left out", n.Name, len(pods)))
	}
	return s.Cluster.RemoveNode(n.Name)
}

func (s *Situation) cordon(n *preemption.Node, on bool) error {
	object := kube.NodeOf(n).DeepCopy()
	uncordon(object)
	if on {
		object.Spec.Unschedulable = true
		object.Spec.Taints = append(object.Spec.Taints, v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule})
	}
	changed, err := kube.Node(object)
	if err != nil {
		return err
	}
	return s.Cluster.UpdateNode(changed)
}

// uncordon takes the mark and the taint that cordoning puts on a node.
func uncordon(n *v1.Node) {
	n.Spec.Unschedulable = false
	n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t v1.Taint) bool { return t.Key == v1.TaintNodeUnschedulable })
}
