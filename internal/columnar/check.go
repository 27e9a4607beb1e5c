package columnar

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Check computes everything that the table keeps, from the residents of each node
// and from what the node had to give at first, in the plainest way, and compares.
// It returns all differences. It is for tests, and costs accordingly.
func (t *Table) Check(allocatable func(node int) []int64) error {
	t.settleAll()
	c := checker{t: t}
	c.planes()
	c.levels()
	odd, spent, residents := 0, 0, 0
	for node := range t.rows {
		n := c.node(node, allocatable(node))
		odd, spent, residents = odd+min(n.odd, 1), spent+n.spent, residents+len(t.rows[node].residents)
	}
	c.same(odd, t.odd, "rows with odd residents")
	c.same(spent, t.spent, "spent residents")
	c.same(residents, t.residents, "residents")
	return errors.Join(c.wrong...)
}

type checker struct {
	t     *Table
	wrong []error
}

func (c *checker) fail(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Errorf(format, args...))
}

func (c *checker) same(want, got any, what string, args ...any) {
	if want != got {
		c.fail("%s: %v, want %v", fmt.Sprintf(what, args...), got, want)
	}
}

// planes checks the extremes of every block against its lanes, and that lanes
// without a node hold nothing.
func (c *checker) planes() {
	t := c.t
	c.plane("free", &t.free, t.dims)
	c.plane("spentSum", &t.spentSum, t.dims)
	c.tops("spentTops", &t.spentTops)
	for k := range t.levels {
		l := &t.levels[k]
		c.plane(fmt.Sprint("clean of level ", k), &l.clean, t.dims)
		c.plane(fmt.Sprint("latest of level ", k), &l.latest, len(l.latest.dims))
		c.plane(fmt.Sprint("late of level ", k), &l.late, 1)
		c.tops(fmt.Sprint("tops of level ", k), &l.tops)
	}
}

func (c *checker) plane(name string, p *plane, dims int) {
	nodes := len(c.t.rows)
	blocks := (nodes + blockSize - 1) / blockSize
	if p.nodes != nodes || len(p.dims) != dims {
		c.fail("%s: %d nodes in %d dimensions, want %d in %d", name, p.nodes, len(p.dims), nodes, dims)
		return
	}
	for k := range p.dims {
		d := &p.dims[k]
		if len(d.cells) != blocks || len(d.peak) != blocks || len(d.trough) != blocks {
			c.fail("%s, dimension %d: %d blocks, %d peaks, %d troughs, want %d", name, k, len(d.cells), len(d.peak), len(d.trough), blocks)
			continue
		}
		for b := range d.cells {
			inBlock := min(nodes-b*blockSize, blockSize)
			c.same(slices.Max(d.cells[b][:inBlock]), d.peak[b], "%s, dimension %d: peak %d", name, k, b)
			c.same(slices.Min(d.cells[b][:inBlock]), d.trough[b], "%s, dimension %d: trough %d", name, k, b)
			for lane := inBlock; lane < blockSize; lane++ {
				c.same(int64(never), d.cells[b][lane], "%s, dimension %d: lane %d of %d, without a node", name, k, lane, b)
			}
		}
	}
}

func (c *checker) tops(name string, p *tops) {
	nodes := len(c.t.rows)
	blocks := (nodes + blockSize - 1) / blockSize
	if p.nodes != nodes || len(p.dims) != c.t.dims-1 {
		c.fail("%s: %d nodes in %d dimensions, want %d in %d", name, p.nodes, len(p.dims), nodes, c.t.dims-1)
		return
	}
	for k := range p.dims {
		d := &p.dims[k]
		if len(d.cells) != blocks*len(topCounts) || len(d.peak) != len(d.cells) {
			c.fail("%s, dimension %d: %d cells, %d peaks, want %d blocks", name, k+1, len(d.cells), len(d.peak), blocks)
			continue
		}
		for i := range d.cells {
			inBlock := min(nodes-i/len(topCounts)*blockSize, blockSize)
			c.same(slices.Max(d.cells[i][:inBlock]), d.peak[i], "%s, dimension %d: peak %d", name, k+1, i)
			for lane := inBlock; lane < blockSize; lane++ {
				c.same(float32(0), d.cells[i][lane], "%s, dimension %d: lane %d of %d, without a node", name, k+1, lane, i)
			}
		}
	}
}

// levels checks that levels are ranges, disjoint and ascending, that each
// resident is in one, and how many are in each.
func (c *checker) levels() {
	t := c.t
	counts := make([]int, len(t.levels))
	for k := range t.levels {
		l := &t.levels[k]
		if l.low > l.high || k > 0 && t.levels[k-1].high >= l.low {
			c.fail("level %d is from %d to %d, after one that ends at %d", k, l.low, l.high, t.levels[max(k-1, 0)].high)
		}
	}
	if len(t.levels) > maxLevels {
		c.fail("%d levels, want at most %d", len(t.levels), maxLevels)
	}
	for node := range t.rows {
		for _, p := range t.rows[node].priorities {
			at := slices.IndexFunc(t.levels, func(l level) bool { return l.low <= p && p <= l.high })
			if at < 0 {
				c.fail("node %d: priority %d is in no level", node, p)
				continue
			}
			counts[at]++
		}
	}
	for k := range counts {
		c.same(counts[k], t.levels[k].count, "residents of level %d", k)
	}
}

// counts are what a row counts.
type counts struct{ odd, grouped, spent int }

// node checks a row, and the lane of the node in every plane.
func (c *checker) node(node int, allocatable []int64) counts {
	t := c.t
	r := &t.rows[node]
	w, amounts := int(r.requests.width), len(r.requests.all())
	if w > t.dims-1 || amounts != len(r.residents)*w || len(r.priorities) != len(r.residents) {
		c.fail("node %d: %d requests of %d residents, each %d wide, with %d priorities", node, amounts, len(r.residents), w, len(r.priorities))
		return counts{}
	}
	for i := 1; i < len(r.residents); i++ {
		if x := r.resident(i); t.against(node, i-1, &x) < 0 {
			c.fail("node %d: resident %d is more important than the one before it", node, i)
		}
	}

	var n counts
	var covered []int32 // least important first
	for i := len(r.residents) - 1; i >= 0; i-- {
		x := r.resident(i)
		over := x.Cover >= 0
		if x.Ref < 0 {
			u := &t.units[^x.Ref]
			over = len(u.Covers) > 0
			n.grouped++
			if u.Odd {
				n.odd++
			}
		}
		if over {
			covered = append(covered, int32(i))
		}
		if c.spent(&x) {
			n.spent++
		}
	}
	c.same(fmt.Sprint(n), fmt.Sprint(counts{int(r.odd), int(r.grouped), int(r.spent)}), "node %d: odd, grouped, spent", node)
	c.same(fmt.Sprint(covered), fmt.Sprint(r.covered), "node %d: covered", node)

	all := func(*Resident) bool { return true }
	for d := range t.dims {
		free := allocatable[d] - c.sum(r, d, all)
		c.same(free, t.free.at(node, d), "node %d: free in dimension %d", node, d)
		c.same(c.sum(r, d, c.spent), t.spentSum.at(node, d), "node %d: spent in dimension %d", node, d)
		for k := range t.levels {
			l := &t.levels[k]
			upTo := func(x *Resident) bool { return x.Priority <= l.high }
			clean := func(x *Resident) bool { return upTo(x) && !c.spent(x) }
			c.same(free+c.sum(r, d, clean), l.clean.at(node, d), "node %d: clean of level %d in dimension %d", node, k, d)
			if d != Seat {
				c.top(r, node, d, &l.tops, clean, upTo, fmt.Sprint("level ", k))
			}
		}
		if d != Seat {
			c.top(r, node, d, &t.spentTops, c.spent, c.spent, "spent residents")
		}
	}

	for d := range t.dims {
		held := int64(0)
		for _, h := range t.held.pods[node] {
			if d == Seat {
				held++
			} else {
				held += amount(h.requests, d)
			}
		}
		c.same(held, t.held.sums[d][node], "node %d: held in dimension %d", node, d)
	}
	lowest := int64(math.MaxInt32) + 1
	for _, h := range t.held.pods[node] {
		lowest = min(lowest, int64(h.Priority))
	}
	c.same(math.MaxInt32+1-lowest, t.held.weakest[node], "node %d: lowest priority held", node)

	for k := range t.levels {
		l := &t.levels[k]
		within := func(x *Resident) bool { return l.low <= x.Priority && x.Priority <= l.high }
		clean := c.starts(r, func(x *Resident) bool { return within(x) && !c.spent(x) })
		for i := range len(l.latest.dims) {
			c.same(at(clean, i), l.latest.at(node, i), "node %d: start %d of level %d", node, i, k)
		}
		spent := c.starts(r, func(x *Resident) bool { return within(x) && c.spent(x) })
		c.same(at(spent, 0), l.late.at(node, 0), "node %d: latest start of those that violate in level %d", node, k)
	}
	return n
}

// spent is isSpent written out.
func (c *checker) spent(x *Resident) bool {
	covers := []int32{}
	if x.Ref < 0 {
		covers = c.t.units[^x.Ref].Covers
	} else if x.Cover >= 0 {
		covers = append(covers, x.Cover)
	}
	for _, cover := range covers {
		for _, b := range c.t.covers[cover] {
			if c.t.budgets[b] <= 0 {
				return true
			}
		}
	}
	return false
}

// amounts lists what the residents for which which holds take in one dimension.
func (c *checker) amounts(r *row, d int, which func(*Resident) bool) []int64 {
	var list []int64
	for i := range r.residents {
		x := r.resident(i)
		switch {
		case !which(&x):
		case d == Seat:
			list = append(list, int64(x.Seats))
		default:
			list = append(list, r.requests.at(i, d))
		}
	}
	return list
}

func (c *checker) sum(r *row, d int, which func(*Resident) bool) int64 {
	sum := int64(0)
	for _, x := range c.amounts(r, d, which) {
		sum += x
	}
	return sum
}

// top checks the sums of the largest requests: no less than those of the residents that
// they are of, and, but for the rounding, no more than those of all that they may count.
func (c *checker) top(r *row, node, d int, p *tops, of, all func(*Resident) bool, what string) {
	sums := func(which func(*Resident) bool, n int) (sum float64) {
		largest := c.amounts(r, d, which)
		slices.SortFunc(largest, func(a, b int64) int { return cmp.Compare(b, a) })
		for _, x := range largest[:min(n, len(largest))] {
			sum += float64(x)
		}
		return sum
	}
	for i, n := range topCounts {
		least, most := sums(of, n), sums(all, n)
		got := float64(p.lanes(node/blockSize, d, i)[node%blockSize])
		if got < least || got > most*(1+1.0/(1<<19)) {
			c.fail("node %d: the %d largest of %s in dimension %d: %v, want %v, or a little above %v", node, n, what, d, got, least, most)
		}
	}
}

// starts lists the starts of some residents, latest first.
func (c *checker) starts(r *row, which func(*Resident) bool) []int64 {
	var list []int64
	for i := range r.residents {
		if x := r.resident(i); which(&x) {
			list = append(list, x.Start)
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

// at returns an element of a list, never beyond its end.
func at(list []int64, i int) int64 {
	if i < len(list) {
		return list[i]
	}
	return math.MinInt64
}
