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

// Describe writes out a cluster.
func Describe(c *preemption.Cluster) string {
	s := "release " + c.Release().String()
	for _, n := range c.Nodes() {
		s += fmt.Sprintf("\nnode %+v", *n)
		for _, p := range c.PodsOn(n) {
			s += fmt.Sprintf("\n  pod %+v", *p)
		}
		for _, p := range c.NominatedTo(n.Name) {
			s += fmt.Sprintf("\n  nominated %+v", *p)
		}
	}
	for _, b := range c.DisruptionBudgets() {
		s += fmt.Sprintf("\nbudget %+v %+v", *b, b.Selector)
	}
	return s
}
