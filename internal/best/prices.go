package best

import (
	"cmp"
	"math"
	"slices"
)

// prices is the Lagrangian bound on the sum: what is missing is bought at a price
// a dimension, so that a unit costs its sum less what it frees. Whatever the
// prices are, m units cost at least what is missing at these prices and the m
// cheapest such costs. They are computed in floating point and rounded down.
//
// Why it is a bound: of units that free enough, take off each one's cost what it frees
// at these prices, which for all together is at least what is missing. What is left of
// the costs of m units is no less than what is left of the m cheapest by that measure.
//
// Better prices make the bound tighter: a search takes fewer steps, and finds the
// same unless it runs out of them. See Forget.
type prices struct {
	price   []float64 // by dimension; kept from search to search, as nodes are alike
	reduced []float64 // by unit: its sum less what it frees at these prices
	order   []int     // units in play, the cheapest first
	cells   []float64 // row×width + m: sums of the m cheapest of a suffix
	slack   float64   // more than what rounding can lose
	priced  bool
}

// Forget makes the next search independent of those before: it starts without prices.
func (s *Solver) Forget() { s.prices.price = s.prices.price[:0] }

// findPrices looks for prices that make a good bound. It reports false if that is not
// worth while.
//
// The bound is concave in each price, and highest where what is bought is just enough.
// So prices are set one dimension at a time; rough ones do, since any price bounds.
func (s *Solver) findPrices() bool {
	// Where one unit may do, or the sum does not count, simpler bounds say as much.
	m := s.fewest(0, -1)
	if m < 2 || len(s.missing) == 0 || !slices.Contains(s.Order, Sum) {
		return false
	}
	w := len(s.missing)
	if len(s.prices.price) != w {
		s.prices.price = append(s.prices.price[:0], make([]float64, w)...)
	}

	// The search begins with the prices of the node before: mostly they are good.
	s.reduced = slices.Grow(s.reduced[:0], len(s.Units))[:len(s.Units)]
	s.order = append(s.order[:0], s.play...)
	low, high := s.sums.values[1], s.sums.values[len(s.play)]
	if low == high {
		return false // the number of units says it all
	}

	// Dimension by dimension, and once more, as the price of one changes what the
	// others are worth.
	value, _ := s.buy(m, 0)
	for range 2 {
		for d, missing := range s.missing {
			if missing > 0 {
				value = s.bid(d, m, value, float64(high-low))
			}
		}
	}
	s.buy(m, 0)

	// What rounding can lose is a small part of all that is added up. Where that comes
	// near a unit's weight the bound says too little.
	scale := 0.0
	for _, unit := range s.play {
		scale += float64(s.Units[unit].Cost.Sum)
		for d, a := range s.amounts(unit) {
			scale += s.prices.price[d] * float64(a)
		}
	}
	for d, missing := range s.missing {
		scale += s.prices.price[d] * math.Abs(float64(missing))
	}
	s.slack = scale*1e-12 + 1e-6
	return s.slack < 1e9
}

// bid moves the price of one dimension to where the bound is highest: up as
// long as what is bought is too little, then down by halves.
func (s *Solver) bid(d, m int, value, spread float64) float64 {
	price := &s.prices.price[d]
	best, at := value, *price
	try := func(p float64) (short float64) {
		*price = p
		v, short := s.buy(m, d)
		if v > best {
			best, at = v, p
		}
		return short
	}

	// Up, to a price at which enough is bought. The first guess is the most that a
	// unit can save, over the most that one frees.
	low, high := 0.0, *price
	if high == 0 {
		high = spread / (float64(s.freed[d].values[1]) + 1)
	}
	for range 20 {
		if try(high) <= 0 {
			break
		}
		low, high = high, high*4
	}

	// Down, to one at which too little is. At a price of next to nothing none is bought
	// that has a cost, so this ends.
	if low == 0 {
		for range 20 { // a price that is too high by far
			p := high / 4
			if try(p) > 0 {
				low = p
				break
			}
			if high = p; p < 1e-30 {
				break
			}
		}
	}

	// In between. The best of all prices tried is taken.
	for range 5 {
		p := (low + high) / 2
		if try(p) > 0 {
			low = p
		} else {
			high = p
		}
	}
	*price = at
	return best
}

// buy returns the bound at the present prices, for m units or more, and how short
// the units bought are in one dimension.
func (s *Solver) buy(m, dim int) (value, short float64) {
	for _, unit := range s.play {
		r := float64(s.Units[unit].Cost.Sum)
		for d, a := range s.amounts(unit) {
			r -= s.prices.price[d] * float64(a)
		}
		s.reduced[unit] = r
	}

	// From one price to the next the order hardly changes, which insertion is good at.
	for i := 1; i < len(s.order); i++ {
		unit, r := s.order[i], s.reduced[s.order[i]]
		k := i
		for ; k > 0 && s.reduced[s.order[k-1]] > r; k-- {
			s.order[k] = s.order[k-1]
		}
		s.order[k] = unit
	}

	// The m cheapest, and all more that cost less than nothing.
	for d, missing := range s.missing {
		value += s.prices.price[d] * float64(missing)
	}
	short = float64(s.missing[dim])
	for k, unit := range s.order {
		if k >= m && s.reduced[unit] >= 0 {
			break
		}
		value += s.reduced[unit]
		short -= float64(s.Amounts[unit*len(s.missing)+dim])
	}
	return value, short
}

// byPrice returns the units in play, the dearest first.
func (s *Solver) byPrice() []int {
	order := slices.Clone(s.order)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.reduced[b], s.reduced[a]) })
	return order
}

// rankPrices fills the sums of the cheapest of each suffix.
func (s *Solver) rankPrices() {
	// As rankings do it: each suffix has a unit more than the next, in its place.
	n := len(s.play)
	width := n + 1
	s.cells = slices.Grow(s.cells[:0], s.rows*width)[:s.rows*width]
	line := make([]float64, 0, n)
	write := func(row int) {
		cells := append(s.cells[row*width:row*width], 0)
		for m, r := range line {
			cells = append(cells, cells[m]+r)
		}
	}
	for i := n; i >= 0; i-- {
		if i < n {
			r := s.reduced[s.play[i]]
			at, _ := slices.BinarySearch(line, r)
			line = slices.Insert(line, at, r)
		}
		if s.row(i) == i {
			write(i)
		}
	}
	s.priced = true
}

// pricedSum is leastSum by prices. The sums of the m cheapest fall while those
// added cost less than nothing, and rise from there on.
func (s *Solver) pricedSum(i, m, with int) int64 {
	row, count := s.row(i), s.inRow(i)
	width := len(s.play) + 1

	// What is missing, at its price.
	cells := s.cells[row*width : row*width+count+1]
	base := 0.0
	for d, missing := range s.missing {
		base += s.prices.price[d] * float64(missing)
	}

	// A given unit is among the k cheapest, or takes the place of the last of them.
	least := math.Inf(1)
	for k := m; k <= count; k++ {
		v := cells[k]
		if with >= 0 {
			v = cells[k-1] + max(s.reduced[with], cells[k]-cells[k-1])
		}
		if v > least {
			break
		}
		least = v
	}

	// Sums are whole numbers, so what rounding cannot have lost is rounded up.
	bound := math.Ceil(base + least - s.slack)
	if !(bound > 0) {
		return 0
	}
	return int64(min(bound, math.MaxInt64/2))
}
