package columnar

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Requests are what a plain list of them is, whatever their units and however they
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
			case q.width < maxWidth && r.IntN(10) == 0:
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
	fit := true // a unit for every dimension
	for d := range int(q.width) {
		all, largest := uint64(0), uint64(0)
		for i := range want {
			all |= uint64(want[i][d])
			largest = max(largest, uint64(want[i][d]))
		}
		for unit := uint64(1); ; unit *= 2 {
			if largest/unit <= math.MaxUint32 {
				fit = fit && all%unit == 0
				break
			}
		}
	}
	if fit != (q.large == nil) {
		t.Fatalf("in units %t, want %t: %v", q.large == nil, fit, want)
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
