package preemption

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// LeastAllocated returns a placer that puts member after member on the node that
// has the largest share of cpu and memory left once it is there, among those
// that take it by the filters; of equals the first. That is kube-scheduler's
// default way of scoring, without the other scores and without chance.
//
// It takes O(members × nodes), with dry runs of every node for every member if
// there are filters other than the built-in ones.
func LeastAllocated(filters ...Filter) Placer {
	return func(ctx context.Context, view View, g *Gang) ([]*Node, error) {
		p := placing{view: view, nodes: view.Nodes(), used: make([]Resources, len(view.Nodes()))}
		_, p.plain = builtin(filters)
		for i, n := range p.nodes {
			p.used[i] = Resources{}
			for _, x := range view.PodsOn(n) {
				p.count(i, x)
			}
		}
		placed := make([]*Node, len(g.Members))
		for i, m := range g.Members {
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			at, err := p.best(filters, g, placed, i)
			if err != nil {
				return nil, fmt.Errorf("member %s: %w", m, err)
			}
			if at >= 0 {
				placed[i] = p.nodes[at]
				p.count(at, m)
			}
		}
		return placed, nil
	}
}

// placing is the state of a placement under way.
type placing struct {
	view  View
	nodes []*Node
	used  []Resources
	// runs are the dry runs of the members before, as long as they are all alike, and
	// shares what is left of the nodes that take such a member, -1 of the others.
	runs   []DryRun
	shares []float64
	// plain: only built-in filters, to which the pods' names and labels are nothing.
	plain bool
}

func (p *placing) count(i int, x *Pod) {
	p.used[i][CPU] += x.Requests[CPU]
	p.used[i][Memory] += x.Requests[Memory]
}

// best returns the node for member i, -1 if none takes it.
func (p *placing) best(filters []Filter, g *Gang, placed []*Node, i int) (int, error) {
	m := g.Members[i]
	if i == 0 || !replicas(g.Members[i-1], m, p.plain) {
		if err := p.begin(filters, g, placed, i); err != nil {
			return -1, err
		}
	} else if err := p.follow(g, placed, i); err != nil {
		return -1, err
	}
	at, most := -1, -1.0
	for j, share := range p.shares {
		if share > most {
			at, most = j, share
		}
	}
	return at, nil
}

// follow accounts for the placement of the member before one that is like it.
func (p *placing) follow(g *Gang, placed []*Node, i int) error {
	last := placed[i-1]
	if last == nil {
		return nil
	}
	for j, n := range p.nodes {
		if p.plain && n != last {
			continue // built-in filters look at their own node alone
		}
		if err := p.runs[j].Add(g.Members[i-1], last); err != nil {
			return err
		}
		if err := p.test(g, i, j); err != nil {
			return err
		}
	}
	return nil
}

// test finds out what member i would leave of a node.
func (p *placing) test(g *Gang, i, j int) error {
	m, n := g.Members[i], p.nodes[j]
	status, err := fitTest{node: n, run: p.runs[j], nominated: p.holding(g, m, n)}.fits()
	if err != nil {
		return err
	}
	p.shares[j] = -1
	if status.Fits() {
		p.shares[j] = p.shareLeft(j, m)
	}
	return nil
}

// replicas reports whether two members differ in nothing that a filter would
// look at.
func replicas(a, b *Pod, plain bool) bool {
	return alike(a, b) && (plain || a.Namespace == b.Namespace && a.Group == b.Group && maps.Equal(a.Labels, b.Labels))
}

// holding returns the pods nominated to the node that hold their place against
// the member, if the view knows of nominations.
func (p *placing) holding(g *Gang, m *Pod, n *Node) []*Pod {
	if v, ok := p.view.(interface{ NominatedTo(string) []*Pod }); ok {
		return slices.DeleteFunc(holding(v.NominatedTo(n.Name), m), g.member)
	}
	return nil
}

// begin starts dry runs of all nodes for a member, with those before it in place.
func (p *placing) begin(filters []Filter, g *Gang, placed []*Node, i int) error {
	prepared, err := prepare(filters, g.Members[i], p.view)
	if err != nil {
		return err
	}
	p.runs, p.shares = make([]DryRun, len(p.nodes)), make([]float64, len(p.nodes))
	for j, n := range p.nodes {
		if p.runs[j], err = prepared.Begin(n); err != nil {
			return err
		}
		for k := range i {
			if placed[k] != nil && (!p.plain || placed[k] == n) {
				if err := p.runs[j].Add(g.Members[k], placed[k]); err != nil {
					return err
				}
			}
		}
		if err := p.test(g, i, j); err != nil {
			return err
		}
	}
	return nil
}

// shareLeft is the mean of the shares of cpu and memory left with one more pod.
func (p *placing) shareLeft(i int, m *Pod) float64 {
	share := func(name string) float64 {
		all := p.nodes[i].Allocatable[name]
		if all == 0 {
			return 0
		}
		return float64(all-p.used[i][name]-m.Requests[name]) / float64(all)
	}
	return max((share(CPU)+share(Memory))/2, 0)
}
