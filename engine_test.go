package preemption

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var decisions = flag.Int("decisions", 100_000, "how many decisions the engine and its twin are compared on")

// TestEngineIsItsTwin holds the engine against the composable path on random
// clusters of every release, with updates between the queries.
func TestEngineIsItsTwin(t *testing.T) {
	tally := tally{}
	for seed := uint64(0); tally.decisions < *decisions; seed++ {
		w := &world{chooser: evenChooser{rand.New(rand.NewPCG(seed, 0))}}
		w.holdAgainstTwin(seeded{t, seed}, tally.count)
	}
	t.Logf("%d decisions, %d by the engine: %v", tally.decisions, tally.fast, tally.outcomes)
	if tally.fast < tally.decisions*3/4 {
		t.Errorf("the engine made %d of %d decisions, want three in four", tally.fast, tally.decisions)
	}
}

// TestEngineIsItsTwinShrunk does the same on worlds that rapid can shrink.
func TestEngineIsItsTwinShrunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{chooser: rapidChooser{t}}
		w.holdAgainstTwin(t, func(bool, string) {})
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
		w := &world{chooser: &byteChooser{data}}
		w.holdAgainstTwin(t, func(bool, string) {})
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
func (w *world) holdAgainstTwin(t failer, count func(fast bool, outcome string)) {
	t.Helper()
	w.extend = w.oneIn(10)
	c, err := NewCluster(w.state(Release(w.choose(4))))
	if err != nil {
		return // overcommitted beyond what sums can hold, a duplicate, ...
	}
	for range 8 {
		p := w.preemptor(knownPods(c))
		for _, e := range w.evaluators() {
			count(compareTwins(t, e, c, p))
		}
		for range 1 + w.choose(4) {
			w.change(c)
		}
	}
}

// evaluators are the default one and one with hooks or filters of its own.
func (w *world) evaluators() []*Evaluator {
	return []*Evaluator{{}, pick(w,
		&Evaluator{Eligible: func(_ *Pod, v *Victim, n *Node) bool {
			return v.Pods[0].Labels["app"] != "y" || n.Labels["zone"] == "a"
		}},
		&Evaluator{Filters: append(DefaultFilters(), antiAffinity{})},
		&Evaluator{Filters: []Filter{antiAffinity{}, All(DefaultFilters()...)}},
		&Evaluator{Filters: []Filter{NodeResources()}},
		&Evaluator{Filters: append(DefaultFilters(), FilterFunc(oddCompany))},
	)}
}

// oddCompany is a filter that is not monotone: it wants an even number of pods.
func oddCompany(_ *Pod, _ *Node, pods []*Pod) Status {
	if len(pods)%2 == 1 {
		return Status{Code: Unschedulable, Reasons: []string{"odd company"}}
	}
	return Status{}
}

// antiAffinity refuses to share a node with pods of the preemptor's app. It is
// monotone.
type antiAffinity struct{}

func (antiAffinity) Name() string { return "AntiAffinity" }

func (antiAffinity) Prepare(p *Pod, v View) (Prepared, error) {
	if p.Labels["app"] == "" {
		return nil, nil
	}
	return preparedAntiAffinity{p.Labels["app"], v}, nil
}

type preparedAntiAffinity struct {
	app  string
	view View
}

func (preparedAntiAffinity) Monotone() bool { return true }

func (a preparedAntiAffinity) Begin(n *Node) (DryRun, error) {
	r := &antiAffinityRun{app: a.app, node: n}
	for _, p := range a.view.PodsOn(n) {
		_ = r.Add(p, n)
	}
	return r, nil
}

type antiAffinityRun struct {
	app  string
	node *Node
	n    int
}

func (r *antiAffinityRun) Add(p *Pod, on *Node) error {
	if on == r.node && p.Labels["app"] == r.app {
		r.n++
	}
	return nil
}

func (r *antiAffinityRun) Remove(p *Pod, on *Node) error {
	if on == r.node && p.Labels["app"] == r.app {
		r.n--
	}
	return nil
}

func (r *antiAffinityRun) Fits() (Status, error) {
	if r.n > 0 {
		return Status{Code: Unschedulable, Reasons: []string{"same app"}}, nil
	}
	return Status{}, nil
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// compareTwins fails unless both paths give the same result, and returns it in
// short.
func compareTwins(t failer, e *Evaluator, c *Cluster, p *Pod) (byEngine bool, outcome string) {
	t.Helper()
	fast, errFast := e.Preempt(context.Background(), c, p)
	slow, errSlow := e.preemptSlow(context.Background(), c, p)
	if len(c.nodes) == 0 {
		slow, errSlow = nil, e.validate(c, p)
	}
	a, b := decision(fast, errFast), decision(slow, errSlow)
	if a != b {
		t.Fatalf("%s\npreemptor %+v\nengine: %s\n  twin: %s", describe(c), *p, a, b)
	}
	if errFast != nil {
		return false, "error"
	}
	_, byEngine = e.preemptFast(context.Background(), c, p)
	return byEngine, fast.Outcome.String()
}

// decision writes out all of a result.
func decision(r *Result, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	node := ""
	if r.Node != nil {
		node = r.Node.Name
	}
	s := fmt.Sprintf("%v %q on %q, %d violations, nomination %v, clear %v, delete %v, terminating %v, victims",
		r.Outcome, r.Reason, node, r.Violations, r.Nomination, r.ClearNominations, r.Delete, r.Terminating)
	for _, v := range r.Victims {
		s += fmt.Sprintf(" %v/%v/%d%v", v, v.Kind, v.Priority, v.Pods)
	}
	return s
}

// describe writes out a cluster.
func describe(c *Cluster) string {
	s := "release " + c.release.String()
	for _, n := range c.nodes {
		s += fmt.Sprintf("\nnode %+v", *n)
		for _, p := range c.PodsOn(n) {
			s += fmt.Sprintf("\n  pod %+v", *p)
		}
		for _, p := range c.nominated[n.Name] {
			s += fmt.Sprintf("\n  nominated %+v", *p)
		}
	}
	for _, g := range c.groups.pod {
		s += fmt.Sprintf("\ngroup %+v", *g)
	}
	for _, g := range c.groups.composite {
		s += fmt.Sprintf("\ncomposite %+v", *g)
	}
	for _, b := range c.budgets.inOrder() {
		s += fmt.Sprintf("\nbudget %+v %+v", *b.budget, b.budget.Selector)
	}
	return s
}

var wide = flag.Int("wide", 2000, "how many decisions on clusters of several blocks the engine and its twin are compared on")

// TestEngineIsItsTwinOnManyNodes holds the engine against the composable path on
// clusters that take several blocks of nodes, with few pods a node, so that
// whole blocks are skipped.
func TestEngineIsItsTwinOnManyNodes(t *testing.T) {
	tally := tally{}
	for seed := uint64(0); tally.decisions < *wide; seed++ {
		w := &world{chooser: evenChooser{rand.New(rand.NewPCG(seed, 7))}}
		w.holdManyAgainstTwin(seeded{t, seed}, tally.count)
	}
	t.Logf("%d decisions, %d by the engine: %v", tally.decisions, tally.fast, tally.outcomes)
	if tally.outcomes["preempt"] < tally.decisions/3 {
		t.Errorf("%d of %d decisions preempt, want one in three", tally.outcomes["preempt"], tally.decisions)
	}
}

func (w *world) holdManyAgainstTwin(t failer, count func(fast bool, outcome string)) {
	t.Helper()
	c, err := NewCluster(w.manyNodes(Release(w.choose(4))))
	if err != nil {
		t.Fatalf("%v", err)
	}
	for range 8 {
		p := w.preemptor(nil)
		p.Priority, p.PreemptionPolicy = pick[int32](w, 2, 50, 1000), PreemptLowerPriority
		p.Requests[CPU] = int64(2+w.choose(7)) * 500
		for _, e := range w.evaluators() {
			count(compareTwins(t, e, c, p))
		}
		for range 1 + w.choose(8) {
			w.change(c)
		}
	}
}

// manyNodes makes a cluster of up to eight blocks whose nodes are nearly full, so
// that few preemptors fit as it is. One cluster in five has more priorities than
// the engine has levels.
func (w *world) manyNodes(r Release) ClusterState {
	s := ClusterState{Release: r}
	uneven := w.oneIn(2) // starts all over the place, or few of them
	priorities := pick(w, []int32{0}, []int32{0, 1}, []int32{0, 1, 10, 100}, []int32{-5, 0, 3, 1000}, manyPriorities())
	covered, grouped := w.choose(3) == 0, w.choose(3) == 0
	for i := range 65 + w.choose(450) {
		n := w.node(fmt.Sprint("n", i))
		n.Allocatable = Resources{CPU: 4000, Memory: 8, PodCount: 110}
		s.Nodes = append(s.Nodes, n)
		w.nodes = append(w.nodes, n.Name)
		for used := int64(0); used < 3500; {
			p := w.pod(fmt.Sprint("p", i, "-", used))
			p.Priority, p.NodeName, p.HostPorts = pick(w, priorities...), n.Name, nil
			p.Requests = Resources{CPU: min(int64(1+w.choose(4))*500, 4000-used), Memory: int64(w.choose(2))}
			if uneven {
				p.Start = time.Unix(int64(w.choose(100_000)), 0)
			}
			if !grouped {
				p.Group = ""
			}
			used += p.Requests[CPU]
			s.Pods = append(s.Pods, p)
			w.pods = append(w.pods, p.Name)
		}
	}
	if grouped {
		for _, ns := range []string{"a", "b"} {
			for i := range w.choose(4) {
				s.PodGroups = append(s.PodGroups, w.group(ns, fmt.Sprint("g", i)))
			}
		}
	}
	if covered {
		for i := range 1 + w.choose(4) {
			b := w.budget(fmt.Sprint("b", i))
			b.Allowed = pick[int32](w, 0, 1, 2, 100)
			s.DisruptionBudgets = append(s.DisruptionBudgets, b)
		}
	}
	return s
}

func manyPriorities() []int32 {
	many := make([]int32, 120)
	for i := range many {
		many[i] = int32(i)
	}
	return many
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
