package preemption

import (
	"context"
	"slices"
	"sync"

	"example.com/preemption/internal/parallel"
)

// A query is one decision under way, by the composable functions: every node is judged as
// it is, then dry-run, and a candidate chosen among what comes of it. The engine uses what
// does not look at all nodes.
//
// Workers share a query. Each writes what belongs to the node that it looks at, in runs and
// in the examination; all else is set before they start, or after they are done.
type query struct {
	*Evaluator
	cluster     *Cluster
	preemptor   *Pod
	prepared    Prepared
	detailed    bool      // keep the steps of each dry run
	placeholder bool      // candidates without victims are for an extender to fill
	runs        []DryRun  // by node, begun when first needed
	rooms       sync.Pool // of *victimRoom, one for each worker
	potential   []int     // nodes that evictions may help
	examination Examination
}

// newQuery prepares the filters, which may fail, before any node is looked at.
func (e *Evaluator) newQuery(c *Cluster, preemptor *Pod, detailed bool) (*query, error) {
	prepared, err := prepare(e.filters(), preemptor, c)
	if err != nil {
		return nil, err
	}
	q := &query{Evaluator: e, cluster: c, preemptor: preemptor, prepared: prepared, detailed: detailed}
	for i := range e.Extenders {
		q.placeholder = q.placeholder || e.Extenders[i].interested(preemptor)
	}
	q.runs = make([]DryRun, len(c.nodes))
	q.examination = Examination{Release: c.release, Nodes: make([]NodeReport, len(c.nodes))}
	return q, nil
}

func (e *Evaluator) filters() []Filter {
	if e.Filters == nil {
		return DefaultFilters()
	}
	return e.Filters
}

func (e *Evaluator) orders() []Order {
	if len(e.Orders) == 0 {
		return DefaultOrders()
	}
	return e.Orders
}

// judgeAll finds out for every node whether it takes the preemptor as it is. Workers may
// share it: each writes the report of its own node, and what depends on their order is
// put together afterwards, in the order of nodes.
func (q *query) judgeAll(ctx context.Context) error {
	x := &q.examination
	err := parallel.ForEach(ctx, len(x.Nodes), q.Parallelism, func(i int) {
		r := &x.Nodes[i]
		r.Node = q.cluster.nodes[i]
		r.Filter, r.Err = q.judge(i)
		r.Status = r.Filter
	})
	if err != nil {
		return err
	}
	for i := range x.Nodes {
		switch r := &x.Nodes[i]; {
		case r.Err != nil:
		case r.Filter.Fits():
			x.FitNodes = append(x.FitNodes, r.Node)
		case r.Filter.Code == Unschedulable:
			q.potential = append(q.potential, i)
		}
	}
	x.Potential = len(q.potential)
	return nil
}

// firstFit returns the node that a preemptor which fits goes to: the one that it
// is nominated to is tried first, as upstream since KEP-1923.
func (q *query) firstFit() *Node {
	x := &q.examination
	if s := q.nominatedTo(); s != nil && slices.Contains(x.FitNodes, s.node) {
		return s.node
	}
	return x.FitNodes[0]
}

// nominatedTo returns the node that the preemptor is nominated to, nil for none
// of the cluster's.
func (q *query) nominatedTo() *nodeSlot {
	return q.cluster.byName[q.cluster.nominationOf(q.preemptor)]
}

// nominatedFirst returns the nodes, the one that the preemptor is nominated to in
// front of the others.
func (q *query) nominatedFirst() []*nodeSlot {
	s := q.nominatedTo()
	if s == nil {
		return q.cluster.slots
	}
	return slices.Concat([]*nodeSlot{s}, q.cluster.slots[:s.index], q.cluster.slots[s.index+1:])
}

// judge returns the status of a node with every pod in place: what the caller knows, or
// else what the filters say.
func (q *query) judge(i int) (Status, error) {
	node := q.cluster.nodes[i]
	if q.Statuses != nil {
		if status, known := q.Statuses(node); known {
			return status, nil
		}
	}
	run, err := q.begin(i)
	if err != nil {
		return Status{}, err
	}
	test := q.testOn(node, run, &q.examination.Nodes[i].FilterRuns)
	return test.fits()
}

// testOn is the fit test on a node.
func (q *query) testOn(n *Node, run DryRun, runs *int) fitTest {
	return fitTest{node: n, run: run, nominated: holding(q.cluster.nominated[n.Name], q.preemptor), runs: runs}
}

// begin returns the node's dry run, the same for both phases: judging leaves it
// as it was.
func (q *query) begin(i int) (DryRun, error) {
	if q.runs[i] == nil {
		run, err := q.prepared.Begin(q.cluster.nodes[i])
		if err != nil {
			return nil, &StepError{Step: "begin", Node: q.cluster.nodes[i].Name, Err: err}
		}
		q.runs[i] = run
	}
	return q.runs[i], nil
}

// mayNot returns the result of a preemptor that may not preempt now, nil if it
// may. It asks for the code of the nominated node only if there is a pod to wait
// for.
func (q *query) mayNot(code func(*nodeSlot) Code) *Result {
	if q.preemptor.PreemptionPolicy == PreemptNever {
		return &Result{Outcome: OutcomeIneligible, Reason: ReasonNever}
	}
	slot := q.nominatedTo()
	if slot == nil {
		return nil
	}

	// Only what an earlier preemption evicts is waited for, and only where this preemptor
	// could have evicted it: other pods may take as long as they like to go.
	var leaving []*Victim
	for _, p := range slot.pods {
		if p.Termination != TerminatingByPreemption {
			continue
		}
		if v := q.cluster.release.PodVictim(p, slot.node, q.cluster.groups); q.mayEvict(v, slot.node) {
			leaving = append(leaving, v)
		}
	}
	if len(leaving) == 0 || code(slot) == Unresolvable {
		return nil // nothing to wait for, or in vain
	}
	return &Result{Outcome: OutcomeWaiting, Reason: ReasonTerminating, Node: slot.node, Waiting: byImportance(leaving)}
}

// byImportance returns the pods of single-pod victims, the most important first.
func byImportance(victims []*Victim) []*Pod {
	slices.SortStableFunc(victims, func(a, b *Victim) int { return CompareImportance(b, a) })
	pods := make([]*Pod, len(victims))
	for i, v := range victims {
		pods[i] = v.Pods[0]
	}
	return pods
}

// mayEvict reports whether the preemptor may evict a victim on the node.
func (q *query) mayEvict(v *Victim, on *Node) bool {
	return v.Priority < q.preemptor.Priority && (q.Eligible == nil || q.Eligible(q.preemptor, v, on))
}

// nominationOf returns the node that the preemptor is nominated to: what the
// cluster knows of it, or else what the pod says.
func (c *Cluster) nominationOf(preemptor *Pod) string {
	if id := c.pods.find(preemptor.Namespace, preemptor.Name); id >= 0 && samePod(c.pods.at(id).pod, preemptor) {
		return c.nominations[id]
	}
	return preemptor.NominatedNode
}

// mayBeNominee reports whether the preemptor may be one of the nominated pods.
func (c *Cluster) mayBeNominee(preemptor *Pod) bool {
	return preemptor.UID == "" && len(c.nominees) > 0 || c.nominees[preemptor.UID] > 0 || c.nominees[""] > 0
}

// dryRunAll dry-runs the potential nodes, those that failed for reasons that
// evictions may resolve, and collects the candidates.
func (q *query) dryRunAll(ctx context.Context) error {
	if q.Sampling != nil && len(q.potential) > 0 {
		return q.dryRunSample(ctx)
	}
	err := parallel.ForEach(ctx, len(q.potential), q.Parallelism, func(i int) { q.dryRun(q.potential[i]) })
	if err != nil {
		return err
	}
	x := &q.examination
	for _, i := range q.potential {
		if candidate := x.Nodes[i].Candidate; candidate != nil {
			x.Candidates = append(x.Candidates, candidate)
		}
	}
	return nil
}

// dryRunSample looks at nodes in the order and number that Sampling asks for.
// Workers look ahead; what lies beyond the end of the search is forgotten, so
// that the result is as if nodes were judged one after another.
func (q *query) dryRunSample(ctx context.Context) error {
	// As many nodes at a time as there are workers. The reports of those that the search
	// would not have come to are put back to what they were.
	x := &q.examination
	n := len(q.potential)
	start := q.Sampling.start(n)
	w := window{count: q.Sampling.Count(n)}
	workers := max(q.Parallelism, 1)
	for first := 0; first < n && !w.full(); first += workers {
		ahead := min(workers, n-first)
		at := func(k int) int { return q.potential[(start+first+k)%n] }
		before := make([]NodeReport, ahead)
		for k := range before {
			before[k] = x.Nodes[at(k)]
		}
		if err := parallel.ForEach(ctx, ahead, workers, func(k int) { q.dryRun(at(k)) }); err != nil {
			return err
		}
		for k := range ahead {
			r := &x.Nodes[at(k)]
			if w.full() {
				*r = before[k]
			} else if r.Candidate != nil {
				w.add(r.Candidate)
			}
		}
	}
	x.Candidates = w.candidates()
	return nil
}

// dryRun finds the victims on one node.
func (q *query) dryRun(i int) {
	r := &q.examination.Nodes[i]
	r.Examined = true
	run, err := q.begin(i)
	if err != nil {
		r.Err = err
		return
	}
	var trace *Trace
	if q.detailed {
		trace = r.record()
	}
	s, err := q.selectOn(q.cluster.slots[i], run, trace, &r.FilterRuns)
	r.inexact = q.Victims == VictimsBest && !s.Exact

	// A selection of no victims is what an extender with preemption of its own may fill.
	// Without one, releases differ: an error of the node up to 1.37, a status since.
	switch {
	case err != nil:
		r.Err = err
	case !s.Status.Fits():
		r.Status = s.Status
	case len(s.Victims) > 0 || q.placeholder && !q.cluster.release.rules().emptySelectionIsError:
		r.Candidate = &Candidate{Node: r.Node, Victims: s.Victims, Violations: s.Violations}
	case q.cluster.release.rules().emptySelectionIsError:
		r.Err = &StepError{Step: "select victims", Node: r.Node.Name, Err: ErrNoVictim}
	default:
		r.Status = noVictims()
	}
	if r.Candidate != nil && q.Accept != nil {
		if status := q.Accept(q.preemptor, r.Node, s.Victims); !status.Fits() {
			r.Status, r.Candidate, r.vetoed = status, nil, true
		}
	}
}

// selectOn selects the victims on a node, from a fresh dry run of it. Those that
// budgets protect are told to the trace alone.
func (q *query) selectOn(s *nodeSlot, run DryRun, trace *Trace, runs *int) (Selection, error) {
	c := NodeCase{
		Preemptor:    q.preemptor,
		Node:         s.node,
		DryRun:       run,
		Nominated:    q.cluster.nominated[s.node.Name],
		BudgetPolicy: q.Budgets,
		Release:      q.cluster.release,
		Eligible:     q.Eligible,
		Compare:      q.Compare,
		Monotone:     monotone(q.prepared),
		Trace:        trace,
		coverage:     q.cluster.coverage,
		runs:         runs,
	}
	choose := func() (Selection, error) {
		if q.Victims == VictimsBest {
			return SelectBestVictimsOnNode(c, q.Orders...)
		}
		return SelectVictimsOnNode(c)
	}
	if trace != nil || q.Eligible != nil || q.Compare != nil {
		// Who is shown victims may keep them.
		c.Victims = q.cluster.victimsOn(s)
		return choose()
	}

	// Otherwise victims are put together in memory that the next node overwrites, and
	// those selected alone are copied.
	room, _ := q.rooms.Get().(*victimRoom)
	if room == nil {
		room = new(victimRoom)
	}
	defer q.rooms.Put(room)
	c.Victims = q.cluster.victimsIn(room, s)
	selection, err := choose()
	room.keep(selection.Victims)
	selection.Protected = nil // memory of the room, which the next node overwrites
	return selection, err
}

// exact reports whether the search for the best victims left no node without an
// exact answer.
func (q *query) exact() bool {
	return q.Victims == VictimsBest && !slices.ContainsFunc(q.examination.Nodes, func(r NodeReport) bool { return r.inexact })
}
