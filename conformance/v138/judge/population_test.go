package judge

import (
	"flag"
	"testing"

	"example.com/preemption/internal/conformance"
	"example.com/preemption/internal/population"
)

var (
	nodes     = flag.Int("nodes", 1000, "how many `nodes` the clusters like published traces have")
	decisions = flag.Int("decisions", 101, "how many `decisions` are made in each, every hundredth held against the scheduler")
)

// TestPopulation holds the library against the scheduler in clusters that are
// like published traces, while pods come and go.
func TestPopulation(t *testing.T) {
	for _, kind := range population.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			conformance.Population(t, Release, Judge, population.New(kind, *nodes, 1), *decisions)
		})
	}
}
