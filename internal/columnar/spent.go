package columnar

import "slices"

// isSpent reports whether evicting the resident violates a budget whatever else
// is evicted: one over it has nothing left.
func (t *Table) isSpent(x *resident) bool {
	if x.ref >= 0 {
		return x.over >= 0 && t.overdrawn(x.over)
	}
	return t.SpentUnit(&t.units[^x.ref])
}

// SpentUnit reports whether evicting a unit violates a budget whatever else is
// evicted.
func (t *Table) SpentUnit(u *Unit) bool { return slices.ContainsFunc(u.Covers, t.overdrawn) }

// Unit returns what a unit costs, by its number. It must not be modified.
func (t *Table) Unit(number int32) *Unit { return &t.units[number] }

// SetUnit changes what a unit costs, or adds one with the next number. It reports
// whether residents that are shares of it count otherwise now; the nodes that they
// are on are the caller's to touch.
func (t *Table) SetUnit(number int32, u Unit) (stale bool) {
	if int(number) == len(t.units) {
		t.units = append(t.units, u)
		return false
	}
	t.journal.forget()
	was := t.units[number]
	t.units[number] = u
	return was.Odd != u.Odd || (len(was.Covers) > 0) != (len(u.Covers) > 0) || t.SpentUnit(&was) != t.SpentUnit(&u)
}

// SetBudget changes what a budget has left, or adds one. It reports whether that has
// passed zero, so that residents under it have come to violate for sure, or no longer
// do; the nodes that they are on are the caller's to touch.
func (t *Table) SetBudget(number int32, left int64) (crossed bool) {
	for len(t.budgets) <= int(number) {
		t.budgets = append(t.budgets, 0)
	}
	t.journal.forget()
	was := t.budgets[number]
	t.budgets[number] = left
	return (was <= 0) != (left <= 0)
}

// SetBudgets gives all budgets new numbers, and what they have left, by number. Sets of
// budgets have to be defined anew.
func (t *Table) SetBudgets(left []int64) {
	t.journal.forget()
	t.budgets = left
}

// NumberedBudgets returns how many numbers budgets have.
func (t *Table) NumberedBudgets() int { return len(t.budgets) }

// Cover returns which budgets are in a set, nil if it is not defined. It must not be
// modified.
func (t *Table) Cover(number int32) []int32 {
	if int(number) >= len(t.covers) {
		return nil
	}
	return t.covers[number]
}

// DefineCover says which budgets are in a set, in the order of charging. A number may
// stand for another set once no resident has it.
func (t *Table) DefineCover(number int32, budgets []int32) {
	for len(t.covers) <= int(number) {
		t.covers = append(t.covers, nil)
	}
	t.covers[number] = budgets
}

func (t *Table) overdrawn(cover int32) bool {
	for _, b := range t.covers[cover] {
		if t.budgets[b] <= 0 {
			return true
		}
	}
	return false
}
