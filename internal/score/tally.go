package score

// A Tally is what pods that are evicted together add up to. Pods come and go one by one.
// The zero Tally is that of none.
type Tally struct {
	pods, sum int64   // the sum is of weights
	rank      extreme // effective priority
	earliest  extreme // complement of the start
	highest   extreme // own priority
	// earliestOfHighest is of the pods of the highest own priority alone.
	earliestOfHighest extreme
}

// Add counts a pod of that own and that effective priority.
func (t *Tally) Add(priority, rank int32, start int64) {
	own := int64(priority)
	t.pods++
	t.sum += Weight(priority)
	t.rank.add(int64(rank))
	t.earliest.add(^start)
	if t.highest.count == 0 || own > t.highest.value {
		t.earliestOfHighest = extreme{}
	}
	t.highest.add(own)
	if own == t.highest.value {
		t.earliestOfHighest.add(^start)
	}
}

// Remove takes a pod out that was added. It reports false if it was the last to be the
// extreme in something: then the tally is of no use, and all that are left have to be
// counted anew.
func (t *Tally) Remove(priority, rank int32, start int64) bool {
	own := int64(priority)
	t.pods--
	t.sum -= Weight(priority)
	left := own != t.highest.value || t.earliestOfHighest.remove(^start)
	left = t.highest.remove(own) && left
	left = t.rank.remove(int64(rank)) && left
	return t.earliest.remove(^start) && left
}

// Rank is the highest effective priority.
func (t *Tally) Rank() int32 { return int32(t.rank.value) }

// Earliest is the earliest start.
func (t *Tally) Earliest() int64 { return ^t.earliest.value }

// Pods is how many there are.
func (t *Tally) Pods() int { return int(t.pods) }

// Odd reports whether the own priority of some pod is not the highest effective one.
func (t *Tally) Odd() bool {
	return t.highest.value != t.rank.value || int64(t.highest.count) != t.pods
}

// Score is the cost of all, of which the first listed has that own priority.
func (t *Tally) Score(first int32) Score {
	return Score{Top: int64(first), Sum: t.sum, Pods: t.pods, Start: ^t.earliestOfHighest.value, Highest: t.highest.value}
}

// An extreme is the greatest of some values, and how many have it.
type extreme struct {
	value int64
	count int
}

func (e *extreme) add(value int64) {
	switch {
	case e.count == 0 || value > e.value:
		*e = extreme{value, 1}
	case value == e.value:
		e.count++
	}
}

// remove reports whether any is left that has it.
func (e *extreme) remove(value int64) bool {
	if value == e.value {
		e.count--
	}
	return e.count > 0
}
