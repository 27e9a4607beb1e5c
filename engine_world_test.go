package preemption

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// A chooser makes the choices that a random world consists of: evenly, by rapid,
// so that failures shrink, or by the bytes of a fuzzer.
type chooser interface{ choose(n int) int }

type evenChooser struct{ *rand.Rand }

func (c evenChooser) choose(n int) int { return c.IntN(n) }

type byteChooser struct{ data []byte }

func (c *byteChooser) choose(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return int(b) % n
}

// A world makes random clusters and the events that change them. Its values are
// few, so that ties, overlaps and exact fits are common.
type world struct {
	chooser
	serial int
	nodes  []string
	pods   []string
	extend bool // extended resources beyond what the engine has columns for
}

func (w *world) oneIn(n int) bool { return w.choose(n) == n-1 }

func pick[T any](w *world, from ...T) T { return from[w.choose(len(from))] }

func (w *world) node(name string) *Node {
	n := &Node{
		Name:        name,
		Labels:      map[string]string{"zone": pick(w, "a", "b")},
		Allocatable: Resources{CPU: int64(1+w.choose(8)) * 1000, Memory: int64(w.choose(6)), PodCount: int64(pick(w, 110, 110, 3, 6))},
	}
	if w.oneIn(3) {
		n.Allocatable["gpu"] = int64(w.choose(5))
	}
	if w.oneIn(9) {
		n.Unschedulable = true
	}
	if w.oneIn(9) {
		n.Taints = []Taint{{Key: "k", Effect: pick(w, NoSchedule, NoExecute, PreferNoSchedule)}}
	}
	return n
}

func (w *world) requests() Resources {
	r := Resources{}
	if !w.oneIn(6) {
		r[CPU] = int64(w.choose(5)) * 500
	}
	if w.oneIn(3) {
		r[Memory] = int64(w.choose(4))
	}
	if w.oneIn(6) {
		r["gpu"] = int64(1 + w.choose(2))
	}
	if w.extend && w.oneIn(3) {
		r[fmt.Sprint("x", w.choose(12))] = int64(1 + w.choose(2))
	}
	return r
}

func (w *world) priority() int32 {
	return pick[int32](w, 0, 0, 1, 2, 3, 10, 100, math.MinInt32, math.MaxInt32, -5)
}

func (w *world) start() time.Time {
	if w.oneIn(5) {
		return time.Time{}
	}
	return time.Unix(int64(1000+w.choose(6)), 0)
}

func (w *world) pod(name string) *Pod {
	p := &Pod{
		Namespace: pick(w, "a", "b"), Name: name, UID: name,
		Labels:   map[string]string{"app": pick(w, "x", "y", "z")},
		Priority: w.priority(), Requests: w.requests(), Start: w.start(),
	}
	switch w.choose(8) {
	case 0:
		p.UID = ""
	case 1:
		p.Labels = nil
	}
	if w.oneIn(5) {
		p.HostPorts = []HostPort{{Port: int32(80 + w.choose(2)), IP: pick(w, "", "1.1.1.1", "2.2.2.2")}}
	}
	if w.oneIn(3) {
		p.Group = pick(w, "g0", "g1", "g2", "lost")
	}
	if w.oneIn(6) {
		p.Termination = pick(w, TerminatingByPreemption, TerminatingOther)
	}
	return p
}

// resident is a pod that is bound, nominated or neither.
func (w *world) resident(name string) *Pod {
	p := w.pod(name)
	switch {
	case w.oneIn(6):
		p.NominatedNode = pick(w, append(w.nodes, "nowhere")...)
	case len(w.nodes) > 0 && !w.oneIn(12):
		p.NodeName = pick(w, w.nodes...)
	}
	return p
}

func (w *world) budget(name string) *PodDisruptionBudget {
	b := &PodDisruptionBudget{Namespace: pick(w, "a", "b"), Name: name, Allowed: int32(w.choose(4) - 1)}
	switch w.choose(6) {
	case 0:
		b.Selector = &Selector{}
	case 1:
		b.Selector = &Selector{MatchExpressions: []Requirement{{"app", pick(w, SelectorIn, SelectorNotIn), []string{"x"}}}}
	case 2:
		b.Selector = &Selector{MatchExpressions: []Requirement{{"app", pick(w, SelectorExists, SelectorDoesNotExist, "Bad"), nil}}}
	case 3:
		b.Selector = nil
	default:
		b.Selector = &Selector{MatchLabels: map[string]string{"app": pick(w, "x", "y", "z")}}
	}
	if len(w.pods) > 0 && w.oneIn(3) {
		b.Disrupted = []string{pick(w, w.pods...)}
	}
	return b
}

func (w *world) group(namespace, name string) *PodGroup {
	return &PodGroup{namespace, name, w.priority(), pick(w, DisruptAll, DisruptAll, DisruptSingle), pick(w, "", "", "c0", "c1")}
}

func (w *world) composite(namespace, name string) *CompositePodGroup {
	return &CompositePodGroup{namespace, name, w.priority(), pick(w, DisruptAll, DisruptSingle), pick(w, "", "c0", "c1")}
}

// state makes a whole cluster.
func (w *world) state(r Release) ClusterState {
	s := ClusterState{Release: r}
	for i := range 1 + w.choose(6) {
		n := w.node(fmt.Sprint("n", i))
		w.nodes = append(w.nodes, n.Name)
		s.Nodes = append(s.Nodes, n)
	}
	for _, ns := range []string{"a", "b"} {
		for i := range w.choose(4) {
			s.PodGroups = append(s.PodGroups, w.group(ns, fmt.Sprint("g", i)))
		}
		for i := range w.choose(3) {
			s.CompositePodGroups = append(s.CompositePodGroups, w.composite(ns, fmt.Sprint("c", i)))
		}
	}
	for i := range w.choose(48) {
		p := w.resident(fmt.Sprint("p", i))
		w.pods = append(w.pods, p.Name)
		s.Pods = append(s.Pods, p)
	}
	for i := range w.choose(4) {
		s.DisruptionBudgets = append(s.DisruptionBudgets, w.budget(fmt.Sprint("b", i)))
	}
	w.serial = 100
	return s
}

// knownPods lists the pods of a cluster.
func knownPods(c *Cluster) []*Pod {
	var pods []*Pod
	for _, e := range c.pods.entries {
		if e.pod != nil {
			pods = append(pods, e.pod)
		}
	}
	return pods
}

// seeded tells the seed with a failure.
type seeded struct {
	*testing.T
	seed uint64
}

func (s seeded) Fatalf(format string, args ...any) {
	s.T.Helper()
	s.T.Fatalf("seed %d: %s", s.seed, fmt.Sprintf(format, args...))
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// describe writes out a cluster.
func describe(c *Cluster) string {
	s := "release " + c.release.String()
	for _, n := range c.nodes {
		s += fmt.Sprintf("\nnode %+v", *n)
		for _, p := range c.PodsOn(n) {
			s += fmt.Sprintf("\n  pod %+v", *p)
		}
		for _, p := range c.nominated[n.Name] {
			s += fmt.Sprintf("\n  nominated %+v", *p)
		}
	}
	for _, g := range c.groups.pod {
		s += fmt.Sprintf("\ngroup %+v", *g)
	}
	for _, g := range c.groups.composite {
		s += fmt.Sprintf("\ncomposite %+v", *g)
	}
	for _, b := range c.budgets.inOrder() {
		s += fmt.Sprintf("\nbudget %+v %+v", *b.budget, b.budget.Selector)
	}
	return s
}

// antiAffinity refuses to share a node with pods of the preemptor's app. It is
// monotone.
type antiAffinity struct{}

func (antiAffinity) Name() string { return "AntiAffinity" }

func (antiAffinity) Prepare(p *Pod, v View) (Prepared, error) {
	if p.Labels["app"] == "" {
		return nil, nil
	}
	return preparedAntiAffinity{p.Labels["app"], v}, nil
}

type preparedAntiAffinity struct {
	app  string
	view View
}

func (preparedAntiAffinity) Monotone() bool { return true }

func (a preparedAntiAffinity) Begin(n *Node) (DryRun, error) {
	r := &antiAffinityRun{app: a.app, node: n}
	for _, p := range a.view.PodsOn(n) {
		_ = r.Add(p, n)
	}
	return r, nil
}

type antiAffinityRun struct {
	app  string
	node *Node
	n    int
}

func (r *antiAffinityRun) Add(p *Pod, on *Node) error {
	if on == r.node && p.Labels["app"] == r.app {
		r.n++
	}
	return nil
}

func (r *antiAffinityRun) Remove(p *Pod, on *Node) error {
	if on == r.node && p.Labels["app"] == r.app {
		r.n--
	}
	return nil
}

func (r *antiAffinityRun) Fits() (Status, error) {
	if r.n > 0 {
		return Status{Code: Unschedulable, Reasons: []string{"same app"}}, nil
	}
	return Status{}, nil
}
