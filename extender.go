package preemption

import (
	"context"
	"fmt"
	"slices"
)

// An Extender has a say in which nodes may be cleared and of which pods, as
// kube-scheduler's extenders that support preemption do. Extenders are asked one
// after another, each with what the one before left.
type Extender struct {
	Name string
	// Interested reports whether the extender cares about this preemptor; if not,
	// it is not asked. Nil cares about all.
	Interested func(preemptor *Pod) bool
	// Ignorable: its errors are passed over, and so are nodes for which it returns
	// no victims.
	Ignorable bool
	// Process is required. It returns the candidates that may stay: nodes left out are
	// rejected, victims and violations may change. The order it returns is the input
	// order of the choice. It must not modify what it is given.
	//
	// From 1.38 on it may be shown a candidate without victims, where the preemptor
	// fits all filters once this extender's own resources are freed: it may add
	// victims or hand the candidate on. If none adds any it is dropped.
	Process func(ctx context.Context, preemptor *Pod, candidates []*Candidate) ([]*Candidate, error)
}

func (x *Extender) interested(preemptor *Pod) bool {
	return x.Interested == nil || x.Interested(preemptor)
}

// extend asks the extenders. The result has no candidate without victims.
func extend(ctx context.Context, extenders []Extender, preemptor *Pod, view View, candidates []*Candidate) ([]*Candidate, error) {
	for i := range extenders {
		x := &extenders[i]
		if len(candidates) == 0 {
			break // nothing an extender could change
		}
		if !x.interested(preemptor) {
			continue
		}
		answer, err := x.ask(ctx, preemptor, view, candidates)
		if err != nil {
			if x.Ignorable {
				continue
			}
			return nil, fmt.Errorf("preemption: extender %s: %w", x.Name, err)
		}
		candidates = answer
	}
	return slices.DeleteFunc(slices.Clone(candidates), func(c *Candidate) bool { return len(c.Victims) == 0 }), nil
}

// ask returns the extender's answer, checked.
func (x *Extender) ask(ctx context.Context, preemptor *Pod, view View, candidates []*Candidate) ([]*Candidate, error) {
	answer, err := x.Process(ctx, preemptor, slices.Clone(candidates))
	if err != nil {
		return nil, err
	}
	placeholder := make(map[*Node]bool) // shown without victims
	for _, c := range candidates {
		placeholder[c.Node] = len(c.Victims) == 0
	}
	known := make(map[*Node]bool, len(view.Nodes()))
	for _, n := range view.Nodes() {
		known[n] = true
	}
	kept := make([]*Candidate, 0, len(answer))
	seen := make(map[*Node]bool, len(answer))
	for _, c := range answer {
		switch {
		case c == nil || c.Node == nil:
			return nil, fmt.Errorf("it returned a candidate without a node")
		case !known[c.Node]:
			return nil, fmt.Errorf("it returned node %s, which is not the cluster's", c.Node.Name)
		case seen[c.Node]:
			return nil, fmt.Errorf("it returned node %s twice", c.Node.Name)
		case slices.ContainsFunc(c.Victims, func(v *Victim) bool { return v == nil || len(v.Pods) == 0 || slices.Contains(v.Pods, nil) }):
			return nil, fmt.Errorf("it returned a victim without pods on node %s", c.Node.Name)
		case c.Violations < 0:
			return nil, fmt.Errorf("it returned a negative number of violations on node %s: %d", c.Node.Name, c.Violations)
		}
		seen[c.Node] = true
		if len(c.Victims) == 0 && !placeholder[c.Node] {
			if x.Ignorable {
				continue
			}
			return nil, &StepError{Step: "ask extender", Node: c.Node.Name, Err: ErrNoVictim}
		}
		kept = append(kept, c)
	}
	return kept, nil
}
