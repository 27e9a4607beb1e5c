package columnar

import "example.com/preemption/internal/score"

// A Query asks for the best node to clear.
type Query struct {
	Priority int32 // only residents of lower priority may go
	// Demands are the dimensions in which the preemptor requests more than zero,
	// its seat last.
	Demands []Demand
	// Open says whether a node is in question at all; it is asked at most once a
	// node. Nil: all are.
	Open func(node int) bool
	// Blocked reports whether the preemptor can not run beside a pod of the node,
	// for reasons other than the dimensions. Nil: beside all.
	Blocked func(node int, ref int32) bool
	// Self reports whether a held pod is the preemptor itself.
	Self func(ref int32) bool
	// Spared reports whether a resident of lower priority may not go all the same.
	// Nil: all may.
	Spared func(node int, ref int32) bool
	// Judge has a say beside arithmetic. Nil: arithmetic is all there is. It has none
	// with a Policy.
	Judge  Judge
	Policy Policy
	// Hard decides on a node whose search for the best set had to end early. It says
	// what clearing the node costs and which residents go.
	Hard func(node int) (found score.Score, goes func(ref int32) bool, ok bool)
	// Kind is the same, and not zero, for queries to which Open answers alike and Self
	// alike for all pods held, so that what one found out the next need not.
	Kind int64
}

// A Judge has the last word on nodes that arithmetic can clear, where something
// that the table does not know has a say. It can only refuse what arithmetic
// accepts. Residents are given by their references.
type Judge interface {
	// Begin turns to a node, with every resident in place, and reports whether it is
	// in question at all. Room tells whether arithmetic has room for the preemptor
	// with no resident evicted.
	Begin(node int, room bool) bool
	// Accepts reports whether the judge lets stay what arithmetic keeps. If not,
	// every resident is in place again, and it goes one by one.
	Accepts(node int, evicted []int32, grouped bool) bool
	// Remove takes a resident out, Fits asks about what is left, and PutBack puts a
	// resident back unless arithmetic has no room beside it or the judge refuses it.
	Remove(ref int32)
	Fits() bool
	PutBack(ref int32, room bool) bool
}

// A Demand is an amount of more than zero in one dimension.
type Demand struct {
	Dim    int
	Amount int64
}

// Stats count the work of a search.
type Stats struct {
	Blocks    int // blocks looked into
	Nodes     int // nodes looked at one by one
	Evaluated int // nodes evaluated beyond the first victim
	Idle      int // nodes on which, evaluated, nothing would have to go
}

// Scratch is memory that searches reuse. It is used by one at a time.
type Scratch struct {
	Stats    Stats
	closed   []uint64 // by block: nodes evaluated, out of question, or worse than the best
	slack    []int64
	evicted  []int32
	best     []int32 // residents evicted on the best node, as indices
	short    []shortage
	others   []int32 // residents that do not violate, as indices
	queue    queue
	indices  []int32 // of violators
	pods     []int32 // of these
	left     []int64 // what budgets have left during an evaluation
	charged  []int32 // budgets to restore in left
	stamp    []bool
	allowed  []int32 // by cover, plus two: what allows returns; 0 if not looked at
	refs     []int32
	spared   []bool // by resident, during an evaluation
	memory   memory
	policies policyScratch
	fetched  uint32 // means nothing: what fetch reads has to go somewhere
}
