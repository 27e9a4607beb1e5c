package preemption

import (
	"context"
	"errors"
	"iter"
)

// Preempt decides what to evict for the pending pod. One that the cluster has on a
// node is an error.
//
//   - If a node takes it as it is, it fits: on the node that it is nominated to, or
//     else on the first.
//   - If its preemption policy is Never, or if it waits for a pod on its nominated
//     node that an earlier preemption is terminating, it is ineligible. It does
//     not wait if the node has become hopeless.
//   - Every node that evictions may help is dry-run ([SelectVictimsOnNode]), the
//     extenders are asked, and the best candidate is picked ([PickOneNode]). If
//     there is none, preemption is unhelpful.
//
// Filters are asked only about nodes that arithmetic leaves in question, and
// Preempt leaves out calls whose answer follows from others: of monotone filters,
// and Fits where a built-in filter refuses. What such a call would have failed
// with is not seen. A failure that is seen counts as in Examine, which makes all
// calls.
//
// The cluster is left unchanged, whatever happens. An error means that there is
// no decision and the preemptor's nomination stays as it is: the preemptor or
// the evaluator's settings are invalid, there are no nodes ([ErrNoNodes]), the
// context is done, an extender failed, or no candidate was found and nodes
// failed; what failed on a node where others are candidates is passed over, as
// upstream.
func (e *Evaluator) Preempt(ctx context.Context, c *Cluster, preemptor *Pod) (*Result, error) {
	if err := e.validate(c, preemptor); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r, ok := e.preemptFast(ctx, c, preemptor)
	if !ok {
		var err error
		if r, err = e.preemptSlow(ctx, c, preemptor); err != nil {
			return nil, err
		}
	}
	return r, e.contrast(ctx, c, preemptor, r)
}

// Examine makes the same decision as Preempt and keeps what it saw: the status of
// every node, every candidate, what was put back and why not, what decided. It
// costs a dry run a potential node.
func (e *Evaluator) Examine(ctx context.Context, c *Cluster, preemptor *Pod) (*Examination, error) {
	if err := e.validate(c, preemptor); err != nil {
		return nil, err
	}
	x, err := e.evaluate(ctx, c, preemptor, true)
	if err != nil {
		return nil, err
	}
	e.settleBest(ctx, c, x)
	x.replay(e.Trace)
	return x, e.contrast(ctx, c, preemptor, &x.Result)
}

// contrast completes a result by what kube-scheduler would have decided.
func (e *Evaluator) contrast(ctx context.Context, c *Cluster, preemptor *Pod, r *Result) error {
	if !e.Contrast || r.Outcome != OutcomePreempt && r.Outcome != OutcomeUnhelpful {
		return nil
	}
	plain := *e
	plain.Victims, plain.Budgets, plain.Orders, plain.Contrast, plain.Trace = VictimsReprieve, BudgetsAsUpstream, nil, false, nil
	upstream, err := plain.Preempt(ctx, c, preemptor)
	if err != nil {
		return err
	}
	k := &Contrast{Upstream: upstream, Violations: countViolations(upstream.Victims, c.coverage(upstream.Victims))}
	r.Contrast = k
	if r.Outcome != OutcomePreempt || upstream.Outcome != OutcomePreempt {
		return nil
	}
	ours := Candidate{Node: r.Node, Victims: r.Victims, Violations: r.Violations}
	theirs := Candidate{Node: upstream.Node, Victims: upstream.Victims, Violations: k.Violations}
	for _, o := range e.orders() {
		if d := o.Compare(&ours, &theirs); d != 0 {
			k.By, k.Better = o.Name, d < 0
			return nil
		}
	}
	return nil
}

// settleBest takes over Preempt's decision where a search for the best victims of a
// node had to end early. The engine searches a node only for what can still win, so
// it may know an answer that a search of that node alone does not find. No other
// candidate is better then: its victims are a set that the engine has ruled out.
func (e *Evaluator) settleBest(ctx context.Context, c *Cluster, x *Examination) {
	if e.Victims != VictimsBest || x.Exact || x.Outcome != OutcomePreempt && x.Outcome != OutcomeUnhelpful {
		return
	}
	r, ok := e.preemptFast(ctx, c, x.Preemptor)
	if !ok {
		return
	}
	r.FilterRuns = x.FilterRuns
	x.Result, x.Candidates, x.DecidedBy = *r, nil, ""
	for i := range x.Nodes {
		n := &x.Nodes[i]
		if n.Node == r.Node {
			n.Candidate, n.Status = &Candidate{Node: n.Node, Victims: r.Victims, Violations: r.Violations}, n.Filter
		}
		if n.Candidate != nil {
			x.Candidates = append(x.Candidates, n.Candidate)
		}
	}
	if _, by := PickOneNode(x.Candidates, e.Orders...); by >= 0 {
		x.DecidedBy = e.orders()[by].Name
	}
}

// Fitting yields the nodes that take the pod as it is, beside the pods nominated
// to them: the one that it is nominated to first, if that is among them, then the
// others in order. Preempt fits on the first. A scheduler can score them.
//
// A node on which a filter fails comes with the error, unless the built-in filters
// refuse it anyway. The last error may come with no node: the pod or the settings
// of the evaluator are invalid, or the context is done. Of the settings Filters
// and Statuses count.
//
// The cluster must not be updated meanwhile. With the built-in filters the cost is
// O(nodes/64 + nodes that have the room); with Statuses, without NodeResources
// among Filters or for a resource that the engine has not compiled, it is a dry
// run for every node.
func (e *Evaluator) Fitting(ctx context.Context, c *Cluster, pod *Pod) iter.Seq2[*Node, error] {
	return func(yield func(*Node, error) bool) {
		if err := e.validate(c, pod); err != nil {
			yield(nil, err)
			return
		}
		f := c.engine.borrow()
		defer c.engine.giveBack(f)
		f.query, f.ctx = query{Evaluator: e, cluster: c, preemptor: pod}, ctx
		if e.Statuses == nil && f.aim() {
			table := c.engine.table
			w := fitWalk{ctx, &f.query, func(i int) bool { return table.FitsOn(&f.search, &f.scratch, i) }, f.takes, yield}
			w.walk(func(try func(int) bool) { table.Fits(&f.search, &f.scratch, try) })
			return
		}
		q, err := e.newQuery(c, pod, false)
		if err != nil {
			yield(nil, err)
			return
		}
		judge := func(i int) (bool, error) {
			status, err := q.judge(i)
			return status.Fits(), err
		}
		w := fitWalk{ctx, q, func(int) bool { return true }, judge, yield}
		w.walk(func(try func(int) bool) {
			for i := range c.nodes {
				if !try(i) {
					return
				}
			}
		})
	}
}

// A fitWalk yields the nodes that take a pod.
type fitWalk struct {
	ctx   context.Context
	query *query
	room  func(node int) bool // whether it is worth asking about a node
	takes func(node int) (bool, error)
	yield func(*Node, error) bool
}

// walk tries the node that the pod is nominated to, then those that each comes up
// with.
func (w *fitWalk) walk(each func(try func(node int) bool)) {
	first := none
	if s := w.query.nominatedTo(); s != nil && w.room(s.index) {
		if first = s.index; !w.try(first) {
			return
		}
	}
	each(func(i int) bool { return i == first || w.try(i) })
}

// try yields a node if it takes the pod, and reports whether to go on.
func (w *fitWalk) try(i int) bool {
	if w.ctx.Err() != nil {
		w.yield(nil, context.Cause(w.ctx))
		return false
	}
	takes, err := w.takes(i)
	return err == nil && !takes || w.yield(w.query.cluster.nodes[i], err)
}

// FitsAfterTermination tells, before more is evicted, whether the pod only has to
// wait: for autoscalers and queues.
//
//   - If [Evaluator.Fitting] yields a node, it fits.
//   - If a node takes it once all pods that are terminating by now, for whatever
//     reason, are gone, it waits: Node is the one that it is nominated to or else
//     the first such. Waiting are the terminating pods there, the most important
//     first, or all there are if none is there and Filters look beyond the node.
//   - Otherwise it is unhelpful to wait.
//
// Pods nominated to a node hold their place. Nodes on which a filter fails are
// passed over, unless no other helps; then the errors are returned. The cost is
// that of Fitting, of a look at every pod, and of a dry run for each node with a
// terminating pod, or with Filters, which may look beyond the node, for each node.
func (e *Evaluator) FitsAfterTermination(ctx context.Context, c *Cluster, pod *Pod) (*Result, error) {
	var failed []error
	for n, err := range e.Fitting(ctx, c, pod) {
		switch {
		case n == nil:
			return nil, err
		case err == nil:
			return &Result{Preemptor: pod, Outcome: OutcomeFits, Node: n}, nil
		}
	}
	q, err := e.newQuery(c, pod, false)
	if err != nil {
		return nil, err
	}
	leaving, all := c.terminating()
	if len(all) == 0 {
		return &Result{Preemptor: pod}, nil
	}
	for _, s := range q.nominatedFirst() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		here := leaving[s.node]
		if len(here) == 0 {
			if e.Filters == nil {
				continue
			}
			here = all
		}
		status, err := q.fitsWithout(s, all)
		switch {
		case err != nil:
			failed = append(failed, err)
		case status.Fits():
			return &Result{Preemptor: pod, Outcome: OutcomeWaiting, Node: s.node, Waiting: byImportance(here)}, nil
		}
	}
	if len(failed) > 0 {
		return nil, errors.Join(failed...)
	}
	return &Result{Preemptor: pod}, nil
}

// terminating returns the pods that are on their way out, each by itself, by node
// and all together.
func (c *Cluster) terminating() (on map[*Node][]*Victim, all []*Victim) {
	on = make(map[*Node][]*Victim)
	for _, s := range c.slots {
		for _, p := range s.pods {
			if p.Termination != NotTerminating {
				v := c.release.PodVictim(p, s.node, c.groups)
				on[s.node], all = append(on[s.node], v), append(all, v)
			}
		}
	}
	return on, all
}

// fitsWithout is the fit test on a node with pods of it and of others gone. What
// the caller knows to be hopeless stays so.
func (q *query) fitsWithout(s *nodeSlot, gone []*Victim) (Status, error) {
	if q.Statuses != nil {
		if status, known := q.Statuses(s.node); known && status.Code == Unresolvable {
			return status, nil
		}
	}
	run, err := q.begin(s.index)
	if err != nil {
		return Status{}, err
	}
	test := q.testOn(s.node, run, nil)
	for _, v := range gone {
		if err := test.remove(v); err != nil {
			return Status{}, err
		}
	}
	return test.fits()
}
