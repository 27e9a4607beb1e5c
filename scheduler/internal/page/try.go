package page

import (
	"context"
	"fmt"
	"slices"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/explain"
	"example.com/preemption/scheduler/internal/situation"
)

// A suggestion is something to try, with the command that tells what came of it.
type suggestion struct{ Text, Command string }

// suggestions are what could be changed. What is to get the pod a node has been
// tried, and does.
func suggestions(ctx context.Context, s *situation.Situation, r *explain.Report) []suggestion {
	e := &r.Explanation
	ask := fmt.Sprintf("kubectl preemption explain %s -n %s", e.Pod.Name, e.Pod.Namespace)
	var list []suggestion
	if e.State == explanation.StateNoHelp && r.Gang == nil {
		list = toGetANode(ctx, s, r, ask)
		if len(list) == 0 {
			list = append(list, suggestion{Text: "Ask for less, or add a node of another kind: neither a higher priority nor one more node like those that there are gets it a node."})
		}
	}
	for _, v := range e.Victims {
		for _, b := range v.Budgets {
			text := suggestion{
				fmt.Sprintf("See what budget %s/%s changes: this lets it allow one more disruption.", b.Namespace, b.Name),
				fmt.Sprintf("%s --what-if %q", ask, fmt.Sprintf("budget %s/%s=%d", b.Namespace, b.Name, b.DisruptionsAllowed+1)),
			}
			if b.Violated && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	if e.State == explanation.StatePreempts {
		v := e.Victims[0]
		list = append(list, suggestion{"See how safe the most important victim is otherwise.", fmt.Sprintf("kubectl preemption can-evict %s -n %s", v.Name, v.Namespace)})
	}
	return list
}

// toGetANode are changes of one thing that get the pod a node.
func toGetANode(ctx context.Context, s *situation.Situation, r *explain.Report, ask string) []suggestion {
	pod := r.Examination.Preemptor
	var list []suggestion
	if name, amount := nearest(r); name != "" {
		change := name + "=" + amount
		if got := try(ctx, s, pod, change); got != nil {
			text := fmt.Sprintf("Ask for less: with %s %s it fits on node %s", amount, name, got.Node.Name)
			if got.Outcome == preemption.OutcomePreempt {
				text += " once pods of lower priority there are gone"
			}
			list = append(list, suggestion{text + ".", ask + " --what-if " + change})
		}
	}
	switch highest := fmt.Sprintf("priority=%d", highestUserPriority); {
	case pod.PreemptionPolicy == preemption.PreemptNever:
		if change := "preemptionPolicy=PreemptLowerPriority"; try(ctx, s, pod, change) != nil {
			list = append(list, suggestion{"Let it preempt: its policy is Never.", ask + " --what-if " + change})
		}
	case try(ctx, s, pod, highest) != nil:
		list = append(list, suggestion{"Raise its priority: this finds the lowest that gets it a node, and whom that costs.", ask + " --min-priority"})
	}
	tried := 0
	for i := range r.Examination.Nodes {
		n := &r.Examination.Nodes[i]
		if n.Filter.Code == preemption.Unresolvable && !n.Node.Unschedulable || tried == mostNodes {
			continue // a node like it would refuse the pod as well
		}
		tried++
		change := "node " + n.Node.Name + "=add"
		if got := try(ctx, s, pod, change); got != nil && got.Outcome == preemption.OutcomeFits {
			list = append(list, suggestion{fmt.Sprintf("Add a node: it fits on one more like %s.", n.Node.Name), fmt.Sprintf("%s --what-if %q", ask, change)})
			break
		}
	}
	return list
}

// highestUserPriority is the highest that a class of the user's own may have.
const highestUserPriority = 1_000_000_000

// mostNodes is how many kinds of nodes to add are tried.
const mostNodes = 8

// try decides on the pod with a thing changed, and returns nil if it gets no node
// even so. The situation stays as it is.
func try(ctx context.Context, s *situation.Situation, pod *preemption.Pod, text string) *preemption.Result {
	change, err := situation.ParseChange(text)
	if err != nil {
		return nil // a resource that cannot be asked for on the command line
	}
	changed := *s
	changed.Cluster, changed.Notes = s.Cluster.Clone(), slices.Clone(s.Notes)
	if pod, err = changed.Apply(change, pod); err != nil {
		return nil
	}
	r, err := s.Evaluator.Preempt(ctx, changed.Cluster, pod)
	if err != nil || r.Outcome != preemption.OutcomeFits && r.Outcome != preemption.OutcomePreempt {
		return nil
	}
	return r
}

// nearest is what is missing where least is missing of a single resource, even
// without the pods of lower priority, and how much of it there is.
func nearest(r *explain.Report) (resource, amount string) {
	best := 2.0
	for i := range r.Examination.Nodes {
		n := &r.Examination.Nodes[i]
		if len(n.Shortfalls) != 1 || n.Candidate != nil {
			continue
		}
		s := n.Shortfalls[0]
		free := s.Allocatable - s.Used
		if missing := float64(s.Requested-free) / float64(s.Requested); free > 0 && s.Resource != preemption.PodCount && missing < best {
			best, resource, amount = missing, s.Resource, explain.Amount(s.Resource, free)
		}
	}
	return resource, amount
}
