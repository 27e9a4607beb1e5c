package situation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/preemption"
)

// An Answer is what is shown of a decision at once. Its steps are told one by one;
// see Decision.
type Answer struct {
	Outcome  string   `json:"outcome"`
	Headline string   `json:"headline"`
	Event    string   `json:"event,omitempty"` // kube-scheduler's text
	Node     string   `json:"node,omitempty"`
	Victims  []string `json:"victims,omitempty"`
	// Violations of the chosen candidate.
	Violations int `json:"violations"`
	// Waiting counts the other pending pods: one is decided at a time.
	Waiting    int         `json:"waiting,omitempty"`
	Stretches  []Stretch   `json:"stretches"`
	Candidates []Candidate `json:"candidates,omitempty"`
	DecidedBy  string      `json:"decidedBy,omitempty"`
	// Assignments of a gang: member to node.
	Assignments map[string]string `json:"assignments,omitempty"`
	Exact       bool              `json:"exact,omitempty"`
}

// A Stretch is the part of a decision's steps that is about one node, the last one
// the choice between the nodes.
type Stretch struct {
	Node  string `json:"node,omitempty"`
	Steps int    `json:"steps"`
	Text  string `json:"text"` // what comes out
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

// A Decision is an answer together with what its steps are told from. A cluster of
// 50 nodes has thousands of steps, and a reader looks at a few: each is told when
// it is asked for.
type Decision struct {
	Answer
	cluster   *preemption.Cluster
	preemptor *preemption.Pod
	moments   []moment
	explain   func() string
}

// Explain returns the library's own explanation.
func (d *Decision) Explain() string { return d.explain() }

// Decide asks the library.
func (s *Situation) Decide(ctx context.Context) (*Decision, error) {
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
		return nil, errNothingPending
	}
	if s.Gang != nil {
		return s.decideGang(ctx, e, c, pending)
	}
	x, err := e.Examine(ctx, c, first(pending))
	if err != nil {
		return nil, err
	}
	d := tell(c, x)
	d.Waiting = len(pending) - 1
	return d, nil
}

var errNothingPending = errors.New("nothing is pending: add a pod to find room for")

// first returns the pending pod that the scheduling queue takes first: that of the
// highest priority, of several the first.
func first(pending []*preemption.Pod) *preemption.Pod {
	return slices.MaxFunc(pending, func(a, b *preemption.Pod) int { return cmp.Compare(a.Priority, b.Priority) })
}

// gang returns the pending pods as a gang, and who places it.
func (s *Situation) gang(members []*preemption.Pod) (*preemption.Gang, preemption.Planner) {
	g := &preemption.Gang{
		Namespace: namespace, Name: s.Gang.Name, Priority: s.Gang.Priority, MinCount: s.Gang.Min, Members: members,
	}
	if s.Gang.Best {
		return g, preemption.BestPlacement{}
	}
	return g, preemption.GivenPlacement{}
}

func (s *Situation) decideGang(ctx context.Context, e *preemption.Evaluator, c *preemption.Cluster, members []*preemption.Pod) (*Decision, error) {
	g, planner := s.gang(members)
	r, err := e.PreemptGroup(ctx, c, g, planner)
	if err != nil {
		return nil, err
	}
	d := &Decision{cluster: c, explain: r.Explain}
	d.Outcome, d.Event, d.Violations, d.Exact = r.Outcome.String(), r.Message(), r.Violations, r.Exact
	d.Assignments = map[string]string{}
	for _, x := range r.Assignments {
		if x.Node != nil {
			d.Assignments[x.Pod.Name] = x.Node.Name
		}
	}
	d.Victims = namesOf(r.Victims)
	switch r.Outcome {
	case preemption.OutcomeFits:
		d.Headline = fmt.Sprintf("%d of %d members fit, and nothing has to go.", len(d.Assignments), len(members))
	case preemption.OutcomePreempt:
		d.Headline = fmt.Sprintf("%s get a place by evicting %s.", plural(len(d.Assignments), "member"), strings.Join(d.Victims, ", "))
	default:
		d.Headline = "The gang gets no place: " + r.Reason
	}
	d.choose()
	return d, nil
}

// tell makes the answer of an examination, and the list of its steps.
func tell(c *preemption.Cluster, x *preemption.Examination) *Decision {
	d := &Decision{cluster: c, preemptor: x.Preemptor, explain: x.Explain}
	d.Outcome, d.Event, d.Violations, d.DecidedBy = x.Outcome.String(), x.Message(), x.Violations, x.DecidedBy
	for i := range x.Nodes {
		before := len(d.moments)
		text := d.list(&x.Nodes[i])
		d.Stretches = append(d.Stretches, Stretch{Node: x.Nodes[i].Node.Name, Steps: len(d.moments) - before, Text: text})
	}
	for _, k := range x.Candidates {
		d.Candidates = append(d.Candidates, row(k, x.Node))
	}
	d.conclude(x)
	return d
}

func row(k *preemption.Candidate, best *preemption.Node) Candidate {
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

func (d *Decision) conclude(x *preemption.Examination) {
	name := d.preemptor.Name
	switch x.Outcome {
	case preemption.OutcomeFits:
		d.Node = x.Node.Name
		d.Headline = fmt.Sprintf("%s fits on %s; nothing has to go.", name, x.Node.Name)
	case preemption.OutcomePreempt:
		d.Node = x.Node.Name
		d.Victims = namesOf(x.Victims)
		d.Headline = fmt.Sprintf("%s gets %s; %s to go: %s.", name, x.Node.Name, have(len(d.Victims)), strings.Join(d.Victims, ", "))
		if len(x.Candidates) > 1 {
			by := x.DecidedBy
			if by == "" {
				by = "the order of the nodes"
			}
			d.Headline += fmt.Sprintf(" Of %d nodes that can be cleared it was chosen for %s.", len(x.Candidates), by)
		}
	case preemption.OutcomeIneligible, preemption.OutcomeWaiting:
		d.Headline = fmt.Sprintf("%s may not preempt now: %s", name, x.Reason)
	default:
		d.Headline = fmt.Sprintf("Preemption does not help %s: it stays pending.", name)
	}
	d.choose()
}

// choose makes the choice the last step.
func (d *Decision) choose() {
	d.moments = append(d.moments, moment{kind: "choose"})
	d.Stretches = append(d.Stretches, Stretch{Steps: 1, Text: "The choice"})
}

// namesOf returns the names of the victims' pods.
func namesOf(victims []*preemption.Victim) []string {
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
