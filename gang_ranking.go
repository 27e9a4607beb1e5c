package preemption

import (
	"cmp"
	"slices"
)

// reducedView is the cluster without the pods that a gang may evict.
type reducedView struct {
	*Cluster
	q *gangQuery
}

// PodsOn returns the pods left on the node, in a new slice: the cluster's stays as it is.
func (v *reducedView) PodsOn(n *Node) []*Pod {
	return slices.DeleteFunc(slices.Clone(v.Cluster.PodsOn(n)), func(p *Pod) bool { return v.q.mayEvictWith(p, n) })
}

// rankNodes ranks the nodes by the pods that are gone from them, as kube-scheduler
// does since 1.38; nil before.
func (v *reducedView) rankNodes() *ranking {
	if !v.Release().rules().gangsRankNodes {
		return nil
	}
	return v.q.newRanking()
}

// A ranking says on which nodes a member of a gang should be placed first. See
// [LeastAllocated] for the order.
//
// Invariants: a victim is among the survivors of all of its nodes, or of none. Two
// nodes with survivors have the same rank if and only if they cost the same.
type ranking struct {
	ranks []int // by node, 0 with no survivor; equal cost, equal rank
	// survivors are by node the potential victims that no member placed so far
	// condemns, most important first.
	survivors  [][]*Victim
	violations map[*Victim]int // pods that violate a budget
	nodes      func(v *Victim) []int
}

func (q *gangQuery) newRanking() *ranking {
	c := q.cluster
	r := &ranking{
		ranks:      make([]int, len(c.Nodes())),
		survivors:  make([][]*Victim, len(c.Nodes())),
		violations: make(map[*Victim]int),
		nodes: func(v *Victim) (nodes []int) {
			v.affected(func(n *Node) bool { nodes = append(nodes, c.indexOf(n)); return true })
			return nodes
		},
	}
	// Budgets are charged once, for all that may go, in the order of importance: which
	// of them violate does not depend on where members are placed.
	victims := q.victims()
	sortByImportance(victims, q.Compare)
	violating, _ := c.classify(victims)
	for _, v := range violating {
		r.violations[v.Victim] = v.Pods
	}
	// In this order the lists of nodes are in it too.
	for _, v := range victims {
		for _, i := range r.nodes(v) {
			r.survivors[i] = append(r.survivors[i], v)
		}
	}
	r.rank()
	return r
}

// rank ranks all nodes, in O(nodes × log nodes) comparisons. Violations, which come
// first, are summed up once a node.
func (r *ranking) rank() {
	sums := make([]int, len(r.survivors)) // violations
	order := make([]int, len(r.survivors))
	for i, of := range r.survivors {
		order[i] = i
		for _, v := range of {
			sums[i] += r.violations[v]
		}
	}
	// A node that loses no pod comes before all others, whatever the criteria say of
	// nothing.
	compare := func(i, j int) int {
		a, b := r.survivors[i], r.survivors[j]
		if len(a) == 0 || len(b) == 0 {
			return cmp.Compare(len(a), len(b))
		}
		return cmp.Or(cmp.Compare(sums[i], sums[j]), compareLosses(a, b))
	}
	slices.SortFunc(order, compare)

	// Equals have one rank: between them the shares decide.
	rank := 0
	for k, i := range order {
		if len(r.survivors[i]) > 0 && (k == 0 || compare(order[k-1], i) != 0) {
			rank++
		}
		r.ranks[i] = rank
	}
}

// condemn takes note that a member goes to a node: all that may be evicted there
// are condemned. Where that changes no other node the order of the rest stays.
func (r *ranking) condemn(node int) {
	// A unit goes as a whole: it is no longer a cost on its other nodes.
	again := false
	for _, v := range r.survivors[node] {
		for _, i := range r.nodes(v) {
			if i != node {
				again = true
				r.survivors[i] = slices.DeleteFunc(r.survivors[i], func(x *Victim) bool { return x == v })
			}
		}
	}

	// The node itself costs nothing any more. Taking it out of its place leaves the
	// order of the others as it is.
	r.survivors[node] = nil
	r.ranks[node] = 0
	if again {
		r.rank()
	}
}

// compareLosses compares what is lost with all victims of two nodes, each most
// important first, by everything but budgets.
func compareLosses(a, b []*Victim) int {
	// Priority by priority, from the highest down, as long as both have one. Lists are
	// in this order, so each priority is a run in both.
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if c := cmp.Compare(a[i].Priority, b[j].Priority); c != 0 {
			return c
		}
		of := a[i].Priority
		pods := 0
		for ; i < len(a) && a[i].Priority == of; i++ {
			pods += len(a[i].Pods)
		}
		for ; j < len(b) && b[j].Priority == of; j++ {
			pods -= len(b[j].Pods)
		}
		if pods != 0 {
			return pods
		}
	}
	if c := cmp.Compare(countPods(a), countPods(b)); c != 0 {
		return c
	}

	// Victim by victim, as long as both have one: the kind before the size. At last
	// the number of victims.
	for i := range min(len(a), len(b)) {
		if c := cmp.Or(cmp.Compare(a[i].Kind, b[i].Kind), cmp.Compare(len(a[i].Pods), len(b[i].Pods))); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}
