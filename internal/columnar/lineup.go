package columnar

import "slices"

// A lineup is the residents of a row that are gone through: all, or some by their indices.
// Their places are counted from the least important on.
type lineup struct {
	row     *row
	indices []int32 // least important first
	all     bool
}

// everybody is all of a row.
func everybody(r *row) lineup { return lineup{row: r, all: true} }

// othersThan is all that may go but for some, listed once an evaluation.
func (x *search) othersThan(r *row, some []int32) lineup {
	if len(x.others) > 0 {
		return lineup{row: r, indices: x.others}
	}
	i, from := len(r.residents)-1, r.below(x.Priority)
	others := slices.Grow(x.others[:0], len(r.residents))
	for _, next := range some {
		for ; i > int(next); i-- {
			others = append(others, int32(i))
		}
		i--
	}
	for ; i >= from; i-- {
		others = append(others, int32(i))
	}
	x.others = others
	return lineup{row: r, indices: others}
}

func (l *lineup) len() int {
	if l.all {
		return len(l.row.residents)
	}
	return len(l.indices)
}

// at returns the index of the resident at a place.
func (l *lineup) at(place int) int {
	if l.all {
		return len(l.row.residents) - 1 - place
	}
	return int(l.indices[place])
}

// none is in the place of a first victim that there is not.
const none = -1

// cut returns the place of the first victim: of the least important resident that, with
// those behind it, makes up for what is missing; none if all together that may go do not.
// Those before it stay and it goes, whatever becomes of those behind it.
func (x *search) cut(l *lineup) int {
	place := none
	if x.isPair(l.row) {
		p := x.pairOf(l)
		place = p.cut()
	} else {
		place = x.cutAny(l)
	}

	// Those before it may go no more than it may.
	if place != none && !x.allMayGo && l.row.priorities[l.at(place)] >= x.Priority {
		return none
	}
	return place
}

// takeFrom evicts, from the first victim on, what does not fit into the slack. It
// reports false if that takes more victims than there may be: as soon as it does, and by
// pair at once if so many could not make up for what is missing if each were as large as
// the largest.
func (x *search) takeFrom(l *lineup, first int, most int64) bool {
	if x.isPair(l.row) {
		return x.takePair(l, first, most)
	}
	return x.takeAny(l, first, most)
}

// begun counts a node as evaluated, once.
func (x *search) begun() {
	if len(x.evicted) == 0 {
		x.Stats.Evaluated++
	}
}

// cutAny is cut for any dimensions, the seats among them.
func (x *search) cutAny(l *lineup) int {
	for j := range x.short {
		x.short[j].slack = -x.short[j].missing
	}
	for place := range l.len() {
		i, enough := l.at(place), true
		for j := range x.short {
			s := &x.short[j]
			s.slack += x.request(l.row, i, s.dim)
			enough = enough && s.slack >= 0
		}
		if enough {
			return place
		}
	}
	return none
}

// takeAny is takeFrom for any dimensions.
func (x *search) takeAny(l *lineup, first int, most int64) bool {
	x.begun()
	victims := int64(0)
	for place := first; place >= 0; place-- {
		i, fits := l.at(place), true
		for j := range x.short {
			fits = fits && x.request(l.row, i, x.short[j].dim) <= x.short[j].slack
		}
		if fits {
			for j := range x.short {
				x.short[j].slack -= x.request(l.row, i, x.short[j].dim)
			}
			continue
		}
		x.evicted = append(x.evicted, int32(i))
		if victims++; victims > most {
			return false
		}
	}
	return true
}
