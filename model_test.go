package preemption_test

import (
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/replay"
	"github.com/google/go-cmp/cmp"
)

func TestParseRelease(t *testing.T) {
	good := map[string]preemption.Release{
		"": preemption.ReleaseNewest, "1.36": preemption.Release136, "v1.36": preemption.Release136, "1.37.2": preemption.Release137,
		"v1.37.12": preemption.Release137, "1.38": preemption.Release138, "v1.38.0-beta.0": preemption.Release138, "v1.36.1+k3s1": preemption.Release136,
	}
	for s, want := range good {
		if got, err := preemption.ParseRelease(s); got != want || err != nil {
			t.Errorf("ParseRelease(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"1.35", "1.39", "1.3", "1.360", "1.36.", "1.36.x", "1.36.1x", "1.36x", "1.36-1", "1. 36", "1.+36", "01.36", "2.36", "vv1.36", "v", "37", " 1.37", "1.37 "} {
		if got, err := preemption.ParseRelease(s); err == nil {
			t.Errorf("ParseRelease(%q) = %v, want an error", s, got)
		}
	}
}

// Every release has recorded answers to be held to.
func TestReleases(t *testing.T) {
	known := preemption.Releases()
	if recorded := slices.Sorted(maps.Values(replay.Releases)); !slices.Equal(known, recorded) {
		t.Errorf("Releases() = %v, recorded are answers of %v", known, recorded)
	}
	if newest := known[len(known)-1]; newest.String() != preemption.ReleaseNewest.String() {
		t.Errorf("the last release is %v, the newest %v", newest, preemption.ReleaseNewest)
	}
}

func TestReleaseString(t *testing.T) {
	for r, want := range map[preemption.Release]string{
		preemption.ReleaseNewest: "1.38", preemption.Release136: "1.36", preemption.Release137: "1.37", preemption.Release138: "1.38", 200: "Release(200)",
	} {
		if got := r.String(); got != want {
			t.Errorf("Release(%d).String() = %q, want %q", uint8(r), got, want)
		}
	}
}

func TestParseAmount(t *testing.T) {
	good := map[string]preemption.Amount{
		"0": {}, "3": {Value: 3}, "0%": {Percent: true}, "40%": {Value: 40, Percent: true}, "100%": {Value: 100, Percent: true}, "101": {Value: 101}, "2147483647": {Value: 2147483647},
	}
	for s, want := range good {
		if got, err := preemption.ParseAmount(s); got != want || err != nil {
			t.Errorf("ParseAmount(%q) = %+v, %v; want %+v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "%", "-1", "-0", "+3", "101%", "3 %", "3%%", "1.5", "0x10", "1_000", "9223372036854775808", "three"} {
		if got, err := preemption.ParseAmount(s); err == nil {
			t.Errorf("ParseAmount(%q) = %+v, want an error", s, got)
		}
	}
}

func TestTolerates(t *testing.T) {
	gpu := preemption.Taint{Key: "gpu", Value: "a100", Effect: preemption.NoSchedule}
	tests := []struct {
		toleration preemption.Toleration
		want       bool
	}{
		{preemption.Toleration{Key: "gpu", Value: "a100"}, true},
		{preemption.Toleration{Key: "gpu", Value: "a100", Operator: preemption.TolerationEqual, Effect: preemption.NoSchedule}, true},
		{preemption.Toleration{Key: "gpu", Value: "t4"}, false},
		{preemption.Toleration{Key: "gpu"}, false}, // Equal to ""
		{preemption.Toleration{Key: "gpu", Operator: preemption.TolerationExists}, true},
		{preemption.Toleration{Key: "gpu", Operator: preemption.TolerationExists, Value: "t4"}, true}, // the value plays no part
		{preemption.Toleration{Key: "disk", Operator: preemption.TolerationExists}, false},
		{preemption.Toleration{Operator: preemption.TolerationExists}, true},
		{preemption.Toleration{}, false},
		{preemption.Toleration{Operator: preemption.TolerationExists, Effect: preemption.NoExecute}, false},
		{preemption.Toleration{Key: "gpu", Value: "a100", Operator: "Gt"}, false},
	}
	for _, test := range tests {
		if got := test.toleration.Tolerates(gpu); got != test.want {
			t.Errorf("%+v tolerates %+v: %v, want %v", test.toleration, gpu, got, test.want)
		}
	}
	if !(preemption.Toleration{}).Tolerates(preemption.Taint{}) {
		t.Error("the zero toleration does not tolerate the zero taint")
	}
}

// A port clashes with the same port and protocol on the same address, where no
// address is all of them.
func TestHostPortClashes(t *testing.T) {
	port := func(protocol, ip string, n int32) preemption.HostPort {
		return preemption.HostPort{Protocol: protocol, IP: ip, Port: n}
	}
	tests := []struct {
		want, claim preemption.HostPort
		clash       bool
	}{
		{port("", "", 80), port("", "", 80), true},
		{port("", "", 80), port("TCP", "0.0.0.0", 80), true},
		{port("TCP", "", 80), port("UDP", "", 80), false},
		{port("SCTP", "", 80), port("SCTP", "", 80), true},
		{port("", "", 80), port("", "", 81), false},
		{port("", "10.0.0.1", 80), port("", "10.0.0.1", 80), true},
		{port("", "10.0.0.1", 80), port("", "10.0.0.2", 80), false},
		{port("", "10.0.0.1", 80), port("", "", 80), true},
		{port("", "0.0.0.0", 80), port("", "10.0.0.1", 80), true},
		{port("", "::", 80), port("", "10.0.0.1", 80), false}, // as upstream: an address like any other
		{port("", "", 0), port("", "", 0), false},
		{port("", "", -1), port("", "", -1), false},
	}
	for _, test := range tests {
		c := newCluster(t, preemption.ClusterState{
			Nodes: []*preemption.Node{{Name: "n"}},
			Pods:  []*preemption.Pod{{Name: "holder", NodeName: "n", HostPorts: []preemption.HostPort{test.claim}}},
		})
		e := preemption.Evaluator{Filters: []preemption.Filter{preemption.NodePorts()}}
		r, err := e.Preempt(t.Context(), c, &preemption.Pod{Name: "p", HostPorts: []preemption.HostPort{test.want}})
		if err != nil {
			t.Fatal(err)
		}
		if clash := r.Outcome != preemption.OutcomeFits; clash != test.clash {
			t.Errorf("%+v clashes with %+v: %v, want %v", test.want, test.claim, clash, test.clash)
		}
	}
}

func TestWords(t *testing.T) {
	tests := []struct{ got, want string }{
		{preemption.Fits.String(), "Success"},
		{preemption.Unschedulable.String(), "Unschedulable"},
		{preemption.Unresolvable.String(), "UnschedulableAndUnresolvable"},
		{preemption.Status{}.String(), "Success"},
		{preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"a", "b"}}.String(), "Unschedulable: a, b"},
		{preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"a", "b"}}.Message(), "a, b"},
		{preemption.OutcomeUnhelpful.String(), "unhelpful"},
		{preemption.OutcomeFits.String(), "fits"},
		{preemption.OutcomeIneligible.String(), "ineligible"},
		{preemption.OutcomePreempt.String(), "preempt"},
		{preemption.KeepNomination.String(), "keep"},
		{preemption.ClearNomination.String(), "clear"},
		{preemption.SetNomination.String(), "set"},
		{preemption.VictimsReprieve.String(), "reprieve"},
		{preemption.VictimsBest.String(), "best"},
		{preemption.BudgetsAsUpstream.String(), "as-upstream"},
		{preemption.BudgetsExact.String(), "exact"},
		{preemption.BudgetsRespected.String(), "respected"},
		{preemption.KindPod.String(), "Pod"},
		{preemption.KindPodGroup.String(), "PodGroup"},
		{preemption.KindCompositePodGroup.String(), "CompositePodGroup"},
		{(&preemption.Victim{Pods: []*preemption.Pod{{Namespace: "ns", Name: "a"}}}).String(), "ns/a"},
		{(&preemption.Victim{Kind: preemption.KindPodGroup, Group: "g", Pods: []*preemption.Pod{{Namespace: "ns", Name: "a"}}}).String(), "PodGroup ns/g"},
		{(&preemption.StepError{Step: "begin", Node: "n", Err: errHook}).Error(), "preemption: node n: begin: hook failed"},
		{(&preemption.StepError{Step: "add pod", Node: "n", Pod: "ns/a", Err: errHook}).Error(), "preemption: node n: add pod ns/a: hook failed"},
		{(&preemption.FilterError{Filter: "F", Err: errHook}).Error(), "filter F: hook failed"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

// Refusals without reasons leave nothing to count: a colon, no full stop.
func TestMessageWithoutReasons(t *testing.T) {
	cluster, preemptor := twoEach(t)
	mute := preemption.FilterFunc(func(*preemption.Pod, *preemption.Node, []*preemption.Pod) preemption.Status {
		return preemption.Status{Code: preemption.Unschedulable}
	})
	e := preemption.Evaluator{Filters: []preemption.Filter{mute}}
	x, err := e.Examine(t.Context(), cluster, preemptor)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := x.Message(), "0/3 nodes are available: preemption: 0/3 nodes are available:"; got != want {
		t.Errorf("Message() = %q, want %q", got, want)
	}
}

// Keys and values of labels are as the API wants them: a prefix of lower-case DNS labels, and
// a name that begins and ends with a letter or a digit.
func TestLabelSyntax(t *testing.T) {
	long := strings.Repeat("x", 63)
	domain := strings.Repeat(long[:62]+".", 4) + "y" // of 253
	for key, valid := range map[string]bool{
		"a": true, "z": true, "A": true, "Z": true, "0": true, "9": true, "A.b_c-7": true, long: true, "example.com/a": true, "a-b.c/" + long: true, domain + "/a": true,
		"": false, "-a": false, "a-": false, ".a": false, "a b": false, long + "x": false, "a/": false, "/a": false, "a/b/c": false,
		"A.com/a": false, "a..b/c": false, ".a/b": false, "a./b": false, "-a/b": false, "a-/b": false, "a-.b/c": false, "a.-b/c": false,
		"a_b/c": false, domain + "y/a": false,
	} {
		if err := (&preemption.Selector{MatchLabels: map[string]string{key: ""}}).Validate(); (err == nil) != valid {
			t.Errorf("key %q: %v, want valid: %t", key, err, valid)
		}
		if !strings.Contains(key, "/") {
			err := (&preemption.Selector{MatchLabels: map[string]string{"a": key}}).Validate()
			if (err == nil) != (valid || key == "") {
				t.Errorf("value %q: %v, want valid: %t", key, err, valid || key == "")
			}
		}
	}
}

// Of several faults the error names the first by name, whatever the order of maps.
func TestErrorsDoNotDependOnMapOrder(t *testing.T) {
	amounts := preemption.Resources{}
	for _, name := range []string{"m", "c", "z", "a", "k", "b", "x", "q"} {
		amounts[name] = -1
	}
	cluster, _ := twoEach(t)
	bad, most := map[string]string{}, preemption.Resources{}
	for name := range amounts {
		bad[name], most[name] = "-", math.MaxInt64
	}
	if err := cluster.AddPod(&preemption.Pod{Name: "first", NodeName: "n0", Requests: most}); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := (&preemption.Selector{MatchLabels: bad}).Validate(); err == nil || err.Error() != `matchLabels: "a": "-" is not a valid label` {
			t.Fatalf("Validate: %v", err)
		}
		if err := cluster.AddPod(&preemption.Pod{Name: "second", NodeName: "n0", Requests: most}); err == nil || err.Error() != "preemption: pod /second on node n0: a: the sum of requests exceeds what an int64 holds" {
			t.Fatalf("AddPod: %v", err)
		}
		if err := cluster.AddPod(&preemption.Pod{Name: "p", Requests: amounts}); err == nil || err.Error() != "preemption: pod /p: request for a is negative: -1" {
			t.Fatalf("AddPod: %v", err)
		}
		if err := cluster.AddNode(&preemption.Node{Name: "n", Allocatable: amounts}); err == nil || err.Error() != "preemption: node n: allocatable a is negative: -1" {
			t.Fatalf("AddNode: %v", err)
		}
	}
}

// A node is told by its address: another of the same name is not the cluster's.
func TestPodsOnAForeignNode(t *testing.T) {
	cluster, _ := twoEach(t)
	if pods := cluster.PodsOn(&preemption.Node{Name: "n0"}); pods != nil {
		t.Errorf("PodsOn(another n0) = %v, want none", pods)
	}
	if pods := cluster.PodsOn(cluster.Node("n0")); len(pods) != 2 {
		t.Errorf("PodsOn(n0) = %v, want two pods", pods)
	}
}

// A copy of a pod has all that the pod has, in memory of its own.
func TestPodCloneSharesNothing(t *testing.T) {
	p := &preemption.Pod{
		Namespace: "ns", Name: "a", UID: "u", Priority: 5, NodeName: "n", Object: "kept",
		Labels:       map[string]string{"app": "web"},
		Requests:     preemption.Resources{preemption.CPU: 1},
		NodeSelector: map[string]string{"disk": "ssd"},
		HostPorts:    []preemption.HostPort{{Port: 80}},
		Tolerations:  []preemption.Toleration{{Key: "k"}},
	}
	k := p.Clone()
	if !reflect.DeepEqual(k, p) {
		t.Errorf("Clone = %+v, want %+v", k, p)
	}
	a, b := reflect.ValueOf(p).Elem(), reflect.ValueOf(k).Elem()
	for i := range a.NumField() {
		switch f := a.Field(i); f.Kind() {
		case reflect.Map, reflect.Slice:
			if name := a.Type().Field(i).Name; f.Len() == 0 {
				t.Errorf("the test leaves %s empty", name)
			} else if f.Pointer() == b.Field(i).Pointer() {
				t.Errorf("%s is shared", name)
			}
		}
	}
}

// An empty cluster that nothing has made is as good as one from NewCluster, whatever
// comes first.
func TestZeroCluster(t *testing.T) {
	group := &preemption.PodGroup{Namespace: "ns", Name: "g"}
	node := &preemption.Node{Name: "n"}
	pod := &preemption.Pod{Namespace: "ns", Name: "p"}
	for name, first := range map[string]func(*preemption.Cluster) (refuses bool, err error){
		"AddNode":    func(c *preemption.Cluster) (bool, error) { return false, c.AddNode(node) },
		"UpdateNode": func(c *preemption.Cluster) (bool, error) { return true, c.UpdateNode(node) },
		"RemoveNode": func(c *preemption.Cluster) (bool, error) { return true, c.RemoveNode("n") },
		"AddPod":     func(c *preemption.Cluster) (bool, error) { return false, c.AddPod(pod) },
		"UpdatePod":  func(c *preemption.Cluster) (bool, error) { return true, c.UpdatePod(pod) },
		"RemovePod":  func(c *preemption.Cluster) (bool, error) { return true, c.RemovePod("ns", "p") },
		"Nominate":   func(c *preemption.Cluster) (bool, error) { return false, c.Nominate(pod, "n") },
		"SetBudget": func(c *preemption.Cluster) (bool, error) {
			return false, c.SetBudget(&preemption.PodDisruptionBudget{Namespace: "ns", Name: "b"})
		},
		"RemoveBudget":   func(c *preemption.Cluster) (bool, error) { return true, c.RemoveBudget("ns", "b") },
		"SetPodGroup":    func(c *preemption.Cluster) (bool, error) { return false, c.SetPodGroup(group) },
		"RemovePodGroup": func(c *preemption.Cluster) (bool, error) { return true, c.RemovePodGroup("ns", "g") },
		"SetCompositePodGroup": func(c *preemption.Cluster) (bool, error) {
			return false, c.SetCompositePodGroup(&preemption.CompositePodGroup{Namespace: "ns", Name: "g"})
		},
		"RemoveCompositePodGroup": func(c *preemption.Cluster) (bool, error) { return true, c.RemoveCompositePodGroup("ns", "g") },
		"Clone":                   func(c *preemption.Cluster) (bool, error) { return false, c.Clone().AddNode(node) },
	} {
		c := &preemption.Cluster{}
		if refuses, err := first(c); (err != nil) != refuses {
			t.Errorf("%s first: %v", name, err)
		}
	}
}

// Sums on a node are looked at resource by resource: two may be near the end of int64, and
// one that is beyond it is an error that leaves the cluster as it was.
func TestCommitAtTheEndOfInt64(t *testing.T) {
	for _, test := range []struct {
		memory int64
		ok     bool
	}{{10, true}, {11, false}} {
		victim := &preemption.Pod{Namespace: "d", Name: "victim", UID: "u1", NodeName: "n",
			Requests: preemption.Resources{preemption.CPU: math.MaxInt64 - 10, preemption.Memory: math.MaxInt64 - 10}}
		preemptor := &preemption.Pod{Namespace: "d", Name: "preemptor", UID: "u2", Priority: 1,
			Requests: preemption.Resources{preemption.CPU: 10, preemption.Memory: test.memory}}
		c := newCluster(t, preemption.ClusterState{
			Nodes: []*preemption.Node{{Name: "n", Allocatable: preemption.Resources{
				preemption.CPU: math.MaxInt64, preemption.Memory: math.MaxInt64, preemption.PodCount: 1}}},
			Pods: []*preemption.Pod{victim, preemptor},
		})
		before := c.State()
		r, err := (&preemption.Evaluator{}).Preempt(t.Context(), c, preemptor)
		if err != nil || r.Outcome != preemption.OutcomePreempt {
			t.Fatalf("memory %d: %v, %v; want a preemption", test.memory, r, err)
		}
		if err := c.Commit(r); (err == nil) != test.ok {
			t.Errorf("memory %d: commit: %v; want success: %v", test.memory, err, test.ok)
		}
		if diff := cmp.Diff(before, c.State()); (diff == "") == test.ok {
			t.Errorf("memory %d: state (-before +after):\n%s", test.memory, diff)
		}
	}
}

// What is not there, has no name, or is not known is refused by every update and in every
// list, and changes nothing.
func TestUpdatesOfNothing(t *testing.T) {
	node := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.PodCount: 10}}
	c := newCluster(t, preemption.ClusterState{Nodes: []*preemption.Node{node}, Pods: []*preemption.Pod{{Name: "p", NodeName: "n"}}})
	before := c.State()
	for name, err := range map[string]error{
		"the node is nil":                    c.AddNode(nil),
		"the node is nil ":                   c.UpdateNode(nil),
		"the pod is nil":                     c.AddPod(nil),
		"the pod is nil ":                    c.UpdatePod(nil),
		"the pod is nil  ":                   c.Nominate(nil, "n"),
		"the disruption budget is nil":       c.SetBudget(nil),
		"the pod group is nil":               c.SetPodGroup(nil),
		"the composite pod group is nil":     c.SetCompositePodGroup(nil),
		"node without a name":                c.AddNode(&preemption.Node{}),
		"pod without a name":                 c.AddPod(&preemption.Pod{}),
		"disruption budget without a name":   c.SetBudget(&preemption.PodDisruptionBudget{}),
		"pod group without a name":           c.SetPodGroup(&preemption.PodGroup{}),
		"composite pod group without a name": c.SetCompositePodGroup(&preemption.CompositePodGroup{}),
		"no node of that name":               c.RemoveNode("other"),
	} {
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%v, want: %s", err, name)
		}
	}
	for name, state := range map[string]preemption.ClusterState{
		"node 0 of the list is nil":                {Nodes: []*preemption.Node{nil}},
		"pod 0 of the list is nil":                 {Pods: []*preemption.Pod{nil}},
		"disruption budget 0 of the list is nil":   {DisruptionBudgets: []*preemption.PodDisruptionBudget{nil}},
		"pod group 0 of the list is nil":           {PodGroups: []*preemption.PodGroup{nil}},
		"composite pod group 0 of the list is nil": {CompositePodGroups: []*preemption.CompositePodGroup{nil}},
		"unknown release 77":                       {Release: 77},
	} {
		if made, err := preemption.NewCluster(state); made != nil || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want: %s", err, name)
		}
	}
	if diff := cmp.Diff(before, c.State()); diff != "" {
		t.Errorf("state (-before +after):\n%s", diff)
	}
	if _, err := (&preemption.Evaluator{}).PreemptGroup(t.Context(), newCluster(t, preemption.ClusterState{}), &preemption.Gang{Namespace: "d", Name: "g", Members: []*preemption.Pod{{Name: "m"}}}, nil); !errors.Is(err, preemption.ErrNoNodes) {
		t.Errorf("a gang without nodes: %v, want %v", err, preemption.ErrNoNodes)
	}
}

// Whatever a decision names that is no longer as it was then makes it stale, which says what
// it is, and where, and nothing changes.
func TestCommitOfStalePieces(t *testing.T) {
	node := func(name string) *preemption.Node {
		return &preemption.Node{Name: name, Allocatable: preemption.Resources{preemption.PodCount: 10}}
	}
	here, there, gone := node("here"), node("there"), node("gone")
	running := &preemption.Pod{Name: "running", UID: "1", NodeName: "here"}
	leaving := &preemption.Pod{Name: "leaving", UID: "2", NodeName: "here", Termination: preemption.TerminatingByPreemption}
	nominated := &preemption.Pod{Name: "nominated", UID: "3", NominatedNode: "there"}
	pending := &preemption.Pod{Name: "pending", UID: "4"}
	c := newCluster(t, preemption.ClusterState{Nodes: []*preemption.Node{here, there}, Pods: []*preemption.Pod{running, leaving, nominated, pending}})
	as := func(p *preemption.Pod, change func(p *preemption.Pod)) *preemption.Pod {
		other := *p
		change(&other)
		return &other
	}
	another := func(p *preemption.Pod) *preemption.Pod {
		return as(p, func(p *preemption.Pod) { p.UID = "of another" })
	}
	victim := func(p *preemption.Pod, on *preemption.Node) []*preemption.Victim {
		return []*preemption.Victim{{Pods: []*preemption.Pod{p}, Nodes: []*preemption.Node{on}}}
	}
	pods := func(p *preemption.Pod) []*preemption.Pod { return []*preemption.Pod{p} }
	before := c.State()
	for _, test := range []struct {
		what  string
		r     preemption.Result
		where string // step, pod and node
	}{
		{"the node is gone", preemption.Result{Nomination: preemption.SetNomination, Preemptor: pending, Node: gone}, "node gone: nominate /pending"},
		{"the pod is gone", preemption.Result{Nomination: preemption.SetNomination, Preemptor: another(pending), Node: here}, "node here: nominate /pending"},
		{"it is bound to node here", preemption.Result{Nomination: preemption.SetNomination, Preemptor: running, Node: there}, "node there: nominate /running"},
		{"the pod is gone", preemption.Result{Victims: victim(another(running), here), Node: here}, "node here: evict /running"},
		{"it is not on the node", preemption.Result{Victims: victim(running, there), Node: there}, "node there: evict /running"},
		{"it is not on the node", preemption.Result{Victims: victim(pending, here), Node: here}, "node here: evict /pending"},
		{"it is terminating already", preemption.Result{Victims: victim(as(leaving, func(p *preemption.Pod) { p.Termination = preemption.NotTerminating }), here), Node: here}, "node here: evict /leaving"},
		{"it is not terminating", preemption.Result{Victims: victim(as(running, func(p *preemption.Pod) { p.Termination = preemption.TerminatingByPreemption }), here), Node: here}, "node here: evict /running"},
		{"the pod is gone", preemption.Result{ClearNominations: pods(another(nominated)), Node: there}, "node there: clear the nomination of /nominated"},
		{"it is not nominated to the node", preemption.Result{ClearNominations: pods(nominated), Node: here}, "node here: clear the nomination of /nominated"},
		{"it is not nominated to the node", preemption.Result{ClearNominations: pods(pending), Node: here}, "node here: clear the nomination of /pending"},
	} {
		err := c.Commit(&test.r)
		if !errors.Is(err, preemption.ErrStale) || !strings.HasSuffix(err.Error(), test.what) || !strings.Contains(err.Error(), test.where) {
			t.Errorf("%v, want the decision stale: %s, %s", err, test.where, test.what)
		}
	}
	if diff := cmp.Diff(before, c.State()); diff != "" {
		t.Errorf("state (-before +after):\n%s", diff)
	}
}

// A decision that is not in one piece, which the library makes none of, is an error, and
// changes nothing.
func TestCommitOfPieces(t *testing.T) {
	node := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.PodCount: 10}}
	pending := &preemption.Pod{Name: "pending", NominatedNode: "n"}
	running := &preemption.Pod{Name: "running", NodeName: "n"}
	c, err := preemption.NewCluster(preemption.ClusterState{Nodes: []*preemption.Node{node}, Pods: []*preemption.Pod{pending, running}})
	if err != nil {
		t.Fatal(err)
	}
	before := c.State()
	type victims = []*preemption.Victim
	pods, nodes := []*preemption.Pod{running}, []*preemption.Node{node}
	for _, v := range []victims{{nil}, {{}}, {{Pods: pods}}, {{Pods: pods, Nodes: []*preemption.Node{nil}}}, {{Pods: []*preemption.Pod{nil}, Nodes: nodes}}} {
		if err := c.Commit(&preemption.Result{Victims: v, Node: node}); err == nil || errors.Is(err, preemption.ErrStale) {
			t.Errorf("victims %v: %v", v, err)
		}
		if err := c.CommitGroup(&preemption.GangResult{Victims: v}); err == nil || errors.Is(err, preemption.ErrStale) {
			t.Errorf("victims %v of a gang: %v", v, err)
		}
	}
	for _, r := range []*preemption.Result{
		nil,
		{ClearNominations: []*preemption.Pod{pending}},
		{ClearNominations: []*preemption.Pod{nil}, Node: node},
		{Nomination: preemption.SetNomination, Node: node},
		{Nomination: preemption.SetNomination, Preemptor: pending},
		{Nomination: preemption.ClearNomination},
	} {
		if err := c.Commit(r); err == nil || errors.Is(err, preemption.ErrStale) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	for _, r := range []*preemption.GangResult{
		nil,
		{ClearNominations: []*preemption.Pod{pending}},
		{Assignments: []preemption.Assignment{{Node: node}}},
		{Assignments: []preemption.Assignment{{Pod: running, Node: node}}, ClearNominations: []*preemption.Pod{nil}},
	} {
		if err := c.CommitGroup(r); err == nil || errors.Is(err, preemption.ErrStale) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if diff := cmp.Diff(before, c.State()); diff != "" {
		t.Errorf("state (-before +after):\n%s", diff)
	}
}
