package simulate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/preemption"
	"pgregory.net/rapid"
)

// A twin is the simulation done naively: all its state is a list of pods, and
// everything else, clusters, budgets, what happens next, is worked out anew each
// time. It knows no gangs and finds no cycles.
type twin struct {
	world  World
	now    time.Duration
	pods   []*twinPod
	placed int // orders pods on their nodes
	claims int // orders nominations
	lines  []string
	lives  map[string]int
	gone   map[string]bool // original pods that have departed
	bare   map[string]*preemption.PodDisruptionBudget
}

type twinPod struct {
	original *preemption.Pod
	pod      preemption.Pod
	order    int // on the node, or among the nominations
	queued   time.Duration
	attempts int
	again    time.Duration // pending: when it may be tried again
	sleeps   bool
	reason   string
	ends     time.Duration // terminating
	healthy  time.Duration // bound: from then on
	warming  bool          // bound, and not yet healthy
	onlyOn   string
}

const never = time.Duration(math.MaxInt64)

func (p *twinPod) pending() bool { return p.pod.NodeName == "" }
func (p *twinPod) terminating() bool {
	return p.pod.Termination != preemption.NotTerminating
}

func (t *twin) say(p *preemption.Pod, format string, args ...any) {
	t.lines = append(t.lines, fmt.Sprintf("%v %s %s", t.now, p.Name, fmt.Sprintf(format, args...)))
}

// budgets returns every budget with what it allows now.
func (t *twin) budgets() []*preemption.PodDisruptionBudget {
	var all []*preemption.PodDisruptionBudget
	have := map[string]bool{}
	add := func(b *preemption.PodDisruptionBudget) {
		have[b.Name] = true
		for _, spec := range t.world.Budgets {
			if spec.Name == b.Name {
				all = append(all, t.recounted(spec))
				return
			}
		}
		all = append(all, t.bare[b.Name])
	}
	for _, b := range t.world.Cluster.DisruptionBudgets() {
		add(b)
	}
	var rest []string
	for _, spec := range t.world.Budgets {
		rest = append(rest, spec.Name)
	}
	slices.Sort(rest)
	for _, name := range rest {
		if !have[name] {
			add(&preemption.PodDisruptionBudget{Name: name})
		}
	}
	return all
}

func comesBackLater(p *preemption.Pod) bool {
	return p.Owner.Kind == "StatefulSet" || p.Owner.Kind == "DaemonSet"
}

func (t *twin) recounted(spec Budget) *preemption.PodDisruptionBudget {
	a := preemption.Availability{MinAvailable: spec.MinAvailable, MaxUnavailable: spec.MaxUnavailable}
	for _, p := range t.pods {
		if !spec.Selector.Matches(p.pod.Labels) {
			continue
		}
		wanted := !t.gone[p.original.Name] && (!p.terminating() || comesBackLater(&p.pod))
		if wanted && (p.pod.Owner.Kind != "" || spec.MinAvailable != nil && !spec.MinAvailable.Percent) {
			a.Expected++
		}
		if !p.pending() && !p.terminating() && !p.warming {
			a.Healthy++
		}
	}
	b := *spec.PodDisruptionBudget
	b.Disrupted = nil
	b.Allowed, _ = a.DisruptionsAllowed()
	return &b
}

// cluster builds the cluster of the moment.
func (t *twin) cluster() *preemption.Cluster {
	state := t.world.Cluster.State()
	state.Pods, state.DisruptionBudgets = nil, t.budgets()
	pods := slices.Clone(t.pods)
	slices.SortStableFunc(pods, func(a, b *twinPod) int { return cmp.Compare(a.order, b.order) })
	for _, p := range pods {
		state.Pods = append(state.Pods, &p.pod)
	}
	c, err := preemption.NewCluster(state)
	if err != nil {
		panic(err)
	}
	return c
}

func (t *twin) wake() {
	for _, p := range t.pods {
		p.sleeps = false
	}
}

// remove takes a pod away. Room, or a claim to some, is free.
func (t *twin) remove(p *twinPod) {
	t.pods = slices.DeleteFunc(t.pods, func(x *twinPod) bool { return x == p })
	if p.pod.NodeName != "" || p.pod.NominatedNode != "" {
		t.wake()
	}
}

func (t *twin) recreate(p *twinPod) {
	t.lives[p.original.Name]++
	r := Recreate(p.original, &p.pod, t.lives[p.original.Name])
	t.say(r.Pod, "is created in the place of %s", p.original.Name)
	t.pods = append(t.pods, &twinPod{original: p.original, pod: *r.Pod, queued: t.now, again: t.now, healthy: never, onlyOn: r.OnlyOn})
}

func (t *twin) run() string {
	t.lives, t.gone = map[string]int{}, map[string]bool{}
	t.bare = map[string]*preemption.PodDisruptionBudget{}
	for _, b := range t.world.Cluster.DisruptionBudgets() {
		t.bare[b.Name] = b
	}
	type outside struct {
		at     time.Duration
		rank   int
		name   string
		arrive *preemption.Pod
	}
	var todo []outside
	arrive := func(at time.Duration, p *preemption.Pod) { todo = append(todo, outside{at, 1, p.Name, p}) }
	var latest time.Time
	for _, p := range t.world.Cluster.State().Pods {
		if p.Start.After(latest) {
			latest = p.Start
		}
		if p.NodeName == "" {
			t.claims--                                     // a claim at the start is older than any other
			todo = append(todo, outside{0, -1, p.Name, p}) // it was there before anything departs
			continue
		}
		t.lives[p.Name] = 1
		x := &twinPod{original: p, pod: *p}
		if x.terminating() {
			x.ends = p.GracePeriod
		}
		t.pods = append(t.pods, x)
	}
	for _, p := range t.world.Pending {
		arrive(0, p)
	}
	for _, a := range t.world.Arrivals {
		arrive(a.At, a.Pod)
	}
	for _, d := range t.world.Departures {
		todo = append(todo, outside{d.At, 0, d.Name, nil})
	}
	slices.SortStableFunc(todo, func(a, b outside) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank), cmp.Compare(a.name, b.name))
	})

	for {
		// The first thing to happen, by time and then by kind.
		at, kind := never, 0
		consider := func(when time.Duration, what int) {
			if when < at || when == at && what < kind {
				at, kind = when, what
			}
		}
		for _, p := range t.pods {
			switch {
			case p.pending() && !p.sleeps:
				consider(max(p.again, t.now), 3)
			case p.terminating():
				consider(p.ends, 0)
			case p.warming:
				consider(p.healthy, 1)
			}
		}
		if len(todo) > 0 {
			consider(todo[0].at, 2)
		}
		if at == never || at > t.world.Horizon {
			return strings.Join(t.lines, "\n")
		}
		t.now = at

		first := func(is func(*twinPod) bool, compare func(a, b *twinPod) int) *twinPod {
			var best *twinPod
			for _, p := range t.pods {
				if is(p) && (best == nil || compare(p, best) < 0) {
					best = p
				}
			}
			return best
		}
		byName := func(a, b *twinPod) int { return cmp.Compare(a.pod.Name, b.pod.Name) }
		switch kind {
		case 0:
			p := first(func(p *twinPod) bool { return p.terminating() && p.ends == at }, byName)
			t.say(&p.pod, "is gone from %s", p.pod.NodeName)
			t.remove(p)
			if comesBackLater(&p.pod) && !t.gone[p.original.Name] {
				t.recreate(p)
			}
		case 1:
			// All at once: the order shows in the text alone.
			var ready []*twinPod
			for _, p := range t.pods {
				if p.warming && !p.terminating() && p.healthy == at {
					ready = append(ready, p)
				}
			}
			slices.SortFunc(ready, byName)
			for _, p := range ready {
				p.warming = false
				t.say(&p.pod, "is healthy")
			}
		case 2:
			x := todo[0]
			todo = todo[1:]
			if x.arrive == nil {
				t.depart(x.name)
				continue
			}
			t.lives[x.name] = 1
			t.say(x.arrive, "arrives, priority %d", x.arrive.Priority)
			p := &twinPod{original: x.arrive, pod: *x.arrive, queued: at, again: at, healthy: never}
			for _, n := range t.world.Cluster.Nodes() {
				for i, claimed := range t.world.Cluster.NominatedTo(n.Name) {
					if claimed.Name == x.name {
						p.order = i - math.MaxInt32
					}
				}
			}
			t.pods = append(t.pods, p)
		case 3:
			t.cycle(first(func(p *twinPod) bool { return p.pending() && !p.sleeps && p.again <= at }, func(a, b *twinPod) int {
				return cmp.Or(cmp.Compare(b.pod.Priority, a.pod.Priority), cmp.Compare(a.queued, b.queued),
					cmp.Compare(a.pod.UID, b.pod.UID), cmp.Compare(a.pod.Name, b.pod.Name))
			}))
		}
	}
}

func (t *twin) depart(name string) {
	if t.gone[name] {
		return
	}
	for _, p := range t.pods {
		if p.original.Name == name {
			t.gone[name] = true
		}
	}
	for _, p := range t.pods {
		if p.original.Name == name && !p.terminating() {
			if p.pending() {
				t.say(&p.pod, "leaves, pending")
			} else {
				t.say(&p.pod, "leaves %s", p.pod.NodeName)
			}
			t.remove(p)
			return
		}
	}
}

func (t *twin) find(pod *preemption.Pod) *twinPod {
	i := slices.IndexFunc(t.pods, func(p *twinPod) bool { return p.pod.Name == pod.Name })
	return t.pods[i]
}

func (t *twin) cycle(p *twinPod) {
	p.attempts++
	seconds := 10.0
	if p.attempts < 5 {
		seconds = math.Pow(2, float64(p.attempts-1))
	}
	p.again = t.now + time.Duration(seconds)*time.Second
	p.sleeps = true

	c := t.cluster()
	pod := c.Pod(p.pod.Namespace, p.pod.Name)
	e := t.world.Policy.Evaluator
	if p.onlyOn != "" {
		e.Statuses = func(n *preemption.Node) (preemption.Status, bool) {
			return preemption.Status{Code: preemption.Unresolvable}, n.Name != p.onlyOn
		}
	}
	x, err := e.Examine(context.Background(), c, pod)
	if err != nil {
		panic(err)
	}
	switch x.Outcome {
	case preemption.OutcomeFits:
		node := x.FitNodes[0]
		if slices.ContainsFunc(x.FitNodes, func(n *preemption.Node) bool { return n.Name == p.pod.NominatedNode }) {
			node = c.Node(p.pod.NominatedNode)
		} else if p.onlyOn == "" {
			placer := preemption.LeastAllocated(preemption.DefaultFilters()...)
			nodes, err := placer(context.Background(), c, &preemption.Gang{Members: []*preemption.Pod{pod}})
			if err != nil {
				panic(err)
			}
			node = nodes[0]
		}
		t.placed++
		t.say(&p.pod, "is placed on %s", node.Name)
		if p.pod.NominatedNode != "" && p.pod.NominatedNode != node.Name {
			t.wake()
		}
		p.pod.NodeName, p.pod.NominatedNode, p.pod.Start, p.order = node.Name, "", t.world.Now.Add(t.now), t.placed
		delay := t.world.Healthy(&p.pod)
		p.healthy, p.warming = t.now+delay, delay > 0
	case preemption.OutcomePreempt:
		t.preempt(p, c, &x.Result)
	case preemption.OutcomeWaiting:
		var names []string
		for _, w := range x.Waiting {
			names = append(names, w.Name)
		}
		t.waits(p, fmt.Sprintf("waits for %s to go from %s", strings.Join(names, ", "), p.pod.NominatedNode))
	case preemption.OutcomeIneligible:
		t.waits(p, "waits: "+x.Reason)
	default:
		t.waits(p, "waits: no node takes it, and preemption does not help")
		if p.pod.NominatedNode != "" {
			t.say(&p.pod, "loses its claim on %s", p.pod.NominatedNode)
			p.pod.NominatedNode = ""
			t.wake()
			p.sleeps = true
		}
	}
}

func (t *twin) waits(p *twinPod, reason string) {
	if p.reason != reason {
		p.reason = reason
		t.say(&p.pod, "%s", reason)
	}
}

func (t *twin) preempt(p *twinPod, c *preemption.Cluster, r *preemption.Result) {
	var names []string
	for _, v := range r.Delete {
		names = append(names, v.Name)
		for _, b := range t.bare {
			if b.Selector.Matches(v.Labels) && !slices.Contains(b.Disrupted, v.Name) {
				charged := *b
				charged.Allowed = max(0, b.Allowed-1)
				charged.Disrupted = append(slices.Clone(b.Disrupted), v.Name)
				t.bare[b.Name] = &charged
			}
		}
	}
	moved := p.pod.NominatedNode != "" && p.pod.NominatedNode != r.Node.Name
	if p.pod.NominatedNode != r.Node.Name {
		t.claims++
		p.order = t.claims
	}
	p.pod.NominatedNode, p.reason = r.Node.Name, ""
	if len(names) == 0 {
		t.say(&p.pod, "claims %s, where pods are terminating", r.Node.Name)
	} else {
		s := "s"
		if r.Violations == 1 {
			s = ""
		}
		t.say(&p.pod, "preempts %s for a place on %s, %d budget violation%s", strings.Join(names, ", "), r.Node.Name, r.Violations, s)
	}
	for _, v := range r.Delete {
		x := t.find(v)
		t.say(v, "is evicted from %s for %s, with %v to go", v.NodeName, p.pod.Name, v.GracePeriod)
		x.pod.Termination, x.ends = preemption.TerminatingByPreemption, t.now+v.GracePeriod
		if v.Owner.Kind != "" && !comesBackLater(v) {
			t.recreate(x)
		}
	}
	for _, v := range r.ClearNominations {
		x := t.find(v)
		t.say(v, "loses its claim on %s", x.pod.NominatedNode)
		x.pod.NominatedNode = ""
		moved = true
	}
	if moved {
		t.wake()
		p.sleeps = true
	}
}

// The simulation tells the same story as its naive twin.
func TestTwin(t *testing.T) {
	ends, evictions := map[End]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		r, err := Run(context.Background(), w)
		if err != nil {
			t.Fatal(err)
		}
		ends[r.End]++
		evictions += r.evictions()
		if r.End == Repeats {
			w.Horizon = r.At
		}
		var got []string
		for i := range r.Events {
			if e := &r.Events[i]; e.Kind != GivesUp {
				got = append(got, fmt.Sprintf("%v %s %s", e.At, e.Pod.Name, e.text(naming{bare: true})))
			}
		}
		if w.Now.IsZero() {
			for _, p := range w.Cluster.State().Pods {
				if p.Start.After(w.Now) {
					w.Now = p.Start
				}
			}
		}
		if want := (&twin{world: w}).run(); strings.Join(got, "\n") != want {
			t.Fatalf("the simulation:\n%s\nits twin:\n%s", strings.Join(got, "\n"), want)
		}
	})
	t.Logf("ends %v, %d evictions", ends, evictions)
}
