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
//	rule                               1.36            1.37               1.38
//	a pod under several budgets        uses up all     up to the first    as 1.37
//	                                   of them         it overdraws
//	a budget's empty selector          covers nothing  covers nothing     covers the namespace
//	a pod without labels               is never        is never           can be covered
//	                                   covered         covered
//	pods in groups                     one by one      one victim by the  as 1.37
//	                                                   highest ancestor
//	                                                   of mode all
//	a member of a group that is        a pod           ranks as a group   a pod
//	not atomic
//	whose priority a member has        its own         the root group's   its own
//	a missing start                    open            open               later than all
//	a full tie of victims              open            open               the lower UID counts more
//	fits with all victims back         an error of     an error of        no victims found
//	                                   the node        the node
//	text on success                    none            node, number of    as 1.37
//	                                                   victims
//	text on failure                    behind that of  preemption's       as 1.37
//	                                   the plugin for  alone
//	                                   claims
//	gangs                              not modelled    as follows         as follows
//	a gang that may not preempt and                    is ineligible      waits
//	whose victims are leaving
//	a gang with no potential victim                    unresolvable       unschedulable
//	nodes for its members                              as for pods        first those whose
//	                                                                      victims cost least
//	victims of a gang                                  by importance      violating ones first
//	lower nominations to its nodes                     stay               are cleared
//
// What upstream leaves open is as in 1.38 in every release.
type Release uint8

const (
	ReleaseNewest Release = iota // the newest release, now 1.38
	Release136                   // kube-scheduler 1.36
	Release137                   // kube-scheduler 1.37
	Release138                   // kube-scheduler 1.38
)

// rules are those rules of a minor that differ between minors.
type rules struct {
	minor string

	// chargesEveryBudget: a pod uses up one disruption of each budget that covers
	// it. Otherwise the walk stops at the first one overdrawn.
	chargesEveryBudget bool
	// emptySelectorMatches: a budget's empty selector covers its whole namespace,
	// and a pod without labels can be covered.
	emptySelectorMatches bool
	// groupsAreAtomic: a group with disruption mode all is one victim.
	groupsAreAtomic bool
	// membersRankAsGroup: a pod that names a group ranks as a group even where it is
	// evicted by itself, and has the priority of its root group.
	membersRankAsGroup bool
	// emptySelectionIsError: a node where the preemptor fits with nothing evicted is
	// an internal error for that node.
	emptySelectionIsError bool
	// announcesVictims: the message of a successful preemption names the node and
	// the number of victims.
	announcesVictims bool
	// claimsAnswerFirst: before preemption's answer the event has that of the plugin
	// for resource claims, which has none to deallocate for a pod without claims.
	claimsAnswerFirst bool

	// gangs: preempting groups are decided on.
	gangs bool
	// gangsWaitFirst: a gang waits for victims that are leaving its nominated nodes
	// even if its policy forbids it to preempt.
	gangsWaitFirst bool
	// gangsGiveUp: without potential victims a gang is unresolvable.
	gangsGiveUp bool
	// gangsRankNodes: members are placed first where the potential victims cost
	// least.
	gangsRankNodes bool
	// gangVictimsAsTried: a gang's victims are listed in the order in which they were
	// tried to be put back.
	gangVictimsAsTried bool
	// gangsClearNominations: pods of lower priority lose their nomination to any of
	// the nodes that a gang is placed on.
	gangsClearNominations bool
}

// releases has the rules of each minor, the oldest first.
var releases = [...]rules{
	Release136: {
		minor:              "1.36",
		chargesEveryBudget: true, emptySelectionIsError: true, claimsAnswerFirst: true,
	},
	Release137: {
		minor:           "1.37",
		groupsAreAtomic: true, membersRankAsGroup: true, emptySelectionIsError: true, announcesVictims: true,
		gangs: true, gangsGiveUp: true,
	},
	Release138: {
		minor:                "1.38",
		emptySelectorMatches: true, groupsAreAtomic: true, announcesVictims: true,
		gangs: true, gangsWaitFirst: true, gangsRankNodes: true, gangVictimsAsTried: true, gangsClearNominations: true,
	},
}

// rules returns the rules of the release; those of the newest for the zero value
// and for a release that there is not.
func (r Release) rules() *rules {
	if r == ReleaseNewest || !r.valid() {
		r = Release(len(releases) - 1)
	}
	return &releases[r]
}

// Releases returns the releases whose rules are known, the oldest first.
func Releases() []Release {
	var known []Release
	for r := ReleaseNewest + 1; r.valid(); r++ {
		known = append(known, r)
	}
	return known
}

func (r Release) valid() bool { return int(r) < len(releases) }

// ParseRelease reads "1.36", "1.37" or "1.38", with or without a leading v and
// a patch version ("v1.37.2", "1.38.0-beta.0"). The empty string is
// [ReleaseNewest].
func ParseRelease(s string) (Release, error) {
	if s == "" {
		return ReleaseNewest, nil
	}
	var minors []string
	for _, r := range Releases() {
		minor := r.String()
		if rest, ok := strings.CutPrefix(strings.TrimPrefix(s, "v"), minor); ok && (rest == "" || isPatch(rest)) {
			return r, nil
		}
		minors = append(minors, minor)
	}
	last := len(minors) - 1
	return ReleaseNewest, fmt.Errorf("preemption: unknown release %q: want %s or %s", s, strings.Join(minors[:last], ", "), minors[last])
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
	if !r.valid() {
		return fmt.Sprintf("Release(%d)", uint8(r))
	}
	return r.rules().minor
}
