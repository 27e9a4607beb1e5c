package columnar

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/preemption/internal/best"
	"example.com/preemption/internal/score"
)

// What a search passes over is worse: it finds what evaluating every node by itself
// finds, whatever the policy. And nothing is idle where no node has room.
func TestSearchPassesOverNothingBetter(t *testing.T) {
	orders := [][]best.Criterion{
		nil, nil,
		{best.Sum, best.Violations, best.Pods},
		{best.Pods, best.Start, best.Top},
		{best.Violations, best.Top, best.Start, best.Sum},
		{best.Start},
	}
	cleared, nowhere := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 6))
		s := shape{
			levels: 1 + r.IntN(5), sizes: 1 + r.IntN(10), starts: 1 + r.IntN(20), nodes: 1 + r.IntN(3*blockSize),
			full: r.IntN(3) == 0, groups: r.IntN(3) == 0, held: r.IntN(3) == 0, blocked: r.IntN(4) == 0,
		}
		if r.IntN(2) == 0 {
			s.nodes = 1 + r.IntN(6) // what bounds a block is tight then
		}
		if r.IntN(4) > 0 {
			s.left, s.covered = []int64{0, 1, 2}[r.IntN(2):2+r.IntN(2)], r.IntN(2) == 0
		}
		tab := s.table(r)
		for range 10 {
			q := s.query(r)
			q.Policy = Policy{Best: r.IntN(4) == 0, Exact: r.IntN(3) == 0, Respect: r.IntN(3) == 0, Order: orders[r.IntN(len(orders))]}
			var scratch Scratch
			node, found := tab.Search(q, &scratch)
			wantNode, want, ok := everyNode(tab, q)
			if !ok {
				continue // callers ask nodes that take the preemptor as it is first
			}
			what := fmt.Sprintf("seed %d, %+v, %+v, %+v", seed, s, q.Demands, q.Policy)
			if scratch.Stats.Idle > 0 {
				t.Fatalf("%s: %d nodes idle, and none has room", what, scratch.Stats.Idle)
			}
			if node != wantNode || found != want {
				t.Fatalf("%s: Search = %d, %+v; want %d, %+v", what, node, found, wantNode, want)
			}
			if node < 0 {
				nowhere++
			} else {
				cleared++
			}
		}
	}
	if cleared < 300 || nowhere < 20 {
		t.Errorf("%d searches found a node and %d none, want some more", cleared, nowhere)
	}
	t.Logf("%d searches that found a node, %d none", cleared, nowhere)
}

// everyNode evaluates every node with nothing to compare with. It reports false if one
// has room as it is.
func everyNode(tab *Table, q *Query) (node int, found score.Score, ok bool) {
	node, found = none, score.Worst
	for n := range tab.Nodes() {
		var s Scratch
		x := search{Table: tab, Query: q, Scratch: &s, bestNode: none, bestScore: score.Worst}
		x.begin()
		if x.hasRoom(n) {
			return none, score.Worst, false
		}
		if cost, ok := x.clearFully(n); ok && (node == none || x.compare(&cost, &found) < 0) {
			node, found = n, cost
		}
	}
	return node, found, true
}

// Where criteria come in another order a node's bound is no worse than what clearing it
// costs, by each criterion, however many of its residents are spent.
func TestPlainBoundIsABound(t *testing.T) {
	cleared := map[int32]int{} // nodes, by how many of their residents are spent
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 8))
		s := shape{
			levels: 1 + r.IntN(5), sizes: []int{1, 3, 1000}[r.IntN(3)], starts: 1 + r.IntN(20), nodes: 1 + r.IntN(40),
			full: r.IntN(3) == 0, groups: r.IntN(4) == 0, held: r.IntN(3) == 0, left: []int64{0, 9, 9, 9, 9, 9}[r.IntN(2):],
		}
		tab := s.table(r)
		q := s.query(r)
		q.Policy = Policy{Best: r.IntN(2) == 0, Exact: r.IntN(2) == 0, Order: []best.Criterion{best.Pods, best.Sum}}
		var scratch Scratch
		tab.settle()
		x := search{Table: tab, Query: q, Scratch: &scratch, bestNode: none, bestScore: score.Worst}
		if x.begin(); x.top < 0 {
			continue
		}
		for n := range tab.Nodes() {
			bound := x.plainBound(n)
			cost, ok := x.clearFully(n)
			if !ok || len(x.evicted) == 0 {
				continue
			}
			cleared[min(tab.rows[n].spent, 2)]++
			if bound.Violations > cost.Violations || bound.Top > cost.Top || bound.Sum > cost.Sum || bound.Pods > cost.Pods || bound.Start < cost.Start {
				t.Fatalf("seed %d, %+v, node %d with %d spent: it costs %+v, and the bound is %+v", seed, s, n, tab.rows[n].spent, cost, bound)
			}
		}
	}
	for spent := range int32(3) {
		if cleared[spent] < 50 {
			t.Errorf("%d nodes with %d residents spent are cleared, want some more: %v", cleared[spent], spent, cleared)
		}
	}
}

// A block whose nodes have exactly enough with so many violations is looked into in the
// round of those.
func TestBlockThatHasJustEnough(t *testing.T) {
	for violations := int64(1); violations <= 20; violations++ {
		tab := New(2, true, byPriority)
		tab.SetBudget(0, 0)
		tab.DefineCover(0, []int32{0})
		for range 2 * blockSize {
			tab.AddNode([]int64{30, 0})
		}
		next := int32(0)
		violators := func(node int, priority int32, amount int64) {
			for range violations {
				tab.Add(node, Resident{Priority: priority, Ref: next, Cover: 0, Seats: 1}, []int64{amount})
				next++
			}
			tab.Resize(node, []int64{0, violations * amount})
		}
		violators(3, 2, 101)
		violators(blockSize+3, 1, 100) // the better, and it has what is asked for, no more
		var scratch Scratch
		node, found := tab.Search(&Query{Priority: 5, Demands: []Demand{{1, 100 * violations}, {Seat, 1}}}, &scratch)
		if node != blockSize+3 || found.Violations != violations {
			t.Errorf("Search = %d, %+v; want node %d with %d violations", node, found, blockSize+3, violations)
		}
	}
}
