//go:build !race

// The race detector allocates on its own.

package preemption

import (
	"context"
	"testing"
)

// A decision of the engine allocates its result, and nothing that grows with the
// cluster. The room left is for lists of victims that have to grow.
func TestEngineAllocatesTheResultAlone(t *testing.T) {
	limits := map[string]float64{"impossible": 1, "48cores": 20}
	for _, x := range benchCases {
		limit, ok := limits[x.name]
		if !ok {
			limit = 12
		}
		for _, nodes := range []int{100, 1500} {
			x.workload.nodes, x.workload.pods = nodes, 20
			c := x.workload.cluster(benchSeed)
			e := &Evaluator{}
			got := testing.AllocsPerRun(50, func() {
				if _, err := e.Preempt(context.Background(), c, x.preemptor); err != nil {
					t.Fatal(err)
				}
			})
			t.Logf("%s, %d nodes: %v allocations", x.name, nodes, got)
			if got > limit {
				t.Errorf("%s, %d nodes: %v allocations, want at most %v", x.name, nodes, got, limit)
			}
		}
	}
}
