package preemption

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/preemption/internal/score"
)

// A GangResult is a decision for a gang. Nothing has been done yet.
type GangResult struct {
	Gang    *Gang
	Release Release
	Outcome Outcome
	// Reason says why not; Code whether evictions could have helped.
	Reason string
	Code   Code
	// Assignments say where each member goes, in the order of the members.
	Assignments []Assignment
	// Victims have to go, most important first; since 1.38 those before the others
	// whose eviction violates a budget.
	Victims []*Victim
	// Violations counts the pods among them whose eviction violates a budget.
	Violations int
	// Delete are the pods of the victims still to delete, Terminating those that are
	// on their way out already.
	Delete, Terminating []*Pod
	// Disruptions count the victims by kind: how many owners are disturbed.
	Disruptions Disruptions
	// ClearNominations are the pods of lower priority that lose their nomination to
	// a node that members go to. Up to 1.37 none do.
	ClearNominations []*Pod
	// Nomination says what becomes of the members' nominations: kept, cleared, or
	// set to their assignments. Members without one keep theirs then.
	Nomination Nomination
	// Waiting are the pods that the gang waits for (waiting), on the nodes that its
	// members are nominated to, the most important first. See [GangResult.GraceLeft].
	Waiting []*Pod
	// Exact says that no plan places more members, and none of as many costs less,
	// by the criteria of [BestPlacement]. If not, the plan is good, by the heuristic
	// that BestPlacement describes, or that of the given placement. Of an unhelpful
	// outcome it says that there surely is no plan.
	Exact bool

	given bool // the plan is what a given placement costs
}

// An Assignment is the place of a member.
type Assignment struct {
	Pod  *Pod
	Node *Node // nil: not placed
	// Reason says why the member was not placed, where the result's own reason does
	// not.
	Reason string
}

// Disruptions count victims by kind.
type Disruptions struct {
	Pods, PodGroups, CompositePodGroups int
}

// Message returns kube-scheduler's text about the gang's preemption, empty if it
// fits and, in 1.36, if preemption succeeds.
func (r *GangResult) Message() string {
	text := r.Reason
	switch r.Outcome {
	case OutcomeFits:
		return ""
	case OutcomePreempt:
		if !r.Release.rules().announcesVictims {
			return ""
		}
		text = fmt.Sprintf("found a placement for podgroup, preempting %d victims", len(r.Delete)+len(r.Terminating))
	}
	return "pod group preemption: " + text
}

// GraceLeft returns how long the pods that are waited for may still take to go, as
// [Result.GraceLeft] does.
func (r *GangResult) GraceLeft(now time.Time) time.Duration { return graceLeft(r.Waiting, now) }

// Explain tells a human where the members go and which pods leave for it, node by
// node. The text is for reading; its form may change.
func (r *GangResult) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "gang %s: priority %d, %s, at least %d to place\n", r.Gang, r.Gang.Priority, plural(len(r.Gang.Members), "member"), r.Gang.minCount())
	switch r.Outcome {
	case OutcomeFits:
		b.WriteString("nothing needs evicting\n")
	case OutcomePreempt:
		fmt.Fprintf(&b, "%s evicted, %s; ", plural(len(r.Delete)+len(r.Terminating), "pod"), plural(r.Violations, "budget violation"))
		switch {
		case r.Exact:
			b.WriteString("no placement of as many members costs less\n")
		case r.given:
			b.WriteString("that is what the given placement costs, others may cost less\n")
		default:
			b.WriteString("found by a heuristic, other placements may cost less\n")
		}
	default:
		fmt.Fprintf(&b, "%s: %s\n", r.Outcome, r.Reason)
	}
	for _, p := range r.Waiting {
		fmt.Fprintf(&b, "  waits for %s on %s, which is terminating\n", p, p.NodeName)
	}

	// Node by node: which members come and which pods go.
	for _, n := range r.nodesConcerned() {
		fmt.Fprintf(&b, "\nnode %s\n", n.Name)
		for _, a := range r.Assignments {
			if a.Node == n {
				fmt.Fprintf(&b, "  takes %s\n", a.Pod)
			}
		}
		for _, v := range r.Victims {
			if slices.Contains(v.Nodes, n) {
				fmt.Fprintf(&b, "  loses %s, priority %d\n", v.describe(), v.Priority)
			}
		}
	}

	// Those without a place come last, with their reasons.
	gap := "\n"
	for _, a := range r.Assignments {
		if a.Node == nil && a.Reason != "" {
			fmt.Fprintf(&b, "%s%s is not placed: %s\n", gap, a.Pod, a.Reason)
			gap = ""
		}
	}
	return b.String()
}

// nodesConcerned returns the nodes used and then those that only lose pods.
func (r *GangResult) nodesConcerned() []*Node {
	nodes := r.nodesUsed()
	seen := make(map[*Node]bool)
	for _, n := range nodes {
		seen[n] = true
	}
	for _, v := range r.Victims {
		for _, n := range v.Nodes {
			if !seen[n] {
				seen[n] = true
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// nodesUsed returns the nodes that members go to, in the order of the members.
func (r *GangResult) nodesUsed() []*Node {
	var nodes []*Node
	seen := make(map[*Node]bool)
	for _, a := range r.Assignments {
		if a.Node != nil && !seen[a.Node] {
			seen[a.Node] = true
			nodes = append(nodes, a.Node)
		}
	}
	return nodes
}

// gangPlan is what a planner found: the members placed, fewer than MinCount perhaps,
// and the victims that this takes.
type gangPlan struct {
	nodes      []*Node // by member, nil: not placed
	reasons    []string
	victims    []*Victim
	violations int
	exact      bool
	given      bool   // what a given placement costs
	status     Status // why no more members could be placed
}

func (p *gangPlan) placed() int {
	n := 0
	for _, node := range p.nodes {
		if node != nil {
			n++
		}
	}
	return n
}

// refuse says in a result that too few members could be placed, and why each
// was not.
func (p *gangPlan) refuse(r *GangResult) {
	r.Nomination, r.Exact = ClearNomination, p.exact
	for i, n := range p.nodes {
		if n == nil {
			r.Assignments[i].Reason = p.reasons[i]
		} else {
			r.Assignments[i].Reason = "too few others find room"
		}
	}
}

// fill writes the plan into a result.
func (p *gangPlan) fill(q *gangQuery, r *GangResult) {
	c := q.cluster
	// Whatever the outcome: where the members go, and why some go nowhere.
	for i, n := range p.nodes {
		r.Assignments[i].Node = n
		if n == nil {
			r.Assignments[i].Reason = p.reasons[i]
		}
	}
	r.Exact, r.given, r.Victims, r.Violations = p.exact, p.given, p.victims, p.violations
	if r.Outcome != OutcomePreempt {
		return // the members are for the scheduler to bind; no nomination changes
	}

	// What is to delete, and how many owners that disturbs.
	r.Nomination = SetNomination
	for _, v := range p.victims {
		switch v.Kind {
		case KindPod:
			r.Disruptions.Pods++
		case KindPodGroup:
			r.Disruptions.PodGroups++
		case KindCompositePodGroup:
			r.Disruptions.CompositePodGroups++
		}
		for _, x := range v.Pods {
			if x.Termination == NotTerminating {
				r.Delete = append(r.Delete, x)
			} else {
				r.Terminating = append(r.Terminating, x)
			}
		}
	}
	if !c.Release().rules().gangsClearNominations {
		return
	}
	for _, n := range r.nodesUsed() {
		for _, x := range c.NominatedTo(n.Name) {
			if x.Priority < q.gang.Priority && !q.gang.member(x) {
				r.ClearNominations = append(r.ClearNominations, x)
			}
		}
	}
}

// A plan is compared by what it places, then by what it costs, with the same score as
// nodes are.

// score is what the plan costs. Unlike the choice between nodes it goes by the
// highest priority of any pod, since the victims of many nodes have no first one.
func (p *gangPlan) score() score.Score {
	s := scoreOf(p.victims)
	s.Violations, s.Top = int64(p.violations), s.Highest
	return s
}

// better reports whether p places more members than o, or as many at less cost.
func (p *gangPlan) better(o *gangPlan) bool {
	if a, b := p.placed(), o.placed(); a != b {
		return a > b
	}
	a, b := p.score(), o.score()
	return a.Compare(&b) < 0
}
