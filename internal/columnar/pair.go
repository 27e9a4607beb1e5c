package columnar

import (
	"math"
	"slices"
)

// Most nodes are short of one thing or two. Loops over just that, one for all of a row and
// one for a list, have few enough variables to stay in registers; cutAny and takeAny are
// their slow twins.

// A pair is a lineup's requests in two dimensions that are short, the same one twice where
// there is no other. All is in the grains of the row: what is missing is rounded up, which
// no whole number of grains can tell from the exact amount, so that the slack is rounded
// down, which no request can.
type pair struct {
	*lineup
	requests []uint32
	width    int
	a, b     *shortage
}

// isPair reports whether so few dimensions are short, the seats not among them, and the
// requests are in grains.
func (x *search) isPair(r *row) bool {
	return len(x.short) <= 2 && x.short[len(x.short)-1].dim != Seat && r.requests.large == nil
}

func (x *search) pairOf(l *lineup) pair {
	return pair{l, l.row.requests.small, int(l.row.requests.width), &x.short[0], &x.short[len(x.short)-1]}
}

// missing returns what is missing, in grains.
func (p *pair) missing() (a, b int64) {
	shift := &p.row.requests.shift
	up := func(s *shortage) int64 { return -(-s.missing >> (shift[s.dim-1] & 63)) }
	return up(p.a), up(p.b)
}

// cut returns the place of the least important resident that, with those behind it, makes
// up for what is missing, and notes what they leave beyond that and the largest of them.
func (p *pair) cut() int {
	if p.all {
		return p.cutAll()
	}
	requests, width, a, b := p.requests, p.width, p.a.dim-1, p.b.dim-1
	missingA, missingB := p.missing()
	largestA, largestB := uint32(0), uint32(0)
	for place, i := range p.indices {
		requestA, requestB := requests[int(i)*width+a], requests[int(i)*width+b]
		largestA, largestB = max(largestA, requestA), max(largestB, requestB)
		missingA -= int64(requestA)
		missingB -= int64(requestB)
		if missingA <= 0 && missingB <= 0 {
			p.found(-missingA, -missingB, largestA, largestB)
			return place
		}
	}
	return none
}

func (p *pair) cutAll() int {
	requests, width, a, b := p.requests, p.width, p.a.dim-1, p.b.dim-1
	missingA, missingB := p.missing()
	largestA, largestB := uint32(0), uint32(0)
	place := 0
	for at := len(requests) - width; at >= 0; at -= width {
		requestA, requestB := requests[at+a], requests[at+b]
		largestA, largestB = max(largestA, requestA), max(largestB, requestB)
		missingA -= int64(requestA)
		missingB -= int64(requestB)
		if missingA <= 0 && missingB <= 0 {
			p.found(-missingA, -missingB, largestA, largestB)
			return place
		}
		place++
	}
	return none
}

// found notes what the first victim and those behind it leave, and the largest of them.
func (p *pair) found(slackA, slackB int64, largestA, largestB uint32) {
	p.a.slack, p.a.largest = slackA, int64(largestA)
	p.b.slack, p.b.largest = slackB, int64(largestB)
}

// reaches reports whether so many victims could make up for what is missing, each as
// large as the largest from the first one on.
func (p *pair) reaches(victims int64) bool {
	missingA, missingB := p.missing()
	return times(p.a.largest, victims) >= missingA && times(p.b.largest, victims) >= missingB
}

// takePair is takeFrom.
func (x *search) takePair(l *lineup, first int, most int64) bool {
	p := x.pairOf(l)
	if most < math.MaxInt32 && !p.reaches(most) {
		return false
	}
	x.begun()
	n := len(x.evicted)
	x.evicted = slices.Grow(x.evicted, first+1)
	victims, ok := p.take(first, most, x.evicted[n:n+first+1])
	x.evicted = x.evicted[:n+victims]
	return ok
}

// take puts into evicted, from the first victim on, what does not fit into the slack, and
// says how many that are, until they are too many.
func (p *pair) take(first int, most int64, evicted []int32) (n int, ok bool) {
	if p.all {
		return p.takeAll(p.at(first), most, evicted)
	}
	indices, requests, width := p.indices, p.requests, p.width
	a, b, slackA, slackB := p.a.dim-1, p.b.dim-1, p.a.slack, p.b.slack
	for place := first; place >= 0; place-- {
		i := indices[place]
		requestA, requestB := int64(requests[int(i)*width+a]), int64(requests[int(i)*width+b])
		if requestA <= slackA && requestB <= slackB {
			slackA, slackB = slackA-requestA, slackB-requestB
			continue
		}
		evicted[n] = i
		if n++; int64(n) > most {
			return n, false
		}
	}
	return n, true
}

func (p *pair) takeAll(first int, most int64, evicted []int32) (n int, ok bool) {
	requests, width := p.requests, p.width
	a, b, slackA, slackB := p.a.dim-1, p.b.dim-1, p.a.slack, p.b.slack
	i := int32(first)
	for at := first * width; at < len(requests); at += width {
		requestA, requestB := int64(requests[at+a]), int64(requests[at+b])
		if requestA <= slackA && requestB <= slackB {
			slackA, slackB = slackA-requestA, slackB-requestB
		} else {
			evicted[n] = i
			if n++; int64(n) > most {
				return n, false
			}
		}
		i++
	}
	return n, true
}
