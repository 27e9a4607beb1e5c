package plugin

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	schedulercache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"example.com/preemption/scheduler/decide"
)

// BenchmarkPostFilter is a PostFilter on 1,000 nodes, as in scheduler_perf's
// PreemptionBasic: each node has to be cleared of four pods alike that have no
// start. Decisions are made faster than pods are bound, so that hundreds are
// nominated: here each for as long as 500 decisions take, and soon after that the
// node is as it was before. An API server works between two decisions, so that they
// find nothing in the processor's caches. The parts of the time are given beside it.
func BenchmarkPostFilter(b *testing.B) {
	const count, later = 1000, 500
	others := make([]byte, 64<<20)
	ctx := klog.NewContext(b.Context(), logr.Discard())
	logger := klog.FromContext(ctx)
	metrics.Register() // the cache counts
	cache := schedulercache.New(ctx, nil, true, false)

	var serial int
	low := func(on string) (pods []*v1.Pod) {
		for range 4 {
			serial++
			p := pod(fmt.Sprintf("low-%d", serial), on, 0, 900, 0)
			p.Status.StartTime = nil
			pods = append(pods, p)
		}
		return pods
	}
	preemptor := func() *v1.Pod {
		serial++
		p := pod(fmt.Sprintf("high-%d", serial), "", 100, 3970, 0)
		p.Status.StartTime = nil
		return p
	}
	first := preemptor()
	x := newBench(b, setup{}, first)
	store := x.factory.Core().V1().Pods().Informer().GetStore()
	x.plugin.rest.Executor.PreemptPod = func(context.Context, upstream.Candidate, upstream.ExecutorPreemptor, *v1.Pod, string) (bool, error) {
		return false, nil // evicts nobody
	}
	on := make(map[string][]*v1.Pod)
	for i := range count {
		n := node(fmt.Sprintf("scheduler-perf-%04d", i), 4000)
		cache.AddNode(logger, n)
		on[n.Name] = low(n.Name)
		for _, p := range on[n.Name] {
			x.fatal(cache.AddPod(logger, p))
		}
	}
	replace := func(node string, pods []*v1.Pod) {
		for _, p := range on[node] {
			x.fatal(cache.RemovePod(logger, p))
		}
		for _, p := range pods {
			x.fatal(cache.AddPod(logger, p))
		}
		on[node] = pods
	}
	x.fatal(cache.UpdateSnapshot(logger, x.snapshot))
	statuses := framework.NewDefaultNodeToStatus()
	for name := range on {
		statuses.Set(name, fwk.NewStatus(fwk.Unschedulable))
	}

	var cleared []string
	var sum decide.Decision
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		p := preemptor()
		x.fatal(store.Add(p))
		x.fatal(cache.UpdateSnapshot(logger, x.snapshot))
		state := framework.NewCycleState()
		if _, status, _ := x.framework.RunPreFilterPlugins(ctx, state, p); !status.IsSuccess() {
			b.Fatal(status)
		}
		x.decisions = x.decisions[:0]
		for i := 0; i < len(others); i += 64 {
			others[i]++
		}
		b.StartTimer()
		result, status := x.framework.RunPostFilterPlugins(ctx, state, p, statuses)
		b.StopTimer()
		if !status.IsSuccess() {
			b.Fatal(status)
		}
		d := x.last()
		if d.Agreement != decide.Agreed || len(d.Victims) != 4 {
			b.Fatalf("%s, %d victims: want agreed, 4", d.Agreement, len(d.Victims))
		}
		sum.Following += d.Following
		sum.Deciding += d.Deciding
		sum.Checking += d.Checking

		// The victims go; the pod is nominated, for as long as 500 more decisions take.
		to := result.NominatedNodeName
		p.Status.NominatedNodeName = to
		x.nominated[to] = []*v1.Pod{p}
		replace(to, nil)
		cleared = append(cleared, to)
		if len(cleared) > later+10 { // bound, it went again
			replace(cleared[0], low(cleared[0]))
			cleared = cleared[1:]
		}
		if n := len(cleared) - later; n >= 0 {
			node := cleared[n]
			bound := x.nominated[node][0].DeepCopy()
			bound.Spec.NodeName, bound.Status.NominatedNodeName = node, ""
			delete(x.nominated, node)
			replace(node, []*v1.Pod{bound})
		}
		b.StartTimer()
	}
	each := func(n int64) float64 { return float64(n) / float64(b.N) }
	b.ReportMetric(each(sum.Following.Nanoseconds()), "ns-following/op")
	b.ReportMetric(each(sum.Deciding.Nanoseconds()), "ns-deciding/op")
	b.ReportMetric(each(sum.Checking.Nanoseconds()), "ns-checking/op")
}
