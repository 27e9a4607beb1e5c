package cover

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// world makes small random inputs in which ties and tight fits are frequent.
type world struct{ *rand.Rand }

func (w world) cost() Cost {
	c := Cost{Sum: int64(w.IntN(6)), Count: int64(1 + w.IntN(2)), Start: int64(w.IntN(5))}
	if w.IntN(4) == 0 {
		c.Sum = 3 // as of pods of one priority
	}
	if w.IntN(3) == 0 {
		c.Start = math.MaxInt64
	}
	return c
}

func (w world) items(dims int) []Item {
	items := make([]Item, w.IntN(9))
	alike := w.IntN(4) == 0 // but for the starts, which then decide
	for i := range items {
		items[i].Cost = w.cost()
		if alike {
			items[i].Cost = Cost{Sum: 3, Count: 1, Start: int64(w.IntN(20))}
		}
		for range dims {
			items[i].Amounts = append(items[i].Amounts, int64(w.IntN(5)))
		}
	}
	if alike {
		slices.SortFunc(items, func(a, b Item) int { return slices.Compare(b.Amounts, a.Amounts) })
	}
	return items
}

func (w world) missing(dims int) []int64 {
	missing := make([]int64, dims)
	for d := range missing {
		missing[d] = int64(w.IntN(14)) - 2
	}
	return missing
}

// each calls f for every set of n things.
func each(n int, f func(chosen []int)) {
	for set := range 1 << n {
		var chosen []int
		for i := range n {
			if set&(1<<i) != 0 {
				chosen = append(chosen, i)
			}
		}
		f(chosen)
	}
}

func covers(items []Item, missing []int64, chosen []int) bool {
	left := slices.Clone(missing)
	for _, i := range chosen {
		take(left, items[i].Amounts)
	}
	return enough(left)
}

func costOf(items []Item, chosen []int) Cost {
	c := Nothing
	for _, i := range chosen {
		c = c.Plus(items[i].Cost)
	}
	return c
}

// TestCheapest compares with all sets, and bounds with the cheapest of them.
func TestCheapest(t *testing.T) {
	var solver Solver
	var bounds Bounds
	solved, impossible, cut, inexact := 0, 0, 0, 0
	for seed := range uint64(20_000) {
		w := world{rand.New(rand.NewPCG(seed, 1))}
		dims := 1 + w.IntN(3)
		items, missing := w.items(dims), w.missing(dims)
		best, possible := Cost{}, false
		each(len(items), func(chosen []int) {
			if c := costOf(items, chosen); covers(items, missing, chosen) && (!possible || c.Compare(best) < 0) {
				best, possible = c, true
			}
		})

		bounds.Set(items, dims)
		bound, ok := bounds.Cost(missing)
		if possible && (!ok || bound.Compare(best) > 0) {
			t.Fatalf("seed %d: bound %v, %t of %v", seed, bound, ok, best)
		}
		if !possible {
			impossible++
			continue
		}

		limits := []int{math.MaxInt}
		if w.IntN(3) == 0 {
			// Of the searches for one set any may be the one that is cut short.
			for steps := range 12 {
				limits = append(limits, steps)
			}
		}
		for _, steps := range limits {
			got := solver.Cheapest(items, missing, steps)
			if !covers(items, missing, got.Chosen) || costOf(items, got.Chosen) != got.Cost || !slices.IsSorted(got.Chosen) {
				t.Fatalf("seed %d: %v is no set that is enough of %v", seed, got, items)
			}
			if got.Exact && got.Cost != best || got.Cost.Compare(best) < 0 || steps == math.MaxInt && !got.Exact {
				t.Fatalf("seed %d: %v after %d steps, want %v", seed, got, steps, best)
			}
			for i := range got.Chosen {
				if less := slices.Delete(slices.Clone(got.Chosen), i, i+1); covers(items, missing, less) && costOf(items, less).Compare(got.Cost) < 0 {
					t.Fatalf("seed %d: %v without %d is enough", seed, got, got.Chosen[i])
				}
			}
			solved++
			if steps < math.MaxInt {
				cut++
			}
			if !got.Exact {
				inexact++
			}
		}
	}
	t.Logf("%d solved, %d impossible, %d with few steps, %d of them not exact", solved, impossible, cut, inexact)
	if solved < 20_000 || inexact < 5000 || inexact > cut*9/10 {
		t.Error("the inputs do not try everything")
	}
}

// A bound is what it takes by the largest amounts, and by the start of those that can be
// in a set of no more than that.
func TestBounds(t *testing.T) {
	var bounds Bounds
	possible, late := 0, 0
	for seed := range uint64(5000) {
		w := world{rand.New(rand.NewPCG(seed, 4))}
		dims := 1 + w.IntN(3)
		items, missing := w.items(dims), w.missing(dims)
		largest := make([][]int64, dims) // sums of so many
		for d := range largest {
			var amounts []int64
			for _, x := range items {
				amounts = append(amounts, x.Amounts[d])
			}
			slices.SortFunc(amounts, func(a, b int64) int { return cmp.Compare(b, a) })
			largest[d] = []int64{0}
			for m, a := range amounts {
				largest[d] = append(largest[d], largest[d][m]+a)
			}
		}
		short := func(k int, more Item) bool {
			for d := range missing {
				if largest[d][k]+more.Amounts[d] < missing[d] {
					return true
				}
			}
			return false
		}
		k := 0
		for k <= len(items) && short(k, Item{Amounts: make([]int64, dims)}) {
			k++
		}
		bounds.Set(items, dims)
		got, ok := bounds.Cost(missing)
		if ok != (k <= len(items)) {
			t.Fatalf("seed %d: %t, want %d of %d items", seed, ok, k, len(items))
		}
		if !ok || k == 0 {
			if ok && got != Nothing {
				t.Fatalf("seed %d: %v, want nothing", seed, got)
			}
			continue
		}
		possible++
		sum, count := int64(math.MaxInt64), int64(math.MaxInt64)
		for _, x := range items {
			sum, count = min(sum, x.Cost.Sum), min(count, x.Cost.Count)
		}
		var starts []int64
		for _, x := range items {
			if x.Cost.Sum == sum && x.Cost.Count == count && !short(k-1, x) {
				starts = append(starts, x.Cost.Start)
			}
		}
		want := Cost{int64(k) * sum, int64(k) * count, math.MinInt64}
		if len(starts) >= k {
			slices.Sort(starts)
			want.Start = starts[len(starts)-k]
			late++
		}
		if got != want {
			t.Fatalf("seed %d: %v, want %v of %v", seed, got, want, items)
		}
	}
	if possible < 1500 || late < 500 {
		t.Errorf("%d bounds, %d with a start, want more", possible, late)
	}
}

func costOfPicks(nodes [][]Option, picks []int) Cost {
	cost := Nothing
	for j, k := range picks {
		if k >= 0 {
			cost = cost.Plus(nodes[j][k].Cost)
		}
	}
	return cost
}

// TestDistribute compares with all distributions.
func TestDistribute(t *testing.T) {
	placed, impossible, excluded := 0, 0, 0
	for seed := range uint64(20_000) {
		w := world{rand.New(rand.NewPCG(seed, 2))}
		nodes := make([][]Option, w.IntN(5))
		for j := range nodes {
			for range w.IntN(4) {
				nodes[j] = append(nodes[j], Option{1 + w.IntN(4), w.cost()})
			}
		}
		n := w.IntN(8)
		best, possible := Cost{}, false
		var place func(j, n int, c Cost)
		place = func(j, n int, c Cost) {
			if j == len(nodes) {
				if n == 0 && (!possible || c.Compare(best) < 0) {
					best, possible = c, true
				}
				return
			}
			place(j+1, n, c)
			for _, o := range nodes[j] {
				place(j+1, n-o.Count, c.Plus(o.Cost))
			}
		}
		place(0, n, Nothing)

		picks, ok := Distribute(nodes, n)
		if ok != possible {
			t.Fatalf("seed %d: %t, want %t", seed, ok, possible)
		}
		if !ok {
			impossible++
			continue
		}
		count, cost := 0, costOfPicks(nodes, picks)
		for j, k := range picks {
			if k >= 0 {
				count += nodes[j][k].Count
			}
		}
		if count != n || cost != best {
			t.Fatalf("seed %d: %v places %d of %d at %v, want %v", seed, picks, count, n, cost, best)
		}
		placed++

		// What is cut off is not missed.
		rate := int64(math.MaxInt64)
		for _, options := range nodes {
			for _, o := range options {
				rate = min(rate, o.Cost.Sum/int64(o.Count))
			}
		}
		if n == 0 {
			continue
		}
		cutoff := NewCutoff(n, rate, best.Sum+int64(w.IntN(2)))
		for j := range nodes {
			nodes[j] = slices.DeleteFunc(nodes[j], func(o Option) bool {
				x := cutoff.Excludes(o.Count, o.Cost.Sum)
				if x {
					excluded++
				}
				return x
			})
		}
		picks, ok = Distribute(nodes, n)
		if again := costOfPicks(nodes, picks); !ok || again != best {
			t.Fatalf("seed %d: %v after the cutoff, want %v", seed, again, best)
		}
	}
	if placed < 5000 || impossible < 2000 || excluded < 2000 {
		t.Errorf("%d placed, %d impossible, %d options excluded", placed, impossible, excluded)
	}
}

// TestLeast compares with sorting everything, and counts what it asks for.
func TestLeast(t *testing.T) {
	spared := 0
	for seed := range uint64(5000) {
		w := world{rand.New(rand.NewPCG(seed, 3))}
		costs, bounds := make([]Cost, w.IntN(12)), make([]Cost, 12)
		bounds = bounds[:len(costs)]
		for i := range costs {
			costs[i] = w.cost()
			bounds[i] = costs[i]
			bounds[i].Sum -= int64(w.IntN(3))
		}
		n := 1 + w.IntN(6)
		var known []Cost // those asked for, cheapest first
		got := Least(n, bounds, func(i int) Cost {
			if len(known) >= n && bounds[i].Compare(known[n-1]) >= 0 {
				t.Fatalf("seed %d: asked what one costs that cannot be among the %d, %v of %v", seed, n, known[:n], bounds[i])
			}
			known = append(known, costs[i])
			slices.SortFunc(known, Cost.Compare)
			return costs[i]
		})
		want := all(len(costs))
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Or(costs[a].Compare(costs[b]), bounds[a].Compare(bounds[b])) })
		want = want[:min(n, len(want))]
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		spared += len(costs) - len(known)
	}
	if spared < 2000 {
		t.Errorf("%d costs were not asked for, want more", spared)
	}
}
