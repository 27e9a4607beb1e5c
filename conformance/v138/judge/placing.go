package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"example.com/preemption/conformance/objects"
	"example.com/preemption/internal/golden"
)

// Place returns the scheduler's answer to a case whose preemptor is a group, where the
// scheduler itself looks for the places: first on the cluster as it is, then with all
// that the group may evict gone, on the nodes first that cost least. Places are nodes by
// the members' names. Only the score is the judge's: of nodes of the same cost the first
// in the order of the case is taken, where the scheduler would score, and draw lots
// between equals.
func Place(c golden.Case) (answer golden.Answer, places map[string]string, err error) {
	process.Lock()
	defer process.Unlock()

	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	defer cancel()
	s, err := newScheduler(ctx, &c, true)
	if err != nil {
		return golden.Answer{}, nil, err
	}
	if s.cyclic {
		return golden.Answer{}, nil, errEndless
	}
	return s.placeGang(ctx, &c)
}

func (s *scheduler) placeGang(ctx context.Context, c *golden.Case) (answer golden.Answer, places map[string]string, err error) {
	pods, err := upstream.NewSchedulingAlgorithm(s.snapshot, s.contents)
	if err != nil {
		return golden.Answer{}, nil, err
	}
	groups := upstream.NewPodGroupAlgorithm(s.snapshot, pods)
	queued, err := queuedGang(c)
	if err != nil {
		return golden.Answer{}, nil, err
	}
	state := framework.NewCycleState()
	look := groups.BuildPodGroupSchedulingFunc(s.framework, state, queued)

	found, status := look(ctx)
	switch {
	case status.IsSuccess():
		return golden.Answer{Outcome: golden.Fits}, placesOf(found), nil
	case !status.IsRejected():
		return golden.Answer{}, nil, status.AsError()
	}

	// The scheduler hands the plugin the search itself; what it finds is kept.
	var placed *fwk.PodGroupAssignments
	_, status = s.window.PodGroupPostFilter(ctx, state, queued, func(ctx context.Context) (*fwk.PodGroupAssignments, *fwk.Status) {
		var status *fwk.Status
		placed, status = look(ctx)
		return placed, status
	})
	switch {
	case status.IsRejected():
		return golden.Answer{Outcome: golden.Unhelpful, Reason: text(status)}, nil, nil
	case !status.IsSuccess():
		return golden.Answer{}, nil, status.AsError()
	case s.preempted == nil:
		return golden.Answer{}, nil, errors.New("victims that are all terminating are not told")
	}
	cost := s.record(s.preempted)
	return golden.Answer{Outcome: golden.Preempt, Victims: cost.Victims, PDBViolations: cost.PDBViolations}, placesOf(placed), nil
}

func placesOf(a *fwk.PodGroupAssignments) map[string]string {
	places := map[string]string{}
	for _, x := range a.ProposedAssignments {
		places[x.GetPod().Name] = x.GetNodeName()
	}
	return places
}

// preemptorGroup is the preemptor of a case as a group, all of whose members have to be
// placed.
func preemptorGroup(c *golden.Case) *fwk.GenericPodGroup {
	group := podGroup(&golden.PodGroup{Namespace: c.Preemptor.Namespace, Name: c.Preemptor.Name, Priority: c.Preemptor.Priority})
	group.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(len(c.Gang))}
	return fwk.NewGenericPodGroup(group)
}

// memberPod is a member as a pod of the preempting group.
func memberPod(c *golden.Case, i int) *v1.Pod {
	pod := objects.Pod(&c.Gang[i].Pod)
	pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &c.Preemptor.Name}
	return pod
}

// queuedGang returns the group as it comes from the queue, its members queued in the
// order of the case.
func queuedGang(c *golden.Case) (*framework.QueuedPodGroupInfo, error) {
	q := &framework.QueuedPodGroupInfo{PodGroupInfo: framework.NewPodGroupInfo(preemptorGroup(c))}
	for i := range c.Gang {
		info, err := framework.NewPodInfo(memberPod(c, i))
		if err != nil {
			return nil, err
		}
		queued := &framework.QueuedPodInfo{PodInfo: info}
		queued.Timestamp = time.Unix(int64(i), 0)
		q.AddPod(queued)
	}
	return q, nil
}

// inOrder scores nodes by their place in the case, the first highest.
type inOrder struct{ nodes []string }

const inOrderName = "InOrder"

func (s *scheduler) newInOrder(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return inOrder{s.nodes}, nil
}

func (inOrder) Name() string                         { return inOrderName }
func (inOrder) ScoreExtensions() fwk.ScoreExtensions { return nil }
func (p inOrder) Score(_ context.Context, _ fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	at := slices.Index(p.nodes, node.Node().Name)
	if at < 0 || at >= int(fwk.MaxNodeScore) {
		return 0, fwk.AsStatus(fmt.Errorf("node %s is beyond what can be told apart", node.Node().Name))
	}
	return fwk.MaxNodeScore - int64(at), nil
}
