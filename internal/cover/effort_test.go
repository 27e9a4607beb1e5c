package cover

import (
	"math/rand/v2"
	"sort"
	"testing"
)

// Searches take no more steps than they need. What a bound is worth shows here alone: the
// answers are the same with a weaker one. Lower a limit when you beat it.
func TestEffort(t *testing.T) {
	for name, test := range map[string]struct {
		dims, sums, amounts int
		limit               int // of the steps that a search needs, over all
	}{
		"one dimension":    {1, 1000, 1000, 17362},
		"three dimensions": {3, 1000, 1000, 20146},
		"of one sum":       {2, 1, 1000, 7700},
		"alike":            {2, 2, 3, 11026},
	} {
		t.Run(name, func(t *testing.T) {
			var s Solver
			r := rand.New(rand.NewPCG(1, 2))
			steps := 0
			for range 50 {
				items, missing := make([]Item, 12), make([]int64, test.dims)
				for i := range items {
					items[i].Cost = Cost{Sum: 1 + int64(r.IntN(test.sums)), Count: 1 + int64(r.IntN(2)), Start: int64(r.IntN(100))}
					for d := range test.dims {
						a := int64(r.IntN(test.amounts))
						items[i].Amounts = append(items[i].Amounts, a)
						missing[d] += a
					}
				}
				for d := range missing {
					missing[d] = missing[d] * int64(1+r.IntN(2)) / 3
				}
				steps += sort.Search(1<<14, func(n int) bool { return s.Cheapest(items, missing, n).Exact })
			}
			if steps > test.limit {
				t.Errorf("%d steps, want at most %d", steps, test.limit)
			}
		})
	}
}
