package scheduler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler"
)

// One Scheduler serves evaluators with workers of their own and several
// preemptors at a time, and decides as it does for one after another.
func TestConcurrentDecisions(t *testing.T) {
	for seed := range 10 {
		w := &world{Rand: rand.New(rand.NewPCG(uint64(seed), 3)), flavour: flavour{affinity: true, antiAffinity: true, spread: true}}
		objects, first := w.cluster()
		state, err := objects.State(preemption.Release137)
		if err != nil {
			t.Fatal(err)
		}
		cluster, err := preemption.NewCluster(state)
		if err != nil {
			t.Fatal(err)
		}
		pods := []*v1.Pod{first}
		for range 3 {
			_, pod := w.cluster()
			pods = append(pods, pod)
		}
		var preemptors []*preemption.Pod
		for _, pod := range pods {
			p, err := kube.Pod(pod, nil)
			if err != nil {
				t.Fatal(err)
			}
			preemptors = append(preemptors, p)
		}
		decide := func(e *preemption.Evaluator, p *preemption.Pod) string {
			x, err := e.Examine(context.Background(), cluster, p)
			if err != nil {
				return err.Error()
			}
			return fmt.Sprintf("%s %v\n%s", x.Outcome, podNames(kubePods(x.Delete)), x.Explain())
		}
		var want []string
		for _, p := range preemptors {
			want = append(want, decide(&preemption.Evaluator{Filters: defaults(t).Filters()}, p))
		}
		shared := defaults(t)
		var group sync.WaitGroup
		for range 5 {
			for i, p := range preemptors {
				group.Go(func() {
					if got := decide(&preemption.Evaluator{Filters: shared.Filters(), Parallelism: 4}, p); got != want[i] {
						t.Errorf("seed %d, preemptor %d: got %s\nwant %s", seed, i, got, want[i])
					}
				})
			}
		}
		group.Wait()
	}
}

func defaults(t *testing.T) *scheduler.Scheduler {
	t.Helper()
	s, err := scheduler.New(scheduler.Objects{Namespaces: namespaces})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
