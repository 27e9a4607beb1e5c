package properties

import (
	"math/big"
	"slices"
	"testing"

	"example.com/preemption"
	"pgregory.net/rapid"
)

func drawCandidates(t *rapid.T) []*preemption.Candidate {
	var list []*preemption.Candidate
	for range rapid.IntRange(1, 6).Draw(t, "candidates") {
		c := &preemption.Candidate{Node: &preemption.Node{}, Violations: rapid.IntRange(0, 1).Draw(t, "violations")}
		if !oneIn(t, 10, "harmless") {
			c.Victims = drawVictims(t, rapid.IntRange(1, 2).Draw(t, "victims"))
		}
		list = append(list, c)
	}
	return list
}

// PickOneNode finds the lexicographic minimum of the five costs, the first in
// input order among equals, and says which cost decided.
func TestPickProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawCandidates(t)
		var want *preemption.Candidate
		for _, c := range list {
			if want == nil || (twin{}).better(c, want) {
				want = c
			}
		}
		got, decidedBy := preemption.PickOneNode(list)
		if got != want {
			t.Fatalf("PickOneNode = %v, want %v of %v", cost(got), cost(want), costs(list))
		}
		if d := whatDecided(list, want); decidedBy != d {
			t.Fatalf("decidedBy = %d, want %d, for %v", decidedBy, d, costs(list))
		}
	})
}

// whatDecided is the first criterion by which the best differs from everybody
// else, taken together with those before it; -1 if there is none.
func whatDecided(list []*preemption.Candidate, best *preemption.Candidate) int {
	if len(list) == 1 {
		return -1
	}
	for i := range cost(best) {
		rivals := filtered(list, func(c *preemption.Candidate) bool {
			return c != best && slices.EqualFunc(cost(c)[:i+1], cost(best)[:i+1], func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
		})
		if len(rivals) == 0 {
			return i
		}
	}
	return -1
}

func costs(list []*preemption.Candidate) (all [][]*big.Int) {
	for _, c := range list {
		all = append(all, cost(c))
	}
	return all
}

// In another order the choice costs the same.
func TestPickOrderProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawCandidates(t)
		a, by := preemption.PickOneNode(list)
		b, byToo := preemption.PickOneNode(rapid.Permutation(list).Draw(t, "order"))
		if (twin{}).better(a, b) || (twin{}).better(b, a) || by != byToo {
			t.Fatalf("%v by %d, or %v by %d in another order", cost(a), by, cost(b), byToo)
		}
	})
}

// Orders of the caller's own take the place of the five, in the order given.
func TestPickOwnOrdersProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawCandidates(t)
		five := preemption.DefaultOrders()
		which := rapid.SliceOfN(rapid.IntRange(0, len(five)-1), 1, 5).Draw(t, "orders")
		var orders []preemption.Order
		for _, i := range which {
			orders = append(orders, five[i])
		}
		want := list[0]
		for _, c := range list {
			for _, i := range which {
				if d := cost(c)[i].Cmp(cost(want)[i]); d != 0 {
					if d < 0 {
						want = c
					}
					break
				}
			}
		}
		if got, _ := preemption.PickOneNode(list, orders...); got != want {
			t.Fatalf("PickOneNode by %v = %v, want %v of %v", which, cost(got), cost(want), costs(list))
		}
	})
}
