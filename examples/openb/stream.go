package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"example.com/preemption"
	"example.com/preemption/internal/trace"
)

// A tally counts what came of a stream of pods.
type tally struct {
	decisions, fits, preempted, unhelpful int
	victims, violations                   int
	victimsByQoS                          map[string]int
	victimsPerDecision                    []int           // of those that preempted
	latencies                             []time.Duration // of every decision
	unhelped                              []unhelped

	// Beside kube-scheduler's decisions: how many are better, by which order, and how
	// many pods it would have evicted from the same cluster each time.
	better          map[string]int
	upstreamVictims int
}

// unhelped is a pod that no eviction could help, with kube-scheduler's message.
type unhelped struct {
	asks    *trace.Pod
	message string
}

// maxUnhelped is how many unhelped pods, of different sizes, are remembered.
const maxUnhelped = 3

// A clock tells the time that has passed.
type clock func() time.Duration

// evaluator decides by kube-scheduler's policy, or by the best victims with
// kube-scheduler's decision beside it.
func evaluator(best bool) *preemption.Evaluator {
	e := &preemption.Evaluator{Filters: append(preemption.DefaultFilters(), gpuModels())}
	if best {
		e.Victims, e.Budgets, e.Contrast = preemption.VictimsBest, preemption.BudgetsExact, true
	}
	return e
}

// stream sends so many pods, drawn from the trace, into the world one after
// another and applies each decision before it takes the next.
func stream(ctx context.Context, w *world, evaluator *preemption.Evaluator, pods int, seed uint64, now clock, done func(int)) (*tally, error) {
	random := rand.New(rand.NewPCG(seed, 0))
	t := &tally{victimsByQoS: make(map[string]int), better: make(map[string]int)}
	for i := range pods {
		pending := w.arrive(&w.pods[random.IntN(len(w.pods))])

		started := now()
		decision, err := evaluator.Preempt(ctx, w.cluster, pending)
		if err != nil {
			return nil, err
		}
		t.latencies = append(t.latencies, now()-started)

		t.count(decision)
		if decision.Outcome == preemption.OutcomeUnhelpful {
			if err := t.remember(ctx, evaluator, w.cluster, pending); err != nil {
				return nil, err
			}
		} else if err := w.apply(pending, decision); err != nil {
			return nil, err
		}
		done(i + 1)
	}
	return t, nil
}

func (t *tally) count(decision *preemption.Result) {
	t.decisions++
	switch decision.Outcome {
	case preemption.OutcomeFits:
		t.fits++
	case preemption.OutcomeUnhelpful:
		t.unhelpful++
	case preemption.OutcomePreempt:
		t.preempted++
		t.victims += len(decision.Delete)
		t.victimsPerDecision = append(t.victimsPerDecision, len(decision.Delete))
		t.violations += decision.Violations
		if k := decision.Contrast; k != nil {
			t.upstreamVictims += len(k.Upstream.Delete)
			if k.Better {
				t.better[k.By]++
			}
		}
		for _, victim := range decision.Delete {
			t.victimsByQoS[victim.Object.(*trace.Pod).QoS]++
		}
	}
}

// remember asks again for the reasons, which Preempt does not collect.
func (t *tally) remember(ctx context.Context, e *preemption.Evaluator, c *preemption.Cluster, pending *preemption.Pod) error {
	asks := pending.Object.(*trace.Pod)
	known := slices.ContainsFunc(t.unhelped, func(u unhelped) bool { return u.asks.String() == asks.String() })
	if known || len(t.unhelped) == maxUnhelped {
		return nil
	}
	examination, err := e.Examine(ctx, c, pending)
	if err != nil {
		return err
	}
	t.unhelped = append(t.unhelped, unhelped{asks, examination.Message()})
	return nil
}
