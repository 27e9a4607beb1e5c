// Package world makes random clusters, the events that change them, and the pods
// and gangs that want in, for the tests that hold one way of deciding against
// another.
//
// The values are few, so that ties, overlaps and exact fits are common. Who makes
// the choices is up to the test: a seed, rapid, so that failures shrink, or the
// bytes of a fuzzer.
package world

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"example.com/preemption"
)

// A Chooser makes the choices that a random world consists of.
type Chooser interface {
	Choose(n int) int // from [0, n)
}

// Seeded chooses evenly, the same for the same seeds.
func Seeded(seed, stream uint64) Chooser {
	return evenChooser{rand.New(rand.NewPCG(seed, stream))}
}

type evenChooser struct{ *rand.Rand }

func (c evenChooser) Choose(n int) int { return c.IntN(n) }

// FromBytes chooses by the bytes of a fuzzer, and the first of the choices once
// they are used up.
func FromBytes(data []byte) Chooser { return &byteChooser{data} }

type byteChooser struct{ data []byte }

func (c *byteChooser) Choose(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return int(b) % n
}

// A World makes objects and events, and remembers the names it has given.
type World struct {
	Chooser
	Extend bool     // extended resources beyond what the engine has columns for
	Nodes  []string // the names of the nodes made
	pods   []podName
	serial int
}

type podName struct{ namespace, name string }

// New returns a world that takes its choices from c.
func New(c Chooser) *World { return &World{Chooser: c, serial: 100} }

// OneIn is true once in so many times.
func (w *World) OneIn(n int) bool { return w.Choose(n) == n-1 }

// Pick chooses one of a list.
func Pick[T any](w *World, from ...T) T { return from[w.Choose(len(from))] }

// Node makes a node: of few cores, perhaps cordoned, tainted, or with devices.
func (w *World) Node(name string) *preemption.Node {
	n := &preemption.Node{
		Name:        name,
		Labels:      map[string]string{"zone": Pick(w, "a", "b")},
		Allocatable: preemption.Resources{preemption.CPU: int64(1+w.Choose(8)) * 1000, preemption.Memory: int64(w.Choose(6)), preemption.PodCount: int64(Pick(w, 110, 110, 3, 6))},
	}
	if w.OneIn(3) {
		n.Allocatable["gpu"] = int64(w.Choose(5))
	}
	if w.Extend {
		n.Allocatable[fmt.Sprint("x", w.Choose(12))] = int64(w.Choose(5))
	}
	if w.OneIn(9) {
		n.Unschedulable = true
	}
	if w.OneIn(9) {
		n.Taints = []preemption.Taint{{Key: "k", Effect: Pick(w, preemption.NoSchedule, preemption.NoExecute, preemption.PreferNoSchedule)}}
	}
	return n
}

// Requests makes requests of round amounts, so that sums often meet what is there.
func (w *World) Requests() preemption.Resources {
	r := preemption.Resources{}
	if !w.OneIn(6) {
		r[preemption.CPU] = int64(w.Choose(5)) * 500
	}
	if w.OneIn(3) {
		r[preemption.Memory] = int64(w.Choose(4))
	}
	if w.OneIn(6) {
		r["gpu"] = int64(1 + w.Choose(2))
	}
	if w.Extend && w.OneIn(3) {
		r[fmt.Sprint("x", w.Choose(12))] = int64(1 + w.Choose(2))
	}
	return r
}

// Priority is one of a few, the extremes among them.
func (w *World) Priority() int32 {
	return Pick[int32](w, 0, 0, 1, 2, 3, 10, 100, math.MinInt32, math.MaxInt32, -5)
}

// Start is one of a few instants, or none.
func (w *World) Start() time.Time {
	if w.OneIn(5) {
		return time.Time{}
	}
	return time.Unix(int64(1000+w.Choose(6)), 0)
}

// Pod makes a pod that is bound nowhere.
func (w *World) Pod(name string) *preemption.Pod {
	p := &preemption.Pod{
		Namespace: Pick(w, "a", "b"), Name: name, UID: name,
		Labels:   map[string]string{"app": Pick(w, "x", "y", "z")},
		Priority: w.Priority(), Requests: w.Requests(), Start: w.Start(),
	}
	switch w.Choose(8) {
	case 0:
		p.UID = ""
	case 1:
		p.Labels = nil
	}
	if w.OneIn(5) {
		p.HostPorts = []preemption.HostPort{{Port: int32(80 + w.Choose(2)), IP: Pick(w, "", "1.1.1.1", "2.2.2.2")}}
	}
	if w.OneIn(3) {
		p.Group = Pick(w, "g0", "g1", "g2", "lost")
	}
	if w.OneIn(6) {
		p.Termination = Pick(w, preemption.TerminatingByPreemption, preemption.TerminatingOther)
	}
	return p
}

// Resident makes a pod that is bound, nominated or neither.
func (w *World) Resident(name string) *preemption.Pod {
	p := w.Pod(name)
	switch {
	case w.OneIn(6):
		p.NominatedNode = Pick(w, append(w.Nodes, "nowhere")...)
	case len(w.Nodes) > 0 && !w.OneIn(12):
		p.NodeName = Pick(w, w.Nodes...)
	}
	return p
}

// Preemptor makes a pod that wants in, or takes one of those known.
func (w *World) Preemptor(known []*preemption.Pod) *preemption.Pod {
	if len(known) > 0 && w.OneIn(8) {
		return known[w.Choose(len(known))]
	}
	p := w.Pod("preemptor")
	if !w.OneIn(6) {
		p.Requests[preemption.CPU] = int64(2+w.Choose(7)) * 500
	}
	p.Priority = Pick[int32](w, 1, 2, 3, 11, 50, 100, 1000, math.MaxInt32)
	if w.OneIn(8) {
		p.NominatedNode = Pick(w, append(w.Nodes, "nowhere")...)
	}
	if w.OneIn(8) {
		p.NodeSelector = map[string]string{"zone": "a"}
	}
	if w.OneIn(8) {
		p.Tolerations = []preemption.Toleration{{Operator: preemption.TolerationExists}}
	}
	if w.OneIn(20) {
		p.PreemptionPolicy = preemption.PreemptNever
	}
	if w.OneIn(30) {
		p.Requests["unheard"] = 1
	}
	return p
}

// Again is another preemptor, or at times the one that asked last, with one thing about
// it changed or nothing: then what is remembered of its question is of use.
func (w *World) Again(last *preemption.Pod, another func() *preemption.Pod) *preemption.Pod {
	switch {
	case last == nil || w.OneIn(2):
		return another()
	case w.OneIn(2):
		return w.Touched(last)
	}
	return last
}

// Budget makes a budget: any kind of selector, overdrawn, spent or not.
func (w *World) Budget(name string) *preemption.PodDisruptionBudget {
	b := &preemption.PodDisruptionBudget{Namespace: Pick(w, "a", "b"), Name: name, Allowed: int32(w.Choose(4) - 1)}
	switch w.Choose(6) {
	case 0:
		b.Selector = &preemption.Selector{}
	case 1:
		b.Selector = &preemption.Selector{MatchExpressions: []preemption.Requirement{{Key: "app", Operator: Pick(w, preemption.SelectorIn, preemption.SelectorNotIn), Values: []string{"x"}}}}
	case 2:
		b.Selector = &preemption.Selector{MatchExpressions: []preemption.Requirement{{Key: "app", Operator: Pick(w, preemption.SelectorExists, preemption.SelectorDoesNotExist, "Bad")}}}
	case 3:
		b.Selector = nil
	default:
		b.Selector = &preemption.Selector{MatchLabels: map[string]string{"app": Pick(w, "x", "y", "z")}}
	}
	if len(w.pods) > 0 && w.OneIn(3) {
		b.Disrupted = []string{Pick(w, w.pods...).name}
	}
	return b
}

// PodGroup makes a group, perhaps with a parent.
func (w *World) PodGroup(namespace, name string) *preemption.PodGroup {
	return &preemption.PodGroup{
		Namespace: namespace, Name: name, Priority: w.Priority(),
		DisruptionMode: Pick(w, preemption.DisruptAll, preemption.DisruptAll, preemption.DisruptSingle),
		Parent:         Pick(w, "", "", "c0", "c1"),
	}
}

// CompositePodGroup makes a composite group, perhaps its own ancestor.
func (w *World) CompositePodGroup(namespace, name string) *preemption.CompositePodGroup {
	return &preemption.CompositePodGroup{
		Namespace: namespace, Name: name, Priority: w.Priority(),
		DisruptionMode: Pick(w, preemption.DisruptAll, preemption.DisruptSingle),
		Parent:         Pick(w, "", "c0", "c1"),
	}
}

// State makes a whole cluster of up to six nodes.
func (w *World) State(r preemption.Release) preemption.ClusterState {
	s := preemption.ClusterState{Release: r}
	for i := range 1 + w.Choose(6) {
		n := w.Node(fmt.Sprint("n", i))
		w.Nodes = append(w.Nodes, n.Name)
		s.Nodes = append(s.Nodes, n)
	}
	for _, ns := range []string{"a", "b"} {
		for i := range w.Choose(4) {
			s.PodGroups = append(s.PodGroups, w.PodGroup(ns, fmt.Sprint("g", i)))
		}
		for i := range w.Choose(3) {
			s.CompositePodGroups = append(s.CompositePodGroups, w.CompositePodGroup(ns, fmt.Sprint("c", i)))
		}
	}
	for i := range w.Choose(48) {
		s.Pods = append(s.Pods, w.enter(w.Resident(fmt.Sprint("p", i))))
	}
	for i := range w.Choose(4) {
		s.DisruptionBudgets = append(s.DisruptionBudgets, w.Budget(fmt.Sprint("b", i)))
	}
	return s
}

// Change makes a random update, which may fail: every other time a small one.
func (w *World) Change(c *preemption.Cluster) {
	if w.OneIn(2) {
		w.Touch(c)
		return
	}
	known := w.Known(c)
	switch w.Choose(16) {
	case 0, 1, 2, 3:
		w.serial++
		_ = c.AddPod(w.enter(w.Resident(fmt.Sprint("p", w.serial))))
	case 4, 5, 6:
		if len(known) > 0 {
			p := known[w.Choose(len(known))]
			_ = c.RemovePod(p.Namespace, p.Name)
		}
	case 7, 8:
		if len(known) > 0 {
			old := known[w.Choose(len(known))]
			p := w.Resident(old.Name)
			p.Namespace = old.Namespace
			if w.OneIn(2) {
				p.NodeName, p.NominatedNode = old.NodeName, old.NominatedNode
			}
			_ = c.UpdatePod(p)
		}
	case 9:
		if len(w.Nodes) > 0 {
			_ = c.UpdateNode(w.Node(Pick(w, w.Nodes...)))
		}
	case 10:
		w.serial++
		n := w.Node(fmt.Sprint("n", w.serial))
		if w.OneIn(3) {
			n.Name = "nowhere"
		}
		if c.AddNode(n) == nil {
			w.Nodes = append(w.Nodes, n.Name)
		}
	case 11:
		if len(w.Nodes) > 0 {
			_ = c.RemoveNode(Pick(w, w.Nodes...))
		}
	case 12:
		_ = c.SetPodGroup(w.PodGroup(Pick(w, "a", "b"), Pick(w, "g0", "g1", "g2")))
		if w.OneIn(3) {
			_ = c.RemovePodGroup(Pick(w, "a", "b"), Pick(w, "g0", "g1", "g2"))
		}
	case 13:
		_ = c.SetCompositePodGroup(w.CompositePodGroup(Pick(w, "a", "b"), Pick(w, "c0", "c1")))
		if w.OneIn(3) {
			_ = c.RemoveCompositePodGroup(Pick(w, "a", "b"), Pick(w, "c0", "c1"))
		}
	case 14:
		_ = c.SetBudget(w.Budget(fmt.Sprint("b", w.Choose(5))))
		if w.OneIn(4) {
			_ = c.RemoveBudget(Pick(w, "a", "b"), fmt.Sprint("b", w.Choose(5)))
		}
	case 15:
		if len(known) > 0 {
			_ = c.Nominate(known[w.Choose(len(known))], Pick(w, append(w.Nodes, "nowhere", "")...))
		}
	}
}

// enter remembers the pod's name.
func (w *World) enter(p *preemption.Pod) *preemption.Pod {
	w.pods = append(w.pods, podName{p.Namespace, p.Name})
	return p
}

// Known lists the pods of the cluster that this world has made.
func (w *World) Known(c *preemption.Cluster) []*preemption.Pod {
	var pods []*preemption.Pod
	still := w.pods[:0]
	for _, name := range w.pods {
		if p := c.Pod(name.namespace, name.name); p != nil {
			pods, still = append(pods, p), append(still, name)
		}
	}
	w.pods = still
	return pods
}
