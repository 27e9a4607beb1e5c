// Package record is what Kubernetes' own tests find in the place of
// DefaultPreemption's evaluator: a Decider whose decisions are written to the
// journal.
package record

import (
	"context"
	"os"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	upstream "k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"example.com/preemption/scheduler/decide"
	"example.com/preemption/scheduler/upstream/internal/journal"
)

// A PostFilter is kube-scheduler's evaluator with the library before it.
type PostFilter struct {
	decider *decide.Decider // nil: off
	plain   *upstream.Evaluator
	mu      sync.Mutex
	last    *journal.Decision
}

// New returns the evaluator in the place of preemption.NewEvaluator.
func New(name string, handle fwk.Handle, dryRun upstream.Interface, executor *upstream.Executor, features feature.Features) (*PostFilter, error) {
	p := &PostFilter{}
	evict := executor.PreemptPod
	executor.PreemptPod = func(ctx context.Context, c upstream.Candidate, preemptor upstream.ExecutorPreemptor, victim *v1.Pod, plugin string) (bool, error) {
		evicted := &journal.Evicted{Pod: victim.Namespace + "/" + victim.Name}
		if victim.Spec.Priority != nil {
			evicted.Priority = *victim.Spec.Priority
		}
		journal.Write(journal.Line{Evicted: evicted})
		return evict(ctx, c, preemptor, victim, plugin)
	}
	if os.Getenv(journal.DeciderVariable) == "off" {
		p.plain = upstream.NewEvaluator(name, handle, dryRun, executor)
		return p, nil
	}
	var err error
	p.decider, err = decide.New(name, handle, dryRun, executor, features, decide.Options{
		CrossCheck: os.Getenv(journal.CrossCheckVariable) == "full",
		Observe:    p.observe,
	})
	return p, err
}

// Preempt decides and writes down what came of it.
func (p *PostFilter) Preempt(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader) (result *fwk.PostFilterResult, status *fwk.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = nil
	started := time.Now()
	if p.decider == nil {
		result, status = p.plain.Preempt(ctx, cycle, pod, statuses)
	} else {
		result, status = p.decider.Preempt(ctx, cycle, pod, statuses)
	}
	journal.Write(journal.Line{Pod: pod.Namespace + "/" + pod.Name, PostFilter: time.Since(started), Success: status.IsSuccess(), Decision: p.last})
	return result, status
}

func (p *PostFilter) observe(d decide.Decision) {
	p.last = &journal.Decision{
		Outcome: d.Outcome.String(), Agreement: d.Agreement.String(), Reason: d.Reason,
		Victims: len(d.Victims), Violations: d.Violations, Nodes: d.Nodes,
		Following: d.Following, Deciding: d.Deciding, Checking: d.Checking,
		CrossChecked: d.CrossChecked, BetterThanSample: d.BetterThanSample,
	}
}
