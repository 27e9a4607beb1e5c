package best

import "slices"

// A ranking has for each suffix its values in order, and their running sums.
type ranking struct {
	width  int
	values []int64 // row×width + m: the m-th, from 1 on
	sums   []int64 // of the first m
	line   []int64
}

// fill ranks n values. With one row only that of all of them is kept.
func (r *ranking) fill(rows, n int, falling bool, value func(i int) int64) {
	// With one row the values are sorted once.
	r.width = n + 1
	r.values, r.sums = slices.Grow(r.values[:0], rows*r.width)[:rows*r.width], slices.Grow(r.sums[:0], rows*r.width)[:rows*r.width]
	line := r.line[:0]
	if rows == 1 {
		for i := range n {
			line = append(line, value(i))
		}
		slices.Sort(line)
		if falling {
			slices.Reverse(line)
		}
		r.write(0, line)
		r.line = line
		return
	}

	// Otherwise each suffix has one more than the next, which is put in its place.
	r.write(n, nil)
	for i := n - 1; i >= 0; i-- {
		v := value(i)
		line = append(line, v)
		k := len(line) - 1
		for ; k > 0 && (line[k-1] > v) != falling && line[k-1] != v; k-- {
			line[k] = line[k-1]
		}
		line[k] = v
		r.write(i, line)
	}
	r.line = line
}

func (r *ranking) write(row int, line []int64) {
	values, sums := r.values[row*r.width:], r.sums[row*r.width:]
	sums[0] = 0
	for m, v := range line {
		values[m+1], sums[m+1] = v, add(sums[m], max(v, 0))
	}
}

func (r *ranking) sum(row, m int) int64 { return r.sums[row*r.width+m] }

// row returns the sums of one row. What is behind it in memory is out of reach.
func (r *ranking) row(i int) []int64 { return r.sums[i*r.width:][:r.width:r.width] }
