package main

import (
	"slices"

	"example.com/preemption"
	"example.com/preemption/internal/trace"
)

// gpuModels is a filter of our own: it refuses nodes whose GPUs are of a model
// that the pod does not allow. A node selector cannot say "one of these". No
// eviction changes the model, so the refusal is unresolvable.
type gpuModels struct{}

// Name identifies the filter in statuses.
func (gpuModels) Name() string { return "GPUModels" }

// Prepare looks up which models the pod allows; the row of the trace travels
// with the pod as its Object.
func (gpuModels) Prepare(preemptor *preemption.Pod, _ preemption.View) (preemption.Prepared, error) {
	row, ok := preemptor.Object.(*trace.Pod)
	if !ok || len(row.Models) == 0 {
		return nil, nil // not concerned with this pod
	}
	return allowedModels(row.Models), nil
}

type allowedModels []string

// Monotone declares that adding pods never turns a refusal into a fit: they do
// not matter at all.
func (allowedModels) Monotone() bool { return true }

func (m allowedModels) Begin(node *preemption.Node) (preemption.DryRun, error) {
	if slices.Contains(m, node.Labels[trace.ModelLabel]) {
		return verdict{}, nil
	}
	return verdict{Code: preemption.Unresolvable, Reasons: []string{"node(s) had another GPU model"}}, nil
}

// A verdict stays the same whatever pods are on the node.
type verdict preemption.Status

func (verdict) Add(*preemption.Pod, *preemption.Node) error    { return nil }
func (verdict) Remove(*preemption.Pod, *preemption.Node) error { return nil }
func (v verdict) Fits() (preemption.Status, error)             { return preemption.Status(v), nil }
