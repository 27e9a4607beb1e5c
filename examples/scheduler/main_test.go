package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/preemption"
	"example.com/preemption/internal/exampletest"
)

func TestOutput(t *testing.T) {
	exampletest.Golden(t, "output.txt", exampletest.Output(t, run))
}

func TestUsageError(t *testing.T) {
	exampletest.UsageError(t, run, "-v")
}

func TestHowTheStoryEnds(t *testing.T) {
	s, err := newScheduler(nodes(), story, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"urgent", "db", "web-1", "web-2", "web-3"} {
		if s.pod(name).NodeName == "" {
			t.Errorf("pod %s is pending", name)
		}
	}
	if len(s.queue) != 5 {
		t.Errorf("pending: %v, want five batch pods", s.queue)
	}
}

// Whatever arrives, the loop comes to rest with all pods accounted for, no node
// overcommitted, and nobody pending for whom preemption would help.
func TestAnyStoryComesToRest(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0))
		var arrivals []arrival
		pods := 0
		for i := range 8 {
			a := arrival{
				at:       time.Duration(random.IntN(4)) * step,
				app:      fmt.Sprintf("app%d", i),
				replicas: 1 + random.IntN(3),
				priority: int32(random.IntN(5)),
				cpu:      500 * int64(1+random.IntN(8)),
				grace:    time.Duration(random.IntN(90)) * time.Second,
			}
			arrivals = append(arrivals, a)
			pods += a.replicas
		}
		slices.SortStableFunc(arrivals, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
		s, err := newScheduler(nodes(), arrivals, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.run(context.Background()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		bound := 0
		for _, node := range s.cluster.Nodes() {
			bound += len(s.cluster.PodsOn(node))
			if free := s.freeCPU(node); free < 0 {
				t.Errorf("seed %d: node %s is overcommitted by %dm", seed, node.Name, -free)
			}
		}
		if bound+len(s.queue) != pods {
			t.Errorf("seed %d: %d bound and %d pending pods, want %d in all", seed, bound, len(s.queue), pods)
		}
		for _, name := range s.queue {
			decision, err := new(preemption.Evaluator).Preempt(context.Background(), s.cluster, s.pod(name))
			if err != nil {
				t.Fatal(err)
			}
			if decision.Outcome != preemption.OutcomeUnhelpful {
				t.Errorf("seed %d: pod %s is pending although the outcome is %v", seed, name, decision.Outcome)
			}
		}
	}
}
