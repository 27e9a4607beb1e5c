package scenario

import (
	"fmt"
	"slices"
	"strings"

	"example.com/preemption"
)

// selectVictims clears one node for a preemptor through the composable
// functions, and prints each step.
func (w *world) selectVictims(b *Block) (string, error) {
	f := b.directive.fields()
	chosen, nodeName := f.releases(), f.text("node")
	preemptor := w.preemptor(f)
	if err := f.done(); err != nil {
		return "", err
	}
	if err := w.ready(b); err != nil {
		return "", err
	}
	if w.clusters[newest].Node(nodeName) == nil {
		return "", b.directive.errorf("select: node=%s is not in the cluster: name one that is", nodeName)
	}
	return perRelease(chosen, func(r preemption.Release) string {
		return w.selectOn(w.clusters[r], nodeName, preemptor)
	}), nil
}

// preemptor takes the name of a pod of the cluster, or the words of a new one.
func (w *world) preemptor(f *fields) *preemption.Pod {
	p := f.pod()
	if len(f.line.args) > 0 {
		for _, a := range f.line.args {
			if a.key != "" && a.key != "node" && a.key != "release" {
				return p
			}
		}
	}
	if known := w.model.pod(p.Namespace, p.Name); known != nil {
		return known
	}
	return p
}

func (w *world) selectOn(c *preemption.Cluster, nodeName string, preemptor *preemption.Pod) string {
	rec := newRecorder()
	var out output
	node := c.Node(nodeName)
	trace := &preemption.Trace{
		Removed: func(_ *preemption.Node, victims []*preemption.Victim, status preemption.Status, short []preemption.Shortfall) {
			verdict := "fits"
			if !status.Fits() {
				verdict = refusal(status, short)
			}
			out.row("removed", victimNames(victims, node), verdict)
		},
		Protected: func(_ *preemption.Node, protected []preemption.Violation) {
			for _, v := range protected {
				out.row("protected", nameOf(v.Victim, node), "by "+budgetNames(v.Budgets))
			}
		},
		Reprieved: func(_ *preemption.Node, s preemption.Step) {
			out.row("reprieve", nameOf(s.Victim, node), stepVerdict(s))
		},
	}
	selection, again, err := w.settings.selectOn(c, node, preemptor, w.model.index(), w.model.budgets, trace, rec)
	switch {
	case err != nil:
		out.printf("error: %v", err)
		rec.report(&out, c.Nodes())
		return out.String()
	case !selection.Status.Fits():
		out.row("found", "none", selection.Status.String())
	case len(selection.Victims) == 0:
		out.row("found", "nothing has to go")
	default:
		out.row("found", victimNames(selection.Victims, node), fmt.Sprintf("violations=%d", selection.Violations))
	}
	rec.report(&out, c.Nodes())
	for _, text := range w.checkSelection(c, node, preemptor, selection, again) {
		out.printf(Disagreement+" %s", text)
	}
	return out.String()
}

func newRecorder() *recorder {
	return &recorder{calls: make(map[string][]string), tests: make(map[string]int)}
}

func (m *model) index() *preemption.Groups { return preemption.NewGroups(m.groups, m.composites) }

// selectOn selects victims on a node through the composable functions. It also
// returns the dry run, as the selection left it.
func (s *settings) selectOn(c *preemption.Cluster, node *preemption.Node, preemptor *preemption.Pod, groups *preemption.Groups,
	budgets []*preemption.PodDisruptionBudget, trace *preemption.Trace, rec *recorder,
) (preemption.Selection, preemption.DryRun, error) {
	filters := s.buildFilters(rec)
	if filters == nil {
		filters = preemption.DefaultFilters()
	}
	prepared, err := preemption.All(filters...).Prepare(preemptor, c)
	if err != nil || prepared == nil {
		return preemption.Selection{}, nil, err
	}
	run, err := prepared.Begin(node)
	if err != nil {
		return preemption.Selection{}, nil, err
	}
	selectOn := preemption.SelectVictimsOnNode
	if s.victims == preemption.VictimsBest {
		selectOn = func(c preemption.NodeCase) (preemption.Selection, error) {
			return preemption.SelectBestVictimsOnNode(c, s.orders...)
		}
	}
	selection, err := selectOn(preemption.NodeCase{
		Preemptor: preemptor, Node: node, DryRun: run,
		Nominated: c.NominatedTo(node.Name),
		Victims:   c.Release().Victims(node, c, groups),
		Budgets:   budgets, BudgetPolicy: s.budgets,
		Release:  c.Release(),
		Eligible: s.eligible(rec),
		Compare:  s.compare,
		Trace:    trace,
	})
	return selection, run, err
}

// stepVerdict says what became of the attempt to put a victim back.
func stepVerdict(s preemption.Step) string {
	verdict := "stays"
	if !s.Spared() {
		verdict = "goes: " + refusal(s.Status, s.Shortfalls)
	}
	if len(s.Budgets) > 0 {
		verdict += "  (breaks " + budgetNames(s.Budgets)
		if s.Pods > 1 {
			verdict += fmt.Sprintf(", %d pods", s.Pods)
		}
		verdict += ")"
	}
	return verdict
}

// refusal gives the sums against what there is where they are known, the
// reasons otherwise.
func refusal(status preemption.Status, short []preemption.Shortfall) string {
	if len(short) == 0 {
		return status.String()
	}
	parts := make([]string, len(short))
	for i, x := range short {
		parts[i] = fmt.Sprintf("%s %s/%s", x.Resource, formatQuantity(x.Resource, x.Used+x.Requested), formatQuantity(x.Resource, x.Allocatable))
	}
	return strings.Join(parts, ", ")
}

// filterPDB splits the victims on the nodes, or on one, by the budgets: in the
// order of the input, or else most important first.
func (w *world) filterPDB(b *Block) (string, error) {
	f := b.directive.fields()
	chosen, nodeName, walk := f.releases(), f.text("node"), f.words()
	if err := f.done(); err != nil {
		return "", err
	}
	if err := w.ready(b); err != nil {
		return "", err
	}
	for _, name := range walk {
		if p := w.model.pod(splitName(name)); p == nil || p.NodeName == "" {
			return "", b.directive.errorf("filter-pdb: no pod %s runs in the cluster: name those that do, or none for all of them", name)
		}
	}
	return perRelease(chosen, func(r preemption.Release) string {
		c := w.clusters[r]
		victims := w.victims(c, nodeName)
		if len(walk) > 0 {
			victims = inOrder(victims, walk)
		}
		violating, rest := r.FilterVictimsWithPDBViolation(victims, w.model.budgets)
		var out output
		for _, v := range violating {
			out.row("violates", nameOf(v.Victim, nil), fmt.Sprintf("%d of %s", v.Pods, budgetNames(v.Budgets)))
		}
		for _, v := range rest {
			out.row("within", nameOf(v, nil))
		}
		return out.String()
	}), nil
}

// importance lists the victims, the most important first; = stands between
// equals.
func (w *world) importance(b *Block) (string, error) {
	f := b.directive.fields()
	chosen, nodeName := f.releases(), f.text("node")
	if err := f.done(); err != nil {
		return "", err
	}
	if err := w.ready(b); err != nil {
		return "", err
	}
	return perRelease(chosen, func(r preemption.Release) string {
		victims := w.victims(w.clusters[r], nodeName)
		var text strings.Builder
		for i, v := range victims {
			if i > 0 {
				sign := " > "
				if !preemption.MoreImportantVictim(victims[i-1], v) {
					sign = " = "
				}
				text.WriteString(sign)
			}
			text.WriteString(nameOf(v, nil))
		}
		return text.String()
	}), nil
}

// victims lists the units with a pod on the node, or on any node, the most
// important first.
func (w *world) victims(c *preemption.Cluster, nodeName string) []*preemption.Victim {
	var victims []*preemption.Victim
	seen := make(map[string]bool)
	for _, n := range c.Nodes() {
		if nodeName != "" && n.Name != nodeName {
			continue
		}
		for _, v := range c.Release().Victims(n, c, w.model.index()) {
			if name := v.String(); !seen[name] { // a group that spans nodes comes once
				seen[name] = true
				victims = append(victims, v)
			}
		}
	}
	slices.SortStableFunc(victims, func(a, b *preemption.Victim) int { return preemption.CompareImportance(b, a) })
	return victims
}

// inOrder picks the victims that hold the pods, in the order of the names.
func inOrder(victims []*preemption.Victim, names []string) []*preemption.Victim {
	var walk []*preemption.Victim
	for _, name := range names {
		for _, v := range victims {
			if slices.ContainsFunc(v.Pods, func(p *preemption.Pod) bool { return podName(p) == name }) && !slices.Contains(walk, v) {
				walk = append(walk, v)
			}
		}
	}
	return walk
}
