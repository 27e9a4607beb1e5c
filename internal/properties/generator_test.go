package properties

import (
	"fmt"
	"math"
	"slices"
	"time"

	"example.com/preemption"
	"pgregory.net/rapid"
)

// A scenario is a random small cluster and a pod that wants to get in. Small
// numbers from short lists make ties, clashes and near misses common.
type scenario struct {
	state     preemption.ClusterState
	preemptor *preemption.Pod
}

const gpu = "example.com/gpu"

// huge is the greatest amount of which the pods of a scenario can request their
// share without the sum overflowing.
const huge = math.MaxInt64 / 32

func drawScenario(t *rapid.T) scenario {
	releases := append(preemption.Releases(), preemption.ReleaseNewest)
	return drawScenarioOf(t, rapid.SampledFrom(releases).Draw(t, "release"))
}

func drawScenarioOf(t *rapid.T, release preemption.Release) scenario {
	s := scenario{state: preemption.ClusterState{Release: release}}
	for i := range pick(t, "nodes", 2, 3, 1, 5) {
		s.state.Nodes = append(s.state.Nodes, drawNode(t, fmt.Sprintf("n%d", i)))
	}
	s.state.PodGroups, s.state.CompositePodGroups = drawGroups(t)
	for i := range pick(t, "budgets", 1, 2, 0, 4) {
		s.state.DisruptionBudgets = append(s.state.DisruptionBudgets, drawBudget(t, fmt.Sprintf("b%d", i)))
	}
	for i := range pick(t, "pods", 9, 12, 7, 16, 4, 12, 9, 0) {
		s.state.Pods = append(s.state.Pods, drawPod(t, fmt.Sprintf("p%d", i), s.state.Nodes))
	}
	s.preemptor = drawPreemptor(t)
	if oneIn(t, 3, "preemptor is known") {
		s.state.Pods = append(s.state.Pods, s.preemptor)
	}
	return s
}

func oneIn(t *rapid.T, n int, label string) bool {
	return rapid.IntRange(1, n).Draw(t, label) == n // shrinks to no
}

// pick draws one of a list, each as likely, and shrinks to the first.
func pick[T any](t *rapid.T, label string, from ...T) T {
	return rapid.SampledFrom(from).Draw(t, label)
}

func drawNode(t *rapid.T, name string) *preemption.Node {
	n := &preemption.Node{Name: name, Allocatable: preemption.Resources{
		preemption.CPU:      pick[int64](t, "cpu", 4, 3, 4, 3, 4, 3, 5, 4, 0, math.MaxInt64),
		preemption.Memory:   pick[int64](t, "memory", 8, 8, 4, 3),
		preemption.PodCount: pick[int64](t, "pod count", 10, 10, 4, 2),
	}}
	if oneIn(t, 2, "has gpu") {
		n.Allocatable[gpu] = pick[int64](t, "gpu", 1, 2)
	}
	if oneIn(t, 2, "has zone") {
		n.Labels = map[string]string{"zone": pick(t, "zone", "east", "west")}
	}
	if oneIn(t, 6, "tainted") {
		n.Taints = append(n.Taints, preemption.Taint{
			Key:    pick(t, "taint", "gpu", "old"),
			Value:  pick(t, "taint value", "", "yes"),
			Effect: pick(t, "effect", preemption.NoSchedule, preemption.NoExecute, preemption.PreferNoSchedule),
		})
	}
	n.Unschedulable = oneIn(t, 8, "cordoned")
	return n
}

// drawGroups draws both kinds of group in both namespaces, with parents that may
// be missing or form a cycle.
func drawGroups(t *rapid.T) (groups []*preemption.PodGroup, composites []*preemption.CompositePodGroup) {
	if !oneIn(t, 2, "groups") {
		return nil, nil
	}
	for _, ns := range namespaces {
		for i := range rapid.IntRange(0, 2).Draw(t, "pod groups") {
			groups = append(groups, drawPodGroup(t, ns, fmt.Sprintf("g%d", i)))
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "composite groups") {
			composites = append(composites, drawComposite(t, ns, fmt.Sprintf("c%d", i)))
		}
	}
	return groups, composites
}

func drawPodGroup(t *rapid.T, namespace, name string) *preemption.PodGroup {
	return &preemption.PodGroup{Namespace: namespace, Name: name, Priority: drawPriority(t), DisruptionMode: drawMode(t), Parent: drawParent(t)}
}

func drawComposite(t *rapid.T, namespace, name string) *preemption.CompositePodGroup {
	return &preemption.CompositePodGroup{Namespace: namespace, Name: name, Priority: drawPriority(t), DisruptionMode: drawMode(t), Parent: drawParent(t)}
}

func drawMode(t *rapid.T) preemption.DisruptionMode {
	return pick(t, "mode", preemption.DisruptSingle, preemption.DisruptAll)
}

func drawParent(t *rapid.T) string { return pick(t, "parent", "", "c0", "c1", "c2", "lost") }

var namespaces = []string{"team", "other"}

func drawNamespace(t *rapid.T) string { return pick(t, "namespace", "team", "team", "other") }

func drawPriority(t *rapid.T) int32 {
	return pick[int32](t, "priority", 1, 2, 0, 2, 1, 3, 0, 2, 1, 3, -1, math.MinInt32, math.MaxInt32)
}

func drawLabels(t *rapid.T) map[string]string {
	labels := map[string]string{}
	for _, key := range []string{"app", "tier"} {
		if v := pick(t, key, "", "x", "y"); v != "" {
			labels[key] = v
		}
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}

func drawPorts(t *rapid.T) []preemption.HostPort {
	if !oneIn(t, 4, "has port") {
		return nil
	}
	return []preemption.HostPort{{
		Protocol: pick(t, "protocol", "", "TCP", "UDP"),
		IP:       pick(t, "ip", "", "0.0.0.0", "10.0.0.1", "10.0.0.2"),
		Port:     pick[int32](t, "port", 80, 443, 0),
	}}
}

func drawRequests(t *rapid.T, amounts ...int64) preemption.Resources {
	r := preemption.Resources{preemption.CPU: pick(t, "cpu", amounts...), preemption.Memory: pick[int64](t, "memory", 1, 0, 1, 2)}
	if oneIn(t, 4, "wants gpu") {
		r[gpu] = pick[int64](t, "gpu", 1, 0, 2)
	}
	return r
}

// drawPod draws a pod that is bound, nominated, or plainly pending.
func drawPod(t *rapid.T, name string, nodes []*preemption.Node) *preemption.Pod {
	p := &preemption.Pod{
		Namespace:   drawNamespace(t),
		Name:        name,
		Labels:      drawLabels(t),
		Priority:    drawPriority(t),
		Requests:    drawRequests(t, 1, 2, 1, 2, 1, 2, 1, 1, 0, 3, huge),
		HostPorts:   drawPorts(t),
		Start:       drawStart(t),
		Termination: pick(t, "termination", preemption.NotTerminating, preemption.NotTerminating, preemption.TerminatingByPreemption, preemption.TerminatingOther),
		Group:       pick(t, "group", "", "", "g0", "g1", "lost"),
	}
	if !oneIn(t, 5, "no UID") {
		// Not in the order of names, and never the same twice.
		p.UID = fmt.Sprintf("%d-%s", rapid.IntRange(0, 9).Draw(t, "uid"), name)
	}
	switch pick(t, "place", "bound", "bound", "bound", "bound", "bound", "nominated", "nominated", "pending") {
	case "bound":
		p.NodeName = pick(t, "node", nodes...).Name
	case "nominated":
		p.NominatedNode = pick(t, "nominated node", "n0", "n1", "n2", "lost")
	}
	return p
}

func drawStart(t *rapid.T) time.Time {
	return pick(t, "start",
		time.Time{},
		time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC),
		time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC),
		time.Date(2026, 3, 1, 12, 0, 0, 1, time.FixedZone("CET", 3600)), // 11:00 and a nanosecond in UTC
		time.Unix(0, 0),
		time.Date(1066, 10, 14, 9, 0, 0, 0, time.UTC),
		time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC))
}

func drawPreemptor(t *rapid.T) *preemption.Pod {
	p := &preemption.Pod{
		Namespace: "team", Name: "preemptor", UID: pick(t, "preemptor UID", "5", ""),
		Priority:      pick[int32](t, "preemptor priority", 10, 3, 10, 3, 10, 3, 10, 2, 0, math.MaxInt32, math.MinInt32),
		Requests:      drawRequests(t, 3, 3, 3, 3, 2, 2, 2, 3, 4, 1, 0, huge),
		HostPorts:     drawPorts(t),
		NominatedNode: pick(t, "own nomination", "", "", "n0", "n1", "lost"),
	}
	if oneIn(t, 12, "never") {
		p.PreemptionPolicy = preemption.PreemptNever
	}
	if oneIn(t, 10, "picky") {
		p.NodeSelector = map[string]string{"zone": "east"}
	}
	if oneIn(t, 4, "tolerant") {
		p.Tolerations = drawTolerations(t)
	}
	return p
}

func drawTolerations(t *rapid.T) []preemption.Toleration {
	return []preemption.Toleration{{
		Key:      pick(t, "toleration", "gpu", "old", "", "node.kubernetes.io/unschedulable"),
		Operator: pick(t, "operator", preemption.TolerationExists, preemption.TolerationEqual, "", "Near"),
		Value:    pick(t, "toleration value", "", "yes"),
		Effect:   pick(t, "toleration effect", "", preemption.NoSchedule, preemption.NoExecute),
	}}
}

func drawBudget(t *rapid.T, name string) *preemption.PodDisruptionBudget {
	b := &preemption.PodDisruptionBudget{
		Namespace: drawNamespace(t), Name: name,
		Selector: drawSelector(t),
		Allowed:  pick[int32](t, "allowed", 0, 1, 2, -1, math.MinInt32),
	}
	if oneIn(t, 4, "disrupted") {
		b.Disrupted = []string{pick(t, "disrupted pod", "p0", "p1", "p2", "nobody")}
	}
	return b
}

// drawSelector draws selectors that match often, the special ones included.
func drawSelector(t *rapid.T) *preemption.Selector {
	switch pick(t, "selector", "label", "expression", "both", "empty", "nil", "invalid") {
	case "nil":
		return nil
	case "invalid":
		return &preemption.Selector{MatchExpressions: []preemption.Requirement{{Key: "app", Operator: "Like", Values: []string{"x"}}}}
	case "label":
		return &preemption.Selector{MatchLabels: map[string]string{"app": pick(t, "value", "x", "y")}}
	case "expression":
		return &preemption.Selector{MatchExpressions: []preemption.Requirement{drawRequirement(t)}}
	case "both":
		return &preemption.Selector{
			MatchLabels:      map[string]string{"tier": "x"},
			MatchExpressions: []preemption.Requirement{drawRequirement(t)},
		}
	}
	return &preemption.Selector{}
}

func drawRequirement(t *rapid.T) preemption.Requirement {
	r := preemption.Requirement{
		Key:      pick(t, "key", "app", "tier"),
		Operator: pick(t, "operator", preemption.SelectorIn, preemption.SelectorNotIn, preemption.SelectorExists, preemption.SelectorDoesNotExist),
	}
	if r.Operator == preemption.SelectorIn || r.Operator == preemption.SelectorNotIn {
		r.Values = slices.Clone([]string{"x", "y", "z"}[:rapid.IntRange(1, 3).Draw(t, "values")])
	}
	return r
}
