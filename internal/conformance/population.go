package conformance

import (
	"context"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/population"
	"example.com/preemption/internal/replay"
)

// Population lets a cluster that is like a published trace live for a number of
// decisions. The library follows it in one Cluster: pods come and go, preemptors
// take the place of their victims. Each decision is compared with that of the
// slow path, and every hundredth, by all paths, with the judge, if there is one.
func Population(t *testing.T, release string, judge Judge, c *population.Cluster, decisions int) {
	t.Helper()
	const turnover = 10 // pods between two decisions
	l := newLife(t, release, c)
	for i := range decisions {
		gone, come := c.Turnover(turnover)
		l.follow(t, gone, come)
		preemptor := c.Preemptor()
		if judge != nil && i%100 == 0 {
			k := c.Case(preemptor)
			d := differential{release: release, judge: judge}
			if v, _, diff := d.compare(&k); v != agrees {
				t.Fatalf("%s: decision %d: %s: %s", c, i, v, diff)
			}
			l.judged++
		}
		l.decide(t, i, preemptor)
	}
	t.Logf("%s: %d pods of %d priorities, %d decisions, %d of them judged: %d fit, %d preempt %d pods with %d violations, %d unhelpful",
		c, l.pods, len(c.Priorities()), decisions, l.judged, l.outcomes[preemption.OutcomeFits],
		l.outcomes[preemption.OutcomePreempt], l.victims, l.violations, l.outcomes[preemption.OutcomeUnhelpful])
	if l.outcomes[preemption.OutcomePreempt] == 0 {
		t.Errorf("%s: nobody preempts", c)
	}
}

// life is a cluster with the library's own view of it.
type life struct {
	population *population.Cluster
	cluster    *preemption.Cluster
	pods       int // at the beginning

	judged              int
	outcomes            map[preemption.Outcome]int
	victims, violations int
}

func newLife(t *testing.T, release string, c *population.Cluster) *life {
	t.Helper()
	k := c.Case(golden.Pod{})
	state, err := replay.State(&k, replay.Releases[release])
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	return &life{population: c, cluster: cluster, pods: len(k.Pods), outcomes: map[preemption.Outcome]int{}}
}

// follow brings the library's view up to date.
func (l *life) follow(t *testing.T, gone []string, come []golden.Pod) {
	t.Helper()
	for _, key := range gone {
		if err := l.cluster.RemovePod(golden.SplitKey(key)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range come {
		p, err := replay.Pod(&come[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := l.cluster.AddPod(p); err != nil {
			t.Fatal(err)
		}
	}
}

// decide decides on a preemptor by both paths and carries the decision out.
func (l *life) decide(t *testing.T, i int, preemptor golden.Pod) {
	t.Helper()
	p, err := replay.Pod(&preemptor)
	if err != nil {
		t.Fatal(err)
	}
	fast := preemption.Evaluator{}
	got, err := fast.Preempt(context.Background(), l.cluster, p)
	if err != nil {
		t.Fatal(err)
	}
	slow := preemption.Evaluator{Compare: preemption.CompareImportance} // which the engine does not take
	want, err := slow.Preempt(context.Background(), l.cluster, p)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := replay.Summary(got), replay.Summary(want); a != b {
		t.Fatalf("%s: decision %d: the engine says %s, the slow path %s", l.population, i, a, b)
	}
	l.outcomes[got.Outcome]++
	l.violations += int(got.Violations)
	if got.Node == nil {
		return
	}
	var gone []string
	for _, v := range got.Victims {
		for _, x := range v.Pods {
			gone = append(gone, x.String())
			l.population.Remove(x.String())
		}
	}
	l.victims += len(gone)
	l.follow(t, gone, []golden.Pod{l.population.Bind(preemptor, got.Node.Name)})
}
