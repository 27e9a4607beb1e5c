package score

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What a tally says after pods have come and gone is what it says of those left,
// counted anew.
func TestTally(t *testing.T) {
	type pod struct {
		priority, rank int32
		start          int64
	}
	r := rand.New(rand.NewPCG(1, 1))
	useless := 0
	for range 2000 {
		var pods []pod
		var tally Tally
		values := 1 + r.IntN(3) // few, so that many are equal
		for range 30 {
			if n := len(pods); n > 1 && r.IntN(2) == 0 {
				i := r.IntN(n)
				p := pods[i]
				pods = append(pods[:i], pods[i+1:]...)
				if !tally.Remove(p.priority, p.rank, p.start) {
					useless++
					tally = Tally{}
					for _, p := range pods {
						tally.Add(p.priority, p.rank, p.start)
					}
				}
			} else {
				of := func() int32 { return []int32{0, math.MaxInt32, math.MinInt32}[r.IntN(values)] }
				p := pod{of(), of(), []int64{0, math.MaxInt64, math.MinInt64}[r.IntN(values)]}
				pods = append(pods, p)
				tally.Add(p.priority, p.rank, p.start)
			}
			want, rank, earliest, odd := None, int32(math.MinInt32), int64(math.MaxInt64), false
			for _, p := range pods {
				want.AddPod(p.priority, p.start)
				rank, earliest = max(rank, p.rank), min(earliest, p.start)
			}
			for _, p := range pods {
				odd = odd || p.priority != rank
			}
			if got := tally.Score(pods[0].priority); got != want || tally.Rank() != rank || tally.Earliest() != earliest || tally.Odd() != odd || tally.Pods() != len(pods) {
				t.Fatalf("%v: %+v, rank %d, earliest %d, odd %t, %d pods; want %+v, %d, %d, %t",
					pods, got, tally.Rank(), tally.Earliest(), tally.Odd(), tally.Pods(), want, rank, earliest, odd)
			}
		}
	}
	if useless == 0 {
		t.Error("no tally had to be counted anew")
	}
}
