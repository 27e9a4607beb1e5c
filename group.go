package preemption

import (
	"fmt"
)

// A PodGroup is a set of pods that belong together. Pods name their group in
// [Pod.Group].
type PodGroup struct {
	Namespace, Name string
	Priority        int32
	DisruptionMode  DisruptionMode
	// Parent names the CompositePodGroup of the same namespace above this group.
	Parent string
}

// A CompositePodGroup is a set of groups that belong together.
type CompositePodGroup struct {
	Namespace, Name string
	Priority        int32
	DisruptionMode  DisruptionMode
	// Parent names the CompositePodGroup of the same namespace above this one.
	Parent string
}

// A DisruptionMode says whether the pods below a group may be evicted one by
// one or only all together.
type DisruptionMode uint8

const (
	DisruptSingle DisruptionMode = iota // one by one, the default
	DisruptAll                          // all together
)

// maxGroupLevels is how many groups a pod can be below: its PodGroup and three
// composite ones (WorkloadMaxTreeDepth of the scheduling API).
const maxGroupLevels = 4

// Groups is an index of pod groups and composite pod groups. The nil *Groups
// has none.
type Groups struct {
	pod       map[objectKey]*PodGroup
	composite map[objectKey]*CompositePodGroup
}

// objectKey identifies a namespaced object of one kind.
type objectKey struct{ namespace, name string }

func (k objectKey) String() string { return k.namespace + "/" + k.name }

// NewGroups indexes the groups. A later group of the same kind and name takes
// the place of an earlier one; [NewCluster] rejects such input.
func NewGroups(groups []*PodGroup, composites []*CompositePodGroup) *Groups {
	g := &Groups{make(map[objectKey]*PodGroup, len(groups)), make(map[objectKey]*CompositePodGroup, len(composites))}
	for _, x := range groups {
		g.pod[objectKey{x.Namespace, x.Name}] = x
	}
	for _, x := range composites {
		g.composite[objectKey{x.Namespace, x.Name}] = x
	}
	return g
}

// A membership is what a pod's place among the groups means for its eviction.
type membership struct {
	unit     groupKey // the atomic group it goes with; zero: it goes alone
	kind     VictimKind
	priority int32 // effective
}

// groupKey identifies an atomic group: pod groups and composite ones have names
// of their own.
type groupKey struct {
	kind VictimKind
	objectKey
}

// membership resolves a pod's groups under the release's rules. The walk goes
// up from the pod's group and ends, as upstream, at a group that is not there,
// at one already seen, or after four levels; problem then says which, and what
// was found below still holds.
func (r Release) membership(p *Pod, groups *Groups) (m membership, problem string) {
	m = membership{kind: KindPod, priority: p.Priority}
	if p.Group == "" || !r.rules().groupsAreAtomic {
		return m, ""
	}
	if r.rules().membersRankAsGroup {
		m.kind = KindPodGroup
	}
	key := groupKey{KindPodGroup, objectKey{p.Namespace, p.Group}}
	var seen [maxGroupLevels]groupKey
	for level := range seen {
		for _, s := range seen[:level] {
			if s == key {
				return m, fmt.Sprintf("%s is its own ancestor", key)
			}
		}
		seen[level] = key
		g, ok := groups.get(key)
		if !ok {
			return m, fmt.Sprintf("%s is unknown", key)
		}
		if r.rules().membersRankAsGroup {
			m.priority = g.priority // the highest found so far is the root
		}
		if g.mode == DisruptAll {
			m.unit, m.kind = key, key.kind
		}
		if g.parent == "" {
			return m, ""
		}
		key = groupKey{KindCompositePodGroup, objectKey{p.Namespace, g.parent}}
	}
	return m, fmt.Sprintf("%s is more than %d levels above the pod", key, maxGroupLevels)
}

func (k groupKey) String() string { return k.kind.String() + " " + k.objectKey.String() }

// groupInfo is what the two kinds of group have in common.
type groupInfo struct {
	priority int32
	mode     DisruptionMode
	parent   string
}

func (g *Groups) get(key groupKey) (groupInfo, bool) {
	if g == nil {
		return groupInfo{}, false
	}
	if key.kind == KindCompositePodGroup {
		if c, ok := g.composite[key.objectKey]; ok {
			return groupInfo{c.Priority, c.DisruptionMode, c.Parent}, true
		}
		return groupInfo{}, false
	}
	if p, ok := g.pod[key.objectKey]; ok {
		return groupInfo{p.Priority, p.DisruptionMode, p.Parent}, true
	}
	return groupInfo{}, false
}
