package judge

import (
	"cmp"
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"example.com/preemption/internal/golden"
)

// newPreemption is the factory of the default preemption plugin.
func (s *scheduler) newPreemption(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	plugin, err := defaultpreemption.New(ctx, args, handle, gates())
	if err != nil {
		return nil, err
	}

	s.window = &window{DefaultPreemption: plugin, sampling: s.sampling}
	plugin.Evaluator.Interface = s.window
	return plugin, nil
}

// newManager is the factory of the preemption manager. It evicts nothing, and
// keeps what would be evicted.
func (s *scheduler) newManager(handle fwk.Handle) fwk.PreemptionManager {
	m := preemption.NewPreemptionManager(handle, gates())
	m.Executor().(*preemption.Executor).PreemptPod = func(_ context.Context, c fwk.PreemptionCandidate, _ preemption.ExecutorPreemptor, _ *v1.Pod, _ string) (bool, error) {
		s.preempted = c
		return false, nil
	}
	return m
}

// gates returns the feature gates as plugins see them.
func gates() feature.Features {
	gates := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	// Whether victims are deleted before or after the cycle ends makes no
	// difference to the answer; in the cycle, nothing outlives it.
	gates.EnableAsyncPreemption = false
	return gates
}

// window is the default preemption plugin with two things settled that it
// leaves to chance: the window of nodes that the dry run looks at, and the
// choice among tied nodes.
type window struct {
	*defaultpreemption.DefaultPreemption
	sampling *golden.Sampling // nil: every node
	pinned   string           // "": left to chance
}

// GetOffsetAndNumCandidates returns the window of the case.
func (w *window) GetOffsetAndNumCandidates(nodes int32) (offset, num int32) {
	if w.sampling == nil {
		return 0, nodes
	}
	return int32(w.sampling.Offset), int32(w.sampling.Num)
}

// CandidatesToVictimsMap leaves only the pinned node to choose from, if any.
func (w *window) CandidatesToVictimsMap(candidates []fwk.PreemptionCandidate) map[string]*extenderv1.Victims {
	victims := w.DefaultPreemption.CandidatesToVictimsMap(candidates)
	if pinned, ok := victims[w.pinned]; ok {
		return map[string]*extenderv1.Victims{w.pinned: pinned}
	}
	return victims
}

// byName reads node statuses like the wrapped reader, but hands nodes out by
// name instead of in map order.
type byName struct {
	fwk.NodeToStatusReader
}

// NodesForStatusCode returns the nodes whose status has the code, by name.
func (r byName) NodesForStatusCode(nodes fwk.NodeInfoLister, code fwk.Code) ([]fwk.NodeInfo, error) {
	infos, err := r.NodeToStatusReader.NodesForStatusCode(nodes, code)
	slices.SortFunc(infos, func(a, b fwk.NodeInfo) int { return cmp.Compare(a.Node().Name, b.Node().Name) })
	return infos, err
}
