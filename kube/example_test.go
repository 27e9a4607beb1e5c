package kube_test

import (
	"context"
	"fmt"
	"log"
	"reflect"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
)

// From objects as a client lists them to a decision, and back to the objects.
func Example() {
	nodes, pods, budgets, pending := listed()

	objects := kube.Objects{Nodes: nodes, Pods: pods, PodDisruptionBudgets: budgets}
	state, err := objects.State(preemption.Release137)
	if err != nil {
		log.Fatal(err) // names the object and the field
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		log.Fatal(err)
	}
	evaluator := preemption.Evaluator{Filters: kube.Filters()}
	result, err := evaluator.Preempt(context.Background(), cluster, cluster.Pod(pending.Namespace, pending.Name))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Outcome, "on", kube.NodeOf(result.Node).Name)
	for _, p := range result.Delete {
		fmt.Println("delete", kube.PodOf(p).Name, "of", kube.PodOf(p).Labels["app"])
	}
	// Output:
	// preempt on n2
	// delete cache-1 of cache
}

// A scheduler has added up what the pods on its nodes request.
func ExamplePodRequesting() {
	pod := podOn("n1", "web-1", 10, "cpu", "3")
	p, err := kube.PodRequesting(pod, preemption.Resources{preemption.CPU: 3000}, nil)
	if err != nil {
		log.Fatal(err)
	}
	same, err := kube.Pod(pod, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Name, p.Requests, reflect.DeepEqual(p, same))
	// Output:
	// web-1 map[cpu:3000] true
}

// listed stands for what a client lists: two nodes full of pods, a budget that
// is used up, and a pod that fits nowhere.
func listed() (nodes []*v1.Node, pods []*v1.Pod, budgets []*policyv1.PodDisruptionBudget, pending *v1.Pod) {
	nodes = []*v1.Node{nodeWith("n1", "cpu", "4", "pods", "110"), nodeWith("n2", "cpu", "4", "pods", "110")}
	web, cache := podOn("n1", "web-1", 10, "cpu", "3"), podOn("n2", "cache-1", 20, "cpu", "3")
	web.Labels, cache.Labels = map[string]string{"app": "web"}, map[string]string{"app": "cache"}
	pending = podOn("", "urgent", 1000, "cpu", "2")
	return nodes, []*v1.Pod{web, cache, pending}, []*policyv1.PodDisruptionBudget{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
	}}, pending
}
