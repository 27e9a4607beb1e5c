// Package decide lets package preemption choose the node that kube-scheduler
// clears for a pod, and has kube-scheduler check the choice and carry it out.
//
// A [Decider] takes the place of the preemption evaluator in a PostFilter plugin.
// It keeps a [preemption.Cluster] in step with the scheduler's snapshot, decides
// over every node with it, and hands the node it chose to kube-scheduler's own
// evaluator and executor by narrowing the statuses of the filter phase to that
// node. The evaluator's dry run of the node has the last word: if it refuses, or
// comes to another number of victims or budget violations, kube-scheduler's whole
// search decides instead. Where the library has no candidate, the evaluator gets
// the statuses as they are, so that it checks that, too, and messages stay.
//
// The package imports neither the registry of plugins nor the plugin
// DefaultPreemption, so that it can be put into that plugin as well.
package decide

import (
	"context"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	upstream "k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// Options adjust a Decider. The zero value looks at every node and leaves the
// check at the chosen node.
type Options struct {
	// Sampling limits the search to a sample, as kube-scheduler does. It makes
	// decisions slower and worse, and is there for comparison.
	Sampling *preemption.Sampling
	// CrossCheck runs the whole of kube-scheduler's search beside every decision to
	// preempt and compares what the two found.
	CrossCheck bool
	// IsEligiblePod and MoreImportantVictim mean what the fields of the same names
	// of the plugin DefaultPreemption do. They are looked at for each decision; what
	// returns nil stands for the default.
	IsEligiblePod       func() func(node fwk.NodeInfo, victim upstream.Victim, preemptor *v1.Pod) bool
	MoreImportantVictim func() func(a, b upstream.Victim) bool
	// Observe is told of every decision, after it has been carried out. It may be
	// called concurrently.
	Observe func(Decision)
}

// A Decider decides on preemptions for one profile of a scheduler. It may be used
// concurrently; decisions are made one at a time.
type Decider struct {
	handle    fwk.Handle
	features  feature.Features
	evaluator *upstream.Evaluator // kube-scheduler's own, over all nodes it likes
	options   Options
	profile   profile

	mu    sync.Mutex
	state *state
}

// New returns a Decider in the place of preemption.NewEvaluator with the same
// arguments. It must be called before the informers of the handle are started.
func New(name string, handle fwk.Handle, dryRun upstream.Interface, executor *upstream.Executor, features feature.Features, options Options) (*Decider, error) {
	state, err := newState(handle, features)
	if err != nil {
		return nil, err
	}
	evaluator := upstream.NewEvaluator(name, handle, dryRun, executor)
	return &Decider{
		handle:    handle,
		features:  features,
		evaluator: evaluator,
		options:   options,
		profile:   profile{handle: handle},
		state:     state,
	}, nil
}

// Preempt does what Evaluator.Preempt of kube-scheduler does, with the library
// choosing the node.
func (d *Decider) Preempt(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	decision, budgets := d.decide(ctx, cycle, pod, statuses)
	defer func() {
		if d.options.Observe != nil {
			d.options.Observe(decision)
		}
	}()
	e := d.evaluatorOf(decision.Pod)
	if decision.Outcome != Preempts {
		result, status := e.Preempt(ctx, cycle, pod, statuses)
		if status.IsSuccess() && (decision.Outcome == Unhelpful || decision.Outcome == Ineligible) {
			decision.Agreement = Refused
			klog.FromContext(ctx).Info("Preemption helps where the library found that it does not", "pod", klog.KObj(pod), "outcome", decision.Outcome, "node", result.NominatedNodeName)
		}
		d.nominated(pod, result)
		return result, status
	}

	if d.options.CrossCheck {
		d.crossCheck(ctx, cycle, pod, statuses, budgets, &decision)
	}
	if decision.Agreement != Worse {
		started := time.Now()
		c := &check{Interface: d.evaluator.Interface, want: &decision}
		checked := *e
		checked.Interface, checked.PdbLister = c, budgets
		result, status := checked.Preempt(ctx, cycle, pod, narrowed{statuses, decision.Node})
		decision.Checking = time.Since(started)
		if c.agreed {
			d.nominated(pod, result)
			return result, status
		}
		decision.Agreement = c.agreement
		klog.FromContext(ctx).Info("The dry run of the chosen node does not bear the library out", "pod", klog.KObj(pod), "node", decision.Node,
			"agreement", c.agreement, "victims", len(decision.Victims), "violations", decision.Violations, "found", c.found)
	}
	result, status := e.Preempt(ctx, cycle, pod, statuses)
	d.nominated(pod, result)
	return result, status
}

// evaluatorOf returns kube-scheduler's evaluator for a pod as the library read it,
// nil if it could not.
func (d *Decider) evaluatorOf(pod *v1.Pod) *upstream.Evaluator {
	if pod == nil {
		return d.evaluator
	}
	e := *d.evaluator
	e.PodLister = oneReading{pod: pod}
	return &e
}

// decide brings the state in step and asks the library. The budgets are those
// that it charged, in its order.
func (d *Decider) decide(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader) (Decision, budgetLister) {
	latest, err := d.evaluator.PodLister.Pods(pod.Namespace).Get(pod.Name)
	if err != nil {
		return Decision{Reason: "the pod is gone"}, budgetLister{}
	}
	pod = latest
	left := func(format string, args ...any) (Decision, budgetLister) {
		return Decision{Pod: pod, Reason: fmt.Sprintf(format, args...)}, budgetLister{}
	}
	if pod.Spec.NodeName != "" {
		return left("the pod is on a node and preempts for its resize")
	}
	for _, x := range d.handle.Extenders() {
		if x.SupportsPreemption() && x.IsInterested(pod) {
			return left("extender %s has a say", x.Name())
		}
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	started := time.Now()
	if err := d.state.follow(pod.UID); err != nil {
		klog.FromContext(ctx).Error(err, "The library cannot follow the scheduler's snapshot")
		return left("the state cannot be followed")
	}
	inStep := time.Now()
	decision, err := d.ask(ctx, cycle, pod, statuses)
	if err != nil {
		klog.FromContext(ctx).V(2).Info("The library comes to no decision", "pod", klog.KObj(pod), "err", err)
		return left("the library failed")
	}
	decision.Following, decision.Deciding = inStep.Sub(started), time.Since(inStep)
	return decision, d.state.budgetLister()
}

// attempts bounds how often a decision is made anew because the nominations on
// the chosen node had changed.
const attempts = 8

// ask has the library decide.
func (d *Decider) ask(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader) (Decision, error) {
	preemptor, err := d.state.convert(pod)
	if err != nil {
		return Decision{}, err
	}
	filters, rest := d.profile.filters(ctx, cycle, pod, statuses, d.state)
	e := preemption.Evaluator{
		Filters:  filters,
		Statuses: rest.known(),
		Sampling: d.options.Sampling,
		Eligible: d.eligible(pod),
		Compare:  d.compare(),
	}
	for range attempts {
		r, err := e.Preempt(ctx, d.state.cluster, preemptor)
		if err != nil {
			return Decision{}, err
		}
		decision := Decision{Pod: pod, Nodes: len(d.state.cluster.Nodes()), FilterRuns: rest.runs}
		switch r.Outcome {
		case preemption.OutcomePreempt:
			changed, err := d.state.nominations(r.Node.Name)
			if err != nil {
				return Decision{}, err
			}
			if changed {
				continue
			}
			decision.Outcome, decision.Node, decision.Violations = Preempts, r.Node.Name, r.Violations
			for _, v := range r.Victims {
				for _, p := range v.Pods {
					decision.Victims = append(decision.Victims, kube.PodOf(p))
				}
			}
		case preemption.OutcomeUnhelpful:
			decision.Outcome = Unhelpful
		case preemption.OutcomeIneligible, preemption.OutcomeWaiting:
			decision.Outcome = Ineligible
		default:
			return Decision{}, fmt.Errorf("outcome %s after the filters have refused the pod everywhere", r.Outcome)
		}
		return decision, nil
	}
	return Decision{}, fmt.Errorf("nominations changed %d times", attempts)
}

// nominated takes note of what the scheduler is about to do with the pod's
// nomination.
func (d *Decider) nominated(pod *v1.Pod, result *fwk.PostFilterResult) {
	if result == nil || result.NominatingInfo == nil {
		return
	}
	d.state.events.nomination(pod.UID, pod.Status.NominatedNodeName, result.NominatedNodeName, nil)
}
