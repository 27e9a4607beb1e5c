package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"example.com/preemption/conformance/objects"
	"example.com/preemption/internal/golden"
)

// judgeGang answers a case whose preemptor is a group with a given placement.
//
// The placement stands in for the search that the scheduler would make once
// all victims are gone; everything before and after it is the scheduler's.
func (s *scheduler) judgeGang(ctx context.Context, c *golden.Case) (golden.Answer, error) {
	gang, err := newGang(c)
	if err != nil {
		return golden.Answer{}, err
	}
	fits, err := s.fitsAsIs(ctx, gang)
	if err != nil {
		return golden.Answer{}, err
	}
	if fits {
		return golden.Answer{Outcome: golden.Fits}, nil
	}
	if s.cyclic {
		return golden.Answer{}, errEndless
	}

	_, status := s.window.PodGroupPostFilter(ctx, framework.NewCycleState(), gang.info, func(ctx context.Context) (*fwk.PodGroupAssignments, *fwk.Status) {
		return s.place(ctx, gang.members)
	})
	switch {
	case status.IsRejected():
		reason := strings.Replace(text(status), "pod group preemption: ", "", 1)
		return golden.Answer{Outcome: golden.Unhelpful, Reason: reason}, nil
	case !status.IsSuccess():
		return golden.Answer{}, status.AsError()
	case s.preempted == nil:
		return golden.Answer{}, errors.New("victims that are all terminating are not told")
	}
	cost := s.record(s.preempted)
	return golden.Answer{Outcome: golden.Preempt, Victims: cost.Victims, PDBViolations: cost.PDBViolations}, nil
}

// gang is a preempting group.
type gang struct {
	info    *framework.PodGroupInfo
	members []*member
}

// member is a pod of a gang with its place. It is the scheduler's
// ProposedAssignment once state is set.
type member struct {
	info     *framework.PodInfo
	assigned string
	state    fwk.CycleState
}

func (m *member) GetPod() *v1.Pod               { return m.info.Pod }
func (m *member) GetPodInfo() fwk.PodInfo       { return m.info }
func (m *member) GetNodeName() string           { return m.assigned }
func (m *member) GetCycleState() fwk.CycleState { return m.state }

func newGang(c *golden.Case) (*gang, error) {
	group := podGroup(&golden.PodGroup{
		Namespace: c.Preemptor.Namespace,
		Name:      c.Preemptor.Name,
		Priority:  c.Preemptor.Priority,
	})
	g := &gang{info: framework.NewPodGroupInfo(fwk.NewGenericPodGroup(group))}
	for i := range c.Gang {
		info, err := framework.NewPodInfo(objects.Pod(&c.Gang[i].Pod))
		if err != nil {
			return nil, err
		}
		g.members = append(g.members, &member{info: info, assigned: c.Gang[i].Assigned})
		g.info.UnscheduledPods = append(g.info.UnscheduledPods, info.Pod)
	}
	return g, nil
}

// fitsAsIs reports whether the gang can take its places without preemption.
func (s *scheduler) fitsAsIs(ctx context.Context, g *gang) (bool, error) {
	if err := s.snapshot.StartMutations(); err != nil {
		return false, err
	}
	_, status := s.place(ctx, g.members)
	if err := s.snapshot.EndMutations(); err != nil {
		return false, err
	}
	if !status.IsSuccess() && !status.IsRejected() {
		return false, status.AsError()
	}
	return status.IsSuccess(), nil
}

// place puts member after member in its place, each on top of those before it,
// and takes them all away again. It fails with the first member that does not
// fit.
func (s *scheduler) place(ctx context.Context, members []*member) (_ *fwk.PodGroupAssignments, status *fwk.Status) {
	placed := &fwk.PodGroupAssignments{}
	defer func() {
		for _, m := range placed.ProposedAssignments {
			if err := s.snapshot.RemovePod(s.logger, m.GetPod(), m.GetNodeName()); err != nil {
				status = fwk.AsStatus(fmt.Errorf("taking away %s: %w", m.GetPod().Name, err))
			}
		}
	}()
	for _, m := range members {
		m.state = framework.NewCycleState()
		if _, status, _ := s.framework.RunPreFilterPlugins(ctx, m.state, m.info.Pod); !status.IsSuccess() {
			return nil, status
		}
		node, err := s.snapshot.NodeInfos().Get(m.assigned)
		if err != nil {
			return nil, fwk.AsStatus(err)
		}
		if status := s.framework.RunFilterPluginsWithNominatedPods(ctx, m.state, m.info.Pod, node); !status.IsSuccess() {
			return nil, status
		}
		if err := s.snapshot.AddPod(m.info, m.assigned); err != nil {
			return nil, fwk.AsStatus(err)
		}
		placed.ProposedAssignments = append(placed.ProposedAssignments, m)
	}
	return placed, nil
}
