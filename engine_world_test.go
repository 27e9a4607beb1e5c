package preemption

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"pgregory.net/rapid"
)

// A chooser makes the choices that a random world consists of: evenly, by rapid,
// so that failures shrink, or by the bytes of a fuzzer.
type chooser interface{ choose(n int) int }

type evenChooser struct{ *rand.Rand }

func (c evenChooser) choose(n int) int { return c.IntN(n) }

type rapidChooser struct{ t *rapid.T }

func (c rapidChooser) choose(n int) int { return rapid.IntRange(0, n-1).Draw(c.t, "c") }

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

func (w *world) preemptor(known []*Pod) *Pod {
	if len(known) > 0 && w.oneIn(8) {
		return known[w.choose(len(known))]
	}
	p := w.pod("preemptor")
	if !w.oneIn(6) {
		p.Requests[CPU] = int64(2+w.choose(7)) * 500
	}
	p.Priority = pick[int32](w, 1, 2, 3, 11, 50, 100, 1000, math.MaxInt32)
	if w.oneIn(8) {
		p.NominatedNode = pick(w, append(w.nodes, "nowhere")...)
	}
	if w.oneIn(8) {
		p.NodeSelector = map[string]string{"zone": "a"}
	}
	if w.oneIn(8) {
		p.Tolerations = []Toleration{{Operator: TolerationExists}}
	}
	if w.oneIn(20) {
		p.PreemptionPolicy = PreemptNever
	}
	if w.oneIn(30) {
		p.Requests["unheard"] = 1
	}
	return p
}

func (w *world) budget(name string) *PodDisruptionBudget {
	b := &PodDisruptionBudget{Namespace: pick(w, "a", "b"), Name: name, Allowed: int32(w.choose(4) - 1)}
	switch w.choose(6) {
	case 0:
		b.Selector = &Selector{}
	case 1:
		b.Selector = &Selector{MatchExpressions: []Requirement{{"app", pick(w, In, NotIn), []string{"x"}}}}
	case 2:
		b.Selector = &Selector{MatchExpressions: []Requirement{{"app", pick(w, Exists, DoesNotExist, "Bad"), nil}}}
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

// change makes one random update, which may fail.
func (w *world) change(c *Cluster) {
	known := knownPods(c)
	switch w.choose(16) {
	case 0, 1, 2, 3:
		w.serial++
		_ = c.AddPod(w.resident(fmt.Sprint("p", w.serial)))
	case 4, 5, 6:
		if len(known) > 0 {
			p := known[w.choose(len(known))]
			_ = c.RemovePod(p.Namespace, p.Name)
		}
	case 7, 8:
		if len(known) > 0 {
			old := known[w.choose(len(known))]
			p := w.resident(old.Name)
			p.Namespace = old.Namespace
			if w.oneIn(2) {
				p.NodeName, p.NominatedNode = old.NodeName, old.NominatedNode
			}
			_ = c.UpdatePod(p)
		}
	case 9:
		if len(w.nodes) > 0 {
			_ = c.UpdateNode(w.node(pick(w, w.nodes...)))
		}
	case 10:
		w.serial++
		n := w.node(fmt.Sprint("n", w.serial))
		if w.oneIn(3) {
			n.Name = "nowhere"
		}
		if c.AddNode(n) == nil {
			w.nodes = append(w.nodes, n.Name)
		}
	case 11:
		if len(w.nodes) > 0 {
			_ = c.RemoveNode(pick(w, w.nodes...))
		}
	case 12:
		_ = c.SetPodGroup(w.group(pick(w, "a", "b"), pick(w, "g0", "g1", "g2")))
		if w.oneIn(3) {
			_ = c.RemovePodGroup(pick(w, "a", "b"), pick(w, "g0", "g1", "g2"))
		}
	case 13:
		_ = c.SetCompositePodGroup(w.composite(pick(w, "a", "b"), pick(w, "c0", "c1")))
		if w.oneIn(3) {
			_ = c.RemoveCompositePodGroup(pick(w, "a", "b"), pick(w, "c0", "c1"))
		}
	case 14:
		_ = c.SetBudget(w.budget(fmt.Sprint("b", w.choose(5))))
		if w.oneIn(4) {
			_ = c.RemoveBudget(pick(w, "a", "b"), fmt.Sprint("b", w.choose(5)))
		}
	case 15:
		if len(known) > 0 {
			_ = c.Nominate(known[w.choose(len(known))], pick(w, append(w.nodes, "nowhere", "")...))
		}
	}
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
