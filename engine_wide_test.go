package preemption

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var wide = flag.Int("wide", 2000, "how many decisions on clusters of several blocks the engine and its twin are compared on")

// TestEngineIsItsTwinOnManyNodes holds the engine against the composable path on
// clusters that take several blocks of nodes, with few pods a node, so that
// whole blocks are skipped.
func TestEngineIsItsTwinOnManyNodes(t *testing.T) {
	tally := tally{}
	for seed := uint64(0); tally.decisions < *wide; seed++ {
		w := &world{chooser: evenChooser{rand.New(rand.NewPCG(seed, 7))}}
		w.holdManyAgainstTwin(seeded{t, seed}, tally.count)
	}
	t.Logf("%d decisions, %d by the engine: %v", tally.decisions, tally.fast, tally.outcomes)
	if tally.outcomes["preempt"] < tally.decisions/3 {
		t.Errorf("%d of %d decisions preempt, want one in three", tally.outcomes["preempt"], tally.decisions)
	}
}

func (w *world) holdManyAgainstTwin(t failer, count func(fast bool, outcome string)) {
	t.Helper()
	c, err := NewCluster(w.manyNodes(Release(w.choose(4))))
	if err != nil {
		t.Fatalf("%v", err)
	}
	for range 8 {
		p := w.preemptor(nil)
		p.Priority, p.PreemptionPolicy = pick[int32](w, 2, 50, 1000), PreemptLowerPriority
		p.Requests[CPU] = int64(2+w.choose(7)) * 500
		for _, e := range w.evaluators() {
			count(compareTwins(t, e, c, p))
		}
		for range 1 + w.choose(8) {
			w.change(c)
		}
	}
}

// manyNodes makes a cluster of up to eight blocks whose nodes are nearly full, so
// that few preemptors fit as it is. One cluster in five has more priorities than
// the engine has levels.
func (w *world) manyNodes(r Release) ClusterState {
	s := ClusterState{Release: r}
	uneven := w.oneIn(2) // starts all over the place, or few of them
	priorities := pick(w, []int32{0}, []int32{0, 1}, []int32{0, 1, 10, 100}, []int32{-5, 0, 3, 1000}, manyPriorities())
	covered, grouped := w.choose(3) == 0, w.choose(3) == 0
	for i := range 65 + w.choose(450) {
		n := w.node(fmt.Sprint("n", i))
		n.Allocatable = Resources{CPU: 4000, Memory: 8, PodCount: 110}
		s.Nodes = append(s.Nodes, n)
		w.nodes = append(w.nodes, n.Name)
		for used := int64(0); used < 3500; {
			p := w.pod(fmt.Sprint("p", i, "-", used))
			p.Priority, p.NodeName, p.HostPorts = pick(w, priorities...), n.Name, nil
			p.Requests = Resources{CPU: min(int64(1+w.choose(4))*500, 4000-used), Memory: int64(w.choose(2))}
			if uneven {
				p.Start = time.Unix(int64(w.choose(100_000)), 0)
			}
			if !grouped {
				p.Group = ""
			}
			used += p.Requests[CPU]
			s.Pods = append(s.Pods, p)
			w.pods = append(w.pods, p.Name)
		}
	}
	if grouped {
		for _, ns := range []string{"a", "b"} {
			for i := range w.choose(4) {
				s.PodGroups = append(s.PodGroups, w.group(ns, fmt.Sprint("g", i)))
			}
		}
	}
	if covered {
		for i := range 1 + w.choose(4) {
			b := w.budget(fmt.Sprint("b", i))
			b.Allowed = pick[int32](w, 0, 1, 2, 100)
			s.DisruptionBudgets = append(s.DisruptionBudgets, b)
		}
	}
	return s
}

func manyPriorities() []int32 {
	many := make([]int32, 120)
	for i := range many {
		many[i] = int32(i)
	}
	return many
}
