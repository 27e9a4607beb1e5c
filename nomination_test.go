package preemption_test

import (
	"math"
	"slices"
	"testing"

	"example.com/preemption"
)

// A pending pod nominated to the node holds its place, unless it is the
// preemptor itself: the same UID, or the same name where a UID is missing.
func TestNominationOfThePreemptorItself(t *testing.T) {
	tests := []struct {
		name               string
		preemptor, nominee preemption.Pod
		itself             bool
	}{
		{name: "same UID", preemptor: preemption.Pod{Namespace: "ns", Name: "a", UID: "1"}, nominee: preemption.Pod{Namespace: "ns", Name: "a", UID: "1"}, itself: true},
		{name: "same UID, other name", preemptor: preemption.Pod{Namespace: "ns", Name: "a", UID: "1"}, nominee: preemption.Pod{Namespace: "ns", Name: "b", UID: "1"}, itself: true},
		{name: "other UID, same name: an earlier incarnation", preemptor: preemption.Pod{Namespace: "ns", Name: "a", UID: "2"}, nominee: preemption.Pod{Namespace: "ns", Name: "a", UID: "1"}},
		{name: "no UIDs, same name", preemptor: preemption.Pod{Namespace: "ns", Name: "a"}, nominee: preemption.Pod{Namespace: "ns", Name: "a"}, itself: true},
		{name: "one UID, same name", preemptor: preemption.Pod{Namespace: "ns", Name: "a", UID: "1"}, nominee: preemption.Pod{Namespace: "ns", Name: "a"}, itself: true},
		{name: "the other UID, same name", preemptor: preemption.Pod{Namespace: "ns", Name: "a"}, nominee: preemption.Pod{Namespace: "ns", Name: "a", UID: "1"}, itself: true},
		{name: "no UIDs, other name", preemptor: preemption.Pod{Namespace: "ns", Name: "a"}, nominee: preemption.Pod{Namespace: "ns", Name: "b"}},
		{name: "no UIDs, other namespace", preemptor: preemption.Pod{Namespace: "ns", Name: "a"}, nominee: preemption.Pod{Namespace: "other", Name: "a"}},
	}
	for _, test := range tests {
		p, nominee := test.preemptor, test.nominee
		p.Priority, nominee.Priority = 10, 10
		nominee.NominatedNode = "n"
		c := newCluster(t, preemption.ClusterState{
			Nodes: []*preemption.Node{{Name: "n", Allocatable: preemption.Resources{preemption.PodCount: 1}}},
			Pods:  []*preemption.Pod{&nominee},
		})
		var e preemption.Evaluator
		for name, ask := range bothWays(&e) {
			r, err := ask(t.Context(), c, &p)
			if err != nil {
				t.Fatal(err)
			}
			if fits := r.Outcome == preemption.OutcomeFits; fits != test.itself {
				t.Errorf("%s: %s: fits beside the nominated pod: %v, want %v", test.name, name, fits, test.itself)
			}
		}
	}
}

// What a dry run is asked, step by step: all victims go, nominated pods come
// before each test and go in reverse after it, and only a fit beside them is
// tested again without them.
func TestCallsOfADryRun(t *testing.T) {
	node := &preemption.Node{Name: "n"}
	victim := func(name string, priority int32) *preemption.Victim {
		return preemption.NewPodVictim(&preemption.Pod{Namespace: "ns", Name: name, Priority: priority}, node)
	}
	run := &recorder{limit: 3}
	selection, err := preemption.SelectVictimsOnNode(preemption.NodeCase{
		Preemptor: &preemption.Pod{Name: "preemptor", Priority: 10},
		Node:      node,
		DryRun:    run,
		Nominated: []*preemption.Pod{{Name: "x", Priority: 10}, {Name: "low", Priority: 9}, {Name: "y", Priority: 11}},
		Victims:   []*preemption.Victim{victim("a", 1), victim("b", 2), victim("equal", 10)},
	})
	if err != nil || len(selection.Victims) != 1 || selection.Victims[0].Pods[0].Name != "a" {
		t.Errorf("SelectVictimsOnNode = %+v, %v; want a to go", selection, err)
	}
	want := []string{
		"-a", "-b", // in the order given
		"+x", "+y", "fits 2", "-y", "-x", "fits 0",
		"+b", "+x", "+y", "fits 3", "-y", "-x", "fits 1", // the more important first
		"+a", "+x", "+y", "fits 4", "-y", "-x", "-a", // refused beside them: no second test
	}
	if !slices.Equal(run.calls, want) {
		t.Errorf("calls\n%v, want\n%v", run.calls, want)
	}
}

// recorder is a dry run that takes note. It fits with up to limit pods.
type recorder struct {
	limit, pods int
	calls       []string
}

func (r *recorder) Add(p *preemption.Pod, _ *preemption.Node) error {
	r.pods++
	r.calls = append(r.calls, "+"+p.Name)
	return nil
}

func (r *recorder) Remove(p *preemption.Pod, _ *preemption.Node) error {
	if r.calls == nil {
		r.pods = 2 // the victims were there
	}
	r.pods--
	r.calls = append(r.calls, "-"+p.Name)
	return nil
}

func (r *recorder) Fits() (preemption.Status, error) {
	r.calls = append(r.calls, "fits "+string(rune('0'+r.pods)))
	if r.pods > r.limit {
		return preemption.Status{Code: preemption.Unschedulable}, nil
	}
	return preemption.Status{}, nil
}

// Whose nomination counts: the cluster's word on this pod, not on an earlier one
// of the same name; else what the pod itself says. The preemptor waits for the
// pod that is terminating on the node.
func TestNominationThatCounts(t *testing.T) {
	p := func(uid, nominated string) *preemption.Pod {
		return &preemption.Pod{Namespace: "ns", Name: "a", UID: uid, Priority: 10, NominatedNode: nominated}
	}
	tests := []struct {
		name      string
		known     *preemption.Pod // to the cluster
		nominate  string          // by Nominate, if not ""
		preemptor *preemption.Pod
		waits     bool
	}{
		{"the pod says so", nil, "", p("1", "n1"), true},
		{"the pod says otherwise", nil, "", p("1", "n0"), false},
		{"the cluster knows better", p("1", ""), "n1", p("1", ""), true},
		{"the cluster knows that it is not", p("1", ""), "n0", p("1", "n1"), false},
		{"an earlier pod was nominated", p("1", "n1"), "", p("2", "n0"), false},
		{"an earlier pod was nominated elsewhere", p("1", "n0"), "", p("2", "n1"), true},
	}
	for _, test := range tests {
		c, _ := twoEach(t)
		leaving := *c.Pod("ns", "n1a")
		leaving.Termination = preemption.TerminatingByPreemption
		if err := c.UpdatePod(&leaving); err != nil {
			t.Fatal(err)
		}
		if test.known != nil {
			if err := c.AddPod(test.known); err != nil {
				t.Fatal(err)
			}
		}
		if test.nominate != "" {
			if err := c.Nominate(test.known, test.nominate); err != nil {
				t.Fatal(err)
			}
		}
		e := preemption.Evaluator{Filters: []preemption.Filter{onePod{}}}
		for name, ask := range bothWays(&e) {
			r, err := ask(t.Context(), c, test.preemptor)
			if err != nil {
				t.Fatal(err)
			}
			if waits := r.Reason == preemption.ReasonTerminating; waits != test.waits {
				t.Errorf("%s: %s: waits: %v (%v), want %v", test.name, name, waits, r.Outcome, test.waits)
			}
		}
	}
}

// Lower nominations to the chosen node are cleared, but never the preemptor's
// own, even if the cluster knows it with another priority.
func TestClearedNominations(t *testing.T) {
	c, preemptor := twoEach(t)
	for _, p := range []*preemption.Pod{
		{Namespace: "ns", Name: "lower", Priority: 9},
		{Namespace: "ns", Name: "preemptor", Priority: 1}, // before its priority was raised
		{Namespace: "ns", Name: "lowest", Priority: -1},
	} {
		if err := c.Nominate(p, "n0"); err != nil {
			t.Fatal(err)
		}
	}
	e := preemption.Evaluator{Filters: []preemption.Filter{onePod{}}}
	for name, ask := range bothWays(&e) {
		r, err := ask(t.Context(), c, preemptor)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := podNames(r.ClearNominations), []string{"ns/lower", "ns/lowest"}; r.Node.Name != "n0" || !slices.Equal(got, want) {
			t.Errorf("%s clears %v of %v, want %v of n0", name, r.Node.Name, got, want)
		}
	}
}

// Pods may be nominated to a node that is yet to come. Of those that together request more
// than there can be it cannot come.
func TestNominationsBeforeTheNode(t *testing.T) {
	half := int64(math.MaxInt64/2 + 1)
	for _, test := range []struct {
		requests int64
		ok       bool
	}{{half - 1, true}, {half, false}} {
		c := newCluster(t, preemption.ClusterState{})
		for _, name := range []string{"a", "b"} {
			p := &preemption.Pod{Name: name, NominatedNode: "n", Requests: preemption.Resources{preemption.Memory: test.requests}}
			if err := c.AddPod(p); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.AddNode(&preemption.Node{Name: "n"}); (err == nil) != test.ok {
			t.Errorf("two that request %d each: %v", test.requests, err)
		}
	}
}
