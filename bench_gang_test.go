package preemption

import (
	"context"
	"fmt"
	"testing"
)

// benchGang is a gang of so many members of 8 cores each.
func benchGang(members int) *Gang {
	g := &Gang{Namespace: "ns-0", Name: "training", Priority: 1_000_000}
	for i := range members {
		m := asking(8, 16)
		m.Name, m.UID = fmt.Sprint("worker-", i), fmt.Sprint("worker-", i)
		g.Members = append(g.Members, m)
	}
	return g
}

// BenchmarkPreemptGroup times the best placement of a gang and reports how many
// pods it evicts, beside what kube-scheduler's way of placing it would.
func BenchmarkPreemptGroup(b *testing.B) {
	for _, x := range []struct{ nodes, pods, members int }{{1000, 30, 100}, {10_000, 50, 1000}} {
		b.Run(fmt.Sprintf("nodes=%d/pods=%d/gang=%d", x.nodes, x.pods, x.members), func(b *testing.B) {
			c := workload{nodes: x.nodes, pods: x.pods}.cluster(benchSeed)
			g := benchGang(x.members)
			var e Evaluator
			kube, err := e.PreemptGroup(context.Background(), c, g, GivenPlacement{})
			if err != nil {
				b.Fatal(err)
			}
			var best *GangResult
			for b.Loop() {
				if best, err = e.PreemptGroup(context.Background(), c, g, BestPlacement{}); err != nil {
					b.Fatal(err)
				}
			}
			if !best.Exact {
				b.Error("the plan is not exact")
			}
			b.ReportMetric(float64(len(best.Delete)), "victims")
			b.ReportMetric(float64(len(kube.Delete)), "kube-victims")
		})
	}
}

// BenchmarkPreemptGroupGiven times the given placement, placer included.
func BenchmarkPreemptGroupGiven(b *testing.B) {
	c := workload{nodes: 1000, pods: 30}.cluster(benchSeed)
	g := benchGang(100)
	var e Evaluator
	emptied := &reducedView{c, &gangQuery{Evaluator: &e, cluster: c, gang: g}}
	nodes, err := LeastAllocated(DefaultFilters()...)(context.Background(), emptied, g)
	if err != nil {
		b.Fatal(err)
	}
	for _, x := range []struct {
		name   string
		placer Placer
	}{
		{"placing", nil},
		{"placed", func(context.Context, View, *Gang) ([]*Node, error) { return nodes, nil }},
	} {
		b.Run("nodes=1000/pods=30/gang=100/"+x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.PreemptGroup(context.Background(), c, g, GivenPlacement{x.placer}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
