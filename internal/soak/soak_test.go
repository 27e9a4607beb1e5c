// Package soak keeps one cluster under random events for as long as it is told to:
//
//	go test ./internal/soak -v -events 1000000
//	go test ./internal/soak -race -v -events 100000
//
// There is a cluster for each release, which has its share of the events.
// Pods, nodes, budgets and groups come, change and go, nominations are made,
// decisions committed, clones taken, changed and gone on with. In between several
// goroutines ask questions, of the cluster and of a clone that changes meanwhile.
// Every thousand events the cluster is compared with one built afresh, and memory
// has to stay what it was.
package soak

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/world"
)

var events = flag.Int("events", 10_000, "how many events the cluster goes through")

const (
	askers   = 3    // goroutines that ask questions at a time
	interval = 1000 // events between two comparisons with a fresh cluster
	mostPods = 150
	maxNodes = 6
)

// A soak is a cluster that has been through a lot.
type soak struct {
	*testing.T
	*world.World
	cluster   *preemption.Cluster
	decisions int
	committed int
	outcomes  map[preemption.Outcome]int
	asked     [askers]*preemption.Pod // last
}

func TestSoak(t *testing.T) {
	releases := preemption.Releases()
	for i, release := range releases {
		t.Run(release.String(), func(t *testing.T) {
			w := world.New(world.Seeded(uint64(1+i), 31))
			c, err := preemption.NewCluster(w.State(release))
			if err != nil {
				t.Fatal(err)
			}
			s := &soak{T: t, World: w, cluster: c, outcomes: map[preemption.Outcome]int{}}
			s.run(*events / len(releases))
		})
	}
}

func (s *soak) run(events int) {
	var memory []uint64
	done := 0
	for done < events {
		for next := done + interval; done < next; {
			done += s.change()
			s.ask()
		}
		s.compare(done)
		memory = append(memory, inUse())
	}
	s.Logf("%d events, %d decisions (%v), %d committed", done, s.decisions, s.outcomes, s.committed)
	for _, o := range []preemption.Outcome{preemption.OutcomeFits, preemption.OutcomeUnhelpful, preemption.OutcomePreempt} {
		if s.outcomes[o] < s.decisions/100 {
			s.Errorf("%d of %d decisions are %v, want some", s.outcomes[o], s.decisions, o)
		}
	}

	// The second half of the time takes no more memory than the first.
	early, late := highest(memory[:(len(memory)+1)/2]), highest(memory[len(memory)/2:])
	s.Logf("memory in use, at most: %d KiB early, %d KiB late", early>>10, late>>10)
	if late > early+early/4+1<<20 {
		s.Errorf("%d KiB in use late, %d early", late>>10, early>>10)
	}
}

// change makes some events and returns how many. The cluster stays small.
func (s *soak) change() int {
	n := 1 + s.Choose(8)
	for range n {
		s.Change(s.cluster)
	}
	for pods := s.Known(s.cluster); len(pods) > mostPods; pods = s.Known(s.cluster) {
		p := pods[s.Choose(len(pods))]
		if err := s.cluster.RemovePod(p.Namespace, p.Name); err != nil {
			s.Fatal(err)
		}
	}
	for nodes := s.cluster.Nodes(); len(nodes) > maxNodes; nodes = s.cluster.Nodes() {
		leaves := nodes[s.Choose(len(nodes))]
		for _, p := range slices.Clone(s.cluster.PodsOn(leaves)) {
			if err := s.cluster.RemovePod(p.Namespace, p.Name); err != nil {
				s.Fatal(err)
			}
		}
		if err := s.cluster.RemoveNode(leaves.Name); err != nil {
			s.Fatal(err)
		}
	}
	s.Nodes = s.Nodes[:0]
	for _, node := range s.cluster.Nodes() {
		s.Nodes = append(s.Nodes, node.Name)
	}
	return n
}

// ask has several goroutines decide at a time, while a clone is changed, and
// commits one of the decisions. At times the clone is what goes on.
func (s *soak) ask() {
	known := s.Known(s.cluster)
	for i, p := range s.asked {
		s.asked[i] = s.Again(p, func() *preemption.Pod { return s.Preemptor(known) })
	}
	clone, was := s.cluster.Clone(), ""
	if s.OneIn(20) {
		was = world.Describe(s.cluster)
	}
	results := make([]*preemption.Result, askers)
	var wait sync.WaitGroup
	for i, p := range s.asked {
		wait.Add(1)
		go func() {
			defer wait.Done()
			results[i] = s.decide(i, p)
		}()
	}
	s.Change(clone)
	wait.Wait()

	// Neither the questions nor the changes of the clone left a trace.
	if was != "" && world.Describe(s.cluster) != was {
		s.Fatalf("the cluster has changed:\n%s\nwas\n%s", world.Describe(s.cluster), was)
	}
	for _, r := range results {
		if r != nil {
			s.decisions++
			s.outcomes[r.Outcome]++
		}
	}
	if s.OneIn(10) {
		s.cluster = clone
	}
	if r := results[0]; r != nil && s.OneIn(3) && s.cluster.Commit(r) == nil {
		s.committed++
	}
}

// decide asks one question in the way of the i-th asker. Who is known already or
// has a node is refused, which is an answer too.
func (s *soak) decide(i int, p *preemption.Pod) *preemption.Result {
	ctx := context.Background()
	switch i {
	case 0:
		r, _ := (&preemption.Evaluator{}).Preempt(ctx, s.cluster, p)
		return r
	case 1:
		r, _ := (&preemption.Evaluator{Victims: preemption.VictimsBest, Budgets: preemption.BudgetsRespected}).Preempt(ctx, s.cluster, p)
		return r
	}
	x, err := (&preemption.Evaluator{Parallelism: 2}).Examine(ctx, s.cluster, p)
	if err != nil {
		return nil
	}
	return &x.Result
}

// compare holds the cluster against one that is built afresh of the same objects.
func (s *soak) compare(done int) {
	s.Helper()
	fresh, err := preemption.NewCluster(s.cluster.State())
	if err != nil {
		s.Fatalf("after %d events: %v", done, err)
	}
	tell := func(c *preemption.Cluster) string { return fmt.Sprint(world.Describe(c), c.Warnings()) }
	if a, b := tell(s.cluster), tell(fresh); a != b {
		s.Fatalf("after %d events:\n%s\nafresh:\n%s", done, a, b)
	}
	known := s.Known(s.cluster)
	for range 20 {
		p := s.Preemptor(known)
		for _, e := range []preemption.Evaluator{{}, {Victims: preemption.VictimsBest}, {Budgets: preemption.BudgetsRespected}} {
			r, errR := e.Preempt(context.Background(), s.cluster, p)
			f, errF := e.Preempt(context.Background(), fresh, p)
			if a, b := world.Decision(r, errR), world.Decision(f, errF); a != b {
				s.Fatalf("after %d events: %+v: %s\nafresh: %s\n%s", done, *p, a, b, world.Describe(s.cluster))
			}
		}
	}
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func highest(list []uint64) (most uint64) {
	for _, x := range list {
		most = max(most, x)
	}
	return most
}
