package situation

import (
	"fmt"
	"go/format"
	"strings"

	"example.com/preemption"
)

// Program writes the situation as a Go program that builds, runs, and prints the
// explanation.
func (s *Situation) Program() (string, error) {
	release, err := preemption.ParseRelease(s.Release)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	put("package main\n")
	put("import (")
	for _, path := range s.imports() {
		put("%q", path)
	}
	put(")\n")
	if s.Title != "" {
		put("// %s", strings.ReplaceAll(s.Title, "\n", " "))
	}
	put("func main() {")
	put("cluster, err := preemption.NewCluster(preemption.ClusterState{\nRelease: preemption.Release%s,", strings.ReplaceAll(release.String(), ".", ""))
	put("Nodes: []*preemption.Node{")
	for i := range s.Nodes {
		n := &s.Nodes[i]
		pods := n.Pods
		if pods == 0 {
			pods = defaultPods
		}
		put("{Name: %q, Labels: %#v, Unschedulable: %t, Allocatable: preemption.Resources{%s preemption.PodCount: %d}},",
			n.Name, n.Labels, n.Cordoned, goAmounts(n.CPU, n.Memory, n.GPU), pods)
	}
	put("},\nPods: []*preemption.Pod{")
	for i := range s.Pods {
		put("%s,", s.Pods[i].literal())
	}
	put("},")
	if len(s.Groups) > 0 {
		put("PodGroups: []*preemption.PodGroup{")
		for _, g := range s.Groups {
			mode := "DisruptSingle"
			if g.Atomic {
				mode = "DisruptAll"
			}
			put("{Namespace: %q, Name: %q, Priority: %d, DisruptionMode: preemption.%s},", namespace, g.Name, g.Priority, mode)
		}
		put("},")
	}
	if len(s.Budgets) > 0 {
		put("DisruptionBudgets: []*preemption.PodDisruptionBudget{")
		for _, d := range s.Budgets {
			put("{Namespace: %q, Name: %q, Selector: &preemption.Selector{MatchLabels: %#v}, Allowed: %d},", namespace, d.Name, d.Labels, d.Allowed)
		}
		put("},")
	}
	put("})\nif err != nil {\nlog.Fatal(err)\n}\n")
	put("evaluator := preemption.Evaluator{")
	if s.Victims == "best" {
		put("Victims: preemption.VictimsBest,")
	}
	switch s.Budget {
	case "exact":
		put("Budgets: preemption.BudgetsExact,")
	case "respected":
		put("Budgets: preemption.BudgetsRespected,")
	}
	put("}")
	if s.Gang != nil {
		s.askGang(put)
	} else {
		for i := range s.Pending {
			put("{\nanswer, err := evaluator.Examine(context.Background(), cluster, &preemption.Pod%s)", s.Pending[i].literal())
			put("if err != nil {\nlog.Fatal(err)\n}\nfmt.Print(answer.Explain())\n}")
		}
	}
	put("}")
	text, err := format.Source([]byte(b.String()))
	return string(text), err
}

func (s *Situation) imports() []string {
	paths := []string{"context", "fmt", "log"}
	started := false
	for _, p := range append(append([]Pod(nil), s.Pods...), s.Pending...) {
		started = started || p.Start != 0 || p.Grace != 0
	}
	if started {
		paths = append(paths, "time")
	}
	return append(paths, "example.com/preemption")
}

func (s *Situation) askGang(put func(string, ...any)) {
	put("gang := &preemption.Gang{Namespace: %q, Name: %q, Priority: %d, MinCount: %d, Members: []*preemption.Pod{",
		namespace, s.Gang.Name, s.Gang.Priority, s.Gang.Min)
	for i := range s.Pending {
		put("%s,", s.Pending[i].literal())
	}
	planner := "GivenPlacement"
	if s.Gang.Best {
		planner = "BestPlacement"
	}
	put("}}\nanswer, err := evaluator.PreemptGroup(context.Background(), cluster, gang, preemption.%s{})", planner)
	put("if err != nil {\nlog.Fatal(err)\n}\nfmt.Print(answer.Explain())")
}

// literal is the pod without its type. Fields that are zero are left out.
func (p *Pod) literal() string {
	var b strings.Builder
	fmt.Fprintf(&b, "{Namespace: %q, Name: %q, UID: %q, Priority: %d", namespace, p.Name, p.Name, p.Priority)
	put := func(set bool, format string, args ...any) {
		if set {
			fmt.Fprintf(&b, ", "+format, args...)
		}
	}
	requests := strings.TrimSuffix(goAmounts(p.CPU, p.Memory, p.GPU), ",")
	put(requests != "", "Requests: preemption.Resources{%s}", requests)
	put(p.Node != "", "NodeName: %q", p.Node)
	put(p.Nominated != "", "NominatedNode: %q", p.Nominated)
	put(len(p.Labels) > 0, "Labels: %#v", p.Labels)
	put(len(p.NodeSelector) > 0, "NodeSelector: %#v", p.NodeSelector)
	put(p.Group != "", "Group: %q", p.Group)
	put(p.Never, "PreemptionPolicy: preemption.PreemptNever")
	put(p.Terminating, "Termination: preemption.TerminatingByPreemption")
	put(p.Start != 0, "Start: time.Unix(%d, 0)", p.Start)
	put(p.Grace != 0, "GracePeriod: %d * time.Second", p.Grace)
	owner := parseOwner(p.Owner)
	put(p.Owner != "", "Owner: preemption.Owner{Kind: %q, Name: %q}", owner.Kind, owner.Name)
	b.WriteString("}")
	return b.String()
}

func goAmounts(cpu, memory, gpu int64) string {
	var b strings.Builder
	if cpu != 0 {
		fmt.Fprintf(&b, "preemption.CPU: %d,", cpu)
	}
	if memory != 0 {
		fmt.Fprintf(&b, "preemption.Memory: %d << 20,", memory)
	}
	if gpu != 0 {
		fmt.Fprintf(&b, "%q: %d,", GPU, gpu)
	}
	return b.String()
}
