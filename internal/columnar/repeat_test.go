package columnar

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/preemption/internal/score"
)

// A search that remembers answers as one that does not, whatever happens to the table
// in between.
func TestRepeatedQueriesAnswerAsFresh(t *testing.T) {
	recalled := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		tab := New(3, r.IntN(2) == 0, byPriority)
		for b := range int32(3) {
			tab.SetBudget(b, int64(r.IntN(4)))
		}
		tab.DefineCover(0, []int32{0})
		tab.DefineCover(1, []int32{1})
		tab.DefineCover(2, []int32{1, 2})
		closed := map[int]bool{}
		at := map[int32]int{}
		next := int32(0)
		add := func(node int) {
			x := Resident{Priority: int32(r.IntN(4)), Ref: next, Cover: int32(max(r.IntN(8)-5, -1)), Seats: 1, Start: int64(r.IntN(50))}
			tab.Add(node, x, []int64{int64(r.IntN(10)), int64(r.IntN(10))})
			at[next] = node
			next++
		}
		for n := range 30 + r.IntN(3*blockSize) {
			tab.AddNode([]int64{20, 0, 0})
			for range 4 + r.IntN(8) {
				add(n)
			}
			// Little is left, so that mostly no preemptor fits as it is.
			tab.Resize(n, []int64{0, int64(r.IntN(12)) - tab.Free(n, 1), int64(r.IntN(12)) - tab.Free(n, 2)})
		}
		queries := [2]Query{}
		for i := range queries {
			queries[i] = Query{Priority: int32(2 + r.IntN(3)), Demands: []Demand{{1, int64(10 + r.IntN(20))}, {2, int64(1 + r.IntN(20))}, {Seat, 1}},
				Open: func(node int) bool { return !closed[node] }, Kind: 1}
		}
		var kept Scratch
		for range 120 {
			q := queries[max(r.IntN(8)-6, 0)]
			if r.IntN(12) == 0 {
				q.Kind = 0 // one that is like no other comes in between
			}
			var scratch Scratch
			node, score := tab.Search(&q, &kept)
			if kept.Stats.Blocks == 0 && node >= 0 {
				recalled++
			}
			alone := q
			alone.Kind = 0
			wantNode, wantScore := tab.Search(&alone, &scratch)
			if node != wantNode || score != wantScore || node < 0 && kept.Stats.Idle > 0 != (scratch.Stats.Idle > 0) {
				t.Fatalf("seed %d: Search = %d, %+v, idle %d; want %d, %+v, idle %d", seed, node, score, kept.Stats.Idle, wantNode, wantScore, scratch.Stats.Idle)
			}
			if node < 0 {
				break
			}
			if got, want := tab.Evicted(node, &kept, nil), tab.Evicted(node, &scratch, nil); !slices.Equal(got, want) {
				t.Fatalf("seed %d: node %d: evicted %v, want %v", seed, node, got, want)
			}

			// The preemptor is nominated, as a rule, and sometimes something else happens,
			// often where it matters: on the node that was the best.
			somewhere := func() int {
				if r.IntN(2) == 0 {
					return node
				}
				return r.IntN(tab.Nodes())
			}
			if r.IntN(10) > 0 {
				tab.Hold(node, Held{Priority: q.Priority, Ref: next}, []int64{q.Demands[0].Amount, q.Demands[1].Amount})
				next++
			}
			switch r.IntN(14) {
			case 0:
				add(somewhere())
			case 1:
				for ref, node := range at {
					tab.Remove(node, ref)
					delete(at, ref)
					break
				}
			case 2:
				b := int32(r.IntN(3))
				if tab.SetBudget(b, int64(r.IntN(3))) {
					for n := range tab.Nodes() {
						for cover := range tab.covers {
							tab.TouchCovered(n, int32(cover))
						}
					}
				}
			case 3:
				tab.AddNode([]int64{20, 60, 60})
				add(tab.Nodes() - 1)
			case 4:
				n := somewhere()
				closed[n] = !closed[n]
				tab.Resize(n, []int64{0, int64(r.IntN(5)), 0})
			case 5:
				for ref, node := range at {
					tab.SetCover(node, ref, int32(r.IntN(4))-1)
					break
				}
			case 6:
				tab.AddNode([]int64{1, 1, 1})
				tab.RemoveNode(tab.Nodes() - 1)
			}
		}
	}
	if recalled < 100 {
		t.Errorf("%d answers without a search, want some more", recalled)
	}
}

// The second of two alike queries in a row begins to remember, and from the third on
// there is mostly nothing to search. One that is not remembered begins that anew.
func TestWhichQueriesAreRecalled(t *testing.T) {
	tab := New(2, false, byPriority)
	for n := range int32(3 * blockSize) {
		tab.AddNode([]int64{10, 10})
		for i := range int32(3) {
			tab.Add(int(n), Resident{Priority: 1 + i, Ref: 3*n + i, Cover: -1, Seats: 1, Start: int64(n)}, []int64{3})
		}
	}
	var s Scratch
	var searched []bool
	for _, kind := range []int64{1, 1, 1, 1, 2, 2, 2, 0, 2, 2, 2, 2} {
		q := &Query{Priority: 5, Demands: []Demand{{1, 4}, {Seat, 1}}, Kind: kind}
		tab.Search(q, &s)
		searched = append(searched, s.Stats.Blocks > 0)
	}
	if want := []bool{true, true, false, false, true, true, false, true, true, true, false, false}; !slices.Equal(searched, want) {
		t.Errorf("searched: %t, want %t", searched, want)
	}
}

// What is popped comes best first, of equals the first node, whatever was pushed when.
func TestBestFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for range 300 {
		var h bestFirst
		var want []nodeScore
		for node := range int32(40) {
			e := nodeScore{score.Score{Sum: int64(r.IntN(9))}, node}
			h.push(e)
			want = append(want, e)
			slices.SortFunc(want, func(a, b nodeScore) int {
				return cmp.Or(cmp.Compare(a.score.Sum, b.score.Sum), cmp.Compare(a.node, b.node))
			})
			if r.IntN(3) == 0 {
				if got := h.pop(); got != want[0] {
					t.Fatalf("pop = %+v, want %+v", got, want[0])
				}
				want = want[1:]
			}
		}
		for _, e := range want {
			if got := h.pop(); got != e {
				t.Fatalf("pop = %+v, want %+v", got, e)
			}
		}
		if len(h) > 0 {
			t.Fatalf("%d are left", len(h))
		}
	}
}

// A journal knows the last changes, as many as longest at least and twice as many at
// most: what nobody asks for does not pile up.
func TestJournal(t *testing.T) {
	var j journal
	var all []int32
	for i := range int32(5*longest + 7) {
		j.note(int(i))
		all = append(all, i)
		if len(j.nodes) > 2*longest {
			t.Fatalf("after %d changes %d are kept", len(all), len(j.nodes))
		}
		if i%999 > 0 {
			continue
		}
		for _, back := range []int{0, 1, longest, 2 * longest, 3 * longest} {
			if back > len(all) {
				break
			}
			got, ok := j.since(uint64(len(all)-back), nil)
			if !ok && back <= longest || ok && back > 2*longest {
				t.Fatalf("after %d changes: since %d before that: %t", len(all), back, ok)
			}
			if ok && !slices.Equal(got, all[len(all)-back:]) {
				t.Fatalf("after %d changes: the last %d are wrong", len(all), back)
			}
		}
	}

	// Once any node may have changed, only what comes after that is known.
	before := j.count
	j.forget()
	after := j.count
	for i := range int32(3) {
		if _, ok := j.since(before, nil); ok {
			t.Errorf("knows of a time at which any node changed, %d changes before", i)
		}
		j.note(int(i))
	}
	if got, ok := j.since(after, nil); !ok || !slices.Equal(got, []int32{0, 1, 2}) {
		t.Errorf("since then: %v, %t", got, ok)
	}
}
