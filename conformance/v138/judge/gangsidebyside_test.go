package judge

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"example.com/preemption"
	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/replay"
	"example.com/preemption/internal/workload"
)

// BenchmarkGangSideBySide lets the scheduler and the library preempt for the same
// group at the same placement, each with one worker. Victims and violations are
// compared: victims is how many pods both evict.
//
// Out of the clock are the scheduler's snapshot and the library's cluster, and
// the placement itself: the scheduler's time is that of PodGroupPostFilter less
// that of the placement which it asks for, the library's that of a PreemptGroup
// with a placer that has its answer ready. An iteration asks the scheduler once
// and the library a hundred times in each of ten batches; an op is one decision,
// its time the median of the batches' means.
func BenchmarkGangSideBySide(b *testing.B) {
	for _, x := range []struct{ nodes, pods, budgets, members int }{
		{200, 30, 0, 20}, {1000, 30, 0, 100}, {1000, 30, 100, 100},
	} {
		shape := workload.Shape{Nodes: x.nodes, Pods: x.pods, Budgets: x.budgets}
		b.Run(fmt.Sprintf("%s/gang=%d", shape, x.members), func(b *testing.B) {
			s := newGangSideBySide(b, shape, x.members)
			var times times
			victims := 0
			for b.Loop() {
				want := s.timeUpstream(b, &times)
				got := s.timeOurs(b, &times)
				if diff := s.c.Diff(got, want); diff != "" || want.Outcome != golden.Preempt {
					b.Fatalf("%s\n%s", want.Outcome, diff)
				}
				victims = len(want.Victims)
			}
			times.report(b)
			b.ReportMetric(float64(victims), "victims")
		})
	}
}

const gangQueries = 100 // of the library, in a batch

// gangSideBySide is one cluster and one gang in the forms of the scheduler and of
// the library.
type gangSideBySide struct {
	*scheduler
	ctx context.Context
	c   golden.Case

	theirs  *gang
	cluster *preemption.Cluster
	ours    *preemption.Gang
	placed  []*preemption.Node
}

func newGangSideBySide(tb testing.TB, shape workload.Shape, members int) *gangSideBySide {
	tb.Helper()
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	tb.Cleanup(cancel)
	s := &gangSideBySide{ctx: ctx, c: shape.Case(seed)}
	state, err := replay.State(&s.c, preemption.Release138)
	if err != nil {
		tb.Fatal(err)
	}
	if s.cluster, err = preemption.NewCluster(state); err != nil {
		tb.Fatal(err)
	}
	s.c.Preemptor = golden.Pod{Namespace: "ns-0", Name: "training", UID: "training", Priority: 1_000_000}
	s.ours = &preemption.Gang{Namespace: "ns-0", Name: "training", Priority: 1_000_000}
	for i := range members {
		name := fmt.Sprintf("worker-%d", i)
		m := golden.GangMember{Pod: golden.Pod{
			Namespace: "ns-0", Name: name, UID: name, Priority: 1_000_000, Group: "training",
			Requests: golden.Resources{"cpu": 8000, "memory": 16 << 30},
		}}
		p, err := replay.Pod(&m.Pod)
		if err != nil {
			tb.Fatal(err)
		}
		s.c.Gang, s.ours.Members = append(s.c.Gang, m), append(s.ours.Members, p)
	}
	s.place(tb)
	if s.scheduler, err = newScheduler(ctx, &s.c, false); err != nil {
		tb.Fatal(err)
	}
	if s.theirs, err = newGang(&s.c); err != nil {
		tb.Fatal(err)
	}
	return s
}

// place has the library place the members as the scheduler would, by the share
// of the nodes that is left once all victims are gone.
func (s *gangSideBySide) place(tb testing.TB) {
	tb.Helper()
	r, err := new(preemption.Evaluator).PreemptGroup(s.ctx, s.cluster, s.ours, preemption.GivenPlacement{})
	if err != nil {
		tb.Fatal(err)
	}
	for i, a := range r.Assignments {
		if a.Node == nil {
			tb.Fatalf("%s is not placed: %s", a.Pod, a.Reason)
		}
		s.c.Gang[i].Assigned = a.Node.Name
		s.placed = append(s.placed, a.Node)
	}
}

// timeUpstream has the scheduler decide once.
func (s *gangSideBySide) timeUpstream(tb testing.TB, t *times) golden.Answer {
	tb.Helper()
	var placing time.Duration
	s.preempted = nil
	start := time.Now()
	_, status := s.window.PodGroupPostFilter(s.ctx, framework.NewCycleState(), s.theirs.info, func(ctx context.Context) (*fwk.PodGroupAssignments, *fwk.Status) {
		start := time.Now()
		defer func() { placing += time.Since(start) }()
		return s.scheduler.place(ctx, s.theirs.members)
	})
	t.upstream.add(time.Since(start)-placing, 1)
	if !status.IsSuccess() || s.preempted == nil {
		tb.Fatalf("the scheduler: %v", status)
	}
	cost := s.record(s.preempted)
	slices.Sort(cost.Victims)
	return golden.Answer{Outcome: golden.Preempt, Victims: cost.Victims, PDBViolations: cost.PDBViolations}
}

// timeOurs has the library decide many times.
func (s *gangSideBySide) timeOurs(tb testing.TB, t *times) golden.Answer {
	tb.Helper()
	e := preemption.Evaluator{Parallelism: 1}
	planner := preemption.GivenPlacement{Placer: func(context.Context, preemption.View, *preemption.Gang) ([]*preemption.Node, error) {
		return s.placed, nil
	}}
	runtime.GC() // what the scheduler left is not for the library to clear
	var r *preemption.GangResult
	for range batches {
		start := time.Now()
		for range gangQueries {
			var err error
			if r, err = e.PreemptGroup(s.ctx, s.cluster, s.ours, planner); err != nil {
				tb.Fatal(err)
			}
		}
		t.ours.add(time.Since(start), gangQueries)
	}
	a := golden.Answer{Outcome: r.Outcome.String(), PDBViolations: int64(r.Violations)}
	for _, v := range r.Victims {
		for _, p := range v.Pods {
			a.Victims = append(a.Victims, p.Namespace+"/"+p.Name)
		}
	}
	slices.Sort(a.Victims)
	return a
}
