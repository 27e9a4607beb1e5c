package main

import (
	"fmt"
	"time"

	"example.com/preemption"
	"example.com/preemption/internal/trace"
)

// streamNamespace is where the urgent pods live, apart from those of the trace,
// so that budgets do not cover them.
const streamNamespace = "stream"

// streamPriority is the top of the range that Koordinator gives to prod, above
// every pod of the trace.
const streamPriority = 9999

// room is an amount of each thing that runs short.
type room struct{ gpu, cpu, memory, seats int64 }

// A world is the cluster with what the example knows about it.
type world struct {
	cluster *preemption.Cluster
	pods    []trace.Pod // what the stream is drawn from
	apps    map[string]*app
	placed  int
	budgets int
	used    room // of the nodes, by the pods placed
	total   room
	arrived int // pods of the stream
}

// newWorld places the pods of the trace on so many of its nodes.
func newWorld(nodeCount int) (*world, error) {
	nodes, err := trace.Nodes()
	if err != nil {
		return nil, err
	}
	pods, err := trace.Pods()
	if err != nil {
		return nil, err
	}
	nodes = trace.Sample(nodes, nodeCount)
	w := &world{pods: pods, apps: make(map[string]*app)}
	var state preemption.ClusterState
	for i := range nodes {
		n := &nodes[i]
		state.Nodes = append(state.Nodes, n.Object())
		w.total = room{w.total.gpu + n.GPU, w.total.cpu + n.CPU, w.total.memory + n.Memory, w.total.seats + trace.PodsPerNode}
	}
	var known apps
	for i, at := range trace.BestFit(nodes, pods) {
		if at < 0 {
			continue
		}
		p := &pods[i]
		app := known.of(p)
		app.replicas++
		app.healthy++
		state.Pods = append(state.Pods, running(p, app, nodes[at].Name))
		w.used = room{w.used.gpu + p.GPU, w.used.cpu + p.CPU, w.used.memory + p.Memory, w.used.seats + 1}
	}
	for _, a := range known.list {
		w.apps[a.name] = a
	}
	if state.DisruptionBudgets, err = known.budgets(); err != nil {
		return nil, err
	}
	w.placed = len(state.Pods)
	w.budgets = len(state.DisruptionBudgets)
	w.cluster, err = preemption.NewCluster(state)
	return w, err
}

// running is a pod of the trace on its node.
func running(p *trace.Pod, app *app, node string) *preemption.Pod {
	return &preemption.Pod{
		Namespace: app.name,
		Name:      p.Name,
		UID:       p.Name,
		Labels:    map[string]string{appLabel: app.name},
		Priority:  trace.Priority[p.QoS],
		Requests:  p.Requests(),
		NodeName:  node,
		Start:     p.Created,
		Object:    p,
	}
}

// streamStart is when the first pod of the stream arrives: after the trace has
// ended. The others follow a second apart.
var streamStart = trace.Epoch.AddDate(1, 0, 0)

// arrive returns a new pending pod of the size of p.
func (w *world) arrive(p *trace.Pod) *preemption.Pod {
	w.arrived++
	name := fmt.Sprintf("pod-%05d", w.arrived)
	return &preemption.Pod{
		Namespace: streamNamespace,
		Name:      name,
		UID:       name,
		Priority:  streamPriority,
		Requests:  p.Requests(),
		Object:    p,
	}
}

// apply does what a scheduler would do about a decision, at once: it evicts the
// victims and binds the pod.
func (w *world) apply(pending *preemption.Pod, decision *preemption.Result) error {
	for _, victim := range decision.Delete {
		if err := w.evict(victim); err != nil {
			return err
		}
	}
	bound := *pending
	bound.NodeName = decision.Node.Name
	bound.Start = streamStart.Add(time.Duration(w.arrived) * time.Second)
	return w.cluster.AddPod(&bound)
}

func (w *world) evict(victim *preemption.Pod) error {
	if err := w.cluster.RemovePod(victim.Namespace, victim.Name); err != nil {
		return err
	}
	app := w.apps[victim.Labels[appLabel]]
	app.healthy--
	if !app.protected() {
		return nil
	}
	budget, err := app.budget()
	if err != nil {
		return err
	}
	return w.cluster.SetBudget(budget)
}
