package situation

import (
	"fmt"
	"slices"
	"strings"

	"example.com/preemption"
)

// A Step is one thing that happens on a node, or at the end between them.
type Step struct {
	Node string `json:"node,omitempty"`
	// Kind is look, test, protect, remove, classify, reprieve, clear or choose.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Gone are the pods that are away from the node at the end of the step, Pods those
	// that it is about.
	Gone []string `json:"gone,omitempty"`
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

// A moment is a step that is not told yet: what it is about, and the place in the
// report's list of that kind.
type moment struct {
	report *preemption.NodeReport
	kind   string
	at     int
}

// Steps returns how many steps there are.
func (d *Decision) Steps() int { return len(d.moments) }

// list appends the steps of a node, and returns what comes out.
func (d *Decision) list(r *preemption.NodeReport) string {
	add := func(kind string, at int) { d.moments = append(d.moments, moment{report: r, kind: kind, at: at}) }
	add("look", 0)
	switch {
	case r.Filter.Fits():
		return "fits as it is"
	case !r.Examined && r.Filter.Code != preemption.Unresolvable:
		return r.Filter.Message()
	}
	for i := range r.Protected {
		add("protect", i)
	}
	if len(r.Removed) == 0 {
		add("test", 0)
		return r.Status.Message()
	}
	add("remove", 0)
	if refusedEmpty(r) {
		return r.Status.Message()
	}
	for i := range r.Violating {
		add("classify", i)
	}
	for i := range r.Steps {
		add("reprieve", i)
	}
	if r.Candidate == nil {
		return r.Status.Message()
	}
	add("clear", 0)
	return fmt.Sprintf("can be cleared: %s, %s", plural(len(r.Candidate.Pods()), "pod"), plural(r.Candidate.Violations, "budget violation"))
}

// refusedEmpty says that the preemptor did not fit even without all pods of lower
// priority.
func refusedEmpty(r *preemption.NodeReport) bool { return r.Candidate == nil && len(r.Steps) == 0 }

// Step tells step i, counted from 0.
func (d *Decision) Step(i int) (*Step, error) {
	if i < 0 || i >= len(d.moments) {
		return nil, fmt.Errorf("there is no step %d: there are %d", i, len(d.moments))
	}
	m, r := d.moments[i], d.moments[i].report
	if m.kind == "choose" {
		return &Step{Kind: m.kind, Node: d.Node, Text: d.Headline, Gone: d.Victims, Pods: d.Victims}, nil
	}
	node, pod := r.Node.Name, d.preemptor.Name
	s := &Step{Kind: m.kind, Node: node}
	switch m.kind {
	case "look":
		s.Verdict, s.Text = "fits", fmt.Sprintf("%s takes %s as it is.", node, pod)
		if !r.Filter.Fits() {
			s.Verdict, s.Text = "refused", fmt.Sprintf("%s does not take %s: %s.", node, pod, r.Filter.Message())
		}
		s.Sums = d.sums(r.Node, nil)
	case "test":
		s.Verdict, s.Text = "refused", fmt.Sprintf("%s: %s.", node, r.Status.Message())
		if !r.Examined {
			s.Text = "No eviction on " + node + " can change that."
		}
	case "protect":
		v := &r.Protected[m.at]
		s.Verdict, s.Pods = "stays", podNames(v.Victim.Pods)
		s.Text = fmt.Sprintf("Evicting %s would violate %s, which is respected: it stays.", strings.Join(s.Pods, ", "), budgetNames(v.Budgets))
	case "remove":
		s.Gone = namesOf(r.Removed)
		s.Pods, s.Sums = s.Gone, d.sums(r.Node, s.Gone)
		s.Verdict, s.Text = "fits", fmt.Sprintf("Now %s fits.", pod)
		if refusedEmpty(r) {
			s.Verdict, s.Text = "refused", fmt.Sprintf("Even so: %s.", r.Status.Message())
		}
		s.Text = fmt.Sprintf("Remove all pods of lower priority from %s: %s. %s", node, strings.Join(s.Gone, ", "), s.Text)
	case "classify":
		v := &r.Violating[m.at]
		s.Gone, s.Pods = namesOf(r.Removed), podNames(v.Victim.Pods)
		s.Text = fmt.Sprintf("Evicting %s would violate %s, so it is put back first.", strings.Join(s.Pods, ", "), budgetNames(v.Budgets))
	case "reprieve":
		d.reprieve(s, r, m.at)
	case "clear":
		s.Gone, s.Pods = away(r, len(r.Steps)), podNames(r.Candidate.Pods())
		s.Text = fmt.Sprintf("%s can be cleared by evicting %s, with %s.", node, strings.Join(s.Pods, ", "), plural(r.Candidate.Violations, "budget violation"))
	}
	return s, nil
}

// reprieve tells of one victim put back.
func (d *Decision) reprieve(s *Step, r *preemption.NodeReport, at int) {
	tried := &r.Steps[at]
	s.Pods = podNames(tried.Victim.Pods)
	label := strings.Join(s.Pods, ", ")
	s.Gone = away(r, at+1)
	if tried.Spared() {
		s.Verdict, s.Text = "stays", fmt.Sprintf("Put %s back: %s still fits, so it stays.", label, d.preemptor.Name)
		s.Sums = d.sums(r.Node, s.Gone)
		return
	}
	s.Verdict, s.Text = "goes", fmt.Sprintf("Put %s back: %s, so it has to go.", label, tried.Status.Message())
	s.Sums = d.sums(r.Node, without(s.Gone, s.Pods)) // the test was made with it back
}

// away returns the pods that are away once so many victims were tried: all that
// were removed, but for those spared.
func away(r *preemption.NodeReport, tried int) []string {
	gone := namesOf(r.Removed)
	if len(r.Steps) == 0 {
		return podNames(r.Candidate.Pods()) // the best victims are found at once
	}
	for i := range r.Steps[:tried] {
		if r.Steps[i].Spared() {
			gone = without(gone, podNames(r.Steps[i].Victim.Pods))
		}
	}
	return gone
}

func without(names, taken []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(taken, name) })
}

// sums is the arithmetic of a node beside the preemptor, without the pods that
// are away. Pods nominated there that hold their place against it count.
func (d *Decision) sums(n *preemption.Node, gone []string) []Sum {
	used := preemption.Resources{preemption.PodCount: 0}
	add := func(p *preemption.Pod) {
		used[preemption.PodCount]++
		for name, amount := range p.Requests {
			used[name] += amount
		}
	}
	for _, p := range d.cluster.PodsOn(n) {
		if !slices.Contains(gone, p.Name) {
			add(p)
		}
	}
	for _, p := range d.cluster.NominatedTo(n.Name) {
		if p.Priority >= d.preemptor.Priority {
			add(p)
		}
	}
	var sums []Sum
	for _, name := range []string{preemption.CPU, preemption.Memory, GPU, preemption.PodCount} {
		asked := d.preemptor.Requests[name]
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
