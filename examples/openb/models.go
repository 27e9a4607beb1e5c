package main

import (
	"slices"

	"example.com/preemption"
	"example.com/preemption/internal/trace"
)

// gpuModels returns a filter of our own: it refuses nodes whose GPUs are of a
// model that the pod does not allow. A node selector cannot say "one of these".
// No eviction changes the model, so the refusal is unresolvable, and the filter is
// one that looks at the node alone, which is the cheapest kind.
func gpuModels() preemption.Filter { return preemption.NodeFilter("GPUModels", modelAllowed) }

// modelAllowed looks up which models the pod allows: the row of the trace travels
// with the pod as its Object.
func modelAllowed(preemptor *preemption.Pod, node *preemption.Node) preemption.Status {
	row, ok := preemptor.Object.(*trace.Pod)
	if !ok || len(row.Models) == 0 || slices.Contains(row.Models, node.Labels[trace.ModelLabel]) {
		return preemption.Status{}
	}
	return preemption.Status{Code: preemption.Unresolvable, Reasons: anotherModel}
}

// anotherModel is the reason to refuse, made once.
var anotherModel = []string{"node(s) had another GPU model"}
