package preemption

import (
	"context"
	"testing"
)

// searchStats decides by the engine and returns how much it looked at.
func searchStats(t testing.TB, c *Cluster, p *Pod) (blocks, nodes, evaluated int) {
	f := c.engine.borrow()
	defer c.engine.give(f)
	f.query, f.ctx = query{Evaluator: &Evaluator{}, cluster: c, preemptor: p}, context.Background()
	if !f.aim() {
		t.Fatal("the engine does not apply")
	}
	f.decide()
	return f.scratch.Stats.Blocks, f.scratch.Stats.Nodes, f.scratch.Stats.Evaluated
}

func TestEnginePrunes(t *testing.T) {
	for _, x := range benchCases {
		x.workload.nodes, x.workload.pods = 10_000, 50
		c := x.workload.cluster(benchSeed)
		blocks, nodes, evaluated := searchStats(t, c, x.preemptor)
		t.Logf("%-12s blocks %5d nodes %6d evaluated %5d", x.name, blocks, nodes, evaluated)
	}
}
