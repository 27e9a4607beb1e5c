package preemption

import (
	"cmp"
	"math"
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
	LowestHighestPriority = Order{"lowest top victim priority", compareTopPriority}
	// LowestPrioritySum prefers the smallest sum of (priority + 2^31) over all
	// pods. The shift makes every term positive, so that more pods never look
	// better for being negative. Sums are exact for up to 2^31 pods.
	LowestPrioritySum = Order{"smallest priority sum", comparePrioritySum}
	// FewestPods prefers the fewest pods.
	FewestPods = Order{"fewest pods", comparePods}
	// LatestStart prefers the candidate whose earliest start among the pods of the
	// highest priority is the latest: the least work lost.
	LatestStart = Order{"latest start", compareLatestStart}
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
	if len(orders) == 0 {
		orders = DefaultOrders()
	}
	left := candidates
	for i, o := range orders {
		var equals []*Candidate
		for _, c := range left {
			switch {
			case len(equals) == 0:
				equals = append(equals, c)
			default:
				if d := o.Compare(c, equals[0]); d < 0 {
					equals = append(equals[:0], c)
				} else if d == 0 {
					equals = append(equals, c)
				}
			}
		}
		if len(equals) == 1 && len(left) > 1 {
			return equals[0], i
		}
		left = equals
	}
	return left[0], -1
}

func compareViolations(a, b *Candidate) int { return cmp.Compare(a.Violations, b.Violations) }

func compareTopPriority(a, b *Candidate) int { return cmp.Compare(topPriority(a), topPriority(b)) }

func topPriority(c *Candidate) int64 {
	if len(c.Victims) == 0 {
		return math.MinInt64
	}
	return int64(c.Victims[0].Pods[0].Priority)
}

func comparePrioritySum(a, b *Candidate) int { return cmp.Compare(prioritySum(a), prioritySum(b)) }

// priorityShift makes every int32 priority non-negative.
const priorityShift = int64(math.MaxInt32) + 1

func prioritySum(c *Candidate) int64 {
	var sum int64
	for _, v := range c.Victims {
		for _, p := range v.Pods {
			sum += int64(p.Priority) + priorityShift
		}
	}
	return sum
}

func comparePods(a, b *Candidate) int { return cmp.Compare(podCount(a), podCount(b)) }

func podCount(c *Candidate) int {
	n := 0
	for _, v := range c.Victims {
		n += len(v.Pods)
	}
	return n
}

// compareLatestStart compares backwards: the later start is the better one.
func compareLatestStart(a, b *Candidate) int {
	return cmp.Compare(earliestTopStart(b), earliestTopStart(a))
}

// earliestTopStart scans all pods, since an extender may list them in any order.
func earliestTopStart(c *Candidate) int64 {
	top, earliest := int64(math.MinInt64), int64(notStarted)
	for _, v := range c.Victims {
		for _, p := range v.Pods {
			switch prio := int64(p.Priority); {
			case prio > top:
				top, earliest = prio, startOf(p.Start)
			case prio == top:
				earliest = min(earliest, startOf(p.Start))
			}
		}
	}
	return earliest
}
