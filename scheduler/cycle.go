package scheduler

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"example.com/preemption"
)

// A cycle is the scheduler's work on one preemptor up to and including
// PreFilter.
type cycle struct {
	snapshot  *snapshot
	preemptor *preemption.Pod
	pod       *v1.Pod
	// concerned are the plugins that have something to say about the preemptor, by
	// name, with what their PreFilter found.
	concerned map[string]prefiltered
	// rejected is why no node at all takes the preemptor, nil if that is not so.
	rejected *preemption.Status
	// only are the nodes that some plugins leave, nil if they leave all.
	only     sets.Set[string]
	excluded preemption.Status // the status of the others
}

type prefiltered struct {
	plugin
	state fwk.CycleState
}

// silent is the context of all plugins: what they log is not meant for anybody.
var silent = klog.NewContext(context.Background(), logr.Discard())

// newCycle runs the PreFilter of all plugins, as the scheduler does.
func newCycle(s *Scheduler, snapshot *snapshot, preemptor *preemption.Pod) (*cycle, error) {
	pod, err := podOf(preemptor)
	if err != nil {
		return nil, err
	}
	c := &cycle{snapshot: snapshot, preemptor: preemptor, pod: pod, concerned: make(map[string]prefiltered)}
	h := handle{snapshot: snapshot, informers: s.informers}
	var result *fwk.PreFilterResult
	var narrowing []string
	for _, kind := range s.plugins {
		if kind.factory == nil {
			continue
		}
		p, err := kind.build(silent, h)
		if err != nil {
			return nil, err
		}
		state := framework.NewCycleState()
		r, status := p.preFilter(silent, state, c)
		switch {
		case status.IsSkip():
			continue
		case status.IsRejected():
			rejected := statusOf(kind.name, status)
			c.rejected = &rejected
			return c, nil
		case !status.IsSuccess():
			return nil, fmt.Errorf("PreFilter of plugin %s: %w", kind.name, status.AsError())
		}
		c.concerned[kind.name] = prefiltered{p, state}
		if !r.AllNodes() {
			narrowing = append(narrowing, kind.name)
		}
		result = result.Merge(r)
		if !result.AllNodes() && len(result.NodeNames) == 0 {
			c.rejected = &preemption.Status{Code: preemption.Unresolvable, Filter: kind.name, Reasons: []string{nobodyLeft(narrowing)}}
			return c, nil
		}
	}
	if !result.AllNodes() {
		c.only = result.NodeNames
		c.excluded = preemption.Status{
			Code:    preemption.Unresolvable,
			Filter:  narrowing[0],
			Reasons: []string{fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sorted(narrowing))},
		}
	}
	return c, nil
}

func nobodyLeft(plugins []string) string {
	if len(plugins) == 1 {
		return fmt.Sprintf("node(s) didn't satisfy plugin %v", plugins[0])
	}
	return fmt.Sprintf("node(s) didn't satisfy plugin(s) %v simultaneously", sorted(plugins))
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// statusOf converts a refusal.
func statusOf(plugin string, s *fwk.Status) preemption.Status {
	code := preemption.Unschedulable
	if s.Code() == fwk.UnschedulableAndUnresolvable {
		code = preemption.Unresolvable
	}
	return preemption.Status{Code: code, Filter: plugin, Reasons: s.Reasons()}
}
