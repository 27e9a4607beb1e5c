package preemption

import (
	"errors"
	"fmt"
	"slices"
)

// A NodeCase is what [SelectVictimsOnNode] needs to know about one node.
type NodeCase struct {
	Preemptor *Pod
	Node      *Node
	// DryRun is a fresh dry run of the node, with every pod bound to it in place.
	DryRun DryRun
	// Nominated are the pods nominated to the node. Those that hold their place
	// against the preemptor take part in the fit test; see [FitsWithNominated].
	Nominated []*Pod
	// Victims are the units with a pod on the node; see [Release.Victims]. Those of
	// a priority not strictly lower than the preemptor's are passed over.
	Victims []*Victim
	// Budgets are the disruption budgets, in the order in which they are charged,
	// and BudgetPolicy says what they mean.
	Budgets      []*PodDisruptionBudget
	BudgetPolicy BudgetPolicy

	Release Release
	// Eligible may spare victims that priority would give up. It is asked once for
	// each node that the victim has a pod on; one refusal spares all of it. Nil
	// spares none.
	Eligible func(preemptor *Pod, v *Victim, n *Node) bool
	// Compare replaces [CompareImportance] and owes the same law: a strict weak
	// order, positive if a is the more important.
	Compare func(a, b *Victim) int
	// Monotone says that adding pods to the dry run never turns a refusal into a fit;
	// see [Prepared]. [SelectBestVictimsOnNode] goes by it.
	Monotone bool
	// Trace, if not nil, is told what happens.
	Trace *Trace

	// coverage stands in for the selectors of Budgets where it is known what they
	// cover.
	coverage func([]*Victim) coverage
	// runs counts the calls of Fits, unless nil.
	runs *int
}

// A Selection says what it takes for the preemptor to fit on a node.
type Selection struct {
	// Status is why the node is out of the question. If it fits, Victims says what
	// has to go; no victims then means that nothing had to.
	Status Status
	// Victims have to go, most important first.
	Victims []*Victim
	// Violations counts the pods among them whose eviction violates a budget.
	Violations int
	// Protected are the victims that stay, whatever that means for the preemptor,
	// since their eviction would violate a budget ([BudgetsRespected]).
	Protected []Violation
	// Exact says, of [SelectBestVictimsOnNode], that no better set of victims exists.
	Exact bool
}

// ReasonNoVictims is the reason given for a node without pods that the preemptor may
// evict.
const ReasonNoVictims = "No preemption victims found for incoming pod"

func noVictims() Status { return Status{Code: Unresolvable, Reasons: []string{ReasonNoVictims}} }

// SelectVictimsOnNode decides which victims have to leave the node for the
// preemptor to fit there:
//
//  1. Victims of strictly lower priority that Eligible accepts are collected.
//  2. All of them are removed.
//  3. If the preemptor still does not fit, the node is out, for that reason.
//  4. They are ordered by importance; equals keep the order given.
//  5. Those whose eviction violates a budget are told from the rest, charging
//     the budgets in that order.
//  6. One by one, the violating ones first, each most important first, they are
//     put back; one with which the preemptor does not fit is removed again.
//  7. What could not go back is the selection, most important first.
//
// The result is greedy and, for monotone filters, locally minimal: no single
// victim could be spared. It is not always the smallest set. Budgets are charged
// for pods that are put back later too, as upstream does, so the count of
// violations can be higher than what really happens. With [BudgetsExact] it is
// counted over the selection instead.
//
// With [BudgetsRespected] the victims of step 1 are walked by importance, the least
// important first. One whose pods all their budgets can bear uses these up and is
// removed in step 2; another one is protected, stays, and uses up nothing. Those
// removed are put back most important first, whatever their budgets. If removing
// all victims would have made room but removing these does not, the status says
// which budgets protect them; see [ReasonProtectedBy].
//
// Victims that name a pod twice, or a node where it is not, are an error.
//
// The dry run is left with the selection removed. The cost is O(v log v) for
// sorting and at most 1+v fit tests for v victims. A refusal is a Status; an
// error is a [StepError], and the dry run is then of no further use.
//
// It corresponds to the method of the same name of kube-scheduler's
// DefaultPreemption. Where that one sorts with an unstable sort, this one is
// stable.
func SelectVictimsOnNode(c NodeCase) (Selection, error) {
	if err := c.validate(); err != nil {
		return Selection{}, err
	}
	return c.selectFrom(c.fitTest(), c.potentialVictims())
}

// validate refuses victims whose room would be freed twice, or where it is not.
// Those that a cluster lists need no check.
func (c *NodeCase) validate() error {
	if c.coverage != nil {
		return nil
	}
	for i, v := range c.Victims {
		if len(v.Pods) == 0 || len(v.Pods) != len(v.Nodes) {
			return c.badVictim(nil, fmt.Errorf("victim %d has %d pods on %d nodes", i, len(v.Pods), len(v.Nodes)))
		}
	}
	var seen seenPods
	if pods := countPods(c.Victims); pods > fewPods {
		seen.all = make(map[*Pod]bool, pods)
	}
	for i, v := range c.Victims {
		for j, p := range v.Pods {
			if p.NodeName != "" && p.NodeName != v.Nodes[j].Name {
				return c.badVictim(p, fmt.Errorf("%w %s that its victim names", errNotOnNode, v.Nodes[j].Name))
			}
			if seen.again(p) && (seen.all != nil || c.named(p, i, j)) {
				return c.badVictim(p, errors.New("the pod is among the victims twice"))
			}
		}
	}
	return nil
}

// named reports whether a pod is named before pod j of victim i.
func (c *NodeCase) named(p *Pod, i, j int) bool {
	before := func(v *Victim) bool { return slices.Contains(v.Pods, p) }
	return slices.ContainsFunc(c.Victims[:i], before) || slices.Contains(c.Victims[i].Pods[:j], p)
}

// seenPods remembers pods: all of them where they are many, else by a mark that two
// seldom share, which takes no memory and little time.
type seenPods struct {
	all   map[*Pod]bool
	marks [64]uint64
}

const fewPods = 256

// again reports whether the pod, or perhaps one with the same mark, was there before.
func (s *seenPods) again(p *Pod) bool {
	if s.all != nil {
		before := s.all[p]
		s.all[p] = true
		return before
	}
	mark := uint(len(p.Name))
	for i := max(0, len(p.Name)-5); i < len(p.Name); i++ { // names of a workload differ at the end
		mark = mark*31 + uint(p.Name[i])
	}
	word, bit := mark/64%64, uint64(1)<<(mark%64)
	before := s.marks[word]&bit != 0
	s.marks[word] |= bit
	return before
}

func (c *NodeCase) badVictim(p *Pod, err error) error {
	e := &StepError{Step: "select victims", Node: c.Node.Name, Err: err}
	if p != nil {
		e.Pod = p.String()
	}
	return e
}

func (c *NodeCase) fitTest() *fitTest {
	return &fitTest{node: c.Node, run: c.DryRun, nominated: holding(c.Nominated, c.Preemptor), runs: c.runs}
}

// selectFrom is SelectVictimsOnNode from its second step on, given the victims
// that may be evicted.
func (c *NodeCase) selectFrom(test *fitTest, victims []*Victim) (Selection, error) {
	if len(victims) == 0 {
		return Selection{Status: noVictims()}, nil
	}
	var s Selection
	if c.BudgetPolicy == BudgetsRespected {
		sortByImportance(victims, c.Compare)
		victims, s.Protected = protect(victims, c.cover(victims))
		c.Trace.protected(c.Node, s.Protected)
	}
	for _, v := range victims {
		if err := test.remove(v); err != nil {
			return Selection{}, err
		}
	}
	status, err := test.fits()
	if err != nil {
		return Selection{}, err
	}
	c.Trace.removed(c.Node, victims, status, c.DryRun)
	if !status.Fits() {
		s.Status, err = beyondBudgets(test, status, s.Protected)
		return s, err
	}
	sortByImportance(victims, c.Compare)
	violating, rest := []Violation(nil), victims
	if c.BudgetPolicy != BudgetsRespected {
		violating, rest = c.Release.classify(victims, c.cover(victims))
		c.Trace.classified(c.Node, violating)
	}

	var tell func(Violation, Status)
	if c.Trace != nil {
		tell = func(v Violation, status Status) { c.Trace.reprieved(c.Node, v, status, c.DryRun) }
	}
	evicted, err := reprieve(test, violating, rest, tell)
	if err != nil {
		return Selection{}, err
	}
	s.Victims, s.Violations = evicted.inOrderOf(victims), evicted.violations
	if c.BudgetPolicy == BudgetsExact {
		s.Violations = countViolations(s.Victims, c.cover(s.Victims))
	}
	return s, nil
}

// beyondBudgets returns why a preemptor is out that is refused with this status,
// although all victims are removed but those that budgets protect: if removing
// these too makes room, because of the budgets.
func beyondBudgets(t trial, status Status, protected []Violation) (Status, error) {
	if len(protected) == 0 {
		return status, nil
	}
	for _, v := range protected {
		if err := t.remove(v.Victim); err != nil {
			return Status{}, err
		}
	}
	without, err := t.fits()
	if err != nil || !without.Fits() {
		return without, err
	}
	return protectedStatus(protected), nil
}

// A trial tests whether a preemptor fits, or all members of a gang do, while
// victims come and go.
type trial interface {
	add(v *Victim) error
	remove(v *Victim) error
	fits() (Status, error)
}

// evicted are the victims that could not be put back, in the order in which that
// was tried: the violating ones and the others.
type evicted struct {
	violating, others []*Victim
	violations        int // pods that violate a budget
}

// reprieve puts back as many victims as possible, the violating ones first. All
// of them are removed, and the preemptor fits. Tell, if not nil, is told of each.
func reprieve(t trial, violating []Violation, rest []*Victim, tell func(Violation, Status)) (evicted, error) {
	// Invariant: every victim not yet tried is removed, so the preemptor fits.
	var gone evicted
	for _, v := range violating {
		spared, err := attempt(t, v, tell)
		if err != nil {
			return evicted{}, err
		}
		if !spared {
			gone.violating = append(gone.violating, v.Victim)
			gone.violations += v.Pods
		}
	}
	for _, v := range rest {
		spared, err := attempt(t, Violation{Victim: v}, tell)
		if err != nil {
			return evicted{}, err
		}
		if !spared {
			gone.others = append(gone.others, v)
		}
	}
	return gone, nil
}

// attempt puts a victim back, unless the preemptor does not fit beside it.
func attempt(t trial, v Violation, tell func(Violation, Status)) (spared bool, err error) {
	if err := t.add(v.Victim); err != nil {
		return false, err
	}
	status, err := t.fits()
	if err != nil {
		return false, err
	}
	if tell != nil {
		tell(v, status)
	}
	if status.Code == Fits {
		return true, nil
	}
	return false, t.remove(v.Victim)
}

// inOrderOf returns the evicted in the order of all victims, which both lists
// follow.
func (e evicted) inOrderOf(all []*Victim) []*Victim {
	a, b := e.violating, e.others
	if len(a) == 0 {
		return b
	}
	merged := make([]*Victim, 0, len(a)+len(b))
	for _, v := range all {
		switch {
		case len(a) > 0 && a[0] == v:
			merged, a = append(merged, v), a[1:]
		case len(b) > 0 && b[0] == v:
			merged, b = append(merged, v), b[1:]
		}
	}
	return merged
}

// potentialVictims returns those that the preemptor may evict, in a new slice.
func (c *NodeCase) potentialVictims() []*Victim {
	victims := make([]*Victim, 0, len(c.Victims))
	for _, v := range c.Victims {
		if c.mayEvict(v) {
			victims = append(victims, v)
		}
	}
	return victims
}

func (c *NodeCase) mayEvict(v *Victim) bool {
	if v.Priority >= c.Preemptor.Priority {
		return false
	}
	return c.Eligible == nil || v.affected(func(n *Node) bool { return c.Eligible(c.Preemptor, v, n) })
}

// cover says which budgets are over the pods of these victims.
func (c *NodeCase) cover(victims []*Victim) coverage {
	if c.coverage != nil {
		return c.coverage(victims)
	}
	return c.Release.coverage(c.Budgets)
}

// A Trace is told what happens on a node while victims are selected. Each field
// may be nil, and so may the *Trace; what is nil costs nothing. What is passed
// must not be modified.
type Trace struct {
	// Removed: all victims that the preemptor may evict are gone from the node. The
	// status says whether it fits then; if not, short details the refusal.
	Removed func(node *Node, victims []*Victim, status Status, short []Shortfall)
	// Classified: evicting these would violate budgets. They are reprieved first.
	Classified func(node *Node, violating []Violation)
	// Protected: these stay, as evicting them would violate budgets, which are
	// respected.
	Protected func(node *Node, protected []Violation)
	// Reprieved: one victim was put back, and stays if the step says so.
	Reprieved func(node *Node, step Step)
}

// A Step is one attempt to put a victim back.
type Step struct {
	// Victim is the victim tried, with the budgets that its eviction would violate,
	// if any.
	Violation
	// Status is the fit test's answer with the victim back. If it is not a fit the
	// victim has to go.
	Status Status
	// Shortfalls details a refusal, where the filter can.
	Shortfalls []Shortfall
}

// Spared reports whether the victim could stay.
func (s Step) Spared() bool { return s.Status.Fits() }

func (t *Trace) removed(node *Node, victims []*Victim, status Status, run DryRun) {
	if t != nil && t.Removed != nil {
		t.Removed(node, victims, status, refusalDetails(status, run))
	}
}

func (t *Trace) classified(node *Node, violating []Violation) {
	if t != nil && t.Classified != nil {
		t.Classified(node, violating)
	}
}

func (t *Trace) protected(node *Node, protected []Violation) {
	if t != nil && t.Protected != nil && len(protected) > 0 {
		t.Protected(node, protected)
	}
}

func (t *Trace) reprieved(node *Node, v Violation, status Status, run DryRun) {
	if t != nil && t.Reprieved != nil {
		t.Reprieved(node, Step{v, status, refusalDetails(status, run)})
	}
}

func refusalDetails(status Status, run DryRun) []Shortfall {
	if status.Fits() {
		return nil
	}
	return shortfalls(run)
}
