package kube_test

import (
	"context"
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// A scheduler of one's own: informers feed the tracker, decisions are made and
// committed on its cluster.
func ExampleTracker() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	client := fake.NewSimpleClientset(nodeWith("node-1", "cpu", "4", "pods", "110"),
		podOn("node-1", "batch", 0, "cpu", "4"), podOn("", "urgent", 1000, "cpu", "2"))

	tracker, err := kube.NewTracker(preemption.Release137)
	if err != nil {
		panic(err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Nodes().Informer().AddEventHandler(tracker)
	factory.Core().V1().Pods().Informer().AddEventHandler(tracker)
	factory.Policy().V1().PodDisruptionBudgets().Informer().AddEventHandler(tracker)
	factory.Scheduling().V1().PriorityClasses().Informer().AddEventHandler(tracker)
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer stop()
	waitUntil(func() bool { return len(placed(tracker)) == 2 })

	evaluator := preemption.Evaluator{Filters: kube.Filters()}
	tracker.Do(func(c *preemption.Cluster) {
		pod := c.Pod("default", "urgent")
		if fields := kube.Unjudged(kube.PodOf(pod)); len(fields) > 0 {
			fmt.Println("nobody has looked at", fields)
		}
		result, err := evaluator.Preempt(ctx, c, pod)
		if err != nil {
			panic(err)
		}
		if err := c.Commit(result); err != nil {
			panic(err)
		}
		fmt.Println(result.Outcome, result.Node.Name, result.Delete)
	})
	// Output: preempt node-1 [default/batch]
}

// placed returns the pods that the tracker's cluster has by now.
func placed(t *kube.Tracker) (pods []*preemption.Pod) {
	t.Do(func(c *preemption.Cluster) { pods = c.State().Pods })
	return pods
}
