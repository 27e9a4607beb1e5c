package twins

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/world"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var hard = flag.Int("hard", 16, "how many decisions are made on nodes whose best victims are hard to find")

// Where a search for the best victims reaches its bound, Preempt and Examine decide
// the same all the same: whoever asks, whatever was asked before, and however many
// work on it. The victims pass the definitions and are no worse than the reprieve's.
func TestSearchesThatReachTheirBound(t *testing.T) {
	seeds := []uint64{58} // where it shows if a search begins with prices of the one before
	for seed := range uint64(*hard) {
		seeds = append(seeds, seed)
	}
	var exact, inexact [2]int // of pods alike, and unlike
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 21))
		state, p := world.Hard(r, seed%2 > 0)
		c, err := preemption.NewCluster(state)
		if err != nil {
			t.Fatal(err)
		}
		e := preemption.Evaluator{Victims: preemption.VictimsBest}
		e.Orders = []preemption.Order{preemption.LowestPrioritySum}
		first, err := e.Preempt(context.Background(), c, p)
		if err != nil {
			t.Fatal(err)
		}
		checkResult(seeded{t, seed}, &e, c, p, first)

		// Whoever asks, and whatever was asked before.
		other := *p
		other.Requests = preemption.Resources{preemption.CPU: p.Requests[preemption.CPU]}
		if _, err := e.Preempt(context.Background(), c, &other); err != nil {
			t.Fatal(err)
		}
		again, err := e.Preempt(context.Background(), c, p)
		if a, b := world.Decision(first, nil), world.Decision(again, err); a != b || first.Exact != again.Exact {
			t.Fatalf("seed %d: at first %s, exact %v; then %s, exact %v", seed, a, first.Exact, b, again.Exact)
		}
		for _, workers := range []int{1, 3} {
			e.Parallelism = workers
			x, err := e.Examine(context.Background(), c, p)
			if err != nil {
				t.Fatal(err)
			}
			runs := 0
			for i := range x.Nodes {
				runs += x.Nodes[i].FilterRuns
			}
			if x.FilterRuns != runs || runs == 0 {
				t.Fatalf("seed %d: filters were run %d times, on the nodes %d times", seed, x.FilterRuns, runs)
			}
			x.FilterRuns = first.FilterRuns
			if diff := cmp.Diff(first, &x.Result, cmpopts.IgnoreUnexported(preemption.Victim{}), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d: Examine, %d workers, differs from Preempt (-Preempt +Examine):\n%s", seed, workers, diff)
			}
			if k, _ := preemption.PickOneNode(x.Candidates, e.Orders...); k == nil || k.Node != x.Node || len(k.Victims) != len(x.Victims) {
				t.Fatalf("seed %d: of the candidates %+v is the best, not %v", seed, k, x.Node.Name)
			}
		}

		// No worse than the reprieve, counted in the same way.
		e.Victims, e.Budgets = preemption.VictimsReprieve, preemption.BudgetsExact
		reprieve, err := e.Preempt(context.Background(), c, p)
		if err != nil {
			t.Fatal(err)
		}
		candidate := func(r *preemption.Result) *preemption.Candidate {
			return &preemption.Candidate{Node: r.Node, Victims: r.Victims, Violations: r.Violations}
		}
		worse := candidate(reprieve)
		if k, by := preemption.PickOneNode([]*preemption.Candidate{candidate(first), worse}, e.Orders...); by >= 0 && k == worse {
			t.Fatalf("seed %d: %v is worse than the reprieve's %v", seed, first.Victims, reprieve.Victims)
		}
		if first.Exact {
			exact[seed%2]++
		} else {
			inexact[seed%2]++
		}
	}
	t.Logf("%d decisions exact, %d not", exact, inexact)
	for i := range exact {
		if *hard >= 16 && (exact[i] == 0 || inexact[i] == 0) {
			t.Error("want some decisions exact and some not")
		}
	}
}

// What a search for the best victims found before its bound may be worse than what the
// reprieve keeps: where the least important pods are under a spent budget, it begins with
// sets of those, and the reprieve with the others. The better of both is the answer,
// whether arithmetic decides or filters are asked.
func TestReprieveIsBetterThanASearchThatEnded(t *testing.T) {
	web := map[string]string{"app": "web"}
	all := func(*preemption.Pod, *preemption.Node, []*preemption.Pod) preemption.Status {
		return preemption.Status{}
	}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 22))
		sizes, wants := []string{preemption.CPU, preemption.Memory, "gpu"}, preemption.Resources{}
		node := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.PodCount: 110}}
		state := preemption.ClusterState{Nodes: []*preemption.Node{node}, DisruptionBudgets: []*preemption.PodDisruptionBudget{
			{Namespace: "ns", Name: "web", Selector: &preemption.Selector{MatchLabels: web}}}}
		for i := range int32(40) {
			pod := &preemption.Pod{Namespace: "ns", Name: fmt.Sprint("p", i), NodeName: "n", UID: fmt.Sprint(i), Requests: preemption.Resources{}, Priority: i}
			for _, d := range sizes {
				pod.Requests[d] = 1 + int64(r.IntN(1000))
				node.Allocatable[d] += pod.Requests[d]
				wants[d] = node.Allocatable[d] / 3
			}
			if i < 20 {
				pod.Labels = web
			}
			state.Pods = append(state.Pods, pod)
		}
		c, err := preemption.NewCluster(state)
		if err != nil {
			t.Fatal(err)
		}
		p := &preemption.Pod{Namespace: "ns", Name: "preemptor", UID: "preemptor", Priority: 2000, Requests: wants}
		for _, own := range [][]preemption.Filter{nil, {preemption.PodsFilter("All", false, all)}} {
			filters := append(preemption.DefaultFilters(), own...)
			exact := preemption.Evaluator{Filters: filters, Budgets: preemption.BudgetsExact}
			want, err := exact.Preempt(context.Background(), c, p)
			if err != nil {
				t.Fatal(err)
			}
			e := preemption.Evaluator{Filters: filters, Victims: preemption.VictimsBest}
			got, err := e.Preempt(context.Background(), c, p)
			if err != nil {
				t.Fatal(err)
			}
			checkResult(seeded{t, seed}, &e, c, p, got)
			if got.Exact || got.Violations > 0 || world.Decision(got, nil) != world.Decision(want, nil) {
				t.Errorf("seed %d, %d filters: %s, exact %t; want %s, not exact", seed, len(filters), world.Decision(got, nil), got.Exact, world.Decision(want, nil))
			}
		}
	}
}

// The built-in filters are known in numbers, and so to be monotone: whether a case says so
// makes no difference.
func TestNumbersSayThatTheyAreMonotone(t *testing.T) {
	state, p := world.Hard(rand.New(rand.NewPCG(1, 23)), false)
	c, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range c.Nodes() {
		var first preemption.Selection
		for _, monotone := range []bool{true, false} {
			prepared, err := preemption.All(preemption.DefaultFilters()...).Prepare(p, c)
			if err != nil {
				t.Fatal(err)
			}
			run, err := prepared.Begin(n)
			if err != nil {
				t.Fatal(err)
			}
			s, err := preemption.SelectBestVictimsOnNode(preemption.NodeCase{Preemptor: p, Node: n, DryRun: run, Monotone: monotone, Victims: preemption.Victims(n, c, nil)}, preemption.LowestPrioritySum)
			if err != nil || len(s.Victims) < 2 {
				t.Fatalf("%s: %v, %v; want several victims", n.Name, s.Victims, err)
			}
			if monotone {
				first = s
			} else if s.Exact != first.Exact || fmt.Sprint(s.Victims) != fmt.Sprint(first.Victims) {
				t.Errorf("%s: %v, exact %t; where it is declared %v, exact %t", n.Name, s.Victims, s.Exact, first.Victims, first.Exact)
			}
		}
	}
}
