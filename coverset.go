package preemption

import (
	"encoding/binary"
	"slices"
)

// noCover is the number of the empty set of budgets.
const noCover = -1

// coverSets numbers the sets of budgets that bear on pods. Many pods share one.
type coverSets struct {
	sets   []coverSet
	byKey  map[string]int32
	unused []int32
}

type coverSet struct {
	over []*budgetEntry // in the order of charging
	// slots are the nodes of the pods that the set bears on, one entry a pod.
	slots []*nodeSlot
}

func newCoverSets() coverSets { return coverSets{byKey: make(map[string]int32)} }

// budgets returns the budgets of a set.
func (x *coverSets) budgets(set int32) []*budgetEntry {
	if set == noCover {
		return nil
	}
	return x.sets[set].over
}

// enter counts a pod on the node into the set of these budgets and returns its
// number.
func (x *coverSets) enter(over []*budgetEntry, slot *nodeSlot) int32 {
	if len(over) == 0 {
		return noCover
	}
	key := coverKey(over)
	set, known := x.byKey[key]
	if !known {
		if n := len(x.unused); n > 0 {
			set, x.unused = x.unused[n-1], x.unused[:n-1]
		} else {
			set = int32(len(x.sets))
			x.sets = append(x.sets, coverSet{})
		}
		x.sets[set].over = over
		x.byKey[key] = set
	}
	x.sets[set].slots = append(x.sets[set].slots, slot)
	return set
}

// leave undoes enter.
func (x *coverSets) leave(set int32, slot *nodeSlot) {
	if set == noCover {
		return
	}
	s := &x.sets[set]
	i := slices.Index(s.slots, slot)
	end := len(s.slots) - 1
	s.slots[i] = s.slots[end]
	s.slots[end] = nil
	if s.slots = s.slots[:end]; end == 0 {
		delete(x.byKey, coverKey(s.over))
		s.over = nil
		x.unused = append(x.unused, set)
	}
}

func coverKey(over []*budgetEntry) string {
	var buf [64]byte
	key := buf[:0]
	for _, e := range over {
		key = binary.LittleEndian.AppendUint32(key, uint32(e.order))
	}
	return string(key)
}
