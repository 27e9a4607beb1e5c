package preemption

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// benchCases are the cases of BenchmarkPreempt and its twin.
var benchCases = []struct {
	name      string
	workload  workload
	preemptor *Pod
}{
	{"1core", workload{}, asking(1, 2)},
	{"4cores", workload{}, asking(4, 8)},
	{"16cores", workload{}, asking(16, 32)},
	{"48cores", workload{}, asking(48, 96)},
	{"impossible", workload{}, asking(100_000, 1)},
	{"pdb30", workload{budgets: 750, covered: 0.3}, asking(4, 8)},
	{"groups", workload{groups: true}, asking(4, 8)},
	{"nominated", workload{nominated: true}, asking(4, 8)},
}

const benchSeed = 42

func benchmarkCases(b *testing.B, decide func(*Evaluator, context.Context, *Cluster, *Pod) (*Result, error)) {
	for _, x := range benchCases {
		x.workload.nodes, x.workload.pods = 10_000, 50
		b.Run(fmt.Sprintf("nodes=%d/pods=%d/%s", x.workload.nodes, x.workload.pods, x.name), func(b *testing.B) {
			c := x.workload.cluster(benchSeed)
			e := searching()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decide(&e, context.Background(), c, x.preemptor); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// searching returns an evaluator whose decisions are all made by a search. With the
// filters left to the evaluator the same question asked again would be answered from
// what the last search found.
func searching() Evaluator { return Evaluator{Filters: DefaultFilters()} }

func BenchmarkPreempt(b *testing.B)     { benchmarkCases(b, (*Evaluator).Preempt) }
func BenchmarkPreemptTwin(b *testing.B) { benchmarkCases(b, (*Evaluator).preemptSlow) }

// BenchmarkMixed decides on requests of all sizes and priorities and reports the
// 99th percentile of the time a decision takes.
func BenchmarkMixed(b *testing.B) {
	for _, nodes := range []int{1523, 4000, 10_000, 12_000, 100_000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			c := workload{nodes: nodes, pods: 50, budgets: 750, covered: 0.1}.cluster(benchSeed)
			benchmarkPercentiles(b, &Evaluator{}, c, mixedPreemptors(10_000))
		})
	}
}

var mostNodes = flag.Int("most-nodes", 100_000, "up to how many nodes BenchmarkNodes builds clusters; a million take 12 GB")

// BenchmarkNodes decides in clusters of ever more nodes with ten pods each, on requests
// of 1 to 8 cores: how fast does the time grow? It reports memory beyond the caller's
// objects too.
func BenchmarkNodes(b *testing.B) {
	for nodes := 10_000; nodes <= *mostNodes; nodes *= 10 {
		b.Run(fmt.Sprintf("nodes=%d/pods=10", nodes), func(b *testing.B) {
			state := workload{nodes: nodes, pods: 10}.state(benchSeed)
			c, size := measured(b, state)
			preemptors := mixedPreemptors(1000)
			for _, p := range preemptors {
				p.Requests[CPU], p.Requests[Memory] = (p.Requests[CPU]+5999)/6000*1000, (p.Requests[Memory]+5)/6
			}
			benchmarkPercentiles(b, &Evaluator{}, c, preemptors)
			b.ReportMetric(float64(size)/float64(len(state.Pods)), "B/pod")
		})
	}
}

// measured builds a cluster and returns how much memory it takes beyond the objects
// that it is given.
func measured(b *testing.B, state ClusterState) (*Cluster, uint64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c, err := NewCluster(state)
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	return c, after.HeapAlloc - before.HeapAlloc
}

// mixedPreemptors returns pods of 1 to 48 cores, four ratios of memory to cpu and
// four priorities.
func mixedPreemptors(n int) []*Pod {
	r := rand.New(rand.NewPCG(benchSeed, 1))
	preemptors := make([]*Pod, n)
	for i := range preemptors {
		p := asking(int64(1+r.IntN(48)), 0)
		p.Requests[Memory] = p.Requests[CPU] << 20 * int64(1+r.IntN(4))
		p.Priority = []int32{500, 2000, 50_000, 1_000_000}[r.IntN(4)]
		preemptors[i] = p
	}
	return preemptors
}

// benchmarkPercentiles decides on all of them and reports percentiles of the time
// that one takes.
func benchmarkPercentiles(b *testing.B, e *Evaluator, c *Cluster, preemptors []*Pod) {
	var took []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		took = took[:0]
		for _, p := range preemptors {
			start := time.Now()
			if _, err := e.Preempt(context.Background(), c, p); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
	b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
	b.ReportMetric(0, "ns/op") // an op is all of them
}

// BenchmarkBuild reports how much memory a cluster takes beyond the objects that
// the caller gave it.
func BenchmarkBuild(b *testing.B) {
	for _, nodes := range []int{1000, 10_000} {
		b.Run(fmt.Sprintf("nodes=%d/pods=50", nodes), func(b *testing.B) {
			state := workload{nodes: nodes, pods: 50}.state(benchSeed)
			kept, size := measured(b, state)
			for b.Loop() {
				if _, err := NewCluster(state); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size)/float64(len(state.Pods)), "B/pod")
			runtime.KeepAlive(kept)
		})
	}
}

// BenchmarkBuildLevels builds a large cluster of eight dimensions whose pods have one
// priority, or a level's worth each of 32: levels are to cost less than all the rest.
func BenchmarkBuildLevels(b *testing.B) {
	for _, levels := range []int{1, 32} {
		b.Run(fmt.Sprintf("nodes=100000/pods=16/dims=8/levels=%d", levels), func(b *testing.B) {
			state := manyDimensions(100_000, 16, levels)
			for b.Loop() {
				c, err := NewCluster(state)
				if err != nil {
					b.Fatal(err)
				}
				if got := c.engine.table.Levels(); got != levels || c.engine.table.Dims() != maxDimensions {
					b.Fatal(got, "levels,", c.engine.table.Dims(), "dimensions")
				}
			}
		})
	}
}

// manyDimensions is a cluster whose pods request as many resources as the engine has
// dimensions, and have so many priorities.
func manyDimensions(nodes, pods, priorities int) ClusterState {
	r := rand.New(rand.NewPCG(benchSeed, 3))
	w := workload{nodes: nodes, pods: pods}
	s := w.state(benchSeed)
	for i, p := range s.Pods {
		p.Priority = int32(i % priorities)
		for d := range maxDimensions - 3 {
			p.Requests[fmt.Sprint("example.com/", d)] = int64(r.IntN(100))
		}
	}
	return s
}

// BenchmarkClone measures a copy of the clusters that BenchmarkBuild builds.
func BenchmarkClone(b *testing.B) {
	for _, nodes := range []int{1000, 10_000} {
		b.Run(fmt.Sprintf("nodes=%d/pods=50", nodes), func(b *testing.B) {
			c := workload{nodes: nodes, pods: 50}.cluster(benchSeed)
			for b.Loop() {
				c.Clone()
			}
		})
	}
}

// BenchmarkUpdate measures one event on a cluster of 10,000 nodes with 50 pods
// each. Events come in pairs that undo each other; the figure is for one.
func BenchmarkUpdate(b *testing.B) {
	c := workload{nodes: 10_000, pods: 50, budgets: 750, covered: 0.3}.cluster(benchSeed)
	must := func(b *testing.B, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	pods := c.State().Pods
	r := rand.New(rand.NewPCG(benchSeed, 2))
	r.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	half := func(b *testing.B) { b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N), "ns/event") }
	next := 0
	pick := func() *Pod { next++; return pods[next%len(pods)] }
	b.Run("pod-remove-add", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p := pick()
			must(b, c.RemovePod(p.Namespace, p.Name))
			must(b, c.AddPod(p))
		}
		half(b)
	})
	b.Run("pod-update", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p := pick()
			terminating := *p
			terminating.Termination = TerminatingByPreemption
			must(b, c.UpdatePod(&terminating))
			must(b, c.UpdatePod(p))
		}
		half(b)
	})
	b.Run("nominate", func(b *testing.B) {
		p := asking(4, 8)
		b.ReportAllocs()
		for b.Loop() {
			must(b, c.Nominate(p, c.nodes[next%len(c.nodes)].Name))
			must(b, c.Nominate(p, ""))
			next++
		}
		half(b)
	})
	b.Run("budget-allowed", func(b *testing.B) {
		budgets := c.budgets.inOrder()
		b.ReportAllocs()
		for b.Loop() {
			old := budgets[next%len(budgets)].budget
			spent := *old
			spent.Allowed = 1 - min(old.Allowed, 1)
			must(b, c.SetBudget(&spent))
			must(b, c.SetBudget(old))
			next++
		}
		half(b)
	})
	b.Run("budget-selector", func(b *testing.B) {
		old := c.budgets.inOrder()[0].budget
		wider := *old
		wider.Selector = &Selector{MatchExpressions: []Requirement{{"app", SelectorExists, nil}}}
		for b.Loop() {
			must(b, c.SetBudget(&wider))
			must(b, c.SetBudget(old))
		}
		half(b)
	})
	b.Run("group", func(b *testing.B) {
		g := &PodGroup{Namespace: "ns-0", Name: "new", DisruptionMode: DisruptAll}
		for b.Loop() {
			must(b, c.SetPodGroup(g))
			must(b, c.RemovePodGroup(g.Namespace, g.Name))
		}
		half(b)
	})
	grouped := groupedCluster(b, 100, 40)
	b.Run("group-unchanged", func(b *testing.B) {
		g := grouped.Groups().pod[objectKey{"ns", "big"}]
		for b.Loop() {
			must(b, grouped.SetPodGroup(g))
		}
	})
	b.Run("group-unrelated", func(b *testing.B) {
		g := &PodGroup{Namespace: "ns", Name: "new", DisruptionMode: DisruptAll}
		for b.Loop() {
			must(b, grouped.SetPodGroup(g))
			must(b, grouped.RemovePodGroup(g.Namespace, g.Name))
		}
		half(b)
	})
	b.Run("group-member-joins", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p := &Pod{Namespace: "ns", Name: "late", UID: fmt.Sprint("uid-", next*7919%4000), NodeName: fmt.Sprint("n", next%100), Group: "big", Requests: Resources{CPU: 10}}
			next++
			must(b, grouped.AddPod(p))
			must(b, grouped.RemovePod(p.Namespace, p.Name))
		}
		half(b)
	})
	b.Run("group-budget", func(b *testing.B) {
		budget := &PodDisruptionBudget{Namespace: "ns", Name: "all", Allowed: 1, Selector: &Selector{}}
		for b.Loop() {
			must(b, grouped.SetBudget(budget))
			must(b, grouped.RemoveBudget(budget.Namespace, budget.Name))
		}
		half(b)
	})
	b.Run("node-update", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			old := c.nodes[next%len(c.nodes)]
			cordoned := *old
			cordoned.Unschedulable = true
			must(b, c.UpdateNode(&cordoned))
			must(b, c.UpdateNode(old))
			next++
		}
		half(b)
	})
	b.Run("node-add-remove", func(b *testing.B) {
		n := &Node{Name: "new", Allocatable: Resources{CPU: 1000, PodCount: 10}}
		b.ReportAllocs()
		for b.Loop() {
			must(b, c.AddNode(n))
			must(b, c.RemoveNode(n.Name))
		}
		half(b)
	})
}

// BenchmarkNewResource adds the first pod that requests a resource which a tenth of
// the nodes have: a new one, the engine's third to seventh, and one that takes the
// place of a resource which no pod requests any more.
func BenchmarkNewResource(b *testing.B) {
	for _, nodes := range []int{800, 10_000} {
		s := workload{nodes: nodes, pods: 50}.state(benchSeed)
		for i := range s.Nodes {
			for d := 0; d < 6 && i%10 == 0; d++ {
				s.Nodes[i].Allocatable[fmt.Sprint("example.com/", d)] = 8
			}
		}
		built, err := NewCluster(s)
		if err != nil {
			b.Fatal(err)
		}
		e := searching()
		decide := func(c *Cluster) {
			if _, err := e.Preempt(context.Background(), c, asking(4, 8)); err != nil {
				b.Fatal(err)
			}
		}
		come := func(c *Cluster, resource int) {
			p := &Pod{Namespace: "ns-0", Name: "new", UID: "new", NodeName: "node-0", Requests: Resources{fmt.Sprint("example.com/", resource): 1}}
			if err := c.AddPod(p); err != nil {
				b.Fatal(err)
			}
		}
		for _, x := range []struct {
			name    string
			prepare func(*Cluster)
		}{
			{"new", func(*Cluster) {}},
			{"another", func(c *Cluster) { come(c, 5); c.RemovePod("ns-0", "new") }},
		} {
			b.Run(fmt.Sprintf("nodes=%d/pods=50/%s", nodes, x.name), func(b *testing.B) {
				adding, deciding := time.Duration(0), time.Duration(0)
				for range b.N {
					b.StopTimer()
					c := built.Clone()
					x.prepare(c)
					decide(c)
					runtime.GC()
					b.StartTimer()
					start := time.Now()
					come(c, 0)
					adding += time.Since(start)
					start = time.Now()
					decide(c)
					deciding += time.Since(start)
				}
				b.ReportMetric(float64(adding.Nanoseconds())/float64(b.N), "ns/add")
				b.ReportMetric(float64(deciding.Nanoseconds())/float64(b.N), "ns/decision-after")
			})
		}
	}
}

// groupedCluster has so many nodes, each with so many pods of one atomic group and
// one of another.
func groupedCluster(b *testing.B, nodes, members int) *Cluster {
	s := ClusterState{PodGroups: []*PodGroup{{Namespace: "ns", Name: "big", DisruptionMode: DisruptAll}, {Namespace: "ns", Name: "small", DisruptionMode: DisruptAll}}}
	for i := range nodes {
		n := fmt.Sprint("n", i)
		s.Nodes = append(s.Nodes, &Node{Name: n, Allocatable: Resources{CPU: 100_000, PodCount: 110}})
		for j := range members + 1 {
			p := &Pod{Namespace: "ns", Name: fmt.Sprint("p", i, "-", j), NodeName: n, Group: "big", Requests: Resources{CPU: 100}}
			if p.UID = fmt.Sprint("uid-", i*members+j); j == members {
				p.Group = "small"
			}
			s.Pods = append(s.Pods, p)
		}
	}
	c, err := NewCluster(s)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// functionCases are the cases of the benchmarks of single functions.
var functionCases = []struct {
	name     string
	workload workload
}{
	{"plain", workload{}},
	{"pdb30", workload{budgets: 750, covered: 0.3}},
}

// benchmarkFunctions runs a benchmark for each case and size. The cluster is made
// outside the clock.
func benchmarkFunctions(b *testing.B, nodes int, run func(*testing.B, ClusterState, *Cluster)) {
	for _, pods := range []int{30, 50, 110} {
		for _, x := range functionCases {
			w := x.workload
			w.nodes, w.pods = nodes, pods
			b.Run(fmt.Sprintf("nodes=%d/pods=%d/%s", nodes, pods, x.name), func(b *testing.B) {
				s := w.state(benchSeed)
				c, err := NewCluster(s)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				run(b, s, c)
			})
		}
	}
}

// BenchmarkSelectVictimsOnNode clears one node for four cores, with the dry run
// of the built-in filters begun afresh each time.
func BenchmarkSelectVictimsOnNode(b *testing.B) {
	benchmarkFunctions(b, 1, func(b *testing.B, s ClusterState, c *Cluster) {
		p := asking(4, 8)
		prepared, err := All(DefaultFilters()...).Prepare(p, c)
		if err != nil {
			b.Fatal(err)
		}
		node := c.Nodes()[0]
		victims := Victims(node, c, nil)
		for b.Loop() {
			run, err := prepared.Begin(node)
			if err != nil {
				b.Fatal(err)
			}
			selection, err := SelectVictimsOnNode(NodeCase{
				Preemptor: p, Node: node, DryRun: run, Victims: victims, Budgets: s.DisruptionBudgets,
			})
			if err != nil || len(selection.Victims) == 0 {
				b.Fatal(selection, err)
			}
		}
	})
}

// BenchmarkFilterVictimsWithPDBViolation splits the victims of one node by 750
// budgets, or by none.
func BenchmarkFilterVictimsWithPDBViolation(b *testing.B) {
	benchmarkFunctions(b, 1, func(b *testing.B, s ClusterState, c *Cluster) {
		victims := Victims(c.Nodes()[0], c, nil)
		slices.SortStableFunc(victims, func(a, b *Victim) int { return CompareImportance(b, a) })
		for b.Loop() {
			FilterVictimsWithPDBViolation(victims, s.DisruptionBudgets)
		}
	})
}

// BenchmarkPickOneNode chooses between the candidates of 1,000 nodes.
func BenchmarkPickOneNode(b *testing.B) {
	benchmarkFunctions(b, 1000, func(b *testing.B, _ ClusterState, c *Cluster) {
		x, err := (&Evaluator{}).Examine(context.Background(), c, asking(4, 8))
		if err != nil || len(x.Candidates) < 500 {
			b.Fatal(len(x.Candidates), err)
		}
		for b.Loop() {
			PickOneNode(x.Candidates)
		}
	})
}

// benchGang is a gang of so many members of 8 cores each.
func benchGang(members int) *Gang {
	g := &Gang{Namespace: "ns-0", Name: "training", Priority: 1_000_000}
	for i := range members {
		m := asking(8, 16)
		m.Name, m.UID = fmt.Sprint("worker-", i), fmt.Sprint("worker-", i)
		g.Members = append(g.Members, m)
	}
	return g
}

// BenchmarkPreemptGroup times the best placement of a gang and reports how many
// pods it evicts, beside what the way of kube-scheduler 1.37 would.
func BenchmarkPreemptGroup(b *testing.B) {
	for _, x := range []struct{ nodes, pods, members int }{{1000, 30, 100}, {10_000, 50, 1000}} {
		b.Run(fmt.Sprintf("nodes=%d/pods=%d/gang=%d", x.nodes, x.pods, x.members), func(b *testing.B) {
			g := benchGang(x.members)
			var e Evaluator
			kube, err := e.PreemptGroup(context.Background(), workload{nodes: x.nodes, pods: x.pods}.clusterOf(b, Release137), g, GivenPlacement{})
			if err != nil {
				b.Fatal(err)
			}
			kubeVictims := len(kube.Delete)
			kube = nil // it holds the other cluster
			c := workload{nodes: x.nodes, pods: x.pods}.cluster(benchSeed)
			var best *GangResult
			for b.Loop() {
				if best, err = e.PreemptGroup(context.Background(), c, g, BestPlacement{}); err != nil {
					b.Fatal(err)
				}
			}
			if !best.Exact {
				b.Error("the plan is not exact")
			}
			b.ReportMetric(float64(len(best.Delete)), "victims")
			b.ReportMetric(float64(kubeVictims), "kube-victims")
		})
	}
}

// clusterOf builds the cluster by the rules of a release.
func (w workload) clusterOf(tb testing.TB, r Release) *Cluster {
	s := w.state(benchSeed)
	s.Release = r
	c, err := NewCluster(s)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// BenchmarkPreemptGroupGiven times the given placement of kube-scheduler 1.37, with
// and without the placer.
func BenchmarkPreemptGroupGiven(b *testing.B) {
	c := workload{nodes: 1000, pods: 30}.clusterOf(b, Release137)
	g := benchGang(100)
	var e Evaluator
	emptied := &reducedView{c, &gangQuery{Evaluator: &e, cluster: c, gang: g}}
	nodes, err := LeastAllocated(DefaultFilters()...)(context.Background(), emptied, g)
	if err != nil {
		b.Fatal(err)
	}
	for _, x := range []struct {
		name   string
		placer Placer
	}{
		{"placing", nil},
		{"placed", func(context.Context, View, *Gang) ([]*Node, error) { return nodes, nil }},
	} {
		b.Run("nodes=1000/pods=30/gang=100/"+x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.PreemptGroup(context.Background(), c, g, GivenPlacement{x.placer}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPreemptBest decides by the best victims. It reports how many pods go,
// and how many by kube-scheduler's policy. In the case mixed an op is a thousand
// decisions of all sizes and priorities.
func BenchmarkPreemptBest(b *testing.B) {
	benchmarkPolicy(b, Evaluator{Victims: VictimsBest, Budgets: BudgetsExact})
}

// BenchmarkPreemptRespected is the reprieve where budgets are respected.
func BenchmarkPreemptRespected(b *testing.B) {
	benchmarkPolicy(b, Evaluator{Budgets: BudgetsRespected})
}

func benchmarkPolicy(b *testing.B, e Evaluator) {
	var kube Evaluator
	count := func(e *Evaluator, c *Cluster, p *Pod) float64 {
		r, err := e.Preempt(context.Background(), c, p)
		if err != nil {
			b.Fatal(err)
		}
		if e.Victims == VictimsBest && !r.Exact {
			b.Errorf("%v: not exact", p.Requests)
		}
		return float64(countPods(r.Victims))
	}
	for _, x := range benchCases {
		x.workload.nodes, x.workload.pods = 10_000, 50
		b.Run(fmt.Sprintf("nodes=%d/pods=%d/%s", x.workload.nodes, x.workload.pods, x.name), func(b *testing.B) {
			c := x.workload.cluster(benchSeed)
			victims, before := count(&e, c, x.preemptor), count(&kube, c, x.preemptor)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Preempt(context.Background(), c, x.preemptor); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(victims, "victims")
			b.ReportMetric(before, "kube-victims")
		})
	}
	b.Run("nodes=10000/pods=50/mixed", func(b *testing.B) {
		c := workload{nodes: 10_000, pods: 50, budgets: 750, covered: 0.1}.cluster(benchSeed)
		preemptors := mixedPreemptors(1000)
		beside := e
		beside.Contrast = true
		victims, before, better, by := 0.0, 0.0, 0.0, map[string]int{}
		for _, p := range preemptors {
			victims, before = victims+count(&e, c, p), before+count(&kube, c, p)
			if r, err := beside.Preempt(context.Background(), c, p); err == nil && r.Contrast != nil && r.Contrast.Better {
				better++
				by[r.Contrast.By]++
			}
		}
		b.Logf("%v of %d better, by %v", better, len(preemptors), by)
		benchmarkPercentiles(b, &e, c, preemptors)
		b.ReportMetric(victims, "victims")
		b.ReportMetric(before, "kube-victims")
		b.ReportMetric(better/float64(len(preemptors)), "better/decision")
	})
}
