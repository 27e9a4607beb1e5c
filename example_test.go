package preemption_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"example.com/preemption"
)

// A web pod needs 3 CPUs and finds no room on two nodes of 4 CPUs. Clearing
// node-a of batch pods would do, but a budget protects them; node-b costs less.
func Example() {
	cpu := func(milli int64) preemption.Resources { return preemption.Resources{preemption.CPU: milli} }
	node := func(name string) *preemption.Node {
		return &preemption.Node{Name: name, Allocatable: preemption.Resources{preemption.CPU: 4000, preemption.PodCount: 110}}
	}
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{node("node-a"), node("node-b")},
		Pods: []*preemption.Pod{
			{Namespace: "shop", Name: "batch-1", UID: "1", NodeName: "node-a", Priority: 100, Requests: cpu(2000), Labels: map[string]string{"app": "batch"}},
			{Namespace: "shop", Name: "cache-1", UID: "2", NodeName: "node-b", Priority: 500, Requests: cpu(1500)},
			{Namespace: "shop", Name: "cache-2", UID: "3", NodeName: "node-b", Priority: 500, Requests: cpu(1000)},
		},
		DisruptionBudgets: []*preemption.PodDisruptionBudget{
			{Namespace: "shop", Name: "batch", Selector: &preemption.Selector{MatchLabels: map[string]string{"app": "batch"}}, Allowed: 0},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	web := &preemption.Pod{Namespace: "shop", Name: "web-1", UID: "4", Priority: 1000, Requests: cpu(3000)}

	var e preemption.Evaluator // the zero value is kube-scheduler's policy
	decision, err := e.Examine(context.Background(), cluster, web)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("clear", decision.Node.Name, "of", decision.Delete)
	fmt.Println()
	fmt.Println(decision.Message())
	fmt.Println()
	fmt.Print(decision.Explain())

	// Output:
	// clear node-b of [shop/cache-1]
	//
	// 0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node node-b, preempting 1 victims
	//
	// pod shop/web-1: priority 1000, requests cpu 3000m
	//
	// node node-a: Insufficient cpu
	//   without its 1 pod of lower priority: fits
	//   put back  shop/batch-1  priority 100  has to go: cpu short by 1000m (2000m of 4000m free) (evicting it violates budget shop/batch)
	//   cleared by evicting 1 pod, 1 budget violation
	//
	// node node-b: Insufficient cpu
	//   without its 2 pods of lower priority: fits
	//   put back  shop/cache-1  priority 500  has to go: cpu short by 500m (2500m of 4000m free)
	//   put back  shop/cache-2  priority 500  stays
	//   cleared by evicting 1 pod, 0 budget violations
	//
	// 2 candidates; node node-b is chosen by: fewest budget violations
	//   evict shop/cache-1, priority 500
}

func Example_readme() {
	milli := func(cpu int64) preemption.Resources { return preemption.Resources{preemption.CPU: cpu} }
	room := preemption.Resources{preemption.CPU: 4000, preemption.PodCount: 110}
	cluster, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{{Name: "a", Allocatable: room}, {Name: "b", Allocatable: room}},
		Pods: []*preemption.Pod{
			{Namespace: "shop", Name: "batch", UID: "1", NodeName: "a", Priority: 100, Requests: milli(2000)},
			{Namespace: "shop", Name: "cache", UID: "2", NodeName: "b", Priority: 500, Requests: milli(2500)},
		},
	})
	if err != nil {
		log.Fatal(err) // names every object that is wrong
	}
	web := &preemption.Pod{Namespace: "shop", Name: "web", UID: "3", Priority: 1000, Requests: milli(3000)}

	var evaluator preemption.Evaluator // the zero value is kube-scheduler's policy, over every node
	result, err := evaluator.Preempt(context.Background(), cluster, web)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Outcome, "on", result.Node.Name, "by deleting", result.Delete)
	// Output: preempt on a by deleting [shop/batch]
}

// The README shows the example above, line by line.
func TestReadmeExample(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(source), "func Example_readme() {\n")
	body, _, _ = strings.Cut(body, "\n}\n")
	body = strings.ReplaceAll("\n"+body, "\n\t", "\n")
	if !strings.Contains(string(readme), "```go"+body+"\n```\n") {
		t.Errorf("README.md does not show the example:\n```go%s\n```", body)
	}
}

func ExampleSelector_Matches() {
	s := &preemption.Selector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []preemption.Requirement{{Key: "tier", Operator: preemption.SelectorNotIn, Values: []string{"canary"}}},
	}
	fmt.Println(s.Matches(map[string]string{"app": "web"}))
	fmt.Println(s.Matches(map[string]string{"app": "web", "tier": "canary"}))

	// Output:
	// true
	// false
}

func ExampleSelector_Validate() {
	s := &preemption.Selector{MatchExpressions: []preemption.Requirement{{Key: "tier", Operator: preemption.SelectorIn}}}
	fmt.Println(s.Validate())

	// Output: matchExpressions[0]: operator In needs at least one value
}

func ExampleToleration_Tolerates() {
	t := preemption.Toleration{Key: "gpu", Operator: preemption.TolerationExists}
	fmt.Println(t.Tolerates(preemption.Taint{Key: "gpu", Value: "a100", Effect: preemption.NoSchedule}))

	// Output: true
}

// Half of seven pods, rounded up, must stay: four.
func ExampleAvailability_DisruptionsAllowed() {
	half := preemption.Amount{Value: 50, Percent: true}
	allowed, err := preemption.Availability{Expected: 7, Healthy: 6, MinAvailable: &half}.DisruptionsAllowed()
	fmt.Println(allowed, err)

	// Output: 2 <nil>
}

func ExampleParseAmount() {
	amount, err := preemption.ParseAmount("40%")
	fmt.Println(amount.Value, amount.Percent, err)

	// Output: 40 true <nil>
}

func ExampleParseRelease() {
	r, err := preemption.ParseRelease("v1.37.2")
	fmt.Println(r, err)

	// Output: 1.37 <nil>
}

// The zero value is the newest release.
func ExampleRelease_String() {
	var r preemption.Release
	fmt.Println(r)

	// Output: 1.38
}

func ExampleStatus() {
	s := preemption.Status{Code: preemption.Unschedulable, Filter: "NodeResourcesFit", Reasons: []string{"Too many pods", "Insufficient cpu"}}
	fmt.Println(s.Fits())
	fmt.Println(s.Message())
	fmt.Println(s)

	// Output:
	// false
	// Too many pods, Insufficient cpu
	// Unschedulable: Too many pods, Insufficient cpu
}

// Errors say where they happened.
func ExampleStepError() {
	var err error = &preemption.StepError{Step: "add pod", Node: "node-a", Pod: "shop/web", Err: errors.New("volume limits are unknown")}
	var step *preemption.StepError
	if errors.As(err, &step) {
		fmt.Println(step.Node, step.Pod)
	}
	fmt.Println(err)

	// Output:
	// node-a shop/web
	// preemption: node node-a: add pod shop/web: volume limits are unknown
}
