package main

import (
	"context"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/trace"
	"example.com/preemption/preemptiontest"
)

// modelsCluster has two full nodes with GPUs of different models and one
// without any.
func modelsCluster(t *testing.T) *preemption.Cluster {
	t.Helper()
	nodes := []trace.Node{
		{Name: "t4", CPU: 4000, GPU: 1000, Model: "T4"},
		{Name: "v100", CPU: 4000, GPU: 1000, Model: "V100M16"},
		{Name: "plain", CPU: 4000},
	}
	var state preemption.ClusterState
	for i := range nodes {
		node := nodes[i].Object()
		state.Nodes = append(state.Nodes, node)
		state.Pods = append(state.Pods, &preemption.Pod{
			Name:     "on-" + node.Name,
			Requests: preemption.Resources{trace.GPU: nodes[i].GPU},
			NodeName: node.Name,
		})
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

func needsModel(models ...string) *preemption.Pod {
	row := &trace.Pod{Name: "new", GPU: 500, Models: models}
	return &preemption.Pod{Name: row.Name, Priority: 1, Requests: row.Requests(), Object: row}
}

func TestModelsDecide(t *testing.T) {
	cluster := modelsCluster(t)
	evaluator := preemption.Evaluator{Filters: append(preemption.DefaultFilters(), gpuModels())}
	for _, tt := range []struct {
		models []string
		want   string
	}{
		{nil, "t4"}, // the first of equals
		{[]string{"V100M16"}, "v100"},
		{[]string{"V100M16", "V100M32"}, "v100"},
		{[]string{"V100M32"}, ""},
	} {
		decision, err := evaluator.Preempt(context.Background(), cluster, needsModel(tt.models...))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if decision.Node != nil {
			got = decision.Node.Name
		}
		if got != tt.want {
			t.Errorf("models %q: node %q cleared, want %q", tt.models, got, tt.want)
		}
	}
}

func TestModelsKeepTheLaws(t *testing.T) {
	err := preemptiontest.TestFilter(gpuModels(), modelsCluster(t), needsModel(), needsModel("T4"), needsModel("P100"))
	if err != nil {
		t.Error(err)
	}
}
