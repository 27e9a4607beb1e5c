package main

import (
	"context"
	"fmt"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/exampletest"
	"example.com/preemption/preemptiontest"
)

func TestOutput(t *testing.T) {
	exampletest.Golden(t, "output.txt", exampletest.Output(t, run))
}

func TestUsageError(t *testing.T) {
	exampletest.UsageError(t, run, "-zone")
}

// A filter of one's own deserves this test.
func TestOnePerZoneKeepsTheLaws(t *testing.T) {
	for _, atomic := range []bool{false, true} {
		cluster, err := newCluster(atomic)
		if err != nil {
			t.Fatal(err)
		}
		// A node that is in no zone, and a second app that is in nobody's way.
		if err := cluster.AddNode(&preemption.Node{Name: "c1"}); err != nil {
			t.Fatal(err)
		}
		web := database("web-0", 1000)
		web.Labels = map[string]string{appLabel: "web"}
		web.NodeName = "a2"
		if err := cluster.AddPod(web); err != nil {
			t.Fatal(err)
		}
		preemptors := []*preemption.Pod{database("db-1", 1000), database("db-2", 1), {Name: "no-app"}}
		for _, filter := range []preemption.Filter{onePerZone{}, preemption.All(filters()...)} {
			if err := preemptiontest.TestFilter(filter, cluster, preemptors...); err != nil {
				t.Errorf("%s, atomic %v: %v", filter.Name(), atomic, err)
			}
		}
	}
}

func TestDecisions(t *testing.T) {
	tests := []struct {
		name      string
		atomic    bool
		evaluator preemption.Evaluator
		want      string
	}{
		{"built-in", false, preemption.Evaluator{}, "fits []"},
		{"one by one", false, preemption.Evaluator{Filters: filters()}, "unhelpful []"},
		{"atomic", true, preemption.Evaluator{Filters: filters()}, "preempt [shop/db-test-0 shop/db-test-1]"},
		{"as one filter", true, preemption.Evaluator{Filters: []preemption.Filter{preemption.All(filters()...)}, Parallelism: 3}, "preempt [shop/db-test-0 shop/db-test-1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cluster, err := newCluster(tt.atomic)
			if err != nil {
				t.Fatal(err)
			}
			decision, err := tt.evaluator.Preempt(context.Background(), cluster, database("db-1", 1000))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(decision.Outcome, " ", decision.Delete); got != tt.want {
				t.Errorf("decision %s, want %s", got, tt.want)
			}
		})
	}
}
