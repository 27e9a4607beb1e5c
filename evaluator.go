package preemption

import (
	"context"
	"errors"
	"fmt"
)

// An Evaluator decides on preemptions. The zero value is kube-scheduler's
// default policy over every node. It may be used concurrently and must not be
// modified while it is.
//
// A caller's filter that fails rules a node out; the failure is returned if
// no other node can be cleared. Examine makes all calls: it tests every node, and
// dry-runs those that evictions may help. Preempt leaves out calls whose answer
// cannot matter: about nodes that arithmetic refuses, or that cost more than the
// best. A filter that would fail in such a call does not fail for Preempt. So the
// decision is the one of Examine, or, if a filter failed in no call that Preempt
// made, the one of Examine with a filter that does not fail.
//
// Preempt is fast: it takes tens of microseconds on ten thousand nodes, see
// docs/engine.md. It asks Statuses about every node, and a caller's Filters and
// Eligible about the nodes that arithmetic leaves in question.
//
// Sometimes it has to go node by node as Examine does, a dry run each, which takes
// ten microseconds a node and more:
//
//   - with Accept, Compare, Sampling, Extenders, or Orders of a caller's;
//   - with Filters that lack NodeResources;
//   - with a caller's filters that take dry runs, if Victims, Budgets or the order of
//     the Orders are not kube-scheduler's;
//   - for a preemptor that requests a resource which pods request but the cluster has
//     not compiled: it compiles seven beside the number of pods.
//
// It corresponds to the Evaluator of kube-scheduler's preemption package
// together with the DefaultPreemption plugin.
type Evaluator struct {
	// Filters say what fits. Nil means [DefaultFilters]; an empty slice lets
	// everything fit.
	Filters []Filter
	// Eligible may spare victims that priority would give up; see [NodeCase].
	Eligible func(preemptor *Pod, v *Victim, n *Node) bool
	// Accept may refuse the whole set of victims that a node would be cleared of,
	// which rules the node out with the status that it returns. It is a veto: no
	// other set is tried on the node. Nil accepts all. See [VictimsPerOwner].
	Accept func(preemptor *Pod, n *Node, victims []*Victim) Status
	// Compare replaces [CompareImportance]; see [NodeCase].
	Compare func(a, b *Victim) int
	// Orders replaces [DefaultOrders] in the choice between nodes.
	Orders []Order
	// Victims and Budgets are policies that kube-scheduler does not have. Their zero
	// values are its own. [VictimsBest] takes built-in Orders alone.
	Victims VictimPolicy
	Budgets BudgetPolicy
	// Contrast makes a second decision, by kube-scheduler's policy, and has the result
	// say what that would have been; see [Contrast].
	Contrast bool
	// Sampling limits the search as kube-scheduler does. Nil looks at every
	// potential node.
	Sampling *Sampling
	// Extenders have a say in the candidates, in order.
	Extenders []Extender
	// Parallelism is how many nodes are worked on at a time; below 2 it is one.
	// The result does not depend on it. With more than one, filters, Eligible and
	// Accept are called concurrently.
	Parallelism int
	// Statuses is what the caller's filter phase found: the status of a node
	// and whether it is known. What is not known is computed. Nil knows none.
	Statuses func(n *Node) (Status, bool)
	// Trace is told, by Examine, what happened on each node that was looked at, in
	// node order, once all have been.
	Trace *Trace
}

// Why a preemptor may not preempt, in kube-scheduler's words.
const (
	ReasonNever       = "not eligible due to preemptionPolicy=Never."
	ReasonTerminating = "not eligible due to a terminating pod on the nominated node."
	// ReasonNoCandidate is given where extenders left no node.
	ReasonNoCandidate = "no candidate node for preemption"
)

// preemptSlow is Preempt by looking at every node with the composable functions:
// the slow path beside the engine.
func (e *Evaluator) preemptSlow(ctx context.Context, c *Cluster, preemptor *Pod) (*Result, error) {
	x, err := e.evaluate(ctx, c, preemptor, false)
	if err != nil {
		return nil, err
	}
	result := x.Result // a copy, so that it does not keep the examination
	return &result, nil
}

// evaluate is the way through for every decision that the engine does not make.
func (e *Evaluator) evaluate(ctx context.Context, c *Cluster, preemptor *Pod, detailed bool) (*Examination, error) {
	q, err := e.newQuery(c, preemptor, detailed)
	if err != nil {
		return nil, err
	}
	x, err := q.decide(ctx)
	if err != nil {
		return nil, err
	}
	for i := range x.Nodes {
		x.FilterRuns += x.Nodes[i].FilterRuns
	}
	x.Preemptor = preemptor
	kept := *x // in memory of its own, so that it does not keep the dry runs
	return &kept, nil
}

// decide judges all nodes as they are, checks the preemptor, dry-runs, asks the
// extenders, and picks.
func (q *query) decide(ctx context.Context) (*Examination, error) {
	x := &q.examination
	if err := q.judgeAll(ctx); err != nil {
		return nil, err
	}
	if len(x.FitNodes) > 0 {
		x.Result = Result{Outcome: OutcomeFits, Node: q.firstFit()}
		return x, nil
	}
	filtered := func(s *nodeSlot) Code { return x.Nodes[s.index].Filter.Code }
	if no := q.mayNot(filtered); no != nil {
		x.Result = *no
		return x, nil
	}
	if err := q.dryRunAll(ctx); err != nil {
		return nil, err
	}
	if len(x.Candidates) == 0 {
		x.Result = Result{Outcome: OutcomeUnhelpful, Nomination: ClearNomination, Exact: q.exact()}
		return x, x.failures()
	}
	if len(q.Extenders) > 0 {
		var err error
		if x.Candidates, err = extend(ctx, q.Extenders, q.preemptor, q.cluster, x.Candidates); err != nil {
			return nil, err
		}
	}
	best, decidedBy := PickOneNode(x.Candidates, q.Orders...)
	if best == nil {
		x.Result = Result{Outcome: OutcomeUnhelpful, Reason: ReasonNoCandidate}
		return x, nil
	}
	x.Result = q.cluster.preempt(q.preemptor, best)
	x.Exact = q.exact()
	if decidedBy >= 0 {
		x.DecidedBy = q.orders()[decidedBy].Name
	}
	return x, nil
}

func (e *Evaluator) validate(c *Cluster, preemptor *Pod) error {
	if err := c.validatePending(preemptor); err != nil {
		return err
	}
	if e.Sampling != nil {
		if err := e.Sampling.Validate(); err != nil {
			return err
		}
	}
	if e.Victims == VictimsBest {
		if _, ok := criteria(e.Orders); !ok {
			return fmt.Errorf("preemption: pod %s: %w", preemptor, ErrOrders)
		}
	}
	if len(c.nodes) == 0 {
		return fmt.Errorf("preemption: pod %s: %w", preemptor, ErrNoNodes)
	}
	return nil
}

// validatePending makes sure that a pod can be placed: that it is valid, and not
// one that the cluster has on a node.
func (c *Cluster) validatePending(p *Pod) error {
	if err := validatePod(p); err != nil {
		return err
	}
	if id := c.pods.find(p.Namespace, p.Name); p.NodeName != "" && id >= 0 {
		if e := c.pods.at(id); c.home(e) != nil && samePod(e.pod, p) {
			return fmt.Errorf("preemption: pod %s: it is bound to node %s already: ask about a pending pod, or a copy without a node", p, c.home(e).node.Name)
		}
	}
	return nil
}

// failures joins what failed on nodes, nil if nothing did.
func (x *Examination) failures() error {
	var errs []error
	for i := range x.Nodes {
		if err := x.Nodes[i].Err; err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
