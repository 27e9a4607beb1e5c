package columnar

import (
	"math"
	"slices"

	"example.com/preemption/internal/score"
)

// The reprieve of one node, resident by resident. greedy.go finds the same by a look at
// few of them, unless ports, Eligible or a judge have a say.

// reprieve goes through all residents of lower priority: all go, and as many as
// possible are put back, as kube-scheduler does it. The judge, if any, is asked
// beside arithmetic. It leaves in x.evicted those that go, most important first.
//
// Invariant: slack has what is available beside the preemptor, by demand, with those
// evicted and those not tried yet gone. It is never negative.
func (x *search) reprieve(node int, judge Judge) (violations int64, ok bool) {
	x.Stats.Evaluated++
	r := &x.rows[node]
	from := r.below(x.Priority)
	if !x.spare(node, r, from) {
		return 0, false
	}

	// Budgets are charged for all that may go, before any is put back.
	v := x.classify(r)

	// With all gone that may go, the preemptor has to fit.
	x.evicted = x.evicted[:0]
	x.slack = x.slack[:0]
	for _, d := range x.Demands {
		s := x.emptied(node, from, d.Dim) - x.need(node, d)
		if s < 0 {
			return 0, false
		}
		x.slack = append(x.slack, s)
	}

	// The judge's dry run begins with all residents there.
	if judge != nil {
		for i := from; i < len(r.residents); i++ {
			if !x.isSpared(i) {
				judge.Remove(r.residents[i].ref)
			}
		}
		if !judge.Fits() {
			return 0, false
		}
	}

	// Violators are put back first. More violations than the best has settle it, but
	// for a judge to come, which might come to fewer.
	// A policy may count otherwise, or compare otherwise, so it goes on to the end.
	most := int64(math.MaxInt64)
	if (x.Judge == nil || judge != nil) && !x.Policy.Exact && !x.Policy.Best && x.Policy.Order == nil {
		most = x.bestScore.Violations
	}
	for place := len(v.indices) - 1; place >= 0; place-- {
		if !x.putBack(r, node, int(v.indices[place]), judge) {
			if violations += v.podsOf(place); violations > most {
				return 0, false
			}
		}
	}

	// Then the others. Violators are in order too, so one place finds them.
	next := len(v.indices) - 1
	for i := from; i < len(r.residents); i++ {
		if next >= 0 && int(v.indices[next]) == i {
			next--
			continue
		}
		if !x.isSpared(i) {
			x.putBack(r, node, i, judge)
		}
	}

	// Two passes have evicted them: indices bring them back into one order.
	slices.Sort(x.evicted)
	return violations, true
}

// spare finds out which residents may not go although their priority is lower.
// It reports false if the preemptor cannot run beside one of them.
func (x *search) spare(node int, r *row, from int) bool {
	x.spared = x.spared[:0]
	if x.Spared == nil {
		return true // isSpared sees the empty list
	}

	// Of each resident it is asked once, since a caller's function may take long.
	for i := range r.residents {
		ref := r.residents[i].ref
		x.spared = append(x.spared, i >= from && x.Spared(node, ref))
		if x.spared[i] && x.Blocked != nil && x.Blocked(node, ref) {
			return false
		}
	}
	return true
}

func (x *search) isSpared(i int) bool { return len(x.spared) > 0 && x.spared[i] }

// need is what has to be available in one dimension: the demand and what
// nominated pods hold.
func (x *search) need(node int, d Demand) int64 { return d.Amount + x.heldAmount(node, d.Dim) }

// request is what resident i takes in one dimension.
// Most rows have no units, so that a seat is one without a look at the resident; the row
// must not be stale.
func (t *Table) request(r *row, i, dim int) int64 {
	if dim == Seat {
		if r.grouped == 0 {
			return 1
		}
		return int64(r.residents[i].seats())
	}
	return r.requests.at(i, dim)
}

// emptied is what is available in one dimension with all residents from an index
// on gone.
func (x *search) emptied(node, from, dim int) int64 {
	// With all gone the sum is known: the top level has those without violations,
	// and what surely violates is summed up beside it.
	if from == 0 && len(x.spared) == 0 {
		return x.levels[len(x.levels)-1].clean.at(node, dim) + x.spentSum.at(node, dim)
	}
	sum := x.free.at(node, dim)
	r := &x.rows[node]
	for i := from; i < len(r.residents); i++ {
		if !x.isSpared(i) {
			sum += x.request(r, i, dim)
		}
	}
	return sum
}

// putBack keeps resident i if the preemptor still fits beside it; if not it is
// evicted.
func (x *search) putBack(r *row, node, i int, judge Judge) bool {
	slack := x.slack[:len(x.Demands)]

	// Arithmetic first. The judge hears of every resident, and may refuse more.
	room := true
	for j, d := range x.Demands {
		if x.request(r, i, d.Dim) > slack[j] {
			room = false
			break
		}
	}
	if room && x.Blocked != nil {
		room = !x.Blocked(node, r.residents[i].ref)
	}
	if judge != nil {
		room = judge.PutBack(r.residents[i].ref, room)
	}
	if !room {
		x.evicted = append(x.evicted, int32(i))
		return false
	}

	// It stays: what it takes is no longer to be had.
	for j, d := range x.Demands {
		slack[j] -= x.request(r, i, d.Dim)
	}
	return true
}

// violators are the residents of a row whose eviction violates a budget.
type violators struct {
	indices []int32 // least important first
	pods    []int32 // how many pods of each do, none less; nil: one of each, for sure
}

// podsOf returns how many pods of the violator at a place do.
func (v *violators) podsOf(place int) int64 {
	if v.pods == nil {
		return 1
	}
	return int64(v.pods[place])
}

// podsAmong returns how many pods of some of them do, which are listed the other way
// round.
func (v *violators) podsAmong(some []int32) int64 {
	if v.pods == nil {
		return int64(len(some))
	}
	pods, place := int64(0), len(v.indices)-1
	for _, i := range some {
		for v.indices[place] != i {
			place--
		}
		pods += int64(v.pods[place])
	}
	return pods
}

// classify charges the budgets for the residents that may go, most important
// first, and returns those that violate one.
func (x *search) classify(r *row) violators {
	// Only residents with a budget over them are looked at. Their list begins with the
	// least important.
	n := len(r.covered)
	for n > 0 && !x.allMayGo && r.priorities[r.covered[n-1]] >= x.Priority {
		n-- // it may not go, and charges nothing
	}

	// Where all of them violate for sure nothing has to be charged.
	if int(r.spent) == len(r.covered) && r.grouped == 0 && len(x.spared) == 0 {
		return violators{indices: r.covered[:n]}
	}
	x.indices, x.pods = slices.Grow(x.indices[:0], n)[:n], slices.Grow(x.pods[:0], n)[:n]
	first := n
	for c := n - 1; c >= 0; c-- {
		i := r.covered[c]
		if x.isSpared(int(i)) {
			continue
		}

		// A pod charges a budget once, so that those that allow as many as there are on the
		// node are not overdrawn, and need no charge.
		e, pods := &r.residents[i], int32(0)
		if r.grouped == 0 && int(x.allows(e.over)) >= n {
			continue
		}

		// One violating pod makes the whole unit a violator.
		if e.ref < 0 {
			for _, cover := range x.units[^e.ref].Covers {
				pods += x.charge(cover)
			}
		} else {
			pods = x.charge(e.over)
		}
		if pods > 0 {
			first--
			x.indices[first], x.pods[first] = i, pods
		}
	}
	x.forgetCharges()
	return violators{x.indices[first:], x.pods[first:]}
}

// A search charges budgets node by node, and each node begins with what they have
// left in the table. Only the few that a node touches are copied, and marked so.

// openBudget makes sure that what a budget has left is known; forgetCharges undoes it.
func (x *search) openBudget(b int32) {
	if len(x.left) != len(x.budgets) {
		x.left, x.stamp = make([]int64, len(x.budgets)), make([]bool, len(x.budgets))
	}
	if !x.stamp[b] {
		x.stamp[b] = true
		x.charged = append(x.charged, b)
		x.left[b] = x.budgets[b]
	}
}

func (x *search) forgetCharges() {
	for _, b := range x.charged {
		x.stamp[b] = false
	}
	x.charged = x.charged[:0]
}

// charge takes one disruption from the budgets over a pod and returns 1 if that
// overdraws one.
func (x *search) charge(cover int32) int32 {
	if x.allows(cover) < 0 {
		return 1
	}

	// Some releases charge the budgets in turn, and stop at the first overdrawn.
	violates := int32(0)
	for _, b := range x.covers[cover] {
		x.openBudget(b)
		if x.left[b]--; x.left[b] < 0 {
			violates = 1
			if !x.chargeAll {
				break
			}
		}
	}
	return violates
}

// allows returns how many pods under a cover may go before any of its budgets is overdrawn,
// -1 if none of these, of which there are some, has anything left: it makes no difference
// then whether they are charged. The answer is the same for all nodes and found once a
// search.
func (x *search) allows(cover int32) int32 {
	if x.allowed[cover] == 0 {
		least, most := int64(math.MaxInt32-2), int64(0)
		for _, b := range x.covers[cover] {
			least, most = min(least, max(x.budgets[b], 0)), max(most, x.budgets[b])
		}
		if most == 0 && len(x.covers[cover]) > 0 {
			least = -1
		}
		x.allowed[cover] = int32(least) + 2
	}
	return x.allowed[cover] - 2
}

// score adds up what the evicted cost. They are in order of importance. Evaluations leave
// it to their caller, so that those of the many nodes that cannot be the best return two
// words.
func (x *search) score(r *row, violations int64) score.Score {
	if r.grouped == 0 && len(x.evicted) > 0 {
		return x.plainScore(r, violations)
	}
	s := score.None
	for _, i := range x.evicted {
		if e := &r.residents[i]; e.ref < 0 {
			s.Add(&x.units[^e.ref].Cost)
		} else {
			s.AddPod(r.priorities[i], e.start)
		}
	}
	s.Violations = violations
	return s
}

// plainScore is score where the evicted are pods, in the order of the row: the first has
// the highest priority, and the earliest start of those with it.
func (x *search) plainScore(r *row, violations int64) score.Score {
	first := x.evicted[0]
	top := int64(r.priorities[first])
	return score.Score{Violations: violations, Top: top, Sum: x.weight(r), Pods: int64(len(x.evicted)), Start: r.residents[first].start, Highest: top}
}

// weight adds up what the evicted weigh, a pod of each. It is asked for once they are
// known, since priorities are in other memory than requests.
func (x *search) weight(r *row) (sum int64) {
	// They are in the order of their priorities: if the first has that of the last, all have.
	first, last := r.priorities[x.evicted[0]], r.priorities[x.evicted[len(x.evicted)-1]]
	if first == last {
		return int64(len(x.evicted)) * score.Weight(first)
	}
	for _, i := range x.evicted {
		sum += score.Weight(r.priorities[i])
	}
	return sum
}

// The scratch has indices into rows, so Evicted is asked before the table changes.

// Evicted appends the references of the residents that the last Search evicts on
// its best node, most important first.
func (t *Table) Evicted(node int, s *Scratch, refs []int32) []int32 {
	return t.rows[node].refs(s.best, refs)
}

func (r *row) refs(indices, refs []int32) []int32 {
	for _, i := range indices {
		refs = append(refs, r.residents[i].ref)
	}
	return refs
}
