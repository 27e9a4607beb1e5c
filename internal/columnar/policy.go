package columnar

// Evaluations by a policy; docs/policies.md defines what each has to find, and says why
// the bounds of the search hold for all of them.

import (
	"math"
	"slices"

	"example.com/preemption/internal/best"
	"example.com/preemption/internal/score"
)

// A Policy changes which residents are evicted on a node and which node is the best.
// The zero value is kube-scheduler's.
type Policy struct {
	Best    bool // the best of all sets, not the greedy one; violations count as with Exact
	Exact   bool // violations are counted over those evicted
	Respect bool // none goes that would violate a budget
	// Order is the order of the criteria, nil for that of [score.Score.Compare].
	Order []best.Criterion
}

// IsZero reports whether the policy is kube-scheduler's.
func (p *Policy) IsZero() bool { return !p.Best && !p.Exact && !p.Respect && p.Order == nil }

// policyScratch is memory of evaluations by a policy. Nothing in it outlives the
// evaluation of a node but the solver's prices.
type policyScratch struct {
	stays   []bool  // by resident: protected by a budget
	short   []int   // dimensions in which something is missing
	asked   []int32 // residents in question
	numbers []int32 // of the budgets over them
	within  score.Score
	problem best.Problem
	solver  best.Solver
}

// Which residents are evicted is in x.evicted after each of the following, by index,
// most important first.

// clearNode finds out how many violations clearing a node takes, and whether it can be
// cleared.
func (x *search) clearNode(node int) (violations int64, ok bool) {
	switch {
	case x.Policy.Best:
		return x.solve(node)
	case x.Policy.Respect:
		return x.respect(node)
	}
	violations, ok = x.greedy(node)
	if ok && x.Policy.Exact {
		violations = x.recount(&x.rows[node])
	}
	return violations, ok
}

// compare compares scores by the criteria in their order.
func (x *search) compare(a, b *score.Score) int {
	if x.Policy.Order == nil {
		return a.Compare(b)
	}
	// Copies: what another order is shown escapes, and most searches have none.
	p, q := *a, *b
	return best.Compare(x.Policy.Order, &p, &q)
}

// recount counts the violations of those evicted alone, most important first.
func (x *search) recount(r *row) int64 {
	// All go at once, so all budgets over a pod are charged: whatever the release.
	count := int64(0)
	if len(r.covered) > 0 {
		for _, i := range x.evicted {
			count += x.chargeUnit(&r.residents[i])
		}
		x.forgetCharges()
	}
	return count
}

// Charging goes resident by resident: a unit is charged for each of its covered pods,
// wherever they run, in their order. What is charged is taken back by giveBack or, when
// the node is done with, by forgetCharges.

// chargeUnit charges all budgets over a resident and returns how many of its pods
// overdraw one.
func (x *search) chargeUnit(e *resident) int64 {
	if e.ref >= 0 {
		return x.chargeAllOver(e.over)
	}
	count := int64(0)
	for _, cover := range x.units[^e.ref].Covers {
		count += x.chargeAllOver(cover)
	}
	return count
}

func (x *search) chargeAllOver(cover int32) int64 {
	if cover < 0 {
		return 0
	}
	violates := int64(0)
	for _, b := range x.covers[cover] {
		x.openBudget(b)
		if x.left[b]--; x.left[b] < 0 {
			violates = 1
		}
	}
	return violates
}

// giveBack undoes chargeUnit.
func (x *search) giveBack(e *resident) {
	if e.ref >= 0 {
		if e.over >= 0 {
			for _, b := range x.covers[e.over] {
				x.left[b]++
			}
		}
		return
	}
	for _, cover := range x.units[^e.ref].Covers {
		for _, b := range x.covers[cover] {
			x.left[b]++
		}
	}
}

// respect is greedy where budgets are respected: residents are taken least
// important first, as long as no budget is overdrawn; of those taken as many as
// possible are put back, most important first.
func (x *search) respect(node int) (violations int64, ok bool) {
	r := &x.rows[node]
	if len(r.covered) == 0 {
		return x.greedy(node)
	}

	// The walk is that of SelectVictimsOnNode: what it removes and protects is the same.
	x.Stats.Evaluated++
	from := r.below(x.Priority)
	if from == len(r.residents) || !x.spare(node, r, from) {
		return 0, false
	}

	// Those that budgets protect stay. What one would overdraw is given back, so that
	// a more important one may still find something left.
	stays := slices.Grow(x.policies.stays[:0], len(r.residents))[:len(r.residents)]
	clear(stays)
	x.policies.stays = stays
	for _, i := range r.covered { // least important first
		if int(i) < from || x.isSpared(int(i)) {
			continue
		}
		if e := &r.residents[i]; x.chargeUnit(e) > 0 {
			x.giveBack(e)
			stays[i] = true
			if x.Blocked != nil && x.Blocked(node, e.ref) {
				x.forgetCharges()
				return 0, false
			}
		}
	}
	x.forgetCharges()

	// With all others gone, the preemptor has to fit. Of those protected, what they take
	// is taken off again: emptied knows nothing of them.
	x.evicted, x.slack = x.evicted[:0], x.slack[:0]
	for _, d := range x.Demands {
		s := x.emptied(node, from, d.Dim) - x.need(node, d)
		for _, i := range r.covered {
			if stays[i] {
				s -= x.request(r, int(i), d.Dim)
			}
		}
		if s < 0 {
			return 0, false
		}
		x.slack = append(x.slack, s)
	}

	// None of the others violates, so there is one pass, most important first.
	for i := from; i < len(r.residents); i++ {
		if !stays[i] && !x.isSpared(i) {
			x.putBack(r, node, i, nil)
		}
	}
	return 0, true
}

// solve finds the best set of residents of a node to evict, if one is better than
// the best node so far, or as good and the node is before that.
func (x *search) solve(node int) (violations int64, ok bool) {
	x.Stats.Evaluated++
	r := &x.rows[node]
	from := r.below(x.Priority)
	x.evicted = x.evicted[:0]
	if from == len(r.residents) || !x.spare(node, r, from) {
		return 0, false
	}

	// The problem, in memory that the node before has left. It is solved only as far
	// as it can beat the best node.
	s := &x.policies
	p := &s.problem
	p.Units, p.Amounts, p.Missing, p.Left = p.Units[:0], p.Amounts[:0], p.Missing[:0], p.Left[:0]
	p.Respect, p.Steps, p.Within = x.Policy.Respect, bestSteps, nil
	if p.Order = x.Policy.Order; p.Order == nil {
		p.Order = best.Default
	}
	if x.bestNode != none {
		s.within = x.bestScore
		p.Within, p.OrEqual = &s.within, node < x.bestNode
	} else {
		s.solver.Forget() // what is found does not depend on the search before
	}

	// What is not missing as it is never will be.
	s.short = s.short[:0]
	for _, d := range x.Demands {
		if m := x.need(node, d) - x.free.at(node, d.Dim); m > 0 {
			s.short = append(s.short, d.Dim)
			p.Missing = append(p.Missing, m)
		}
	}

	// The units are the residents that may go, with what they free of what is missing.
	s.asked = s.asked[:0]
	for i := from; i < len(r.residents); i++ {
		if x.isSpared(i) {
			continue
		}
		p.Units = append(p.Units, best.Unit{Cost: x.cost(r, i), Must: x.Blocked != nil && x.Blocked(node, r.residents[i].ref)})
		s.asked = append(s.asked, int32(i))
		for _, d := range s.short {
			p.Amounts = append(p.Amounts, x.request(r, i, d))
		}
	}
	if len(r.covered) > 0 {
		x.coverUnits(r)
	}

	// Nothing is missing and no pod is in the way: none has to go.
	if len(p.Missing) == 0 && !slices.ContainsFunc(p.Units, func(u best.Unit) bool { return u.Must }) {
		return 0, true
	}

	// Where the solver ran out of steps the composable functions decide, which have a
	// fallback of their own: both ways of deciding give the same answer then.
	found, _ := s.solver.Solve(p) // without an oracle there is no error
	if !found.Exact {
		cost, goes, ok := x.Hard(node)
		for _, i := range s.asked {
			if ok && goes(r.residents[i].ref) {
				x.evicted = append(x.evicted, i)
			}
		}
		return cost.Violations, ok
	}
	for _, u := range found.Chosen {
		x.evicted = append(x.evicted, s.asked[u])
	}
	return found.Score.Violations, found.Found
}

// bestSteps bounds the search on one node.
const bestSteps = 200_000

// cost is what evicting a resident costs, violations left aside.
func (x *search) cost(r *row, i int) score.Score {
	if e := &r.residents[i]; e.ref < 0 {
		return x.units[^e.ref].Cost
	}
	priority := int64(r.priorities[i])
	return score.Score{Top: priority, Sum: score.Weight(r.priorities[i]), Pods: 1, Start: r.residents[i].start, Highest: priority}
}

// coverUnits tells the problem which budgets are over the units, by numbers of its
// own.
func (x *search) coverUnits(r *row) {
	s := &x.policies
	p := &s.problem

	// The solver numbers the budgets of one node. A node's pods are under few: a list
	// finds them faster than a map.
	s.numbers = s.numbers[:0]
	number := func(b int32) int32 {
		for i, known := range s.numbers {
			if known == b {
				return int32(i)
			}
		}
		s.numbers = append(s.numbers, b)
		p.Left = append(p.Left, x.budgets[b])
		return int32(len(s.numbers) - 1)
	}
	over := func(cover int32) []int32 {
		list := make([]int32, 0, len(x.covers[cover]))
		for _, b := range x.covers[cover] {
			list = append(list, number(b))
		}
		return list
	}

	// A set for each covered pod of a unit, in the order of its pods.
	for k, i := range s.asked {
		e := &r.residents[i]
		if e.ref >= 0 {
			if e.over >= 0 {
				p.Units[k].Covers = [][]int32{over(e.over)}
			}
			continue
		}
		for _, cover := range x.units[^e.ref].Covers {
			p.Units[k].Covers = append(p.Units[k].Covers, over(cover))
		}
	}
}

// searchEvery looks at every node: in an order of criteria other than the usual
// one levels do not come in the order of what they cost. A bound by criteria
// one by one spares most of the work.
func (x *search) searchEvery() {
	// Every bound is over all residents up to the top level, with violations allowed.
	for node := range x.rows {
		if !x.possible(node) || !x.besideHeld(&x.levels[x.top].clean, node, 1) {
			continue
		}
		if bound := x.plainBound(node); x.bestNode != none && x.compare(&bound, &x.bestScore) > 0 {
			continue
		}
		x.evaluate(node, 0, nil)
	}
}

// plainBound returns a score of which no criterion is worse than in any set that
// clears the node.
func (x *search) plainBound(node int) score.Score {
	// It takes one pod at least, more if the largest requests say so. Requests of
	// residents that surely violate are not among them, so where there are any the
	// number says nothing.
	r := &x.rows[node]
	pods, violations := int64(1), int64(0)
	for _, d := range x.Demands {
		missing := x.need(node, d) - x.free.at(node, d.Dim)
		if x.levels[x.top].clean.at(node, d.Dim) < x.need(node, d) {
			violations = 1
		}
		if r.spent == 0 && d.Dim != Seat && missing > 0 {
			pods = max(pods, x.levels[x.top].tops.fewest(node, d.Dim, missing))
		}
	}
	bound := score.Score{Violations: violations, Pods: pods, Start: score.Never}

	// Own priorities that are not the effective ones may be as low as they like.
	if r.odd > 0 {
		bound.Top = math.MinInt64
		return bound
	}

	// No resident of the table has a lower priority.
	bound.Top = int64(x.levels[0].low)
	bound.Sum = times(score.Weight(x.levels[0].low), pods)
	return bound
}
