package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"example.com/preemption/internal/conformance"
	"example.com/preemption/internal/golden"
)

// Release is the release whose answers the package gives.
const Release = golden.Release138

// process guards what a judgement sets for the whole process: feature gates.
var process sync.Mutex

// Judge returns the scheduler's answer to a case, with the message of the
// FailedScheduling event. Calls wait for each other.
//
// The answer does not depend on chance, except that the order of pods within a
// group is that of a map: see [golden.Case.HasGroups].
func Judge(c golden.Case) (golden.Answer, error) {
	if len(c.Nodes) == 0 {
		return golden.Answer{}, errors.New("a cluster without nodes is never searched")
	}
	process.Lock()
	defer process.Unlock()

	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	defer cancel()
	s, err := newScheduler(ctx, &c, false)
	if err != nil {
		return golden.Answer{}, err
	}
	if len(c.Gang) > 0 {
		return s.judgeGang(ctx, &c)
	}
	return s.judge(ctx)
}

// judge takes the preemptor through one scheduling cycle.
func (s *scheduler) judge(ctx context.Context) (golden.Answer, error) {
	filtered, err := s.filter(ctx)
	if err != nil {
		return golden.Answer{}, err
	}
	answer := golden.Answer{
		FitNodes:       filtered.fit,
		Statuses:       filtered.statuses,
		PotentialNodes: len(filtered.potential),
	}
	if len(filtered.fit) > 0 {
		answer.Outcome = golden.Fits
		return answer, nil
	}

	nominated := filtered.nodeToStatus.Get(s.preemptor.Status.NominatedNodeName)
	if ok, reason := s.window.PodEligibleToPreemptOthers(ctx, s.preemptor, nominated); !ok {
		answer.Outcome, answer.Reason = golden.Ineligible, reason
	} else if err := s.dryRun(ctx, filtered, &answer); err != nil {
		return golden.Answer{}, err
	}
	answer.Message, err = s.message(ctx, filtered, answer)
	return answer, err
}

// filtered is what the Filter plugins say about the nodes.
type filtered struct {
	state        fwk.CycleState
	nodeToStatus *framework.NodeToStatus
	fit          []string          // by name
	statuses     map[string]string // of the others
	potential    []fwk.NodeInfo    // those that evictions might help, by name
}

// filter runs the Filter plugins on every node, unlike the scheduler, which
// stops at the first one that fits.
func (s *scheduler) filter(ctx context.Context) (*filtered, error) {
	f := &filtered{
		state:        framework.NewCycleState(),
		nodeToStatus: framework.NewDefaultNodeToStatus(),
		statuses:     map[string]string{},
	}
	result, status, _ := s.framework.RunPreFilterPlugins(ctx, f.state, s.preemptor)
	if !status.IsSuccess() || !result.AllNodes() {
		return nil, fmt.Errorf("prefilter: %v", status)
	}
	for _, name := range s.nodes {
		info, err := s.snapshot.NodeInfos().Get(name)
		if err != nil {
			return nil, err
		}
		status := s.framework.RunFilterPluginsWithNominatedPods(ctx, f.state, s.preemptor, info)
		switch {
		case status.IsSuccess():
			f.fit = append(f.fit, name)
		case status.IsRejected():
			f.nodeToStatus.Set(name, status)
			f.statuses[name] = text(status)
		default:
			return nil, fmt.Errorf("filters on node %s: %w", name, status.AsError())
		}
	}
	var err error
	f.potential, err = byName{f.nodeToStatus}.NodesForStatusCode(s.snapshot.NodeInfos(), fwk.Unschedulable)
	return f, err
}

// dryRun fills in the answer for an eligible preemptor.
func (s *scheduler) dryRun(ctx context.Context, f *filtered, answer *golden.Answer) error {
	answer.Outcome = golden.Unhelpful
	if len(f.potential) == 0 {
		return nil
	}
	if s.cyclic {
		return errEndless
	}
	offset, num := s.window.GetOffsetAndNumCandidates(int32(len(f.potential)))
	candidates, nodeToStatus, err := s.window.Evaluator.DryRunPreemption(ctx, f.state, s.preemptor, f.potential, s.budgets, offset, num)
	if err != nil {
		return fmt.Errorf("%w: dry run: %w", conformance.ErrFails, err)
	}
	nodeToStatus.ForEachExplicitNode(func(node string, status *fwk.Status) {
		answer.Statuses[node] = text(status)
	})
	if len(candidates) == 0 {
		return nil
	}

	for _, c := range candidates {
		answer.Candidates = append(answer.Candidates, s.record(c))
	}
	if s.sampling == nil {
		slices.SortFunc(answer.Candidates, byNode)
	}
	answer.Outcome = golden.Preempt
	answer.Best = best(ctx, s.window.Evaluator, candidates)
	answer.Node = answer.Best[0]
	for _, c := range answer.Candidates {
		if c.Node == answer.Node {
			answer.Victims, answer.PDBViolations = c.Victims, c.PDBViolations
		}
	}
	return nil
}

// record returns a candidate as answers list it: in a case with groups, whose
// members come in map order, with its victims by name.
func (s *scheduler) record(c fwk.PreemptionCandidate) golden.Candidate {
	victims := keys(c.Victims().Pods)
	if s.groups {
		slices.Sort(victims)
	}
	return golden.Candidate{
		Node:          c.Name(),
		Victims:       victims,
		PDBViolations: c.Victims().NumPDBViolations,
	}
}

func keys(pods []*v1.Pod) []string {
	var keys []string
	for _, p := range pods {
		keys = append(keys, p.Namespace+"/"+p.Name)
	}
	return keys
}

// text returns a status as answers show it: extended resources, which come in
// map order, by name.
func text(status *fwk.Status) string {
	return golden.CanonicalStatus(status.Code().String() + ": " + status.Message())
}
