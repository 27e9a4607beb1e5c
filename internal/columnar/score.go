package columnar

import (
	"cmp"
	"math"
)

// A Score is what clearing a node costs, by the five criteria in their order.
type Score struct {
	Violations int64 // fewer is better
	Top        int64 // own priority of the first victim's first pod; lower is better
	Sum        int64 // of (priority + 2^31) over pods; smaller is better
	Pods       int64 // fewer is better
	Start      int64 // earliest start among the pods of the highest priority; later is better
}

// worst is worse than the score of any node.
var worst = Score{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MinInt64}

// Compare is negative if s is the better one.
func (s *Score) Compare(o *Score) int {
	switch {
	case s.Violations != o.Violations:
		return cmp.Compare(s.Violations, o.Violations)
	case s.Top != o.Top:
		return cmp.Compare(s.Top, o.Top)
	case s.Sum != o.Sum:
		return cmp.Compare(s.Sum, o.Sum)
	case s.Pods != o.Pods:
		return cmp.Compare(s.Pods, o.Pods)
	}
	return cmp.Compare(o.Start, s.Start)
}

// notEarlier is a start that none is later than.
const notEarlier = math.MaxInt64

// shift makes every priority positive in a sum.
const shift = int64(math.MaxInt32) + 1

func weight(priority int32) int64 { return int64(priority) + shift }
