package generate

import (
	"math"
	"slices"

	"example.com/preemption/internal/golden"
)

// shape says what cases of a family are like. Where it counts, it has a span;
// where a thing may be there or not, the chance that it is, from 0 to 1.
type shape struct {
	nodes      span    // in a case
	pods       span    // on a node, before it is filled up
	priorities []int32 // to choose from; those of preemptors lie among them
	cpu        []int64 // requests of pods to choose from

	roomy     float64 // a node is not filled up
	over      float64 // a node holds more than it has room for
	resources float64 // a resource other than cpu and memory exists
	filled    float64 // a node is filled up with a resource other than cpu
	limited   float64 // a node has a pod limit near its number of pods
	zero      float64 // a request is zero
	huge      float64 // the preemptor asks for more than a node has
	ports     float64 // a pod has host ports
	taints    float64 // a node has taints
	selector  float64 // the preemptor has a node selector
	cordoned  float64 // a node is unschedulable

	bare       float64 // a pod has no labels
	namespaces float64 // a pod or budget is in another namespace
	budgets    span    // in a case
	odd        float64 // a budget's selector matches nothing, or is invalid
	disrupted  float64 // a budget has disrupted pods

	nominated   float64 // a node has nominated pods
	own         float64 // the preemptor is nominated
	terminating float64 // a pod is terminating
	never       float64 // the preemptor must not preempt

	groups     span    // in a case
	composites span    // in a case
	chains     float64 // a group has a parent, the next composite
	strays     float64 // a reference to a group leads nowhere
	unlike     float64 // a member has a priority other than its group's
	gang       span    // members of the preempting group

	window bool // the dry run samples nodes
	starts starts
}

// span is a range of counts, both ends included.
type span struct{ min, max int }

// starts says how start times come about.
type starts int

const (
	distinct starts = iota // no two are equal
	coarse                 // many are equal
	missing                // some are missing
)

var (
	usual    = []int32{0, 10, 100, 1000}
	extremes = []int32{math.MinInt32, math.MinInt32 + 1, -1000, -1, 0, 1, 1000, math.MaxInt32 - 1, math.MaxInt32}
)

// base is what families have in common unless they say otherwise.
var base = shape{
	nodes:      span{1, 5},
	pods:       span{1, 8},
	priorities: usual,
	cpu:        []int64{50, 100, 250, 250, 500, 500, 750, 1000},
	roomy:      0.03,
	filled:     0.2,
	zero:       0.05,
	huge:       0.03,
	bare:       0.1,
}

// family is a name with a shape, and the releases that define the answers to
// such cases.
type family struct {
	name     string
	shape    shape
	releases []string // nil: all
	weight   int      // how often it has its turn; 0 means once
}

// families holds all families in the order in which Families lists them.
var families = []family{
	{name: "basic", shape: base},
	{name: "resources", shape: with(func(s *shape) {
		s.resources, s.limited, s.zero, s.over, s.huge = 0.6, 0.4, 0.2, 0.15, 0.15
	})},
	{name: "devices", weight: 3, shape: with(func(s *shape) {
		s.resources, s.filled, s.huge, s.cpu = 0.7, 0.9, 0.1, []int64{20, 50, 100}
	})},
	{name: "ports", weight: 3, shape: with(func(s *shape) { s.ports, s.nominated = 0.5, 0.2 })},
	{name: "status", weight: 3, shape: with(func(s *shape) {
		s.taints, s.selector, s.cordoned, s.huge, s.limited, s.resources = 0.3, 0.4, 0.2, 0.2, 0.2, 0.3
	})},
	{name: "taints", shape: with(func(s *shape) { s.taints, s.cordoned = 0.8, 0.2 })},
	{name: "budgets", weight: 2, shape: with(func(s *shape) {
		s.budgets, s.odd, s.disrupted, s.namespaces, s.bare = span{1, 4}, 0.6, 0.4, 0.2, 0.2
	})},
	{name: "overlap", shape: with(func(s *shape) {
		s.budgets, s.disrupted, s.bare, s.pods = span{2, 6}, 0.2, 0.02, span{3, 9}
	})},
	{name: "nominated", shape: with(func(s *shape) { s.nominated, s.own, s.limited = 0.7, 0.3, 0.2 })},
	{name: "eligibility", weight: 2, shape: with(func(s *shape) {
		s.own, s.terminating, s.never, s.taints, s.nominated = 0.7, 0.3, 0.25, 0.1, 0.2
	})},
	{name: "priorities", shape: with(func(s *shape) { s.priorities, s.nominated = extremes, 0.2 })},
	{name: "sampling", shape: with(func(s *shape) {
		s.nodes, s.pods, s.budgets, s.window, s.taints = span{3, 12}, span{1, 4}, span{0, 3}, true, 0.1
	})},
	{name: "large", shape: with(func(s *shape) {
		s.nodes, s.pods, s.budgets, s.cpu = span{4, 15}, span{10, 30}, span{0, 8}, []int64{20, 50, 100, 150}
		s.nominated, s.limited = 0.1, 0.1
	})},
	{name: "wide", shape: with(func(s *shape) {
		// Clusters of several blocks of nodes, many of which tie but for starts.
		s.nodes, s.pods, s.budgets, s.nominated = span{60, 150}, span{0, 2}, span{0, 2}, 0.05
		s.priorities, s.cpu = []int32{0, 0, 0, 10}, []int64{500, 1000}
	})},
	{name: "groups", shape: with(func(s *shape) {
		s.groups, s.strays, s.budgets, s.terminating, s.own = span{1, 4}, 0.1, span{0, 1}, 0.05, 0.15
	})},
	{name: "composite", shape: with(func(s *shape) {
		s.groups, s.composites, s.chains, s.strays = span{1, 5}, span{1, 4}, 0.5, 0.1
		s.budgets, s.nodes = span{0, 1}, span{2, 5}
	})},
	{name: "ancestry", shape: with(func(s *shape) {
		s.groups, s.composites, s.chains, s.strays = span{2, 5}, span{2, 6}, 0.95, 0.05
		s.nodes = span{2, 5}
	})},
	{name: "mixed", shape: with(func(s *shape) { mix(s) })},
	{name: "mixedgroups", shape: with(func(s *shape) {
		mix(s)
		s.groups, s.composites, s.chains, s.strays = span{1, 4}, span{0, 4}, 0.6, 0.1
	})},
	{name: "ownpriority", releases: []string{golden.Release137}, shape: with(func(s *shape) {
		s.groups, s.composites, s.chains, s.strays = span{1, 4}, span{0, 4}, 0.6, 0.1
		s.unlike, s.budgets = 0.4, span{0, 1}
	})},
	{name: "gang", releases: []string{golden.Release137, golden.Release138}, shape: with(func(s *shape) {
		s.gang, s.groups, s.ports, s.budgets, s.nodes = span{1, 4}, span{0, 2}, 0.1, span{0, 2}, span{1, 4}
	})},
	{name: "ties", releases: []string{golden.Release138}, shape: with(func(s *shape) { s.starts, s.budgets = coarse, span{0, 2} })},
	{name: "nilstart", releases: []string{golden.Release138}, shape: with(func(s *shape) { s.starts, s.budgets = missing, span{0, 2} })},
}

// with returns the base shape with changes.
func with(change func(*shape)) shape {
	s := base
	change(&s)
	return s
}

// mix gives a shape a little of everything but groups.
func mix(s *shape) {
	s.nodes = span{2, 7}
	s.resources, s.limited, s.over = 0.25, 0.15, 0.05
	s.ports, s.taints, s.selector, s.cordoned = 0.12, 0.15, 0.1, 0.05
	s.namespaces, s.budgets, s.odd, s.disrupted = 0.1, span{0, 4}, 0.3, 0.2
	s.nominated, s.own, s.terminating, s.never = 0.2, 0.2, 0.1, 0.03
}

// Families returns the names of all families.
func Families() []string { return names(func(family) bool { return true }) }

// FamiliesOf returns the names of the families whose cases have an answer in a
// release, as no rule that they meet is left open there. In 1.36 groups count
// as well: the pods in them are to be judged one by one.
func FamiliesOf(release string) []string {
	return names(func(f family) bool { return f.releases == nil || slices.Contains(f.releases, release) })
}

// turns returns the families of a release in the order of their turns.
func turns(release string) []string {
	var turns []string
	for _, name := range FamiliesOf(release) {
		i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
		for range max(families[i].weight, 1) {
			turns = append(turns, name)
		}
	}
	return turns
}

func names(keep func(family) bool) []string {
	var names []string
	for _, f := range families {
		if keep(f) {
			names = append(names, f.name)
		}
	}
	return names
}
