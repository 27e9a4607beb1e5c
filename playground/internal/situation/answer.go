package situation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/preemption"
)

// An Answer is a decision as steps to walk through.
type Answer struct {
	Outcome  string   `json:"outcome"`
	Headline string   `json:"headline"`
	Event    string   `json:"event,omitempty"`   // kube-scheduler's text
	Explain  string   `json:"explain,omitempty"` // the library's
	Node     string   `json:"node,omitempty"`
	Victims  []string `json:"victims,omitempty"`
	// Violations of the chosen candidate.
	Violations int         `json:"violations"`
	Steps      []Step      `json:"steps"`
	Candidates []Candidate `json:"candidates,omitempty"`
	DecidedBy  string      `json:"decidedBy,omitempty"`
	// Assignments of a gang: member to node.
	Assignments map[string]string `json:"assignments,omitempty"`
	Exact       bool              `json:"exact,omitempty"`
}

// A Step is one thing that happens on a node, or at the end between them.
type Step struct {
	Node string `json:"node,omitempty"`
	// Kind is look, remove, test, classify, protect, reprieve, clear or choose.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Gone are the pods that are away from the node at the end of the step, Pods those
	// that it is about.
	Gone []string `json:"gone"`
	Pods []string `json:"pods,omitempty"`
	// Verdict is fits, refused, stays or goes.
	Verdict string `json:"verdict,omitempty"`
	// Sums is the arithmetic of a test.
	Sums []Sum `json:"sums,omitempty"`
}

// A Sum compares what is used and asked for with what there is of a resource.
type Sum struct {
	Resource    string `json:"resource"`
	Used        int64  `json:"used"`
	Asked       int64  `json:"asked"`
	Allocatable int64  `json:"allocatable"`
	Short       bool   `json:"short"`
}

// A Candidate is a row of the table of nodes that can be cleared.
type Candidate struct {
	Node       string   `json:"node"`
	Chosen     bool     `json:"chosen"`
	Violations int      `json:"violations"`
	Top        int32    `json:"top"`
	Sum        int64    `json:"sum"`
	Pods       int      `json:"pods"`
	Start      string   `json:"start"`
	Victims    []string `json:"victims"`
}

// Decide asks the library.
func (s *Situation) Decide(ctx context.Context) (*Answer, error) {
	state, pending, err := s.State()
	if err != nil {
		return nil, err
	}
	e, err := s.Evaluator()
	if err != nil {
		return nil, err
	}
	c, err := preemption.NewCluster(state)
	if err != nil {
		return nil, err
	}
	if len(pending) == 0 {
		return nil, errors.New("nothing is pending: add a pod to find room for")
	}
	if s.Gang != nil {
		return s.decideGang(ctx, e, c, pending)
	}
	if len(pending) > 1 {
		return nil, fmt.Errorf("%d pods are pending: one is decided at a time, unless they are a gang", len(pending))
	}
	x, err := e.Examine(ctx, c, pending[0])
	if err != nil {
		return nil, err
	}
	return tell(c, x), nil
}

func (s *Situation) decideGang(ctx context.Context, e *preemption.Evaluator, c *preemption.Cluster, members []*preemption.Pod) (*Answer, error) {
	g := &preemption.Gang{
		Namespace: namespace, Name: s.Gang.Name, Priority: s.Gang.Priority, MinCount: s.Gang.Min, Members: members,
	}
	var planner preemption.Planner = preemption.GivenPlacement{}
	if s.Gang.Best {
		planner = preemption.BestPlacement{}
	}
	r, err := e.PreemptGroup(ctx, c, g, planner)
	if err != nil {
		return nil, err
	}
	a := &Answer{
		Outcome: r.Outcome.String(), Event: r.Message(), Explain: r.Explain(), Violations: r.Violations,
		Assignments: map[string]string{}, Exact: r.Exact,
	}
	for _, x := range r.Assignments {
		if x.Node != nil {
			a.Assignments[x.Pod.Name] = x.Node.Name
		}
	}
	gone := []string{}
	for _, v := range r.Victims {
		gone = append(gone, podNames(v.Pods)...)
	}
	a.Victims = gone
	switch r.Outcome {
	case preemption.OutcomeFits:
		a.Headline = fmt.Sprintf("%d of %d members fit, and nothing has to go.", len(a.Assignments), len(members))
	case preemption.OutcomePreempt:
		a.Headline = fmt.Sprintf("%s get a place by evicting %s.", plural(len(a.Assignments), "member"), strings.Join(gone, ", "))
	default:
		a.Headline = "The gang gets no place: " + r.Reason
	}
	a.Steps = append(a.Steps, Step{Kind: "choose", Text: a.Headline, Gone: gone, Pods: gone})
	return a, nil
}

// teller writes the steps of an examination down.
type teller struct {
	*Answer
	cluster   *preemption.Cluster
	preemptor *preemption.Pod
	gone      []string // from the node at hand
}

func tell(c *preemption.Cluster, x *preemption.Examination) *Answer {
	t := teller{
		Answer:  &Answer{Outcome: x.Outcome.String(), Event: x.Message(), Explain: x.Explain(), Violations: x.Violations, DecidedBy: x.DecidedBy},
		cluster: c, preemptor: x.Preemptor,
	}
	for i := range x.Nodes {
		t.node(&x.Nodes[i])
	}
	for _, k := range x.Candidates {
		t.Candidates = append(t.Candidates, t.row(k, x.Node))
	}
	t.conclude(x)
	return t.Answer
}

func (t *teller) step(node, kind, verdict, text string, pods []string, sums []Sum) {
	t.Steps = append(t.Steps, Step{
		Node: node, Kind: kind, Verdict: verdict, Text: text, Pods: pods, Gone: append([]string{}, t.gone...), Sums: sums,
	})
}

// node tells what was found out about a node.
func (t *teller) node(r *preemption.NodeReport) {
	name := r.Node.Name
	t.gone = nil
	if r.Filter.Fits() {
		t.step(name, "look", "fits", fmt.Sprintf("%s takes %s as it is.", name, t.preemptor.Name), nil, t.sums(r.Node))
		return
	}
	t.step(name, "look", "refused", fmt.Sprintf("%s does not take %s: %s.", name, t.preemptor.Name, r.Filter.Message()), nil, t.sums(r.Node))
	if !r.Examined {
		if r.Filter.Code == preemption.Unresolvable {
			t.step(name, "test", "refused", "No eviction on "+name+" can change that.", nil, nil)
		}
		return
	}
	if len(r.Removed) == 0 {
		t.step(name, "test", "refused", fmt.Sprintf("%s: %s.", name, r.Status.Message()), nil, nil)
		return
	}
	all := t.namesOn(r.Removed)
	t.gone = all
	verdict, text := "fits", fmt.Sprintf("Remove all pods of lower priority from %s: %s. Now %s fits.", name, strings.Join(all, ", "), t.preemptor.Name)
	if r.Candidate == nil && len(r.Steps) == 0 {
		verdict, text = "refused", fmt.Sprintf("Remove all pods of lower priority from %s: %s. Even so: %s.", name, strings.Join(all, ", "), r.Status.Message())
	}
	t.step(name, "remove", verdict, text, all, t.sums(r.Node))
	if verdict == "refused" {
		return
	}
	for _, v := range r.Violating {
		pods := podNames(v.Victim.Pods)
		t.step(name, "classify", "", fmt.Sprintf("Evicting %s would violate %s, so it is put back first.", strings.Join(pods, ", "), budgetNames(v.Budgets)), pods, nil)
	}
	for i := range r.Steps {
		t.reprieve(r.Node, &r.Steps[i])
	}
	if r.Candidate != nil {
		t.step(name, "clear", "", fmt.Sprintf("%s can be cleared by evicting %s, with %s.", name,
			strings.Join(podNames(r.Candidate.Pods()), ", "), plural(r.Candidate.Violations, "budget violation")), podNames(r.Candidate.Pods()), nil)
	}
}

// reprieve tells of one victim put back.
func (t *teller) reprieve(n *preemption.Node, s *preemption.Step) {
	pods := podNames(s.Victim.Pods)
	label := strings.Join(pods, ", ")
	before := t.gone
	t.gone = slices.DeleteFunc(slices.Clone(t.gone), func(name string) bool { return slices.Contains(pods, name) })
	sums := t.sums(n)
	if s.Spared() {
		t.step(n.Name, "reprieve", "stays", fmt.Sprintf("Put %s back: %s still fits, so it stays.", label, t.preemptor.Name), pods, sums)
		return
	}
	t.gone = before
	t.step(n.Name, "reprieve", "goes", fmt.Sprintf("Put %s back: %s, so it has to go.", label, s.Status.Message()), pods, sums)
}

// sums is the arithmetic of a node beside the preemptor, without the pods that
// are away. Pods nominated there that hold their place against it count.
func (t *teller) sums(n *preemption.Node) []Sum {
	used := preemption.Resources{preemption.PodCount: 0}
	add := func(p *preemption.Pod) {
		used[preemption.PodCount]++
		for name, amount := range p.Requests {
			used[name] += amount
		}
	}
	for _, p := range t.cluster.PodsOn(n) {
		if !slices.Contains(t.gone, p.Name) {
			add(p)
		}
	}
	for _, p := range t.cluster.NominatedTo(n.Name) {
		if p.Priority >= t.preemptor.Priority {
			add(p)
		}
	}
	var sums []Sum
	for _, name := range []string{preemption.CPU, preemption.Memory, GPU, preemption.PodCount} {
		asked := t.preemptor.Requests[name]
		if name == preemption.PodCount {
			asked = 1
		}
		if asked == 0 {
			continue
		}
		all := n.Allocatable[name]
		sums = append(sums, Sum{Resource: name, Used: used[name], Asked: asked, Allocatable: all, Short: used[name]+asked > all})
	}
	return sums
}

func (t *teller) row(k *preemption.Candidate, best *preemption.Node) Candidate {
	row := Candidate{Node: k.Node.Name, Chosen: k.Node == best, Violations: k.Violations, Victims: podNames(k.Pods()), Pods: len(k.Pods()), Start: "-"}
	highest := int32(-1 << 31)
	for i, p := range k.Pods() {
		if i == 0 {
			row.Top = p.Priority
		}
		row.Sum += int64(p.Priority) + 1<<31
		highest = max(highest, p.Priority)
	}
	earliest := int64(-1)
	for _, p := range k.Pods() {
		if p.Priority != highest || p.Start.IsZero() {
			continue
		}
		if at := int64(p.Start.Sub(epoch).Seconds()); earliest < 0 || at < earliest {
			earliest = at
		}
	}
	if earliest >= 0 {
		row.Start = fmt.Sprint(earliest)
	}
	return row
}

func (t *teller) conclude(x *preemption.Examination) {
	t.gone = nil
	name := t.preemptor.Name
	switch x.Outcome {
	case preemption.OutcomeFits:
		t.Node = x.Node.Name
		t.Headline = fmt.Sprintf("%s fits on %s; nothing has to go.", name, x.Node.Name)
	case preemption.OutcomePreempt:
		t.Node = x.Node.Name
		for _, v := range x.Victims {
			t.Victims = append(t.Victims, podNames(v.Pods)...)
		}
		t.gone = t.Victims
		t.Headline = fmt.Sprintf("%s gets %s; %s to go: %s.", name, x.Node.Name, have(len(t.Victims)), strings.Join(t.Victims, ", "))
		if len(x.Candidates) > 1 {
			by := x.DecidedBy
			if by == "" {
				by = "the order of the nodes"
			}
			t.Headline += fmt.Sprintf(" Of %d nodes that can be cleared it was chosen for %s.", len(x.Candidates), by)
		}
	case preemption.OutcomeIneligible, preemption.OutcomeWaiting:
		t.Headline = fmt.Sprintf("%s may not preempt now: %s", name, x.Reason)
	default:
		t.Headline = fmt.Sprintf("Preemption does not help %s: it stays pending.", name)
	}
	t.step(t.Node, "choose", "", t.Headline, t.Victims, nil)
}

// namesOn returns the pods of victims.
func (t *teller) namesOn(victims []*preemption.Victim) []string {
	var names []string
	for _, v := range victims {
		names = append(names, podNames(v.Pods)...)
	}
	return names
}

func podNames(pods []*preemption.Pod) []string {
	names := make([]string, len(pods))
	for i, p := range pods {
		names[i] = p.Name
	}
	return names
}

func budgetNames(budgets []*preemption.PodDisruptionBudget) string {
	names := make([]string, len(budgets))
	for i, b := range budgets {
		names[i] = b.Name
	}
	return strings.Join(names, ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func have(n int) string {
	if n == 1 {
		return "1 pod has"
	}
	return fmt.Sprintf("%d pods have", n)
}

func parseOwner(s string) preemption.Owner {
	kind, name, _ := strings.Cut(s, "/")
	return preemption.Owner{Kind: kind, Name: name}
}
