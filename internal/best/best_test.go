package best

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"example.com/preemption/internal/score"
	"pgregory.net/rapid"
)

// drawProblem draws a small node. Small numbers from short lists make ties and
// near misses common.
func drawProblem(t *rapid.T) *Problem {
	p := &Problem{Steps: 1 << 30, Respect: rapid.Bool().Draw(t, "respect")}
	dims := rapid.IntRange(0, 3).Draw(t, "dims")
	n := rapid.IntRange(0, 9).Draw(t, "units")
	for range rapid.IntRange(0, 3).Draw(t, "budgets") {
		p.Left = append(p.Left, rapid.Int64Range(-1, 3).Draw(t, "left"))
	}
	level := int32(rapid.IntRange(0, 3).Draw(t, "spread"))
	priority := level
	wide := rapid.SampledFrom([]int32{1, 1000, 100_000_000}).Draw(t, "scale")
	odd := rapid.IntRange(1, 4).Draw(t, "odd") == 4
	for i := range n {
		u := Unit{Cost: score.None, Must: rapid.IntRange(1, 12).Draw(t, "must") == 12}
		priority = max(priority-int32(rapid.IntRange(0, 1).Draw(t, "step")), -1)
		for range rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "pods") {
			own := priority * wide
			if odd {
				own = int32(rapid.IntRange(-1, 3).Draw(t, "own"))
			}
			u.Cost.AddPod(own, rapid.SampledFrom([]int64{1, 2, 3, score.Never}).Draw(t, "start"))
			var cover []int32
			for b := range p.Left {
				if rapid.IntRange(1, 3).Draw(t, "covered") == 3 {
					cover = append(cover, int32(b))
				}
			}
			if cover != nil {
				u.Covers = append(u.Covers, cover)
			}
		}
		p.Units = append(p.Units, u)
		for d := range dims {
			p.Amounts = append(p.Amounts, rapid.Int64Range(0, 6).Draw(t, fmt.Sprint("amount ", i, d)))
		}
	}
	for range dims {
		p.Missing = append(p.Missing, rapid.Int64Range(-1, int64(2*n+1)).Draw(t, "missing"))
	}
	p.Order = rapid.Permutation(Default).Draw(t, "order")[:rapid.IntRange(1, 5).Draw(t, "criteria")]
	return p
}

// table is an oracle that has an answer for every set of units that stay.
type table struct {
	gone  uint
	stays func(gone uint) bool
}

func (o *table) PutBack(i int) error {
	if o.gone&(1<<i) == 0 {
		return fmt.Errorf("unit %d is put back twice", i)
	}
	o.gone &^= 1 << i
	return nil
}

func (o *table) Remove(i int) error {
	if o.gone&(1<<i) != 0 {
		return fmt.Errorf("unit %d is removed twice", i)
	}
	o.gone |= 1 << i
	return nil
}

func (o *table) Fits() (bool, error) { return o.stays(o.gone), nil }

// brute tries every set. Bit i of a set is unit i.
func brute(p *Problem, oracle func(uint) bool) (best []int, cost score.Score, found bool) {
	n, w := len(p.Units), len(p.Missing)
	fits := func(set uint) bool {
		for d := range w {
			sum := int64(0)
			for i := range n {
				if set&(1<<i) != 0 {
					sum += p.Amounts[i*w+d]
				}
			}
			if sum < p.Missing[d] {
				return false
			}
		}
		for i := range n {
			if p.Units[i].Must && set&(1<<i) == 0 {
				return false
			}
		}
		return oracle(set)
	}
	for set := uint(1); set < 1<<n; set++ {
		minimal := fits(set)
		for i := range n {
			minimal = minimal && (set&(1<<i) == 0 || !fits(set&^(1<<i)))
		}
		if !minimal {
			continue
		}
		var units []int
		x := score.None
		left := slices.Clone(p.Left)
		for i := range n {
			if set&(1<<i) == 0 {
				continue
			}
			units = append(units, i)
			x.Add(&p.Units[i].Cost)
			for _, cover := range p.Units[i].Covers {
				overdrawn := false
				for _, b := range cover {
					left[b]--
					overdrawn = overdrawn || left[b] < 0
				}
				if overdrawn {
					x.Violations++
				}
			}
		}
		if p.Respect && x.Violations > 0 {
			continue
		}
		if c := Compare(p.Order, &x, &cost); !found || c < 0 || c == 0 && keepsMore(units, best) {
			best, cost, found = units, x, true
		}
	}
	return best, cost, found
}

// keepsMore reports whether a keeps the first unit that they differ in.
func keepsMore(a, b []int) bool {
	for i := range 64 {
		inA, inB := slices.Contains(a, i), slices.Contains(b, i)
		if inA != inB {
			return inB
		}
	}
	return false
}

func check(t *rapid.T, p *Problem, solver *Solver, oracle func(uint) bool) {
	want, cost, found := brute(p, oracle)
	got, err := solver.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Exact || got.Found != found || found && (!slices.Equal(got.Chosen, want) || got.Score != cost) {
		t.Fatalf("%+v\ngot %+v, want %v %+v, found %v", p, got, want, cost, found)
	}
	// Nothing is better than the best, and the best is better than anything worse.
	if found {
		p.Within = &cost
		if again, _ := solver.Solve(p); again.Found {
			t.Fatalf("%+v\nwithin the best: %+v", p, again)
		}
		p.OrEqual = true
		if again, _ := solver.Solve(p); !slices.Equal(again.Chosen, want) {
			t.Fatalf("%+v\nas good as the best: %+v, want %v", p, again, want)
		}
		p.OrEqual = false
		worse := cost
		worse.Pods, worse.Sum, worse.Violations, worse.Top, worse.Start = cost.Pods+1, cost.Sum+1, cost.Violations+1, cost.Top+1, cost.Start-1
		p.Within = &worse
		if again, _ := solver.Solve(p); !slices.Equal(again.Chosen, want) {
			t.Fatalf("%+v\nwithin a worse one: %+v, want %v", p, again, want)
		}
	}
}

var solver Solver // used again and again: nothing of one search may leak into the next

func TestNumbersAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		check(t, drawProblem(t), &solver, func(uint) bool { return true })
	})
}

// Among very many units bounds are rougher, and still bounds: those that free nothing,
// and cost more than all others, are in no set.
func TestNumbersOfManyUnits(t *testing.T) {
	exact, cases := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		if len(p.Missing) == 0 {
			t.Skip("nothing can be missing")
		}
		want, cost, found := brute(p, func(uint) bool { return true })
		idle := Unit{Cost: score.None}
		idle.Cost.AddPod(math.MaxInt32, 1)
		many := *p
		many.Units = append(slices.Repeat([]Unit{idle}, ownRankings), p.Units...)
		many.Amounts = append(make([]int64, ownRankings*len(p.Missing)), p.Amounts...)
		many.Steps = 10_000
		got, err := solver.Solve(&many)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Chosen {
			got.Chosen[i] -= ownRankings
		}
		cases++
		if !got.Exact {
			return // where a start decides, say, all are looked at
		}
		exact++
		if got.Found != found || found && (!slices.Equal(got.Chosen, want) || got.Score != cost) {
			t.Fatalf("%+v\ngot %+v, want %v %+v, found %v", p, got, want, cost, found)
		}
	})
	t.Logf("%d of %d cases were settled", exact, cases)
	if exact < cases/2 {
		t.Errorf("%d of %d cases were settled, want half of them", exact, cases)
	}
}

func TestMonotoneOracleAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		n := len(p.Units)
		// Each clause says that at least one of some units has to be gone.
		clauses := rapid.SliceOfN(rapid.UintRange(1, 1<<max(n, 1)-1), 0, 4).Draw(t, "clauses")
		fits := func(gone uint) bool {
			return !slices.ContainsFunc(clauses, func(c uint) bool { return c&gone == 0 })
		}
		p.Monotone = true
		for i := range p.Units { // with an oracle, who has to go is for it to say
			if p.Units[i].Must {
				clauses, p.Units[i].Must = append(clauses, 1<<i), false
			}
		}
		o := &table{1<<n - 1, fits}
		p.Oracle = o
		if !fits(o.gone) {
			t.Skip("out of the question")
		}
		check(t, p, &solver, fits)
		if o.gone != 1<<n-1 {
			t.Fatalf("%b is gone at the end", o.gone)
		}
	})
}

func TestAnyOracleAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		n := len(p.Units)
		seed := rapid.Uint64().Draw(t, "seed")
		fits := func(gone uint) bool { return (uint64(gone)*0x9E3779B97F4A7C15^seed)*0xBF58476D1CE4E5B9>>62 == 0 }
		for i := range p.Units {
			p.Units[i].Must = false
		}
		o := &table{1<<n - 1, fits}
		p.Oracle = o
		check(t, p, &solver, fits)
		if o.gone != 1<<n-1 {
			t.Fatalf("%b is gone at the end", o.gone)
		}
	})
}

// What is known of each suffix of the units is what adding up all of it says.
func TestSuffixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		s := Solver{Problem: p, missing: p.Missing}
		for i := range p.Units {
			s.play = append(s.play, i)
		}
		s.suffixes()
		n, w := len(p.Units), len(p.Missing)
		first, must, odd := 0, 0, false // of the units that a set may begin with, how far the last is
		for i := n; i >= 0; i-- {
			total, clean := make([]int64, w), make([]int64, w)
			musts, highest, lowest, reaches := 0, int64(math.MinInt64), int64(math.MaxInt64), true
			for k := i; k < n; k++ {
				u := &p.Units[k]
				spent := slices.ContainsFunc(u.Covers, func(cover []int32) bool {
					return slices.ContainsFunc(cover, func(b int32) bool { return p.Left[b] <= 0 })
				})
				for d, a := range p.amounts(k) {
					total[d] += a
					if !spent {
						clean[d] += a
					}
				}
				if u.Must {
					musts++
				}
				highest, lowest = max(highest, u.Cost.Highest), min(lowest, u.Cost.Highest)
				odd = odd || u.Cost.Top != u.Cost.Highest || k > i && p.Units[i].Cost.Top < u.Cost.Highest
			}
			for d := range w {
				reaches = reaches && total[d] >= p.Missing[d]
			}
			if must = musts; i < n && reaches {
				first = max(first, i)
			}
			if !slices.Equal(s.total[i*w:i*w+w], total) || !slices.Equal(s.clean[i*w:i*w+w], clean) || s.musts[i] != musts || s.highest[i] != highest || s.lowest[i] != lowest {
				t.Fatalf("%+v\nfrom %d on: %d, clean %d, %d must, %d to %d; want %d, %d, %d, %d to %d", p, i,
					s.total[i*w:i*w+w], s.clean[i*w:i*w+w], s.musts[i], s.lowest[i], s.highest[i], total, clean, musts, lowest, highest)
			}
		}
		if s.odd != odd {
			t.Fatalf("%+v\nodd: %t, want %t", p, s.odd, odd)
		}
		if i := slices.IndexFunc(p.Units, func(u Unit) bool { return u.Must }); must > 0 {
			first = min(first, i)
		}
		for i := range n + 1 {
			top := int64(math.MaxInt64)
			for k := i; k < n && k <= first; k++ {
				top = min(top, p.Units[k].Cost.Top)
			}
			if s.tops[i] != top {
				t.Fatalf("%+v\na set that begins at %d or behind has a top of %d, want %d", p, i, s.tops[i], top)
			}
		}
	})
}
