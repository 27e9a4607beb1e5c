package preemption

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// worstCases are clusters in which bounds tell nodes apart badly, of so many
// nodes with so many pods. No preemptor fits as it is.
var worstCases = []struct {
	name  string
	state func(nodes, pods int) ClusterState
}{
	{"identical-nodes", identicalNodes},
	{"spent-budgets", func(nodes, pods int) ClusterState { return spentBudgets(nodes, pods, 1) }},
	{"spent-budget-of-all", func(nodes, pods int) ClusterState { return spentBudgets(nodes, pods, 0) }},
	{"same-priority-and-start", func(nodes, pods int) ClusterState {
		return adapted(nodes, pods, func(_ *rand.Rand, p *Pod) { p.Priority, p.Start = 0, time.Unix(1_700_000_000, 0) })
	}},
	{"one-level", func(nodes, pods int) ClusterState {
		return adapted(nodes, pods, func(_ *rand.Rand, p *Pod) { p.Priority = 0 })
	}},
	{"thousands-of-levels", func(nodes, pods int) ClusterState {
		return adapted(nodes, pods, func(r *rand.Rand, p *Pod) { p.Priority = int32(r.IntN(5000)) })
	}},
	{"overcommitted", overcommitted},
}

// worstSizes are the preemptors of BenchmarkWorst.
var worstSizes = []struct {
	name      string
	preemptor *Pod
}{{"4cores", asking(4, 8)}, {"16cores", asking(16, 32)}, {"48cores", asking(48, 96)}}

// identicalNodes are all like the first one, but for names: every bound is the
// same everywhere.
func identicalNodes(nodes, pods int) ClusterState {
	s := workload{nodes: 1, pods: pods}.state(benchSeed)
	first, of := s.Nodes[0], s.Pods
	for i := 1; i < nodes; i++ {
		n := *first
		n.Name = fmt.Sprint("node-", i)
		s.Nodes = append(s.Nodes, &n)
		for j, p := range of {
			q := *p
			q.Name = fmt.Sprintf("pod-%d-%d", i, j)
			q.UID, q.NodeName = q.Name, n.Name
			s.Pods = append(s.Pods, &q)
		}
	}
	return s
}

// spentBudgets puts every pod under a budget that allows nothing any more; every
// so many pods of a node, none if zero, is under none.
func spentBudgets(nodes, pods, free int) ClusterState {
	serial := 0
	s := adapted(nodes, pods, func(_ *rand.Rand, p *Pod) {
		if serial++; free == 0 || serial%(pods/free) != 0 {
			p.Labels = map[string]string{"budgeted": "yes"}
		}
	})
	for i := range 50 {
		s.DisruptionBudgets = append(s.DisruptionBudgets, &PodDisruptionBudget{Namespace: fmt.Sprint("ns-", i), Name: "none",
			Selector: &Selector{MatchLabels: map[string]string{"budgeted": "yes"}}})
	}
	return s
}

// overcommitted nodes have less memory than their pods request, so that the
// preemptor needs many of them gone.
func overcommitted(nodes, pods int) ClusterState {
	s := workload{nodes: nodes, pods: pods}.state(benchSeed)
	for _, n := range s.Nodes {
		n.Allocatable[Memory] = n.Allocatable[Memory] / 2
	}
	return s
}

// adapted is the workload with its pods changed.
func adapted(nodes, pods int, change func(*rand.Rand, *Pod)) ClusterState {
	s := workload{nodes: nodes, pods: pods}.state(benchSeed)
	r := rand.New(rand.NewPCG(benchSeed, 3))
	for _, p := range s.Pods {
		change(r, p)
	}
	return s
}

// BenchmarkWorst decides on clusters that are hard for the engine. The goal is
// five milliseconds each.
func BenchmarkWorst(b *testing.B) {
	for _, x := range worstCases {
		var c *Cluster // shared by the sizes, built once one of them is asked for
		for _, size := range worstSizes {
			b.Run(fmt.Sprintf("%s/%s", x.name, size.name), func(b *testing.B) {
				if c == nil {
					var err error
					if c, err = NewCluster(x.state(10_000, 50)); err != nil {
						b.Fatal(err)
					}
				}
				var e Evaluator
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Preempt(context.Background(), c, size.preemptor); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
