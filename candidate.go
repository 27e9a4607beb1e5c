package preemption

import (
	"cmp"
	"errors"
	"fmt"

	"example.com/preemption/internal/best"
	"example.com/preemption/internal/score"
)

// A Candidate is a node that can be cleared for the preemptor.
type Candidate struct {
	Node *Node
	// Victims have to go, most important first.
	Victims []*Victim
	// Violations counts the pods among them whose eviction violates a budget.
	Violations int
}

// Pods returns the pods of the candidate's victims, in their order.
func (c *Candidate) Pods() []*Pod {
	var pods []*Pod
	for _, v := range c.Victims {
		pods = append(pods, v.Pods...)
	}
	return pods
}

// An Order compares candidates by one criterion. Compare is negative if a is
// the better one, zero if the criterion does not tell them apart, and owes the
// law of a strict weak order.
type Order struct {
	Name    string
	Compare func(a, b *Candidate) int
}

// The criteria of kube-scheduler, in its order. They look at pods: at the pods'
// own priorities, also where a group's effective priority differs. They
// correspond to the score functions of pickOneNodeForPreemption. A candidate
// without victims, which only an extender can produce, counts as harmless.
var (
	// FewestViolations prefers the fewest budget violations.
	FewestViolations = Order{"fewest budget violations", compareViolations}
	// LowestHighestPriority prefers the lowest priority of the first listed pod,
	// which is that of the most important victim.
	LowestHighestPriority = Order{"lowest top victim priority", compareTop}
	// LowestPrioritySum prefers the smallest sum of (priority + 2^31) over all
	// pods. The shift makes every term positive, so that more pods never look
	// better for being negative. Sums are exact for up to 2^31 pods.
	LowestPrioritySum = Order{"smallest priority sum", compareSum}
	// FewestPods prefers the fewest pods.
	FewestPods = Order{"fewest pods", comparePods}
	// LatestStart prefers the candidate whose earliest start among the pods of the
	// highest priority is the latest: the least work lost.
	LatestStart = Order{"latest start", compareStart}
)

// DefaultOrders returns the five criteria of kube-scheduler.
func DefaultOrders() []Order {
	return []Order{FewestViolations, LowestHighestPriority, LowestPrioritySum, FewestPods, LatestStart}
}

// PickOneNode returns the best candidate: the best by the first order, among
// equals the best by the second, and so on, finally the first in input order.
// decidedBy is the index of the order that told it from the last of its rivals,
// -1 if none had to: a single candidate, or input order decided. Without orders
// it takes [DefaultOrders]. It returns nil if there are no candidates.
//
// The cost is O(candidates) comparisons an order. It corresponds to
// pickOneNodeForPreemption of kube-scheduler, which leaves the last tie to map
// order.
func PickOneNode(candidates []*Candidate, orders ...Order) (best *Candidate, decidedBy int) {
	if len(candidates) == 0 {
		return nil, -1
	}
	left := make([]int, len(candidates))
	for i := range left {
		left[i] = i
	}
	count := len(orders)
	compare := func(k, i, j int) int { return orders[k].Compare(candidates[i], candidates[j]) }
	ready := func(int) {}
	if builtin, ok := criteria(orders); ok {
		// Built-in orders compare numbers, added up once for each candidate that is left.
		numbers := make([]int64, len(candidates))
		count = len(builtin)
		compare = func(_, i, j int) int { return cmp.Compare(numbers[i], numbers[j]) }
		ready = func(k int) {
			for _, i := range left {
				numbers[i] = candidates[i].number(builtin[k])
			}
		}
	}

	for k := range count {
		ready(k)
		equals := left[:1] // the best so far, written behind what has been read
		for _, i := range left[1:] {
			switch d := compare(k, i, equals[0]); {
			case d < 0:
				equals = append(equals[:0], i)
			case d == 0:
				equals = append(equals, i)
			}
		}
		if len(equals) == 1 && len(left) > 1 {
			return candidates[equals[0]], k
		}
		left = equals
	}
	return candidates[left[0]], -1
}

// Functions of their own, so that criteria can tell the built-in orders.
func compareViolations(a, b *Candidate) int { return by(score.ByViolations, a, b) }
func compareTop(a, b *Candidate) int        { return by(score.ByTop, a, b) }
func compareSum(a, b *Candidate) int        { return by(score.BySum, a, b) }
func comparePods(a, b *Candidate) int       { return by(score.ByPods, a, b) }
func compareStart(a, b *Candidate) int      { return by(score.ByStart, a, b) }

// by compares candidates by one criterion of their scores.
func by(criterion func(a, b *score.Score) int, a, b *Candidate) int {
	x, y := a.score(), b.score()
	return criterion(&x, &y)
}

// number is what a criterion goes by, the less the better: of the score, but that no
// more is added up than it takes.
func (c *Candidate) number(by best.Criterion) int64 {
	switch by {
	case best.Violations:
		return int64(c.Violations)
	case best.Top:
		for _, v := range c.Victims {
			for _, p := range v.Pods {
				return int64(p.Priority)
			}
		}
		return score.None.Top
	case best.Sum:
		var sum int64
		for _, v := range c.Victims {
			for _, p := range v.Pods {
				sum += score.Weight(p.Priority)
			}
		}
		return sum
	case best.Pods:
		return int64(countPods(c.Victims))
	}
	return ^scoreOf(c.Victims).Start
}

// score adds up what the candidate costs, in O(pods).
func (c *Candidate) score() score.Score {
	s := scoreOf(c.Victims)
	s.Violations = int64(c.Violations)
	return s
}

// scoreOf adds up what the victims cost, violations left aside. It looks at all
// pods, since an extender may list them in any order.
func scoreOf(victims []*Victim) score.Score {
	s := score.None
	for _, v := range victims {
		for _, p := range v.Pods {
			s.AddPod(p.Priority, startOf(p.Start))
		}
	}
	return s
}

// countPods counts the pods of the victims.
func countPods(victims []*Victim) int {
	n := 0
	for _, v := range victims {
		n += len(v.Pods)
	}
	return n
}

// Sampling limits how many nodes are looked at, as kube-scheduler does to save
// time. Looking at fewer nodes makes decisions worse; this package looks at all
// of them unless told otherwise.
//
// The search starts at an offset among the potential nodes, wraps around, and
// stops once it has found Count candidates in all with at least one that
// violates no budget. Candidates that violate none come first in the choice; of
// each kind at most Count are kept, later ones are dropped.
type Sampling struct {
	Percent int // of the potential nodes
	Min     int // candidates at least
	// Offset returns where to start among so many potential nodes, more than zero.
	// Any number will do; it is taken modulo nodes. Nil starts at the first.
	Offset func(nodes int) int
}

// DefaultSampling returns kube-scheduler's defaults, 10 % and at least 100
// candidates, with the offset the caller chooses. Upstream draws it at random.
func DefaultSampling(offset func(nodes int) int) *Sampling {
	return &Sampling{Percent: 10, Min: 100, Offset: offset}
}

// Validate returns an error unless kube-scheduler would accept the numbers:
// a percentage in [0, 100], a minimum not below zero, and not both zero.
func (s Sampling) Validate() error {
	switch {
	case s.Percent < 0 || s.Percent > 100:
		return fmt.Errorf("preemption: sampling: percent %d is not in [0, 100]", s.Percent)
	case s.Min < 0:
		return fmt.Errorf("preemption: sampling: minimum %d is negative", s.Min)
	case s.Percent == 0 && s.Min == 0:
		return errors.New("preemption: sampling: percent and minimum are both zero: want at least one above")
	}
	return nil
}

// Count returns how many candidates are asked for among so many potential
// nodes: the percentage rounded down, at least Min and at least one, at most
// all of them. Upstream may round down to none, and computes in 32 bits.
func (s Sampling) Count(nodes int) int {
	percent := int64(min(max(s.Percent, 0), 100))
	share := int64(nodes)/100*percent + int64(nodes)%100*percent/100
	return min(max(int(share), s.Min, 1), max(nodes, 0))
}

// start returns the offset to begin at, in [0, nodes).
func (s Sampling) start(nodes int) int {
	if s.Offset == nil {
		return 0
	}
	return (s.Offset(nodes)%nodes + nodes) % nodes // of either sign
}

// A window collects the candidates of a sampled search.
type window struct {
	count            int // candidates asked for
	clean, violating []*Candidate
}

func (w *window) add(c *Candidate) {
	list := &w.clean
	if c.Violations > 0 {
		list = &w.violating
	}
	if len(*list) < w.count {
		*list = append(*list, c)
	}
}

// full reports whether the search may stop.
func (w *window) full() bool {
	return len(w.clean) > 0 && len(w.clean)+len(w.violating) >= w.count
}

// candidates returns what was kept, those that violate no budget first.
func (w *window) candidates() []*Candidate { return append(w.clean, w.violating...) }
