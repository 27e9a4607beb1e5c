package twins

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/world"
	"example.com/preemption/preemptiontest"
	"pgregory.net/rapid"
)

var first = flag.Uint64("first", 0, "the first seed, to go on where another run has ended")

var decisions = flag.Int("decisions", 100_000, "how many decisions the engine and its twin are compared on")

// TestEngineIsItsTwin holds the engine against the composable path on random
// clusters of every release, with updates between the queries.
func TestEngineIsItsTwin(t *testing.T) {
	tally := tally{}
	for seed := *first; tally.decisions < *decisions; seed++ {
		w := world.New(world.Seeded(seed, 0))
		holdAgainstTwin(seeded{t, seed}, w, tally.count)
	}
	t.Logf("%d decisions, %d by the engine: %v", tally.decisions, tally.fast, tally.outcomes)
	tally.want(t, tally.fast, 0.75, "are made by the engine")
}

// rapidChooser has rapid choose.
type rapidChooser struct{ t *rapid.T }

func (c rapidChooser) Choose(n int) int { return rapid.IntRange(0, n-1).Draw(c.t, "c") }

// TestEngineIsItsTwinShrunk does the same on worlds that rapid can shrink.
func TestEngineIsItsTwinShrunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := world.New(rapidChooser{t})
		holdAgainstTwin(t, w, func(bool, string) {})
	})
}

func FuzzEngine(f *testing.F) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(r.IntN(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := world.New(world.FromBytes(data))
		holdAgainstTwin(t, w, func(bool, string) {})
	})
}

// tally counts what a test was made of.
type tally struct {
	decisions, fast int
	outcomes        map[string]int
}

func (t *tally) count(fast bool, outcome string) {
	if t.outcomes == nil {
		t.outcomes = map[string]int{}
	}
	t.decisions++
	t.outcomes[outcome]++
	if fast {
		t.fast++
	}
}

// want fails the test if fewer than a share of the decisions are as it wants them, and
// of few decisions not by chance: decisions in one cluster are alike, so that the share
// varies by more than that of independent ones, by about twice as much.
func (t *tally) want(tb testing.TB, n int, share float64, are string) {
	tb.Helper()
	chance := 4 * math.Sqrt(float64(t.decisions))
	if float64(n) < share*float64(t.decisions)-chance {
		tb.Errorf("%d of %d decisions %s, want %.0f %%", n, t.decisions, are, 100*share)
	}
}

// seeded tells the seed with a failure.
type seeded struct {
	*testing.T
	seed uint64
}

func (s seeded) Fatalf(format string, args ...any) {
	s.T.Helper()
	s.T.Fatalf("seed %d: %s", s.seed, fmt.Sprintf(format, args...))
}

// holdAgainstTwin makes a cluster, decides by both paths, changes the cluster,
// and decides again.
func holdAgainstTwin(t failer, w *world.World, count func(fast bool, outcome string)) {
	t.Helper()
	w.Extend = w.OneIn(10)
	c, err := preemption.NewCluster(w.State(preemption.Release(w.Choose(4))))
	if err != nil {
		return // overcommitted beyond what sums can hold, a duplicate, ...
	}
	var p *preemption.Pod
	for range 8 {
		p = w.Again(p, func() *preemption.Pod { return w.Preemptor(w.Known(c)) })
		for _, e := range w.Evaluators() {
			count(compareTwins(t, e, c, p))
		}
		for range 1 + w.Choose(4) {
			w.Change(c)
		}
	}
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// compareTwins fails unless the engine and the composable functions give the same
// result, and it is right by definition, and returns it in short. The engine made the decision if filters were
// run less often than by the functions, which run them on every node.
func compareTwins(t failer, e *preemption.Evaluator, c *preemption.Cluster, p *preemption.Pod) (byEngine bool, outcome string) {
	t.Helper()
	twin := *e
	twin.Compare = preemption.CompareImportance // a caller's order is not for the engine
	fast, errFast := e.Preempt(context.Background(), c, p)
	slow, errSlow := twin.Preempt(context.Background(), c, p)
	if a, b := world.Decision(fast, errFast), world.Decision(slow, errSlow); a != b {
		t.Fatalf("%s\npreemptor %+v\nengine: %s\n  twin: %s", world.Describe(c), *p, a, b)
	}
	if errFast != nil {
		return false, "error"
	}
	checkResult(t, e, c, p, fast)
	return fast.FilterRuns < slow.FilterRuns, fast.Outcome.String()
}

// checkResult holds a result against definitions. On few nodes all sets of victims are
// tried where that tells something.
func checkResult(t failer, e *preemption.Evaluator, c *preemption.Cluster, p *preemption.Pod, r *preemption.Result) {
	t.Helper()
	most := 5
	if len(c.Nodes()) > 10 {
		most = 0
	}
	state := c.State()
	groups := preemption.NewGroups(state.PodGroups, state.CompositePodGroups)
	err := preemptiontest.CheckResult(c, state.DisruptionBudgets, p, r, preemptiontest.Settings{Evaluator: *e, Release: c.Release(), Groups: groups, Most: most})
	if err != nil {
		t.Fatalf("%s\n%v victims, budgets %v, orders %d\npreemptor %+v\n%s\n%v", world.Describe(c), e.Victims, e.Budgets, len(e.Orders), *p, world.Decision(r, nil), err)
	}
}

var wide = flag.Int("wide", 2000, "how many decisions on clusters of several blocks the engine and its twin are compared on")

// TestEngineIsItsTwinOnManyNodes holds the engine against the composable path on
// clusters that take several blocks of nodes, with few pods a node, so that
// whole blocks are skipped.
func TestEngineIsItsTwinOnManyNodes(t *testing.T) {
	tally := tally{}
	for seed := *first; tally.decisions < *wide; seed++ {
		w := world.New(world.Seeded(seed, 7))
		holdManyAgainstTwin(seeded{t, seed}, w, tally.count)
	}
	t.Logf("%d decisions, %d by the engine: %v", tally.decisions, tally.fast, tally.outcomes)
	tally.want(t, tally.outcomes["preempt"], 1./3, "preempt")
}

func holdManyAgainstTwin(t failer, w *world.World, count func(fast bool, outcome string)) {
	t.Helper()
	c, err := preemption.NewCluster(w.ManyNodes(preemption.Release(w.Choose(4))))
	if err != nil {
		t.Fatalf("%v", err)
	}
	var p *preemption.Pod
	for range 8 {
		p = w.Again(p, func() *preemption.Pod {
			p := w.Preemptor(nil)
			p.Priority, p.PreemptionPolicy = world.Pick[int32](w, 2, 50, 1000), preemption.PreemptLowerPriority
			p.Requests[preemption.CPU] = int64(2+w.Choose(7)) * 500
			return p
		})
		for _, e := range w.Evaluators() {
			count(compareTwins(t, e, c, p))
		}
		for range 1 + w.Choose(8) {
			w.Change(c)
		}
	}
}

var extremes = flag.Int("extremes", 2000, "how many decisions on clusters at extremes the engine and its twin are compared on")

// TestEngineIsItsTwinAtExtremes does so on clusters with few parameters, each at
// an extreme.
func TestEngineIsItsTwinAtExtremes(t *testing.T) {
	tally := tally{}
	for seed := *first; tally.decisions < *extremes; seed++ {
		w := world.New(world.Seeded(seed, 9))
		x, state := w.Extreme(preemption.Release(w.Choose(4)))
		c, err := preemption.NewCluster(state)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var p *preemption.Pod
		for range 6 {
			p = w.Again(p, x.Preemptor)
			for _, e := range w.Evaluators() {
				tally.count(compareTwins(seeded{t, seed}, e, c, p))
			}
			for range w.Choose(3) {
				w.Change(c)
			}
		}
	}
	t.Logf("%d decisions, %d by the engine: %v", tally.decisions, tally.fast, tally.outcomes)
	tally.want(t, tally.outcomes["preempt"], 1./3, "preempt")
}

// Worlds are small and cheap, so that there can be more of them than rapid's
// hundred.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "1000"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}
