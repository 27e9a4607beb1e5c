package preemption_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"example.com/preemption"
)

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
	source, err := os.ReadFile("readme_example_test.go")
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
