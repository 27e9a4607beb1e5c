package world

import (
	"fmt"

	"example.com/preemption"
)

// Decision writes out all of a result, or the error in its place.
func Decision(r *preemption.Result, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	node := ""
	if r.Node != nil {
		node = r.Node.Name
	}
	s := fmt.Sprintf("%v %q on %q, %d violations, nomination %v, clear %v, delete %v, terminating %v, victims",
		r.Outcome, r.Reason, node, r.Violations, r.Nomination, r.ClearNominations, r.Delete, r.Terminating)
	for _, v := range r.Victims {
		s += fmt.Sprintf(" %v/%v/%d%v", v, v.Kind, v.Priority, v.Pods)
	}
	return s
}

// Describe writes out a cluster: its release and all of its objects.
func Describe(c *preemption.Cluster) string {
	state := c.State()
	s := "release " + state.Release.String()
	for _, n := range state.Nodes {
		s += fmt.Sprintf("\nnode %+v", *n)
	}
	for _, p := range state.Pods {
		s += fmt.Sprintf("\npod %+v", *p)
	}
	for _, g := range state.PodGroups {
		s += fmt.Sprintf("\ngroup %+v", *g)
	}
	for _, g := range state.CompositePodGroups {
		s += fmt.Sprintf("\ncomposite %+v", *g)
	}
	for _, b := range state.DisruptionBudgets {
		s += fmt.Sprintf("\nbudget %+v %+v", *b, b.Selector)
	}
	return s
}
