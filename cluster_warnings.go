package preemption

import (
	"cmp"
	"fmt"
	"slices"
)

// A Warning is something in a cluster that is not an error and is likely not
// what was meant. The rules say what a decision makes of it.
type Warning struct {
	Kind WarningKind
	// Object names what is at fault, as its kind and name.
	Object string
	// Problem says what is wrong with it and what comes of that.
	Problem string
}

// String returns the warning on one line.
func (w Warning) String() string { return w.Object + ": " + w.Problem }

// WarningKind says what a [Warning] is about.
type WarningKind uint8

const (
	// WarnNoPodLimit: a node does not say how many pods it takes, so it takes none.
	WarnNoPodLimit WarningKind = iota
	// WarnAncestry: the groups above a bound pod cannot be resolved to the end: one
	// is unknown, is its own ancestor, or lies too many levels up. What was found
	// below still holds.
	WarnAncestry
	// WarnBadSelector: a budget's selector is not valid; the budget covers no pod.
	WarnBadSelector
)

// Warnings lists what is wrong with the cluster without being an error: one
// warning a problem, nodes first in their order, then pod groups by the
// namespace and name of the group at fault, then budgets in their order. It
// costs O(nodes + pods + budgets).
func (c *Cluster) Warnings() []Warning {
	var warnings []Warning
	for _, n := range c.nodes {
		if _, ok := n.Allocatable[PodCount]; !ok {
			warnings = append(warnings, Warning{WarnNoPodLimit, "node " + n.Name,
				fmt.Sprintf("its allocatable does not name %q, so it takes no pod", PodCount)})
		}
	}
	warnings = append(warnings, c.ancestryWarnings()...)
	for _, e := range c.budgets.inOrder() {
		if err := e.budget.Selector.Validate(); err != nil {
			warnings = append(warnings, Warning{WarnBadSelector, "disruption budget " + e.budget.String(),
				fmt.Sprintf("its selector is not valid, so it covers no pod: %v", err)})
		}
	}
	return warnings
}

// ancestryWarnings finds the pod groups with bound pods whose walk up does not
// end at a root. All pods of a group share its walk, so each is named once.
func (c *Cluster) ancestryWarnings() []Warning {
	seen := make(map[objectKey]bool)
	type fault struct {
		key     objectKey
		problem string
	}
	var faults []fault
	for _, n := range c.nodes {
		for _, p := range c.PodsOn(n) {
			key := objectKey{p.Namespace, p.Group}
			if p.Group == "" || seen[key] {
				continue
			}
			seen[key] = true
			if _, problem := c.release.membership(p, c.groups); problem != "" {
				faults = append(faults, fault{key, problem})
			}
		}
	}
	slices.SortFunc(faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.key.namespace, b.key.namespace), cmp.Compare(a.key.name, b.key.name))
	})
	var warnings []Warning
	for _, f := range faults {
		warnings = append(warnings, Warning{WarnAncestry, KindPodGroup.String() + " " + f.key.String(),
			"its ancestry ends where it should not: " + f.problem})
	}
	return warnings
}
