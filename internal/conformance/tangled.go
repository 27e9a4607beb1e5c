package conformance

import "example.com/preemption/internal/golden"

// maxDepth is how many levels an ancestry may have, the group of the pod
// included.
const maxDepth = 4

// Tangled reports whether the ancestry of some group is a cycle, or too deep.
// The API does not allow either, and kube-scheduler does not expect them: going
// up from a pod it stops, and going down from where it stopped it may meet
// other pods than those that came up, or the same ones twice. A pod may then be
// in several units, and the priority of a unit is that of whichever member is
// met first.
func Tangled(c *golden.Case) bool {
	parents := map[string]string{}
	for i := range c.CompositePodGroups {
		g := &c.CompositePodGroups[i]
		parents[g.Namespace+"/"+g.Name] = g.Parent
	}
	for i := range c.PodGroups {
		g := &c.PodGroups[i]
		depth := 1
		for parent := g.Parent; parent != ""; {
			next, ok := parents[g.Namespace+"/"+parent]
			if !ok {
				break
			}
			if depth++; depth > maxDepth { // always, in a cycle
				return true
			}
			parent = next
		}
	}
	return false
}
