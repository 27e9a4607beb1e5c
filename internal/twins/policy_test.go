package twins

import (
	"math/rand/v2"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/world"
)

// holdPolicies decides by both paths with policies, changes the cluster, and decides
// again.
func holdPolicies(t failer, w *world.World, c *preemption.Cluster, preemptor func() *preemption.Pod, count func(bool, string)) {
	t.Helper()
	var p *preemption.Pod
	for range 4 {
		p = w.Again(p, preemptor)
		for _, e := range w.Policies() {
			count(compareTwins(t, e, c, p))
		}
		for range 1 + w.Choose(4) {
			w.Change(c)
		}
	}
}

// TestPoliciesAreTheirTwins holds policies in the engine against the functions, and
// both against definitions, on small clusters of every release.
func TestPoliciesAreTheirTwins(t *testing.T) {
	tally := tally{}
	for seed := *first; tally.decisions < *decisions/20; seed++ {
		w := world.New(world.Seeded(seed, 3))
		holdSmallPolicies(seeded{t, seed}, w, tally.count)
	}
	t.Logf("%d decisions, %d by the engine: %v", tally.decisions, tally.fast, tally.outcomes)
	tally.want(t, tally.fast, 0.5, "are made by the engine")
}

func holdSmallPolicies(t failer, w *world.World, count func(bool, string)) {
	t.Helper()
	c, err := preemption.NewCluster(w.State(preemption.Release(w.Choose(4))))
	if err != nil {
		return // overcommitted beyond what sums can hold, a duplicate, ...
	}
	holdPolicies(t, w, c, func() *preemption.Pod { return w.Preemptor(w.Known(c)) }, count)
}

// TestPoliciesAreTheirTwinsOnManyNodes does so on clusters that take several
// blocks of nodes.
func TestPoliciesAreTheirTwinsOnManyNodes(t *testing.T) {
	tally := tally{}
	for seed := *first; tally.decisions < *wide/10; seed++ {
		w := world.New(world.Seeded(seed, 9))
		c, err := preemption.NewCluster(w.ManyNodes(preemption.Release(w.Choose(4))))
		if err != nil {
			t.Fatalf("%v", err)
		}
		holdPolicies(seeded{t, seed}, w, c, func() *preemption.Pod {
			p := w.Preemptor(nil)
			p.Priority, p.PreemptionPolicy = world.Pick[int32](w, 2, 50, 1000), preemption.PreemptLowerPriority
			p.Requests[preemption.CPU] = int64(2+w.Choose(7)) * 500
			return p
		}, tally.count)
	}
	t.Logf("%d decisions, %d by the engine: %v", tally.decisions, tally.fast, tally.outcomes)
}

func FuzzPolicies(f *testing.F) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 5))
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(r.IntN(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		holdSmallPolicies(t, world.New(world.FromBytes(data)), func(bool, string) {})
	})
}
