package situation

import (
	"fmt"
	"slices"
	"strings"
)

// Scenario writes the situation as a test file of this repository, in the
// language of internal/scenario, with the questions and no answers:
// go test -run TestScenarios . -rewrite fills them in.
func (s *Situation) Scenario() string {
	var b strings.Builder
	if s.Title != "" {
		fmt.Fprintf(&b, "# %s\n", s.Title)
	}
	b.WriteString("cluster\n")
	for i := range s.Nodes {
		n := &s.Nodes[i]
		fmt.Fprintf(&b, "node %s%s", n.Name, amounts(n.CPU, n.Memory, n.GPU))
		if n.Pods != 0 {
			fmt.Fprintf(&b, " pods=%d", n.Pods)
		}
		if n.Cordoned {
			b.WriteString(" unschedulable")
		}
		b.WriteString(labels(n.Labels) + "\n")
	}
	for _, g := range s.Groups {
		mode := "single"
		if g.Atomic {
			mode = "all"
		}
		fmt.Fprintf(&b, "group %s prio=%d mode=%s\n", g.Name, g.Priority, mode)
	}
	for i := range s.Pods {
		fmt.Fprintf(&b, "pod %s on=%s%s\n", s.Pods[i].Name, s.Pods[i].Node, s.Pods[i].words())
	}
	for _, d := range s.Budgets {
		selector := labels(d.Labels)
		if len(d.Labels) == 0 {
			selector = " selector=empty"
		}
		fmt.Fprintf(&b, "pdb %s allowed=%d%s\n", d.Name, d.Allowed, selector)
	}
	b.WriteString("----\n")
	if s.Victims == "best" || s.Budget != "" {
		b.WriteString("\nevaluator\n")
		if s.Victims == "best" {
			b.WriteString("victims by=best\n")
		}
		if s.Budget != "" {
			fmt.Fprintf(&b, "budgets are=%s\n", s.Budget)
		}
		b.WriteString("----\n")
	}
	if s.Gang != nil {
		fmt.Fprintf(&b, "\ngang %s prio=%d release=%s", s.Gang.Name, s.Gang.Priority, s.Release)
		if s.Gang.Min != 0 {
			fmt.Fprintf(&b, " min=%d", s.Gang.Min)
		}
		if s.Gang.Best {
			b.WriteString(" planner=best")
		}
		b.WriteString("\n")
		for i := range s.Pending {
			fmt.Fprintf(&b, "member %s%s\n", s.Pending[i].Name, s.Pending[i].words())
		}
		b.WriteString("----\n")
		return b.String()
	}
	for i := range s.Pending {
		fmt.Fprintf(&b, "\nexamine %s%s release=%s\n----\n", s.Pending[i].Name, s.Pending[i].words(), s.Release)
	}
	return b.String()
}

// words are those of a pod behind its name and node.
func (p *Pod) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, " prio=%d%s", p.Priority, amounts(p.CPU, p.Memory, p.GPU))
	if p.Start != 0 {
		fmt.Fprintf(&b, " start=%d", p.Start)
	}
	if p.Grace != 0 {
		fmt.Fprintf(&b, " grace=%ds", p.Grace)
	}
	if p.Owner != "" {
		fmt.Fprintf(&b, " owner=%s", p.Owner)
	}
	if p.Group != "" {
		fmt.Fprintf(&b, " group=%s", p.Group)
	}
	if p.Never {
		b.WriteString(" policy=never")
	}
	if p.Terminating {
		b.WriteString(" terminating=preemption")
	}
	if p.Nominated != "" {
		fmt.Fprintf(&b, " nominated=%s", p.Nominated)
	}
	for _, key := range sortedKeys(p.NodeSelector) {
		fmt.Fprintf(&b, " selector=%s=%s", key, p.NodeSelector[key])
	}
	b.WriteString(labels(p.Labels))
	return b.String()
}

func amounts(cpu, memory, gpu int64) string {
	var b strings.Builder
	if cpu != 0 {
		fmt.Fprintf(&b, " cpu=%dm", cpu)
	}
	if memory != 0 {
		fmt.Fprintf(&b, " memory=%dMi", memory)
	}
	if gpu != 0 {
		fmt.Fprintf(&b, " %s=%d", GPU, gpu)
	}
	return b.String()
}

func labels(m map[string]string) string {
	var b strings.Builder
	for _, key := range sortedKeys(m) {
		fmt.Fprintf(&b, " label=%s=%s", key, m[key])
	}
	return b.String()
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
