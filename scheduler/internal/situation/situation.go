// Package situation makes of the objects read what a decision is made on.
package situation

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler"
	"example.com/preemption/scheduler/internal/admission"
	"example.com/preemption/scheduler/internal/dump"
)

// A Situation is a cluster, and a scheduler that decides on it.
type Situation struct {
	Contents  *dump.Contents
	State     preemption.ClusterState
	Cluster   *preemption.Cluster
	Plugins   *scheduler.Scheduler
	Evaluator preemption.Evaluator
	Classes   *kube.PriorityClasses
	// Scheduler is the name of the scheduler that is asked about.
	Scheduler string
	// Now is when ages are counted from.
	Now time.Time
	// Notes are what has to be known about the input.
	Notes []string

	// promised are the pods before in the queue that get a place once what is
	// terminating is gone, and where.
	promised map[*preemption.Pod]string

	// aside are pending pods that share their name with one on a node. They are not
	// in the cluster.
	aside []*preemption.Pod
}

// New resolves the objects under the rules of a release. Ages in a dump are counted
// from the latest time that its objects speak of, so that the same dump always
// gives the same ages.
func New(c *dump.Contents, release preemption.Release) (*Situation, error) {
	if len(c.Cluster.Nodes) == 0 {
		return nil, fmt.Errorf("the input has no nodes, so there is nowhere to go for any pod%s", passedOver(c))
	}
	state, err := c.Cluster.State(release)
	if err != nil {
		if len(c.Cluster.PriorityClasses) == 0 {
			err = errors.Join(err, errors.New("(the input has no PriorityClasses)"))
		}
		return nil, err
	}
	var aside []*preemption.Pod
	state.Pods, aside = setAside(state.Pods)
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		return nil, err
	}
	plugins, err := scheduler.New(c.Plugins)
	if err != nil {
		return nil, err
	}
	s := &Situation{
		Contents:  c,
		State:     state,
		Cluster:   cluster,
		Plugins:   plugins,
		Evaluator: preemption.Evaluator{Filters: plugins.Filters(), Parallelism: runtime.GOMAXPROCS(0)},
		Classes:   kube.NewPriorityClasses(c.Cluster.PriorityClasses),
		Scheduler: v1.DefaultSchedulerName,
		Now:       Now(c),
		aside:     aside,
	}
	s.Notes = s.notes()
	return s, nil
}

// passedOver names the kinds in the input that are of no use.
func passedOver(c *dump.Contents) string {
	if other := append(c.StrangeVersions(), c.OtherKinds()...); len(other) > 0 {
		return " (it has, among others: " + strings.Join(other, ", ") + ")"
	}
	return ""
}

// setAside splits off the pending pods that share their name with one on a node:
// an input put together at different times has the pod before and after.
func setAside(pods []*preemption.Pod) (kept, aside []*preemption.Pod) {
	type key struct{ namespace, name string }
	bound := make(map[key]bool, len(pods))
	for _, p := range pods {
		if p.NodeName != "" {
			bound[key{p.Namespace, p.Name}] = true
		}
	}
	for _, p := range pods {
		if p.NodeName == "" && bound[key{p.Namespace, p.Name}] {
			aside = append(aside, p)
		} else {
			kept = append(kept, p)
		}
	}
	return kept, aside
}

// Pending returns the pending pod of that name.
func (s *Situation) Pending(namespace, name string) (*preemption.Pod, error) {
	for _, p := range s.aside {
		if p.Namespace == namespace && p.Name == name {
			return p, nil
		}
	}
	p, err := s.find(namespace, name)
	if err == nil && p.NodeName != "" {
		return nil, fmt.Errorf("pod %s is not pending: it is on node %s (kubectl preemption can-evict %s -n %s tells who could evict it)", p, p.NodeName, name, namespace)
	}
	return p, err
}

// Running returns the pod of that name that is on a node.
func (s *Situation) Running(namespace, name string) (*preemption.Pod, error) {
	p, err := s.find(namespace, name)
	if err == nil && p.NodeName == "" {
		return nil, fmt.Errorf("pod %s is on no node: there is nothing to evict", p)
	}
	return p, err
}

func (s *Situation) find(namespace, name string) (*preemption.Pod, error) {
	if p := s.Cluster.Pod(namespace, name); p != nil {
		return p, nil
	}
	var elsewhere []string
	for _, p := range s.Contents.Cluster.Pods {
		switch {
		case p.Name != name:
		case p.Namespace != namespace:
			elsewhere = append(elsewhere, p.Namespace)
		case kube.Finished(p):
			return nil, fmt.Errorf("pod %s/%s is not pending: it has finished", namespace, name)
		default:
			return nil, fmt.Errorf("pod %s/%s is not pending: it is on node %s, which is unknown", namespace, name, p.Spec.NodeName)
		}
	}
	return nil, NotThere("pod", namespace, name, elsewhere)
}

// NotThere is the error that there is no such object, with the namespaces that have
// one of its name.
func NotThere(kind, namespace, name string, elsewhere []string) error {
	switch len(elsewhere) {
	case 0:
		return fmt.Errorf("there is no %s %s/%s", kind, namespace, name)
	case 1:
		return fmt.Errorf("there is no %s %s/%s; the one of that name is in namespace %s (-n %s)", kind, namespace, name, elsewhere[0], elsewhere[0])
	}
	return fmt.Errorf("there is no %s %s/%s; those of that name are in the namespaces %s", kind, namespace, name, strings.Join(elsewhere, ", "))
}

// Add converts a pod that does not exist yet, or is to take the place of a
// pending one, as the API server would store it. What was done to it, and what
// could not be, is added to the notes.
func (s *Situation) Add(p *v1.Pod) (*preemption.Pod, error) {
	admitted, notes, err := admission.Admit(p, s.Contents)
	if err != nil {
		return nil, err
	}
	s.Notes = append(s.Notes, notes...)
	return kube.Pod(admitted, s.Classes)
}

// Promise notes that the pending pod takes its place on the node once what is
// terminating there is gone.
func (s *Situation) Promise(p *preemption.Pod, node string) {
	if s.promised == nil {
		s.promised = make(map[*preemption.Pod]string)
	}
	s.promised[p] = node
}

// Later returns the cluster with the pods that were promised a place holding it.
func (s *Situation) Later() (*preemption.Cluster, error) {
	if len(s.promised) == 0 {
		return s.Cluster, nil
	}
	c := s.Cluster.Clone()
	for _, p := range s.State.Pods { // in their order
		if node := s.promised[p]; node != "" && p.NodeName == "" {
			if err := c.Nominate(p, node); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// Imagine returns the cluster as it is without the pods on nodes that are not
// kept, and without nominations unless they are.
func (s *Situation) Imagine(keep func(*preemption.Pod) bool, nominations bool) (*preemption.Cluster, error) {
	state := preemption.ClusterState{
		Release: s.State.Release, Nodes: s.Cluster.Nodes(), DisruptionBudgets: s.Cluster.DisruptionBudgets(),
		PodGroups: s.State.PodGroups, CompositePodGroups: s.State.CompositePodGroups,
	}
	for _, n := range state.Nodes {
		for _, p := range s.Cluster.PodsOn(n) {
			if keep(p) {
				state.Pods = append(state.Pods, p)
			}
		}
	}
	if nominations {
		for _, n := range state.Nodes {
			for _, p := range s.Cluster.NominatedTo(n.Name) {
				nominated := *p
				nominated.NominatedNode = n.Name
				state.Pods = append(state.Pods, &nominated)
			}
		}
	}
	return preemption.NewCluster(state)
}

// Now is when ages are counted from: for a live cluster the time, for a dump the
// latest that its objects speak of.
func Now(c *dump.Contents) time.Time {
	if c.Live {
		return time.Now()
	}
	return latest(c)
}

// latest returns the latest time that nodes and pods speak of.
func latest(c *dump.Contents) time.Time {
	var t time.Time
	see := func(x time.Time) {
		if x.After(t) {
			t = x
		}
	}
	for _, n := range c.Cluster.Nodes {
		see(n.CreationTimestamp.Time)
		for _, c := range n.Status.Conditions {
			see(c.LastHeartbeatTime.Time)
		}
	}
	for _, p := range c.Cluster.Pods {
		see(p.CreationTimestamp.Time)
		if p.Status.StartTime != nil {
			see(p.Status.StartTime.Time)
		}
		for _, c := range p.Status.Conditions {
			see(c.LastTransitionTime.Time)
		}
	}
	for i := range c.Events {
		see(c.Events[i].When)
	}
	return t
}
