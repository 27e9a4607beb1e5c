package scheduler

import "example.com/preemption"

// preFilter stands for the scheduler's PreFilter: what plugins rule out before
// any Filter is asked.
type preFilter struct{ scheduler *Scheduler }

// Name returns the name of the extension point; statuses name the plugin.
func (preFilter) Name() string { return "PreFilter" }

func (f preFilter) Prepare(preemptor *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	c, err := f.scheduler.cycle(preemptor, view)
	if err != nil || c.rejected == nil && c.only == nil {
		return nil, err
	}
	return ruledOut{c}, nil
}

type ruledOut struct{ *cycle }

// Monotone: no pod on the node makes a difference.
func (ruledOut) Monotone() bool { return true }

func (r ruledOut) Begin(node *preemption.Node) (preemption.DryRun, error) {
	switch {
	case r.rejected != nil:
		return verdict(*r.rejected), nil
	case !r.only.Has(node.Name):
		return verdict(r.excluded), nil
	}
	return verdict{}, nil
}

// A verdict is settled.
type verdict preemption.Status

func (verdict) Add(*preemption.Pod, *preemption.Node) error    { return nil }
func (verdict) Remove(*preemption.Pod, *preemption.Node) error { return nil }
func (v verdict) Fits() (preemption.Status, error)             { return preemption.Status(v), nil }
