package scheduler_test

import (
	"context"
	"fmt"
	"log"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler"
)

// A pod that must not share a zone with its like is placed by the scheduler's own
// InterPodAffinity.
func Example() {
	near := plainPod("web-1", "n1", 1)
	near.Labels = map[string]string{"app": "web"}
	objects := kube.Objects{
		Nodes: []*v1.Node{{
			ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{"zone": "east"}},
			Status:     v1.NodeStatus{Allocatable: list("4", "110")},
		}},
		Pods: []*v1.Pod{near},
	}
	pending := plainPod("web-2", "", 10)
	pending.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
			TopologyKey:   "zone",
			LabelSelector: &metav1.LabelSelector{MatchLabels: near.Labels},
		}},
	}}

	state, err := objects.State(preemption.Release137)
	if err != nil {
		log.Fatal(err)
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		log.Fatal(err)
	}
	plugins, err := scheduler.New(scheduler.Objects{})
	if err != nil {
		log.Fatal(err)
	}
	preemptor, err := kube.Pod(pending, nil)
	if err != nil {
		log.Fatal(err)
	}
	evaluator := preemption.Evaluator{Filters: plugins.Filters()}
	x, err := evaluator.Examine(context.Background(), cluster, preemptor)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Message())
	// Output:
	// 0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. preemption: found a potential placement for pod on node n1, preempting 1 victims
}
