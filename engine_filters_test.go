package preemption

import (
	"context"
	"fmt"
	"testing"
)

// shuns is a monotone filter that refuses to share a node with certain pods, and
// counts how often it is asked.
type shuns struct {
	pod   func(*Pod) bool
	asked *int
}

func (shuns) Name() string { return "Shuns" }

func (s shuns) Prepare(_ *Pod, v View) (Prepared, error) { return preparedShuns{s, v}, nil }

type preparedShuns struct {
	shuns
	view View
}

func (preparedShuns) Monotone() bool { return true }

func (s preparedShuns) Begin(n *Node) (DryRun, error) {
	r := &shunsRun{preparedShuns: s, node: n}
	for _, p := range s.view.PodsOn(n) {
		_ = r.Add(p, n)
	}
	return r, nil
}

type shunsRun struct {
	preparedShuns
	node *Node
	n    int
}

func (r *shunsRun) Add(p *Pod, on *Node) error {
	if on == r.node && r.pod(p) {
		r.n++
	}
	return nil
}

func (r *shunsRun) Remove(p *Pod, on *Node) error {
	if on == r.node && r.pod(p) {
		r.n--
	}
	return nil
}

func (r *shunsRun) Fits() (Status, error) {
	*r.asked++
	if r.n > 0 {
		return Status{Code: Unschedulable, Reasons: []string{"it is shunned"}}, nil
	}
	return Status{}, nil
}

// TestFilterRuns: a filter of the caller's that rejects nothing is run at most
// twice on a node that is evaluated, instead of once a pod.
func TestFilterRuns(t *testing.T) {
	c := workload{nodes: 200, pods: 50}.cluster(benchSeed)
	p := asking(16, 32)
	_, _, evaluated := searchStats(t, c, p)
	asked := 0
	e := &Evaluator{Filters: append(DefaultFilters(), shuns{func(*Pod) bool { return false }, &asked})}
	r, err := e.Preempt(context.Background(), c, p)
	if err != nil {
		t.Fatal(err)
	}
	// With a judge the search cannot give up early on a node, so it may evaluate
	// some more.
	if r.FilterRuns == 0 || r.FilterRuns > 4*evaluated {
		t.Errorf("%d filter runs, want at most 2 on each of some %d nodes", r.FilterRuns, evaluated)
	}
	x, err := e.Examine(context.Background(), c, p)
	if err != nil {
		t.Fatal(err)
	}
	if x.Node != r.Node || x.FilterRuns < 10*r.FilterRuns {
		t.Errorf("Examine: node %s in %d runs, Preempt: node %s in %d", x.Node.Name, x.FilterRuns, r.Node.Name, r.FilterRuns)
	}
	perNode := map[string]int{}
	for i := range x.Nodes {
		perNode[x.Nodes[i].Node.Name] = x.Nodes[i].FilterRuns
	}
	if n := perNode[x.Node.Name]; n < 50 {
		t.Errorf("the twin ran the filters %d times on a node of 50 pods", n)
	}
}

// TestFilterRunsOnRejection: from the first pod that a filter rejects on, it goes
// one by one; the pod itself is found by halves.
func TestFilterRunsOnRejection(t *testing.T) {
	for _, rejected := range []int{1, 20, 49} {
		s := ClusterState{Nodes: []*Node{{Name: "n", Allocatable: Resources{CPU: 50, PodCount: 110}}}}
		for i := range 50 {
			s.Pods = append(s.Pods, &Pod{Name: fmt.Sprint("p", i), UID: fmt.Sprint(i), NodeName: "n", Priority: int32(100 - i), Requests: Resources{CPU: 1}})
		}
		c, err := NewCluster(s)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		e := &Evaluator{Filters: append(DefaultFilters(), shuns{func(p *Pod) bool { return p.Name == fmt.Sprint("p", rejected) }, &asked})}
		preemptor := &Pod{Name: "high", Priority: 1000, Requests: Resources{CPU: 1}}
		r, err := e.Preempt(context.Background(), c, preemptor)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := e.preemptSlow(context.Background(), c, preemptor)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := decision(r, nil), decision(slow, nil); a != b {
			t.Errorf("engine: %s\ntwin: %s", a, b)
		}
		// As it is, with what arithmetic keeps, six halvings of 49, and those behind.
		if most := 2 + 6 + 50 - rejected; r.FilterRuns > most {
			t.Errorf("pod %d is rejected: %d filter runs, want at most %d (one by one: %d)", rejected, r.FilterRuns, most, slow.FilterRuns)
		}
	}
}
