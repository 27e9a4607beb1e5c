package preemption

import (
	"cmp"
	"slices"
)

// CompareImportance orders victims by how much it hurts to evict them. It is
// positive if a is the more important, negative if b is, zero if neither.
// What counts, in this order:
//
//  1. the higher priority;
//  2. the kind: composite group over group over single pod;
//  3. the greater number of pods;
//  4. the earlier start of the earliest pod, where a pod that has not started
//     is the youngest of all;
//  5. the lower UID of the first pod.
//
// It is a strict weak order, and total among victims with UIDs. It allocates
// nothing.
//
// It corresponds to MoreImportantVictim of kube-scheduler 1.38; up to 1.37 a
// missing start was read from the clock and the UID did not count.
func CompareImportance(a, b *Victim) int {
	if c := cmp.Compare(a.Priority, b.Priority); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Kind, b.Kind); c != 0 {
		return c
	}
	if c := cmp.Compare(len(a.Pods), len(b.Pods)); c != 0 {
		return c
	}
	if c := cmp.Compare(b.earliest(), a.earliest()); c != 0 {
		return c
	}
	return cmp.Compare(b.Pods[0].UID, a.Pods[0].UID)
}

// MoreImportantVictim reports whether a is more important than b by
// [CompareImportance].
func MoreImportantVictim(a, b *Victim) bool { return CompareImportance(a, b) > 0 }

// sortByImportance puts the most important victims first, by compare or, if that
// is nil, by [CompareImportance]. Equals keep their order.
func sortByImportance(victims []*Victim, compare func(a, b *Victim) int) {
	if compare == nil {
		compare = CompareImportance
	}
	slices.SortStableFunc(victims, func(a, b *Victim) int { return compare(b, a) })
}
