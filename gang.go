package preemption

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A Gang is a group of pending pods that preempts as one: a training job is of
// no use unless enough of its pods start together.
type Gang struct {
	Namespace, Name string // of the pod group, for messages
	// Priority is the group's. Victims have to be below it, whatever the members'
	// own priorities are.
	Priority int32
	// Policy is the group's own preemption policy.
	Policy GangPolicy
	// Members are the pods to place, in order.
	Members []*Pod
	// MinCount is how many members have to be placed for the gang to start. Zero
	// means all of them.
	MinCount int
}

// String returns namespace/name.
func (g *Gang) String() string { return g.Namespace + "/" + g.Name }

// GangPolicy is the preemption policy of a group.
type GangPolicy uint8

const (
	// GangPolicyUnset leaves it to the members: if one has PreemptNever, the gang
	// may not preempt. (In 1.37 with the feature gate PodGroupPreemptionPolicy on,
	// which is off by default, an unset policy stands for GangPreempts.)
	GangPolicyUnset GangPolicy = iota
	GangPreempts
	GangNeverPreempts
)

func (g *Gang) mayPreempt() bool {
	if g.Policy != GangPolicyUnset {
		return g.Policy == GangPreempts
	}
	return !slices.ContainsFunc(g.Members, func(p *Pod) bool { return p.PreemptionPolicy == PreemptNever })
}

// A Planner finds room for a gang: [GivenPlacement] or [BestPlacement]. Nil is
// GivenPlacement{}.
type Planner interface {
	// plan says where the members go, and which victims have to leave for it. Without
	// evict no pod is evicted, and the plan places as many members as it can.
	plan(q *gangQuery, evict bool) (*gangPlan, error)
}

// Reasons of [GangResult], in kube-scheduler's words.
const (
	ReasonOngoing       = "ongoing preemption on nominated nodes"
	ReasonNoGangVictims = "No preemption victims found for incoming preemptor"
)

// ErrGangRelease is returned for a gang in a cluster of release 1.36. That
// kube-scheduler scheduled the whole gang anew for every victim it tried to put
// back, which this package does not do. Build the cluster by a later release.
var ErrGangRelease = errors.New("the way in which kube-scheduler 1.36 preempts for groups is not modelled; use release 1.37 or later")

// PreemptGroup decides what to evict for a gang:
//
//   - With nothing to place, or if the planner places all members with no pod
//     evicted, the gang fits. If no pod may be evicted MinCount of them are enough.
//   - If its policy forbids it to preempt it is ineligible; see [GangPolicyUnset].
//   - It waits while, on a node that a member is nominated to, a pod that it may evict
//     is terminating by preemption; since 1.38 also if its policy forbids it to
//     preempt.
//   - Otherwise the planner says where the members go, and which pods have to leave
//     for it. If fewer than MinCount members can be placed preemption is unhelpful.
//
// Victims are units of strictly lower priority, on whatever node, that Eligible
// accepts; it is asked about the first member. The evaluator's Compare, Filters and
// Trace apply, Trace to the reprieve at a given placement, of which
// [BestPlacement] may try several, and Budgets, where [BudgetsRespected] looks at the
// victims in question for the places used. Victims, Orders, Contrast, Sampling,
// Extenders and Statuses are for single pods, and Parallelism makes no difference.
// The cluster is left unchanged.
// An error means that there is no decision.
//
// It corresponds to PodGroupEvaluator.Preempt of kube-scheduler 1.37 and later. For
// clusters of release 1.36 it returns [ErrGangRelease].
func (e *Evaluator) PreemptGroup(ctx context.Context, c *Cluster, g *Gang, planner Planner) (*GangResult, error) {
	if !c.Release().rules().gangs {
		return nil, fmt.Errorf("preemption: gang %s: release %s: %w", g, c.Release(), ErrGangRelease)
	}
	if err := g.validate(c); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	result := func(o Outcome, reason string) *GangResult {
		r := &GangResult{Gang: g, Release: c.Release(), Outcome: o, Reason: reason}
		for _, m := range g.Members {
			r.Assignments = append(r.Assignments, Assignment{Pod: m})
		}
		return r
	}
	if len(g.Members) == 0 {
		r := result(OutcomeFits, "")
		r.Exact = true
		return r, nil
	}
	if planner == nil {
		planner = GivenPlacement{}
	}

	// As the cluster is.
	q := &gangQuery{Evaluator: e, ctx: ctx, cluster: c, gang: g}
	asIs, err := planner.plan(q, false)
	if err != nil {
		return nil, err
	}
	if asIs.placed() == len(g.Members) {
		r := result(OutcomeFits, "")
		asIs.fill(q, r)
		return r, nil
	}

	// Whether anything may be evicted.
	rules := c.Release().rules()
	switch {
	case (g.mayPreempt() || rules.gangsWaitFirst) && len(q.leaving()) > 0:
		r := result(OutcomeWaiting, ReasonOngoing)
		r.Waiting = byImportance(q.leaving())
		return r, nil
	case !g.mayPreempt():
		return asIs.enough(q, result(OutcomeIneligible, ReasonNever)), nil
	case !q.hasVictims():
		r := result(OutcomeUnhelpful, ReasonNoGangVictims)
		r.Code = Unschedulable
		if rules.gangsGiveUp {
			r.Code = Unresolvable
		}
		return asIs.enough(q, r), nil
	}

	// With victims.
	p, err := planner.plan(q, true)
	if err != nil {
		return nil, err
	}
	if p.placed() < g.minCount() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx) // that there is no plan is not known
		}
		r := result(OutcomeUnhelpful, p.status.Message())
		r.Code = p.status.Code
		p.refuse(r)
		return r, nil
	}
	o := OutcomePreempt
	if len(p.victims) == 0 {
		o = OutcomeFits // those that are placed, though not all are
	}
	r := result(o, "")
	p.fill(q, r)
	return r, nil
}

// enough returns that the gang fits if the plan, which evicts no pod, places
// MinCount of its members, and otherwise the refusal.
func (p *gangPlan) enough(q *gangQuery, refusal *GangResult) *GangResult {
	switch {
	case p.placed() >= q.gang.minCount():
		refusal.Outcome, refusal.Reason, refusal.Code = OutcomeFits, "", Fits
		p.fill(q, refusal)
	case refusal.Outcome == OutcomeUnhelpful:
		p.refuse(refusal)
	}
	return refusal
}

func (g *Gang) minCount() int {
	if g.MinCount == 0 {
		return len(g.Members)
	}
	return g.MinCount
}

// validate refuses a gang that makes no sense, or that has nowhere to go.
func (g *Gang) validate(c *Cluster) error {
	if len(c.Nodes()) == 0 {
		return fmt.Errorf("preemption: gang %s: %w", g, ErrNoNodes)
	}
	if g.MinCount < 0 || g.MinCount > len(g.Members) {
		return fmt.Errorf("preemption: gang %s: minimum count %d of %d members", g, g.MinCount, len(g.Members))
	}
	sum := committed{}
	seen := make(map[string]bool, len(g.Members))
	for i, m := range g.Members {
		if m == nil {
			return fmt.Errorf("preemption: gang %s: member %d is nil", g, i)
		}
		if err := c.validatePending(m); err != nil {
			return err
		}
		if seen[m.String()] {
			return fmt.Errorf("preemption: gang %s: member %s is there twice", g, m)
		}
		seen[m.String()] = true
		sum = sum.plus(m.Requests)
	}
	if !sum.small() {
		return fmt.Errorf("preemption: gang %s: %w", g, errOverflow)
	}
	return nil
}

// member reports whether a pod is one of the gang's.
func (g *Gang) member(p *Pod) bool {
	return slices.ContainsFunc(g.Members, func(m *Pod) bool { return samePod(m, p) })
}

// alike reports whether the members are the same to the built-in filters, so
// that they can change places.
func (g *Gang) alike() bool {
	return !slices.ContainsFunc(g.Members, func(m *Pod) bool { return !alike(m, g.Members[0]) })
}

func alike(a, b *Pod) bool {
	return a.Priority == b.Priority && maps.Equal(a.Requests, b.Requests) && slices.Equal(a.HostPorts, b.HostPorts) &&
		maps.Equal(a.NodeSelector, b.NodeSelector) && slices.Equal(a.Tolerations, b.Tolerations)
}

// gangQuery is one decision for a gang under way.
type gangQuery struct {
	*Evaluator
	ctx     context.Context
	cluster *Cluster
	gang    *Gang
	search  *gangSearch // see exactSearch
}

// leaving returns the victims of an earlier round that are still on their way out, on
// the nodes that members are nominated to: each pod once, as a unit of its own.
func (q *gangQuery) leaving() []*Victim {
	c := q.cluster
	var leaving []*Victim
	seen := make(map[*Node]bool)
	for _, m := range q.gang.Members {
		n := c.Node(c.nominationOf(m))
		if n == nil || seen[n] {
			continue
		}
		seen[n] = true
		for _, p := range c.PodsOn(n) {
			if p.Termination != TerminatingByPreemption {
				continue
			}
			if v := c.Release().PodVictim(p, n, c.Groups()); q.mayEvict(v) {
				leaving = append(leaving, v)
			}
		}
	}
	return leaving
}

// mayEvict reports whether the gang may evict a unit.
func (q *gangQuery) mayEvict(v *Victim) bool {
	if v.Priority >= q.gang.Priority {
		return false
	}
	return q.Eligible == nil || v.affected(func(n *Node) bool {
		return q.Eligible(q.gang.Members[0], v, n)
	})
}

// mayEvictWith reports whether the gang may evict the unit of a pod on the node.
func (q *gangQuery) mayEvictWith(p *Pod, on *Node) bool {
	if u := q.cluster.unitOfPod(p); u != nil {
		return q.mayEvict(q.cluster.victimIn(u))
	}
	return p.Priority < q.gang.Priority && (q.Eligible == nil || q.mayEvict(NewPodVictim(p, on)))
}

func (q *gangQuery) hasVictims() bool {
	for i := range q.cluster.Nodes() {
		if slices.ContainsFunc(q.cluster.victimsAt(i), q.mayEvict) {
			return true
		}
	}
	return false
}

// victims returns all units that the gang may evict, in the order of nodes and of
// pods on them.
func (q *gangQuery) victims() []*Victim {
	return q.gather(q.cluster.victimsAt)
}

// gather returns the units that the gang may evict among those listed node by
// node, each once.
func (q *gangQuery) gather(on func(node int) []*Victim) []*Victim {
	var all []*Victim
	seen := make(map[*Victim]bool) // of several pods
	for i := range q.cluster.Nodes() {
		for _, v := range on(i) {
			if seen[v] || !q.mayEvict(v) {
				continue
			}
			if len(v.Pods) > 1 {
				seen[v] = true
			}
			all = append(all, v)
		}
	}
	return all
}

// holding returns the pods nominated to the node that hold their place against a
// member. Other members do not: they are being placed anew.
func (q *gangQuery) holding(m *Pod, n *Node) []*Pod {
	return slices.DeleteFunc(holding(q.cluster.NominatedTo(n.Name), m), q.gang.member)
}
