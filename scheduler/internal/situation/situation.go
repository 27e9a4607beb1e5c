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
	// Now is when ages are counted from.
	Now time.Time
	// Notes are what has to be known about the input.
	Notes []string

	// aside are pending pods that share their name with one on a node. They are not
	// in the cluster.
	aside []*preemption.Pod
}

// New resolves the objects under the rules of a release. A zero now is replaced
// by the latest time that the objects speak of, so that the same dump always
// gives the same ages.
func New(c *dump.Contents, release preemption.Release, now time.Time) (*Situation, error) {
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
	if now.IsZero() {
		now = latest(c)
	}
	s := &Situation{
		Contents:  c,
		State:     state,
		Cluster:   cluster,
		Plugins:   plugins,
		Evaluator: preemption.Evaluator{Filters: plugins.Filters(), Parallelism: runtime.GOMAXPROCS(0)},
		Classes:   kube.NewPriorityClasses(c.Cluster.PriorityClasses),
		Now:       now,
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
	if p := s.Cluster.Pod(namespace, name); p != nil {
		if p.NodeName != "" {
			return nil, fmt.Errorf("pod %s is not pending: it is on node %s", p, p.NodeName)
		}
		return p, nil
	}
	for _, p := range s.Contents.Cluster.Pods {
		if p.Namespace != namespace || p.Name != name {
			continue
		}
		if kube.Finished(p) {
			return nil, fmt.Errorf("pod %s/%s is not pending: it has finished", namespace, name)
		}
		return nil, fmt.Errorf("pod %s/%s is not pending: it is on node %s, which is unknown", namespace, name, p.Spec.NodeName)
	}
	return nil, fmt.Errorf("there is no pod %s/%s", namespace, name)
}

// Add converts a pod that does not exist yet, or is to take the place of a
// pending one.
func (s *Situation) Add(p *v1.Pod) (*preemption.Pod, error) { return kube.Pod(p, s.Classes) }

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
	return t
}
