package preemption

import (
	"maps"
	"slices"
)

// names returns the names in order, so that errors and texts do not depend on
// map order.
func (r Resources) names() []string { return slices.Sorted(maps.Keys(r)) }

// none returns the same names with amounts of zero.
func (r Resources) none() Resources {
	zero := make(Resources, len(r))
	for name := range r {
		zero[name] = 0
	}
	return zero
}
