package preemption_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/preemption"
	"example.com/preemption/internal/world"
)

// onePod is a filter that allows one pod a node; hooks are called first and may
// fail, panic, or do something else to the decision.
type onePod struct {
	prepare func() error
	begin   func(n *preemption.Node) error
	add     func(p *preemption.Pod) error
	remove  func(p *preemption.Pod) error
	fits    func(n *preemption.Node, pods int) error
}

func (onePod) Name() string { return "OnePod" }

func (f onePod) Prepare(_ *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	if f.prepare != nil {
		if err := f.prepare(); err != nil {
			return nil, err
		}
	}
	return preparedOnePod{f, view}, nil
}

type preparedOnePod struct {
	onePod
	view preemption.View
}

func (f preparedOnePod) Begin(n *preemption.Node) (preemption.DryRun, error) {
	if f.begin != nil {
		if err := f.begin(n); err != nil {
			return nil, err
		}
	}
	return &onePodRun{f.onePod, n, len(f.view.PodsOn(n))}, nil
}

type onePodRun struct {
	onePod
	node *preemption.Node
	pods int
}

func (r *onePodRun) Add(p *preemption.Pod, _ *preemption.Node) error {
	r.pods++
	if r.add != nil {
		return r.add(p)
	}
	return nil
}

func (r *onePodRun) Remove(p *preemption.Pod, _ *preemption.Node) error {
	r.pods--
	if r.remove != nil {
		return r.remove(p)
	}
	return nil
}

func (r *onePodRun) Fits() (preemption.Status, error) {
	if r.fits != nil {
		if err := r.fits(r.node, r.pods); err != nil {
			return preemption.Status{}, err
		}
	}
	if r.pods > 0 {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"node(s) had a pod"}}, nil
	}
	return preemption.Status{}, nil
}

// twoEach has nodes n0 to n2 with two pods each, of priority 1, and a pod
// nominated to n0 that holds its place. All nodes are equally good.
func twoEach(t testing.TB) (*preemption.Cluster, *preemption.Pod) {
	t.Helper()
	var state preemption.ClusterState
	for i := range 3 {
		n := fmt.Sprintf("n%d", i)
		state.Nodes = append(state.Nodes, &preemption.Node{Name: n})
		for _, p := range []string{"a", "b"} {
			state.Pods = append(state.Pods, &preemption.Pod{Namespace: "ns", Name: n + p, UID: n + p, NodeName: n, Priority: 1})
		}
	}
	return newCluster(t, state), &preemption.Pod{Namespace: "ns", Name: "preemptor", Priority: 10}
}

var errHook = errors.New("hook failed")

func newCluster(t testing.TB, state preemption.ClusterState) *preemption.Cluster {
	t.Helper()
	c, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatalf("NewCluster: %v", err)
	}
	return c
}

func podNames(pods []*preemption.Pod) []string {
	var names []string
	for _, p := range pods {
		names = append(names, p.String())
	}
	return names
}

// What fails on a node is a StepError with the node, the pod and the step.
func TestStepErrors(t *testing.T) {
	held := &preemption.Pod{Namespace: "ns", Name: "held", NominatedNode: "n1", Priority: 20}
	tests := []struct {
		step, pod string
		filter    onePod
	}{
		{"begin", "", onePod{begin: func(n *preemption.Node) error { return failIf(n.Name == "n1") }}},
		{"test fit", "", onePod{fits: func(n *preemption.Node, pods int) error { return failIf(n.Name == "n1" && pods == 2) }}},
		{"remove pod", "ns/n1b", onePod{remove: func(p *preemption.Pod) error { return failIf(p.Name == "n1b") }}},
		{"test fit", "", onePod{fits: func(n *preemption.Node, pods int) error { return failIf(n.Name == "n1" && pods == 0) }}},
		{"add pod", "ns/n1a", onePod{add: func(p *preemption.Pod) error { return failIf(p.Name == "n1a") }}},
		{"add nominated pod", "ns/held", onePod{add: func(p *preemption.Pod) error { return failIf(p == held) }}},
		{"test fit beside nominated pods", "", onePod{fits: func(n *preemption.Node, pods int) error { return failIf(n.Name == "n1" && pods == 3) }}},
		{"remove nominated pod", "ns/held", onePod{remove: func(p *preemption.Pod) error { return failIf(p == held) }}},
	}
	for _, test := range tests {
		for _, workers := range []int{1, 8} {
			cluster, preemptor := twoEach(t)
			if strings.Contains(test.step, "nominated") {
				if err := cluster.Nominate(held, "n1"); err != nil {
					t.Fatal(err)
				}
			}
			// Only n1 is in question, so that its error is what remains.
			e := preemption.Evaluator{Filters: []preemption.Filter{test.filter, onlyOn("n1")}, Parallelism: workers}
			for name, ask := range bothWays(&e) {
				_, err := ask(t.Context(), cluster, preemptor)
				var step *preemption.StepError
				var filter *preemption.FilterError
				if !errors.Is(err, errHook) || !errors.As(err, &step) || !errors.As(err, &filter) {
					t.Errorf("%s, %d workers: %s: error %v, want a StepError of a FilterError", name, workers, test.step, err)
					continue
				}
				if step.Node != "n1" || step.Pod != test.pod || step.Step != test.step || filter.Filter != "OnePod" {
					t.Errorf("%s, %d workers: %+v of filter %s, want node n1, step %q, pod %q", name, workers, *step, filter.Filter, test.step, test.pod)
				}
				text := step.Error()
				for _, part := range []string{"n1", test.step, test.pod, "hook failed", "OnePod"} {
					if !strings.Contains(text, part) {
						t.Errorf("%q does not mention %q", text, part)
					}
				}
			}
		}
	}
}

func failIf(fail bool) error {
	if fail {
		return errHook
	}
	return nil
}

// onlyOn refuses all other nodes for good.
func onlyOn(name string) preemption.Filter {
	return preemption.FilterFunc(func(_ *preemption.Pod, n *preemption.Node, _ []*preemption.Pod) preemption.Status {
		if n.Name == name {
			return preemption.Status{}
		}
		return preemption.Status{Code: preemption.Unresolvable, Reasons: []string{"another node"}}
	})
}

// bothWays are the two ways to ask an evaluator.
func bothWays(e *preemption.Evaluator) map[string]func(context.Context, *preemption.Cluster, *preemption.Pod) (*preemption.Result, error) {
	return map[string]func(context.Context, *preemption.Cluster, *preemption.Pod) (*preemption.Result, error){
		"Preempt": e.Preempt,
		"Examine": func(ctx context.Context, c *preemption.Cluster, p *preemption.Pod) (*preemption.Result, error) {
			x, err := e.Examine(ctx, c, p)
			if err != nil {
				return nil, err
			}
			return &x.Result, nil
		},
	}
}

// What fails on one node does not matter where another is a candidate.
func TestErrorOnOneNodeIsPassedOver(t *testing.T) {
	cluster, preemptor := twoEach(t)
	e := preemption.Evaluator{Filters: []preemption.Filter{onePod{begin: func(n *preemption.Node) error { return failIf(n.Name == "n0") }}}}
	x, err := e.Examine(t.Context(), cluster, preemptor)
	if err != nil || x.Node.Name != "n1" || len(x.Victims) != 2 || !errors.Is(x.Nodes[0].Err, errHook) {
		t.Errorf("Examine = %+v, %v; want n1 cleared of two pods and the error reported for n0", x, err)
	}
}

// What fails on a node ends the engine's search: it cannot vouch for an answer, so it asks
// about no further node. The composable functions ask again, from the first node on.
func TestErrorEndsTheEnginesSearch(t *testing.T) {
	var state preemption.ClusterState
	for i := range 4 {
		state.Nodes = append(state.Nodes, &preemption.Node{Name: fmt.Sprint("n", i), Allocatable: preemption.Resources{preemption.PodCount: 9}})
	}
	asked := ""
	e := preemption.Evaluator{Parallelism: 1, Filters: append(preemption.DefaultFilters(), onePod{begin: func(n *preemption.Node) error {
		asked += n.Name + " "
		return failIf(n.Name == "n1")
	}})}
	state.Pods = []*preemption.Pod{{Name: "a", NodeName: "n0"}}
	r, err := e.Preempt(t.Context(), newCluster(t, state), &preemption.Pod{Name: "p", Priority: 1})
	if err != nil || r.Outcome != preemption.OutcomeFits || r.Node.Name != "n2" {
		t.Fatalf("Preempt = %v, %v; want a fit on n2", r, err)
	}
	if !strings.HasPrefix(asked, "n0 n1 n0 ") {
		t.Errorf("asked about %s, want n0 and n1, then n0 again", asked)
	}
}

// A filter that is asked about the node alone may fail too: like any other, on a node that
// is in question, and without anybody's notice where another node is a candidate.
func TestErrorOfANodeStatus(t *testing.T) {
	full := preemption.Resources{preemption.CPU: 4}
	for _, test := range []struct {
		refused string // of the other filter
		fails   bool
	}{{"n1", true}, {"", false}} {
		c := newCluster(t, preemption.ClusterState{
			Nodes: []*preemption.Node{
				{Name: "n0", Allocatable: preemption.Resources{preemption.CPU: 4, preemption.PodCount: 9}},
				{Name: "n1", Allocatable: preemption.Resources{preemption.CPU: 4, preemption.PodCount: 9}},
			},
			Pods: []*preemption.Pod{
				{Name: "on-n0", UID: "a", NodeName: "n0", Requests: full},
				{Name: "on-n1", UID: "b", NodeName: "n1", Requests: full, Priority: 1},
			},
		})
		refuses := func(_ *preemption.Pod, n *preemption.Node) preemption.Status {
			if n.Name == test.refused {
				return preemption.Status{Code: preemption.Unresolvable, Reasons: []string{"not here"}}
			}
			return preemption.Status{}
		}
		e := preemption.Evaluator{Filters: append(preemption.DefaultFilters(), preemption.NodeFilter("Elsewhere", refuses), failsOn("n0"))}
		for name, ask := range bothWays(&e) {
			r, err := ask(t.Context(), c, &preemption.Pod{Name: "p", Priority: 10, Requests: full})
			var step *preemption.StepError
			switch {
			case test.fails && (!errors.Is(err, errHook) || !errors.As(err, &step) || step.Node != "n0" || step.Step != "begin"):
				t.Errorf("%s: %v, %v; want the error on n0", name, r, err)
			case !test.fails && (err != nil || r.Node.Name != "n1"):
				t.Errorf("%s: %v, %v; want a preemption on n1", name, r, err)
			}
		}
	}
}

// failsOn is a filter of the node alone that cannot tell about one of that name.
type failsOn string

func (failsOn) Name() string { return "FailsOn" }

func (f failsOn) Prepare(*preemption.Pod, preemption.View) (preemption.Prepared, error) {
	return f, nil
}

func (f failsOn) NodeStatus(n *preemption.Node) (preemption.Status, error) {
	return preemption.Status{}, failIf(n.Name == string(f))
}

func (f failsOn) Begin(n *preemption.Node) (preemption.DryRun, error) {
	return nopRun{}, failIf(n.Name == string(f))
}

// nopRun is a dry run that looks at no pod.
type nopRun struct{}

func (nopRun) Add(*preemption.Pod, *preemption.Node) error    { return nil }
func (nopRun) Remove(*preemption.Pod, *preemption.Node) error { return nil }
func (nopRun) Fits() (preemption.Status, error)               { return preemption.Status{}, nil }

// faltering is a filter that answers as another one does, until its calls, and those of its
// dry runs, fail.
type faltering struct {
	preemption.Filter
	calls *int
	fails int  // from which of them on; 0: never
	once  bool // and not again after it
}

func (f faltering) call() error {
	*f.calls++
	return failIf(f.fails > 0 && (*f.calls == f.fails || *f.calls > f.fails && !f.once))
}

func (f faltering) Prepare(p *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	prepared, err := f.Filter.Prepare(p, view)
	return falteringPrepared{f, prepared}, errors.Join(err, f.call())
}

type falteringPrepared struct {
	faltering
	preemption.Prepared
}

func (f falteringPrepared) Begin(n *preemption.Node) (preemption.DryRun, error) {
	run, err := f.Prepared.Begin(n)
	return falteringRun{f.faltering, run}, errors.Join(err, f.call())
}

type falteringRun struct {
	faltering
	preemption.DryRun
}

func (r falteringRun) Add(p *preemption.Pod, on *preemption.Node) error {
	return errors.Join(r.DryRun.Add(p, on), r.call())
}

func (r falteringRun) Remove(p *preemption.Pod, on *preemption.Node) error {
	return errors.Join(r.DryRun.Remove(p, on), r.call())
}

func (r falteringRun) Fits() (preemption.Status, error) {
	status, err := r.DryRun.Fits()
	return status, errors.Join(err, r.call())
}

// everyCall is a question that is asked again and again, each time with another call of a
// filter failing.
type everyCall struct {
	what   string
	filter preemption.Filter
	once   bool // the calls after it do not fail
	// ask returns the answer in short, "" for none.
	ask  func(f faltering) (answer string, err error)
	want string               // the answer where nothing fails
	says func(err error) bool // where it failed
}

// check wants the answer where nothing fails, and else the error alone.
func (x everyCall) check(t *testing.T) {
	t.Helper()
	calls := 0
	if answer, err := x.ask(faltering{x.filter, &calls, 0, x.once}); err != nil || answer != x.want {
		t.Fatalf("%s: %s, %v; want %s", x.what, answer, err, x.want)
	}
	for fails := 1; ; fails++ {
		calls = 0
		answer, err := x.ask(faltering{x.filter, &calls, fails, x.once})
		if calls < fails {
			if fails <= 5 {
				t.Errorf("%s: %d calls in all, want some more", x.what, calls)
			}
			return
		}
		if answer != "" || !errors.Is(err, errHook) || !x.says(err) {
			t.Errorf("%s, call %d fails: %s, %v; want the error alone, and where it failed", x.what, fails, answer, err)
		}
	}
}

// ofResources reports whether an error names the filter for resources.
func ofResources(err error) bool {
	var filter *preemption.FilterError
	return errors.As(err, &filter) && filter.Filter == "NodeResourcesFit"
}

// Whichever call of a filter fails, an answer that there is no other node for is an error,
// which says what failed and in which filter.
func TestErrorsOfEveryCall(t *testing.T) {
	n := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.CPU: 3, preemption.PodCount: 9}}
	one := preemption.Resources{preemption.CPU: 1}
	c := newCluster(t, preemption.ClusterState{Nodes: []*preemption.Node{n}, Pods: []*preemption.Pod{
		{Name: "held", UID: "held", NominatedNode: "n", Priority: 50, Requests: preemption.Resources{preemption.CPU: 0}},
		{Name: "leaving", UID: "leaving", NodeName: "n", Priority: 100, Requests: one, Termination: preemption.TerminatingOther},
		{Name: "a", UID: "a", NodeName: "n", Priority: 1, Requests: one},
		{Name: "b", UID: "b", NodeName: "n", Priority: 2, Requests: one},
	}})
	p := &preemption.Pod{Name: "p", Priority: 10, Requests: one}
	with := func(f faltering) preemption.Evaluator {
		return preemption.Evaluator{Filters: []preemption.Filter{f}}
	}
	outcome := func(r *preemption.Result, err error) (string, error) {
		if r == nil {
			return "", err
		}
		return r.Outcome.String(), err
	}
	// Some ask twice, and go by the second answer where the first failed: Preempt by the
	// engine and by the functions, FitsAfterTermination with the terminating pods and without.
	for way, once := range map[string]bool{"Preempt": false, "Examine": true} {
		for _, victims := range []preemption.VictimPolicy{preemption.VictimsReprieve, preemption.VictimsBest} {
			ask := func(f faltering) (string, error) {
				e := with(f)
				e.Victims = victims
				return outcome(bothWays(&e)[way](t.Context(), c, p))
			}
			everyCall{fmt.Sprint(way, ", ", victims), preemption.NodeResources(), once, ask, "preempt", ofResources}.check(t)
		}
	}
	waits := func(f faltering) (string, error) {
		e := with(f)
		return outcome(e.FitsAfterTermination(t.Context(), c, p))
	}
	everyCall{"FitsAfterTermination", preemption.NodeResources(), false, waits, "waiting", ofResources}.check(t)
	fits := func(f faltering) (string, error) {
		e := with(f)
		for _, err := range e.Fitting(t.Context(), c, p) {
			if err != nil {
				return "", err
			}
		}
		return "nowhere", nil
	}
	everyCall{"Fitting", preemption.NodeResources(), true, fits, "nowhere", ofResources}.check(t)
}

// A dry run that fails once, at whichever call, leaves no selection of victims: what it
// answered beside the error says nothing.
func TestErrorsOfADryRun(t *testing.T) {
	n := &preemption.Node{Name: "n"}
	var pods []*preemption.Pod
	var victims []*preemption.Victim
	for i := range 4 {
		p := &preemption.Pod{Name: fmt.Sprint("p", i), UID: fmt.Sprint(i), NodeName: "n", Priority: int32(i)}
		pods, victims = append(pods, p), append(victims, preemption.NewPodVictim(p, n))
	}
	few := func(_ *preemption.Pod, _ *preemption.Node, here []*preemption.Pod) (s preemption.Status) {
		if len(here) > 2 {
			s = preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"crowded"}}
		}
		return s
	}
	preemptor := &preemption.Pod{Name: "p", Priority: 10}
	held := []*preemption.Pod{{Name: "held", UID: "held", Priority: 50}}
	onTheNode := func(err error) bool {
		var step *preemption.StepError
		return errors.As(err, &step) && step.Node == "n"
	}
	for name, selects := range map[string]func(preemption.NodeCase) (preemption.Selection, error){
		"SelectVictimsOnNode": preemption.SelectVictimsOnNode,
		"SelectBestVictimsOnNode": func(c preemption.NodeCase) (preemption.Selection, error) {
			return preemption.SelectBestVictimsOnNode(c)
		},
	} {
		for _, monotone := range []bool{true, false} {
			ask := func(f faltering) (string, error) {
				*f.calls = -2 // Prepare and Begin; those of the dry run count from 1
				prepared, err := f.Prepare(preemptor, oneNode{n, pods})
				if err != nil {
					t.Fatal(err)
				}
				run, err := prepared.Begin(n)
				if err != nil {
					t.Fatal(err)
				}
				s, err := selects(preemption.NodeCase{Preemptor: preemptor, Node: n, DryRun: run, Monotone: monotone, Victims: victims, Nominated: held})
				if reflect.DeepEqual(s, preemption.Selection{}) {
					return "", err
				}
				return fmt.Sprint(s.Status, " ", s.Victims), err
			}
			everyCall{fmt.Sprint(name, ", monotone: ", monotone), preemption.PodsFilter("Few", monotone, few), true, ask, "Success [/p2 /p1 /p0]", onTheNode}.check(t)
		}
	}
}

// Where all nodes fail the errors are joined, in node order.
func TestErrorsAreJoined(t *testing.T) {
	cluster, preemptor := twoEach(t)
	e := preemption.Evaluator{Parallelism: 8, Filters: []preemption.Filter{onePod{begin: func(*preemption.Node) error { return errHook }}}}
	for name, ask := range bothWays(&e) {
		_, err := ask(t.Context(), cluster, preemptor)
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 3 {
			t.Fatalf("%s: %d errors, want 3:\n%v", name, len(lines), err)
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, fmt.Sprintf("preemption: node n%d: begin: ", i)) {
				t.Errorf("%s: error %d is %q", name, i, line)
			}
		}
	}
}

func TestPrepareError(t *testing.T) {
	cluster, preemptor := twoEach(t)
	e := preemption.Evaluator{Filters: []preemption.Filter{onePod{prepare: func() error { return errHook }}}}
	for name, ask := range bothWays(&e) {
		if _, err := ask(t.Context(), cluster, preemptor); !errors.Is(err, errHook) || !strings.Contains(err.Error(), "OnePod") {
			t.Errorf("%s: error %v, want the filter's, with its name", name, err)
		}
	}
}

// Whoever panics, the caller sees the panic; no goroutine is left behind, and
// the cluster can be asked again.
func TestPanics(t *testing.T) {
	const oops = "oops"
	boom := func() { panic(oops) }
	tests := map[string]preemption.Evaluator{
		"Prepare":    {Filters: []preemption.Filter{onePod{prepare: func() error { panic(oops) }}}},
		"Begin":      {Filters: []preemption.Filter{onePod{begin: func(*preemption.Node) error { panic(oops) }}}},
		"Add":        {Filters: []preemption.Filter{onePod{add: func(*preemption.Pod) error { panic(oops) }}}},
		"Remove":     {Filters: []preemption.Filter{onePod{remove: func(*preemption.Pod) error { panic(oops) }}}},
		"Fits":       {Filters: []preemption.Filter{onePod{fits: func(*preemption.Node, int) error { panic(oops) }}}},
		"Eligible":   {Eligible: func(*preemption.Pod, *preemption.Victim, *preemption.Node) bool { boom(); return true }},
		"Compare":    {Compare: func(_, _ *preemption.Victim) int { boom(); return 0 }},
		"Orders":     {Orders: []preemption.Order{{Compare: func(_, _ *preemption.Candidate) int { boom(); return 0 }}}},
		"Offset":     {Sampling: preemption.DefaultSampling(func(int) int { boom(); return 0 })},
		"Statuses":   {Statuses: func(*preemption.Node) (preemption.Status, bool) { boom(); return preemption.Status{}, true }},
		"Interested": {Extenders: []preemption.Extender{{Interested: func(*preemption.Pod) bool { boom(); return true }}}},
		"Process": {Extenders: []preemption.Extender{{Process: func(context.Context, *preemption.Pod, []*preemption.Candidate) ([]*preemption.Candidate, error) {
			panic(oops)
		}}}},
	}
	for name, e := range tests {
		for _, workers := range []int{1, 8} {
			e.Parallelism = workers
			if e.Filters == nil {
				e.Filters = []preemption.Filter{onePod{}}
			}
			for way, ask := range bothWays(&e) {
				cluster, preemptor := twoEach(t)
				before := runtime.NumGoroutine()
				if got := recovered(func() { _, _ = ask(t.Context(), cluster, preemptor) }); got != oops {
					t.Errorf("%s, %s, %d workers: recovered %v, want %q", name, way, workers, got, oops)
				}
				waitForGoroutines(t, before)
				sound := preemption.Evaluator{Filters: []preemption.Filter{onePod{}}}
				if r, err := sound.Preempt(t.Context(), cluster, preemptor); err != nil || r.Outcome != preemption.OutcomePreempt {
					t.Errorf("%s: afterwards Preempt = %v, %v", name, r, err)
				}
			}
		}
	}
	trace := preemption.Evaluator{Filters: []preemption.Filter{onePod{}}, Trace: &preemption.Trace{Reprieved: func(*preemption.Node, preemption.Step) { boom() }}}
	cluster, preemptor := twoEach(t)
	if got := recovered(func() { _, _ = trace.Examine(t.Context(), cluster, preemptor) }); got != oops {
		t.Errorf("Trace: recovered %v, want %q", got, oops)
	}
}

func recovered(f func()) (x any) {
	defer func() { x = recover() }()
	f()
	return nil
}

// waitForGoroutines waits until there are no more goroutines than before. Those
// that have been waited for may take a moment to be gone.
func waitForGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// A context that is done ends the decision with its cause, before it begins or
// in the middle, and no goroutine stays.
func TestCancellation(t *testing.T) {
	for _, workers := range []int{1, 8} {
		for _, after := range []int{0, 1, 5} { // calls of Fits; the second phase begins after 3
			for _, way := range []string{"Preempt", "Examine"} {
				checkCancelled(t, workers, after, way)
			}
		}
	}
}

func checkCancelled(t *testing.T, workers, after int, way string) {
	t.Helper()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var calls atomic.Int32
	e := preemption.Evaluator{Parallelism: workers, Filters: []preemption.Filter{onePod{fits: func(*preemption.Node, int) error {
		if int(calls.Add(1)) == after {
			cancel(cause)
		}
		return nil
	}}}}
	if after == 0 {
		cancel(cause)
	}
	cluster, preemptor := twoEach(t)
	before := runtime.NumGoroutine()
	if r, err := bothWays(&e)[way](ctx, cluster, preemptor); !errors.Is(err, cause) {
		t.Errorf("%s, %d workers, cancelled after %d calls: %v, error %v, want %v", way, workers, after, r, err, cause)
	}
	waitForGoroutines(t, before)
	if after == 0 && calls.Load() > 0 {
		t.Errorf("%s, %d workers: a filter was asked although the context was done", way, workers)
	}
}

// Where nothing of the caller's is asked, the context still counts.
func TestCancelledBefore(t *testing.T) {
	cluster, preemptor := twoEach(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, workers := range []int{1, 8} {
		e := preemption.Evaluator{Parallelism: workers}
		for name, ask := range bothWays(&e) {
			if r, err := ask(ctx, cluster, preemptor); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %d workers: %v, error %v, want context.Canceled", name, workers, r, err)
			}
		}
	}
}

// Bad questions are errors, never panics.
func TestBadQuestions(t *testing.T) {
	cluster, preemptor := twoEach(t)
	empty := newCluster(t, preemption.ClusterState{})
	tests := []struct {
		name      string
		evaluator preemption.Evaluator
		cluster   *preemption.Cluster
		preemptor *preemption.Pod
		want      string
	}{
		{"no nodes", preemption.Evaluator{}, empty, preemptor, "preemption: pod ns/preemptor: no nodes available"},
		{"no name", preemption.Evaluator{}, cluster, &preemption.Pod{}, "preemption: pod without a name"},
		{"negative request", preemption.Evaluator{}, cluster, &preemption.Pod{Name: "p", Requests: preemption.Resources{"cpu": -1}}, "preemption: pod /p: request for cpu is negative: -1"},
		{"request for pods", preemption.Evaluator{}, cluster, &preemption.Pod{Name: "p", Requests: preemption.Resources{"pods": 1}}, `preemption: pod /p: it requests "pods": a pod takes one place on its node without saying so`},
		{"no pod", preemption.Evaluator{}, cluster, nil, "preemption: the pod is nil"},
		{"percent", preemption.Evaluator{Sampling: &preemption.Sampling{Percent: 101}}, cluster, preemptor, "preemption: sampling: percent 101 is not in [0, 100]"},
		{"negative percent", preemption.Evaluator{Sampling: &preemption.Sampling{Percent: -1, Min: 1}}, cluster, preemptor, "preemption: sampling: percent -1 is not in [0, 100]"},
		{"minimum", preemption.Evaluator{Sampling: &preemption.Sampling{Percent: 10, Min: -1}}, cluster, preemptor, "preemption: sampling: minimum -1 is negative"},
		{"no sample", preemption.Evaluator{Sampling: &preemption.Sampling{}}, cluster, preemptor, "preemption: sampling: percent and minimum are both zero: want at least one above"},
	}
	for _, test := range tests {
		for name, ask := range bothWays(&test.evaluator) {
			if _, err := ask(t.Context(), test.cluster, test.preemptor); err == nil || err.Error() != test.want {
				t.Errorf("%s: %s: error %v, want %s", test.name, name, err, test.want)
			}
		}
	}
	if _, err := (&preemption.Evaluator{}).Preempt(t.Context(), empty, preemptor); !errors.Is(err, preemption.ErrNoNodes) {
		t.Errorf("error %v, want ErrNoNodes", err)
	}
}

// A pod that says it is on a node may ask, unless the cluster has that very pod on one: a
// namesake there is another pod.
func TestPodsThatSayTheyAreBound(t *testing.T) {
	n := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.PodCount: 9}}
	c := newCluster(t, preemption.ClusterState{Nodes: []*preemption.Node{n}, Pods: []*preemption.Pod{
		{Name: "bound", UID: "1", NodeName: "n"}, {Name: "nominated", UID: "2", NominatedNode: "n"},
	}})
	for _, test := range []struct {
		name, uid string
		want      string // of the error
	}{
		{"bound", "1", "preemption: pod /bound: it is bound to node n already: ask about a pending pod, or a copy without a node"},
		{"bound", "another", ""}, {"nominated", "2", ""}, {"nominated", "another", ""}, {"unknown", "3", ""},
	} {
		p := &preemption.Pod{Name: test.name, UID: test.uid, NodeName: "n"}
		for name, ask := range bothWays(&preemption.Evaluator{}) {
			r, err := ask(t.Context(), c, p)
			switch {
			case test.want != "" && (err == nil || err.Error() != test.want):
				t.Errorf("%s: %s, %s: %v, %v; want %s", name, test.name, test.uid, r, err, test.want)
			case test.want == "" && (err != nil || r.Outcome != preemption.OutcomeFits):
				t.Errorf("%s: %s, %s: %v, %v; want a fit", name, test.name, test.uid, r, err)
			}
		}
	}
}

// A selector spares every victim with a pod that it matches; a bad one spares none.
func TestSpareSelected(t *testing.T) {
	group := func(apps ...string) *preemption.Victim {
		v := &preemption.Victim{}
		for _, app := range apps {
			v.Pods = append(v.Pods, &preemption.Pod{Name: app, Labels: map[string]string{"app": app}})
		}
		return v
	}
	spare := preemption.SpareSelected(&preemption.Selector{MatchLabels: map[string]string{"app": "db"}})
	for _, test := range []struct {
		spare func(*preemption.Pod, *preemption.Victim, *preemption.Node) bool
		v     *preemption.Victim
		goes  bool
	}{
		{spare, group("web"), true},
		{spare, group("db"), false},
		{spare, group("web", "db"), false},
		{preemption.SpareSelected(nil), group("db"), true},
		{preemption.SpareSelected(&preemption.Selector{MatchExpressions: []preemption.Requirement{{Key: "app", Operator: "Like"}}}), group("db"), true},
	} {
		if got := test.spare(nil, test.v, nil); got != test.goes {
			t.Errorf("%v may go: %v, want %v", test.v.Pods, got, test.goes)
		}
	}
}

// The first node that fits is the answer, whether the caller's filter phase found that or
// Preempt itself did.
func TestFirstOfThoseThatFit(t *testing.T) {
	nodes := []*preemption.Node{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for i := range nodes {
		nodes[i].Allocatable = preemption.Resources{preemption.PodCount: 1}
	}
	c := newCluster(t, preemption.ClusterState{Nodes: nodes})
	for first, n := range nodes {
		for _, rest := range []bool{false, true} { // whether it is known of those behind that they fit
			e := preemption.Evaluator{Statuses: func(of *preemption.Node) (preemption.Status, bool) {
				at := slices.IndexFunc(nodes, func(n *preemption.Node) bool { return n.Name == of.Name })
				if at < first {
					return preemption.Status{Code: preemption.Unschedulable}, true
				}
				return preemption.Status{}, at == first || rest
			}}
			r, err := e.Preempt(t.Context(), c, &preemption.Pod{Namespace: "ns", Name: "preemptor"})
			if err != nil || r.Outcome != preemption.OutcomeFits || r.Node.Name != n.Name {
				t.Errorf("known to fit: %s, of those behind it %t; got %v, %v", n.Name, rest, r, err)
			}
		}
	}
}

// tracked counts the dry runs of a filter that are still in memory.
type tracked struct {
	preemption.Filter
	begun, gone *atomic.Int64
}

func (f tracked) Prepare(p *preemption.Pod, v preemption.View) (preemption.Prepared, error) {
	prepared, err := f.Filter.Prepare(p, v)
	return preparedTracked{f, prepared}, err
}

type preparedTracked struct {
	tracked
	prepared preemption.Prepared
}

func (p preparedTracked) Begin(n *preemption.Node) (preemption.DryRun, error) {
	run, err := p.prepared.Begin(n)
	if err != nil {
		return nil, err
	}
	t := &trackedRun{DryRun: run}
	p.begun.Add(1)
	runtime.AddCleanup(t, func(gone *atomic.Int64) { gone.Add(1) }, p.gone)
	return t, nil
}

type trackedRun struct{ preemption.DryRun }

// What a caller keeps of a decision does not keep the dry runs it took.
func TestResultsKeepNoDryRuns(t *testing.T) {
	for _, way := range []string{"Preempt", "Examine"} {
		cluster, preemptor := twoEach(t)
		f := tracked{onePod{}, new(atomic.Int64), new(atomic.Int64)}
		e := preemption.Evaluator{Filters: []preemption.Filter{f}}
		var kept any
		var err error
		if way == "Preempt" {
			kept, err = e.Preempt(t.Context(), cluster, preemptor)
		} else {
			kept, err = e.Examine(t.Context(), cluster, preemptor)
		}
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if runtime.GC(); f.gone.Load() == f.begun.Load() {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if begun, gone := f.begun.Load(), f.gone.Load(); begun == 0 || gone < begun {
			t.Errorf("%s: %d of %d dry runs are gone, want all", way, gone, begun)
		}
		runtime.KeepAlive(kept)
	}
}

// After any updates the engine keeps what it would compute from the objects of
// the cluster: every row and its order, every plane, extreme and sum.
func TestEngineTableAfterUpdates(t *testing.T) {
	updates := 0
	check := func(seed uint64, w *world.World, state preemption.ClusterState, changes int) {
		c, err := preemption.NewCluster(state)
		if err != nil {
			return // sums that do not fit, ...
		}
		for i := range changes {
			if i > 0 {
				w.Change(c)
				updates++
			}
			if i < changes-1 && w.OneIn(2) {
				continue // what several updates leave to compute is computed at once
			}
			if err := preemption.CheckEngine(c); err != nil {
				t.Fatalf("seed %d, after %d updates: %s\n%v", seed, i, world.Describe(c), err)
			}
		}
	}
	for seed := range uint64(100) {
		w := world.New(world.Seeded(seed, 11))
		w.Extend = w.OneIn(3)
		check(seed, w, w.State(preemption.Release(w.Choose(4))), 40)
	}
	for seed := range uint64(2) { // several blocks, more priorities than levels
		w := world.New(world.Seeded(seed, 12))
		check(seed, w, w.ManyNodes(preemption.Release(w.Choose(4))), 15)
	}
	if updates < 3000 {
		t.Errorf("%d updates, want at least 3000", updates)
	}
}

// However many resources pods request, the engine counts who does; one of which they request
// nothing is like one that they do not name.
func TestManyResources(t *testing.T) {
	for what, amount := range map[string]func(i int) int64{
		"nothing": func(int) int64 { return 0 }, "all": func(int) int64 { return 1 }, "every other": func(i int) int64 { return int64(i % 2) },
	} {
		node := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.CPU: 9, preemption.PodCount: 9}}
		requests := preemption.Resources{preemption.CPU: 1}
		for i := range 20 {
			name := fmt.Sprint("example.com/", i)
			requests[name], node.Allocatable[name] = amount(i), 9
		}
		pod := func(name string) *preemption.Pod {
			return &preemption.Pod{Name: name, NodeName: "n", Requests: requests}
		}
		c := newCluster(t, preemption.ClusterState{Nodes: []*preemption.Node{node}, Pods: []*preemption.Pod{pod("a"), pod("b"), pod("c")}})
		for _, change := range []func() error{
			func() error { return nil },
			func() error { return c.AddPod(pod("d")) },
			func() error { return c.RemovePod("", "a") },
			func() error {
				return c.AddPod(&preemption.Pod{Name: "alone", NodeName: "n", Requests: preemption.Resources{"rare": amount(1)}})
			},
			func() error { return c.RemovePod("", "alone") },
			func() error { return errors.Join(c.RemovePod("", "b"), c.RemovePod("", "c"), c.RemovePod("", "d")) },
		} {
			if err := errors.Join(change(), preemption.CheckEngine(c)); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// A budget that comes to allow something, or nothing any more, counts for every kind of
// victim there is, in every release: groups that go as one, on one node or several, and
// pods that only rank as their group says.
func TestBudgetsCrossZeroOverEveryKindOfVictim(t *testing.T) {
	app := map[string]string{"app": "web"}
	groups := []*preemption.PodGroup{
		{Namespace: "d", Name: "one-by-one", Priority: 1},
		{Namespace: "d", Name: "as-one", Priority: 1, DisruptionMode: preemption.DisruptAll},
	}
	kinds := map[string]func(p []*preemption.Pod){
		"plain pods":            func([]*preemption.Pod) {},
		"members, one by one":   func(p []*preemption.Pod) { p[0].Group, p[1].Group = "one-by-one", "one-by-one" },
		"a group on two nodes":  func(p []*preemption.Pod) { p[0].Group, p[1].Group = "as-one", "as-one" },
		"a group, half covered": func(p []*preemption.Pod) { p[0].Group, p[1].Group, p[1].Labels = "as-one", "as-one", nil },
		"a group on one node": func(p []*preemption.Pod) {
			p[0].Group, p[1].Group, p[1].NodeName = "as-one", "as-one", p[0].NodeName
		},
	}
	for kind, arrange := range kinds {
		for _, release := range preemption.Releases() {
			for _, allowed := range []int32{0, 1} {
				budget := &preemption.PodDisruptionBudget{Namespace: "d", Name: "web", Selector: &preemption.Selector{MatchLabels: app}, Allowed: allowed}
				state := preemption.ClusterState{Release: release, PodGroups: groups, DisruptionBudgets: []*preemption.PodDisruptionBudget{budget}}
				for i := range 2 {
					n := fmt.Sprint("n", i)
					state.Nodes = append(state.Nodes, &preemption.Node{Name: n, Allocatable: preemption.Resources{preemption.CPU: 4, preemption.PodCount: 10}})
					state.Pods = append(state.Pods, &preemption.Pod{
						Namespace: "d", Name: fmt.Sprint("p", i), UID: n, NodeName: n, Labels: app, Requests: preemption.Resources{preemption.CPU: 2},
					})
				}
				arrange(state.Pods)
				c := newCluster(t, state)
				crossed := *budget
				crossed.Allowed = 1 - allowed
				if err := c.SetBudget(&crossed); err != nil {
					t.Fatal(err)
				}
				if err := preemption.CheckEngine(c); err != nil {
					t.Errorf("%s, %v, from %d to %d: %v", kind, release, allowed, crossed.Allowed, err)
				}
			}
		}
	}
}
