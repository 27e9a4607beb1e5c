package properties

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"example.com/preemption"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A committed decision leaves the cluster that one gets by writing down, object by
// object, what is to happen; and a copy that it is committed to moves alone.
func TestCommitProperty(t *testing.T) {
	outcomes := map[preemption.Outcome]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		c := newCluster(t, s.state)
		before := c.State()
		r, err := (&preemption.Evaluator{}).Preempt(t.Context(), c, s.preemptor)
		if err != nil {
			return
		}
		outcomes[r.Outcome]++
		k := c.Clone()
		if err := k.Commit(r); err != nil {
			t.Fatalf("commit: %v", err)
		}
		sameCluster(t, "committed", newCluster(t, committed(s.state, r)), k, s)
		sameCluster(t, "original", newCluster(t, s.state), c, s)
		if diff := cmp.Diff(before, c.State()); diff != "" {
			t.Fatalf("state of the original (-before +after):\n%s", diff)
		}
		if r.Outcome == preemption.OutcomePreempt && len(r.Delete) > 0 {
			if err := k.Commit(r); !errors.Is(err, preemption.ErrStale) {
				t.Fatalf("the same victims a second time: %v", err)
			}
		}
	})
	for _, o := range []preemption.Outcome{preemption.OutcomePreempt, preemption.OutcomeFits, preemption.OutcomeUnhelpful, preemption.OutcomeWaiting} {
		wantSeen(t, outcomes[o] > 0, "no decision of outcome %v", o)
	}
}

// A gang's decision is committed likewise, each member by itself.
func TestCommitGroupProperty(t *testing.T) {
	outcomes := map[preemption.Outcome]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenarioOf(t, pick(t, "release", preemption.Release138, preemption.Release137))
		g := &preemption.Gang{Namespace: "team", Name: "gang", Priority: pick[int32](t, "gang priority", 10, 3, 2), MinCount: 1}
		for i := range rapid.IntRange(1, 3).Draw(t, "members") {
			m := *s.preemptor
			m.Name, m.UID, m.HostPorts = fmt.Sprint("member", i), fmt.Sprint("u-member", i), nil
			m.Requests = preemption.Resources{preemption.CPU: rapid.Int64Range(0, 3).Draw(t, "cpu")}
			if g.Members = append(g.Members, &m); oneIn(t, 3, "member is known") {
				s.state.Pods = append(s.state.Pods, &m)
			}
		}
		c := newCluster(t, s.state)
		r, err := (&preemption.Evaluator{}).PreemptGroup(t.Context(), c, g, preemption.BestPlacement{})
		if err != nil {
			return
		}
		outcomes[r.Outcome]++
		if err := c.CommitGroup(r); err != nil {
			t.Fatalf("commit: %v", err)
		}
		want := evicted(s.state, r.Delete, r.ClearNominations)
		for _, a := range r.Assignments {
			switch {
			case r.Nomination == preemption.SetNomination && a.Node != nil:
				want = nominatedIn(want, a.Pod, a.Node.Name)
			case r.Nomination == preemption.ClearNomination:
				want = nominatedIn(want, a.Pod, "")
			}
		}
		sameCluster(t, "committed", newCluster(t, want), c, s)
		if len(r.Delete) > 0 {
			if err := c.CommitGroup(r); !errors.Is(err, preemption.ErrStale) {
				t.Fatalf("the same victims a second time: %v", err)
			}
		}
	})
	for _, o := range []preemption.Outcome{preemption.OutcomePreempt, preemption.OutcomeFits, preemption.OutcomeUnhelpful} {
		wantSeen(t, outcomes[o] > 0, "no decision of outcome %v", o)
	}
}

// committed is the state after a decision, written down.
func committed(s preemption.ClusterState, r *preemption.Result) preemption.ClusterState {
	s = evicted(s, r.Delete, r.ClearNominations)
	switch r.Nomination {
	case preemption.SetNomination:
		s = nominatedIn(s, r.Preemptor, r.Node.Name)
	case preemption.ClearNomination:
		s = nominatedIn(s, r.Preemptor, "")
	}
	return s
}

// evicted is the state with pods on their way out and others without nomination.
func evicted(s preemption.ClusterState, gone, cleared []*preemption.Pod) preemption.ClusterState {
	s.Pods, s.DisruptionBudgets = slices.Clone(s.Pods), slices.Clone(s.DisruptionBudgets)
	put := func(p *preemption.Pod, change func(*preemption.Pod)) {
		q := *p
		change(&q)
		s.Pods[slices.Index(s.Pods, p)] = &q
	}
	for _, p := range gone {
		for i, b := range s.DisruptionBudgets {
			if (twin{ClusterState: s}).covers(b, p) && !slices.Contains(b.Disrupted, p.Name) {
				less := *b
				if less.Allowed > 0 {
					less.Allowed--
				}
				less.Disrupted = append(slices.Clone(less.Disrupted), p.Name)
				s.DisruptionBudgets[i] = &less
			}
		}
		put(p, func(q *preemption.Pod) { q.Termination = preemption.TerminatingByPreemption })
	}
	for _, p := range cleared {
		put(p, func(q *preemption.Pod) { q.NominatedNode = "" })
	}
	return s
}

// nominatedIn is the state with a pod nominated to a node: last there, unless it
// was before. One that is not there comes if it is nominated.
func nominatedIn(s preemption.ClusterState, p *preemption.Pod, node string) preemption.ClusterState {
	h := *p
	h.NominatedNode = node
	known := slices.Index(s.Pods, p)
	switch {
	case known >= 0 && p.NominatedNode == node:
	case known >= 0:
		s.Pods = append(slices.Delete(slices.Clone(s.Pods), known, known+1), &h)
	case node != "":
		s.Pods = append(slices.Clone(s.Pods), &h)
	}
	return s
}

// sameCluster compares two clusters by their state, by that of a cluster built
// from it, and by what they decide.
func sameCluster(t *rapid.T, what string, want, got *preemption.Cluster, s scenario) {
	t.Helper()
	if diff := cmp.Diff(want.State(), got.State()); diff != "" {
		t.Fatalf("%s: state (-want +got):\n%s", what, diff)
	}
	if diff := cmp.Diff(want.State(), newCluster(t, got.State()).State()); diff != "" {
		t.Fatalf("%s: state of a cluster built from the state (-want +got):\n%s", what, diff)
	}
	for _, p := range []*preemption.Pod{s.preemptor, {Namespace: "team", Name: "another", UID: "7", Priority: 4, Requests: preemption.Resources{preemption.CPU: 2}}} {
		for _, c := range []*preemption.Cluster{got, newCluster(t, got.State()), got.Clone()} {
			if diff := cmp.Diff(decisions(t, want, p), decisions(t, c, p)); diff != "" {
				t.Fatalf("%s: decision for %s (-want +got):\n%s", what, p, diff)
			}
		}
	}
}

// decisions are both ways to decide.
func decisions(t *rapid.T, c *preemption.Cluster, p *preemption.Pod) []any {
	e := preemption.Evaluator{}
	r, err := e.Preempt(t.Context(), c, p)
	x, errX := e.Examine(t.Context(), c, p)
	if err != nil || errX != nil {
		return []any{err != nil, errX != nil}
	}
	return []any{verdictOfResult(r), verdictOf(x), x.Message()}
}

// A decision is committed exactly if the cluster still has what it is about, and
// otherwise nothing changes.
func TestStaleCommitProperty(t *testing.T) {
	stale, fresh := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		c := newCluster(t, s.state)
		r, err := (&preemption.Evaluator{}).Preempt(t.Context(), c, s.preemptor)
		if err != nil || r.Outcome != preemption.OutcomePreempt {
			return
		}
		m := &ledgerOfUpdates{cluster: c, state: s.state}
		for range 4 {
			update := rapid.SampledFrom(slices.Sorted(maps.Keys(m.updates()))).Draw(t, "update")
			m.updates()[update](t)
		}
		// What the decision is about changes more often than by chance.
		victim := r.Victims[0].Pods[0]
		switch pick(t, "aimed at", "", "", "preemptor", "victim", "victim is gone") {
		case "preemptor":
			again := s.preemptor.Clone()
			again.UID = "another"
			_ = c.UpdatePod(again) // an error where it is not queued
		case "victim":
			again := victim.Clone()
			again.UID = "another"
			_ = c.UpdatePod(again) // an error where it has gone
		case "victim is gone":
			_ = c.RemovePod(victim.Namespace, victim.Name) // likewise
		}
		before := c.State()
		want := ""
		for _, v := range r.Victims {
			for i, p := range v.Pods {
				now := c.Pod(p.Namespace, p.Name)
				if now == nil || !sameIncarnation(now, p) || now.NodeName != v.Nodes[i].Name ||
					(now.Termination == preemption.NotTerminating) != (p.Termination == preemption.NotTerminating) {
					want = "victim " + p.String()
				}
			}
		}
		for _, p := range r.ClearNominations {
			now := c.Pod(p.Namespace, p.Name)
			if now == nil || !sameIncarnation(now, p) || !slices.Contains(c.NominatedTo(r.Node.Name), now) {
				want = "nomination of " + p.String()
			}
		}
		if now := c.Pod("team", "preemptor"); now != nil && (now.NodeName != "" || !sameIncarnation(now, r.Preemptor)) {
			want = "preemptor"
		}
		if c.Node(r.Node.Name) == nil {
			want = "node"
		}
		err = c.Commit(r)
		if (err != nil) != (want != "") {
			t.Fatalf("error %v, want one for %q", err, want)
		}
		if err == nil {
			fresh++
			return
		}
		stale++
		if !errors.Is(err, preemption.ErrStale) {
			t.Fatalf("%v is no ErrStale", err)
		}
		if diff := cmp.Diff(before, c.State()); diff != "" {
			t.Fatalf("a failed commit changed (-before +after):\n%s", diff)
		}
	})
	t.Logf("%d stale and %d fresh decisions", stale, fresh)
	wantSeen(t, stale > 0 && fresh > 0, "%d stale and %d fresh decisions", stale, fresh)
}

func sameIncarnation(a, b *preemption.Pod) bool { return a.UID == b.UID || a.UID == "" || b.UID == "" }
