package preemption

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// A Victim is a unit of eviction: one pod, or all pods of an atomic group,
// wherever they run. It goes whole or not at all.
type Victim struct {
	Kind VictimKind
	// Group names the atomic group, "" where the victim is a single pod.
	Group string
	// Priority is the effective one: whether the victim may be evicted, and how
	// important it is, goes by it. See [Release].
	Priority int32
	// Pods are the pods that go together, by UID. There is at least one.
	Pods []*Pod
	// Nodes tells where they run: Pods[i] on Nodes[i].
	Nodes []*Node

	cached cachedStart
}

// cachedStart is the earliest start of a group of a cluster's, which no caller
// modifies, and the list of pods whose start it is: a copy that has come to have
// other pods goes by those.
type cachedStart struct {
	of    **Pod
	pods  int
	start int64
}

// VictimKind ranks victims of equal priority: the greater is the more important.
type VictimKind uint8

const (
	KindPod VictimKind = iota
	KindPodGroup
	KindCompositePodGroup
)

// String returns the kind in the words of the API.
func (k VictimKind) String() string {
	switch k {
	case KindPodGroup:
		return "PodGroup"
	case KindCompositePodGroup:
		return "CompositePodGroup"
	}
	return "Pod"
}

// NewPodVictim returns a single pod on its node as a victim, with the pod's own
// priority. See [Release.PodVictim] for pods in groups.
func NewPodVictim(p *Pod, on *Node) *Victim {
	return &Victim{Priority: p.Priority, Pods: []*Pod{p}, Nodes: []*Node{on}}
}

// PodVictim returns a single pod on its node as a victim by the release's rules,
// with the rank and the priority that its groups give it, even where it would
// have to be evicted with others.
func (r Release) PodVictim(p *Pod, on *Node, groups *Groups) *Victim {
	v := NewPodVictim(p, on)
	m, _ := r.membership(p, groups)
	v.Priority = m.priority
	if r.rules().membersRankAsGroup && p.Group != "" {
		v.Kind = KindPodGroup
	}
	return v
}

// Start returns the earliest start of the victim's pods, the zero time if none
// has started.
func (v *Victim) Start() time.Time {
	var earliest time.Time
	for _, p := range v.Pods {
		if !p.Start.IsZero() && (earliest.IsZero() || p.Start.Before(earliest)) {
			earliest = p.Start
		}
	}
	return earliest
}

// earliest is Start as a number that orders as the times do.
func (v *Victim) earliest() int64 {
	if c := &v.cached; c.of == &v.Pods[0] && c.pods == len(v.Pods) {
		return c.start
	}
	first := int64(notStarted)
	for _, p := range v.Pods {
		first = min(first, startOf(p.Start))
	}
	return first
}

// String returns the pod's namespace and name, or the group's with its kind.
func (v *Victim) String() string {
	if v.Group == "" {
		return v.Pods[0].String()
	}
	return v.Kind.String() + " " + v.Pods[0].Namespace + "/" + v.Group
}

// affected calls f for each distinct node that a pod of the victim runs on, in
// the order of Pods, until f returns false. It reports whether f never did.
func (v *Victim) affected(f func(*Node) bool) bool {
	if len(v.Nodes) == 1 {
		return f(v.Nodes[0])
	}
	seen := make(map[*Node]bool)
	for _, n := range v.Nodes {
		if !seen[n] && !f(n) {
			return false
		}
		seen[n] = true
	}
	return true
}

// A View is a read-only look at a cluster: its nodes in order, the pods bound to
// each, and those nominated to it. [Cluster] is one. A filter needs it to see the pods of the node it is
// asked about, and to look beyond that node.
type View interface {
	Nodes() []*Node
	// PodsOn returns the pods bound to the node, in the order they were added.
	// The slice must not be modified, and stays as it is during a decision.
	PodsOn(node *Node) []*Pod
	// NominatedTo returns the pending pods nominated to the node of that name, in
	// the order of nomination. The slice must not be modified. Those that hold their
	// place there against the preemptor are added to its dry run for the fit test, so
	// a filter with limits across nodes counts those of the other nodes.
	NominatedTo(node string) []*Pod
}

// Victims groups the pods on a node into units of eviction by the rules of the
// newest release. See [Release.Victims].
func Victims(node *Node, view View, groups *Groups) []*Victim {
	return ReleaseNewest.Victims(node, view, groups)
}

// Victims groups the pods on a node into units of eviction: a pod by itself, or,
// where the highest ancestor with mode all makes it part of an atomic group, the
// whole group with its members on other nodes. The units come in the order of
// their first pod on the node, whatever their priority. A unit whose pods differ
// in effective priority has the highest.
//
// The cost is O(pods on the node), and O(pods of the cluster) if one of them is
// in an atomic group. It corresponds to GetVictimsOnNode of kube-scheduler.
func (r Release) Victims(node *Node, view View, groups *Groups) []*Victim {
	pods := view.PodsOn(node)
	units := make([]*Victim, 0, len(pods))
	var atomic map[groupKey]*Victim
	for _, p := range pods {
		m, _ := r.membership(p, groups)
		if m.unit == (groupKey{}) {
			v := NewPodVictim(p, node)
			v.Kind, v.Priority = m.kind, m.priority
			units = append(units, v)
			continue
		}
		if atomic == nil {
			atomic = r.atomicGroups(view, groups)
		}
		if v := atomic[m.unit]; !slices.Contains(units, v) {
			units = append(units, v)
		}
	}
	return units
}

// atomicGroups collects the atomic groups of the cluster with their bound pods.
func (r Release) atomicGroups(view View, groups *Groups) map[groupKey]*Victim {
	units := make(map[groupKey]*Victim)
	for _, n := range view.Nodes() {
		for _, p := range view.PodsOn(n) {
			m, _ := r.membership(p, groups)
			if m.unit == (groupKey{}) {
				continue
			}
			v := units[m.unit]
			if v == nil {
				v = &Victim{Kind: m.kind, Group: m.unit.name, Priority: m.priority}
				units[m.unit] = v
			}
			v.join(p, n, m.priority)
		}
	}
	for _, v := range units {
		v.sortPods()
	}
	return units
}

// join adds a pod to a group's victim; sortPods must follow the last one.
func (v *Victim) join(p *Pod, on *Node, priority int32) {
	v.Pods = append(v.Pods, p)
	v.Nodes = append(v.Nodes, on)
	v.Priority = max(v.Priority, priority)
}

// compareSeats orders the pods of a group.
func compareSeats(a, b *Pod) int {
	return cmp.Or(cmp.Compare(a.UID, b.UID), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// sortPods puts the pods in the order of UID, then namespace and name. Upstream
// leaves the order to a map.
func (v *Victim) sortPods() {
	type seat struct {
		pod *Pod
		on  *Node
	}
	seats := make([]seat, len(v.Pods))
	for i := range seats {
		seats[i] = seat{v.Pods[i], v.Nodes[i]}
	}
	slices.SortFunc(seats, func(a, b seat) int { return compareSeats(a.pod, b.pod) })
	for i, s := range seats {
		v.Pods[i], v.Nodes[i] = s.pod, s.on
	}
}

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
	if compare != nil {
		slices.SortStableFunc(victims, func(a, b *Victim) int { return compare(b, a) })
		return
	}
	if len(victims) <= few {
		sortFew(victims)
	} else {
		sortMany(victims)
	}
}

const (
	few  = 64 // as many as a node mostly has
	many = 2 * few
)

// sortFew puts each victim in its place among those before it. What CompareImportance
// looks at is found out once for each.
func sortFew(victims []*Victim) {
	var (
		ranks  [few]int64
		starts [few]int64
		sorted [few]*Victim
	)
	for i, v := range victims {
		rank, start := v.rank(), v.earliest()
		at := i
		for ; at > 0; at-- {
			o := at - 1
			if ranks[o] > rank || ranks[o] == rank && (starts[o] < start || starts[o] == start && sorted[o].Pods[0].UID <= v.Pods[0].UID) {
				break
			}
			ranks[at], starts[at], sorted[at] = ranks[o], starts[o], sorted[o]
		}
		ranks[at], starts[at], sorted[at] = rank, start, v
	}
	copy(victims, sorted[:len(victims)])
}

// sortMany does the same, in a time that does not grow with the square.
func sortMany(victims []*Victim) {
	type key struct {
		rank  int64
		start int64
		at    int
	}
	var (
		someKeys    [many]key
		someVictims [many]*Victim
	)
	keys, unsorted := someKeys[:0], append(someVictims[:0], victims...)
	for i, v := range victims {
		keys = append(keys, key{v.rank(), v.earliest(), i})
	}
	slices.SortFunc(keys, func(a, b key) int {
		switch {
		case a.rank != b.rank:
			return cmp.Compare(b.rank, a.rank)
		case a.start != b.start:
			return cmp.Compare(a.start, b.start)
		}
		return cmp.Or(cmp.Compare(unsorted[a.at].Pods[0].UID, unsorted[b.at].Pods[0].UID), a.at-b.at)
	})
	for i := range keys {
		victims[i] = unsorted[keys[i].at]
	}
}

// rank is all that counts before the start as one number, greater for the more important:
// priority, kind, and the number of pods, of which there is room for 16 million.
func (v *Victim) rank() int64 {
	return int64(v.Priority)<<32 | int64(v.Kind)<<24 | int64(len(v.Pods))
}

// describe names the victim, with the number of its pods if it is a group.
func (v *Victim) describe() string {
	if v.Group == "" {
		return v.String()
	}
	return fmt.Sprintf("%s (%s)", v, plural(len(v.Pods), "pod"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
