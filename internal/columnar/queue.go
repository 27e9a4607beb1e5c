package columnar

import "slices"

// A promise is a block with bounds for its nodes: with fewer pods none can be cleared,
// and with as many none whose victims started later. Within a level, and for a number
// of violations, the rest of a score follows (scoreOf).
type promise struct {
	pods, start int64
	block       int
}

// before reports whether a block is to be looked into before another one.
func (p *promise) before(o *promise) bool {
	if p.pods != o.pods {
		return p.pods < o.pods
	}
	return p.start > o.start || p.start == o.start && p.block < o.block
}

// A queue is a heap of promises, the best on top: a search that ends early has sorted
// none of the rest. (container/heap would call every comparison by an interface.)
type queue []promise

// init makes a heap of what has been appended.
func (q queue) init() {
	for i := range slices.Backward(q) {
		q.down(i)
	}
}

// pop takes the best off.
func (q *queue) pop() promise {
	h := *q
	best, last := h[0], len(h)-1
	h[0] = h[last]
	*q = h[:last]
	q.down(0)
	return best
}

func (q queue) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(q) {
			return
		}
		if child+1 < len(q) && q[child+1].before(&q[child]) {
			child++
		}
		if !q[child].before(&q[i]) {
			return
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
}
