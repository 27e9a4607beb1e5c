package columnar

import "testing"

// What is read ahead is of the nodes that are to be evaluated and of no others: of each the
// row, the last of its requests, a number a line, and, where some residents have to violate
// and others need not, who is covered.
func TestFetch(t *testing.T) {
	const residents = 80
	tab := New(2, true, byPriority)
	tab.SetBudget(0, 0)
	tab.DefineCover(0, []int32{0})
	requests := func(node, i int) int64 { return int64(1 + 1000*node + i) }
	for n := range blockSize + 4 {
		tab.AddNode([]int64{residents, 1 << 30})
		for i := range residents {
			cover := int32(0)
			if n%2 == 0 && i < residents/2 || n == blockSize+3 {
				cover = -1
			}
			tab.Add(n, Resident{Priority: int32(residents - i), Ref: int32(n*residents + i), Cover: cover, Seats: 1}, []int64{requests(n, i)})
		}
	}
	tab.settleAll()

	for _, test := range []struct {
		mask       uint64
		violations int64
	}{{0b1011, 0}, {0b1011, 1}, {0b0100, 1}, {0, 1}} {
		want := int64(0)
		for lane := range 4 {
			if test.mask>>lane&1 == 0 {
				continue
			}
			node := blockSize + lane
			want += residents
			for _, back := range []int{1, 17, 33, 49} {
				want += requests(node, residents-back)
			}
			if test.violations > 0 && node%2 == 0 { // the second half is covered
				for _, i := range []int{79, 63, 47} {
					want += int64(i)
				}
			}
		}
		x := search{Table: tab, Query: &Query{}, Scratch: &Scratch{}, bestNode: none}
		if x.fetch(1, test.mask, test.violations); int64(x.fetched) != want {
			t.Errorf("of nodes %b, with %d violations: %d, want %d", test.mask, test.violations, x.fetched, want)
		}
	}
}
