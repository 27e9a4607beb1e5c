package columnar

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Priorities that come when there is no room for another level, above all, below
// all and in between, are all evicted where all are needed, and can go again.
func TestPrioritiesBeyondTheLevels(t *testing.T) {
	for _, step := range []int32{1, -1, 7} { // ascending, descending, here and there
		tab := New(2, false, byPriority)
		tab.AddNode([]int64{1000, 100})
		const n = 100
		for i := range int32(n) {
			priority := i * step
			if step == 7 {
				priority = i * step % n
			}
			tab.Add(0, Resident{Priority: priority, Ref: i, Cover: -1, Seats: 1}, []int64{1})
		}
		query := &Query{Priority: n + 1, Demands: []Demand{{1, 100}, {Seat, 1}}}
		var s Scratch
		node, score := tab.Search(query, &s)
		if node != 0 || score.Pods != n {
			t.Errorf("step %d: Search = %d, %+v, want node 0 cleared of all", step, node, score)
		}
		for i := range int32(n) {
			tab.Remove(0, i)
		}
		if node, score := tab.Search(query, &s); node >= 0 {
			t.Errorf("step %d: emptied, Search = %d, %+v, want none", step, node, score)
		}
	}
}

// A start as early as can be told is no reason to pass a block over while nothing is
// known yet, and loses to a later one.
func TestEarliestStarts(t *testing.T) {
	tab := New(2, false, byPriority)
	for n := range 2 * blockSize {
		tab.AddNode([]int64{100, 100})
		for i := range int32(10) {
			tab.Add(n, Resident{Ref: int32(n)*10 + i, Cover: -1, Seats: 1, Start: math.MinInt64}, []int64{10})
		}
	}
	query := &Query{Priority: 1, Demands: []Demand{{1, 20}, {Seat, 1}}} // two have to go
	for _, want := range []int{0, blockSize + 3} {
		var s Scratch
		if node, score := tab.Search(query, &s); node != want {
			t.Errorf("Search = %d, %+v, want %d", node, score, want)
		}
		for _, ref := range []int32{(blockSize + 3) * 10, (blockSize+3)*10 + 1} {
			tab.Remove(blockSize+3, ref)
			tab.Add(blockSize+3, Resident{Ref: ref, Cover: -1, Seats: 1, Start: 5}, []int64{10})
		}
	}
}

// A level may come to have four times its share of the residents; with more the levels
// are laid out anew, though not before there were as many updates as residents.
func TestLopsidedLevels(t *testing.T) {
	const share = 10
	for _, above := range []int32{4*share - 2, 4*share - 1, 4 * share} { // beside one of their level
		tab := New(2, false, byPriority)
		tab.AddNode([]int64{10_000, 1000})
		next := int32(0)
		add := func(priority int32) {
			tab.Add(0, Resident{Priority: priority, Ref: next, Cover: -1, Seats: 1}, []int64{1})
			next++
		}
		for priority := range int32(maxLevels) { // the first of each level
			add(priority)
		}
		for i := range above { // no room for another level: the last becomes wider
			add(maxLevels + i)
		}
		for next < share*maxLevels {
			add(next % (maxLevels - 1))
		}

		last := &tab.levels[maxLevels-1]
		if before := last.count; before != int(above)+1 {
			t.Fatalf("%d residents in the last level, want %d", before, above+1)
		}
		tab.Remove(0, 0) // of the first level
		add(0)
		last = &tab.levels[len(tab.levels)-1]
		if anew, lopsided := last.count != int(above)+1, above+1 > 4*share; anew != lopsided {
			t.Errorf("%d of %d residents were in the last of %d levels; laid out anew: %t", above+1, next-1, maxLevels, anew)
		}
	}
}

// A level that is one priority cannot be divided: however many residents it has, the
// levels stay as they are.
func TestOnePriorityIsNotLopsided(t *testing.T) {
	tab := New(2, false, byPriority)
	tab.AddNode([]int64{10_000, 10_000})
	next := int32(0)
	for next < 20*maxLevels {
		tab.Add(0, Resident{Priority: max(next-19*maxLevels, 0), Ref: next, Cover: -1, Seats: 1}, []int64{1})
		next++
	}
	before := &tab.levels[0]
	if len(tab.levels) != maxLevels || before.low != before.high || before.count <= 19*maxLevels {
		t.Fatalf("%d levels, %d residents in the first, from %d to %d", len(tab.levels), before.count, before.low, before.high)
	}
	for range 3 * next {
		tab.Remove(0, 0)
		tab.Add(0, Resident{Priority: 0, Ref: 0, Cover: -1, Seats: 1}, []int64{1})
		if tab.churn > tab.residents+1 {
			t.Fatalf("whether levels are lopsided is asked at every update: %d since it was, of %d residents", tab.churn, tab.residents)
		}
	}
	if &tab.levels[0] != before {
		t.Error("the levels were laid out anew")
	}
}

// With more priorities than levels each level ends as soon as it has its share of the
// residents, as long as there is another one.
func TestLevelsHaveTheirShare(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		tab := New(2, false, byPriority)
		tab.AddNode([]int64{10_000, 1000})
		counts := map[int32]int{}
		priorities := 1 + r.Int32N(4*maxLevels)
		for ref := range 2 * priorities {
			priority := ref % priorities * r.Int32N(3)
			tab.Add(0, Resident{Priority: priority, Ref: ref, Cover: -1, Seats: 1}, []int64{1})
			counts[priority]++
		}
		tab.Relay()
		share := tab.residents/maxLevels + 1
		for k, l := range tab.levels {
			of, before := 0, 0 // residents, and those of its lower priorities
			for p, n := range counts {
				if l.low <= p && p <= l.high {
					of += n
				}
				if l.low <= p && p < l.high {
					before += n
				}
			}
			switch {
			case len(counts) <= maxLevels && l.low != l.high:
				t.Errorf("seed %d: level %d has priorities %d to %d, and there are %d", seed, k, l.low, l.high, len(counts))
			case len(counts) > maxLevels && (k < len(tab.levels)-1 && of < share || k < maxLevels-1 && before >= share):
				t.Errorf("seed %d: level %d has %d residents, %d without its last priority; its share is %d", seed, k, of, before, share)
			}
		}
	}
}
