package preemption

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"example.com/preemption/internal/best"
)

// A VictimPolicy says which victims are chosen on a node. It does not change which
// pods may be victims.
type VictimPolicy uint8

const (
	// VictimsReprieve chooses as kube-scheduler: all are removed and as many as
	// possible are put back, the most important first; see [SelectVictimsOnNode].
	VictimsReprieve VictimPolicy = iota
	// VictimsBest chooses the best of all sets by the criteria that nodes are chosen
	// by, in their order, with violations counted exactly; see
	// [SelectBestVictimsOnNode].
	VictimsBest
)

// String returns "reprieve" or "best".
func (p VictimPolicy) String() string {
	if p == VictimsBest {
		return "best"
	}
	return "reprieve"
}

// A BudgetPolicy says what disruption budgets mean to a decision.
type BudgetPolicy uint8

const (
	// BudgetsAsUpstream counts violations as kube-scheduler: over all potential
	// victims, those included that are put back later. With [VictimsBest] it is
	// BudgetsExact, since no pod is put back.
	BudgetsAsUpstream BudgetPolicy = iota
	// BudgetsExact counts the violations of what is evicted, no more and no less; see
	// [Release.CountViolations]. Who is put back first does not change.
	BudgetsExact
	// BudgetsRespected evicts nothing that would violate a budget; see
	// [SelectVictimsOnNode]. Where that rules a node out its status says which
	// budgets did.
	BudgetsRespected
)

// String returns "as-upstream", "exact" or "respected".
func (p BudgetPolicy) String() string {
	switch p {
	case BudgetsExact:
		return "exact"
	case BudgetsRespected:
		return "respected"
	}
	return "as-upstream"
}

// ReasonProtectedBy begins the reason that a node is refused with because a budget
// protects its pods; the budget's namespace and name follow.
const ReasonProtectedBy = "Victims are protected by disruption budget "

// ErrOrders is returned for [VictimsBest] with orders that it cannot follow: it
// takes those of [DefaultOrders], in any order, each at most once.
var ErrOrders = errors.New("the best victims are defined by the five built-in orders alone, each at most once")

// criteria returns which of the five built-in ones the orders are; no orders are
// all of them. ok is false if one is not, or is there twice.
func criteria(orders []Order) (list []best.Criterion, ok bool) {
	if len(orders) == 0 {
		return best.Default, true
	}
	for _, o := range orders {
		i := slices.IndexFunc(DefaultOrders(), o.same)
		if i < 0 || slices.Contains(list, best.Default[i]) {
			return nil, false
		}
		list = append(list, best.Default[i])
	}
	return list, true
}

// same reports whether two orders are one function, whatever they are called.
func (o Order) same(as Order) bool {
	return reflect.ValueOf(o.Compare).Pointer() == reflect.ValueOf(as.Compare).Pointer()
}

// Ready-made answers for [Evaluator.Eligible], [Evaluator.Accept] and
// [Evaluator.Orders].

// EligibleIfAll returns an Eligible that accepts a victim if all of these do.
func EligibleIfAll(accept ...func(preemptor *Pod, v *Victim, n *Node) bool) func(*Pod, *Victim, *Node) bool {
	return func(preemptor *Pod, v *Victim, n *Node) bool {
		for _, f := range accept {
			if !f(preemptor, v, n) {
				return false
			}
		}
		return true
	}
}

// MinRunTime returns an Eligible that spares victims with a pod that, at the time
// now, has run for less than so long, so that each gets some work done. Pods
// that have not started lose nothing and are not spared for it.
func MinRunTime(now time.Time, atLeast time.Duration) func(*Pod, *Victim, *Node) bool {
	return func(_ *Pod, v *Victim, _ *Node) bool {
		for _, p := range v.Pods {
			if !p.Start.IsZero() && now.Sub(p.Start) < atLeast {
				return false
			}
		}
		return true
	}
}

// PriorityGap returns an Eligible that spares victims whose effective priority is
// less than so much below the preemptor's.
func PriorityGap(atLeast int32) func(*Pod, *Victim, *Node) bool {
	return func(preemptor *Pod, v *Victim, _ *Node) bool {
		return int64(preemptor.Priority)-int64(v.Priority) >= int64(atLeast)
	}
}

// SpareSelected returns an Eligible that spares victims with a pod that the
// selector matches. A nil or invalid selector matches none.
func SpareSelected(s *Selector) func(*Pod, *Victim, *Node) bool {
	return func(_ *Pod, v *Victim, _ *Node) bool {
		for _, p := range v.Pods {
			if s.Matches(p.Labels) {
				return false
			}
		}
		return true
	}
}

// FewestToDelete prefers the candidate with the fewest pods still to delete: where
// victims are on their way out already, no other has to go.
var FewestToDelete = Order{"fewest pods still to delete", func(a, b *Candidate) int {
	return toDelete(a) - toDelete(b)
}}

func toDelete(c *Candidate) int {
	n := 0
	for _, v := range c.Victims {
		for _, p := range v.Pods {
			if p.Termination == NotTerminating {
				n++
			}
		}
	}
	return n
}

// VictimsPerOwner returns an Accept that refuses sets of victims in which a
// controller loses more pods than the limit allows, so that not all replicas of a
// service go at once. Pods that are on their way out already count. Pods without an
// owner are not limited, nor is an owner with a negative limit.
func VictimsPerOwner(limit func(namespace string, o Owner) int) func(*Pod, *Node, []*Victim) Status {
	type key struct {
		namespace string
		owner     Owner
	}
	return func(_ *Pod, _ *Node, victims []*Victim) Status {
		lost := make(map[key]int)
		for _, v := range victims {
			for _, p := range v.Pods {
				if p.Owner == (Owner{}) {
					continue
				}
				k := key{p.Namespace, p.Owner}
				lost[k]++
				if most := limit(p.Namespace, p.Owner); most >= 0 && lost[k] > most {
					return Status{Code: Unschedulable, Reasons: []string{
						fmt.Sprintf("Victims would be more than %d of %s in namespace %s", most, p.Owner, p.Namespace)}}
				}
			}
		}
		return Status{}
	}
}
