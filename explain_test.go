package preemption_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/preemption"
)

// The last lines of an explanation say what to do and what chose it.
func TestExplainConcludes(t *testing.T) {
	tie, preemptor := twoEach(t)
	leaving := *tie.Pod("ns", "n0b")
	leaving.Termination = preemption.TerminatingOther
	if err := tie.UpdatePod(&leaving); err != nil {
		t.Fatal(err)
	}
	if err := tie.Nominate(&preemption.Pod{Namespace: "ns", Name: "waiting"}, "n0"); err != nil {
		t.Fatal(err)
	}
	never := *preemptor
	never.PreemptionPolicy = preemption.PreemptNever
	weak := *preemptor
	weak.Priority = 0
	one := []preemption.Filter{onePod{}}
	tests := []struct {
		name      string
		evaluator preemption.Evaluator
		preemptor *preemption.Pod
		want      string
	}{
		{"a tie", preemption.Evaluator{Filters: one}, preemptor, `
3 candidates; node n0 is the first of those that no criterion tells apart
  evict ns/n0a, priority 1
  evict ns/n0b, priority 1
  ns/n0b is terminating already
  ns/waiting loses its nomination to the node
`},
		{"one candidate", preemption.Evaluator{Filters: append([]preemption.Filter{onlyOn("n1")}, one...)}, preemptor, `
1 candidate; node n1 is cleared
  evict ns/n1a, priority 1
  evict ns/n1b, priority 1
`},
		{"an order decides", preemption.Evaluator{Filters: one, Orders: []preemption.Order{{Name: "last name", Compare: func(a, b *preemption.Candidate) int {
			return strings.Compare(b.Node.Name, a.Node.Name)
		}}}}, preemptor, `
3 candidates; node n2 is chosen by: last name
  evict ns/n2a, priority 1
  evict ns/n2b, priority 1
`},
		{"fits", preemption.Evaluator{Filters: []preemption.Filter{}}, preemptor, `
3 nodes can take the pod: nothing needs evicting
`},
		{"never", preemption.Evaluator{Filters: one}, &never, `
the pod may not preempt: not eligible due to preemptionPolicy=Never.
`},
		{"no victims", preemption.Evaluator{Filters: one}, &weak, `
preemption does not help: no eviction makes room anywhere
`},
		{"extender", preemption.Evaluator{Filters: one, Extenders: []preemption.Extender{{Process: only()}}}, preemptor, `
preemption does not help: no candidate node for preemption
`},
	}
	for _, test := range tests {
		x, err := test.evaluator.Examine(t.Context(), tie, test.preemptor)
		if err != nil {
			t.Fatal(err)
		}
		if text := x.Explain(); !strings.HasSuffix(text, test.want) {
			t.Errorf("%s: Explain() =\n%s\nwant it to end in\n%s", test.name, text, test.want)
		}
	}
}

// Examine tells of the nodes that were looked at, in node order, whatever the
// number of workers; of those without victims there is nothing to tell, and
// nothing is put back where the preemptor does not fit even then.
func TestTraceIsInNodeOrder(t *testing.T) {
	room := preemption.Resources{preemption.CPU: 4, preemption.PodCount: 10}
	pod := func(name, node string, priority int32, cpu int64) *preemption.Pod {
		return &preemption.Pod{Namespace: "ns", Name: name, UID: name, NodeName: node, Priority: priority, Requests: preemption.Resources{preemption.CPU: cpu}}
	}
	budget := &preemption.PodDisruptionBudget{Namespace: "ns", Name: "all", Selector: &preemption.Selector{}}
	c := newCluster(t, preemption.ClusterState{
		Nodes: []*preemption.Node{
			{Name: "cordoned", Allocatable: room, Unschedulable: true},
			{Name: "mixed", Allocatable: room},
			{Name: "important", Allocatable: room},
			{Name: "hopeless", Allocatable: room},
		},
		Pods: []*preemption.Pod{
			pod("a", "cordoned", 1, 4),
			pod("b", "mixed", 1, 1), pod("c", "mixed", 2, 3),
			pod("d", "important", 20, 4),
			pod("e", "hopeless", 20, 3), pod("f", "hopeless", 1, 1),
		},
		DisruptionBudgets: []*preemption.PodDisruptionBudget{budget},
	})
	for _, workers := range []int{1, 8} {
		var told []string
		e := preemption.Evaluator{Parallelism: workers, Trace: &preemption.Trace{
			Removed: func(n *preemption.Node, victims []*preemption.Victim, s preemption.Status, short []preemption.Shortfall) {
				told = append(told, fmt.Sprint(n.Name, " removed ", victims, " ", s, " ", short))
			},
			Protected: func(n *preemption.Node, victims []preemption.Violation) {
				told = append(told, fmt.Sprint(n.Name, " protected ", victims))
			},
			Classified: func(n *preemption.Node, violating []preemption.Violation) {
				told = append(told, fmt.Sprint(n.Name, " violating ", len(violating)))
			},
			Reprieved: func(n *preemption.Node, s preemption.Step) {
				told = append(told, fmt.Sprint(n.Name, " ", s.Victim, " ", s.Spared(), " ", s.Budgets, " ", s.Shortfalls))
			},
		}}
		x, err := e.Examine(t.Context(), c, pod("preemptor", "", 10, 2))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"mixed removed [ns/b ns/c] Success []",
			"mixed violating 2",
			"mixed ns/c false [ns/all] [{cpu 2 3 4}]",
			"mixed ns/b true [ns/all] []",
			"hopeless removed [ns/f] Unschedulable: Insufficient cpu [{cpu 2 3 4}]",
		}
		if !slices.Equal(told, want) {
			t.Errorf("%d workers: told\n%q, want\n%q", workers, told, want)
		}
		if x.Node.Name != "mixed" || x.Violations != 1 {
			t.Errorf("%d workers: %v with %d violations, want mixed with 1", workers, x.Node, x.Violations)
		}
	}

	// Where budgets protect it tells which victims, be it one.
	var told []string
	respecting := preemption.Evaluator{Budgets: preemption.BudgetsRespected, Trace: &preemption.Trace{
		Protected: func(n *preemption.Node, protected []preemption.Violation) {
			for _, v := range protected {
				told = append(told, fmt.Sprint(n.Name, " protects ", v.Victim))
			}
		},
	}}
	if _, err := respecting.Examine(t.Context(), c, pod("preemptor", "", 10, 2)); err != nil {
		t.Error(err)
	}
	if want := []string{"mixed protects ns/c", "mixed protects ns/b", "hopeless protects ns/f"}; !slices.Equal(told, want) {
		t.Errorf("told\n%q, want\n%q", told, want)
	}
	quiet := preemption.Evaluator{Trace: &preemption.Trace{}}
	if _, err := quiet.Examine(t.Context(), c, pod("preemptor", "", 10, 2)); err != nil {
		t.Error(err)
	}
}

// Without a trace the details of a refusal are not worked out.
func TestNoTraceAsksForNoDetails(t *testing.T) {
	asked := 0
	tracedSelection(t, &asked, nil)()
	tracedSelection(t, &asked, &preemption.Trace{})()
	if asked > 0 {
		t.Errorf("details were asked for %d times, for no trace", asked)
	}
	tracedSelection(t, &asked, &preemption.Trace{Reprieved: func(*preemption.Node, preemption.Step) {}})()
	if asked != 2 {
		t.Errorf("details were asked for %d times, want once for each of the two that could not stay", asked)
	}
}

// tracedSelection returns a function that clears a node of two pods under a trace
// and counts how often the details of a refusal are asked for.
func tracedSelection(t *testing.T, asked *int, trace *preemption.Trace) func() {
	t.Helper()
	cluster, preemptor := twoEach(t)
	node := cluster.Nodes()[0]
	return func() {
		prepared, err := onePod{}.Prepare(preemptor, cluster)
		if err != nil {
			t.Fatal(err)
		}
		d, err := prepared.Begin(node)
		if err != nil {
			t.Fatal(err)
		}
		_, err = preemption.SelectVictimsOnNode(preemption.NodeCase{
			Preemptor: preemptor, Node: node, DryRun: detailed{d, asked},
			Victims: preemption.Victims(node, cluster, nil), Trace: trace,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// detailed counts how often the details of a refusal are asked for.
type detailed struct {
	preemption.DryRun
	asked *int
}

func (d detailed) Shortfalls() []preemption.Shortfall {
	*d.asked++
	return nil
}

// Amounts are written as Kubernetes does: cpu in millicores, bytes with a binary
// suffix where that is exact.
func TestExplainAmounts(t *testing.T) {
	tests := []struct {
		resource string
		amount   int64
		want     string
	}{
		{preemption.CPU, 0, "0m"}, {preemption.CPU, 1500, "1500m"},
		{preemption.Memory, 0, "0"}, {preemption.Memory, 1, "1"}, {preemption.Memory, 1023, "1023"}, {preemption.Memory, 1 << 10, "1Ki"},
		{preemption.Memory, 1<<20 + 1<<10, "1025Ki"}, {preemption.Memory, 3 << 20, "3Mi"}, {preemption.Memory, 2 << 30, "2Gi"},
		{preemption.Memory, 5 << 40, "5120Gi"}, {preemption.Memory, math.MaxInt64, "9223372036854775807"},
		{preemption.EphemeralStorage, 1 << 30, "1Gi"}, {"example.com/gpu", 1024, "1024"},
	}
	for _, test := range tests {
		c := newCluster(t, preemption.ClusterState{
			Nodes: []*preemption.Node{{Name: "n", Allocatable: preemption.Resources{preemption.PodCount: 1}}},
			Pods: []*preemption.Pod{
				{Name: "stays", NodeName: "n", Priority: 2, Requests: preemption.Resources{preemption.CPU: 250, preemption.Memory: 1 << 30}},
				{Name: "goes", NodeName: "n"},
			},
		})
		p := &preemption.Pod{Name: "p", Priority: 1, Requests: preemption.Resources{test.resource: test.amount}}
		e := preemption.Evaluator{Filters: []preemption.Filter{preemption.NodeResources()}, Statuses: func(*preemption.Node) (preemption.Status, bool) {
			return preemption.Status{Code: preemption.Unschedulable}, true
		}}
		x, err := e.Examine(t.Context(), c, p)
		if err != nil {
			t.Fatal(err)
		}
		text := x.Explain()
		if want := "requests " + test.resource + " " + test.want + "\n"; !strings.Contains(text, want) {
			t.Errorf("Explain() =\n%s\nwant %q in it", text, want)
		}
		free := map[string]string{preemption.CPU: "(-250m of 0m free)", preemption.Memory: "(-1Gi of 0 free)"}[test.resource]
		if test.amount > 0 && !strings.Contains(text, free) {
			t.Errorf("Explain() =\n%s\nwant %q in it", text, free)
		}
	}
}
