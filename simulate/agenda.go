package simulate

import (
	"cmp"
	"container/heap"
	"time"
)

// A moment is what sets apart the things that happen at one instant, in the order
// in which they happen.
type moment uint8

const (
	momentEnd     moment = iota // a terminating pod is gone
	momentHealthy               // a placed pod becomes healthy
	momentOutside               // departures and arrivals
	momentCycle                 // scheduling cycles
)

// An item is something that is going to happen.
type item struct {
	at     time.Duration
	moment moment
	// What orders the cycles of one instant. Of other things the name tells.
	priority int32
	queued   time.Duration
	uid      string
	name     string
	void     bool // it has been called off
	do       func() error
}

func (a *item) before(b *item) bool {
	return cmp.Or(
		cmp.Compare(a.at, b.at),
		cmp.Compare(a.moment, b.moment),
		cmp.Compare(b.priority, a.priority),
		cmp.Compare(a.queued, b.queued),
		cmp.Compare(a.uid, b.uid),
		cmp.Compare(a.name, b.name),
	) < 0
}

// An agenda holds what is going to happen, the next thing first.
type agenda []*item

func (a *agenda) add(x *item) { heap.Push((*heapOf)(a), x) }

// peek returns the next thing, nil if there is none.
func (a *agenda) peek() *item {
	for len(*a) > 0 {
		if x := (*a)[0]; !x.void {
			return x
		}
		heap.Pop((*heapOf)(a))
	}
	return nil
}

// next takes the next thing off the agenda. There must be one.
func (a *agenda) next() *item {
	a.peek()
	return heap.Pop((*heapOf)(a)).(*item)
}

// heapOf keeps container/heap's methods off the agenda.
type heapOf []*item

func (h heapOf) Len() int           { return len(h) }
func (h heapOf) Less(i, j int) bool { return h[i].before(h[j]) }
func (h heapOf) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heapOf) Push(x any)        { *h = append(*h, x.(*item)) }
func (h *heapOf) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return x
}
