package workload_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"example.com/preemption/internal/workload"
)

func TestCase(t *testing.T) {
	shape := workload.Shape{Nodes: 20, Pods: 50, Budgets: 750}
	c := shape.Case(1)
	if !reflect.DeepEqual(c, shape.Case(1)) {
		t.Error("the same seed gives two cases")
	}
	if len(c.Nodes) != shape.Nodes || len(c.Pods) != shape.Nodes*shape.Pods || len(c.PDBs) != shape.Budgets {
		t.Errorf("%d nodes, %d pods, %d budgets, want %s", len(c.Nodes), len(c.Pods), len(c.PDBs), shape)
	}

	covered := 0.0
	free := map[string]int64{}
	for _, n := range c.Nodes {
		free[n.Name] = n.Allocatable["cpu"]
	}
	starts := map[time.Time]bool{}
	for _, p := range c.Pods {
		free[p.Node] -= p.Requests["cpu"]
		if starts[p.Start] {
			t.Errorf("%s starts with another pod", p.Key())
		}
		starts[p.Start] = true
		for _, b := range c.PDBs {
			if b.Namespace == p.Namespace && b.Selector.MatchLabels["app"] == p.Labels["app"] {
				covered++
			}
		}
	}
	for node, cpu := range free {
		if cpu < 0 || cpu >= 1000 {
			t.Errorf("%s has %d millicores left", node, cpu)
		}
	}
	if share := covered / float64(len(c.Pods)); math.Abs(share-0.3) > 0.05 {
		t.Errorf("%.2f of the pods are under a budget, want 0.3", share)
	}
	for _, p := range workload.Preemptors() {
		if p.Requests["cpu"] < 1000 {
			t.Errorf("%s fits as it is", p.Key())
		}
	}
}
