package preemption

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Commit applies a decision to the cluster as a scheduler should see it until
// the API server catches up, so that the next decision spends neither the room
// nor a disruption a second time:
//
//   - the pods still to delete are [TerminatingByPreemption];
//   - every budget over one of them is charged as the eviction API does: one
//     disruption less is allowed, never below zero, and the pod is among the
//     disrupted;
//   - ClearNominations lose their nomination, and the preemptor's becomes what
//     Nomination says. A preemptor that the cluster does not hold is added, as
//     pending, if it is nominated.
//
// Pods and budgets are replaced by changed copies; the caller's stay as they are.
// Pods that were terminating already stay as they are and charge no budget,
// as the eviction API does. A decision that asks for nothing, because the
// preemptor fits, waits or is ineligible, is a no-op.
//
// The decision may have been made on a [Cluster.Clone], or before some updates.
// What counts is that the cluster still has what the decision is about: the node,
// the victims where they were and as terminating as they were, the pods that
// lose a nomination nominated as they were, the preemptor pending. If not, the
// error is [ErrStale] and names the first thing that no longer matches, and
// nothing has changed. Whether the decision would be made again is not asked.
//
// A result that the library has not made may lack a preemptor, a node or a victim's
// nodes, which is an error too.
//
// The cost is that of updating each victim, and each budget over one.
func (c *Cluster) Commit(r *Result) error {
	if r == nil || r.Nomination != KeepNomination && r.Preemptor == nil || r.Nomination == SetNomination && r.Node == nil {
		return errors.New("preemption: commit: the result names no preemptor or no node")
	}
	if err := checkDecision(r.Victims, r.ClearNominations, r.Node != nil); err != nil {
		return err
	}
	m := newCommitment(c)
	switch r.Nomination {
	case SetNomination:
		m.nominate(r.Preemptor, r.Node.Name)
	case ClearNomination:
		m.forget(r.Preemptor)
	}
	m.evict(r.Victims)
	m.clear(r.ClearNominations, r.Node)
	return m.apply()
}

// CommitGroup is [Cluster.Commit] for a gang: each member is nominated to its
// assignment. Members without one keep the nomination that they have.
func (c *Cluster) CommitGroup(r *GangResult) error {
	if r == nil || slices.ContainsFunc(r.Assignments, func(a Assignment) bool { return a.Pod == nil }) {
		return errors.New("preemption: commit: the result has an assignment without a pod")
	}
	nodes := r.nodesUsed()
	if err := checkDecision(r.Victims, r.ClearNominations, len(nodes) > 0); err != nil {
		return err
	}
	m := newCommitment(c)
	for _, a := range r.Assignments {
		switch {
		case r.Nomination == SetNomination && a.Node != nil:
			m.nominate(a.Pod, a.Node.Name)
		case r.Nomination == ClearNomination:
			m.forget(a.Pod)
		}
	}
	m.evict(r.Victims)
	m.clear(r.ClearNominations, nodes...)
	return m.apply()
}

// checkDecision returns an error if a decision is not in one piece: every victim has
// pods, each with its node, and nominations are cleared for the sake of a node.
func checkDecision(victims []*Victim, cleared []*Pod, hasNode bool) error {
	for i, v := range victims {
		if v == nil || len(v.Pods) == 0 || len(v.Pods) != len(v.Nodes) || slices.Contains(v.Pods, nil) || slices.Contains(v.Nodes, nil) {
			return fmt.Errorf("preemption: commit: victim %d has no pods, or not each of them its node", i)
		}
	}
	if slices.Contains(cleared, nil) || len(cleared) > 0 && !hasNode {
		return errors.New("preemption: commit: nominations are to be cleared, of no pod or to no node")
	}
	return nil
}

// A commitment is a decision on its way into the cluster: what is to change, and
// the first thing that speaks against it. Nothing changes before apply.
type commitment struct {
	cluster     *Cluster
	victims     []int32
	evicted     map[int32]bool // the victims
	cleared     []int32        // nominations
	nominations []nomination
	coming      map[*nodeSlot]Resources // what those to be nominated there request
	err         error
}

func newCommitment(c *Cluster) *commitment {
	return &commitment{cluster: c, evicted: make(map[int32]bool), coming: make(map[*nodeSlot]Resources)}
}

type nomination struct {
	pod  *Pod
	node string
}

// Steps of a commitment, for errors.
const (
	stepNominate        = "nominate"
	stepEvict           = "evict"
	stepClearNomination = "clear the nomination of"
)

// refuse takes note of what speaks against a step.
func (m *commitment) refuse(step string, p *Pod, node string, err error) {
	if m.err == nil {
		m.err = &StepError{Step: step, Node: node, Pod: p.String(), Err: err}
	}
}

// find returns the number of a pod that must be what it was, none if it is not.
func (m *commitment) find(step string, p *Pod, node string) int32 {
	id := m.cluster.pods.find(p.Namespace, p.Name)
	if id == none || !samePod(m.cluster.pods.at(id).pod, p) {
		m.refuse(step, p, node, fmt.Errorf("%w: the pod is gone", ErrStale))
		return none
	}
	return id
}

// nominate sets the nomination of a preemptor.
func (m *commitment) nominate(p *Pod, node string) {
	c := m.cluster
	slot := c.byName[node]
	if slot == nil {
		m.refuse(stepNominate, p, node, fmt.Errorf("%w: the node is gone", ErrStale))
		return
	}
	if c.pods.find(p.Namespace, p.Name) != none {
		id := m.find(stepNominate, p, node)
		if id == none || c.nominations[id] == node {
			return
		}
		p = c.pods.at(id).pod // the latest there is
	}
	if p.NodeName != "" {
		m.refuse(stepNominate, p, node, fmt.Errorf("%w: it is bound to node %s", ErrStale, p.NodeName))
		return
	}
	if err := m.expect(slot, p); err != nil {
		m.refuse(stepNominate, p, node, err)
		return
	}
	m.nominations = append(m.nominations, nomination{p, node})
}

// expect makes sure that what the pods of a node request still adds up with one
// more.
func (m *commitment) expect(s *nodeSlot, p *Pod) error {
	if err := validatePod(p); err != nil {
		return err
	}
	if m.coming[s] == nil {
		m.coming[s] = make(Resources)
	}
	sum := m.coming[s]
	for name, amount := range p.Requests {
		if sum[name] > math.MaxInt64-amount {
			return errOverflow
		}
		sum[name] += amount
	}
	if s.committed.plus(sum).small() {
		return nil
	}
	if name := m.cluster.overflow(s, sum); name != "" {
		return fmt.Errorf("%s: %w", name, errOverflow)
	}
	return nil
}

// forget clears the nomination of a preemptor, if the cluster knows of one.
func (m *commitment) forget(p *Pod) {
	id := m.cluster.pods.find(p.Namespace, p.Name)
	if id >= 0 && samePod(m.cluster.pods.at(id).pod, p) {
		m.cleared = append(m.cleared, id)
	}
}

// clear takes the nomination to one of these nodes from pods of lower priority.
func (m *commitment) clear(pods []*Pod, nodes ...*Node) {
	for _, p := range pods {
		to := func(n *Node) bool { return n.Name == m.cluster.nominationOf(p) }
		i := slices.IndexFunc(nodes, to)
		if id := m.find(stepClearNomination, p, nodes[max(i, 0)].Name); id >= 0 {
			if i < 0 {
				m.refuse(stepClearNomination, p, nodes[0].Name, fmt.Errorf("%w: it is not nominated to the node", ErrStale))
			}
			m.cleared = append(m.cleared, id)
		}
	}
}

// evict makes the victims go.
func (m *commitment) evict(victims []*Victim) {
	for _, v := range victims {
		for i, p := range v.Pods {
			node := v.Nodes[i].Name
			id := m.find(stepEvict, p, node)
			if id < 0 {
				continue
			}
			e := m.cluster.pods.at(id)
			leaves, left := p.Termination != NotTerminating, e.pod.Termination != NotTerminating
			switch {
			case m.cluster.home(e) == nil || m.cluster.home(e).node.Name != node:
				m.refuse(stepEvict, p, node, fmt.Errorf("%w: it is not on the node", ErrStale))
			case left && !leaves:
				m.refuse(stepEvict, p, node, fmt.Errorf("%w: it is terminating already", ErrStale))
			case leaves && !left:
				m.refuse(stepEvict, p, node, fmt.Errorf("%w: it is not terminating", ErrStale))
			case !left && !m.evicted[id]:
				m.victims = append(m.victims, id)
				m.evicted[id] = true
			}
		}
	}
}

// apply makes the changes, unless something speaks against them. None of them can
// fail by then.
func (m *commitment) apply() error {
	if m.err != nil {
		return m.err
	}
	c := m.cluster
	for _, id := range m.cleared {
		must(c.replace(id, c.pods.at(id).pod, ""))
	}
	c.charge(m.victims)
	c.terminate(m.victims)
	for _, n := range m.nominations {
		must(c.Nominate(n.pod, n.node))
	}
	return nil
}

func must(err error) {
	if err != nil {
		panic("preemption: a change that was found possible: " + err.Error())
	}
}

// charge takes a disruption for each of these bound pods from every budget over
// it.
func (c *Cluster) charge(victims []int32) {
	disrupted := make(map[*budgetEntry][]string)
	var charged []*budgetEntry
	for _, id := range victims {
		e := c.pods.at(id)
		for _, b := range c.covers.budgets(e.cover) {
			if disrupted[b] == nil {
				charged = append(charged, b)
			}
			disrupted[b] = append(disrupted[b], e.pod.Name)
		}
	}
	for _, b := range charged {
		less := *b.budget
		less.Allowed = min(less.Allowed, int32(max(int64(less.Allowed)-int64(len(disrupted[b])), 0)))
		less.Disrupted = slices.Concat(less.Disrupted, disrupted[b])
		must(c.SetBudget(&less))
	}
}

// terminate puts copies that are terminating in the place of these bound pods.
func (c *Cluster) terminate(victims []int32) {
	var units []*groupUnit
	for _, id := range victims {
		e := c.pods.at(id)
		leaving := *e.pod
		leaving.Termination = TerminatingByPreemption
		on := c.home(e).pods
		on[slices.Index(on, e.pod)] = &leaving
		e.pod = &leaving
		if u := c.unitOf[id]; u != nil && !slices.Contains(units, u) {
			units = append(units, u)
		}
	}
	for _, u := range units {
		c.renew(u)
	}
}
