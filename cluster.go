package preemption

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// ClusterState is what a [Cluster] is built from. The order of nodes is the
// order in which ties between them are decided, the order of pods on a node that
// in which they are shown to filters, the order of budgets that in which they
// are charged.
type ClusterState struct {
	Release Release
	Nodes   []*Node
	// Pods are bound to a node, or pending. A pending pod matters through its
	// nominated node alone; it is nominated in the order given.
	Pods               []*Pod
	PodGroups          []*PodGroup
	CompositePodGroups []*CompositePodGroup
	DisruptionBudgets  []*PodDisruptionBudget
}

// A Cluster is the state that decisions are made on, compiled under the rules of
// one release and updated in place.
//
// It keeps the caller's pointers: the objects must not be modified afterwards;
// an update hands over a new one. An update keeps an object's place in its
// order; one that is removed and added again goes last. An update that returns
// an error has changed nothing.
//
// Queries may run concurrently with each other, not with updates. The zero value
// is an empty cluster under the rules of the newest release.
type Cluster struct {
	release Release
	nodes   []*Node
	slots   []*nodeSlot // parallel to nodes
	byName  map[string]*nodeSlot
	// homes lists the nodes by number, nil where a number is vacant.
	homes  []*nodeSlot
	vacant []int32
	pods   podIndex

	// nominated lists by node name, in the order of nomination, the pending pods
	// nominated to it; the node may not exist (yet). nominations is the reverse.
	nominated   map[string][]*Pod
	nominations map[int32]string
	nominees    map[string]int // how many nominated pods have a UID

	groups *Groups
	units  map[groupKey]*groupUnit
	unitOf map[int32]*groupUnit // by pod; those evicted as plain pods have none
	// inGroup lists the bound pods that name a pod group, known or not.
	inGroup map[objectKey][]int32

	budgets budgetIndex
	covers  coverSets

	engine *engine
}

// nodeSlot is what the cluster keeps for a node.
type nodeSlot struct {
	node      *Node
	index     int   // in Cluster.nodes
	number    int32 // in Cluster.homes; stays as long as the node does
	pods      []*Pod
	committed committed // kept so that no sum that a decision can form overflows
	ports     int       // pods with host ports
}

// Release returns the release under whose rules the cluster was compiled.
func (c *Cluster) Release() Release { return c.release }

// Nodes returns the nodes in order. The slice must not be modified and is valid
// until the next update.
func (c *Cluster) Nodes() []*Node { return c.nodes }

// PodsOn returns the pods bound to the node, in the order they were added, nil
// for a node that is not the cluster's. The slice must not be modified and is
// valid until the next update.
func (c *Cluster) PodsOn(node *Node) []*Pod {
	if s := c.byName[node.Name]; s != nil && s.node == node {
		return s.pods
	}
	return nil
}

// Node returns the node of that name, nil if there is none.
func (c *Cluster) Node(name string) *Node {
	if s := c.byName[name]; s != nil {
		return s.node
	}
	return nil
}

// Pod returns the pod of that name, nil if there is none.
func (c *Cluster) Pod(namespace, name string) *Pod {
	if id := c.pods.find(namespace, name); id >= 0 {
		return c.pods.at(id).pod
	}
	return nil
}

// NominatedTo returns the pending pods nominated to the node of that name, in
// the order of nomination. The slice must not be modified and is valid until the
// next update.
func (c *Cluster) NominatedTo(node string) []*Pod { return c.nominated[node] }

// victimsOn is [Release.Victims] for a node of the cluster, from what is
// compiled. Single pods are put together afresh, in a few allocations for all.
func (c *Cluster) victimsOn(s *nodeSlot) []*Victim {
	own := *s
	own.pods = slices.Clone(s.pods) // results outlive updates
	return c.victimsIn(new(victimRoom), &own)
}

// A victimRoom is memory for the victims of one node after the other.
type victimRoom struct {
	units []*Victim
	plain []Victim // on the one node in on
	on    []*Node
}

// victimsIn is victimsOn in memory given, which its next call overwrites; pods are
// those of the slot.
func (c *Cluster) victimsIn(room *victimRoom, s *nodeSlot) []*Victim {
	room.clear(s)
	for i, p := range s.pods {
		if u := c.unitOfPod(p); u != nil {
			if v := c.victimIn(u); !slices.Contains(room.units, v) {
				room.units = append(room.units, v)
			}
			continue
		}
		v := &room.plain[len(room.units)] // which is a plain pod on this node already
		v.Priority, v.Pods = p.Priority, s.pods[i:i+1:i+1]
		room.units = append(room.units, v)
	}
	return room.units
}

// clear makes room for the victims of a node.
func (room *victimRoom) clear(s *nodeSlot) {
	if n := len(s.pods); len(room.plain) < n || room.on == nil {
		room.units, room.plain, room.on = make([]*Victim, 2*n), make([]Victim, 2*n), make([]*Node, 1)
		for i := range room.plain {
			room.plain[i].Nodes = room.on
		}
	}
	room.units, room.on[0] = room.units[:0], s.node
}

// keep replaces single pods among the victims by copies that outlive the room, and
// updates of the cluster.
func (room *victimRoom) keep(victims []*Victim) {
	on, pods, plain := slices.Clone(room.on), make([]*Pod, len(victims)), make([]Victim, len(victims))
	for i, v := range victims {
		if v.Group == "" {
			pods[i] = v.Pods[0]
			plain[i] = *v
			plain[i].Pods, plain[i].Nodes = pods[i:i+1:i+1], on
			victims[i] = &plain[i]
		}
	}
}

// unitOfPod returns the unit of a bound pod, nil if it is evicted as a plain pod.
func (c *Cluster) unitOfPod(p *Pod) *groupUnit {
	if p.Group == "" {
		return nil
	}
	return c.unitOf[c.pods.find(p.Namespace, p.Name)]
}

// Groups returns the pod groups that the cluster knows, for [Release.Victims].
// They must not be modified and are valid until the next update.
func (c *Cluster) Groups() *Groups { return c.groups }

// DisruptionBudgets returns the budgets in the order in which they are charged,
// in a new slice.
func (c *Cluster) DisruptionBudgets() []*PodDisruptionBudget {
	var budgets []*PodDisruptionBudget
	for _, e := range c.budgets.inOrder() {
		budgets = append(budgets, e.budget)
	}
	return budgets
}

// A Warning is something in a cluster that is not an error and is likely not
// what was meant. The rules say what a decision makes of it.
type Warning struct {
	Kind WarningKind
	// Object names what is at fault, as its kind and name.
	Object string
	// Problem says what is wrong with it and what comes of that.
	Problem string
}

// String returns the warning on one line.
func (w Warning) String() string { return w.Object + ": " + w.Problem }

// WarningKind says what a [Warning] is about.
type WarningKind uint8

const (
	// WarnNoPodLimit: a node does not say how many pods it takes, so it takes none.
	WarnNoPodLimit WarningKind = iota
	// WarnAncestry: the groups above a bound pod cannot be resolved to the end: one
	// is unknown, is its own ancestor, or lies too many levels up. What was found
	// below still holds.
	WarnAncestry
	// WarnBadSelector: a budget's selector is not valid; the budget covers no pod.
	WarnBadSelector
	// WarnLostNomination: a pod is nominated to a node that is not there. The
	// nomination counts once the node comes.
	WarnLostNomination
)

// Warnings lists what is wrong with the cluster without being an error: one
// warning a problem, nodes first in their order, then pod groups by the
// namespace and name of the group at fault, then budgets in their order, then
// nominations by the name of the node. It costs O(nodes + pods + budgets).
func (c *Cluster) Warnings() []Warning {
	var warnings []Warning
	for _, n := range c.nodes {
		if _, ok := n.Allocatable[PodCount]; !ok {
			warnings = append(warnings, Warning{WarnNoPodLimit, "node " + n.Name,
				fmt.Sprintf("its allocatable does not name %q, so it takes no pod", PodCount)})
		}
	}
	warnings = append(warnings, c.ancestryWarnings()...)
	for _, e := range c.budgets.inOrder() {
		if err := e.budget.Selector.Validate(); err != nil {
			warnings = append(warnings, Warning{WarnBadSelector, "disruption budget " + e.budget.String(),
				fmt.Sprintf("its selector is not valid, so it covers no pod: %v", err)})
		}
	}
	for _, node := range slices.Sorted(maps.Keys(c.nominated)) {
		if c.byName[node] != nil {
			continue
		}
		for _, p := range c.nominated[node] {
			warnings = append(warnings, Warning{WarnLostNomination, "pod " + p.String(),
				"it is nominated to node " + node + ", which is unknown; the nomination counts once the node comes"})
		}
	}
	return warnings
}

// ancestryWarnings finds the pod groups with bound pods whose walk up does not
// end at a root. All pods of a group share its walk, so each is named once.
func (c *Cluster) ancestryWarnings() []Warning {
	seen := make(map[objectKey]bool)
	type fault struct {
		key     objectKey
		problem string
	}
	var faults []fault
	for _, n := range c.nodes {
		for _, p := range c.PodsOn(n) {
			key := objectKey{p.Namespace, p.Group}
			if p.Group == "" || seen[key] {
				continue
			}
			seen[key] = true
			if _, problem := c.release.membership(p, c.groups); problem != "" {
				faults = append(faults, fault{key, problem})
			}
		}
	}
	slices.SortFunc(faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.key.namespace, b.key.namespace), cmp.Compare(a.key.name, b.key.name))
	})
	var warnings []Warning
	for _, f := range faults {
		warnings = append(warnings, Warning{WarnAncestry, KindPodGroup.String() + " " + f.key.String(),
			"its ancestry ends where it should not: " + f.problem})
	}
	return warnings
}
