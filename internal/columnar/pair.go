package columnar

import (
	"math"
	"slices"

	"example.com/preemption/internal/score"
)

// Most nodes are short of one thing or two, and most rows are gone through whoever
// violates. Loops over just that have few enough variables to stay in registers; cut and
// takeFrom are their slow twins.

// A pair is a row's requests in two dimensions that are short, the same one twice where
// there is no other.
type pair struct {
	requests []int64
	width    int
	a, b     *shortage
}

func (x *search) pairOf(r *row) pair {
	return pair{r.requests, int(r.width), &x.short[0], &x.short[len(x.short)-1]}
}

// cut returns the least important resident that, with those behind it, makes up for what
// is missing, and notes what they leave beyond that.
func (p pair) cut() int {
	i, at, a, b := len(p.requests)/p.width, len(p.requests), p.a.dim-1, p.b.dim-1
	for missingA, missingB := p.a.missing, p.b.missing; i > 0; {
		i--
		at -= p.width
		missingA -= p.requests[at+a]
		missingB -= p.requests[at+b]
		if missingA <= 0 && missingB <= 0 {
			p.a.slack, p.b.slack = -missingA, -missingB
			return i
		}
	}
	return none
}

// reaches reports whether so many victims could make up for what is missing, each as
// large as the largest from the first one on.
func (p pair) reaches(first int, victims int64) bool {
	a, b, largestA, largestB := p.a.dim-1, p.b.dim-1, int64(0), int64(0)
	for at := first * p.width; at < len(p.requests); at += p.width {
		largestA, largestB = max(largestA, p.requests[at+a]), max(largestB, p.requests[at+b])
	}
	return times(largestA, victims) >= p.a.missing && times(largestB, victims) >= p.b.missing
}

// takePair is takeFrom.
func (x *search) takePair(r *row, first int, most limit) bool {
	p := x.pairOf(r)
	if most.victims < math.MaxInt32 && !p.reaches(first, most.victims) {
		return false
	}
	x.begun()
	n := len(x.evicted)
	x.evicted = slices.Grow(x.evicted, len(r.residents))
	victims, ok := p.take(r.residents, first, most.sum, x.evicted[n:n+len(r.residents)])
	x.evicted = x.evicted[:n+victims]
	return ok && int64(victims) <= most.victims
}

// take puts into evicted, from the first victim on, what does not fit into the slack, and
// says how many that are, until they weigh more than a sum.
func (p pair) take(residents []Resident, first int, sum int64, evicted []int32) (n int, ok bool) {
	at, a, b, slackA, slackB := first*p.width, p.a.dim-1, p.b.dim-1, p.a.slack, p.b.slack
	for i := first; i < len(residents); i++ {
		requestA, requestB := p.requests[at+a], p.requests[at+b]
		at += p.width
		if requestA <= slackA && requestB <= slackB {
			slackA, slackB = slackA-requestA, slackB-requestB
			continue
		}
		evicted[n] = int32(i)
		n++
		if sum -= score.Weight(residents[i].Priority); sum < 0 {
			return n, false
		}
	}
	return n, true
}
