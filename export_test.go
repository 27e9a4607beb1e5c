package preemption

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"example.com/preemption/internal/columnar"
)

// CheckEngine computes what the engine keeps of a cluster again, from the
// cluster's objects, in the plainest way, and returns all that differs.
func CheckEngine(c *Cluster) error {
	e := c.engine
	wrong := []error{checkCounts(c)}
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
		var residents []columnar.Resident
		for _, x := range e.table.Residents(i, 0) {
			residents = append(residents, x)
		}
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

// checkCounts counts again, pod by pod, whatever a cluster has counts and lists of. What
// has gone must not be in any of them.
func checkCounts(c *Cluster) error {
	e := c.engine
	users, groups, homes := map[string]idSet{}, map[objectKey][]int32{}, make([]map[int32]int32, len(c.covers.sets))
	nominees, ports, taken := map[string]int{}, map[*nodeSlot]int{}, map[*nodeSlot]committed{}
	for id := range c.pods.entries {
		id, entry := int32(id), &c.pods.entries[id]
		p := entry.pod
		if p == nil {
			continue
		}
		bound, on := c.slotOf(id), c.slotOf(id)
		if to, nominated := c.nominations[id]; nominated {
			nominees[p.UID]++
			on = c.byName[to]
			if !slices.Contains(c.nominated[to], p) {
				return fmt.Errorf("%v is not among those nominated to %s", p, to)
			}
		}
		if on != nil {
			taken[on] = taken[on].plus(p.Requests)
		}
		if c.takesRoom(id) {
			for name, amount := range p.Requests {
				if amount > 0 && name != PodCount {
					if users[name] == nil {
						users[name] = idSet{}
					}
					users[name][id] = struct{}{}
				}
			}
		}
		if bound == nil {
			continue
		}
		if p.Group != "" {
			key := objectKey{p.Namespace, p.Group}
			groups[key] = append(groups[key], id)
		}
		if len(p.HostPorts) > 0 {
			ports[bound]++
		}
		if set := entry.cover; set != noCover {
			if homes[set] == nil {
				homes[set] = map[int32]int32{}
			}
			homes[set][bound.number]++
		}
	}

	var wrong []error
	same := func(same bool, what string, got, want any) {
		if !same {
			wrong = append(wrong, fmt.Errorf("%s: %v, want %v", what, got, want))
		}
	}
	for d, name := range e.names[1:] {
		same(e.uses[d+1] == len(users[name]), "users of "+name, e.uses[d+1], len(users[name]))
		delete(users, name)
	}
	same(maps.EqualFunc(e.others, users, maps.Equal), "users of what has no dimension", e.others, users)
	lists := make(map[objectKey][]int32, len(c.inGroup))
	for key, list := range c.inGroup {
		lists[key] = slices.Sorted(slices.Values(list))
	}
	same(maps.EqualFunc(lists, groups, slices.Equal), "pods by group", lists, groups)
	for set, want := range homes {
		s := &c.covers.sets[set]
		pods := 0
		for _, n := range want {
			pods += int(n)
		}
		same(maps.Equal(s.homes, want) && s.pods == pods, fmt.Sprint("pods under set of budgets ", set), s, want)
		same((want == nil) == slices.Contains(c.covers.unused, int32(set)), fmt.Sprint("unused set of budgets ", set), c.covers.unused, want)
	}
	numbers := map[string]int32{}
	for set := range c.covers.sets {
		if over := c.covers.sets[set].over; over != nil {
			numbers[coverKey(over)] = int32(set)
		}
	}
	same(maps.Equal(c.covers.byKey, numbers), "sets of budgets by key", c.covers.byKey, numbers)
	same(maps.Equal(c.nominees, nominees), "nominated UIDs", c.nominees, nominees)
	listed := 0
	for _, pods := range c.nominated {
		listed += len(pods)
		same(len(pods) > 0, "a list of nominated pods", pods, "none")
	}
	same(listed == len(c.nominations), "nominated pods", listed, len(c.nominations))
	for _, s := range c.slots {
		same(c.homes[s.number] == s, "whose place "+s.node.Name+" has", c.homes[s.number].node, s.node)
		same(s.ports == ports[s], "pods with ports on "+s.node.Name, s.ports, ports[s])
		same(s.committed == taken[s], "taken on "+s.node.Name, s.committed, taken[s])
	}
	return errors.Join(wrong...)
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

// RoomsFit tests the same by sums a node, which the built-in filters and members of one
// priority allow.
func RoomsFit(e *Evaluator, c *Cluster, g *Gang, nodes []*Node, gone []*Victim) bool {
	q := &gangQuery{Evaluator: e, ctx: context.Background(), cluster: c, gang: g}
	rooms := q.newRooms(nodes, sorted(e.Filters))
	for _, v := range gone {
		rooms.change(v, -1)
	}
	status, _ := rooms.fits()
	return status.Fits()
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
