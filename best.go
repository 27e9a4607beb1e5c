package preemption

import (
	"math"
	"slices"

	"example.com/preemption/internal/best"
	"example.com/preemption/internal/score"
)

// bestSteps bounds the search for the best victims on a node, in steps of some
// 50 ns; where filters that are not built in have to be asked a fit test counts
// as two.
const bestSteps = 200_000

// SelectBestVictimsOnNode chooses the best victims by the criteria of the choice
// between nodes, which are [DefaultOrders] if none are given. It looks at all
// non-empty sets of potential victims (step 1 of [SelectVictimsOnNode])
//
//   - without which the preemptor fits,
//   - of which no single one could be put back, and,
//   - with [BudgetsRespected], which violate no budget,
//
// and returns the one that is best by the first order, among equals by the second,
// and so on; at last the one that keeps the more important victims: the first
// victim that two sets differ in decides, most important first. Violations are
// counted over the set, see [Release.CountViolations]; for budgets that are not
// respected the status of a refusal is that of SelectVictimsOnNode.
//
// It is a branch and bound. The number of fit tests is small with the built-in
// filters, which it knows as numbers. Other filters are asked; if they are
// declared monotone ([NodeCase].Monotone) sets are tested only where that can
// matter, otherwise every set that could be better is. After 200,000 steps, of
// which a fit test is two, the search ends: Exact is false, and the result is
// the best set found and not worse than that of SelectVictimsOnNode.
//
// Orders other than the built-in ones, or one of these twice, are [ErrOrders].
// The dry run is left with the selection removed.
func SelectBestVictimsOnNode(c NodeCase, orders ...Order) (Selection, error) {
	order, ok := criteria(orders)
	if !ok {
		return Selection{}, ErrOrders
	}
	if c.BudgetPolicy == BudgetsAsUpstream {
		c.BudgetPolicy = BudgetsExact
	}
	if err := c.validate(); err != nil {
		return Selection{}, err
	}
	victims := c.potentialVictims()
	if len(victims) == 0 {
		return Selection{Status: noVictims(), Exact: true}, nil
	}

	// The problem in numbers. Filters that these do not tell all about are asked in
	// the search, and none counts as monotone where a victim has pods on other nodes.
	sortByImportance(victims, c.Compare)
	test := c.fitTest()
	p := best.Problem{Order: order, Respect: c.BudgetPolicy == BudgetsRespected, Steps: bestSteps}
	numbers := c.pose(&p, test, victims)
	p.Monotone = numbers || c.Monotone && !slices.ContainsFunc(victims, c.spans)

	// With all of them gone it fits, or no monotone filter lets it fit at all.
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
	if !status.Fits() && p.Monotone {
		return Selection{Status: status, Exact: true}, nil
	}

	// The search. Its dry run begins and ends with all potential victims gone.
	if !numbers {
		p.Oracle = &oracle{test, victims}
	}
	var solver best.Solver
	found, err := solver.Solve(&p)
	if err != nil {
		return Selection{}, err
	}

	// What it found, or why there is nothing, with the dry run as promised.
	s := Selection{Status: status, Exact: found.Exact}
	if found.Found {
		s.Status, s.Violations = Status{}, int(found.Score.Violations)
		for _, i := range found.Chosen {
			s.Victims = append(s.Victims, victims[i])
		}
	}
	if !found.Exact {
		return c.noWorse(test, s, victims, order)
	}
	if !found.Found && status.Fits() {
		return c.unanswered(test, s, victims)
	}
	if err := putBackOthers(test, victims, s.Victims); err != nil {
		return Selection{}, err
	}
	return s, nil
}

// putBackOthers leaves those removed that have to go.
func putBackOthers(test *fitTest, gone, selected []*Victim) error {
	for _, v := range gone {
		if !slices.Contains(selected, v) {
			if err := test.add(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// unanswered says why there is no set although with all victims gone the
// preemptor fits: because it does with no pod gone, or because of the budgets.
func (c *NodeCase) unanswered(test *fitTest, s Selection, victims []*Victim) (Selection, error) {
	if err := putBackOthers(test, victims, nil); err != nil {
		return Selection{}, err
	}
	asIs, err := test.fits()
	switch {
	case err != nil:
		return Selection{}, err
	case asIs.Fits():
		return Selection{Exact: true}, nil
	}
	_, s.Protected = protect(victims, c.cover(victims))
	c.Trace.protected(c.Node, s.Protected)
	s.Status = protectedStatus(s.Protected)
	return s, nil
}

// noWorse returns what a search found that had to end early, or what the reprieve
// selects if that is better.
func (c *NodeCase) noWorse(test *fitTest, s Selection, victims []*Victim, order []best.Criterion) (Selection, error) {
	if err := putBackOthers(test, victims, nil); err != nil {
		return Selection{}, err
	}
	// The reprieve is a means here: no step of it is traced.
	plain := *c
	plain.Trace = nil
	reprieved, err := SelectVictimsOnNode(plain)
	if err != nil {
		return Selection{}, err
	}
	// The set found stays unless the reprieve is better by the order asked for.
	a := Candidate{Victims: s.Victims, Violations: s.Violations}
	b := Candidate{Victims: reprieved.Victims, Violations: reprieved.Violations}
	x, y := a.score(), b.score()
	if len(s.Victims) == 0 || reprieved.Status.Fits() && len(reprieved.Victims) > 0 && best.Compare(order, &y, &x) < 0 {
		c.Trace.protected(c.Node, reprieved.Protected)
		return reprieved, nil
	}

	// The reprieve has left its own victims out of the dry run: those come back, and
	// those of the set go.
	for _, v := range reprieved.Victims {
		if err := test.add(v); err != nil {
			return Selection{}, err
		}
	}
	for _, v := range s.Victims {
		if err := test.remove(v); err != nil {
			return Selection{}, err
		}
	}
	return s, nil
}

// spans reports whether a victim has pods on other nodes, where filters that are
// not built in may look.
func (c *NodeCase) spans(v *Victim) bool {
	return slices.ContainsFunc(v.Nodes, func(n *Node) bool { return n != c.Node })
}

// pose states the problem in numbers, given the dry run with all pods in place.
// It reports whether that is all there is to it.
func (c *NodeCase) pose(p *best.Problem, test *fitTest, victims []*Victim) (numbers bool) {
	// What is not missing as it is never will be.
	a := arithmetic{whole: true}
	a.read(c.DryRun)
	var dims []func(*Pod) int64
	for _, m := range a.amounts {
		missing := m.missing
		for _, h := range test.nominated {
			missing = saturated(missing, m.of(h))
		}
		if missing > 0 {
			p.Missing = append(p.Missing, missing)
			dims = append(dims, m.of)
		}
	}

	// Budgets by the numbers that the victims' sets of them use.
	cover := c.cover(victims)
	for _, b := range cover.budgets {
		p.Left = append(p.Left, int64(b.Allowed))
	}

	// A unit costs all of its pods, wherever they run; only those on this node free
	// anything here.
	for _, v := range victims {
		u := best.Unit{Cost: score.None}
		freed := make([]int64, len(dims))
		for i, x := range v.Pods {
			u.Cost.AddPod(x.Priority, startOf(x.Start))
			if over := bearing(cover, x); len(over) > 0 {
				u.Covers = append(u.Covers, over)
			}
			if v.Nodes[i] != c.Node {
				continue
			}
			for d, of := range dims {
				freed[d] = saturated(freed[d], of(x))
			}
			u.Must = u.Must || a.clashes(x)
		}
		p.Units = append(p.Units, u)
		p.Amounts = append(p.Amounts, freed...)
	}
	return a.whole
}

// bearing returns the budgets over a pod that do not list it as disrupted.
func bearing(cover coverage, p *Pod) []int32 {
	if len(cover.budgets) == 0 {
		return nil
	}
	var list []int32
	for _, i := range cover.over(p) {
		if !slices.Contains(cover.budgets[i].Disrupted, p.Name) {
			list = append(list, int32(i))
		}
	}
	return list
}

// arithmetic is what dry runs of the built-in filters know in numbers. It is read
// from the dry runs themselves, so that it cannot differ from what they would say.
type arithmetic struct {
	amounts []quantity
	ports   []*portsRun
	whole   bool // there are no other filters
}

// quantity is one dimension: what is missing and what a pod takes.
type quantity struct {
	missing int64
	of      func(*Pod) int64
}

func (a *arithmetic) read(run DryRun) {
	switch r := run.(type) {
	case *allRun:
		for _, s := range r.steps {
			a.read(s.DryRun)
		}
	case *resourcesRun:
		a.amounts = append(a.amounts, quantity{saturated(1, -r.seats), func(*Pod) int64 { return 1 }})
		for i, d := range r.demands {
			a.amounts = append(a.amounts, quantity{saturated(d.amount, -max(r.free[i], -math.MaxInt64)), func(p *Pod) int64 { return p.Requests[d.name] }})
		}
	case *portsRun:
		a.ports = append(a.ports, r)
	case fixedStatus, fitsEverywhere:
	default:
		a.whole = false
	}
}

// clashes reports whether the preemptor cannot run beside a pod of the node for
// its ports.
func (a *arithmetic) clashes(p *Pod) bool {
	return slices.ContainsFunc(a.ports, func(r *portsRun) bool { return r.clashesOf(p) > 0 })
}

// saturated adds and stops at the ends of int64. Sums of requests on a node fit, but
// not what is missing of them beside a demand at the end of the range.
func saturated(a, b int64) int64 {
	sum := a + b
	if (sum < a) == (b < 0) {
		return sum
	}
	return math.MaxInt64 ^ b>>63 // the end in the direction of b
}

// oracle asks the filters, all of them, the built-in ones too: numbers only keep the
// search from asking where the answer is known.
type oracle struct {
	test    *fitTest
	victims []*Victim
}

func (o *oracle) PutBack(i int) error { return o.test.add(o.victims[i]) }
func (o *oracle) Remove(i int) error  { return o.test.remove(o.victims[i]) }

func (o *oracle) Fits() (bool, error) {
	status, err := o.test.fits()
	return status.Fits(), err
}
