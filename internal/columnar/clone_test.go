package columnar

import "testing"

// A copy takes as many pieces of memory however many rows there are: what they hold is
// laid out in pieces of the right size.
func TestClonePieces(t *testing.T) {
	pieces := func(nodes int) float64 {
		tab := New(2, false, byPriority)
		tab.SetBudget(0, 1)
		tab.DefineCover(0, []int32{0})
		for n := range int32(nodes) {
			tab.AddNode([]int64{20, 100})
			for i := range int32(4) {
				tab.Add(int(n), Resident{Priority: i, Ref: 4*n + i, Cover: 0, Seats: 1}, []int64{10})
				tab.Hold(int(n), Held{Priority: i, Ref: -1 - 4*n - i}, []int64{1})
			}
		}
		return testing.AllocsPerRun(10, func() { tab.Clone(byPriority) })
	}
	if few, many := pieces(2*blockSize), pieces(20*blockSize); few != many {
		t.Errorf("%.0f pieces for few rows, %.0f for many", few, many)
	}
}
