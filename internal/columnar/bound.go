package columnar

// bound returns a score that is not worse than that of clearing the node, given
// that the node has enough with all clean residents up to level k gone, and not
// below. If it violates a budget its score is worse than the bound anyway.
//
// No violation means that every spent resident stays, so the victims are clean
// ones. Some of them are of level k or above (or what is available below would
// do): the first listed victim has at least the level's lowest priority.
// Whatever is missing below level k has to come from residents of level k or
// above, and if the node is cleared by victims of no higher level, from those of
// level k: at least missing/largest of them. All that is missing has to come
// from somewhere: at least missing/largest residents in all, each of at least
// the lowest level's priority. If the node needs victims of a higher level its
// top priority alone makes it worse than the bound.
func (x *search) bound(node, k int) Score {
	l := &x.levels[k]
	least := int64(1) // victims of level k
	total := int64(1) // victims
	free := x.free.at(node)
	below := free
	if k > 0 {
		below = x.levels[k-1].clean.at(node)
	}
	r := &x.rows[node]
	for _, d := range x.Demands {
		amount := d.Amount
		if len(r.held) > 0 {
			amount += x.heldAmount(r, d.Dim)
		}
		if missing := amount - below[d.Dim]; missing > 0 {
			least = max(least, atLeast(missing, l.largest[node*x.dims+d.Dim]))
		}
		if missing := amount - free[d.Dim]; missing > 0 {
			largest := int64(0)
			for i := 0; i <= k; i++ {
				largest = max(largest, x.levels[i].largest[node*x.dims+d.Dim])
			}
			total = max(total, atLeast(missing, largest))
		}
	}
	total = max(total, least)
	return Score{
		Top:   int64(l.low),
		Sum:   least*weight(l.low) + (total-least)*weight(x.levels[0].low),
		Pods:  total,
		Start: l.latest[node],
	}
}

// spentBound returns a score that is not worse than that of clearing the node,
// given that it cannot be cleared without violating a budget, and that it has
// enough with all residents up to level k gone and not below.
//
// The first listed victim has at least the lowest priority of level k, since
// victims of lower levels alone are not enough.
func (x *search) spentBound(node, k, top int) Score {
	l := &x.levels[k]
	return Score{Violations: 1, Top: int64(l.low), Sum: weight(l.low), Pods: 1, Start: notEarlier}
}

// notEarlier is a start that none beats.
const notEarlier = 1<<63 - 1

// atLeast returns how many of the size it takes to make up what is missing.
func atLeast(missing, size int64) int64 {
	if missing <= size {
		return 1
	}
	if size <= 0 {
		return 1 // cannot be: the level makes up for it
	}
	return (missing + size - 1) / size
}
