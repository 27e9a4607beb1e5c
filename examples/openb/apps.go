package main

import (
	"fmt"

	"example.com/preemption"
	"example.com/preemption/internal/trace"
)

// The trace does not say which pods belong together. Pods of the same size and
// QoS are most likely replicas of one application, so that is what they are
// taken for here. Each has a namespace of its own.

// appLabel is the label of a pod that names its application.
const appLabel = "app"

// An app is a set of replicas.
type app struct {
	name     string
	replicas int // placed at first
	healthy  int // still there
}

// protectedReplicas is how many replicas an application has at least if it has a
// disruption budget, and unavailable the part of them that the budget lets go.
const protectedReplicas = 10

var unavailable = preemption.Amount{Value: 5, Percent: true}

// apps tells applications apart, in the order of their first pod.
type apps struct {
	list  []*app
	index map[shape]*app
}

// A shape is what replicas have in common.
type shape struct {
	cpu, memory, gpu int64
	qos              string
}

func (a *apps) of(p *trace.Pod) *app {
	key := shape{p.CPU, p.Memory, p.GPU, p.QoS}
	if found := a.index[key]; found != nil {
		return found
	}
	if a.index == nil {
		a.index = make(map[shape]*app)
	}
	added := &app{name: fmt.Sprintf("app-%03d", len(a.list)+1)}
	a.list = append(a.list, added)
	a.index[key] = added
	return added
}

// budgets returns the disruption budgets of the applications that have one.
func (a *apps) budgets() ([]*preemption.PodDisruptionBudget, error) {
	var budgets []*preemption.PodDisruptionBudget
	for _, app := range a.list {
		if !app.protected() {
			continue
		}
		b, err := app.budget()
		if err != nil {
			return nil, err
		}
		budgets = append(budgets, b)
	}
	return budgets, nil
}

func (a *app) protected() bool { return a.replicas >= protectedReplicas }

// budget returns the application's budget as it stands. Replicas that were
// evicted are not replaced, so less and less may be disrupted.
func (a *app) budget() (*preemption.PodDisruptionBudget, error) {
	allowed, err := preemption.Availability{
		Expected:       a.replicas,
		Healthy:        a.healthy,
		MaxUnavailable: &unavailable,
	}.DisruptionsAllowed()
	if err != nil {
		return nil, err
	}
	return &preemption.PodDisruptionBudget{
		Namespace: a.name,
		Name:      a.name,
		Selector:  &preemption.Selector{MatchLabels: map[string]string{appLabel: a.name}},
		Allowed:   allowed,
	}, nil
}
