package preemption

import (
	"fmt"
	"strings"
)

// A Release pins the rules of one kube-scheduler minor. The zero value is the
// newest release known to this package, so that the default follows upstream.
//
// What differs:
//
//	rule                                1.36              1.37                  1.38
//	a pod under several budgets         charge all        stop at the first     as 1.37
//	                                                      that is overdrawn
//	empty selector, unlabelled pod      never match       never match           match
//	pod groups                          judged pod by     atomic by the highest as 1.37
//	                                    pod               ancestor with mode all
//	member of a group that is not       a pod             ranks as a group      a pod
//	atomic
//	whose priority a member has         its own           the root group's      its own
//	fits and nothing had to go          error             error                 no victims found
//	text on success                     none              node and victims      as 1.37
type Release uint8

const (
	ReleaseNewest Release = iota // the newest release, now 1.38
	Release136                   // kube-scheduler 1.36
	Release137                   // kube-scheduler 1.37
	Release138                   // kube-scheduler 1.38
)

// ParseRelease reads "1.36", "1.37" or "1.38", with or without a leading v and
// a patch version ("v1.37.2", "1.38.0-beta.0"). The empty string is
// [ReleaseNewest].
func ParseRelease(s string) (Release, error) {
	if s == "" {
		return ReleaseNewest, nil
	}
	for r := Release136; r.valid(); r++ {
		if rest, ok := strings.CutPrefix(strings.TrimPrefix(s, "v"), r.String()); ok && (rest == "" || isPatch(rest)) {
			return r, nil
		}
	}
	return ReleaseNewest, fmt.Errorf("preemption: unknown release %q: want 1.36, 1.37 or 1.38", s)
}

// isPatch reports whether s is a dot and a number, and at most a pre-release or
// build after it.
func isPatch(s string) bool {
	digits, ok := strings.CutPrefix(s, ".")
	rest := strings.TrimLeft(digits, "0123456789")
	return ok && rest != digits && (rest == "" || rest[0] == '-' || rest[0] == '+')
}

// String returns the minor version, such as "1.38".
func (r Release) String() string {
	switch r.pinned() {
	case Release136:
		return "1.36"
	case Release137:
		return "1.37"
	case Release138:
		return "1.38"
	}
	return fmt.Sprintf("Release(%d)", uint8(r))
}

// pinned resolves the zero value to the release it stands for.
func (r Release) pinned() Release {
	if r == ReleaseNewest {
		return Release138
	}
	return r
}

func (r Release) valid() bool { return r <= Release138 }

// chargesEveryBudget: before 1.37 a pod used up one disruption of each budget
// that covers it; since then the walk stops at the first one overdrawn.
func (r Release) chargesEveryBudget() bool { return r.pinned() == Release136 }

// emptySelectorMatches: since 1.38 a budget's empty selector covers its whole
// namespace, and a pod without labels can be covered.
func (r Release) emptySelectorMatches() bool { return r.pinned() >= Release138 }

// groupsAreAtomic: since 1.37 a group with disruption mode all is one victim.
func (r Release) groupsAreAtomic() bool { return r.pinned() >= Release137 }

// membersRankAsGroup: in 1.37 alone a pod that names a group ranks as a group
// even where it is evicted by itself, and has the priority of its root group.
func (r Release) membersRankAsGroup() bool { return r.pinned() == Release137 }

// emptySelectionIsError: before 1.38 a node where the preemptor fits with
// nothing evicted is an internal error for that node.
func (r Release) emptySelectionIsError() bool { return r.pinned() < Release138 }

// announcesVictims: since 1.37 the message of a successful preemption names the
// node and the number of victims.
func (r Release) announcesVictims() bool { return r.pinned() >= Release137 }
