package columnar

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/preemption/internal/score"
)

func byPriority(_ int, a, b Resident) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(b.Start, a.Start), cmp.Compare(b.Ref, a.Ref))
}

// TestUpdatesEqualFreshTable makes random updates, checks all that the table keeps,
// and compares it with one that is loaded afresh.
func TestUpdatesEqualFreshTable(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 0))
		tab := New(3, false, byPriority)
		tab.budgets = []int64{0, 1, 2}
		tab.covers = [][]int32{{0}, {1}, {1, 2}}
		levels := 1 + r.IntN(2*maxLevels)
		var allocatable [][]int64
		at := map[int32]int{}
		next := int32(0)
		check := func(when string) {
			t.Helper()
			if err := tab.Check(func(node int) []int64 { return allocatable[node] }); err != nil {
				t.Fatalf("seed %d: %s:\n%v", seed, when, err)
			}
		}
		for i := range 400 {
			if r.IntN(3) == 0 {
				tab.settle() // as a query does
			}
			if i%40 == 0 {
				check("between updates")
			}
			switch r.IntN(10) {
			case 0, 1:
				a := []int64{int64(r.IntN(20)), int64(r.IntN(100)), int64(r.IntN(100))}
				tab.AddNode(a)
				allocatable = append(allocatable, a)
			case 2:
				if n := len(allocatable); n > 0 {
					i := r.IntN(n)
					d := []int64{int64(r.IntN(5)), int64(r.IntN(5)), -int64(r.IntN(5))}
					tab.Resize(i, d)
					for j := range d {
						allocatable[i][j] += d[j]
					}
				}
			case 3:
				for ref, n := range at { // any one
					tab.Remove(n, ref)
					delete(at, ref)
					break
				}
			case 8:
				if n := len(allocatable); n > 0 {
					tab.Hold(r.IntN(n), Held{Priority: int32(r.IntN(levels)), Ref: next}, []int64{int64(r.IntN(10)), int64(r.IntN(10))})
					next++
				}
			case 9:
				for n := range tab.rows { // the first there is
					if held := tab.held.pods[n]; len(held) > 0 {
						tab.Release(n, held[r.IntN(len(held))].Ref)
						break
					}
				}
			case 4:
				b := r.IntN(3)
				if tab.SetBudget(int32(b), int64(r.IntN(3))) {
					for n := range allocatable {
						for cover := range tab.covers {
							tab.TouchCovered(n, int32(cover))
						}
					}
				}
			default:
				if n := len(allocatable); n > 0 {
					i := r.IntN(n)
					x := Resident{Priority: int32(r.IntN(levels)), Ref: next, Cover: int32(r.IntN(4)) - 1, Seats: 1, Start: int64(r.IntN(50))}
					next++
					tab.Add(i, x, []int64{int64(r.IntN(10)), int64(r.IntN(10))})
					at[x.Ref] = i
				}
			}
		}
		for i := len(allocatable) - 1; i >= 0; i-- {
			if len(tab.rows[i].residents) == 0 && r.IntN(2) == 0 {
				tab.RemoveNode(i)
				allocatable = slices.Delete(allocatable, i, i+1)
			}
		}
		check("after updates")
		updated := describeButTops(tab) // which may be above since budgets came to be spent
		for n := range allocatable {
			tab.Touch(n)
		}
		if again := describeButTops(tab); again != updated {
			t.Fatalf("seed %d:\nupdated\n%s\nrefreshed\n%s", seed, updated, again)
		}
		if err := checkTops(tab); err != nil {
			t.Fatalf("seed %d: refreshed: %v", seed, err)
		}
		fresh := New(3, false, byPriority)
		fresh.budgets, fresh.covers = tab.budgets, tab.covers
		fresh.Load(len(allocatable), tab.residents, func(node int) ([]int64, []Resident, []int64) {
			return allocatable[node], residentsOf(tab, node), allRequests(tab, node)
		})
		tab.Relay() // the same levels
		check("after the levels were laid out anew")
		if a, b := describe(tab), describe(fresh); a != b {
			t.Fatalf("seed %d:\nupdated\n%s\nfresh\n%s", seed, a, b)
		}
	}
}

// checkTops says where tops are not of the residents that may be clean alone, as they are
// of rows that have been computed.
func checkTops(tab *Table) error {
	c := checker{t: tab}
	for node := range tab.rows {
		for k := range tab.levels {
			l := &tab.levels[k]
			clean := func(x *Resident) bool { return x.Priority <= l.high && !c.spent(x) }
			for d := Seat + 1; d < tab.dims; d++ {
				c.top(&tab.rows[node], node, d, &l.tops, clean, clean, fmt.Sprint("level ", k))
			}
		}
	}
	return errors.Join(c.wrong...)
}

// residentsOf lists the residents of a node.
func residentsOf(t *Table, node int) []Resident {
	var list []Resident
	for _, x := range t.Residents(node, 0) {
		list = append(list, x)
	}
	return slices.Clip(list)
}

// allRequests returns what the residents of a node request in all dimensions.
func allRequests(t *Table, node int) (all []int64) {
	for i := range residentsOf(t, node) {
		for d := 1; d < t.Dims(); d++ {
			all = append(all, t.Request(node, i, d))
		}
	}
	return all
}

// A group comes before pods of its priority, whenever it started. So where one goes,
// the start of the first victim among all bounds nothing.
func TestStartsBesideGroups(t *testing.T) {
	groupsFirst := func(node int, a, b Resident) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(min(b.Ref, 0), min(a.Ref, 0)), byPriority(node, a, b))
	}
	tab := New(2, true, groupsFirst)
	tab.SetBudget(0, 0)
	tab.DefineCover(0, []int32{0})
	none, spent := int32(-1), int32(0)
	tab.AddNode([]int64{9, 16})
	tab.Add(0, Resident{Priority: 1, Ref: 0, Cover: none, Seats: 1, Start: 20}, []int64{10})
	tab.Add(0, Resident{Priority: 1, Ref: 1, Cover: spent, Seats: 1, Start: 200}, []int64{6})

	// With the first of the two spent pods back, which is older than all on the other
	// node, there is no room for the group.
	tab.AddNode([]int64{9, 22})
	group := score.None
	group.AddPod(1, 100)
	tab.SetUnit(0, Unit{Cost: group})
	tab.Add(1, Resident{Priority: 1, Ref: ^0, Cover: none, Seats: 1, Start: 100}, []int64{10})
	tab.Add(1, Resident{Priority: 1, Ref: 2, Cover: spent, Seats: 1, Start: 5}, []int64{6})
	tab.Add(1, Resident{Priority: 1, Ref: 3, Cover: spent, Seats: 1, Start: 50}, []int64{6})

	var scratch Scratch
	node, found := tab.Search(&Query{Priority: 2, Demands: []Demand{{1, 12}, {Seat, 1}}}, &scratch)
	if want := []int32{^0, 3}; node != 1 || found.Start != 50 || !slices.Equal(tab.Evicted(node, &scratch, nil), want) {
		t.Errorf("Search = %d, %+v, evicted %v; want node 1, start 50, evicted %v", node, found, tab.Evicted(node, &scratch, nil), want)
	}
}

// Rows may wait whose residents have come to violate for sure: a search finds what it
// finds in a table that is loaded afresh, and so do all until none waits any more.
func TestRowsThatWaitDoNotMatter(t *testing.T) {
	waited := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		tab := New(3, r.IntN(2) == 0, byPriority)
		nodes, ref := 100+r.IntN(100), int32(0)
		for b := range int32(3) {
			tab.SetBudget(b, int64(1+r.IntN(2)))
			tab.DefineCover(b, []int32{b, (b + 1) % 3}[:1+r.IntN(2)])
		}
		allocatable := make([][]int64, nodes)
		for n := range allocatable {
			tab.AddNode([]int64{20, 0, 0})
			for range 3 + r.IntN(6) {
				x := Resident{Priority: int32(r.IntN(3)), Ref: ref, Cover: int32(r.IntN(5) - 1), Seats: 1, Start: int64(r.IntN(50))}
				x.Cover = min(x.Cover, 2)
				tab.Add(n, x, []int64{int64(r.IntN(10)), int64(r.IntN(10))})
				ref++
			}
			more := []int64{0, int64(r.IntN(6)) - tab.Free(n, 1), int64(r.IntN(6)) - tab.Free(n, 2)}
			tab.Resize(n, more)
			allocatable[n] = []int64{20, more[1], more[2]}
		}
		var reused [2]Scratch
		for range 30 {
			b := int32(r.IntN(3))
			if tab.SetBudget(b, int64(max(r.IntN(5)-3, 0))) {
				for n := range nodes {
					for cover, over := range tab.covers {
						if slices.Contains(over, b) {
							tab.TouchCovered(n, int32(cover))
						}
					}
				}
			}
			if n := r.IntN(nodes); len(tab.rows[n].residents) > 0 && r.IntN(2) == 0 {
				tab.Remove(n, tab.rows[n].residents[0].ref)
			}
			fresh := New(3, tab.chargeAll, byPriority)
			fresh.budgets, fresh.covers = tab.budgets, tab.covers
			fresh.Load(nodes, tab.residents, func(n int) ([]int64, []Resident, []int64) {
				return allocatable[n], residentsOf(tab, n), allRequests(tab, n)
			})
			// Two at a time, which both begin with rows that are stale.
			var queries [2]Query
			var best [2]int
			var scores [2]score.Score
			var both sync.WaitGroup
			for i := range queries {
				q := &queries[i]
				*q = Query{Priority: int32(1 + r.IntN(3)), Demands: []Demand{{1, int64(5 + r.IntN(20))}, {2, int64(1 + r.IntN(20))}, {Seat, 1}}}
				q.Policy.Respect, q.Policy.Exact = r.IntN(4) == 0, r.IntN(4) == 0
				both.Add(1)
				go func() {
					defer both.Done()
					best[i], scores[i] = tab.Search(q, &reused[i])
				}()
			}
			both.Wait()
			for i := range queries {
				var scratch Scratch
				if node, found := fresh.Search(&queries[i], &scratch); node != best[i] || found != scores[i] {
					t.Fatalf("seed %d: Search = %d, %+v; want %d, %+v", seed, best[i], scores[i], node, found)
				}
				waited += min(len(tab.stale.later), 1)
			}
		}
		if err := tab.Check(func(n int) []int64 { return allocatable[n] }); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if waited < 1000 {
		t.Errorf("rows waited in %d searches, want some more", waited)
	}
	t.Log(waited, "searches with rows that wait")
}

// However often a row changes between two queries, it is on a list once: a table that
// nobody asks does not grow.
func TestRowsWaitOnce(t *testing.T) {
	tab := New(2, true, byPriority)
	tab.SetBudget(0, 1)
	tab.DefineCover(0, []int32{0})
	for n := range int32(2) {
		tab.AddNode([]int64{20, 10})
		for k := range int32(3) {
			tab.Add(int(n), Resident{Priority: 1, Ref: 3*n + k, Cover: 0, Seats: 1}, []int64{1})
		}
	}
	if got := tab.stale.nodes; !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("nodes %d wait, want 0 and 1", got)
	}
	tab.settleAll()
	tab.SetBudget(0, 0)
	for range 3 {
		tab.TouchCovered(0, 0)
		tab.TouchCovered(1, 0)
	}
	if got := tab.stale.later; !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("nodes %d wait for long, want 0 and 1", got)
	}
}

// Nor does one that is asked, where a budget goes below zero and back again and again.
func TestRowsWaitForLongOnce(t *testing.T) {
	const nodes = 3 * blockSize
	tab := New(2, true, byPriority)
	tab.SetBudget(0, 1)
	tab.DefineCover(0, []int32{0})
	for n := range int32(nodes) {
		tab.AddNode([]int64{20, 10})
		tab.Add(int(n), Resident{Priority: 1, Ref: n, Cover: 0, Seats: 1}, []int64{1})
	}
	tab.settleAll()
	for i := range 20 {
		tab.SetBudget(0, int64(i%2))
		for n := range nodes {
			tab.TouchCovered(n, 0)
		}
		tab.settle()
		if waiting := slices.Compact(slices.Sorted(slices.Values(tab.stale.later))); len(waiting) != len(tab.stale.later) {
			t.Fatalf("%d nodes wait for long, %d of them once", len(tab.stale.later), len(waiting))
		}
	}
	if err := tab.Check(func(int) []int64 { return []int64{20, 10} }); err != nil {
		t.Error(err)
	}
}

// What gangs read of rows is right whether or not these are stale: they ask while others
// search.
func TestStaleRowsAreReadAsTheyAre(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	tab := New(2, true, byPriority)
	tab.SetBudget(0, 0)
	tab.DefineCover(0, []int32{0})
	for n := range 4 {
		tab.AddNode([]int64{100, 100})
		tab.SetUnit(int32(n), Unit{Covers: [][]int32{nil, {0}}[n%2]})
	}
	read := func() (all []string) {
		for n := range tab.Nodes() {
			all = append(all, fmt.Sprint(tab.Free(n, Seat), tab.Free(n, 1), tab.FirstBelow(n, 2)))
			for i, x := range tab.Residents(n, 0) {
				all = append(all, fmt.Sprint(x, tab.Request(n, i, Seat), tab.Request(n, i, 1), tab.Spent(&x)))
			}
		}
		return all
	}
	for ref := range int32(40) {
		x := Resident{Priority: int32(r.IntN(4)), Ref: ref, Cover: int32(r.IntN(2)) - 1, Seats: 1, Start: r.Int64N(9)}
		if ref < 4 {
			x.Ref, x.Cover, x.Seats = ^ref, -1, 2+ref
		}
		tab.Add(int(ref)%4, x, []int64{r.Int64N(5)})
		stale := read()
		if !tab.stale.waiting.Load() {
			t.Fatal("no row is stale")
		}
		tab.settleAll()
		if fresh := read(); !slices.Equal(stale, fresh) {
			t.Fatalf("after resident %v:\nstale %v\nfresh %v", x, stale, fresh)
		}
	}
}

// A resident that is said to have changed, and has not, makes nothing stale, wherever in
// its row it is.
func TestWhatStaysIsNotStale(t *testing.T) {
	tab := New(2, true, byPriority)
	tab.AddNode([]int64{20, 10})
	for ref := range int32(3) {
		tab.Add(0, Resident{Priority: ref, Ref: ref, Cover: -1, Seats: 1}, []int64{1})
	}
	tab.settleAll()
	for ref := range int32(3) {
		x := Resident{Priority: ref, Ref: ref, Cover: -1, Seats: 1}
		if tab.Change(0, x, nil, 0, false); len(tab.stale.nodes) > 0 {
			t.Fatalf("resident %d stays, and its row is stale", ref)
		}
		if tab.Change(0, x, nil, 0, true); !slices.Equal(tab.stale.nodes, []int32{0}) {
			t.Fatalf("resident %d is stale, and the rows that wait are %d", ref, tab.stale.nodes)
		}
		tab.settleAll()
	}
}

// What a search looks at does not depend on the order in which rows came to wait.
func TestRowsThatWaitInAnyOrder(t *testing.T) {
	stats := func(order func(nodes []int)) (all []Stats) {
		r := rand.New(rand.NewPCG(1, 4))
		tab := New(2, true, byPriority)
		tab.SetBudget(0, 1)
		tab.DefineCover(0, []int32{0})
		nodes := make([]int, 150)
		for n := range nodes {
			nodes[n] = n
			tab.AddNode([]int64{20, 10})
			for k := range int32(3) {
				tab.Add(n, Resident{Priority: 1, Ref: int32(3*n) + k, Cover: k%2 - 1, Seats: 1, Start: int64(r.IntN(1000))}, []int64{[]int64{1, 9, 1}[k]})
			}
		}
		tab.settle()
		tab.SetBudget(0, 0)
		order(nodes)
		for _, n := range nodes {
			tab.TouchCovered(n, 0)
		}
		var scratch Scratch
		for i := range 8 {
			tab.Touch(i)
			tab.Search(&Query{Priority: 2, Demands: []Demand{{1, 9}, {Seat, 1}}}, &scratch)
			all = append(all, scratch.Stats)
		}
		return all
	}
	if a, b := stats(func([]int) {}), stats(slices.Reverse[[]int]); !slices.Equal(a, b) {
		t.Errorf("searches looked at %v, and at %v where rows came to wait in another order", a, b)
	}
}

func describe(t *Table) string {
	var b strings.Builder
	fmt.Fprintln(&b, describeButTops(t))
	for i := range t.levels {
		for _, d := range t.levels[i].tops.dims {
			for c := range d.cells {
				fmt.Fprintln(&b, d.cells[c][:min(t.Nodes(), blockSize)], d.peak[c])
			}
		}
	}
	return b.String()
}

func describeButTops(t *Table) string {
	t.settleAll()
	var b strings.Builder
	fmt.Fprintln(&b, t.spent, t.odd, t.residents)
	planes := map[string]*plane{"free": &t.free, "sum": &t.spentSum}
	for i := range t.levels {
		l := &t.levels[i]
		planes[fmt.Sprint("clean", i)], planes[fmt.Sprint("latest", i)], planes[fmt.Sprint("late", i)] = &l.clean, &l.latest, &l.late
		fmt.Fprintln(&b, l.low, l.high, l.count)
	}
	for _, name := range []string{"free", "sum", "clean0", "latest0", "late0", "late1", "clean1", "latest1", "clean31", "latest31"} {
		if p := planes[name]; p != nil {
			for n := range p.nodes {
				for d := range p.dims {
					fmt.Fprint(&b, p.at(n, d), " ")
				}
			}
			for d := range p.dims {
				fmt.Fprintln(&b, name, p.dims[d].peak)
			}
		}
	}
	return b.String()
}

// TestTopsBound compares fewest, reach and most with the exact numbers.
func TestTopsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		n := r.IntN(40)
		var all, largest []int64
		unit := []int64{1, 1000, 1 << 30, 1 << 50}[r.IntN(4)]
		for range n {
			x := int64(r.IntN(100)) * unit
			all = append(all, x)
			largest = enter(largest, x)
		}
		slices.SortFunc(all, func(a, b int64) int { return cmp.Compare(b, a) })
		tp := newTops(2, 1)
		tp.set(0, 1, largest)
		missing := int64(1+r.IntN(2000)) * unit
		sum, exact := int64(0), int64(-1)
		for m, x := range all {
			if sum += x; sum >= missing {
				exact = int64(m + 1)
				break
			}
		}
		got, in := tp.fewest(0, 1, missing), tp.fewestIn(0, 1, missing)
		if exact >= 0 && got > exact {
			t.Fatalf("%v: fewest for %d = %d, want at most %d", all, missing, got, exact)
		}
		for m, n := range topCounts { // no sum that is kept says more
			if have := sumOf(all[:min(n, len(all))]); have > 0 && have < missing-missing>>15 {
				least := max(int64(n)+1, int64(float64(missing)/float64(have)*float64(n)*(1-1.0/(1<<15))))
				if got < least || in != got {
					t.Fatalf("%v: fewest for %d = %d, in the block %d, want at least %d by sum %d", all, missing, got, in, least, m)
				}
			}
		}
		for count := int64(1); count <= 40; count++ {
			top := sumOf(all[:min(int(count), len(all))])
			w := reachOf(count)
			if bound := tp.lanes(0, 1, w.index)[0] * w.factor; bound < float32(top) {
				t.Fatalf("%v: reach of %d is %v, want at least %d", all, count, bound, top)
			}
			most, in := tp.most(0, 1, count), tp.mostIn(0, 1, count)
			if most < top || float64(most) > average(all, w.index)*float64(count)*(1+1.0/(1<<15)) || in != most {
				t.Fatalf("%v: the %d largest sum up to %d; most says %d, mostIn %d", all, count, top, most, in)
			}
		}
	}
}

// average returns how much the topCounts[i] largest are on average, and missing ones
// nothing.
func average(all []int64, i int) float64 {
	return float64(sumOf(all[:min(topCounts[i], len(all))])) / float64(topCounts[i])
}

func sumOf(amounts []int64) (total int64) {
	for _, x := range amounts {
		total += x
	}
	return total
}

// Where all request the same, the number that it takes is no bound but exact.
func TestTopsOfEquals(t *testing.T) {
	for amount := range int64(4) {
		tp := newTops(2, 1)
		tp.set(0, 1, []int64{amount, amount, amount, amount, amount, amount, amount, amount})
		for want := int64(1); want <= 8; want++ {
			missing := want * amount
			if amount == 0 {
				missing, want = 5, 1 // nothing is known of how many nothings it takes
			}
			if got, in := tp.fewest(0, 1, missing), tp.fewestIn(0, 1, missing); got != want || in != want {
				t.Errorf("%d of %d each: fewest = %d, %d in the block", missing, amount, got, in)
			}
			if most := tp.most(0, 1, want); most < missing && amount > 0 || most > amount*want {
				t.Errorf("%d of %d each have at most %d", want, amount, most)
			}
			if amount == 0 {
				break
			}
		}
	}
}

// A dimension that is added and given a meaning is as if it had been there from the
// beginning.
func TestRedefineEqualsFreshTable(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		nodes, levels := 1+r.IntN(3*blockSize), 1+r.IntN(2*maxLevels)
		grown, fresh := New(2, false, byPriority), New(3, false, byPriority)
		for _, x := range []*Table{grown, fresh} {
			x.budgets, x.covers = []int64{0, 1}, [][]int32{{0}, {1}}
		}
		allocatable, third := make([]int64, nodes), map[int32]int64{}
		ref := int32(0)
		for n := range nodes {
			allocatable[n] = int64(r.IntN(50))
			grown.AddNode([]int64{20, 100})
			fresh.AddNode([]int64{20, 100, allocatable[n]})
			for range r.IntN(6) {
				x := Resident{Priority: int32(r.IntN(levels)), Ref: ref, Cover: int32(r.IntN(3)) - 1, Seats: 1, Start: int64(r.IntN(50))}
				q := int64(r.IntN(10))
				third[ref] = int64(r.IntN(4))
				grown.Add(n, x, []int64{q})
				fresh.Add(n, x, []int64{q, third[ref]})
				ref++
			}
			grown.Hold(n, Held{Priority: 1, Ref: ref}, []int64{1})
			fresh.Hold(n, Held{Priority: 1, Ref: ref}, []int64{1, 2})
			ref++
		}
		grown.Grow()
		grown.Redefine(2, func(node int) int64 { return 7 + 3*allocatable[node] }) // of another resource, which goes
		grown.Redefine(2, func(node int) int64 { return allocatable[node] })
		for n := range nodes {
			for _, x := range residentsOf(grown, n) {
				grown.Take(n, x.Ref, 2, third[x.Ref])
			}
			grown.Take(n, grown.held.pods[n][0].Ref, 2, 2)
		}
		if err := grown.Check(func(node int) []int64 { return []int64{20, 100, allocatable[node]} }); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if a, b := describe(grown), describe(fresh); a != b {
			t.Fatalf("seed %d:\nredefined\n%s\nfresh\n%s", seed, a, b)
		}
		for n := range nodes {
			if a, b := grown.held.pods[n][0].requests, fresh.held.pods[n][0].requests; !slices.Equal(a, b) {
				t.Fatalf("seed %d: node %d holds %v, want %v", seed, n, a, b)
			}
		}
	}
}

// A new dimension leaves every row alone in which nothing is requested of it: its memory
// stays where it is, and there is nothing to compute again.
func TestNewDimensionLeavesRowsAlone(t *testing.T) {
	const nodes = 3 * blockSize
	tab := New(2, false, byPriority)
	for n := range int32(nodes) {
		tab.AddNode([]int64{20, 100})
		for i := range int32(4) {
			tab.Add(int(n), Resident{Priority: i, Ref: 4*n + i, Cover: -1, Seats: 1}, []int64{10})
		}
		tab.Hold(int(n), Held{Priority: 1, Ref: -1 - n}, []int64{1})
	}
	tab.settle()
	before := slices.Clone(tab.rows)

	tab.Grow()
	tab.Redefine(2, func(node int) int64 { return int64(node % 3) })
	tab.Take(70, 4*70+2, 2, 1)

	for n := range nodes {
		was, is := &before[n], &tab.rows[n]
		same := is.requests.width == was.requests.width && &is.requests.small[0] == &was.requests.small[0] && tab.stale.parts[n] == fresh
		if same == (n == 70) {
			t.Errorf("node %v: the same %t, width %v after %v, stale %v", n, same, is.requests.width, was.requests.width, tab.stale.parts[n])
		}
	}
	if err := tab.Check(func(node int) []int64 { return []int64{20, 100, int64(node % 3)} }); err != nil {
		t.Error(err)
	}
	var s Scratch
	ask := &Query{Priority: 10, Demands: []Demand{{2, 1}, {Seat, 1}}, Open: func(node int) bool { return node%3 != 2 && node > 69 && node < 73 }}
	if node, _ := tab.Search(ask, &s); node != 70 || !slices.Equal(tab.Evicted(node, &s, nil), []int32{4*70 + 2}) {
		t.Errorf("Search = %d, want node 70 cleared of the pod that has what is asked for", node)
	}
}

// Where budgets are respected, a resident that may not go charges none: what one of the
// budgets over it has left is for others, whatever number that set of budgets has.
func TestRespectGivesBack(t *testing.T) {
	for first := range int32(3) {
		tab := New(2, true, byPriority)
		both, one, other := first, (first+1)%3, (first+2)%3
		tab.SetBudget(0, 1)
		tab.SetBudget(1, 1)
		for cover := range int32(3) {
			tab.DefineCover(cover, map[int32][]int32{both: {0, 1}, one: {0}, other: {1}}[cover])
		}
		tab.AddNode([]int64{10, 15})
		for ref, cover := range []int32{other, both, one} { // the least important first
			tab.Add(0, Resident{Priority: int32(ref), Ref: int32(ref), Cover: cover, Seats: 1}, []int64{5})
		}
		var scratch Scratch
		q := Query{Priority: 10, Demands: []Demand{{1, 10}, {Seat, 1}}}
		q.Policy.Respect = true
		node, _ := tab.Search(&q, &scratch)
		if node != 0 {
			t.Fatalf("cover %d is of both budgets: no node can be cleared", both)
		}
		if got := tab.Evicted(node, &scratch, nil); !slices.Equal(got, []int32{2, 0}) {
			t.Errorf("cover %d is of both budgets: evicts %d, want 2 and 0", both, got)
		}
	}
}
