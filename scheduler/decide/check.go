package decide

import (
	"context"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// narrowed are the statuses of the filter phase with one node to look at. Get
// tells all: the preemptor's eligibility depends on the status of its nominated
// node.
type narrowed struct {
	fwk.NodeToStatusReader
	node string
}

func (n narrowed) NodesForStatusCode(nodes fwk.NodeInfoLister, code fwk.Code) ([]fwk.NodeInfo, error) {
	if n.Get(n.node).Code() != code {
		return nil, nil
	}
	info, err := nodes.Get(n.node)
	if err != nil {
		return nil, err
	}
	return []fwk.NodeInfo{info}, nil
}

// oneReading lists the preemptor as it was read, so that the library and
// kube-scheduler, which would read it again, decide about the same. In between it
// may change: if its nomination by an earlier cycle arrives, it has to wait for its
// victims there.
type oneReading struct {
	corelisters.PodLister
	pod *v1.Pod
}

func (l oneReading) Pods(string) corelisters.PodNamespaceLister { return podRead{pod: l.pod} }

type podRead struct {
	corelisters.PodNamespaceLister
	pod *v1.Pod
}

func (r podRead) Get(string) (*v1.Pod, error) { return r.pod, nil }

// check is kube-scheduler's dry run with its result compared. Victims may differ
// where they are equals: kube-scheduler leaves their order to chance.
type check struct {
	upstream.Interface
	want      *Decision
	agreed    bool
	agreement Agreement
	found     string
}

func (c *check) SelectVictimsOnNode(ctx context.Context, cycle fwk.CycleState, preemptor *v1.Pod, node fwk.NodeInfo,
	potential []*upstream.DomainVictim, budgets []*policyv1.PodDisruptionBudget) ([]*v1.Pod, int, *fwk.Status) {
	victims, violations, status := c.Interface.SelectVictimsOnNode(ctx, cycle, preemptor, node, potential, budgets)
	switch {
	case !status.IsSuccess():
		c.agreement, c.found = Refused, status.Message()
		return nil, 0, status
	case len(victims) != len(c.want.Victims) || violations != c.want.Violations:
		c.agreement = Differs
		for _, v := range victims {
			c.found += v.Namespace + "/" + v.Name + " "
		}
		return nil, 0, fwk.NewStatus(fwk.Unschedulable, "the choice of the node does not hold")
	}
	c.agreed = true
	return victims, violations, status
}

// PodEligibleToPreemptOthers counts as a refusal unless the dry run follows.
func (c *check) PodEligibleToPreemptOthers(ctx context.Context, pod *v1.Pod, nominated *fwk.Status) (bool, string) {
	ok, reason := c.Interface.PodEligibleToPreemptOthers(ctx, pod, nominated)
	if c.agreement = Refused; !ok {
		c.found = reason
	}
	return ok, reason
}
