package properties

import (
	"context"
	"math/bits"
	"slices"
	"testing"

	"example.com/preemption"
	"example.com/preemption/preemptiontest"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// twinPolicy is what the twin knows of policies beyond kube-scheduler's.
type twinPolicy struct {
	best, respected bool
	order           []int // of the five criteria of cost
}

// selectByPolicy is selectVictims by the definitions of the policies: all sets are
// tried for the best one.
func (w twin) selectByPolicy(n *preemption.Node) (status preemption.Status, victims []*preemption.Victim, violations int) {
	all := mostImportantFirst(filtered(w.victimsOn(n), w.mayEvict))
	if len(all) == 0 {
		return preemption.Status{Code: preemption.Unresolvable, Reasons: []string{preemption.ReasonNoVictims}}, nil, 0
	}
	fits := func(gone []*preemption.Victim) preemption.Status {
		left := w.podsOn(n)
		for _, v := range gone {
			left = without(left, v.Pods)
		}
		return w.fitsTwice(n, left)
	}
	free, guards := w.protect(all)
	found := false
	switch {
	case w.policy.best:
		victims, found = w.bestSet(n, all, func(gone []*preemption.Victim) bool { return fits(gone).Fits() })
		found = found || fits(nil).Fits() && fits(all).Fits()
	case w.policy.respected:
		if found = fits(free).Fits(); found {
			gone := free
			for _, v := range free {
				if others := filtered(gone, func(o *preemption.Victim) bool { return o != v }); fits(others).Fits() {
					gone = others
				}
			}
			victims = gone
		}
	default:
		kube := w
		kube.policy = nil
		status, victims, _ = kube.selectVictims(n)
		return status, victims, w.exactly(victims)
	}
	switch refusal := fits(all); {
	case found:
		return preemption.Status{}, victims, w.exactly(victims)
	case !refusal.Fits():
		return refusal, nil, 0
	}
	status.Code = preemption.Unschedulable
	for _, b := range guards {
		status.Reasons = append(status.Reasons, "Victims are protected by disruption budget "+b.Namespace+"/"+b.Name)
	}
	return status, nil, 0
}

// exactly counts the pods that violate a budget if just these victims go.
func (w twin) exactly(victims []*preemption.Victim) (count int) {
	used := map[*preemption.PodDisruptionBudget]int64{}
	for _, v := range victims {
		for _, p := range v.Pods {
			over := filtered(w.DisruptionBudgets, func(b *preemption.PodDisruptionBudget) bool {
				if !w.covers(b, p) || slices.Contains(b.Disrupted, p.Name) {
					return false
				}
				used[b]++
				return used[b] > int64(b.Allowed)
			})
			if len(over) > 0 {
				count++
			}
		}
	}
	return count
}

// protect walks the victims least important first and keeps those that do not
// violate a budget together with those kept before. Guards are the budgets that
// the others would violate, from the most important victim on.
func (w twin) protect(all []*preemption.Victim) (free []*preemption.Victim, guards []*preemption.PodDisruptionBudget) {
	var stay []*preemption.Victim
	refused := map[*preemption.Victim][]*preemption.PodDisruptionBudget{}
	for i := len(all) - 1; i >= 0; i-- {
		with := append([]*preemption.Victim{all[i]}, free...)
		if w.exactly(with) == 0 {
			free = with
			continue
		}
		stay = append([]*preemption.Victim{all[i]}, stay...)
		// Which budgets: those that are overdrawn if no other is there.
		for _, p := range all[i].Pods {
			for _, b := range w.DisruptionBudgets {
				alone := w
				alone.DisruptionBudgets = []*preemption.PodDisruptionBudget{b}
				bears := w.covers(b, p) && !slices.Contains(b.Disrupted, p.Name)
				if bears && alone.exactly(with) > 0 && alone.overdrawnAt(p, all[i], free) {
					refused[all[i]] = append(refused[all[i]], b)
				}
			}
		}
	}
	for _, v := range stay {
		for _, b := range refused[v] {
			if !slices.Contains(guards, b) {
				guards = append(guards, b)
			}
		}
	}
	return free, guards
}

// overdrawnAt tells whether pod p of a victim overdraws the only budget there is,
// after the pods before it and the victims that are free.
func (w twin) overdrawnAt(p *preemption.Pod, v *preemption.Victim, free []*preemption.Victim) bool {
	before := &preemption.Victim{Pods: v.Pods[:slices.Index(v.Pods, p)]}
	upTo := &preemption.Victim{Pods: v.Pods[:slices.Index(v.Pods, p)+1]}
	return w.exactly(append(slices.Clone(free), upTo)) > w.exactly(append(slices.Clone(free), before))
}

// bestSet tries all sets. Bit i of one is the i-th most important victim.
func (w twin) bestSet(n *preemption.Node, all []*preemption.Victim, fits func([]*preemption.Victim) bool) (best []*preemption.Victim, found bool) {
	pick := func(set uint) (list []*preemption.Victim) {
		for ; set != 0; set &= set - 1 {
			list = append(list, all[bits.TrailingZeros(set)])
		}
		return list
	}
	// Of equal sets that wins which keeps the first victim that they differ in: with
	// the first victim as the highest bit, the lower number.
	for number := uint(1); number < 1<<len(all); number++ {
		set := bits.Reverse(number) >> (bits.UintSize - len(all))
		victims := pick(set)
		if !fits(victims) || w.policy.respected && w.exactly(victims) > 0 {
			continue
		}
		spare := false
		for rest := set; rest != 0; rest &= rest - 1 {
			spare = spare || fits(pick(set&^(rest&-rest)))
		}
		if spare {
			continue
		}
		a := &preemption.Candidate{Victims: victims, Violations: w.exactly(victims)}
		if !found || w.better(a, &preemption.Candidate{Victims: best, Violations: w.exactly(best)}) {
			best, found = victims, true
		}
	}
	return best, found
}

// drawTwinPolicy draws a policy and any order of any of the criteria, for the
// evaluator and for the twin.
func drawTwinPolicy(t *rapid.T, e *preemption.Evaluator) *twinPolicy {
	p := &twinPolicy{best: rapid.Bool().Draw(t, "best"), respected: rapid.Bool().Draw(t, "respected")}
	e.Budgets = preemption.BudgetsExact
	if p.best {
		e.Victims = preemption.VictimsBest
	}
	if p.respected {
		e.Budgets = preemption.BudgetsRespected
	}
	p.order = []int{0, 1, 2, 3, 4}
	if rapid.Bool().Draw(t, "other order") {
		p.order = rapid.Permutation(p.order).Draw(t, "order")[:rapid.IntRange(1, 5).Draw(t, "criteria")]
		for _, i := range p.order {
			e.Orders = append(e.Orders, preemption.DefaultOrders()[i])
		}
	}
	return p
}

// Decisions by every policy and order are the twin's, by Examine and by Preempt,
// and pass the check that users can make.
func TestPolicyProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, w := drawEvaluator(t, s)
		w.policy = drawTwinPolicy(t, e)
		checkPolicy(t, s, e, w)
	})
}

func checkPolicy(t *rapid.T, s scenario, e *preemption.Evaluator, w twin) {
	for _, n := range w.Nodes {
		if w.policy.best && len(filtered(w.victimsOn(n), w.mayEvict)) > 9 {
			t.Skip("too many sets")
		}
	}
	want := w.decide()
	c := newCluster(t, s.state)
	x, err := e.Examine(context.Background(), c, s.preemptor)
	if want.Outcome == "unhelpful" && len(want.Failed) > 0 {
		if err == nil {
			t.Fatalf("Examine = %v, want the errors of nodes %v", x.Outcome, want.Failed)
		}
		return
	}
	if err != nil {
		t.Fatalf("Examine: %v", err)
	}
	got := verdictOf(x)
	slices.Sort(want.Failed) // sampling may look at nodes out of order
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("Examine differs from the twin (-want +got):\n%s", diff)
	}
	decided := x.Outcome == preemption.OutcomePreempt || x.Outcome == preemption.OutcomeUnhelpful
	if x.Exact != (w.policy.best && decided) {
		t.Fatalf("Exact = %v", x.Exact)
	}
	r, err := e.Preempt(context.Background(), c, s.preemptor)
	if err != nil {
		t.Fatalf("Preempt: %v", err)
	}
	if diff := cmp.Diff(verdictOfResult(&x.Result), verdictOfResult(r)); diff != "" || r.Exact != x.Exact {
		t.Fatalf("Preempt differs from Examine (-want +got):\n%s\nexact %v, %v", diff, x.Exact, r.Exact)
	}
	checkResult(t, c, s, e, r)
}

func checkResult(t rapid.TB, c *preemption.Cluster, s scenario, e *preemption.Evaluator, r *preemption.Result) {
	t.Helper()
	err := preemptiontest.CheckResult(c, s.state.DisruptionBudgets, s.preemptor, r, preemptiontest.Settings{
		Evaluator: *e, Release: s.state.Release, Groups: preemption.NewGroups(s.state.PodGroups, s.state.CompositePodGroups),
		Most: 6,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A gang's violations are what its victims violate where that is counted exactly,
// and none where budgets are respected. Nobody is evicted then who would violate
// one, whoever plans.
func TestGangPolicyProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenarioOf(t, pick(t, "release", preemption.Release138, preemption.Release137))
		c := newCluster(t, s.state)
		e := &preemption.Evaluator{Budgets: pick(t, "budgets", preemption.BudgetsExact, preemption.BudgetsRespected)}
		g := gangOf(s.preemptor, rapid.IntRange(1, 3).Draw(t, "members"))
		var planner preemption.Planner = preemption.GivenPlacement{}
		if rapid.Bool().Draw(t, "best placement") {
			planner = preemption.BestPlacement{}
		}
		r, err := e.PreemptGroup(context.Background(), c, g, planner)
		if err != nil {
			t.Fatal(err)
		}
		count := twin{ClusterState: s.state, preemptor: s.preemptor}.exactly(mostImportantFirst(r.Victims))
		if r.Violations != count || count > 0 && e.Budgets == preemption.BudgetsRespected {
			t.Fatalf("%v: %d violations, want %d", r.Victims, r.Violations, count)
		}
	})
}

func gangOf(p *preemption.Pod, members int) *preemption.Gang {
	g := &preemption.Gang{Namespace: p.Namespace, Name: "gang", Priority: p.Priority}
	for i := range members {
		m := *p
		if i > 0 { // the first is the pod itself, with its nomination
			m.Name, m.UID = p.Name+string(rune('a'+i)), p.UID+string(rune('a'+i))
		}
		g.Members = append(g.Members, &m)
	}
	return g
}

// The best victims for one pod, counted exactly, cost what the best placement of a
// gang of that pod alone costs, where both are exact and every pod has the priority
// that it is evicted by: a gang goes by the highest of all, a pod by the first.
func TestBestIsBestPlacementOfOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenarioOf(t, pick(t, "release", preemption.Release138, preemption.Release137))
		s.state.PodGroups, s.state.CompositePodGroups = nil, nil
		for _, p := range s.state.Pods {
			p.Group = ""
		}
		c := newCluster(t, s.state)
		e := &preemption.Evaluator{Victims: preemption.VictimsBest, Budgets: preemption.BudgetsExact}
		one, err := e.Preempt(context.Background(), c, s.preemptor)
		if err != nil {
			t.Fatal(err)
		}
		gang, err := e.PreemptGroup(context.Background(), c, gangOf(s.preemptor, 1), preemption.BestPlacement{})
		if err != nil {
			t.Fatal(err)
		}
		if !one.Exact || !gang.Exact || one.Outcome == preemption.OutcomeIneligible {
			return
		}
		if one.Outcome != gang.Outcome {
			t.Fatalf("%v, as a gang %v", one.Outcome, gang.Outcome)
		}
		a := &preemption.Candidate{Victims: one.Victims, Violations: one.Violations}
		b := &preemption.Candidate{Victims: gang.Victims, Violations: gang.Violations}
		if best, by := preemption.PickOneNode([]*preemption.Candidate{a, b}); by >= 0 {
			t.Fatalf("%v, %d violations; as a gang %v, %d: %v is better by %s", a.Victims, a.Violations, b.Victims, b.Violations,
				best.Victims, preemption.DefaultOrders()[by].Name)
		}
	})
}

// The best set is never worse than what the reprieve evicts, counted exactly.
func TestBestIsNoWorseThanReprieve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		c := newCluster(t, s.state)
		e, _ := drawEvaluator(t, s)
		e.Sampling = nil
		drawTwinPolicy(t, e)
		e.Victims = preemption.VictimsBest
		reprieve := *e
		reprieve.Victims = preemption.VictimsReprieve
		x, err := e.Examine(context.Background(), c, s.preemptor)
		y, err2 := reprieve.Examine(context.Background(), c, s.preemptor)
		if err != nil || err2 != nil {
			return
		}
		for i := range x.Nodes {
			a, b := x.Nodes[i].Candidate, y.Nodes[i].Candidate
			if b == nil {
				continue
			}
			if a == nil {
				t.Fatalf("node %s: no set, while the reprieve has %v", y.Nodes[i].Node.Name, b.Victims)
			}
			if best, by := preemption.PickOneNode([]*preemption.Candidate{a, b}, e.Orders...); best == b && by >= 0 {
				t.Fatalf("node %s: %v (%d) is worse than the reprieve's %v (%d)", a.Node.Name, a.Victims, a.Violations, b.Victims, b.Violations)
			}
		}
	})
}
