package columnar

import (
	"math"
	"slices"
	"testing"

	"example.com/preemption/internal/score"
)

// A stubborn judge refuses to let one resident stay.
type stubborn struct {
	node int
	ref  int32
}

func (j *stubborn) Begin(int, bool) bool { return true }

func (j *stubborn) Accepts(node int, evicted []int32, _ bool) bool {
	return node != j.node || slices.Contains(evicted, j.ref)
}

func (j *stubborn) Remove(int32) {}
func (j *stubborn) Fits() bool   { return true }

func (j *stubborn) PutBack(ref int32, room bool) bool { return room && ref != j.ref }

// What a judge refuses leaves room for others: a node may take fewer violations with it
// than arithmetic alone comes to, so those are no reason to pass over the node. So it is
// whether a resident can be in the way or not.
func TestJudgesMayCostFewerViolations(t *testing.T) {
	for name, blocked := range map[string]func(int, int32) bool{
		"arithmetic": nil,
		"ports":      func(int, int32) bool { return false },
	} {
		t.Run(name, func(t *testing.T) {
			tab := New(2, true, byPriority)
			tab.SetBudget(0, 0)
			tab.DefineCover(0, []int32{0})
			tab.AddNode([]int64{9, 10})
			tab.AddNode([]int64{9, 10})
			under := func(node int, ref, priority int32, amount, start int64) {
				tab.Add(node, Resident{Priority: priority, Ref: ref, Cover: 0, Seats: 1, Start: start}, []int64{amount})
			}
			under(0, 0, 5, 10, 0)  // one violation, of a higher priority
			under(0, 4, 1, 0, 100) // for its start the node is looked at first
			under(1, 1, 3, 6, 0)   // stays by arithmetic, so that both of the others go
			under(1, 2, 1, 2, 0)
			under(1, 3, 1, 2, 0)

			judge := &stubborn{node: 1, ref: 1}
			q := Query{Priority: 10, Demands: []Demand{{1, 4}, {Seat, 1}}, Judge: judge, Blocked: blocked}
			var scratch Scratch
			node, found := tab.Search(&q, &scratch)
			if want := (score.Score{Violations: 1, Top: 3, Sum: score.Weight(3), Pods: 1, Highest: 3}); node != 1 || found != want {
				t.Fatalf("Search = %d, %+v; want node 1, %+v", node, found, want)
			}
			if got := tab.Evicted(node, &scratch, nil); !slices.Equal(got, []int32{1}) {
				t.Errorf("evicted %d, want pod 1 alone", got)
			}
		})
	}
}

// A cover allows what the least of its budgets does, nothing at all (-1) where none of
// those that there are has anything left, however often that is asked.
func TestAllows(t *testing.T) {
	tab := New(2, true, byPriority)
	for b, left := range []int64{0, -1, 1, math.MaxInt64, 7} {
		tab.SetBudget(int32(b), left)
	}
	covers := [][]int32{{}, {0}, {0, 1}, {0, 2}, {2}, {3, 4}, {3}, {1, 3}}
	for cover, over := range covers {
		tab.DefineCover(int32(cover), over)
	}
	x := search{Table: tab, Query: &Query{}, Scratch: &Scratch{}, bestNode: none}
	x.begin()
	for range 2 {
		for cover, want := range []int32{math.MaxInt32 - 2, -1, -1, 0, 1, 7, math.MaxInt32 - 2, 0} {
			if got := x.allows(int32(cover)); got != want {
				t.Errorf("budgets %d allow %d, want %d", covers[cover], got, want)
			}
		}
	}
}
