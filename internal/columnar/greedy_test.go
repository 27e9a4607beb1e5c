package columnar

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/preemption/internal/score"
)

// Every node is cleared as the definition says, written out with nothing of a search: by
// pair or not, whoever violates, and whichever level the preemptor's priority falls into.
func TestGreedyIsItsDefinition(t *testing.T) {
	cleared, violating, ranges, self := 0, 0, 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		s := shape{
			levels: []int{1 + r.IntN(5), 2 * maxLevels}[r.IntN(2)], sizes: 1 + r.IntN(10), starts: 1 + r.IntN(20), nodes: 1 + r.IntN(40),
			full: r.IntN(3) == 0, groups: r.IntN(3) == 0, held: r.IntN(2) == 0,
		}
		if r.IntN(4) > 0 {
			s.left, s.covered = []int64{0, 1, 2}[r.IntN(2):2+r.IntN(2)], r.IntN(2) == 0
		}
		tab := s.table(r)
		tab.chargeAll = r.IntN(2) == 0
		spoil(r, &s, tab)
		for range 10 {
			q := s.query(r)
			q.Policy = Policy{}
			if r.IntN(4) == 0 {
				q.Self = func(ref int32) bool { return ref%3 == 0 }
				self++
			}
			tab.settle()
			x := search{Table: tab, Query: q, Scratch: &Scratch{}, bestNode: none, bestScore: score.Worst}
			x.begin()
			if x.top >= 0 && tab.levels[x.top].high >= q.Priority {
				ranges++
			}
			for n := range tab.Nodes() {
				if x.hasRoom(n) {
					continue
				}
				found, ok := x.clearFully(n)
				want, evicted, possible := defined(tab, q, n)
				if ok != possible || ok && (found != want || !slices.Equal(x.evicted, evicted)) {
					t.Fatalf("seed %d, %+v, node %d, %+v: %t %+v %d; want %t %+v %d", seed, s, n, q.Demands, ok, found, x.evicted, possible, want, evicted)
				}
				if ok {
					cleared++
					violating += int(min(want.Violations, 1))
				}
			}
		}
	}
	if cleared < 5000 || violating < 500 || ranges < 100 || self < 100 {
		t.Errorf("%d nodes cleared, %d with violations; %d searches within a level, %d by pods that are held", cleared, violating, ranges, self)
	}
}

// spoil makes what shapes are short of: amounts of more than 32 bits, and units with
// several covered pods.
func spoil(r *rand.Rand, s *shape, tab *Table) {
	for n := range tab.Nodes() {
		if r.IntN(3) == 0 {
			for _, x := range residentsOf(tab, n) {
				tab.Take(n, x.Ref, 2, []int64{1, 1 << 20, 1 << 40}[r.IntN(3)])
			}
			tab.Resize(n, []int64{0, 0, -tab.Free(n, 2)})
		}
	}
	if s.groups && len(s.left) > 0 {
		for u := range tab.units {
			unit := tab.units[u]
			unit.Covers = nil
			for range r.IntN(4) {
				unit.Covers = append(unit.Covers, int32(r.IntN(len(s.left))))
			}
			tab.SetUnit(int32(u), unit)
		}
		for n := range tab.Nodes() {
			tab.Touch(n)
		}
	}
}

// defined clears a node: all of lower priority go and charge the budgets, most important
// first; then those that violate are put back, then the others.
func defined(t *Table, q *Query, node int) (found score.Score, evicted []int32, ok bool) {
	residents := residentsOf(t, node)
	left, violations := slices.Clone(t.budgets), make([]int64, len(residents))
	have := make([]int64, len(q.Demands))
	for j, d := range q.Demands {
		have[j] = t.Free(node, d.Dim) - d.Amount
		for _, h := range t.held.pods[node] {
			switch {
			case h.Priority < q.Priority || q.Self != nil && q.Self(h.Ref):
			case d.Dim == Seat:
				have[j]--
			default:
				have[j] -= amount(h.requests, d.Dim)
			}
		}
	}
	for i := range residents {
		e := &residents[i]
		if e.Priority >= q.Priority {
			continue
		}
		for j, d := range q.Demands {
			have[j] += t.Request(node, i, d.Dim)
		}
		covers := []int32{}
		if e.Ref < 0 {
			covers = t.units[^e.Ref].Covers
		} else if e.Cover >= 0 {
			covers = []int32{e.Cover}
		}
		for _, cover := range covers {
			for _, b := range t.covers[cover] {
				if left[b]--; left[b] < 0 {
					violations[i]++
					break // a pod violates once; shapes put one budget over each
				}
			}
		}
	}
	if slices.Min(have) < 0 {
		return found, nil, false
	}

	count := int64(0)
	for _, violating := range []bool{true, false} {
		for i := range residents {
			if residents[i].Priority >= q.Priority || (violations[i] > 0) != violating {
				continue
			}
			stays := true
			for j, d := range q.Demands {
				stays = stays && t.Request(node, i, d.Dim) <= have[j]
			}
			if !stays {
				evicted = append(evicted, int32(i))
				count += violations[i]
				continue
			}
			for j, d := range q.Demands {
				have[j] -= t.Request(node, i, d.Dim)
			}
		}
	}
	slices.Sort(evicted)
	found = score.None
	for _, i := range evicted {
		if e := &residents[i]; e.Ref < 0 {
			found.Add(&t.units[^e.Ref].Cost)
		} else {
			found.AddPod(e.Priority, e.Start)
		}
	}
	found.Violations = count
	return found, evicted, len(evicted) > 0
}

// A level that is a range may have residents on either side of the preemptor's priority:
// what it knows of all of them says too much then.
func TestPriorityWithinALevel(t *testing.T) {
	for name, test := range map[string]struct {
		cover  int32 // of the lower one
		demand int64
		node   int
	}{
		"the lower one violates":      {0, 4, 0},
		"the lower one is not enough": {-1, 12, none},
	} {
		t.Run(name, func(t *testing.T) {
			tab := New(2, true, byPriority)
			tab.mostLevels = 1
			tab.SetBudget(0, 0)
			tab.DefineCover(0, []int32{0})
			tab.AddNode([]int64{9, 14})
			tab.Add(0, Resident{Priority: 5, Ref: 0, Cover: -1, Seats: 1}, []int64{10})
			tab.Add(0, Resident{Priority: 1, Ref: 1, Cover: test.cover, Seats: 1}, []int64{4})
			var s Scratch
			node, found := tab.Search(&Query{Priority: 5, Demands: []Demand{{1, test.demand}, {Seat, 1}}}, &s)
			if node != test.node || node != none && found.Violations != 1 {
				t.Errorf("Search = %d, %+v; want %d", node, found, test.node)
			}
		})
	}
}
