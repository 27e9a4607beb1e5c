package preemption

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// names returns the names in order, so that errors and texts do not depend on
// map order.
func (r Resources) names() []string { return slices.Sorted(maps.Keys(r)) }

// add adds the amounts of o, or none of them if a sum would overflow. All
// amounts must be zero or more.
func (r Resources) add(o Resources) error {
	overflow := ""
	for name, amount := range o {
		if r[name] > math.MaxInt64-amount && (overflow == "" || name < overflow) {
			overflow = name
		}
	}
	if overflow != "" {
		return fmt.Errorf("%s: %w", overflow, errOverflow)
	}
	for name, amount := range o {
		r[name] += amount
	}
	return nil
}

// subtract undoes add.
func (r Resources) subtract(o Resources) {
	for name, amount := range o {
		r[name] -= amount
	}
}
