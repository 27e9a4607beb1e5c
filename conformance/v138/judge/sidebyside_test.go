package judge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"example.com/preemption"
	"example.com/preemption/conformance/objects"
	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/replay"
	"example.com/preemption/internal/workload"
)

// BenchmarkSideBySide lets the scheduler and the library decide on the same
// preemptors in the same cluster, each with one worker, over every node that
// evictions might help. Their answers are compared first.
//
// Out of the clock are the scheduler's snapshot and the library's cluster, and
// the scheduler's Filter phase: its time is that of the dry run and the choice.
// The library's is that of a whole Preempt, which has no Filter phase to leave
// out: it finds out which nodes take the preemptor as it is, who may go, and the
// best node in one go. An iteration asks the scheduler once for each preemptor,
// and the library a thousand times in each of ten batches. An op is one decision,
// its time the median of the batches' means.
func BenchmarkSideBySide(b *testing.B) {
	for _, shape := range shapes(100, 1000) {
		b.Run(shape.String(), func(b *testing.B) {
			s := newSideBySide(b, shape)
			for i := range s.preemptors {
				s.compare(b, i)
			}
			var times times
			for b.Loop() {
				s.timeUpstream(b, &times, everyNode)
				s.timeOurs(b, &times)
			}
			times.report(b)
		})
	}
}

// BenchmarkSampling is BenchmarkSideBySide with the scheduler at its defaults:
// it stops at a tenth of the nodes or a hundred, from a random one on. How often
// what it chose is worse than what the library finds among all nodes is
// reported, and which criterion says so.
func BenchmarkSampling(b *testing.B) {
	for _, shape := range shapes(1000) {
		b.Run(shape.String(), func(b *testing.B) {
			s := newSideBySide(b, shape)
			offsets := rand.New(rand.NewPCG(seed, 1))
			sample := func(nodes int32) (offset, num int32) {
				_, num = s.window.DefaultPreemption.GetOffsetAndNumCandidates(nodes)
				return offsets.Int32N(nodes), num
			}
			examined := s.examine(b)
			var times times
			choices, worse := 0, map[string]int{}
			for b.Loop() {
				for range samples {
					for i, node := range s.timeUpstream(b, &times, sample) {
						choices++
						if by := worseBy(b, examined[i], node); by != "" {
							worse["worse"]++
							worse[by]++
						}
					}
				}
				s.timeOurs(b, &times)
			}
			times.report(b)
			for _, by := range append([]string{"worse"}, orderNames()...) {
				b.ReportMetric(100*float64(worse[by])/float64(choices), by+"-%")
			}
		})
	}
}

const (
	seed    = 42
	queries = 1000 // of the library, in a batch
	batches = 10   // of the library, in an iteration
	samples = 25   // of the nodes, in an iteration
)

// shapes returns those that benchmarks run on.
func shapes(nodes ...int) []workload.Shape {
	var shapes []workload.Shape
	for _, n := range nodes {
		for _, pods := range []int{30, 50} {
			for _, budgets := range []int{0, 100, 750} {
				shapes = append(shapes, workload.Shape{Nodes: n, Pods: pods, Budgets: budgets})
			}
		}
	}
	return shapes
}

// sideBySide is one cluster in the forms of the scheduler and of the library.
type sideBySide struct {
	*scheduler
	ctx      context.Context
	c        golden.Case
	filtered []*filtered // by preemptor

	cluster    *preemption.Cluster
	preemptors []*preemption.Pod
}

func newSideBySide(tb testing.TB, shape workload.Shape) *sideBySide {
	tb.Helper()
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	tb.Cleanup(cancel)
	s := &sideBySide{ctx: ctx, c: shape.Case(seed)}
	state, err := replay.State(&s.c, preemption.Release138)
	if err != nil {
		tb.Fatal(err)
	}
	if s.cluster, err = preemption.NewCluster(state); err != nil {
		tb.Fatal(err)
	}
	s.c.Preemptor = workload.Preemptors()[0]
	if s.scheduler, err = newScheduler(ctx, &s.c, false); err != nil {
		tb.Fatal(err)
	}
	for _, p := range workload.Preemptors() {
		s.scheduler.preemptor = objects.Pod(&p)
		filtered, err := s.filter(ctx)
		if err != nil {
			tb.Fatal(err)
		}
		ours, err := replay.Pod(&p)
		if err != nil {
			tb.Fatal(err)
		}
		s.filtered, s.preemptors = append(s.filtered, filtered), append(s.preemptors, ours)
	}
	return s
}

// ask makes the case, and the scheduler, one of a preemptor.
func (s *sideBySide) ask(i int) {
	s.c.Preemptor = workload.Preemptors()[i]
	s.scheduler.preemptor = objects.Pod(&s.c.Preemptor)
}

// compare compares all that the two find out about a preemptor.
func (s *sideBySide) compare(tb testing.TB, i int) {
	tb.Helper()
	s.ask(i)
	f := *s.filtered[i]
	want := golden.Answer{Statuses: f.statuses, FitNodes: f.fit, PotentialNodes: len(f.potential)}
	if err := s.dryRun(s.ctx, &f, &want); err != nil {
		tb.Fatal(err)
	}
	got, err := replay.Evaluate(&s.c, preemption.Release138)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := s.c.Diff(got, want); diff != "" || want.Outcome != golden.Preempt {
		tb.Fatalf("%s: %s\n%s", s.c.Preemptor.Name, want.Outcome, diff)
	}
}

// examine returns what the library finds out for each preemptor.
func (s *sideBySide) examine(tb testing.TB) []*preemption.Examination {
	tb.Helper()
	var all []*preemption.Examination
	for _, p := range s.preemptors {
		x, err := new(preemption.Evaluator).Examine(s.ctx, s.cluster, p)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, x)
	}
	return all
}

// everyNode is a window that leaves no node out.
func everyNode(nodes int32) (offset, num int32) { return 0, nodes }

// timeUpstream has the scheduler decide on each preemptor, looking at nodes
// within a window, and returns the nodes it chooses.
func (s *sideBySide) timeUpstream(tb testing.TB, t *times, window func(nodes int32) (offset, num int32)) []string {
	tb.Helper()
	var chosen []string
	var took time.Duration
	for i := range s.preemptors {
		s.ask(i)
		f := s.filtered[i]
		offset, num := window(int32(len(f.potential)))
		start := time.Now()
		candidates, _, err := s.window.Evaluator.DryRunPreemption(s.ctx, f.state, s.scheduler.preemptor, f.potential, s.budgets, offset, num)
		best := s.window.Evaluator.SelectCandidate(s.ctx, candidates)
		took += time.Since(start)
		if err != nil {
			tb.Fatal(err)
		}
		chosen = append(chosen, best.Name())
	}
	t.upstream.add(took, len(s.preemptors))
	return chosen
}

// timeOurs has the library decide on each preemptor many times.
func (s *sideBySide) timeOurs(tb testing.TB, t *times) {
	tb.Helper()
	e := preemption.Evaluator{Parallelism: 1}
	runtime.GC() // what the scheduler left is not for the library to clear
	for range batches {
		start := time.Now()
		for i := range queries {
			if _, err := e.Preempt(s.ctx, s.cluster, s.preemptors[i%len(s.preemptors)]); err != nil {
				tb.Fatal(err)
			}
		}
		t.ours.add(time.Since(start), queries)
	}
}

// times are how long a decision takes, by batches of decisions.
type times struct{ upstream, ours median }

func (t *times) report(b *testing.B) {
	b.ReportMetric(t.upstream.ns(), "upstream-ns/op")
	b.ReportMetric(t.ours.ns(), "ours-ns/op")
	b.ReportMetric(t.upstream.ns()/t.ours.ns(), "ratio")
	b.ReportMetric(0, "ns/op") // of an iteration, which is a mixture
}

// median is the median of what decisions take on average in a batch. What else
// the machine does spoils some batches.
type median struct{ batches []float64 }

func (m *median) add(total time.Duration, decisions int) {
	m.batches = append(m.batches, float64(total.Nanoseconds())/float64(decisions))
}

func (m *median) ns() float64 {
	slices.Sort(m.batches)
	return m.batches[len(m.batches)/2]
}

// worseBy returns by which criterion the candidate on a node is worse than the
// best one, "" if it is as good.
func worseBy(tb testing.TB, x *preemption.Examination, node string) string {
	tb.Helper()
	i := slices.IndexFunc(x.Candidates, func(k *preemption.Candidate) bool { return k.Node.Name == node })
	best := slices.IndexFunc(x.Candidates, func(k *preemption.Candidate) bool { return k.Node == x.Node })
	if i < 0 || best < 0 {
		tb.Fatalf("%s is no candidate", node)
	}
	for k, order := range preemption.DefaultOrders() {
		if sign := order.Compare(x.Candidates[best], x.Candidates[i]); sign > 0 {
			tb.Fatalf("%s is better than %s", node, x.Node.Name)
		} else if sign < 0 {
			return orderNames()[k]
		}
	}
	return ""
}

// orderNames returns the names of the criteria as units of metrics.
func orderNames() []string {
	var names []string
	for _, order := range preemption.DefaultOrders() {
		names = append(names, strings.ReplaceAll(fmt.Sprint("by ", order.Name), " ", "-"))
	}
	return names
}
