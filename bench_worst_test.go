package preemption

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// worstCases are clusters in which bounds tell nodes apart badly, of so many
// nodes with so many pods. No preemptor fits as it is.
var worstCases = []struct {
	name  string
	state func(nodes, pods int) ClusterState
}{
	{"identical-nodes", identicalNodes},
	{"spent-budgets", func(nodes, pods int) ClusterState { return spentBudgets(nodes, pods, 1) }},
	{"spent-budget-of-all", func(nodes, pods int) ClusterState { return spentBudgets(nodes, pods, 0) }},
	{"same-priority-and-start", func(nodes, pods int) ClusterState {
		return adapted(nodes, pods, func(_ *rand.Rand, p *Pod) { p.Priority, p.Start = 0, time.Unix(1_700_000_000, 0) })
	}},
	{"one-level", func(nodes, pods int) ClusterState {
		return adapted(nodes, pods, func(_ *rand.Rand, p *Pod) { p.Priority = 0 })
	}},
	{"thousands-of-levels", func(nodes, pods int) ClusterState {
		return adapted(nodes, pods, func(r *rand.Rand, p *Pod) { p.Priority = int32(r.IntN(5000)) })
	}},
	{"overcommitted", overcommitted},
}

// worstSizes are the preemptors of BenchmarkWorst.
var worstSizes = []struct {
	name      string
	preemptor *Pod
}{{"4cores", asking(4, 8)}, {"16cores", asking(16, 32)}, {"48cores", asking(48, 96)}}

// identicalNodes are all like the first one, but for names: every bound is the
// same everywhere.
func identicalNodes(nodes, pods int) ClusterState {
	s := workload{nodes: 1, pods: pods}.state(benchSeed)
	first, of := s.Nodes[0], s.Pods
	for i := 1; i < nodes; i++ {
		n := *first
		n.Name = fmt.Sprint("node-", i)
		s.Nodes = append(s.Nodes, &n)
		for j, p := range of {
			q := *p
			q.Name = fmt.Sprintf("pod-%d-%d", i, j)
			q.UID, q.NodeName = q.Name, n.Name
			s.Pods = append(s.Pods, &q)
		}
	}
	return s
}

// spentBudgets puts every pod under a budget that allows nothing any more; every
// so many pods of a node, none if zero, is under none.
func spentBudgets(nodes, pods, free int) ClusterState {
	serial := 0
	s := adapted(nodes, pods, func(_ *rand.Rand, p *Pod) {
		if serial++; free == 0 || serial%(pods/free) != 0 {
			p.Labels = map[string]string{"budgeted": "yes"}
		}
	})
	for i := range 50 {
		s.DisruptionBudgets = append(s.DisruptionBudgets, &PodDisruptionBudget{Namespace: fmt.Sprint("ns-", i), Name: "none",
			Selector: &Selector{MatchLabels: map[string]string{"budgeted": "yes"}}})
	}
	return s
}

// overcommitted nodes have less memory than their pods request, so that the
// preemptor needs many of them gone.
func overcommitted(nodes, pods int) ClusterState {
	s := workload{nodes: nodes, pods: pods}.state(benchSeed)
	for _, n := range s.Nodes {
		n.Allocatable[Memory] = n.Allocatable[Memory] / 2
	}
	return s
}

// adapted is the workload with its pods changed.
func adapted(nodes, pods int, change func(*rand.Rand, *Pod)) ClusterState {
	s := workload{nodes: nodes, pods: pods}.state(benchSeed)
	r := rand.New(rand.NewPCG(benchSeed, 3))
	for _, p := range s.Pods {
		change(r, p)
	}
	return s
}

// BenchmarkWorst decides on clusters that are hard for the engine. The goal is two
// milliseconds each.
func BenchmarkWorst(b *testing.B) {
	for _, x := range worstCases {
		var c *Cluster // shared by the sizes, built once one of them is asked for
		for _, size := range worstSizes {
			b.Run(fmt.Sprintf("%s/%s", x.name, size.name), func(b *testing.B) {
				if c == nil {
					var err error
					if c, err = NewCluster(x.state(10_000, 50)); err != nil {
						b.Fatal(err)
					}
				}
				e := searching()
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Preempt(context.Background(), c, size.preemptor); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// atMostOne is a monotone filter that looks at the pods of a node: at most one of
// an app.
type atMostOne struct {
	app string
	on  map[*Node][]*Pod // where it runs
}

func (atMostOne) Name() string { return "AtMostOne" }

func (f atMostOne) Prepare(*Pod, View) (Prepared, error) { return f, nil }
func (atMostOne) Monotone() bool                         { return true }

func (f atMostOne) Begin(n *Node) (DryRun, error) {
	return &atMostOneRun{app: f.app, node: n, count: len(f.on[n])}, nil
}

type atMostOneRun struct {
	app   string
	node  *Node
	count int
}

func (r *atMostOneRun) Add(p *Pod, on *Node) error {
	if on == r.node && p.Labels["app"] == r.app {
		r.count++
	}
	return nil
}

func (r *atMostOneRun) Remove(p *Pod, on *Node) error {
	if on == r.node && p.Labels["app"] == r.app {
		r.count--
	}
	return nil
}

func (r *atMostOneRun) Fits() (Status, error) {
	if r.count > 0 {
		return Status{Code: Unschedulable, Reasons: []string{"the app is there"}}, nil
	}
	return Status{}, nil
}

// benchFilters are a caller's filters of each kind. They are monotone but for the
// last, which does not say so.
func benchFilters(c *Cluster) map[string]Filter {
	tenth := func(name string) bool {
		h := fnv.New32a()
		h.Write([]byte(name))
		return h.Sum32()%10 == 0
	}
	allowed := make(map[*Node]bool)
	zone := make(map[*Node]bool)
	app := atMostOne{app: "app-1", on: make(map[*Node][]*Pod)}
	for i, n := range c.nodes {
		allowed[n], zone[n] = tenth(n.Name), i%3 == 0
		for _, p := range c.PodsOn(n) {
			if p.Labels["app"] == app.app {
				app.on[n] = append(app.on[n], p)
			}
		}
	}
	only := func(set map[*Node]bool) func(*Pod, *Node) Status {
		reasons := []string{"not here"}
		return func(_ *Pod, n *Node) Status {
			if set[n] {
				return Status{}
			}
			return Status{Code: Unresolvable, Reasons: reasons}
		}
	}
	return map[string]Filter{
		"node":         NodeFilter("Tenth", only(allowed)),
		"pods":         app,
		"zone":         NodeFilter("Zone", only(zone)),
		"not-monotone": FilterFunc(func(*Pod, *Node, []*Pod) Status { return Status{} }),
	}
}

// BenchmarkFilters decides with one filter of a caller beside the built-in ones,
// with something to preempt and with nothing that helps.
func BenchmarkFilters(b *testing.B) {
	c := workload{nodes: 10_000, pods: 50}.cluster(benchSeed)
	filters := benchFilters(c)
	filters["none"] = nil
	names := []string{"none", "node", "pods", "zone", "not-monotone"}
	for _, x := range []struct {
		name      string
		preemptor *Pod
	}{{"4cores", asking(4, 8)}, {"16cores", asking(16, 32)}, {"nothing-helps", asking(100_000, 1)}} {
		for _, name := range names {
			b.Run(fmt.Sprintf("nodes=10000/pods=50/%s/%s", name, x.name), func(b *testing.B) {
				e := searching()
				if filters[name] != nil {
					e.Filters = append(DefaultFilters(), filters[name])
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Preempt(context.Background(), c, x.preemptor); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkStatuses decides with the status of every node known, as in a
// PostFilter, and with a monotone filter that refuses nothing.
func BenchmarkStatuses(b *testing.B) {
	c := workload{nodes: 2000, pods: 30}.cluster(benchSeed)
	unschedulable := func(*Node) (Status, bool) { return Status{Code: Unschedulable}, true }
	for _, x := range []struct {
		name      string
		e         Evaluator
		preemptor *Pod
	}{
		{"no-op-filter/nothing-helps", Evaluator{Filters: append(DefaultFilters(), atMostOne{app: "none"})}, asking(100_000, 1)},
		{"every-status-known/4cores", Evaluator{Statuses: unschedulable}, asking(4, 8)},
		{"every-status-known/nothing-helps", Evaluator{Statuses: unschedulable}, asking(100_000, 1)},
	} {
		b.Run("nodes=2000/pods=30/"+x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.e.Preempt(context.Background(), c, x.preemptor); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStream decides for identical preemptors of one job, one after another,
// each decision committed. An op is the whole job; the figure is for one of them.
func BenchmarkStream(b *testing.B) {
	const arriving = 1000
	b.Run(fmt.Sprintf("nodes=10000/pods=50/pods-arriving=%d", arriving), func(b *testing.B) {
		cluster := workload{nodes: 10_000, pods: 50}.cluster(benchSeed)
		var e Evaluator
		var spent time.Duration
		for b.Loop() {
			c := cluster.Clone()
			start := time.Now()
			for i := range arriving {
				p := *asking(4, 8)
				p.Name = fmt.Sprint("arriving-", i)
				p.UID = p.Name
				r, err := e.Preempt(context.Background(), c, &p)
				if err == nil {
					err = c.Commit(r)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			spent += time.Since(start)
		}
		b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N*arriving), "ns/pod")
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkParallel makes queries on one cluster from as many goroutines as there
// are cores: compare -cpu 1 and -cpu 2.
func BenchmarkParallel(b *testing.B) {
	c := workload{nodes: 10_000, pods: 50}.cluster(benchSeed)
	e := searching()
	preemptors := slices.Values([]*Pod{asking(4, 8), asking(16, 32), asking(48, 96)})
	b.ResetTimer() // RunParallel does not leave out what comes before
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			for p := range preemptors {
				if _, err := e.Preempt(context.Background(), c, p); err != nil {
					b.Error(err)
				}
			}
		}
	})
}
