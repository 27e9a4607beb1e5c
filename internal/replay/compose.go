package replay

import (
	"fmt"
	"strings"

	"example.com/preemption"
	"example.com/preemption/internal/golden"
)

// Paths are the ways through the library, by name. All must give the recorded
// answer.
var Paths = map[string]func(*golden.Case, preemption.Release) (golden.Answer, error){
	"evaluator":  Evaluate,
	"composable": Compose,
}

// Compose returns the answer of the composable functions, put together here as a
// user would: no Cluster, no Evaluator.
func Compose(c *golden.Case, r preemption.Release) (golden.Answer, error) {
	if len(c.Gang) > 0 {
		return Gang(c, r)
	}
	state, err := State(c, r)
	if err != nil {
		return golden.Answer{}, err
	}
	preemptor, err := Pod(&c.Preemptor)
	if err != nil {
		return golden.Answer{}, err
	}
	snapshot := newSnapshot(state)
	prepared, err := preemption.All(preemption.DefaultFilters()...).Prepare(preemptor, snapshot)
	if err != nil {
		return golden.Answer{}, err
	}
	settings, err := evaluator(c)
	if err != nil {
		return golden.Answer{}, err
	}
	p := composed{c: c, settings: settings, release: r, state: state, snapshot: snapshot, preemptor: preemptor, prepared: prepared,
		groups: preemption.NewGroups(state.PodGroups, state.CompositePodGroups),
		answer: golden.Answer{Statuses: map[string]string{}}}
	err = p.run()
	return p.answer, err
}

// snapshot is the least a View takes.
type snapshot struct {
	nodes     []*preemption.Node
	pods      map[string][]*preemption.Pod
	nominated map[string][]*preemption.Pod
}

func newSnapshot(state preemption.ClusterState) *snapshot {
	s := &snapshot{state.Nodes, map[string][]*preemption.Pod{}, map[string][]*preemption.Pod{}}
	for _, p := range state.Pods {
		if p.NodeName != "" {
			s.pods[p.NodeName] = append(s.pods[p.NodeName], p)
		} else if p.NominatedNode != "" {
			s.nominated[p.NominatedNode] = append(s.nominated[p.NominatedNode], p)
		}
	}
	return s
}

func (s *snapshot) Nodes() []*preemption.Node                   { return s.nodes }
func (s *snapshot) NominatedTo(node string) []*preemption.Pod   { return s.nominated[node] }
func (s *snapshot) PodsOn(n *preemption.Node) []*preemption.Pod { return s.pods[n.Name] }

type composed struct {
	c         *golden.Case
	settings  preemption.Evaluator
	release   preemption.Release
	state     preemption.ClusterState
	snapshot  *snapshot
	groups    *preemption.Groups
	preemptor *preemption.Pod
	prepared  preemption.Prepared
	answer    golden.Answer
}

func (p *composed) run() error {
	var potential []*preemption.Node
	for _, n := range p.state.Nodes {
		run, err := p.prepared.Begin(n)
		if err != nil {
			return err
		}
		status, err := preemption.FitsWithNominated(p.preemptor, n, run, p.snapshot.nominated[n.Name])
		if err != nil {
			return err
		}
		if status.Fits() {
			p.answer.FitNodes = append(p.answer.FitNodes, n.Name)
			continue
		}
		p.answer.Statuses[n.Name] = status.String()
		if status.Code == preemption.Unschedulable {
			potential = append(potential, n)
		}
	}
	p.answer.PotentialNodes = len(potential)
	if len(p.answer.FitNodes) > 0 {
		p.answer.Outcome = golden.Fits
		return nil
	}
	if reason := p.ineligible(); reason != "" {
		p.answer.Outcome, p.answer.Reason = golden.Ineligible, reason
		return nil
	}
	found, err := p.search(potential)
	if err != nil {
		return err
	}
	p.choose(found)
	return nil
}

func (p *composed) ineligible() string {
	if p.preemptor.PreemptionPolicy == preemption.PreemptNever {
		return preemption.ReasonNever
	}
	for _, n := range p.state.Nodes {
		if n.Name != p.preemptor.NominatedNode || strings.HasPrefix(p.answer.Statuses[n.Name], preemption.Unresolvable.String()) {
			continue
		}
		for _, x := range p.snapshot.PodsOn(n) {
			v := p.release.PodVictim(x, n, p.groups)
			if v.Priority < p.preemptor.Priority && x.Termination == preemption.TerminatingByPreemption {
				return preemption.ReasonTerminating
			}
		}
	}
	return ""
}

// search looks at the potential nodes one after another, from the offset until
// enough candidates are found if the case is sampled.
func (p *composed) search(potential []*preemption.Node) ([]*preemption.Candidate, error) {
	start, enough := 0, len(potential)
	if s := sampling(p.c); s != nil {
		start, enough = p.c.Offset, s.Count(len(potential))
	}
	var clean, violating []*preemption.Candidate
	for i := range potential {
		if p.c.Sampling != nil && len(clean) > 0 && len(clean)+len(violating) >= enough {
			break
		}
		found, err := p.dryRun(potential[(start+i)%len(potential)])
		switch {
		case err != nil:
			return nil, err
		case found == nil:
		case found.Violations == 0 && len(clean) < enough:
			clean = append(clean, found)
		case found.Violations > 0 && len(violating) < enough:
			violating = append(violating, found)
		}
	}
	return append(clean, violating...), nil
}

func (p *composed) dryRun(n *preemption.Node) (*preemption.Candidate, error) {
	run, err := p.prepared.Begin(n)
	if err != nil {
		return nil, err
	}
	s, err := p.selectOn(preemption.NodeCase{
		Preemptor: p.preemptor, Node: n, DryRun: run, Nominated: p.snapshot.nominated[n.Name],
		Victims: p.release.Victims(n, p.snapshot, p.groups), Budgets: p.state.DisruptionBudgets, Release: p.release,
		BudgetPolicy: p.settings.Budgets,
	})
	switch {
	case err != nil:
		return nil, err
	case !s.Status.Fits():
		p.answer.Statuses[n.Name] = s.Status.String()
		return nil, nil
	case len(s.Victims) == 0:
		return nil, fmt.Errorf("node %s: it fits with nothing evicted, after it did not", n.Name)
	}
	return &preemption.Candidate{Node: n, Victims: s.Victims, Violations: s.Violations}, nil
}

func (p *composed) selectOn(c preemption.NodeCase) (preemption.Selection, error) {
	if p.settings.Victims != preemption.VictimsBest {
		return preemption.SelectVictimsOnNode(c)
	}
	s, err := preemption.SelectBestVictimsOnNode(c, p.settings.Orders...)
	if err == nil && !s.Exact {
		err = fmt.Errorf("node %s: the search for the best victims ended early", c.Node.Name)
	}
	return s, err
}

func (p *composed) choose(found []*preemption.Candidate) {
	p.answer.Candidates = candidates(p.c, found)
	best, _ := preemption.PickOneNode(found, p.settings.Orders...)
	if best == nil {
		p.answer.Outcome = golden.Unhelpful
		return
	}
	p.answer.Outcome, p.answer.Node = golden.Preempt, best.Node.Name
	p.answer.Victims, p.answer.PDBViolations = keys(best.Victims), int64(best.Violations)
}
