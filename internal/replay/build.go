// Package replay puts golden cases to this library and returns its answers in
// the form of the recorded ones, so that the two can be compared.
package replay

import (
	"fmt"
	"slices"
	"strings"

	"example.com/preemption"
	"example.com/preemption/internal/golden"
)

// Releases maps the releases of recorded answers to ours.
var Releases = map[string]preemption.Release{
	golden.Release136: preemption.Release136,
	golden.Release137: preemption.Release137,
	golden.Release138: preemption.Release138,
}

// State returns the case's cluster, with its nodes by name, as they were walked
// when the answers were recorded.
func State(c *golden.Case, r preemption.Release) (preemption.ClusterState, error) {
	s := preemption.ClusterState{Release: r}
	for i := range c.Nodes {
		s.Nodes = append(s.Nodes, node(&c.Nodes[i]))
	}
	slices.SortFunc(s.Nodes, func(a, b *preemption.Node) int { return strings.Compare(a.Name, b.Name) })
	for i := range c.Pods {
		p, err := Pod(&c.Pods[i])
		if err != nil {
			return s, err
		}
		s.Pods = append(s.Pods, p)
	}
	for _, g := range c.PodGroups {
		mode, err := disruptionMode(g.DisruptionMode)
		if err != nil {
			return s, err
		}
		s.PodGroups = append(s.PodGroups, &preemption.PodGroup{Namespace: g.Namespace, Name: g.Name, Priority: g.Priority, DisruptionMode: mode, Parent: g.Parent})
	}
	for _, g := range c.CompositePodGroups {
		mode, err := disruptionMode(g.DisruptionMode)
		if err != nil {
			return s, err
		}
		s.CompositePodGroups = append(s.CompositePodGroups, &preemption.CompositePodGroup{Namespace: g.Namespace, Name: g.Name, Priority: g.Priority, DisruptionMode: mode, Parent: g.Parent})
	}
	for _, b := range c.PDBs {
		s.DisruptionBudgets = append(s.DisruptionBudgets, &preemption.PodDisruptionBudget{
			Namespace: b.Namespace, Name: b.Name, Selector: selector(b.Selector), Allowed: b.Allowed, Disrupted: b.DisruptedPods,
		})
	}
	return s, nil
}

func node(n *golden.Node) *preemption.Node {
	out := &preemption.Node{
		Name: n.Name, Labels: n.Labels, Allocatable: preemption.Resources(n.Allocatable), Unschedulable: n.Unschedulable,
	}
	for _, t := range n.AllTaints() {
		out.Taints = append(out.Taints, preemption.Taint{Key: t.Key, Value: t.Value, Effect: preemption.TaintEffect(t.Effect)})
	}
	return out
}

// Pod returns the case's pod. It is an error if it has a value that the format
// does not define.
func Pod(p *golden.Pod) (*preemption.Pod, error) {
	out := &preemption.Pod{
		Namespace: p.Namespace, Name: p.Name, UID: p.UID, Labels: p.Labels, Priority: p.Priority,
		Requests: preemption.Resources(p.Requests), NodeSelector: p.NodeSelector,
		NodeName: p.Node, NominatedNode: p.NominatedNode, Start: p.Start, Group: p.Group,
	}
	for _, h := range p.HostPorts {
		out.HostPorts = append(out.HostPorts, preemption.HostPort(h))
	}
	for _, t := range p.Tolerations {
		out.Tolerations = append(out.Tolerations, preemption.Toleration{
			Key: t.Key, Operator: preemption.TolerationOperator(t.Operator), Value: t.Value, Effect: preemption.TaintEffect(t.Effect),
		})
	}
	switch p.Terminating {
	case "":
	case golden.ByPreemption:
		out.Termination = preemption.TerminatingByPreemption
	case golden.ForAnotherReason:
		out.Termination = preemption.TerminatingOther
	default:
		return nil, fmt.Errorf("pod %s: unknown termination %q", p.Key(), p.Terminating)
	}
	switch p.PreemptionPolicy {
	case "", "PreemptLowerPriority":
	case "Never":
		out.PreemptionPolicy = preemption.PreemptNever
	default:
		return nil, fmt.Errorf("pod %s: unknown preemption policy %q", p.Key(), p.PreemptionPolicy)
	}
	return out, nil
}

func disruptionMode(s string) (preemption.DisruptionMode, error) {
	switch s {
	case golden.ModeAll:
		return preemption.DisruptAll, nil
	case golden.ModeSingle, "":
		return preemption.DisruptSingle, nil
	}
	return 0, fmt.Errorf("unknown disruption mode %q", s)
}

func selector(s *golden.Selector) *preemption.Selector {
	if s == nil {
		return nil
	}
	out := &preemption.Selector{MatchLabels: s.MatchLabels}
	for _, r := range s.MatchExpressions {
		out.MatchExpressions = append(out.MatchExpressions, preemption.Requirement{
			Key: r.Key, Operator: preemption.SelectorOperator(r.Operator), Values: r.Values,
		})
	}
	return out
}

// sampling returns the case's window, nil if every node is looked at.
func sampling(c *golden.Case) *preemption.Sampling {
	if c.Sampling == nil {
		return nil
	}
	return &preemption.Sampling{Min: c.Num, Offset: func(int) int { return c.Offset }}
}
