package preemption

import (
	"context"
	"errors"
	"iter"
)

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

// FitsWithNominated is the fit test of preemption. The pods nominated to the
// node that would keep their place, those of a priority equal to or higher than
// the preemptor's and never the preemptor itself, are added; if the preemptor
// fits it is tested again without them, since they may never arrive. Both tests
// must pass; a refusal of the first is returned without the second.
//
// The dry run is left as it was. The cost is at most two Fits calls. It
// corresponds to RunFilterPluginsWithNominatedPods of kube-scheduler.
func FitsWithNominated(preemptor *Pod, node *Node, run DryRun, nominated []*Pod) (Status, error) {
	return fitTest{node: node, run: run, nominated: holding(nominated, preemptor)}.fits()
}

// holding returns the nominated pods whose place the preemptor has to respect.
func holding(nominated []*Pod, preemptor *Pod) []*Pod {
	var held []*Pod
	for _, p := range nominated {
		if p.Priority >= preemptor.Priority && !samePod(p, preemptor) {
			held = append(held, p)
		}
	}
	return held
}

// A fitTest is the fit test on one node.
type fitTest struct {
	node      *Node
	run       DryRun
	nominated []*Pod // those that hold their place
	runs      *int   // counts the calls of Fits, unless nil
}

func (t fitTest) fits() (Status, error) {
	if len(t.nominated) > 0 {
		status, err := t.fitsBesideNominated()
		if err != nil || !status.Fits() {
			return status, err
		}
	}
	status, err := t.filter()
	if err != nil {
		return Status{}, t.failed("test fit", nil, err)
	}
	return status, nil
}

func (t fitTest) filter() (Status, error) {
	if t.runs != nil {
		*t.runs++
	}
	return t.run.Fits()
}

func (t fitTest) fitsBesideNominated() (Status, error) {
	for _, p := range t.nominated {
		if err := t.run.Add(p, t.node); err != nil {
			return Status{}, t.failed("add nominated pod", p, err)
		}
	}
	status, err := t.filter()
	if err != nil {
		return Status{}, t.failed("test fit beside nominated pods", nil, err)
	}
	for i := len(t.nominated) - 1; i >= 0; i-- {
		if err := t.run.Remove(t.nominated[i], t.node); err != nil {
			return Status{}, t.failed("remove nominated pod", t.nominated[i], err)
		}
	}
	return status, nil
}

func (t fitTest) remove(v *Victim) error {
	for i, p := range v.Pods {
		if err := t.run.Remove(p, v.Nodes[i]); err != nil {
			return t.failed("remove pod", p, err)
		}
	}
	return nil
}

func (t fitTest) add(v *Victim) error {
	for i, p := range v.Pods {
		if err := t.run.Add(p, v.Nodes[i]); err != nil {
			return t.failed("add pod", p, err)
		}
	}
	return nil
}

func (t fitTest) failed(step string, p *Pod, err error) error {
	e := &StepError{Step: step, Node: t.node.Name, Err: err}
	if p != nil {
		e.Pod = p.String()
	}
	return e
}
