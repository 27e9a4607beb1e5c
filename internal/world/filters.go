package world

import (
	"errors"

	"example.com/preemption"
)

// OddCompany is a filter that is not monotone: it wants an even number of pods.
func OddCompany(_ *preemption.Pod, _ *preemption.Node, pods []*preemption.Pod) preemption.Status {
	if len(pods)%2 == 1 {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"odd company"}}
	}
	return preemption.Status{}
}

// AntiAffinity refuses to share a node with pods of the preemptor's app. It is
// monotone. A pod that comes or goes without a node is an error.
type AntiAffinity struct{}

// Name returns "AntiAffinity".
func (AntiAffinity) Name() string { return "AntiAffinity" }

// Prepare is not concerned with a preemptor without an app.
func (AntiAffinity) Prepare(p *preemption.Pod, v preemption.View) (preemption.Prepared, error) {
	if p.Labels["app"] == "" {
		return nil, nil
	}
	return preparedAntiAffinity{p.Labels["app"], v}, nil
}

type preparedAntiAffinity struct {
	app  string
	view preemption.View
}

func (preparedAntiAffinity) Monotone() bool { return true }

func (a preparedAntiAffinity) Begin(n *preemption.Node) (preemption.DryRun, error) {
	r := &antiAffinityRun{app: a.app, node: n}
	for _, p := range a.view.PodsOn(n) {
		_ = r.Add(p, n)
	}
	return r, nil
}

type antiAffinityRun struct {
	app  string
	node *preemption.Node
	n    int
}

func (r *antiAffinityRun) Add(p *preemption.Pod, on *preemption.Node) error {
	return r.change(p, on, 1)
}

func (r *antiAffinityRun) Remove(p *preemption.Pod, on *preemption.Node) error {
	return r.change(p, on, -1)
}

func (r *antiAffinityRun) change(p *preemption.Pod, on *preemption.Node, by int) error {
	if on == nil {
		return errors.New("pod " + p.String() + " is on no node")
	}
	if on == r.node && p.Labels["app"] == r.app {
		r.n += by
	}
	return nil
}

func (r *antiAffinityRun) Fits() (preemption.Status, error) {
	if r.n > 0 {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"same app"}}, nil
	}
	return preemption.Status{}, nil
}
