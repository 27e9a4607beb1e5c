package preemption

import (
	"context"
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
	for i, u := range e.units {
		if unused := slices.Contains(e.unused, int32(i)); (u == nil) != unused {
			fail("unit %d is %v, unused %t", i, u, unused)
		}
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

// SortByImportance is the sort by keys that decisions use.
func SortByImportance(victims []*Victim) { sortByImportance(victims, nil) }

// BenchCluster is a cluster that benchmarks run on, BenchGang a gang of theirs.
func BenchCluster(nodes, pods, budgets int) *Cluster {
	return workload{nodes: nodes, pods: pods, budgets: budgets}.cluster(benchSeed)
}

func BenchGang(members int) *Gang { return benchGang(members) }

// GangFits tests whether the members fit where they are placed with the victims
// gone, by a dry run for each.
func GangFits(e *Evaluator, c *Cluster, g *Gang, nodes []*Node, gone []*Victim) (Status, error) {
	q := &gangQuery{Evaluator: e, ctx: context.Background(), cluster: c, gang: g}
	_, status, _, err := q.startRuns(nodes, gone)
	return status, err
}

// A GivenPlan is what a given placement costs: the members that remain placed, and
// the victims, none if too few do.
type GivenPlan struct {
	Nodes      []*Node
	Victims    []*Victim
	Violations int
}

// EvictFor returns what GivenPlacement evicts for a placement, by its sums a node
// where it can.
func EvictFor(e *Evaluator, c *Cluster, g *Gang, nodes []*Node) (GivenPlan, error) {
	q := &gangQuery{Evaluator: e, ctx: context.Background(), cluster: c, gang: g}
	p, err := q.evictFor(nodes, true)
	if err != nil {
		return GivenPlan{}, err
	}
	return GivenPlan{p.nodes, p.victims, p.violations}, nil
}

// EvictOneByOne returns the same by dry runs: every victim of the cluster is tested
// against every member.
func EvictOneByOne(e *Evaluator, c *Cluster, g *Gang, nodes []*Node) (GivenPlan, error) {
	q := &gangQuery{Evaluator: e, ctx: context.Background(), cluster: c, gang: g}
	p, victims := &gangPlan{nodes: slices.Clone(nodes)}, q.victims()
	for p.placed() >= g.minCount() {
		runs, status, i, err := q.startRuns(p.nodes, victims)
		switch {
		case err != nil:
			return GivenPlan{}, err
		case !status.Fits():
			p.nodes[i] = nil
			continue
		}
		if err := reprieveFor(q, p, runs, slices.Clone(victims), func(*Victim) bool { return true }); err != nil {
			return GivenPlan{}, err
		}
		break
	}
	return GivenPlan{p.nodes, p.victims, p.violations}, nil
}
