package columnar

import "slices"

// isSpent reports whether evicting the resident violates a budget whatever else
// is evicted: one over it has nothing left.
func (t *Table) isSpent(x *Resident) bool {
	if x.Ref >= 0 {
		return x.Cover >= 0 && t.overdrawn(x.Cover)
	}
	return t.SpentUnit(&t.Units[^x.Ref])
}

// SpentUnit reports whether evicting a unit violates a budget whatever else is
// evicted.
func (t *Table) SpentUnit(u *Unit) bool { return slices.ContainsFunc(u.Covers, t.overdrawn) }

// SetUnit changes what a unit costs, or adds one with the next number. It reports
// whether residents that are shares of it count otherwise now; the nodes that they
// are on are the caller's to touch.
func (t *Table) SetUnit(number int32, u Unit) (stale bool) {
	if int(number) == len(t.Units) {
		t.Units = append(t.Units, u)
		return false
	}
	t.journal.epoch++
	was := t.Units[number]
	t.Units[number] = u
	return was.Odd != u.Odd || (len(was.Covers) > 0) != (len(u.Covers) > 0) || t.SpentUnit(&was) != t.SpentUnit(&u)
}

// SetBudget changes what a budget has left, or adds one. It reports whether that has
// passed zero, so that residents under it have come to violate for sure, or no longer
// do; the nodes that they are on are the caller's to touch.
func (t *Table) SetBudget(number int32, left int64) (crossed bool) {
	for len(t.Budgets) <= int(number) {
		t.Budgets = append(t.Budgets, 0)
	}
	t.journal.epoch++
	was := t.Budgets[number]
	t.Budgets[number] = left
	return (was <= 0) != (left <= 0)
}

// DefineCover says which budgets are in a set, in the order of charging. A number may
// stand for another set once no resident has it.
func (t *Table) DefineCover(number int32, budgets []int32) {
	for len(t.Covers) <= int(number) {
		t.Covers = append(t.Covers, nil)
	}
	t.Covers[number] = budgets
}

func (t *Table) overdrawn(cover int32) bool {
	for _, b := range t.Covers[cover] {
		if t.Budgets[b] <= 0 {
			return true
		}
	}
	return false
}
