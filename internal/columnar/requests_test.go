package columnar

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Requests are what a plain list of them is, whatever their grains and however they
// change; where 32 bits are enough they take no more, whatever was there before.
func TestRequestsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	larges, packedAgain := 0, 0
	for range 300 {
		var q requests
		var want [][]int64
		row := func() []int64 {
			amounts := make([]int64, q.width)
			for d := range amounts {
				unit := []int64{1, 1000, 1 << 20, 1 << 31}[r.IntN(4)]
				amounts[d] = unit * []int64{0, 1, 3, math.MaxUint32}[r.IntN(4)]
			}
			return amounts
		}
		for range 60 {
			was := q.large != nil
			switch n := len(want); {
			case n > 0 && r.IntN(3) == 0:
				i := r.IntN(n)
				q.drop(i)
				want = slices.Delete(want, i, i+1)
			case n > 0 && q.width > 0 && r.IntN(4) == 0:
				i, d, to := r.IntN(n), r.IntN(int(q.width)), row()
				q.add(i, d+1, to[d]-want[i][d])
				want[i][d] = to[d]
			case q.width < MaxDimensions-1 && r.IntN(10) == 0:
				q.widen(int(q.width)+1, n)
				for i := range want {
					want[i] = append(want[i], 0)
				}
			default:
				i, amounts := r.IntN(n+1), row()
				q.insert(i, amounts)
				want = slices.Insert(want, i, amounts)
			}
			checkRequests(t, &q, want)
			if q.large != nil {
				larges++
			} else if was {
				packedAgain++
			}
		}
	}
	if larges < 1000 || packedAgain < 100 {
		t.Errorf("%d times amounts needed more than 32 bits, %d times no longer", larges, packedAgain)
	}
}

func checkRequests(t *testing.T, q *requests, want [][]int64) {
	t.Helper()
	fit := true // a grain for every dimension
	for d := range int(q.width) {
		all, largest := uint64(0), uint64(0)
		for i := range want {
			all |= uint64(want[i][d])
			largest = max(largest, uint64(want[i][d]))
		}
		for grain := uint64(1); ; grain *= 2 {
			if largest/grain <= math.MaxUint32 {
				fit = fit && all%grain == 0
				break
			}
		}
	}
	if fit != (q.large == nil) {
		t.Fatalf("in grains %t, want %t: %v", q.large == nil, fit, want)
	}
	for i := range want {
		for d := range want[i] {
			if got := q.at(i, d+1); got != want[i][d] {
				t.Fatalf("resident %d requests %d of dimension %d, want %d", i, got, d+1, want[i][d])
			}
		}
		if got := q.of(i, nil); !slices.Equal(got, want[i]) {
			t.Fatalf("resident %d requests %d, want %d", i, got, want[i])
		}
		if q.at(i, int(q.width)+1) != 0 {
			t.Fatal("something is requested beyond the width")
		}
	}
}

// Tables share no memory with what they were loaded from, nor with each other, whatever
// amounts they hold.
func TestAmountsAreTheTablesOwn(t *testing.T) {
	const nodes = 3
	odd := int64(1<<53 + 1)
	tab := New(3, false, byPriority)
	buffer := make([]int64, 4)
	tab.Load(nodes, 2*nodes, func(node int) ([]int64, []Resident, []int64) {
		copy(buffer, []int64{odd + int64(node), 1, 2, 3})
		residents := []Resident{{Priority: 2, Ref: int32(2 * node), Cover: -1, Seats: 1}, {Priority: 1, Ref: int32(2*node + 1), Cover: -1, Seats: 1}}
		return []int64{9, odd + nodes + 2, 4}, residents, buffer
	})
	allocatable := func(int) []int64 { return []int64{9, odd + nodes + 2, 4} }
	for n := range nodes {
		if got := tab.Request(n, 0, 1); got != odd+int64(n) {
			t.Fatalf("node %d: %d is requested, want %d", n, got, odd+int64(n))
		}
		tab.Hold(n, Held{Priority: 3, Ref: int32(100 + n)}, []int64{odd, 1})
	}

	k := tab.Clone(byPriority)
	for n := range nodes {
		tab.Remove(n, int32(2*n+1))
		tab.Take(n, int32(2*n), 1, -1)
		tab.Take(n, int32(100+n), 1, 7)
		tab.Hold(n, Held{Priority: 9, Ref: int32(200 + n)}, []int64{1, 1})
		if got := k.Request(n, 0, 1); got != odd+int64(n) {
			t.Errorf("node %d of the copy: %d is requested, want %d", n, got, odd+int64(n))
		}
	}
	for name, x := range map[string]*Table{"original": tab, "copy": k} {
		if err := x.Check(allocatable); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if want := []int64{odd, 1}; !slices.Equal(k.held.pods[0][0].requests, want) || k.held.weakest[0] != weakness(3) || tab.held.weakest[0] != weakness(3) {
		t.Errorf("the copy holds %v, want %v", k.held.pods[0][0].requests, want)
	}
}
