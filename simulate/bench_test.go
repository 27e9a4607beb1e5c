package simulate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"example.com/preemption"
	"example.com/preemption/internal/replay"
	"example.com/preemption/internal/workload"
)

// BenchmarkSimulate plays so many events of a full cluster, the making of the
// simulation and its report counted: pods of every priority arrive, ten a second,
// preempt and are preempted, and every victim is re-created.
func BenchmarkSimulate(b *testing.B) {
	for _, size := range []struct{ nodes, pods, events int }{{1000, 30, 10_000}, {10_000, 50, 100_000}} {
		b.Run(fmt.Sprintf("nodes=%d/pods=%d/events=%d", size.nodes, size.pods, size.events), func(b *testing.B) {
			w := fullWorld(b, workload.Shape{Nodes: size.nodes, Pods: size.pods, Budgets: 100}, size.events)
			b.ReportAllocs()
			var r *Report
			for b.Loop() {
				r = playEvents(b, w, size.events)
			}
			b.ReportMetric(float64(len(r.Events)), "lines")
			b.ReportMetric(float64(r.evictions()), "evictions")
			b.ReportMetric(r.At.Seconds(), "simulated-s")
		})
	}
}

func fullWorld(b *testing.B, shape workload.Shape, events int) World {
	c := shape.Case(1)
	state, err := replay.State(&c, preemption.Release138)
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range state.Pods {
		p.Owner = preemption.Owner{Kind: "ReplicaSet", Name: p.Labels["app"]}
		p.GracePeriod = 30 * time.Second
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 0))
	w := World{Cluster: cluster}
	for i := range events / 4 {
		like := state.Pods[rng.IntN(len(state.Pods))]
		p := *like
		p.Name, p.NodeName, p.Start = fmt.Sprintf("arrival-%d", i), "", time.Time{}
		p.UID = p.Name
		w.Arrivals = append(w.Arrivals, Arrival{time.Duration(i) * 100 * time.Millisecond, &p})
	}
	return w
}

// playEvents does that many things.
func playEvents(b *testing.B, w World, events int) *Report {
	s, err := New(w)
	if err != nil {
		b.Fatal(err)
	}
	s.ctx = context.Background()
	for range events {
		next := s.agenda.peek()
		if next == nil {
			b.Fatalf("nothing left to happen at %v", s.now)
		}
		if next.at > s.now {
			s.closeInstant()
			if s.repeats() {
				b.Fatalf("it repeats at %v", s.now)
			}
			s.now = next.at
		}
		if err := s.step(); err != nil {
			b.Fatal(err)
		}
	}
	return s.Report()
}
