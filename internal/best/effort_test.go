package best

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/preemption/internal/score"
)

// TestEffort limits how many steps the search takes on nodes as full as they come:
// bounds that say less give the same answers, later. Lower a limit when you beat it.
func TestEffort(t *testing.T) {
	for name, test := range map[string]struct {
		problem func(r *rand.Rand) *Problem
		limit   int
	}{
		"one dimension":     {func(r *rand.Rand) *Problem { return hard(r, 60, 1, 3) }, 22_600},
		"three dimensions":  {func(r *rand.Rand) *Problem { return hard(r, 24, 3, 3) }, 23_400},
		"weights as freed":  {func(r *rand.Rand) *Problem { return hard(r, 26, 2, 0) }, 4_550},
		"budgets":           {func(r *rand.Rand) *Problem { return budgeted(hard(r, 24, 2, 3), false) }, 21_300},
		"budgets respected": {func(r *rand.Rand) *Problem { return budgeted(hard(r, 24, 2, 3), true) }, 18_800},
		"a spent budget": {func(r *rand.Rand) *Problem {
			p := budgeted(hard(r, 24, 2, 3), false)
			p.Left[0] = 0
			for d := range p.Missing {
				p.Missing[d] *= 2 // of all, so that the others are not always enough
			}
			return p
		}, 723_700},
		"one large unit": {func(r *rand.Rand) *Problem {
			p := hard(r, 4, 1, 3)
			p.Missing[0] = p.Amounts[1] + p.Amounts[2] + p.Amounts[3] + 1
			p.Amounts[0] = p.Missing[0]
			return p
		}, 200},
		"pods first": {func(r *rand.Rand) *Problem {
			p := hard(r, 24, 2, 3)
			p.Order = []Criterion{Pods, Start}
			return p
		}, 53_400},
		"start first": {func(r *rand.Rand) *Problem {
			p := hard(r, 24, 2, 3)
			p.Order = []Criterion{Start, Sum}
			return p
		}, 22_900},
		"start first, one priority": {func(r *rand.Rand) *Problem {
			p := hard(r, 24, 2, 1)
			p.Order = []Criterion{Start, Sum}
			return p
		}, 227_800},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			var s Solver
			steps := 0
			for range 100 {
				p := test.problem(r)
				if _, err := s.Solve(p); err != nil {
					t.Fatal(err)
				}
				steps += s.steps
			}
			if steps > test.limit {
				t.Errorf("%d steps, want at most %d", steps, test.limit)
			}
		})
	}
}

// Where all units weigh the same their number says it all: no prices are looked for.
func TestPricesOnlyWhereTheyTell(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for priorities, tell := range map[int]bool{1: false, 3: true} {
		priced := 0
		for range 50 {
			var s Solver
			if _, err := s.Solve(hard(r, 24, 3, priorities)); err != nil {
				t.Fatal(err)
			}
			if s.priced {
				priced++
			}
		}
		if (priced > 0) != tell {
			t.Errorf("%d priorities: %d of 50 searches with prices", priorities, priced)
		}
	}
}

// hard is a node full of units of some priorities, of which about a third have to go.
// With no priorities given units weigh as much as they free.
func hard(r *rand.Rand, units, dims, priorities int) *Problem {
	type pod struct {
		priority int32
		amounts  []int64
	}
	pods := make([]pod, units)
	p := &Problem{Steps: 1 << 20, Order: Default, Missing: make([]int64, dims)}
	for i := range pods {
		for d := range dims {
			a := 1 + r.Int64N(1000)
			pods[i].amounts = append(pods[i].amounts, a)
			pods[i].priority += int32(a)
			p.Missing[d] += a
		}
		if priorities > 0 {
			pods[i].priority = int32(r.IntN(priorities))
		}
	}
	slices.SortStableFunc(pods, func(a, b pod) int { return cmp.Compare(b.priority, a.priority) })
	for _, x := range pods {
		u := Unit{Cost: score.None}
		u.Cost.AddPod(x.priority, 1+r.Int64N(1000))
		p.Units = append(p.Units, u)
		p.Amounts = append(p.Amounts, x.amounts...)
	}
	for d := range p.Missing {
		p.Missing[d] /= 3
	}
	return p
}

// budgeted puts every third unit under one budget, and every fifth under another.
func budgeted(p *Problem, respect bool) *Problem {
	p.Left, p.Respect = []int64{2, 1}, respect
	for i := range p.Units {
		var cover []int32
		for b, every := range []int{3, 5} {
			if i%every == 0 {
				cover = append(cover, int32(b))
			}
		}
		if cover != nil {
			p.Units[i].Covers = [][]int32{cover}
		}
	}
	return p
}

// A solver used again has the memory of the search before: it allocates what it returns, and
// little more. Lower a limit when you beat it.
func TestSolverKeepsItsMemory(t *testing.T) {
	var s Solver
	for _, test := range []struct {
		units int
		order []Criterion
		limit float64
	}{{24, Default, 7}, {24, []Criterion{Pods, Start}, 7}, {ownRankings + 1, []Criterion{Pods, Start}, 11}} {
		p := hard(rand.New(rand.NewPCG(1, 1)), test.units, 1, 3)
		p.Order, p.Steps = test.order, 1000
		n := testing.AllocsPerRun(10, func() {
			if _, err := s.Solve(p); err != nil {
				t.Fatal(err)
			}
		})
		if n > test.limit {
			t.Errorf("%d units, order %v: %v allocations, want at most %v", test.units, test.order, n, test.limit)
		}
	}
}
