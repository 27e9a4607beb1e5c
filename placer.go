package preemption

import (
	"context"
	"fmt"
	"slices"
)

// A Placer says where the members of a gang go in a cluster: Nodes[i] for member
// i, nil for one that finds no place. It is shown the cluster as it is, and, if
// the members do not all fit there, the cluster without the pods that the gang
// may evict.
type Placer func(ctx context.Context, view View, g *Gang) ([]*Node, error)

// LeastAllocated returns a placer that puts member after member on the node that
// has the largest share of cpu and memory left once it is there, among those
// that take it by the filters; of equals the first. That is kube-scheduler's
// default way of scoring, without the other scores and without chance. A member's
// nominated node is preferred to all, if it takes it.
//
// If the cluster is of release 1.38 or later and shown without the pods that the
// gang may evict, the nodes come first whose pods are the cheapest to evict, as in
// kube-scheduler; only between equals the shares decide. Every node counts with
// all its pods that may be evicted, whether or not the member needs them gone,
// less those of units that members before it have condemned: a member condemns
// all that may be evicted from its node. Fewer pods that violate a budget are
// cheaper; then, from the highest priority down, the lower priority and the fewer
// pods of it; then fewer pods in all; then, victim by victim, the lower kind and
// the fewer pods; then fewer victims.
//
// It takes O(members × nodes) with the built-in filters and members that are
// alike to them. Other filters are asked anew for every member and node, with all
// members before in place: O(members² × nodes).
func LeastAllocated(filters ...Filter) Placer { return memberByMember(filters, (*placing).shareLeft) }

// FirstNode returns a placer like [LeastAllocated] that takes the first of the
// nodes between which the shares would decide: kube-scheduler without scores.
func FirstNode(filters ...Filter) Placer {
	return memberByMember(filters, func(*placing, int, *Pod) float64 { return 0 })
}

func memberByMember(filters []Filter, score func(p *placing, node int, m *Pod) float64) Placer {
	return func(ctx context.Context, view View, g *Gang) ([]*Node, error) {
		p := newPlacing(filters, view, g, score)
		for i, m := range g.Members {
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			if err := p.place(i); err != nil {
				return nil, fmt.Errorf("member %s: %w", m, err)
			}
		}
		return p.placed, nil
	}
}

// placing is the state of a placement under way.
type placing struct {
	view    View
	filters []Filter
	gang    *Gang
	nodes   []*Node
	placed  []*Node // by member
	// used is the cpu and memory taken on each node.
	used []Resources
	// runs are the dry runs of the members before, as long as they are all alike, and
	// scores those of the nodes that take such a member, -1 of the others.
	runs   []DryRun
	scores []float64
	score  func(p *placing, node int, m *Pod) float64
	// local: the filters look at their own node alone, and pods' names and labels are
	// nothing to them.
	local   bool
	ranking *ranking // nil: all nodes are of one rank
}

func newPlacing(filters []Filter, view View, g *Gang, score func(*placing, int, *Pod) float64) *placing {
	p := &placing{view: view, filters: filters, gang: g, nodes: view.Nodes(), placed: make([]*Node, len(g.Members)), score: score}
	sorted := sortFilters(filters)
	p.local = sorted.builtin()
	if v, ok := view.(interface{ rankNodes() *ranking }); ok {
		p.ranking = v.rankNodes()
	}
	p.used = make([]Resources, len(p.nodes))
	for i, n := range p.nodes {
		p.used[i] = Resources{}
		for _, x := range view.PodsOn(n) {
			p.count(i, x)
		}
	}
	return p
}

func (p *placing) count(node int, x *Pod) {
	p.used[node][CPU] += x.Requests[CPU]
	p.used[node][Memory] += x.Requests[Memory]
}

// place finds a node for member i, if there is one.
func (p *placing) place(i int) error {
	if i > 0 && p.local && alike(p.gang.Members[i-1], p.gang.Members[i]) {
		if err := p.follow(i); err != nil {
			return err
		}
	} else if err := p.begin(i); err != nil {
		return err
	}

	m := p.gang.Members[i]
	at, nominated := -1, p.nominationOf(m)
	for j, n := range p.nodes {
		switch {
		case p.scores[j] < 0:
			continue
		case n.Name == nominated:
			at = j
		case at < 0 || p.nodes[at].Name != nominated && p.before(j, at):
			at = j
		}
	}
	if at < 0 {
		return nil
	}
	p.placed[i] = p.nodes[at]
	p.count(at, m)
	if p.ranking != nil {
		p.ranking.condemn(at)
	}
	return nil
}

// before reports whether a node is better than one before it in order.
func (p *placing) before(j, at int) bool {
	if p.ranking != nil && p.ranking.ranks[j] != p.ranking.ranks[at] {
		return p.ranking.ranks[j] < p.ranking.ranks[at]
	}
	return p.scores[j] > p.scores[at]
}

// nominationOf returns the name of the member's nominated node: what the cluster
// knows of it, or else what the pod says.
func (p *placing) nominationOf(m *Pod) string {
	if c, ok := p.view.(interface{ nominationOf(*Pod) string }); ok {
		return c.nominationOf(m)
	}
	return m.NominatedNode
}

// begin starts dry runs of all nodes for a member, with those before it in place.
func (p *placing) begin(i int) error {
	m := p.gang.Members[i]
	prepared, err := prepare(p.filters, m, p.view)
	if err != nil {
		return err
	}
	p.runs, p.scores = make([]DryRun, len(p.nodes)), make([]float64, len(p.nodes))
	for j, n := range p.nodes {
		if p.runs[j], err = prepared.Begin(n); err != nil {
			return err
		}
		for k, on := range p.placed[:i] {
			if on != nil && (!p.local || on == n) {
				if err := p.runs[j].Add(p.gang.Members[k], on); err != nil {
					return err
				}
			}
		}
		if err := p.test(j, m); err != nil {
			return err
		}
	}
	return nil
}

// follow accounts for the placement of the member before one that is like it.
func (p *placing) follow(i int) error {
	last := p.placed[i-1]
	j := slices.Index(p.nodes, last)
	if j < 0 {
		return nil
	}
	if err := p.runs[j].Add(p.gang.Members[i-1], last); err != nil {
		return err
	}
	return p.test(j, p.gang.Members[i])
}

// test finds out whether a node takes a member, and scores it.
func (p *placing) test(j int, m *Pod) error {
	test := fitTest{node: p.nodes[j], run: p.runs[j], nominated: p.holding(m, p.nodes[j])}
	status, err := test.fits()
	if err != nil {
		return err
	}
	p.scores[j] = -1
	if status.Fits() {
		p.scores[j] = p.score(p, j, m)
	}
	return nil
}

// holding returns the pods nominated to the node that hold their place against
// the member, if the view knows of nominations.
func (p *placing) holding(m *Pod, n *Node) []*Pod {
	if v, ok := p.view.(interface{ NominatedTo(string) []*Pod }); ok {
		return slices.DeleteFunc(holding(v.NominatedTo(n.Name), m), p.gang.member)
	}
	return nil
}

// shareLeft is the mean of the shares of cpu and memory left with one more pod.
func (p *placing) shareLeft(node int, m *Pod) float64 {
	share := func(name string) float64 {
		all := p.nodes[node].Allocatable[name]
		if all == 0 {
			return 0
		}
		return float64(all-p.used[node][name]-m.Requests[name]) / float64(all)
	}
	return max((share(CPU)+share(Memory))/2, 0)
}
