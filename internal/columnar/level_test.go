package columnar

import "testing"

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
