package preemption

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// functionCases are the cases of the benchmarks of single functions.
var functionCases = []struct {
	name     string
	workload workload
}{
	{"plain", workload{}},
	{"pdb30", workload{budgets: 750, covered: 0.3}},
}

// benchmarkFunctions runs a benchmark for each case and size. The cluster is made
// outside the clock.
func benchmarkFunctions(b *testing.B, nodes int, run func(*testing.B, ClusterState, *Cluster)) {
	for _, pods := range []int{30, 50, 110} {
		for _, x := range functionCases {
			w := x.workload
			w.nodes, w.pods = nodes, pods
			b.Run(fmt.Sprintf("nodes=%d/pods=%d/%s", nodes, pods, x.name), func(b *testing.B) {
				s := w.state(benchSeed)
				c, err := NewCluster(s)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				run(b, s, c)
			})
		}
	}
}

// BenchmarkSelectVictimsOnNode clears one node for four cores, with the dry run
// of the built-in filters begun afresh each time.
func BenchmarkSelectVictimsOnNode(b *testing.B) {
	benchmarkFunctions(b, 1, func(b *testing.B, s ClusterState, c *Cluster) {
		p := asking(4, 8)
		prepared, err := All(DefaultFilters()...).Prepare(p, c)
		if err != nil {
			b.Fatal(err)
		}
		node := c.Nodes()[0]
		victims := Victims(node, c, nil)
		for b.Loop() {
			run, err := prepared.Begin(node)
			if err != nil {
				b.Fatal(err)
			}
			selection, err := SelectVictimsOnNode(NodeCase{
				Preemptor: p, Node: node, DryRun: run, Victims: victims, Budgets: s.DisruptionBudgets,
			})
			if err != nil || len(selection.Victims) == 0 {
				b.Fatal(selection, err)
			}
		}
	})
}

// BenchmarkFilterVictimsWithPDBViolation splits the victims of one node by 750
// budgets, or by none.
func BenchmarkFilterVictimsWithPDBViolation(b *testing.B) {
	benchmarkFunctions(b, 1, func(b *testing.B, s ClusterState, c *Cluster) {
		victims := Victims(c.Nodes()[0], c, nil)
		slices.SortStableFunc(victims, func(a, b *Victim) int { return CompareImportance(b, a) })
		for b.Loop() {
			FilterVictimsWithPDBViolation(victims, s.DisruptionBudgets)
		}
	})
}

// BenchmarkPickOneNode chooses between the candidates of 1,000 nodes.
func BenchmarkPickOneNode(b *testing.B) {
	benchmarkFunctions(b, 1000, func(b *testing.B, _ ClusterState, c *Cluster) {
		x, err := (&Evaluator{}).Examine(context.Background(), c, asking(4, 8))
		if err != nil || len(x.Candidates) < 500 {
			b.Fatal(len(x.Candidates), err)
		}
		for b.Loop() {
			PickOneNode(x.Candidates)
		}
	})
}
