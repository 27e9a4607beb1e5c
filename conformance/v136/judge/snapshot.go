package judge

import (
	"context"

	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"example.com/preemption/conformance/objects"
	"example.com/preemption/internal/golden"
)

// fill brings the cluster of c into the snapshot by way of the scheduler's
// cache.
func (s *scheduler) fill(ctx context.Context, c *golden.Case) error {
	contents := cache.New(ctx, nil, false)
	for _, node := range objects.Nodes(c) {
		s.nodes = append(s.nodes, node.Name)
		contents.AddNode(s.logger, node)
	}
	bound, _ := objects.Pods(c)
	for _, pod := range bound {
		if err := contents.AddPod(s.logger, pod); err != nil {
			return err
		}
	}
	return contents.UpdateSnapshot(s.logger, s.snapshot)
}

// newNominator returns the nominations of c: those of other pods in case order,
// then the preemptor's own.
func newNominator(c *golden.Case) (objects.Nominator, error) {
	_, nominated := objects.Pods(c)
	n := objects.Nominator{}
	for _, pod := range append(nominated, objects.Pod(&c.Preemptor)) {
		info, err := framework.NewPodInfo(pod)
		if err != nil {
			return nil, err
		}
		n.Nominate(info)
	}
	return n, nil
}
