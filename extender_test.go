package preemption_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/preemption"
)

type process = func(context.Context, *preemption.Pod, []*preemption.Candidate) ([]*preemption.Candidate, error)

// answer makes an extender that returns what f makes of the candidates.
func answer(f func([]*preemption.Candidate) []*preemption.Candidate) process {
	return func(_ context.Context, _ *preemption.Pod, candidates []*preemption.Candidate) ([]*preemption.Candidate, error) {
		return f(candidates), nil
	}
}

func fails(context.Context, *preemption.Pod, []*preemption.Candidate) ([]*preemption.Candidate, error) {
	return nil, errHook
}

// only keeps the candidates on these nodes, in this order.
func only(names ...string) process {
	return answer(func(candidates []*preemption.Candidate) []*preemption.Candidate {
		var kept []*preemption.Candidate
		for _, name := range names {
			for _, c := range candidates {
				if c.Node.Name == name {
					kept = append(kept, c)
				}
			}
		}
		return kept
	})
}

// with changes the candidate on a node.
func with(node string, change func(*preemption.Candidate)) process {
	return answer(func(candidates []*preemption.Candidate) []*preemption.Candidate {
		out := slices.Clone(candidates)
		for i, c := range out {
			if c.Node.Name == node {
				changed := *c
				change(&changed)
				out[i] = &changed
			}
		}
		return out
	})
}

func noVictims(c *preemption.Candidate) { c.Victims = nil }

// The nodes of twoEach are n0, n1 and n2, equally good, two victims each.
func TestExtenders(t *testing.T) {
	foreign := &preemption.Node{Name: "n1"} // not the cluster's, whatever its name
	tests := []struct {
		name      string
		extenders []preemption.Extender
		want      string // outcome and node, or error
	}{
		{"none", nil, "preempt n0"},
		{"rejects a node", []preemption.Extender{{Process: only("n1", "n2")}}, "preempt n1"},
		{"reorders", []preemption.Extender{{Process: only("n2", "n1", "n0")}}, "preempt n2"},
		{"one after another", []preemption.Extender{{Process: only("n0", "n2")}, {Process: only("n1", "n2")}}, "preempt n2"},
		{"rejects all", []preemption.Extender{{Process: only()}, {Process: fails}}, "unhelpful no candidate node for preemption"},
		{"not interested", []preemption.Extender{{Interested: func(*preemption.Pod) bool { return false }, Process: fails}}, "preempt n0"},
		{"interested", []preemption.Extender{{Interested: func(p *preemption.Pod) bool { return p.Name == "preemptor" }, Process: only("n1")}}, "preempt n1"},
		{"fails", []preemption.Extender{{Name: "gpu", Process: fails}}, "error preemption: extender gpu: hook failed"},
		{"ignorable failure", []preemption.Extender{{Ignorable: true, Process: fails}, {Process: only("n1")}}, "preempt n1"},
		{"counts violations", []preemption.Extender{{Process: with("n0", func(c *preemption.Candidate) { c.Violations = 1 })}}, "preempt n1"},
		{"drops a victim", []preemption.Extender{{Process: with("n2", func(c *preemption.Candidate) { c.Victims = c.Victims[:1] })}}, "preempt n2"},
		{"no victims", []preemption.Extender{{Name: "gpu", Process: with("n1", noVictims)}}, "error preemption: extender gpu: preemption: node n1: ask extender: expected at least one victim pod"},
		{"ignorable, no victims", []preemption.Extender{{Ignorable: true, Process: with("n0", noVictims)}}, "preempt n1"},
		{"nil candidate", []preemption.Extender{{Name: "x", Process: answer(func([]*preemption.Candidate) []*preemption.Candidate { return []*preemption.Candidate{nil} })}}, "error preemption: extender x: it returned a candidate without a node"},
		{"no node", []preemption.Extender{{Name: "x", Process: with("n0", func(c *preemption.Candidate) { c.Node = nil })}}, "error preemption: extender x: it returned a candidate without a node"},
		{"foreign node", []preemption.Extender{{Name: "x", Process: with("n0", func(c *preemption.Candidate) { c.Node = foreign })}}, "error preemption: extender x: it returned node n1, which is not the cluster's"},
		{"node twice", []preemption.Extender{{Name: "x", Process: only("n1", "n1")}}, "error preemption: extender x: it returned node n1 twice"},
		{"nil victim", []preemption.Extender{{Name: "x", Process: with("n0", func(c *preemption.Candidate) { c.Victims = []*preemption.Victim{nil} })}}, "error preemption: extender x: it returned a victim without pods on node n0"},
		{"victim without pods", []preemption.Extender{{Name: "x", Process: with("n0", func(c *preemption.Candidate) { c.Victims = []*preemption.Victim{{}} })}}, "error preemption: extender x: it returned a victim without pods on node n0"},
		{"victim with a nil pod", []preemption.Extender{{Name: "x", Process: with("n0", func(c *preemption.Candidate) { c.Victims = []*preemption.Victim{{Pods: []*preemption.Pod{nil}}} })}}, "error preemption: extender x: it returned a victim without pods on node n0"},
		{"negative violations", []preemption.Extender{{Name: "x", Process: with("n1", func(c *preemption.Candidate) { c.Violations = -1 })}}, "error preemption: extender x: it returned a negative number of violations on node n1: -1"},
		{"scribbles over its argument", []preemption.Extender{{Ignorable: true, Process: func(_ context.Context, _ *preemption.Pod, c []*preemption.Candidate) ([]*preemption.Candidate, error) {
			clear(c)
			return nil, errHook
		}}}, "preempt n0"},
	}
	for _, test := range tests {
		cluster, preemptor := twoEach(t)
		e := preemption.Evaluator{Filters: []preemption.Filter{onePod{}}, Extenders: test.extenders}
		for name, ask := range bothWays(&e) {
			r, err := ask(t.Context(), cluster, preemptor)
			if got := inWords(r, err); got != test.want {
				t.Errorf("%s: %s: %s, want %s", test.name, name, got, test.want)
			}
		}
	}
}

func inWords(r *preemption.Result, err error) string {
	if err != nil {
		return "error " + err.Error()
	}
	if r.Node != nil {
		return r.Outcome.String() + " " + r.Node.Name
	}
	return r.Outcome.String() + " " + r.Reason
}

// The extender is given the candidates in node order, and the context.
func TestExtenderIsShownTheCandidates(t *testing.T) {
	type key struct{}
	cluster, preemptor := twoEach(t)
	var seen []string
	e := preemption.Evaluator{Filters: []preemption.Filter{onePod{}}, Extenders: []preemption.Extender{{
		Process: func(ctx context.Context, p *preemption.Pod, candidates []*preemption.Candidate) ([]*preemption.Candidate, error) {
			seen = append(seen, fmt.Sprint(ctx.Value(key{}), " ", p))
			for _, c := range candidates {
				seen = append(seen, c.Node.Name+strings.Join(podNames(c.Pods()), "+"))
			}
			return candidates, nil
		},
	}}}
	if _, err := e.Preempt(context.WithValue(t.Context(), key{}, "here"), cluster, preemptor); err != nil {
		t.Fatal(err)
	}
	want := []string{"here ns/preemptor", "n0ns/n0a+ns/n0b", "n1ns/n1a+ns/n1b", "n2ns/n2a+ns/n2b"}
	if !slices.Equal(seen, want) {
		t.Errorf("seen %v, want %v", seen, want)
	}
}

// Before 1.38 a node that fits with nothing evicted is an error; since then it is
// no candidate, unless an interested extender may add victims.
func TestNothingToEvict(t *testing.T) {
	statuses := func(*preemption.Node) (preemption.Status, bool) {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"gpus are taken"}}, true
	}
	addVictims := answer(func(candidates []*preemption.Candidate) []*preemption.Candidate {
		out := make([]*preemption.Candidate, len(candidates))
		for i, c := range candidates {
			p := &preemption.Pod{Namespace: "ns", Name: "gpu-user"}
			out[i] = &preemption.Candidate{Node: c.Node, Victims: []*preemption.Victim{preemption.NewPodVictim(p, c.Node)}}
		}
		return out
	})
	handOn := answer(func(candidates []*preemption.Candidate) []*preemption.Candidate { return candidates })
	tests := []struct {
		name      string
		release   preemption.Release
		extenders []preemption.Extender
		want      string
	}{
		{"1.36", preemption.Release136, nil, "error preemption: node n0: select victims: expected at least one victim pod"},
		{"1.37", preemption.Release137, []preemption.Extender{{Process: addVictims}}, "error preemption: node n0: select victims: expected at least one victim pod"},
		{"1.38", preemption.Release138, nil, "unhelpful "},
		{"1.38, extender", preemption.Release138, []preemption.Extender{{Process: addVictims}}, "preempt n0"},
		{"1.38, second extender", preemption.Release138, []preemption.Extender{{Process: handOn}, {Process: addVictims}}, "preempt n0"},
		{"1.38, handed on", preemption.Release138, []preemption.Extender{{Process: handOn}}, "unhelpful no candidate node for preemption"},
		{"1.38, not interested", preemption.Release138, []preemption.Extender{{Interested: func(*preemption.Pod) bool { return false }, Process: addVictims}}, "unhelpful "},
	}
	for _, test := range tests {
		cluster := newCluster(t, preemption.ClusterState{
			Release: test.release,
			Nodes:   []*preemption.Node{{Name: "n0"}},
			Pods:    []*preemption.Pod{{Namespace: "ns", Name: "a", NodeName: "n0"}},
		})
		e := preemption.Evaluator{Filters: []preemption.Filter{}, Statuses: statuses, Extenders: test.extenders}
		for name, ask := range bothWays(&e) {
			r, err := ask(t.Context(), cluster, &preemption.Pod{Name: "preemptor", Priority: 10})
			if got := inWords(r, err); got != test.want {
				t.Errorf("%s: %s: %q, want %q", test.name, name, got, test.want)
			}
			if strings.HasPrefix(test.want, "error") && !errors.Is(err, preemption.ErrNoVictim) {
				t.Errorf("%s: error %v is not ErrNoVictim", test.name, err)
			}
		}
	}
}

// An extender may hand on a candidate that was shown to it without victims, but
// not take all victims from another.
func TestPlaceholderOfAnotherNode(t *testing.T) {
	cluster := newCluster(t, preemption.ClusterState{
		Nodes: []*preemption.Node{{Name: "n0"}, {Name: "n1"}},
		Pods:  []*preemption.Pod{{Namespace: "ns", Name: "a", NodeName: "n0"}, {Namespace: "ns", Name: "b", NodeName: "n1"}},
	})
	e := preemption.Evaluator{
		Filters: []preemption.Filter{preemption.FilterFunc(func(_ *preemption.Pod, n *preemption.Node, pods []*preemption.Pod) preemption.Status {
			if n.Name == "n0" || len(pods) == 0 {
				return preemption.Status{}
			}
			return preemption.Status{Code: preemption.Unschedulable}
		})},
		Statuses: func(n *preemption.Node) (preemption.Status, bool) {
			return preemption.Status{Code: preemption.Unschedulable}, n.Name == "n0"
		},
		Extenders: []preemption.Extender{{Name: "x", Process: with("n1", noVictims)}},
	}
	for name, ask := range bothWays(&e) {
		r, err := ask(t.Context(), cluster, &preemption.Pod{Name: "preemptor", Priority: 10})
		if want := "error preemption: extender x: preemption: node n1: ask extender: expected at least one victim pod"; inWords(r, err) != want {
			t.Errorf("%s: %s, want %s", name, inWords(r, err), want)
		}
	}
}
