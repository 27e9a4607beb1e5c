package preemption

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"example.com/preemption/internal/best"
	"example.com/preemption/internal/columnar"
)

// A VictimPolicy says which victims are chosen on a node. It does not change who
// may be one.
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
	// BudgetsExact, since nobody is put back.
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
		c, known := builtinCriterion(o)
		if !known || slices.Contains(list, c) {
			return nil, false
		}
		list = append(list, c)
	}
	return list, true
}

// policy returns what the engine has to know of the evaluator's policies and orders.
// ok is false if it cannot follow the orders.
func (e *Evaluator) policy() (p columnar.Policy, ok bool) {
	order, ok := criteria(e.Orders)
	if !slices.Equal(order, best.Default) {
		p.Order = order
	}
	p.Best, p.Exact, p.Respect = e.Victims == VictimsBest, e.Budgets == BudgetsExact, e.Budgets == BudgetsRespected
	return p, ok
}

// builtinCriterion tells a built-in order by its function, whatever its name is.
func builtinCriterion(o Order) (best.Criterion, bool) {
	if o.Compare == nil {
		return 0, false
	}
	compare := reflect.ValueOf(o.Compare).Pointer()
	for i, b := range DefaultOrders() {
		if reflect.ValueOf(b.Compare).Pointer() == compare {
			return best.Default[i], true
		}
	}
	return 0, false
}

// A Contrast is what kube-scheduler's policy would have decided, beside a result
// of another policy.
type Contrast struct {
	// Upstream is the decision with the zero values of Victims, Budgets and Orders.
	Upstream *Result
	// Violations counts the pods of its victims whose eviction violates a budget,
	// exactly.
	Violations int
	// By names the first of the evaluator's orders that tells the two apart, and
	// Better says that the result is the better one. By is "" if none does, or if one
	// of them evicts nobody. With violations counted exactly a result is worse only
	// where budgets are respected or VictimsReprieve chose it.
	By     string
	Better bool
}

// contrast completes a result by what kube-scheduler would have decided.
func (e *Evaluator) contrast(ctx context.Context, c *Cluster, preemptor *Pod, r *Result) error {
	if !e.Contrast || r.Outcome != OutcomePreempt && r.Outcome != OutcomeUnhelpful {
		return nil
	}
	plain := *e
	plain.Victims, plain.Budgets, plain.Orders, plain.Contrast, plain.Trace = VictimsReprieve, BudgetsAsUpstream, nil, false, nil
	upstream, err := plain.Preempt(ctx, c, preemptor)
	if err != nil {
		return err
	}
	k := &Contrast{Upstream: upstream, Violations: countViolations(upstream.Victims, c.coverage(upstream.Victims))}
	r.Contrast = k
	if r.Outcome != OutcomePreempt || upstream.Outcome != OutcomePreempt {
		return nil
	}
	ours := Candidate{Node: r.Node, Victims: r.Victims, Violations: r.Violations}
	theirs := Candidate{Node: upstream.Node, Victims: upstream.Victims, Violations: k.Violations}
	orders := e.Orders
	if len(orders) == 0 {
		orders = DefaultOrders()
	}
	for _, o := range orders {
		if d := o.Compare(&ours, &theirs); d != 0 {
			k.By, k.Better = o.Name, d < 0
			return nil
		}
	}
	return nil
}

// String says it in one line.
func (k *Contrast) String() string {
	u := k.Upstream
	if u.Outcome != OutcomePreempt {
		return "kube-scheduler would evict nobody: " + u.Outcome.String()
	}
	s := fmt.Sprintf("kube-scheduler would evict %s from node %s, %s", victimList(u.Victims), u.Node.Name, plural(k.Violations, "budget violation"))
	switch {
	case k.By == "":
	case k.Better:
		s += "; this is better by: " + k.By
	default:
		s += "; that is better by: " + k.By
	}
	return s
}

func victimList(victims []*Victim) string {
	names := make([]string, len(victims))
	for i, v := range victims {
		names[i] = v.describe()
	}
	return strings.Join(names, ", ")
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
// now, has run for less than so long, so that everybody gets something done. Pods
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
// victims are on their way out already, nobody else has to go.
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
// controller loses more pods than the limit says, those counted that are on their
// way out already: not all replicas of a service at once. Pods without an owner
// are not limited, nor is an owner with a negative limit.
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
