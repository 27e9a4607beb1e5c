package columnar

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Whatever a table keeps is checked: one wrong number anywhere is found, and so is one
// block or one node too few.
func TestCheckSeesWhatIsWrong(t *testing.T) {
	s := shape{levels: 3, sizes: 10, starts: 50, left: []int64{0, 2}, groups: true, held: true, nodes: blockSize + 9}
	allocatable := make([][]int64, s.nodes)
	table := func() *Table {
		tab := s.table(rand.New(rand.NewPCG(1, 8)))
		tab.settleAll()
		return tab
	}
	c := checker{t: table()}
	for n := range allocatable {
		for d := range c.t.dims {
			taken := c.sum(&c.t.rows[n], d, func(*Resident) bool { return true })
			allocatable[n] = append(allocatable[n], c.t.Free(n, d)+taken)
		}
	}
	check := func(tab *Table) error { return tab.Check(func(n int) []int64 { return allocatable[n] }) }
	if err := check(table()); err != nil {
		t.Fatal(err)
	}

	const node = blockSize + 2
	spoil := map[string]func(tab *Table){
		"rows with odd residents": func(tab *Table) { tab.odd++ },
		"spent residents":         func(tab *Table) { tab.spent-- },
		"residents":               func(tab *Table) { tab.residents++ },
		"level 1 is from":         func(tab *Table) { tab.levels[1].low = tab.levels[0].high },
		"level 2 is from":         func(tab *Table) { tab.levels[2].low = tab.levels[2].high + 1 },
		"33 levels": func(tab *Table) {
			for len(tab.levels) <= maxLevels {
				l := tab.levels[0]
				l.low += int32(10 * len(tab.levels))
				l.high, l.count = l.low, 0
				tab.levels = append(tab.levels, l)
			}
		},
		"is in no level":        func(tab *Table) { tab.levels[2].low, tab.levels[2].high = 100, 100 },
		"residents of level 0":  func(tab *Table) { tab.levels[0].count++ },
		"is more important":     func(tab *Table) { r := tab.rows[node].residents; r[0], r[1] = r[1], r[0] },
		"covered":               func(tab *Table) { tab.rows[node].covered = append(tab.rows[node].covered, 0) },
		"odd, grouped, spent":   func(tab *Table) { tab.rows[node].grouped++ },
		"odd, grouped, spent ":  func(tab *Table) { tab.rows[node].odd++ },
		"odd, grouped, spent  ": func(tab *Table) { tab.rows[node].spent++ },
		"requests of": func(tab *Table) {
			r := &tab.rows[node]
			r.requests.small = r.requests.small[1:]
		},
		"priorities": func(tab *Table) {
			r := &tab.rows[node]
			r.priorities = r.priorities[1:]
		},
		"held in dimension 0":  func(tab *Table) { tab.held.sums[Seat][node]++ },
		"held in dimension 1":  func(tab *Table) { tab.held.sums[1][node]++ },
		"lowest priority held": func(tab *Table) { tab.held.weakest[node]++ },
	}
	for name, planes := range map[string]func(tab *Table) *plane{
		"free":              func(tab *Table) *plane { return &tab.free },
		"spentSum":          func(tab *Table) *plane { return &tab.spentSum },
		"clean of level 1":  func(tab *Table) *plane { return &tab.levels[1].clean },
		"latest of level 1": func(tab *Table) *plane { return &tab.levels[1].latest },
		"late of level 1":   func(tab *Table) *plane { return &tab.levels[1].late },
	} {
		lane := map[string]string{"late of level 1": "latest start of those that violate in level 1", "latest of level 1": "start 0 of level 1"}[name]
		if lane == "" {
			lane = strings.TrimSuffix(name, "Sum")
		}
		spoil["node 66: "+lane] = func(tab *Table) { p := planes(tab); p.set(node, 0, p.at(node, 0)+1) }
		spoil[name+", dimension 0: peak 1"] = func(tab *Table) { planes(tab).dims[0].peak[1]++ }
		spoil[name+", dimension 0: trough 1"] = func(tab *Table) { planes(tab).dims[0].trough[1]-- }
		spoil[name+", dimension 0: lane 9 of 1, without a node"] = func(tab *Table) { planes(tab).dims[0].cells[1][9] = 0 }
		spoil[name+", dimension 0: 2 blocks, 1 peaks"] = func(tab *Table) { d := &planes(tab).dims[0]; d.peak = d.peak[:1] }
		dims := len(planes(table()).dims)
		spoil[fmt.Sprintf("%s: 72 nodes in %d dimensions, want 73 in %d", name, dims, dims)] = func(tab *Table) { planes(tab).nodes-- }
	}
	for name, tops := range map[string]func(tab *Table) *tops{
		"spentTops":       func(tab *Table) *tops { return &tab.spentTops },
		"tops of level 1": func(tab *Table) *tops { return &tab.levels[1].tops },
	} {
		const cell = len(topCounts) + 3 // of the second block
		of := map[string]string{"spentTops": "spent residents", "tops of level 1": "level 1"}[name]
		for sign, by := range map[string]float32{"more": +9, "less": -9} {
			spoil[fmt.Sprintf("node 66: the 4 largest of %s in dimension 2|%s", of, sign)] = func(tab *Table) {
				p := tops(tab)
				p.put(2, cell, node%blockSize, p.dims[1].cells[cell][node%blockSize]+by)
			}
		}
		spoil[name+", dimension 2: peak 11"] = func(tab *Table) { tops(tab).dims[1].peak[cell]++ }
		spoil[name+", dimension 2: lane 9 of 11, without a node"] = func(tab *Table) { tops(tab).dims[1].cells[cell][9] = 1 }
		spoil[name+", dimension 2: 16 cells, 15 peaks"] = func(tab *Table) { d := &tops(tab).dims[1]; d.peak = d.peak[:15] }
		dims := len(tops(table()).dims)
		spoil[fmt.Sprintf("%s: 72 nodes in %d dimensions, want 73 in %d", name, dims, dims)] = func(tab *Table) { tops(tab).nodes-- }
	}
	for want, spoils := range spoil {
		t.Run(want, func(t *testing.T) {
			tab := table()
			spoils(tab)
			says, _, _ := strings.Cut(strings.TrimSpace(want), "|")
			if err := check(tab); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("Check says %v, not %q", err, says)
			}
		})
	}
}

// Residents that the order does not tell apart may stand one way or the other.
func TestCheckTakesTies(t *testing.T) {
	tab := New(1, false, func(_ int, a, b Resident) int { return cmp.Compare(a.Priority, b.Priority) })
	tab.AddNode([]int64{9})
	for ref := range int32(3) {
		tab.Add(0, Resident{Priority: 5, Ref: ref, Cover: -1, Seats: 1}, nil)
	}
	if err := tab.Check(func(int) []int64 { return []int64{9} }); err != nil {
		t.Error(err)
	}
}
