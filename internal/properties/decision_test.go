package properties

import (
	"context"
	"slices"
	"testing"

	"example.com/preemption"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Whole decisions are the twin's, under every release and every setting that
// the twin knows.
func TestDecisionProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, w := drawEvaluator(t, s)
		want := w.decide()
		x, err := e.Examine(context.Background(), newCluster(t, s.state), s.preemptor)
		if want.Outcome == "unhelpful" && len(want.Failed) > 0 {
			if err == nil {
				t.Fatalf("Examine = %v, want the errors of nodes %v", x.Outcome, want.Failed)
			}
			return
		}
		if err != nil {
			t.Fatalf("Examine: %v", err)
		}
		got := verdictOf(x)
		slices.Sort(want.Failed) // sampling may look at nodes out of order
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("Examine differs from the twin (-want +got):\n%s", diff)
		}
	})
}

// drawEvaluator draws settings, for the evaluator and for the twin.
func drawEvaluator(t *rapid.T, s scenario) (*preemption.Evaluator, twin) {
	e := &preemption.Evaluator{Parallelism: pick(t, "parallelism", 0, 1, 3, 8)}
	if oneIn(t, 3, "protected") {
		// Pods of tier y are spared, and so is everything of which a pod is on n1.
		e.Eligible = func(_ *preemption.Pod, v *preemption.Victim, n *preemption.Node) bool {
			return v.Pods[0].Labels["tier"] != "y" && n.Name != "n1"
		}
	}
	if oneIn(t, 3, "sampled") {
		offset := rapid.IntRange(0, 4).Draw(t, "offset")
		e.Sampling = &preemption.Sampling{
			Percent: pick(t, "percent", 0, 30, 60, 100), Min: rapid.IntRange(1, 3).Draw(t, "min"),
			Offset: func(int) int { return offset },
		}
	}
	if oneIn(t, 4, "statuses known") {
		e.Statuses = func(n *preemption.Node) (preemption.Status, bool) {
			return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"known"}}, n.Name != "n1"
		}
	}
	return e, twin{ClusterState: s.state, preemptor: s.preemptor, eligible: e.Eligible, sampling: e.Sampling, statuses: e.Statuses}
}

func newCluster(t rapid.TB, state preemption.ClusterState) *preemption.Cluster {
	t.Helper()
	c, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatalf("NewCluster: %v", err)
	}
	return c
}
