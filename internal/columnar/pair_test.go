package columnar

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Residents are gone through by pair as by the loops for any dimensions.
func TestPairsAreTheirTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	cuts, out := 0, 0
	for range 5000 {
		tab := New(4, false, byPriority)
		tab.AddNode([]int64{20, 0, 0, 0})
		n, unit := 1+r.IntN(12), []int64{1, 1 << 20, 1 << 30}[r.IntN(3)]
		for i := range n {
			size := func() int64 { return unit * []int64{0, 1, 2, 3, 5, 1 << 31}[r.IntN(5+r.IntN(5)/4)] }
			tab.Add(0, Resident{Priority: int32(r.IntN(3)), Ref: int32(i), Cover: -1, Seats: 1, Start: r.Int64N(9)}, []int64{size(), size(), size()})
		}
		tab.Resize(0, []int64{0, -tab.Free(0, 1), -tab.Free(0, 2), -tab.Free(0, 3)})
		q := Query{Priority: int32(1 + r.IntN(3))}
		for _, d := range r.Perm(3)[:1+r.IntN(2)] {
			q.Demands = append(q.Demands, Demand{d + 1, 1 + r.Int64N(20*unit)})
		}
		tab.settle()
		row := &tab.rows[0]

		most := []int64{r.Int64N(4), math.MaxInt64}[r.IntN(5)/4]

		// The same lineup twice: all of the row, or some of it, by pair and one by one.
		line := everybody(row)
		if r.IntN(2) == 0 {
			line = lineup{row: row}
			for i := n - 1; i >= 0; i-- {
				if r.IntN(4) > 0 {
					line.indices = append(line.indices, int32(i))
				}
			}
		}
		run := func(grain func(dim int) uint8, cut func(*search) int, take func(*search, int) bool) (first int, slack []int64, taken bool, evicted []int32) {
			x := search{Table: tab, Query: &q, Scratch: &Scratch{}, bestNode: none}
			if !x.shortages(0) || len(x.short) == 0 {
				return none, nil, false, nil
			}
			if first = cut(&x); first == none {
				return none, nil, false, nil
			}
			for _, s := range x.short {
				slack = append(slack, s.slack>>grain(s.dim))
			}
			taken = take(&x, first)
			return first, slack, taken, x.evicted
		}
		first, slack, taken, evicted := run(
			func(int) uint8 { return 0 },
			func(x *search) int { p := x.pairOf(&line); return p.cut() },
			func(x *search, first int) bool { return x.takePair(&line, first, most) })
		first2, slack2, taken2, evicted2 := run(
			func(dim int) uint8 { return row.requests.shift[dim-1] },
			func(x *search) int { return x.cutAny(&line) },
			func(x *search, first int) bool { return x.takeAny(&line, first, most) })
		if first != first2 || !slices.Equal(slack, slack2) || taken != taken2 || taken && !slices.Equal(evicted, evicted2) {
			t.Fatalf("%v of %v, %v: by pair %d %v %v %v, one by one %d %v %v %v",
				q.Demands, row.requests.all(), line.indices, first, slack, taken, evicted, first2, slack2, taken2, evicted2)
		}
		if first != none {
			cuts++
			if !taken {
				out++
			}
		}
	}
	if cuts < 1000 || out < 300 || out > cuts-300 {
		t.Errorf("%d rows with a first victim, %d of them beyond the limit", cuts, out)
	}
}
