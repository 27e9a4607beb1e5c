package properties

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"example.com/preemption"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A cluster that has been updated, whatever the updates, answers as one built
// afresh from what should be there by then; and an update fails exactly if
// that state, or the update as such, is invalid, and then changes nothing.
func TestUpdatesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		m := &ledgerOfUpdates{cluster: newCluster(t, s.state), state: s.state, preemptors: []*preemption.Pod{s.preemptor, drawPreemptor(t)}}
		m.state.Pods = slices.Clone(s.state.Pods)
		if oneIn(t, 6, "zero value") {
			m.cluster, m.state = &preemption.Cluster{}, preemption.ClusterState{}
		}
		actions := m.updates()
		actions["Clone"] = m.clone
		actions[""] = m.check
		t.Repeat(actions)
		m.checkOriginals(t)
	})
}

// updates are all there are, by name.
func (m *ledgerOfUpdates) updates() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"AddNode":                 m.addNode,
		"UpdateNode":              m.updateNode,
		"RemoveNode":              m.removeNode,
		"AddPod":                  m.addPod,
		"AddPodAgain":             m.addPod,
		"UpdatePod":               m.updatePod,
		"RemovePod":               m.removePod,
		"Nominate":                m.nominate,
		"SetPodGroup":             m.setPodGroup,
		"RemovePodGroup":          m.removePodGroup,
		"SetCompositePodGroup":    m.setComposite,
		"RemoveCompositePodGroup": m.removeComposite,
		"SetBudget":               m.setBudget,
		"TouchNode":               m.touchNode,
		"TouchPod":                m.touchPod,
		"TouchPodGroup":           m.touchPodGroup,
		"TouchCompositePodGroup":  m.touchComposite,
		"TouchBudget":             m.touchBudget,
		"NominateAgain":           m.nominateAgain,
		"RemoveBudget":            m.removeBudget,
	}
}

// ledgerOfUpdates is a cluster and what it should be like.
type ledgerOfUpdates struct {
	cluster    *preemption.Cluster
	state      preemption.ClusterState
	nominated  map[*preemption.Pod]string // by Nominate, in place of what the pod says
	preemptors []*preemption.Pod
	failed     bool // the last update
	originals  []original
}

// original is a cluster that a clone took the place of, and what it was like.
type original struct {
	cluster *preemption.Cluster
	lines   []string
}

// clone goes on with a copy.
func (m *ledgerOfUpdates) clone(*rapid.T) {
	m.originals = append(m.originals, original{m.cluster, m.describe(m.cluster)})
	m.cluster = m.cluster.Clone()
}

// checkOriginals makes sure that what was done to copies did not reach them.
func (m *ledgerOfUpdates) checkOriginals(t *rapid.T) {
	for _, o := range m.originals {
		if diff := cmp.Diff(o.lines, m.describe(o.cluster)); diff != "" {
			t.Fatalf("the original of a clone (-before +after):\n%s", diff)
		}
	}
}

func (m *ledgerOfUpdates) describe(c *preemption.Cluster) []string {
	lines := tracer{}.cluster(c, m)
	for _, p := range m.preemptors {
		lines = append(lines, tracer{}.decision(c, p)...)
		lines = append(lines, tracer{}.fast(c, p))
	}
	return lines
}

func (m *ledgerOfUpdates) home(p *preemption.Pod) string {
	if p.NodeName != "" {
		return p.NodeName
	}
	if node, ok := m.nominated[p]; ok {
		return node
	}
	return p.NominatedNode
}

// invalid says what is wrong with a state, in big numbers.
func (m *ledgerOfUpdates) invalid() string {
	sums := map[string]*big.Int{}
	for _, n := range m.state.Nodes {
		for name, q := range n.Allocatable {
			if q < 0 {
				return "negative allocatable"
			}
			sums[n.Name+" "+name] = new(big.Int)
		}
		if n.Name == "" {
			return "node without a name"
		}
	}
	known := func(node string) bool {
		return slices.ContainsFunc(m.state.Nodes, func(n *preemption.Node) bool { return n.Name == node })
	}
	for _, p := range m.state.Pods {
		if p.NodeName != "" && !known(p.NodeName) {
			return "unknown node"
		}
		for name, q := range p.Requests {
			key := m.home(p) + " " + name
			if q < 0 {
				return "negative request"
			}
			if sums[key] == nil {
				sums[key] = new(big.Int)
			}
			if sums[key].Add(sums[key], big.NewInt(q)); !sums[key].IsInt64() && known(m.home(p)) {
				return "overflow"
			}
		}
	}
	return ""
}

// try makes the update, and the change to the model if it has to succeed.
// wrong says why it cannot, as far as that does not show in the new state.
func (m *ledgerOfUpdates) try(t *rapid.T, update func() error, wrong string, change func()) {
	before, nominated := m.state, m.nominated
	m.state.Nodes = slices.Clone(m.state.Nodes)
	m.state.Pods = slices.Clone(m.state.Pods)
	m.state.PodGroups = slices.Clone(m.state.PodGroups)
	m.state.CompositePodGroups = slices.Clone(m.state.CompositePodGroups)
	m.state.DisruptionBudgets = slices.Clone(m.state.DisruptionBudgets)
	m.nominated = map[*preemption.Pod]string{}
	for p, n := range nominated {
		m.nominated[p] = n
	}
	if wrong == "" {
		change()
		wrong = m.invalid()
	}
	if wrong != "" {
		m.state, m.nominated = before, nominated
	}
	err := update()
	m.failed = err != nil
	if (err != nil) != (wrong != "") {
		t.Fatalf("error = %v, want one for %q", err, wrong)
	}
	if err != nil && !strings.HasPrefix(err.Error(), "preemption: ") {
		t.Fatalf("error %q does not say where it comes from", err)
	}
}

func (m *ledgerOfUpdates) drawNode(t *rapid.T) *preemption.Node {
	n := drawNode(t, pick(t, "node", "n0", "n1", "n2", "n3", "n4", "n5"))
	switch pick(t, "flaw", "", "", "", "", "name", "negative") {
	case "name":
		n.Name = ""
	case "negative":
		n.Allocatable[gpu] = -1
	}
	return n
}

func indexOf[T fmt.Stringer](list []T, name string) int {
	return slices.IndexFunc(list, func(x T) bool { return x.String() == name })
}

func (m *ledgerOfUpdates) nodeIndex(name string) int {
	return slices.IndexFunc(m.state.Nodes, func(n *preemption.Node) bool { return n.Name == name })
}

func unless(ok bool, wrong string) string {
	if ok {
		return ""
	}
	return wrong
}

func (m *ledgerOfUpdates) addNode(t *rapid.T) {
	n := m.drawNode(t)
	m.try(t, func() error { return m.cluster.AddNode(n) }, unless(m.nodeIndex(n.Name) < 0, "name taken"), func() {
		m.state.Nodes = append(m.state.Nodes, n)
	})
}

func (m *ledgerOfUpdates) updateNode(t *rapid.T) {
	n := m.drawNode(t)
	i := m.nodeIndex(n.Name)
	m.try(t, func() error { return m.cluster.UpdateNode(n) }, unless(i >= 0, "no such node"), func() { m.state.Nodes[i] = n })
}

func (m *ledgerOfUpdates) removeNode(t *rapid.T) {
	name := pick(t, "node", "n0", "n1", "n2", "n3", "n4", "n5")
	i := m.nodeIndex(name)
	m.try(t, func() error { return m.cluster.RemoveNode(name) }, unless(i >= 0, "no such node"), func() {
		m.state.Nodes = slices.Delete(m.state.Nodes, i, i+1) // leaves bound pods without a node
	})
}

// drawPod draws a pod of a name that may be taken, on a node that may not exist.
func (m *ledgerOfUpdates) drawPod(t *rapid.T) *preemption.Pod {
	nodes := append(slices.Clone(m.state.Nodes), &preemption.Node{Name: "lost"})
	p := drawPod(t, fmt.Sprintf("p%d", rapid.IntRange(0, 9).Draw(t, "name")), nodes)
	switch pick(t, "flaw", "", "", "", "", "", "", "name", "negative", "big", "big") {
	case "name":
		p.Name = ""
	case "negative":
		p.Requests[preemption.Memory] = -1
	case "big":
		p.Requests[preemption.Memory] = math.MaxInt64/2 + 1 // two of them overflow
	}
	return p
}

func (m *ledgerOfUpdates) addPod(t *rapid.T) {
	p := m.drawPod(t)
	wrong := unless(p.Name != "", "no name") + unless(indexOf(m.state.Pods, p.String()) < 0, "name taken")
	m.try(t, func() error { return m.cluster.AddPod(p) }, wrong, func() { m.state.Pods = append(m.state.Pods, p) })
}

func (m *ledgerOfUpdates) updatePod(t *rapid.T) {
	p := m.drawPod(t)
	i := indexOf(m.state.Pods, p.String())
	wrong := unless(p.Name != "", "no name") + unless(i >= 0, "no such pod")
	m.try(t, func() error { return m.cluster.UpdatePod(p) }, wrong, func() { m.replacePod(i, p) })
}

// replacePod keeps the place of a pod that stays where it is.
func (m *ledgerOfUpdates) replacePod(i int, p *preemption.Pod) {
	old := m.state.Pods[i]
	// What Nominate said holds as long as the pod itself says the same.
	if said, ok := m.nominated[old]; ok && sameIncarnation(old, p) && old.NodeName == "" && p.NodeName == "" && old.NominatedNode == p.NominatedNode {
		m.nominated[p] = said
	}
	if (old.NodeName == "") == (p.NodeName == "") && m.home(old) == m.home(p) {
		m.state.Pods[i] = p
	} else {
		m.state.Pods = append(slices.Delete(m.state.Pods, i, i+1), p)
	}
}

func (m *ledgerOfUpdates) removePod(t *rapid.T) {
	p := m.drawPod(t)
	i := indexOf(m.state.Pods, p.String())
	m.try(t, func() error { return m.cluster.RemovePod(p.Namespace, p.Name) }, unless(i >= 0, "no such pod"), func() {
		m.state.Pods = slices.Delete(m.state.Pods, i, i+1)
	})
}

func (m *ledgerOfUpdates) nominate(t *rapid.T) {
	p := m.drawPod(t)
	if len(m.state.Pods) > 0 && oneIn(t, 2, "known pod") {
		p = rapid.SampledFrom(m.state.Pods).Draw(t, "pod")
	}
	m.nominatePod(t, p)
}

func (m *ledgerOfUpdates) nominatePod(t *rapid.T, p *preemption.Pod) {
	node := pick(t, "for node", "n0", "n1", "n2", "lost", "")
	i := indexOf(m.state.Pods, p.String())
	wrong := unless(p.Name != "", "no name") + unless(p.NodeName == "", "bound") + unless(i < 0 || m.state.Pods[i].NodeName == "", "bound already")
	m.try(t, func() error { return m.cluster.Nominate(p, node) }, wrong, func() {
		if i < 0 {
			m.nominated[p] = node
			m.state.Pods = append(m.state.Pods, p)
			return
		}
		stays := m.home(m.state.Pods[i]) == node
		m.nominated[p] = node
		if m.state.Pods[i] = p; !stays {
			m.state.Pods = append(slices.Delete(m.state.Pods, i, i+1), p)
		}
	})
}

func (m *ledgerOfUpdates) setPodGroup(t *rapid.T) {
	g := drawPodGroup(t, drawNamespace(t), pick(t, "name", "g0", "g1", ""))
	m.try(t, func() error { return m.cluster.SetPodGroup(g) }, unless(g.Name != "", "no name"), func() {
		if i := m.podGroup(g.Namespace, g.Name); i >= 0 {
			m.state.PodGroups[i] = g
		} else {
			m.state.PodGroups = append(m.state.PodGroups, g)
		}
	})
}

func (m *ledgerOfUpdates) podGroup(namespace, name string) int {
	return slices.IndexFunc(m.state.PodGroups, func(g *preemption.PodGroup) bool { return g.Namespace == namespace && g.Name == name })
}

func (m *ledgerOfUpdates) removePodGroup(t *rapid.T) {
	ns, name := drawNamespace(t), pick(t, "name", "g0", "g1")
	i := m.podGroup(ns, name)
	m.try(t, func() error { return m.cluster.RemovePodGroup(ns, name) }, unless(i >= 0, "no such group"), func() {
		m.state.PodGroups = slices.Delete(m.state.PodGroups, i, i+1)
	})
}

func (m *ledgerOfUpdates) setComposite(t *rapid.T) {
	g := drawComposite(t, drawNamespace(t), pick(t, "name", "c0", "c1", "c2", ""))
	m.try(t, func() error { return m.cluster.SetCompositePodGroup(g) }, unless(g.Name != "", "no name"), func() {
		if i := m.composite(g.Namespace, g.Name); i >= 0 {
			m.state.CompositePodGroups[i] = g
		} else {
			m.state.CompositePodGroups = append(m.state.CompositePodGroups, g)
		}
	})
}

func (m *ledgerOfUpdates) composite(namespace, name string) int {
	return slices.IndexFunc(m.state.CompositePodGroups, func(g *preemption.CompositePodGroup) bool {
		return g.Namespace == namespace && g.Name == name
	})
}

func (m *ledgerOfUpdates) removeComposite(t *rapid.T) {
	ns, name := drawNamespace(t), pick(t, "name", "c0", "c1", "c2")
	i := m.composite(ns, name)
	m.try(t, func() error { return m.cluster.RemoveCompositePodGroup(ns, name) }, unless(i >= 0, "no such group"), func() {
		m.state.CompositePodGroups = slices.Delete(m.state.CompositePodGroups, i, i+1)
	})
}

func (m *ledgerOfUpdates) setBudget(t *rapid.T) {
	b := drawBudget(t, pick(t, "name", "b0", "b1", "b2", ""))
	i := indexOf(m.state.DisruptionBudgets, b.String())
	m.try(t, func() error { return m.cluster.SetBudget(b) }, unless(b.Name != "", "no name"), func() {
		if i >= 0 {
			m.state.DisruptionBudgets[i] = b
		} else {
			m.state.DisruptionBudgets = append(m.state.DisruptionBudgets, b)
		}
	})
}

func (m *ledgerOfUpdates) removeBudget(t *rapid.T) {
	ns, name := drawNamespace(t), pick(t, "name", "b0", "b1", "b2")
	i := indexOf(m.state.DisruptionBudgets, ns+"/"+name)
	m.try(t, func() error { return m.cluster.RemoveBudget(ns, name) }, unless(i >= 0, "no such budget"), func() {
		m.state.DisruptionBudgets = slices.Delete(m.state.DisruptionBudgets, i, i+1)
	})
}

// What follows changes one thing about an object and nothing else, as objects change
// in life: an update that keeps most has ways of its own.

// anyOf draws one of the objects there are.
func anyOf[T any](t *rapid.T, list []*T) (int, T) {
	if len(list) == 0 {
		t.Skip("none")
	}
	i := rapid.IntRange(0, len(list)-1).Draw(t, "which")
	return i, *list[i]
}

func (m *ledgerOfUpdates) touchNode(t *rapid.T) {
	i, n := anyOf(t, m.state.Nodes)
	drawn := drawNode(t, n.Name)
	switch pick(t, "field", "allocatable", "labels", "taints", "cordon") {
	case "allocatable":
		n.Allocatable = withOne(t, n.Allocatable, drawn.Allocatable)
	case "labels":
		n.Labels = drawn.Labels
	case "taints":
		n.Taints = drawn.Taints
	case "cordon":
		n.Unschedulable = !n.Unschedulable
	}
	m.try(t, func() error { return m.cluster.UpdateNode(&n) }, "", func() { m.state.Nodes[i] = &n })
}

// withOne takes one of the amounts from those drawn.
func withOne(t *rapid.T, amounts, drawn preemption.Resources) preemption.Resources {
	all := maps.Clone(amounts)
	maps.Copy(all, drawn)
	name := pick(t, "resource", slices.Sorted(maps.Keys(all))...)
	amounts = maps.Clone(amounts)
	if amount, ok := drawn[name]; ok {
		amounts[name] = amount
	} else {
		delete(amounts, name)
	}
	return amounts
}

func (m *ledgerOfUpdates) touchPod(t *rapid.T) {
	i, p := anyOf(t, m.state.Pods)
	drawn := drawPod(t, p.Name, append(slices.Clone(m.state.Nodes), &preemption.Node{Name: "lost"}))
	switch pick(t, "field", "requests", "labels", "priority", "start", "termination", "group", "UID", "ports", "place") {
	case "requests":
		p.Requests = withOne(t, p.Requests, drawn.Requests)
	case "labels":
		p.Labels = drawn.Labels
	case "priority":
		p.Priority = drawn.Priority
	case "start":
		p.Start = drawn.Start
	case "termination":
		p.Termination = drawn.Termination
	case "group":
		p.Group = drawn.Group
	case "UID":
		p.UID = drawn.UID
	case "ports":
		p.HostPorts = drawn.HostPorts
	case "place":
		p.NodeName, p.NominatedNode = drawn.NodeName, drawn.NominatedNode
	}
	m.try(t, func() error { return m.cluster.UpdatePod(&p) }, "", func() { m.replacePod(i, &p) })
}

func (m *ledgerOfUpdates) touchPodGroup(t *rapid.T) {
	i, g := anyOf(t, m.state.PodGroups)
	touchGroup(t, &g.Priority, &g.DisruptionMode, &g.Parent)
	m.try(t, func() error { return m.cluster.SetPodGroup(&g) }, "", func() { m.state.PodGroups[i] = &g })
}

func (m *ledgerOfUpdates) touchComposite(t *rapid.T) {
	i, g := anyOf(t, m.state.CompositePodGroups)
	touchGroup(t, &g.Priority, &g.DisruptionMode, &g.Parent)
	m.try(t, func() error { return m.cluster.SetCompositePodGroup(&g) }, "", func() { m.state.CompositePodGroups[i] = &g })
}

func touchGroup(t *rapid.T, priority *int32, mode *preemption.DisruptionMode, parent *string) {
	switch pick(t, "field", "priority", "mode", "parent") {
	case "priority":
		*priority = drawPriority(t)
	case "mode":
		*mode = drawMode(t)
	case "parent":
		*parent = drawParent(t)
	}
}

func (m *ledgerOfUpdates) touchBudget(t *rapid.T) {
	i, b := anyOf(t, m.state.DisruptionBudgets)
	drawn := drawBudget(t, b.Name)
	switch pick(t, "field", "allowed", "allowed", "disrupted", "selector") {
	case "allowed": // as the disruption controller does all the time
		b.Allowed = drawn.Allowed
	case "disrupted":
		b.Disrupted = append(slices.Clone(b.Disrupted), pick(t, "disrupted pod", "p0", "p1", "p2", "p3", "nobody"))
		b.Disrupted = b.Disrupted[pick(t, "undisrupted", 0, 1):]
	case "selector":
		b.Selector = drawn.Selector
	}
	m.try(t, func() error { return m.cluster.SetBudget(&b) }, "", func() { m.state.DisruptionBudgets[i] = &b })
}

// nominateAgain moves or ends the nomination of a pod that waits.
func (m *ledgerOfUpdates) nominateAgain(t *rapid.T) {
	pending := slices.DeleteFunc(slices.Clone(m.state.Pods), func(p *preemption.Pod) bool { return p.NodeName != "" })
	_, p := anyOf(t, pending)
	m.nominatePod(t, &p)
}

// check compares with a cluster built afresh: after each failure, and now and
// then. Where Nominate has had the last word a copy of the pod says so.
func (m *ledgerOfUpdates) check(t *rapid.T) {
	if !m.failed && !oneIn(t, 3, "check") {
		return
	}
	state := m.state
	state.Pods = slices.Clone(m.state.Pods)
	original := map[*preemption.Pod]*preemption.Pod{}
	for i, p := range state.Pods {
		if node, ok := m.nominated[p]; ok {
			q := *p
			q.NominatedNode = node
			state.Pods[i] = &q
			original[&q] = p
		}
	}
	fresh := newCluster(t, state)
	trace := tracer{original}
	if diff := cmp.Diff(trace.cluster(fresh, m), trace.cluster(m.cluster, m)); diff != "" {
		t.Fatalf("cluster (-fresh +updated):\n%s", diff)
	}
	for _, p := range m.preemptors {
		if diff := cmp.Diff(trace.decision(fresh, p), trace.decision(m.cluster, p)); diff != "" {
			t.Fatalf("decision (-fresh +updated):\n%s", diff)
		}
		if diff := cmp.Diff(trace.fast(fresh, p), trace.fast(m.cluster, p)); diff != "" {
			t.Fatalf("decision by the engine (-fresh +updated):\n%s", diff)
		}
	}
}

// A tracer puts what clusters say in lines that tell objects apart by address,
// with copies traced to their originals.
type tracer struct {
	original map[*preemption.Pod]*preemption.Pod
}

func (r tracer) pods(pods []*preemption.Pod) string {
	var b strings.Builder
	for _, p := range pods {
		if o, ok := r.original[p]; ok {
			p = o
		}
		fmt.Fprintf(&b, " %v@%p", p, p)
	}
	return b.String()
}

func (r tracer) cluster(c *preemption.Cluster, m *ledgerOfUpdates) []string {
	var lines []string
	for i, n := range c.Nodes() {
		lines = append(lines, fmt.Sprintf("node %d %s@%p:%s", i, n.Name, n, r.pods(c.PodsOn(n))))
		if c.Node(n.Name) != n {
			lines = append(lines, "another node is found by its name")
		}
	}
	for _, name := range []string{"n0", "n1", "n2", "n3", "n4", "n5", "lost", ""} {
		lines = append(lines, "nominated to "+name+":"+r.pods(c.NominatedTo(name)))
		lines = append(lines, fmt.Sprint("node ", name, " is known: ", c.Node(name) != nil))
	}
	for _, b := range c.DisruptionBudgets() {
		lines = append(lines, fmt.Sprintf("budget %v@%p", b, b))
	}
	for _, w := range c.Warnings() {
		lines = append(lines, w.String())
	}
	for _, ns := range namespaces {
		for i := range 16 {
			if p := c.Pod(ns, fmt.Sprintf("p%d", i)); p != nil {
				lines = append(lines, r.pods([]*preemption.Pod{p}))
			}
		}
	}
	return lines
}

// fast is what the engine decides.
func (r tracer) fast(c *preemption.Cluster, p *preemption.Pod) string {
	x, err := (&preemption.Evaluator{}).Preempt(context.Background(), c, p)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%+v%s", verdictOfResult(x), r.victims(x.Victims))
}

func (r tracer) decision(c *preemption.Cluster, p *preemption.Pod) []string {
	e := preemption.Evaluator{}
	x, err := e.Examine(context.Background(), c, p)
	if err != nil {
		return []string{err.Error()}
	}
	lines := []string{fmt.Sprintf("%+v", verdictOf(x)), x.DecidedBy, x.Message(), r.victims(x.Victims)}
	for i := range x.Nodes {
		n := &x.Nodes[i]
		lines = append(lines, fmt.Sprintf("%s: %v %v %v %+v %+v %+v", n.Node.Name, n.Filter, n.Status, n.Examined, n.Shortfalls, n.Violating, n.Steps), r.victims(n.Removed))
	}
	return lines
}

func (r tracer) victims(victims []*preemption.Victim) string {
	var b strings.Builder
	for _, v := range victims {
		fmt.Fprintf(&b, "%v %v %d%s %v;", v.Kind, v.Group, v.Priority, r.pods(v.Pods), v.Start())
		for _, n := range v.Nodes {
			fmt.Fprintf(&b, " %s@%p", n.Name, n)
		}
	}
	return b.String()
}

// A group that pods have left still has the others, also where it becomes known after that.
func TestGroupsThatPodsHaveLeft(t *testing.T) {
	for left := 1; left <= 3; left++ {
		s := preemption.ClusterState{Nodes: []*preemption.Node{{Name: "n", Allocatable: preemption.Resources{preemption.PodCount: 4}}}}
		for i := range left + 1 {
			name := fmt.Sprint("p", i)
			s.Pods = append(s.Pods, &preemption.Pod{Namespace: "d", Name: name, UID: name, NodeName: "n", Group: "g"})
		}
		c := newCluster(t, s)
		if err := c.RemovePod("d", "p0"); err != nil {
			t.Fatal(err)
		}
		if err := c.SetPodGroup(&preemption.PodGroup{Namespace: "d", Name: "g", DisruptionMode: preemption.DisruptAll}); err != nil {
			t.Fatal(err)
		}
		for i := range 4 - left { // the node is full
			name := fmt.Sprint("stays", i)
			if err := c.AddPod(&preemption.Pod{Namespace: "d", Name: name, UID: name, NodeName: "n", Priority: 20}); err != nil {
				t.Fatal(err)
			}
		}
		r, err := (&preemption.Evaluator{}).Preempt(t.Context(), c, &preemption.Pod{Namespace: "d", Name: "q", UID: "q", Priority: 10})
		if err != nil || len(r.Victims) != 1 || r.Victims[0].Kind != preemption.KindPodGroup || len(r.Victims[0].Pods) != left {
			t.Errorf("%d left: %v, %v; want the group of them evicted", left, r, err)
		}
	}
}
