//go:build !race

// The race detector allocates on its own.

package preemption

import (
	"context"
	"fmt"
	"slices"
	"strings"
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

// Budgets that are gone leave nothing behind, however many there have been, each in
// a namespace of its own or all in one; those that stay are charged as before.
func TestBudgetsLeaveNothingBehind(t *testing.T) {
	c := workload{nodes: 20, pods: 10, budgets: 100, covered: 0.5}.cluster(benchSeed)
	before, want := len(c.engine.table.Budgets), c.DisruptionBudgets()
	for i := range 5000 {
		b := &PodDisruptionBudget{Namespace: fmt.Sprint("gone-", i%2*i), Name: fmt.Sprint(i), Selector: &Selector{MatchLabels: map[string]string{"app": fmt.Sprint(i)}}}
		if err := c.SetBudget(b); err != nil {
			t.Fatal(err)
		}
		if err := c.RemoveBudget(b.Namespace, b.Name); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.engine.table.Budgets); n > 3*before+32 {
		t.Errorf("the engine keeps %d budgets of %d", n, before)
	}
	for namespace := range c.budgets.byNamespace {
		if strings.HasPrefix(namespace, "gone-") {
			t.Errorf("namespace %s is still there", namespace)
		}
	}
	if got := c.DisruptionBudgets(); !slices.Equal(got, want) {
		t.Errorf("the budgets are %v, want %v", got, want)
	}
	for _, size := range []int64{1, 8, 30} {
		p := asking(size, 2*size)
		fast, errFast := (&Evaluator{}).Preempt(context.Background(), c, p)
		slow, errSlow := (&Evaluator{}).preemptSlow(context.Background(), c, p)
		if errFast != nil || errSlow != nil || fast.Node != slow.Node || fast.Violations != slow.Violations || !slices.Equal(fast.Delete, slow.Delete) {
			t.Errorf("size %d: engine %v, %v; slow path %v, %v", size, fast, errFast, slow, errSlow)
		}
	}
}
