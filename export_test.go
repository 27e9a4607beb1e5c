package preemption

import (
	"errors"
	"fmt"
	"slices"
)

// CheckEngine computes what the engine keeps of a cluster again, from the
// cluster's objects, in the plainest way, and returns all that differs.
func CheckEngine(c *Cluster) error {
	e := c.engine
	var wrong []error
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if e.table.Nodes() != len(c.nodes) {
		return fmt.Errorf("%d nodes, want %d", e.table.Nodes(), len(c.nodes))
	}
	budgets := c.DisruptionBudgets()
	for i, n := range c.nodes {
		victims := c.release.Victims(n, c, c.groups)
		slices.SortStableFunc(victims, func(a, b *Victim) int { return CompareImportance(b, a) })
		residents := e.table.Residents(i)
		if len(residents) != len(victims) {
			fail("node %s: %d residents, want %d", n.Name, len(residents), len(victims))
			continue
		}
		for k, v := range victims {
			x := &residents[k]
			var pods []*Pod
			if x.Ref >= 0 {
				pods = []*Pod{c.pods.at(x.Ref).pod}
			} else {
				pods = c.victimIn(e.units[^x.Ref]).Pods
			}
			if !slices.Equal(pods, v.Pods) {
				fail("node %s: resident %d is %v, want %v", n.Name, k, pods, v.Pods)
				continue
			}
			seats, sums, spent := int32(0), make([]int64, len(e.names)-1), false
			for j, p := range v.Pods {
				for _, b := range budgets {
					valid := b.Selector != nil && b.Selector.Validate() == nil
					covers := valid && b.Namespace == p.Namespace && c.release.selects(b.Selector, p.Labels)
					spent = spent || covers && !slices.Contains(b.Disrupted, p.Name) && b.Allowed <= 0
				}
				if v.Nodes[j] != n {
					continue
				}
				seats++
				for d, name := range e.names[1:] {
					sums[d] += p.Requests[name]
				}
			}
			if x.Priority != v.Priority || x.Seats != seats || x.Start != v.earliest() || e.table.Spent(x) != spent {
				fail("node %s: %v is %+v, spent %t; want priority %d, seats %d, start %d, spent %t",
					n.Name, v, *x, e.table.Spent(x), v.Priority, seats, v.earliest(), spent)
			}
			for d, want := range sums {
				if have := e.table.Request(i, k, d+1); have != want {
					fail("node %s: %v requests %d of %s, want %d", n.Name, v, have, e.names[d+1], want)
				}
			}
		}
	}
	return errors.Join(append(wrong, e.table.Check(func(node int) []int64 {
		room := c.nodes[node].Allocatable
		amounts := []int64{room[PodCount]}
		for _, name := range e.names[1:] {
			amounts = append(amounts, room[name])
		}
		return amounts
	}))...)
}
