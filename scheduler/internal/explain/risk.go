package explain

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/situation"
)

// Risk tells by whom the running pod could be evicted, what protects it, and how it
// ranks on its node.
func Risk(ctx context.Context, s *situation.Situation, pod *preemption.Pod, progress func(string)) (*explanation.EvictionRisk, error) {
	node := s.Cluster.Node(pod.NodeName)
	groups := preemption.NewGroups(s.State.PodGroups, s.State.CompositePodGroups)
	units := s.State.Release.Victims(node, s.Cluster, groups)
	unit := unitOf(units, pod)
	if unit == nil {
		return nil, fmt.Errorf("pod %s is not among the pods of node %s", pod, node.Name)
	}
	e := &explanation.EvictionRisk{
		TypeMeta:          metav1.TypeMeta{APIVersion: explanation.APIVersion, Kind: explanation.EvictionKind},
		KubernetesVersion: s.State.Release.String(),
		Pod:               summary(pod),
		Node:              node.Name,
		Owner:             ownerOf(pod),
		Group:             unit.Group,
		Classes:           []string{},
		Budgets:           budgetsOf(s, pod),
		Preemptors:        []explanation.Preemptor{},
	}
	if unit.Priority < math.MaxInt32 {
		lowest := unit.Priority + 1
		e.LowestPriority = &lowest
		e.Spared = spared(s, node, units, unit, lowest)
	}
	for _, c := range s.Contents.Cluster.PriorityClasses {
		if c.Value > unit.Priority && (c.PreemptionPolicy == nil || *c.PreemptionPolicy != "Never") {
			e.Classes = append(e.Classes, c.Name)
		}
	}
	slices.Sort(e.Classes)
	e.Rank, e.RankOf = rankOf(units, unit)
	if err := preemptors(ctx, s, e, unit, progress); err != nil {
		return nil, err
	}
	e.Protection = protection(s, e, pod, unit)
	e.Warnings = append(e.Warnings, s.Notes...)
	return e, nil
}

func unitOf(units []*preemption.Victim, pod *preemption.Pod) *preemption.Victim {
	for _, v := range units {
		if slices.Contains(v.Pods, pod) {
			return v
		}
	}
	return nil
}

func budgetsOf(s *situation.Situation, p *preemption.Pod) []explanation.Budget {
	list := []explanation.Budget{}
	for _, b := range s.State.DisruptionBudgets {
		if covers(s.State.Release, b, p) {
			list = append(list, explanation.Budget{
				Namespace: b.Namespace, Name: b.Name, DisruptionsAllowed: b.Allowed,
				Violated: b.Allowed <= 0 && !slices.Contains(b.Disrupted, p.Name),
			})
		}
	}
	return list
}

// rankOf returns the unit's place on its node, the first to go being the first.
func rankOf(units []*preemption.Victim, unit *preemption.Victim) (rank, of int) {
	rank = 1
	for _, v := range units {
		if v != unit && preemption.CompareImportance(v, unit) < 0 {
			rank++
		}
	}
	return rank, len(units)
}

// spared is what a preemptor of that priority may request on the node so that the
// unit, put back after those that are more important, still has room: all that
// nobody else holds who comes before it or may not be evicted.
func spared(s *situation.Situation, node *preemption.Node, units []*preemption.Victim, unit *preemption.Victim, priority int32) map[string]string {
	left := make(map[string]int64)
	for name, n := range node.Allocatable {
		if name != preemption.PodCount {
			left[name] = n
		}
	}
	for _, v := range units {
		if v.Priority < priority && v != unit && preemption.CompareImportance(v, unit) < 0 {
			continue // it would go before
		}
		for i, p := range v.Pods {
			if v.Nodes[i] != node {
				continue
			}
			for name, n := range p.Requests {
				left[name] -= n
			}
		}
	}
	for _, p := range s.Cluster.NominatedTo(node.Name) {
		if p.Priority >= priority {
			for name, n := range p.Requests {
				left[name] -= n
			}
		}
	}
	out := make(map[string]string, len(left))
	for name, n := range left {
		if node.Allocatable[name] > 0 {
			out[name] = Amount(name, max(n, 0))
		}
	}
	return out
}

// preemptors finds the pending pods that could evict the unit as things are.
func preemptors(ctx context.Context, s *situation.Situation, e *explanation.EvictionRisk, unit *preemption.Victim, progress func(string)) error {
	pending, _ := Pending(s)
	for i, p := range pending {
		if p.Priority <= unit.Priority || p.PreemptionPolicy == preemption.PreemptNever {
			continue
		}
		progress(fmt.Sprintf("pod %d of %d", i+1, len(pending)))
		x, err := s.Evaluator.Examine(ctx, s.Cluster, p)
		if err != nil {
			return fmt.Errorf("pod %s: %w", p, err)
		}
		if x.Outcome != preemption.OutcomePreempt {
			continue
		}
		out := explanation.Preemptor{Namespace: p.Namespace, Name: p.Name, Priority: p.Priority}
		for _, c := range x.Candidates {
			if !slices.ContainsFunc(c.Victims, func(v *preemption.Victim) bool { return slices.Contains(v.Pods, unit.Pods[0]) }) {
				continue
			}
			if c.Node == x.Node {
				out.Would, out.Instead = true, ""
				break
			}
			out.Instead = x.Node.Name
		}
		if out.Would || out.Instead != "" {
			e.Preemptors = append(e.Preemptors, out)
		}
	}
	return nil
}

// protection says what speaks for the pod and what does not.
func protection(s *situation.Situation, e *explanation.EvictionRisk, pod *preemption.Pod, unit *preemption.Victim) []string {
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	say("pods of priority %d or less never evict it", unit.Priority)
	if unit.Priority != pod.Priority {
		say("what counts is the priority of its group, %d, not its own, %d", unit.Priority, pod.Priority)
	}
	for _, b := range e.Budgets {
		if b.Violated {
			say("budget %s/%s is used up: evicting it would violate the budget, so that nodes without such a victim are preferred; if there is none it goes all the same", b.Namespace, b.Name)
		} else {
			more := "disruptions"
			if b.DisruptionsAllowed == 1 {
				more = "disruption"
			}
			say("budget %s/%s allows %d more %s: it does not protect the pod now", b.Namespace, b.Name, b.DisruptionsAllowed, more)
		}
	}
	if len(e.Budgets) == 0 {
		say("no budget covers it")
	}
	if unit.Group != "" {
		say("it goes only together with the %d pods of its group %s", len(unit.Pods), unit.Group)
	}
	object := kube.PodOf(pod)
	switch {
	case object != nil && IsMirror(object):
		say("it is a static pod: its kubelet starts it again at once")
	case pod.Termination != preemption.NotTerminating:
		say("it is on its way out already")
	case e.Owner == nil:
		say("it has no controller: once evicted nobody creates it again")
	case e.Owner.Kind == "DaemonSet":
		say("it belongs to a DaemonSet: once evicted it waits for room on this node")
	}
	if len(s.Contents.Cluster.PriorityClasses) > 0 && len(e.Classes) == 0 {
		say("no PriorityClass is above it")
	}
	if len(e.Classes) > 0 {
		say("pods of these classes may evict it: %s", strings.Join(e.Classes, ", "))
	}
	return list
}
