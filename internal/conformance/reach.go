package conformance

import (
	"slices"
	"strings"

	"example.com/preemption"
	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/replay"
)

// A reach is something that a case with its answer may show: a rule that differs
// between releases, the refusal of a filter, a kind of answer.
type reach struct {
	name string
	is   func(s *situation) bool
}

// situation is a case with its answer.
type situation struct {
	*golden.Case
	answer  golden.Answer
	release preemption.Release
	state   preemption.ClusterState
}

func newSituation(c *golden.Case, answer golden.Answer, release string) (*situation, error) {
	r := replay.Releases[release]
	state, err := replay.State(c, r)
	return &situation{c, answer, r, state}, err
}

// rules are the rows of the table of releases in docs/conformance.md: a case
// reaches one if a pod that may have to go is as the row says. "Fits with
// everybody back" is missing: a scheduler only gets there with an extender.
var rules = []reach{
	{"a pod under several budgets", someVictim(func(s *situation, p *preemption.Pod) bool {
		n := 0
		for _, b := range s.state.DisruptionBudgets {
			if b.Namespace == p.Namespace && b.Selector.Matches(p.Labels) && !isEmpty(b.Selector) && !slices.Contains(b.Disrupted, p.Name) {
				n++
			}
		}
		return n > 1
	})},
	{"empty selector of a budget", someVictim(func(s *situation, p *preemption.Pod) bool {
		return slices.ContainsFunc(s.state.DisruptionBudgets, func(b *preemption.PodDisruptionBudget) bool {
			return b.Namespace == p.Namespace && isEmpty(b.Selector)
		})
	})},
	{"pod without labels that a budget's selector matches", someVictim(func(s *situation, p *preemption.Pod) bool {
		return len(p.Labels) == 0 && slices.ContainsFunc(s.state.DisruptionBudgets, func(b *preemption.PodDisruptionBudget) bool {
			return b.Namespace == p.Namespace && b.Selector.Matches(nil)
		})
	})},
	{"pods in a group evicted as one", someMember(func(u unit) bool { return u.atomic && u.release != preemption.Release136 })},
	{"pods in such a group evicted one by one", someMember(func(u unit) bool { return u.atomic && u.release == preemption.Release136 })},
	{"a member of a group that is not atomic", someMember(func(u unit) bool { return u.known && !u.atomic })},
	{"a member's priority is not its root group's", someMember(func(u unit) bool { return u.known && u.priority != u.root })},
	{"missing start", someVictim(func(_ *situation, p *preemption.Pod) bool { return p.Start.IsZero() })},
	{"a full tie of victims", someVictim(func(s *situation, p *preemption.Pod) bool {
		return slices.ContainsFunc(s.state.Pods, func(q *preemption.Pod) bool {
			return q != p && q.NodeName == p.NodeName && q.Priority == p.Priority && q.Start.Equal(p.Start)
		})
	})},
	{"text on success", func(s *situation) bool { return s.answer.Outcome == golden.Preempt && len(s.Gang) == 0 }},
	{"a group that preempts", func(s *situation) bool { return s.answer.Outcome == golden.Preempt && len(s.Gang) > 0 }},
}

// filters are what the scheduler's filters say, as the answers tell it.
var filters = []reach{
	refusal("NodeUnschedulable", "UnschedulableAndUnresolvable: node(s) were unschedulable"),
	refusal("TaintToleration", "UnschedulableAndUnresolvable: node(s) had untolerated taint"),
	refusal("NodeAffinity", "UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity"),
	refusal("NodePorts", "Unschedulable: node(s) didn't have free ports"),
	refusal("NodeResourcesFit: pods", "Unschedulable: Too many pods"),
	shortage("cpu"),
	shortage("memory"),
	shortage("ephemeral-storage"),
	shortage("an extended resource", "amd.com/gpu", "example.com/gpu", "hugepages-2Mi"),
	refusal("NodeResourcesFit: more than the node has", "UnschedulableAndUnresolvable: Insufficient"),
	{"NodeResourcesFit: several short", func(s *situation) bool {
		return anyStatus(s.answer, func(text string) bool {
			return strings.HasPrefix(text, "Unschedulable: ") && strings.Contains(text, ", ")
		})
	}},
	{"nominated pods counted in", func(s *situation) bool {
		return slices.ContainsFunc(s.Pods, func(p golden.Pod) bool { return p.NominatedNode != "" && p.Priority >= s.Preemptor.Priority })
	}},
}

// reached returns everything that reach is about, in groups for the summary.
func reached() map[string][]reach {
	answers := make([]reach, len(kinds))
	for i, k := range kinds {
		answers[i] = reach{k.name, func(s *situation) bool { return k.is(s.Case, s.answer) }}
	}
	return map[string][]reach{reachRules: rules, reachFilters: filters, reachAnswers: answers}
}

const (
	reachRules   = "rule"
	reachFilters = "filter"
	reachAnswers = "answer"
)

// refusal is about a node that a filter refuses with a text.
func refusal(name, text string) reach {
	return reach{name, func(s *situation) bool { return someStatus(text)(s.Case, s.answer) }}
}

// shortage is about a node that is short of a resource until pods go.
func shortage(name string, resources ...string) reach {
	if len(resources) == 0 {
		resources = []string{name}
	}
	return reach{"NodeResourcesFit: " + name, func(s *situation) bool {
		return anyStatus(s.answer, func(text string) bool {
			return strings.HasPrefix(text, "Unschedulable: ") && slices.ContainsFunc(resources, func(r string) bool {
				return strings.Contains(text, "Insufficient "+r)
			})
		})
	}}
}

func anyStatus(a golden.Answer, is func(text string) bool) bool {
	for _, text := range a.Statuses {
		if is(text) {
			return true
		}
	}
	return false
}

func isEmpty(s *preemption.Selector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0
}

// someVictim looks for a bound pod of lower priority than the preemptor's.
func someVictim(is func(*situation, *preemption.Pod) bool) func(*situation) bool {
	return func(s *situation) bool {
		return slices.ContainsFunc(s.state.Pods, func(p *preemption.Pod) bool {
			return p.NodeName != "" && p.Priority < s.Preemptor.Priority && is(s, p)
		})
	}
}

// unit is what a bound pod that names a group belongs to.
type unit struct {
	release  preemption.Release
	known    bool // the group exists
	atomic   bool // some group on the way up has disruption mode all
	priority int32
	root     int32 // the priority of the last group on the way up
}

// someMember looks for a pod that names a group.
func someMember(is func(unit) bool) func(*situation) bool {
	return someVictim(func(s *situation, p *preemption.Pod) bool {
		return p.Group != "" && is(unitOf(s, p))
	})
}

func unitOf(s *situation, p *preemption.Pod) unit {
	u := unit{release: s.release, priority: p.Priority, root: p.Priority}
	parent := ""
	for _, g := range s.state.PodGroups {
		if g.Namespace == p.Namespace && g.Name == p.Group {
			u.known, u.atomic, u.root, parent = true, g.DisruptionMode == preemption.DisruptAll, g.Priority, g.Parent
		}
	}
	for depth := 1; parent != "" && depth < maxDepth; depth++ {
		i := slices.IndexFunc(s.state.CompositePodGroups, func(g *preemption.CompositePodGroup) bool {
			return g.Namespace == p.Namespace && g.Name == parent
		})
		if i < 0 {
			break
		}
		g := s.state.CompositePodGroups[i]
		u.atomic = u.atomic || g.DisruptionMode == preemption.DisruptAll
		u.root, parent = g.Priority, g.Parent
	}
	return u
}
