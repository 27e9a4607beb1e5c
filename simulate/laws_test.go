package simulate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/preemption"
	"pgregory.net/rapid"
)

// text is everything that a report says.
func text(t interface{ Fatal(...any) }, r *Report) string {
	var b strings.Builder
	if err := errors.Join(r.WriteTimeLine(&b), r.WriteSummary(context.Background(), &b)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// play runs the world in pieces, checking the laws after each thing that happens.
func play(t *rapid.T, w World) *Simulation {
	s, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	s.ctx = context.Background()
	for seen := 0; ; {
		s.check(t)
		for ; seen < len(s.events); seen++ {
			s.checkEvent(t, &s.events[seen])
		}
		next := s.agenda.peek()
		switch {
		case next == nil:
			s.settle()
			return s
		case next.at > w.Horizon:
			return s
		}
		if next.at > s.now {
			s.closeInstant()
			if s.repeats() {
				return s
			}
			s.now = next.at
		}
		if err := s.step(); err != nil {
			t.Fatal(err)
		}
	}
}

// check holds the state against the laws.
func (s *Simulation) check(t *rapid.T) {
	// No node is over its capacity.
	for _, n := range s.cluster.Nodes() {
		var cpu int64
		for _, p := range s.cluster.PodsOn(n) {
			cpu += p.Requests[preemption.CPU]
		}
		if cpu > n.Allocatable[preemption.CPU] {
			t.Fatalf("at %v: %d of %d on node %s", s.now, cpu, n.Allocatable[preemption.CPU], n.Name)
		}
		if used := s.room[n].cpu.used; used != cpu {
			t.Fatalf("at %v: node %s is taken to have %d used, it has %d", s.now, n.Name, used, cpu)
		}
	}

	// Every pod is where its record says, and pending pods will be tried again or
	// sleep.
	for name, l := range s.lives {
		p := s.cluster.Pod(name.namespace, name.name)
		if p == nil {
			t.Fatalf("at %v: pod %s is nowhere", s.now, l.pod)
		}
		switch l.phase {
		case phasePending:
			if p.NodeName != "" || l.task == nil || l.task.done || l.task.item == nil && !slices.Contains(s.asleep, l.task) {
				t.Fatalf("at %v: pending pod %s is on node %q, task %+v", s.now, p, p.NodeName, l.task)
			}
			claims := l.node != "" && slices.ContainsFunc(s.cluster.NominatedTo(l.node), func(x *preemption.Pod) bool { return x.Name == p.Name })
			if l.node != "" && !claims {
				t.Fatalf("at %v: pod %s should be nominated to %s", s.now, p, l.node)
			}
		case phaseBound:
			if p.NodeName != l.node || p.Termination != preemption.NotTerminating {
				t.Fatalf("at %v: bound pod %s is on node %q, %v", s.now, p, p.NodeName, p.Termination)
			}
		case phaseTerminating:
			if p.NodeName != l.node || p.Termination == preemption.NotTerminating || l.end == nil {
				t.Fatalf("at %v: terminating pod %s is on node %q, %v", s.now, p, p.NodeName, p.Termination)
			}
		case phaseGone:
			t.Fatalf("at %v: pod %s is gone and has a record", s.now, p)
		}
	}

	// The sum of fingerprints is that of the lives.
	var sum uint64
	for _, l := range s.lives {
		sum += l.fingerprint()
	}
	if sum != s.sum {
		t.Fatalf("at %v: the sum of fingerprints is %x, want %x", s.now, s.sum, sum)
	}

	// What budgets with a specification allow is what a recount gives.
	for _, spec := range s.world.Budgets {
		all, owned, healthy := 0, 0, 0
		count := func(p *preemption.Pod, wanted, ready bool) {
			if !spec.Selector.Matches(p.Labels) {
				return
			}
			if wanted {
				all++
				if p.Owner.Kind != "" {
					owned++
				}
			}
			if ready {
				healthy++
			}
		}
		for _, n := range s.cluster.Nodes() {
			for _, p := range s.cluster.PodsOn(n) {
				if s.lives[nameOf(p)] == nil {
					count(p, true, true)
				}
			}
		}
		for _, l := range s.lives {
			returns := l.pod.Owner.Kind == "StatefulSet" || l.pod.Owner.Kind == "DaemonSet"
			wanted := !l.departed && (l.phase != phaseTerminating || returns)
			ready := l.phase == phaseBound && (l.end == nil || l.end.moment != momentHealthy)
			count(l.pod, wanted, ready)
		}
		a := preemption.Availability{Expected: owned, Healthy: healthy, MinAvailable: spec.MinAvailable, MaxUnavailable: spec.MaxUnavailable}
		if spec.MinAvailable != nil && !spec.MinAvailable.Percent {
			a.Expected = all
		}
		want, err := a.DisruptionsAllowed()
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range s.cluster.DisruptionBudgets() {
			if b.Name == spec.Name && b.Allowed != want {
				t.Fatalf("at %v: budget %s allows %d, want %d of %+v", s.now, b, b.Allowed, want, a)
			}
		}
	}
}

// checkEvent holds something that has just happened against the laws.
func (s *Simulation) checkEvent(t *rapid.T, e *Event) {
	switch e.Kind {
	case Evicted:
		// Only a pod or gang of higher priority evicts. Of a group's member it is not
		// the own priority that counts.
		by := e.By.Priority
		if g := s.preemptions[len(s.preemptions)-1].Gang; g != nil {
			by = g.Priority
		}
		if by <= e.Pod.Priority && e.Pod.Group == "" {
			t.Fatalf("at %v: %s evicts %s", e.At, e.By, e.Pod)
		}
	case Placed:
		// A gang starts with its minimum or not at all.
		if g := s.lives[nameOf(e.Pod)].gang; g != nil && g.bound < g.spec.MinCount {
			t.Fatalf("at %v: %s is placed, and %d of gang %s run, want %d", e.At, e.Pod, g.bound, g.spec, g.spec.MinCount)
		}
		// Nobody takes the room of a pod of equal or higher priority that waits for it.
		n := s.cluster.Node(e.Node)
		var cpu int64
		for _, p := range s.cluster.PodsOn(n) {
			cpu += p.Requests[preemption.CPU]
		}
		priority := e.Pod.Priority
		gang := s.lives[nameOf(e.Pod)].gang
		if gang != nil {
			priority = max(priority, gang.spec.Priority)
		}
		for _, p := range s.cluster.NominatedTo(e.Node) {
			// The claims of a gang's other members do not count: all are placed anew.
			peers := gang != nil && s.lives[nameOf(p)].gang == gang
			if p.Priority >= priority && !peers {
				cpu += p.Requests[preemption.CPU]
			}
		}
		if cpu > n.Allocatable[preemption.CPU] {
			t.Fatalf("at %v: %s is placed on %s into the room of a nominated pod: %+v beside %+v", e.At, e.Pod, e.Node, s.cluster.NominatedTo(e.Node), s.cluster.PodsOn(n))
		}
	}
}

func describe(c *preemption.Cluster) string {
	var b strings.Builder
	for _, n := range c.Nodes() {
		fmt.Fprintf(&b, "%s: %+v\n", n.Name, c.PodsOn(n))
	}
	for _, d := range c.DisruptionBudgets() {
		fmt.Fprintf(&b, "%+v\n", *d)
	}
	return b.String()
}

func TestLaws(t *testing.T) {
	ends, evictions := map[End]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		if rapid.Bool().Draw(t, "with gangs") {
			drawGangs(t, &w)
		}
		before := describe(w.Cluster)
		r := play(t, w).Report()
		ends[r.End]++
		evictions += r.evictions()
		checkRow(t, r)
		checkPods(t, w, r)
		if after := describe(w.Cluster); after != before {
			t.Fatalf("the cluster at the start has changed: %s, it was %s", after, before)
		}
	})
	t.Logf("ends %v, %d evictions", ends, evictions)
}

// checkPods holds the pods of a report against what happened: it has those that were
// pending, went, or are going. What comes in the place of a pod is another pod.
func checkPods(t *rapid.T, w World, r *Report) {
	var want, got []string
	for _, p := range w.Cluster.State().Pods {
		if p.Termination != preemption.NotTerminating {
			want = append(want, p.Name)
		}
	}
	for i := range r.Events {
		switch e := &r.Events[i]; e.Kind {
		case Arrives, Evicted, Departs, Gone:
			original, _, _ := strings.Cut(e.Pod.Name, "~")
			want = append(want, original)
		case Recreated:
			if e.Pod.UID == e.Of.UID {
				t.Fatalf("%v, UID %q, comes in the place of itself", e.Pod, e.Pod.UID)
			}
		}
	}
	for i := range r.Pods {
		got = append(got, r.Pods[i].Pod.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Fatalf("reports on %v, want %v", got, want)
	}
	if !slices.IsSortedFunc(r.Budgets, func(a, b BudgetReport) int { return strings.Compare(a.Budget.Name, b.Budget.Name) }) {
		t.Fatal("budgets are in no order")
	}
}

// checkRow counts what a report comes to once more, from what happened.
func checkRow(t *rapid.T, r *Report) {
	want := Row{TopPriority: math.MinInt32}
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind == Evicted {
			if want.Evictions == 0 {
				want.FirstEviction = e.At
			}
			want.Evictions++
			want.TopPriority = max(want.TopPriority, e.Pod.Priority)
			want.PrioritySum += int64(e.Pod.Priority) + 1<<31
		}
	}
	// A preemption has caused what the pods that it evicted have, once they were back.
	for i := range r.Preemptions {
		caused, depth := 0, 0
		for k := range r.Preemptions {
			for up, steps := r.Preemptions[k].Parent, 1; up != none; up, steps = r.Preemptions[up].Parent, steps+1 {
				if up == i {
					caused, depth = caused+len(r.Preemptions[k].Victims), max(depth, steps)
				}
			}
		}
		if p := &r.Preemptions[i]; p.Caused != caused || p.Depth != depth {
			t.Fatalf("preemption %d caused %d evictions, %d deep; want %d, %d", i, p.Caused, p.Depth, caused, depth)
		}
	}
	got := row("", r)
	if got.Evictions != want.Evictions || got.PrioritySum != want.PrioritySum ||
		want.Evictions > 0 && (got.TopPriority != want.TopPriority || got.FirstEviction != want.FirstEviction) {
		t.Fatalf("%+v\nwant %+v", got, want)
	}
}

// The same input gives the same bytes: again, in one go or in pieces, with its
// lists in another order, with more workers.
func TestSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		if rapid.Bool().Draw(t, "with gangs") {
			drawGangs(t, &w)
		}
		r, err := Run(context.Background(), w)
		if err != nil {
			t.Fatal(err)
		}
		want := text(t, r)

		s, err := New(w)
		if err != nil {
			t.Fatal(err)
		}
		for at := time.Duration(0); at <= w.Horizon; at += time.Duration(rapid.IntRange(1, 90).Draw(t, "piece")) * time.Second {
			if err := s.Until(context.Background(), at); err != nil {
				t.Fatal(err)
			}
			s.Report()
		}
		if err := s.Until(context.Background(), w.Horizon); err != nil {
			t.Fatal(err)
		}
		if got := text(t, s.Report()); got != want {
			t.Fatalf("in pieces:\n%s\nin one go:\n%s", got, want)
		}

		slices.Reverse(w.Pending)
		slices.Reverse(w.Arrivals)
		slices.Reverse(w.Departures)
		slices.Reverse(w.Budgets)
		slices.Reverse(w.Gangs)
		w.Policy.Evaluator.Parallelism = 4
		again, err := Run(context.Background(), w)
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, again); got != want {
			t.Fatalf("in another order:\n%s\nat first:\n%s", got, want)
		}
	})
}

// Without preemption nobody is evicted.
func TestNobodyIsEvicted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		drawGangs(t, &w)
		w.Policy.Evaluator.Eligible = func(*preemption.Pod, *preemption.Victim, *preemption.Node) bool { return false }
		r, err := Run(context.Background(), w)
		if err != nil {
			t.Fatal(err)
		}
		if r.evictions() > 0 {
			t.Fatalf("evictions:\n%s", text(t, r))
		}
	})
}
