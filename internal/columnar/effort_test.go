package columnar

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"

	"example.com/preemption/internal/best"
	"example.com/preemption/internal/score"
)

// Searches look at no more than they need. What a bound is worth shows here alone: the
// answers are the same with a weaker one. Lower a limit when you beat it by far.
func TestEffort(t *testing.T) {
	for name, test := range map[string]struct {
		shape
		limit Stats // over all queries
	}{
		"priorities":          {shape{levels: 4, sizes: 10, starts: 50}, Stats{Blocks: 422, Nodes: 1039, Evaluated: 439}},
		"one priority":        {shape{levels: 1, sizes: 10, starts: 50}, Stats{Blocks: 485, Nodes: 5579, Evaluated: 1189}},
		"identical":           {shape{levels: 1, sizes: 1, starts: 5}, Stats{Blocks: 160, Nodes: 5795, Evaluated: 362}},
		"more than levels":    {shape{levels: 3 * maxLevels, sizes: 10, starts: 50}, Stats{Blocks: 319, Nodes: 1876, Evaluated: 267}},
		"lowest priority":     {shape{levels: 3, lowest: math.MinInt32, sizes: 10, starts: 50}, Stats{Blocks: 505, Nodes: 3472, Evaluated: 2909}},
		"large and small":     {shape{levels: 3, sizes: 1000, starts: 3}, Stats{Blocks: 297, Nodes: 1270, Evaluated: 377}},
		"budgets":             {shape{levels: 3, sizes: 10, starts: 50, left: []int64{0, 2, 9}}, Stats{Blocks: 370, Nodes: 1161, Evaluated: 528}},
		"spent budget":        {shape{levels: 3, sizes: 10, starts: 50, left: []int64{0}, covered: true}, Stats{Blocks: 369, Nodes: 500, Evaluated: 335}},
		"almost all covered":  {shape{levels: 2, sizes: 10, starts: 50, left: []int64{0, 1}, covered: true}, Stats{Blocks: 607, Nodes: 2015, Evaluated: 730}},
		"groups":              {shape{levels: 3, sizes: 10, starts: 50, groups: true}, Stats{Blocks: 502, Nodes: 1558, Evaluated: 766}},
		"groups, budgets":     {shape{levels: 3, sizes: 10, starts: 50, groups: true, left: []int64{0, 2}}, Stats{Blocks: 397, Nodes: 1152, Evaluated: 580}},
		"many nominated":      {shape{levels: 4, sizes: 10, starts: 50, held: true}, Stats{Blocks: 418, Nodes: 1283, Evaluated: 527}},
		"seats":               {shape{levels: 4, sizes: 10, starts: 50, full: true}, Stats{Blocks: 403, Nodes: 866, Evaluated: 776}},
		"seats, spent budget": {shape{levels: 4, sizes: 10, starts: 50, full: true, left: []int64{0}, covered: true}, Stats{Blocks: 330, Nodes: 539, Evaluated: 363}},
		"order":               {shape{levels: 3, sizes: 10, starts: 50, left: []int64{0, 2}, policy: Policy{Order: []best.Criterion{best.Sum, best.Violations}}}, Stats{Blocks: 0, Nodes: 0, Evaluated: 24422}},
		"order, best":         {shape{levels: 3, sizes: 10, starts: 50, left: []int64{0, 2}, policy: Policy{Best: true, Order: []best.Criterion{best.Pods, best.Sum}}}, Stats{Blocks: 0, Nodes: 0, Evaluated: 33177}},
		"best":                {shape{levels: 3, sizes: 10, starts: 50, left: []int64{0, 2}, policy: Policy{Best: true}}, Stats{Blocks: 371, Nodes: 1047, Evaluated: 626}},
		"exact":               {shape{levels: 3, sizes: 10, starts: 50, left: []int64{0, 2}, policy: Policy{Exact: true}}, Stats{Blocks: 375, Nodes: 1075, Evaluated: 770}},
		"respect":             {shape{levels: 3, sizes: 10, starts: 50, left: []int64{0, 2}, policy: Policy{Respect: true}}, Stats{Blocks: 372, Nodes: 1052, Evaluated: 610}},
		"fit tests":           {shape{levels: 4, sizes: 10, starts: 50, blocked: true}, Stats{Blocks: 516, Nodes: 1789, Evaluated: 1195}},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 5))
			sum := Stats{}
			for range 4 {
				tab := test.table(r)
				var s Scratch
				for range 40 {
					q := test.query(r)
					tab.Search(q, &s)
					sum.Blocks += s.Stats.Blocks
					sum.Nodes += s.Stats.Nodes
					sum.Evaluated += s.Stats.Evaluated
				}
			}
			for _, x := range [][2]int{{sum.Blocks, test.limit.Blocks}, {sum.Nodes, test.limit.Nodes}, {sum.Evaluated, test.limit.Evaluated}} {
				if x[0] > x[1] || x[0] < x[1]*9/10 {
					t.Errorf("%+v, want at most %+v, and not much less", sum, test.limit)
				}
			}
		})
	}
}

// A shape is what the nodes of a table are like.
type shape struct {
	levels        int   // priorities
	lowest        int32 // of the priorities
	sizes, starts int   // how many there are
	left          []int64
	covered       bool // by budgets, almost all; otherwise a third
	groups        bool // of which some residents are parts
	held, blocked bool
	full          bool // of seats: where a pod comes another goes
	nodes         int  // 0: four blocks and a large part of one
	policy        Policy
}

func (s shape) priority(r *rand.Rand) int32 { return s.lowest + int32(r.IntN(s.levels)) }

func (s shape) table(r *rand.Rand) *Table {
	const units = 40
	nodes := cmp.Or(s.nodes, 5*blockSize-9)
	tab := New(3, false, byPriority)
	for b, left := range s.left {
		tab.SetBudget(int32(b), left)
		tab.DefineCover(int32(b), []int32{int32(b)})
	}
	priorities := make([]int32, units)
	for u := range priorities {
		priorities[u] = s.priority(r)
		x := Unit{Cost: score.None}
		for range 1 + r.IntN(3) {
			x.Cost.AddPod(priorities[u], int64(r.IntN(s.starts)))
		}
		if len(s.left) > 0 && r.IntN(3) == 0 {
			x.Covers = append(x.Covers, int32(r.IntN(len(s.left))))
		}
		tab.SetUnit(int32(u), x)
	}
	next := int32(0)
	for n := range nodes {
		tab.AddNode([]int64{20, 0, 0})
		for range 4 + r.IntN(6) {
			x := Resident{Priority: s.priority(r), Ref: next, Cover: -1, Seats: 1, Start: int64(r.IntN(s.starts))}
			next++
			if len(s.left) > 0 && r.IntN(8) < 3 != s.covered {
				x.Cover = int32(r.IntN(len(s.left)))
			}
			if u := int32(r.IntN(8 * units)); s.groups && u < units && tab.rows[n].indexOf(^u) < 0 {
				x = Resident{Priority: priorities[u], Ref: ^u, Cover: -1, Seats: 1, Start: tab.units[u].Cost.Start}
			}
			tab.Add(n, x, []int64{1 + int64(r.IntN(s.sizes)), int64(r.IntN(3))})
		}
		if s.held && r.IntN(2) == 0 {
			tab.Hold(n, Held{Priority: s.priority(r), Ref: -1 - int32(n)}, []int64{int64(r.IntN(s.sizes)), 1})
		}
		seats := int64(0)
		if s.full {
			seats = -tab.Free(n, Seat)
		}
		tab.Resize(n, []int64{seats, int64(r.IntN(1+s.sizes)) - tab.Free(n, 1), int64(r.IntN(3)) - tab.Free(n, 2)})
	}
	return tab
}

func (s shape) query(r *rand.Rand) *Query {
	q := &Query{Priority: s.priority(r) + 1, Demands: []Demand{{1, 1 + int64(r.IntN(4*s.sizes))}}}
	if r.IntN(2) == 0 {
		q.Demands = append(q.Demands, Demand{2, 1 + int64(r.IntN(4))})
	}
	q.Demands = append(q.Demands, Demand{Seat, 1})
	q.Policy = s.policy
	if s.blocked {
		q.Blocked = func(node int, ref int32) bool { return (int32(node)+ref)%5 == 0 }
	}
	return q
}

// Where one victim that violates for sure is enough, only such residents' starts can
// win: those of others, however late, make no node worth a look.
func TestEffortOfOneSpentVictim(t *testing.T) {
	tab := New(3, false, byPriority)
	tab.SetBudget(0, 0)
	tab.DefineCover(0, []int32{0})
	r := rand.New(rand.NewPCG(1, 7))
	best, latest := 0, int64(-1)
	for n := range 4 * blockSize {
		tab.AddNode([]int64{20, 0, 0})
		start := r.Int64N(1000)
		if start > latest {
			best, latest = n, start
		}
		tab.Add(n, Resident{Priority: 1, Ref: int32(4 * n), Cover: 0, Seats: 1, Start: start}, []int64{10, 0})
		for i := range 3 {
			tab.Add(n, Resident{Priority: 1, Ref: int32(4*n + i + 1), Cover: -1, Seats: 1, Start: 1000 + r.Int64N(1000)}, []int64{1, 0})
		}
		tab.Resize(n, []int64{0, -tab.Free(n, 1), 0})
	}

	var s Scratch
	node, found := tab.Search(&Query{Priority: 2, Demands: []Demand{{1, 10}, {Seat, 1}}}, &s)
	if node != best || found.Violations != 1 || found.Pods != 1 || found.Start != latest {
		t.Fatalf("node %d at %+v, want node %d with one violator from %d", node, found, best, latest)
	}
	if s.Stats.Nodes != 1 {
		t.Errorf("%d nodes were looked at, want one", s.Stats.Nodes)
	}
}
