package population_test

import (
	"flag"
	"reflect"
	"testing"

	"example.com/preemption/internal/conformance"
	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/population"
)

var (
	nodes     = flag.Int("nodes", 1000, "how many `nodes` the clusters have")
	decisions = flag.Int("decisions", 30, "how many `decisions` are made in each")
)

// TestEngine holds the engine against the slow path in clusters that are like
// published traces, while pods come and go.
func TestEngine(t *testing.T) {
	for _, kind := range population.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			conformance.Population(t, golden.Release138, nil, population.New(kind, *nodes, 1), *decisions)
		})
	}
}

// TestMix holds the clusters against what is known of the traces.
func TestMix(t *testing.T) {
	for _, kind := range population.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			c := population.New(kind, 300, 7)
			k := c.Case(golden.Pod{})
			if again := population.New(kind, 300, 7).Case(golden.Pod{}); !reflect.DeepEqual(k, again) {
				t.Error("the same seed gives two clusters")
			}
			have, asked := int64(0), int64(0)
			for _, n := range k.Nodes {
				have += n.Allocatable["cpu"]
			}
			shares := map[int32]float64{}
			for _, p := range k.Pods {
				asked += p.Requests["cpu"]
				shares[p.Priority] += 1 / float64(len(k.Pods))
			}
			t.Logf("%d nodes, %d pods, %d budgets, %.0f %% of the cpu, priorities %.2v", len(k.Nodes), len(k.Pods), len(k.PDBs), 100*float64(asked)/float64(have), shares)
			if float64(asked) < fullness[kind.Name]*float64(have) {
				t.Errorf("%d of %d cpu are asked for, want %.0f %%", asked, have, 100*fullness[kind.Name])
			}
			for priority, want := range mix[kind.Name] {
				if got := shares[priority]; got < want-0.12 || got > want+0.12 {
					t.Errorf("%.2f of the pods have priority %d, want %.2f", got, priority, want)
				}
			}
		})
	}
}

// fullness is which share of the cpu is asked for, at least. In openb GPUs run
// short before cpu does.
var fullness = map[string]float64{"borg": 0.9, "alibaba": 0.85, "openb": 0.5}

// mix is which share of the pods has a priority, where a trace tells it.
var mix = map[string]map[int32]float64{
	"borg":    {200: 0.66, 103: 0.23, 360: 0.06},
	"alibaba": {1000: 0.8},
}
