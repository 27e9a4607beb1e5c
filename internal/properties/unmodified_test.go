package properties

import (
	"maps"
	"slices"
	"testing"

	"example.com/preemption"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Nothing that callers hand in is modified: not by building a cluster, not by
// decisions, not by updates.
func TestUnmodifiedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, _ := drawEvaluator(t, s)
		before := deepCopy(s)
		check := func(when string) {
			if diff := cmp.Diff(before, s, cmp.AllowUnexported(scenario{})); diff != "" {
				t.Fatalf("%s modifies its input (-before +after):\n%s", when, diff)
			}
		}
		c := newCluster(t, s.state)
		check("NewCluster")
		if _, err := e.Preempt(t.Context(), c, s.preemptor); err == nil {
			check("Preempt")
		}
		if x, err := e.Examine(t.Context(), c, s.preemptor); err == nil {
			x.Explain()
			x.Message()
			check("Examine")
		}
		for _, p := range s.state.Pods {
			if p.NodeName == "" {
				if err := c.Nominate(p, "n0"); err != nil {
					t.Fatal(err)
				}
			}
		}
		check("Nominate")
		for _, p := range s.state.Pods {
			moved := *p
			moved.NodeName = "n0"
			if err := c.UpdatePod(&moved); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range s.state.Nodes[1:] {
			if err := c.RemoveNode(n.Name); err != nil {
				t.Fatal(err)
			}
		}
		for _, b := range s.state.DisruptionBudgets {
			if err := c.RemoveBudget(b.Namespace, b.Name); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range s.state.Pods {
			if err := c.RemovePod(p.Namespace, p.Name); err != nil {
				t.Fatal(err)
			}
		}
		check("an update")
	})
}

// A result is the caller's to keep: later updates of the cluster do not reach
// into it.
func TestResultOutlivesUpdatesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		c := newCluster(t, s.state)
		x, err := (&preemption.Evaluator{}).Examine(t.Context(), c, s.preemptor)
		if err != nil {
			return
		}
		words := func() (lines []string) {
			lines = append(lines, x.Message(), x.Explain())
			for i := range x.Nodes {
				for _, v := range x.Nodes[i].Removed {
					lines = append(lines, podNames(v.Pods)...)
				}
			}
			return append(lines, podNames(slices.Concat(x.Delete, x.Terminating, x.ClearNominations))...)
		}
		before := words()
		for _, p := range x.Delete {
			if err := c.RemovePod(p.Namespace, p.Name); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range x.ClearNominations {
			if err := c.Nominate(p, ""); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range s.state.Nodes {
			other := *n
			other.Labels = map[string]string{"updated": "yes"}
			if err := c.UpdateNode(&other); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(before, words()); diff != "" {
			t.Fatalf("the examination after updates (-before +after):\n%s", diff)
		}
	})
}

// deepCopy copies the scenario and all that it points to.
func deepCopy(s scenario) scenario {
	pods := map[*preemption.Pod]*preemption.Pod{}
	pod := func(p *preemption.Pod) *preemption.Pod {
		if pods[p] == nil {
			c := *p
			c.Labels, c.NodeSelector, c.Requests = maps.Clone(p.Labels), maps.Clone(p.NodeSelector), maps.Clone(p.Requests)
			c.HostPorts, c.Tolerations = slices.Clone(p.HostPorts), slices.Clone(p.Tolerations)
			pods[p] = &c
		}
		return pods[p]
	}
	out := scenario{state: preemption.ClusterState{Release: s.state.Release}, preemptor: pod(s.preemptor)}
	out.state.Pods = mapped(s.state.Pods, pod)
	out.state.Nodes = mapped(s.state.Nodes, func(n *preemption.Node) *preemption.Node {
		c := *n
		c.Labels, c.Allocatable, c.Taints = maps.Clone(n.Labels), maps.Clone(n.Allocatable), slices.Clone(n.Taints)
		return &c
	})
	out.state.PodGroups = mapped(s.state.PodGroups, func(g *preemption.PodGroup) *preemption.PodGroup { c := *g; return &c })
	out.state.CompositePodGroups = mapped(s.state.CompositePodGroups, func(g *preemption.CompositePodGroup) *preemption.CompositePodGroup { c := *g; return &c })
	out.state.DisruptionBudgets = mapped(s.state.DisruptionBudgets, func(b *preemption.PodDisruptionBudget) *preemption.PodDisruptionBudget {
		c := *b
		c.Disrupted = slices.Clone(b.Disrupted)
		if b.Selector != nil {
			sel := *b.Selector
			sel.MatchLabels = maps.Clone(sel.MatchLabels)
			sel.MatchExpressions = slices.Clone(sel.MatchExpressions)
			for i := range sel.MatchExpressions {
				sel.MatchExpressions[i].Values = slices.Clone(sel.MatchExpressions[i].Values)
			}
			c.Selector = &sel
		}
		return &c
	})
	return out
}

func mapped[T any](list []T, f func(T) T) []T {
	var out []T
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}
