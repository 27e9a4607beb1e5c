package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/replay"
)

// Scenario returns a case as the text of a scenario file: the cluster, the
// question on every node, and the message that the release gives, which is
// expected. The comment holds the rest of the release's answer and how the
// library's differs. What is expected of the examination is left open, for
// -rewrite to fill in once the library is right.
//
// The case must have no gang: scenarios have none.
func Scenario(c *golden.Case, release string, want golden.Answer, diff string) string {
	s := script{first: firstStart(c)}
	s.comment("%s: kube-scheduler %s answers", c.Name, release)
	s.answer(want)
	if diff != "" {
		s.comment("The library differs:")
		for line := range strings.SplitSeq(diff, "\n") {
			s.comment("  %s", line)
		}
	}

	s.line("cluster")
	for _, n := range slices.SortedFunc(slices.Values(c.Nodes), func(a, b golden.Node) int { return cmp.Compare(a.Name, b.Name) }) {
		s.node(&n)
	}
	for i := range c.PodGroups {
		g := &c.PodGroups[i]
		s.group("group", g.Namespace, g.Name, g.Priority, g.DisruptionMode, g.Parent)
	}
	for i := range c.CompositePodGroups {
		g := &c.CompositePodGroups[i]
		s.group("composite", g.Namespace, g.Name, g.Priority, g.DisruptionMode, g.Parent)
	}
	for i := range c.Pods {
		s.line("pod %s", s.pod(&c.Pods[i]))
	}
	for i := range c.PDBs {
		s.budget(&c.PDBs[i])
	}
	s.expect("")
	if c.Sampling != nil {
		s.line("evaluator")
		s.line("sampling min=%d offset=%d", c.Num, c.Offset)
		s.expect("")
	}
	question := fmt.Sprintf("%s release=%s", s.pod(&c.Preemptor), replay.Releases[release])
	s.line("examine %s", question)
	s.expect("")
	s.line("message %s", question)
	s.expect(want.Message)
	return strings.TrimSuffix(s.text.String(), "\n")
}

// script is a scenario file in the making.
type script struct {
	text  strings.Builder
	first time.Time // starts are told in seconds, this one being 1
}

// firstStart returns the earliest start of the pods, zero if none has started.
func firstStart(c *golden.Case) (first time.Time) {
	for i := range c.Pods {
		if start := c.Pods[i].Start; first.IsZero() || !start.IsZero() && start.Before(first) {
			first = start
		}
	}
	return first
}

func (s *script) line(format string, args ...any) { fmt.Fprintf(&s.text, format+"\n", args...) }

func (s *script) comment(format string, args ...any) { s.line("# "+format, args...) }

// expect ends the input of a directive.
func (s *script) expect(output string) {
	s.line("----")
	if output != "" {
		s.line("%s", output)
	}
	s.line("")
}

// answer puts an answer into the comment.
func (s *script) answer(a golden.Answer) {
	for _, node := range slices.Sorted(maps.Keys(a.Statuses)) {
		s.comment("  %s  %s", node, a.Statuses[node])
	}
	for _, k := range a.Candidates {
		s.comment("  candidate %s: %s  violations=%d", k.Node, strings.Join(k.Victims, " "), k.PDBViolations)
	}
	switch {
	case a.Outcome == golden.Preempt:
		s.comment("  preempt, one of %s: %s", strings.Join(a.Best, " "), strings.Join(a.Victims, " "))
	case a.Outcome == golden.Fits:
		s.comment("  fits on %s", strings.Join(a.FitNodes, " "))
	default:
		s.comment("  %s", strings.TrimSpace(a.Outcome+" "+a.Reason))
	}
}

func (s *script) node(n *golden.Node) {
	var words words
	for _, resource := range slices.Sorted(maps.Keys(n.Allocatable)) {
		if resource != "pods" || n.Allocatable[resource] != 110 {
			words.add("%s=%s", resource, amount(resource, n.Allocatable[resource]))
		}
	}
	if _, ok := n.Allocatable["pods"]; !ok {
		words.add("pods=unset")
	}
	if n.Unschedulable {
		words.add("unschedulable")
	}
	for _, t := range n.AllTaints() {
		if t.Value == "" {
			words.add("taint=%s:%s", t.Key, t.Effect)
		} else {
			words.add("taint=%s=%s:%s", t.Key, t.Value, t.Effect)
		}
	}
	words.labels(n.Labels)
	s.line("node %s%s", n.Name, words.String())
}

// pod returns the words of a pod, after "pod".
func (s *script) pod(p *golden.Pod) string {
	var words words
	words.given("on", p.Node)
	words.given("nominated", p.NominatedNode)
	words.add("prio=%d", p.Priority)
	for _, resource := range slices.Sorted(maps.Keys(p.Requests)) {
		words.add("%s=%s", resource, amount(resource, p.Requests[resource]))
	}
	if !p.Start.IsZero() {
		words.add("start=%d", int(p.Start.Sub(s.first)/time.Second)+1)
	}
	words.given("group", p.Group)
	words.given("terminating", p.Terminating)
	switch p.PreemptionPolicy {
	case "Never":
		words.add("policy=never")
	case "PreemptLowerPriority":
		words.add("policy=lower-priority")
	}
	for _, h := range p.HostPorts {
		words.add("port=%d%s%s", h.Port, after("/", h.Protocol), after("@", h.IP))
	}
	for _, key := range slices.Sorted(maps.Keys(p.NodeSelector)) {
		words.add("selector=%s=%s", key, p.NodeSelector[key])
	}
	for _, t := range p.Tolerations {
		words.toleration(t)
	}
	words.labels(p.Labels)
	words.given("uid", p.UID)
	return name(p.Namespace, p.Name) + words.String()
}

func (s *script) group(kind, namespace, short string, priority int32, mode, parent string) {
	var words words
	words.add("prio=%d", priority)
	words.given("mode", mode)
	words.given("parent", parent)
	s.line("%s %s%s", kind, name(namespace, short), words.String())
}

func (s *script) budget(b *golden.PDB) {
	var words words
	words.add("allowed=%d", b.Allowed)
	words.given("disrupted", strings.Join(b.DisruptedPods, ","))
	switch {
	case b.Selector == nil:
		words.add("selector=none")
	case len(b.Selector.MatchLabels)+len(b.Selector.MatchExpressions) == 0:
		words.add("selector=empty")
	default:
		for _, key := range slices.Sorted(maps.Keys(b.Selector.MatchLabels)) {
			words.add("%s=%s", key, b.Selector.MatchLabels[key])
		}
		for _, r := range b.Selector.MatchExpressions {
			// An operator must be written down, and one that is missing is
			// as invalid as one that is unknown.
			words.add("expr=(%s)", strings.TrimSpace(strings.Join([]string{r.Key, cmp.Or(r.Operator, "?"), strings.Join(r.Values, ",")}, " ")))
		}
	}
	s.line("pdb %s%s", name(b.Namespace, b.Name), words.String())
}

// words are what follows a name, each with a space before it.
type words struct{ strings.Builder }

func (w *words) add(format string, args ...any) { fmt.Fprintf(w, " "+format, args...) }

// given adds key=value if there is a value.
func (w *words) given(key, value string) {
	if value != "" {
		w.add("%s=%s", key, value)
	}
}

func (w *words) labels(labels map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		w.add("label=%s=%s", key, labels[key])
	}
}

func (w *words) toleration(t golden.Toleration) {
	var inner words
	inner.given("key", t.Key)
	inner.given("op", t.Operator)
	inner.given("value", t.Value)
	inner.given("effect", t.Effect)
	w.add("toleration=(%s)", strings.TrimSpace(inner.String()))
}

func name(namespace, name string) string {
	if namespace == "default" {
		return name
	}
	return namespace + "/" + name
}

// amount writes an amount of a resource: cpu in millicores, anything else in
// its own unit, large numbers of them in Mi.
func amount(resource string, n int64) string {
	const mi = 1 << 20
	switch {
	case resource == "cpu":
		return fmt.Sprintf("%dm", n)
	case n > 0 && n%mi == 0:
		return fmt.Sprintf("%dMi", n/mi)
	}
	return fmt.Sprint(n)
}

// after returns s with a separator before it, "" without s.
func after(separator, s string) string {
	if s == "" {
		return ""
	}
	return separator + s
}
