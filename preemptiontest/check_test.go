package preemptiontest_test

import (
	"context"
	"strings"
	"testing"

	"example.com/preemption"
	"example.com/preemption/preemptiontest"
)

// Each change makes a good result wrong; the check has to say so.
func TestCheckResultFindsWhatIsWrong(t *testing.T) {
	cpu := func(milli int64) preemption.Resources { return preemption.Resources{preemption.CPU: milli} }
	room := preemption.Resources{preemption.CPU: 4000, preemption.PodCount: 10}
	nodes := []*preemption.Node{{Name: "n1", Allocatable: room}, {Name: "n2", Allocatable: room}, {Name: "n3", Allocatable: room}}
	pod := func(name, node string, priority int32, milli int64) *preemption.Pod {
		return &preemption.Pod{Namespace: "default", Name: name, UID: name, NodeName: node, Priority: priority, Requests: cpu(milli),
			Labels: map[string]string{"app": name}}
	}
	budgets := []*preemption.PodDisruptionBudget{{Namespace: "default", Name: "c", Selector: &preemption.Selector{MatchLabels: map[string]string{"app": "c"}}}}
	c, err := preemption.NewCluster(preemption.ClusterState{Nodes: nodes, DisruptionBudgets: budgets, Pods: []*preemption.Pod{
		pod("a", "n1", 10, 2000), pod("b", "n1", 10, 2000), pod("c", "n2", 5, 2000), pod("d", "n2", 20, 2000), pod("lord", "n3", 500, 4000),
	}})
	if err != nil {
		t.Fatal(err)
	}
	web := pod("web", "", 100, 2000)
	on := func(names ...string) (list []*preemption.Victim) {
		for _, name := range names {
			p := c.Pod("default", name)
			list = append(list, preemption.NewPodVictim(p, c.Node(p.NodeName)))
		}
		return list
	}
	best := preemption.Evaluator{Victims: preemption.VictimsBest, Budgets: preemption.BudgetsRespected}
	good, err := best.Preempt(context.Background(), c, web)
	if err != nil || len(good.Victims) != 1 || good.Victims[0].Pods[0].Name != "b" {
		t.Fatalf("Preempt = %+v, %v, want b to go", good, err)
	}
	for name, x := range map[string]struct {
		change func(*preemption.Result)
		want   string
	}{
		"good":         {func(*preemption.Result) {}, ""},
		"too few":      {func(r *preemption.Result) { r.Victims = nil }, "it does not fit on node n1 without []"},
		"one too many": {func(r *preemption.Result) { r.Victims = on("a", "b") }, "one of [default/a default/b] on node n1 could be spared"},
		"of [default/b default/a] on node n1 may go, in this order, [default/a default/b]": {func(r *preemption.Result) { r.Victims = on("b", "a") }, "of [default/b default/a] on node n1 may go, in this order, [default/a default/b]"},
		"too high":     {func(r *preemption.Result) { r.Node, r.Victims = nodes[2], on("lord") }, "of [default/lord] on node n3 may go, in this order, []"},
		"miscounted":   {func(r *preemption.Result) { r.Violations = 1 }, "1 violations, want 0"},
		"a violation":  {func(r *preemption.Result) { r.Node, r.Victims, r.Violations = nodes[1], on("c"), 1 }, "evicting [default/c] violates budgets"},
		"not the best": {func(r *preemption.Result) { r.Node, r.Victims = nodes[1], on("d") }, "evicting [default/b] from node n1 is better"},
		"it helps":     {func(r *preemption.Result) { *r = preemption.Result{Exact: true} }, "evicting [default/b] from node n1 is better"},
		"it fits":      {func(r *preemption.Result) { *r = preemption.Result{Outcome: preemption.OutcomeFits, Node: nodes[0]} }, "it does not fit on node n1 without []"},
	} {
		r := *good
		x.change(&r)
		err := preemptiontest.CheckResult(c, budgets, web, &r, preemptiontest.Settings{Evaluator: best, Most: 4})
		if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s: %v, want %q", name, err, x.want)
		}
	}

	// Where more may go than sets are tried of, nothing is known to be better.
	worse := *good
	worse.Node, worse.Victims = nodes[1], on("d")
	if err := preemptiontest.CheckResult(c, budgets, web, &worse, preemptiontest.Settings{Evaluator: best, Most: 1}); err != nil {
		t.Errorf("too many sets: %v", err)
	}

	// What is not accepted. Under a filter that is not monotone it is not known which victim could stay.
	picky := best
	picky.Accept = func(_ *preemption.Pod, _ *preemption.Node, victims []*preemption.Victim) preemption.Status {
		return preemption.Status{Code: preemption.Unschedulable}
	}
	if err := preemptiontest.CheckResult(c, budgets, web, good, preemptiontest.Settings{Evaluator: picky, Most: 4}); err == nil || !strings.Contains(err.Error(), "is refused") {
		t.Errorf("refused: %v", err)
	}
	fickle := preemption.Evaluator{Filters: append(preemption.DefaultFilters(), preemption.PodsFilter("Fickle", false,
		func(*preemption.Pod, *preemption.Node, []*preemption.Pod) preemption.Status {
			return preemption.Status{}
		}))}
	spareable := preemption.Result{Outcome: preemption.OutcomePreempt, Node: nodes[0], Victims: on("a", "b")}
	if err := preemptiontest.CheckResult(c, budgets, web, &spareable, preemptiontest.Settings{Evaluator: fickle}); err != nil {
		t.Errorf("not monotone: %v", err)
	}

	// For kube-scheduler's policy, victims too many, and what no set of victims helps.
	many := preemption.Result{Outcome: preemption.OutcomePreempt, Node: nodes[0], Victims: on("a", "b")}
	if err := preemptiontest.CheckResult(c, budgets, web, &many, preemptiontest.Settings{}); err == nil || !strings.Contains(err.Error(), "could be spared") {
		t.Errorf("too many: %v", err)
	}
	wrong := preemption.Result{Outcome: preemption.OutcomeUnhelpful}
	if err := preemptiontest.CheckResult(c, budgets, web, &wrong, preemptiontest.Settings{}); err == nil || !strings.Contains(err.Error(), "unhelpful, but it fits on node n1") {
		t.Errorf("unhelpful: %v", err)
	}
}
