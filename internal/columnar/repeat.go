package columnar

import (
	"cmp"
	"slices"

	"example.com/preemption/internal/score"
)

// A memory is what a Scratch knows from queries that asked the same, one after
// another: preemptors of one job, each decision entered into the table before the
// next. Between two of them few rows change, so the score of a node that was
// evaluated is still its score.
//
// It holds on to two facts, both as of the same change of the table:
//
//   - score[n] is exact for every node in state known, and a node in state unclearable
//     cannot be cleared;
//   - every other node is worse than limit on limitNode.
//
// Rows that have changed since are evaluated first. If the best of what is known is
// then within the limit it is the answer; if not, a search over the nodes that are
// not known begins with that best, and sets the limit to what it finds.
type memory struct {
	table    *Table
	kind     int64
	priority int32
	demands  []Demand

	asked      int // how often in a row; what is asked once is not worth remembering
	changes    uint64
	state      []nodeState
	settled    []uint64      // by block: nodes whose state is not unknown
	score      []score.Score // by node, of those known
	best       bestFirst     // what is known, and some of what was
	limit      score.Score
	limitNode  int
	changed    []int32 // rows to evaluate again
	looksAhead bool    // a search compares with more than the best
	idle       bool    // there was an idle node, which the next query has to come upon too
}

type nodeState uint8

const (
	unknown nodeState = iota
	known
	unclearable
)

// recall readies the memory for a query, and reports whether it has the answer.
func (x *search) recall() bool {
	// Only what the table knows of may have a part in the score of a node.
	m := &x.memory
	if x.Kind == 0 || x.odd > 0 || x.Judge != nil || x.Blocked != nil || x.Spared != nil || !x.Policy.IsZero() {
		m.asked = 0
		return false
	}
	if m.idle || m.table != x.Table || m.kind != x.Kind || m.priority != x.Priority || !slices.Equal(m.demands, x.Demands) {
		*m = memory{table: x.Table, kind: x.Kind, priority: x.Priority, demands: append(m.demands[:0], x.Demands...),
			asked: 1, state: m.state, settled: m.settled, score: m.score, best: m.best[:0], changed: m.changed[:0]}
		return false
	}
	if m.asked++; m.asked == 1 {
		return false // after one that is not remembered
	}

	// The second of a kind begins to record. So does one before which too much has
	// changed: a new search costs less then.
	changed, ok := x.journal.since(m.changes, m.changed[:0])
	m.changed, m.changes = changed, x.journal.count
	if m.asked == 2 || !ok || len(changed) > len(x.rows)/8 {
		m.forget(len(x.rows))
		return false
	}

	// What changed is evaluated again. What is known is closed to the search.
	x.bestNode, x.bestScore = -1, score.Worst
	// A row may be in the journal several times, and is evaluated once.
	for _, node := range changed {
		m.state[node] = unknown
	}
	for _, node := range changed {
		if m.state[node] == unknown {
			x.remember(int(node))
		}
	}
	copy(x.closed, m.settled)

	// Is the best of what is known the best of all?
	m.winnow()
	if len(m.best) == 0 {
		return false
	}
	if limit := (nodeScore{m.limit, int32(m.limitNode)}); !limit.before(&m.best[0]) {
		x.choose()
		return true
	}

	// If not, the search looks for more than this decision takes: for all that is
	// better than what comes some places behind.
	x.bestNode, x.bestScore = m.ahead()
	m.looksAhead = true
	return false
}

// Entries of the heap are not taken out when their row changes: they are dropped when
// they come to the top.

// winnow drops entries from the top of the heap that are of rows that changed since.
func (m *memory) winnow() {
	for len(m.best) > 0 && !m.holds(m.best[0]) {
		m.best.pop()
	}
}

// lookahead is how many decisions one search is to serve, more or less.
const lookahead = 64

// ahead returns the node so many places behind the best known.
func (m *memory) ahead() (int, score.Score) {
	var first []nodeScore
	for len(m.best) > 0 && len(first) < lookahead {
		first = append(first, m.best.pop())
		m.winnow()
	}
	for _, e := range first {
		m.best.push(e)
	}
	last := first[len(first)-1]
	return int(last.node), last.score
}

// holds reports whether an entry of the heap is what is known.
func (m *memory) holds(e nodeScore) bool {
	return m.state[e.node] == known && m.score[e.node] == e.score
}

// recording reports whether evaluations are for keeps.
func (x *search) recording() bool { return x.memory.asked > 1 }

// remember is evaluate for keeps: the score is found to the end, whatever the best so
// far is.
func (x *search) remember(node int) {
	m := &x.memory
	x.close(node)
	m.settled[node/blockSize] |= 1 << (node % blockSize)
	m.state[node] = unclearable
	if !x.isOpen(node) {
		return
	}

	found, ok := x.clearFully(node)
	switch {
	case !ok:
		return
	case len(x.evicted) == 0:
		x.Stats.Idle++
		m.idle = true
		return
	}

	// What looks ahead records without taking: the best is chosen at the end.
	m.state[node], m.score[node] = known, found
	m.best.push(nodeScore{found, int32(node)})
	if !m.looksAhead && !x.worse(&found, node) {
		x.bestNode, x.bestScore = node, found
		x.best, x.evicted = x.evicted, x.best
	}
}

// clearFully is clearNode with nothing to compare with, so that it does not end early.
func (x *search) clearFully(node int) (found score.Score, ok bool) {
	// A score that an evaluation gave up on would not be exact.
	bestNode, bestScore := x.bestNode, x.bestScore
	x.bestNode, x.bestScore = -1, score.Worst
	violations, ok := x.clearNode(node)
	x.bestNode, x.bestScore = bestNode, bestScore
	if !ok {
		return score.Score{}, false
	}
	return x.score(&x.rows[node], violations), true
}

// conclude ends a search that recorded: what is still unknown is worse than what it
// compared with.
func (x *search) conclude() {
	m := &x.memory
	if !x.recording() {
		return
	}
	m.limit, m.limitNode, m.looksAhead = x.bestScore, x.bestNode, false
	if m.winnow(); len(m.best) == 0 {
		m.asked = 0
		return
	}
	x.choose()
}

// choose takes the best of what is known, and finds again what goes there.
func (x *search) choose() {
	x.bestNode, x.bestScore = int(x.memory.best[0].node), x.memory.best[0].score
	x.clearFully(x.bestNode)
	x.best, x.evicted = x.evicted, x.best
}

// forget begins anew.
func (m *memory) forget(nodes int) {
	m.state = slices.Grow(m.state[:0], nodes)[:nodes]
	m.score = slices.Grow(m.score[:0], nodes)[:nodes]
	m.best = slices.Grow(m.best[:0], nodes/2)
	m.settled = slices.Grow(m.settled[:0], blocksOf(nodes))[:blocksOf(nodes)]
	clear(m.state)
	clear(m.settled)
}

// A nodeScore is what it costs to clear a node.
type nodeScore struct {
	score score.Score
	node  int32
}

// before reports whether a is better: by score, and of equals by node.
func (a *nodeScore) before(b *nodeScore) bool {
	return cmp.Or(a.score.Compare(&b.score), cmp.Compare(a.node, b.node)) < 0
}

// bestFirst is a binary heap, the best at index zero.
type bestFirst []nodeScore

func (h *bestFirst) push(e nodeScore) {
	list := append(*h, e)
	*h = list
	i := len(list) - 1
	for i > 0 && e.before(&list[(i-1)/2]) {
		list[i] = list[(i-1)/2]
		i = (i - 1) / 2
	}
	list[i] = e
}

func (h *bestFirst) pop() nodeScore {
	list := *h
	top, e := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*h = list
	for i := 0; i < len(list); {
		child := 2*i + 1
		if child+1 < len(list) && list[child+1].before(&list[child]) {
			child++
		}
		if child >= len(list) || e.before(&list[child]) {
			list[i] = e
			break
		}
		list[i] = list[child]
		i = child
	}
	return top
}

// A journal lists the nodes whose score may have changed, in the order of the
// changes, as far back as it is worth looking.
type journal struct {
	count uint64
	nodes []int32 // the last of them
}

// longest is how many changes are kept at least.
const longest = 4096

func (j *journal) note(node int) {
	if len(j.nodes) == 2*longest {
		j.nodes = j.nodes[:copy(j.nodes, j.nodes[longest:])]
	}
	j.nodes = append(j.nodes, int32(node))
	j.count++
}

// forget counts a change that may touch any node: from before it, nothing is known.
func (j *journal) forget() {
	j.nodes = j.nodes[:0]
	j.count++
}

// since appends the nodes noted after a count of changes. It reports false if it does
// not know all of them.
func (j *journal) since(count uint64, nodes []int32) ([]int32, bool) {
	missing := j.count - count
	if missing > uint64(len(j.nodes)) {
		return nodes, false
	}
	return append(nodes, j.nodes[uint64(len(j.nodes))-missing:]...), true
}
