package judge

import (
	"fmt"

	"example.com/preemption/internal/conformance"
	"example.com/preemption/internal/golden"
)

// errEndless stands for a scheduler that never answers. Looking for victims, it
// goes up from the group of each pod it meets, to the highest ancestor that is
// evicted as one, and unlike 1.37 it does not stop after four levels: on a group
// that is its own ancestor it goes round forever, whatever the context says.
// So it must not be asked.
var errEndless = fmt.Errorf("%w: it goes round forever in a group that is its own ancestor", conformance.ErrFails)

// cyclic reports whether going up from some group of pods never ends.
func cyclic(c *golden.Case) bool {
	type key struct{ namespace, name string }
	parents := map[key]string{}
	for i := range c.CompositePodGroups {
		g := &c.CompositePodGroups[i]
		parents[key{g.Namespace, g.Name}] = g.Parent
	}
	for i := range c.PodGroups {
		g := &c.PodGroups[i]
		seen := map[string]bool{}
		for name := g.Parent; name != ""; name = parents[key{g.Namespace, name}] {
			if seen[name] {
				return true
			}
			seen[name] = true
		}
	}
	return false
}
