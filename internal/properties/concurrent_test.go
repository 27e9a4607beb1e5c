package properties

import (
	"sync"
	"testing"

	"example.com/preemption"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Queries of one cluster, by one evaluator, do not disturb each other.
func TestConcurrentQueriesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, _ := drawEvaluator(t, s)
		c := newCluster(t, s.state)
		preemptors := []*preemption.Pod{s.preemptor, drawPreemptor(t), drawPreemptor(t)}
		query := func(i int) verdict {
			p := preemptors[i%len(preemptors)]
			if i%2 == 0 {
				r, err := e.Preempt(t.Context(), c, p)
				if err != nil {
					return verdict{Reason: err.Error()}
				}
				return verdictOfResult(r)
			}
			x, err := e.Examine(t.Context(), c, p)
			if err != nil {
				return verdict{Reason: err.Error()}
			}
			return verdictOf(x)
		}
		alone, together := make([]verdict, 6), make([]verdict, 6)
		for i := range alone {
			alone[i] = query(i)
		}
		var wg sync.WaitGroup
		for i := range together {
			wg.Add(1)
			go func() {
				defer wg.Done()
				together[i] = query(i)
			}()
		}
		wg.Wait()
		if diff := cmp.Diff(alone, together); diff != "" {
			t.Fatalf("queries at the same time (-alone +together):\n%s", diff)
		}
	})
}
