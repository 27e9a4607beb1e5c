//go:build !race

// The race detector allocates on its own.

package preemption

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// A decision of the engine allocates its result, and nothing that grows with the
// cluster. The room left is for lists of victims that have to grow.
func TestEngineAllocatesTheResultAlone(t *testing.T) {
	limits := map[string]float64{"impossible": 1, "48cores": 20}
	for _, x := range benchCases {
		limit, ok := limits[x.name]
		if !ok {
			limit = 12
		}
		for _, nodes := range []int{100, 1500} {
			x.workload.nodes, x.workload.pods = nodes, 20
			c := x.workload.cluster(benchSeed)
			for _, e := range []*Evaluator{{}, {Filters: DefaultFilters()}} {
				got := testing.AllocsPerRun(50, func() {
					if _, err := e.Preempt(context.Background(), c, x.preemptor); err != nil {
						t.Fatal(err)
					}
				})
				t.Logf("%s, %d nodes, %d filters given: %v allocations", x.name, nodes, len(e.Filters), got)
				if got > limit {
					t.Errorf("%s, %d nodes, %d filters given: %v allocations, want at most %v", x.name, nodes, len(e.Filters), got, limit)
				}
			}
		}
	}
}

// Budgets that are gone leave nothing behind, however many there have been, each in
// a namespace of its own or all in one; those that stay are charged as before.
func TestBudgetsLeaveNothingBehind(t *testing.T) {
	c := workload{nodes: 20, pods: 10, budgets: 100, covered: 0.5}.cluster(benchSeed)
	first := c.DisruptionBudgets()[0] // comes again as the last, so that closing up moves the numbers of all
	if err := errors.Join(c.RemoveBudget(first.Namespace, first.Name), c.SetBudget(first)); err != nil {
		t.Fatal(err)
	}
	before, want := c.engine.table.NumberedBudgets(), c.DisruptionBudgets()
	closedUp := 0
	for i := range 5000 {
		b := &PodDisruptionBudget{Namespace: fmt.Sprint("gone-", i%2*i), Name: fmt.Sprint(i), Selector: &Selector{MatchLabels: map[string]string{"app": fmt.Sprint(i)}}}
		if err := c.SetBudget(b); err != nil {
			t.Fatal(err)
		}
		numbered := c.budgets.next
		if err := c.RemoveBudget(b.Namespace, b.Name); err != nil {
			t.Fatal(err)
		}
		if c.budgets.next < numbered {
			closedUp++
		}
	}
	if closedUp > 5000/before { // each time for every cover: not before as many have gone as there are
		t.Errorf("numbers were closed up %d times", closedUp)
	}
	if n := c.engine.table.NumberedBudgets(); n > 3*before+32 {
		t.Errorf("the engine keeps %d budgets of %d", n, before)
	}
	for namespace := range c.budgets.byNamespace {
		if strings.HasPrefix(namespace, "gone-") {
			t.Errorf("namespace %s is still there", namespace)
		}
	}
	if got := c.DisruptionBudgets(); !slices.Equal(got, want) {
		t.Errorf("the budgets are %v, want %v", got, want)
	}
	if err := CheckEngine(c); err != nil {
		t.Error(err)
	}
	for _, size := range []int64{1, 8, 30} {
		p := asking(size, 2*size)
		fast, errFast := (&Evaluator{}).Preempt(context.Background(), c, p)
		slow, errSlow := (&Evaluator{}).preemptSlow(context.Background(), c, p)
		if errFast != nil || errSlow != nil || fast.Node != slow.Node || fast.Violations != slow.Violations || !slices.Equal(fast.Delete, slow.Delete) {
			t.Errorf("size %d: engine %v, %v; slow path %v, %v", size, fast, errFast, slow, errSlow)
		}
	}
}

// The places of what has gone are used again: what comes and goes, again and again, takes
// no more memory than once.
func TestPlacesAreUsedAgain(t *testing.T) {
	c := &Cluster{}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.SetBudget(&PodDisruptionBudget{Namespace: "ns", Name: "all", Selector: &Selector{MatchLabels: map[string]string{"app": "web"}}}))
	must(c.SetPodGroup(&PodGroup{Namespace: "ns", Name: "group", DisruptionMode: DisruptAll}))
	var once []int
	for range 4 {
		must(c.AddNode(&Node{Name: "node", Allocatable: Resources{PodCount: 1}}))
		must(c.AddPod(&Pod{Namespace: "ns", Name: "pod", NodeName: "node", Group: "group", Labels: map[string]string{"app": "web"}}))
		must(CheckEngine(c))
		must(c.RemovePodGroup("ns", "group")) // its pod stands for itself
		if len(c.units) > 0 {
			t.Fatalf("groups %v are gone", c.units)
		}
		must(c.SetPodGroup(&PodGroup{Namespace: "ns", Name: "group", DisruptionMode: DisruptAll}))
		must(c.RemovePod("ns", "pod"))
		must(c.RemoveNode("node"))
		places := []int{len(c.pods.entries), len(c.homes), len(c.covers.sets), len(c.engine.units)}
		if once == nil {
			once = places
		}
		if !slices.Equal(places, once) || len(c.units)+len(c.unitOf)+len(c.inGroup) > 0 {
			t.Fatalf("places of pods, nodes, sets of budgets and units: %d, after the first time %d; groups %v", places, once, c.units)
		}
	}

	// A place is used by one at a time.
	for _, name := range []string{"a", "b"} {
		must(c.AddNode(&Node{Name: name, Allocatable: Resources{PodCount: 1}}))
		must(c.AddPod(&Pod{Namespace: "ns", Name: name, NodeName: name}))
	}
	must(CheckEngine(c))
}

// With a handful of resources more or less than there are dimensions for, each pod that
// comes or goes is counted.
func TestResourcesAroundTheDimensions(t *testing.T) {
	for n := maxDimensions - 3; n <= maxDimensions+2; n++ {
		state := ClusterState{Nodes: []*Node{{Name: "node", Allocatable: Resources{PodCount: 100}}}}
		for i := range 2 * n {
			state.Pods = append(state.Pods, &Pod{Name: fmt.Sprint(i), NodeName: "node", Requests: Resources{fmt.Sprint("r", i%n): 1}})
		}
		c, err := NewCluster(state)
		for i := 0; err == nil && i < len(state.Pods); i++ {
			if err = CheckEngine(c); err == nil {
				err = c.RemovePod("", fmt.Sprint(i))
			}
		}
		if err != nil {
			t.Errorf("%d resources: %v", n, err)
		}
	}
}

// A pod that leaves while others request what it does looks for nobody who waits for a
// dimension: it takes no more memory where some wait than where none do.
func TestLeavingPodsLookForNobody(t *testing.T) {
	allocations := func(resources int) float64 {
		state := ClusterState{Nodes: []*Node{{Name: "node", Allocatable: Resources{PodCount: 100}}}}
		for i := range 3 * resources {
			state.Pods = append(state.Pods, &Pod{Name: fmt.Sprint(i), NodeName: "node", Requests: Resources{fmt.Sprint("r", i/3): 1}})
		}
		c, err := NewCluster(state)
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(50, func() {
			if err := cmp.Or(c.RemovePod("", "0"), c.AddPod(state.Pods[0])); err != nil {
				t.Fatal(err)
			}
		})
	}
	if none, some := allocations(maxDimensions-1), allocations(maxDimensions+6); some > none {
		t.Errorf("a pod that leaves and comes allocates %v times, %v times where none wait", some, none)
	}
}

// Resources that nobody requests any more give their dimensions back: to the next
// that comes, and to those that came when there was none to give.
func TestDimensionsAreGivenBack(t *testing.T) {
	c := workload{nodes: 70, pods: 5}.cluster(benchSeed)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	odd := func(i int) *Pod {
		return &Pod{Namespace: "odd", Name: fmt.Sprint(i), NodeName: c.nodes[i].Name, Requests: Resources{fmt.Sprint("odd-", i): 1}}
	}
	gpu := func(name string, on *Node) *Pod {
		return &Pod{Namespace: "gpu", Name: name, UID: name, NodeName: on.Name, Requests: Resources{"gpu": 2}}
	}
	for i, n := range c.nodes {
		more := *n
		more.Allocatable = Resources{"gpu": int64(2 + i%3), CPU: n.Allocatable[CPU], Memory: n.Allocatable[Memory], PodCount: 110}
		must(c.UpdateNode(&more))
	}
	for i := range 9 {
		must(c.AddPod(odd(i)))
	}
	for i, n := range c.nodes {
		must(c.AddPod(gpu(fmt.Sprint(i), n)))
	}
	preemptor := &Pod{Name: "high", UID: "high", Priority: math.MaxInt32, Requests: Resources{"gpu": 3, CPU: 100}}
	check := func(engine bool) {
		t.Helper()
		e := &Evaluator{}
		fast, ok := e.preemptFast(context.Background(), c, preemptor)
		if ok != engine {
			t.Fatalf("decided by the engine: %t, want %t", ok, engine)
		}
		slow, err := e.preemptSlow(context.Background(), c, preemptor)
		must(err)
		if slow.Outcome != OutcomePreempt || ok && (fast.Node != slow.Node || !slices.Equal(fast.Delete, slow.Delete)) {
			t.Errorf("engine: %v, slow path: %v", fast, slow)
		}
	}
	check(false)
	for i := range 9 {
		must(c.RemovePod("odd", fmt.Sprint(i)))
	}
	check(true)
	must(c.RemovePod("gpu", "0"))
	must(c.AddPod(gpu("0", c.nodes[0])))
	check(true)
}
