package preemptiontest_test

import (
	"runtime"
	"sync/atomic"

	"example.com/preemption"
)

// counting is a filter that allows two pods a node. It is right in itself; its
// fields break it.
type counting struct {
	monotone   bool // what it says of itself
	atLeast    bool // ask for two pods rather than allow them
	remoteToo  bool // take pods of other nodes for the node's own
	prepareErr error
	begin      func(*countingRun) error
	add        func(*countingRun, *preemption.Pod) error
	remove     func(*countingRun, *preemption.Pod) error
	fits       func(*countingRun) error
}

func (counting) Name() string { return "counting" }

func (f counting) Prepare(_ *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	return preparedCounting{f, view}, f.prepareErr
}

type preparedCounting struct {
	counting
	view preemption.View
}

func (p preparedCounting) Monotone() bool { return p.monotone }

func (p preparedCounting) Begin(node *preemption.Node) (preemption.DryRun, error) {
	r := &countingRun{counting: p.counting, node: node, pods: len(p.view.PodsOn(node)), limit: 2}
	if p.begin != nil {
		return r, p.begin(r)
	}
	return r, nil
}

type countingRun struct {
	counting
	node        *preemption.Node
	pods, limit int
	asked       int
	last        string
}

func (r *countingRun) Add(p *preemption.Pod, on *preemption.Node) error {
	return r.change(p, on, +1, r.add)
}

func (r *countingRun) Remove(p *preemption.Pod, on *preemption.Node) error {
	return r.change(p, on, -1, r.remove)
}

func (r *countingRun) change(p *preemption.Pod, on *preemption.Node, by int, hook func(*countingRun, *preemption.Pod) error) error {
	if on != r.node && !r.remoteToo {
		return nil
	}
	r.pods += by
	if hook != nil {
		return hook(r, p)
	}
	return nil
}

func (r *countingRun) Fits() (preemption.Status, error) {
	if r.fits != nil {
		if err := r.fits(r); err != nil {
			return preemption.Status{}, err
		}
	}
	if r.pods > r.limit != r.atLeast {
		return preemption.Status{Code: preemption.Unschedulable, Filter: "counting", Reasons: []string{"wrong number of pods"}}, nil
	}
	return preemption.Status{}, nil
}

// sharing keeps one dry run a node and hands it out again and again.
type sharing struct{ counting }

func (f *sharing) Prepare(_ *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	return preparedSharing{view, make(map[*preemption.Node]preemption.DryRun)}, nil
}

type preparedSharing struct {
	view preemption.View
	runs map[*preemption.Node]preemption.DryRun
}

func (p preparedSharing) Begin(node *preemption.Node) (preemption.DryRun, error) {
	if p.runs[node] == nil {
		p.runs[node] = &countingRun{node: node, pods: len(p.view.PodsOn(node)), limit: 2}
	}
	return p.runs[node], nil
}

// exclusive gives a wrong answer to whoever begins while another Begin is under
// way. It waits for that to happen, without a data race.
type exclusive struct{ counting }

func (f *exclusive) Prepare(_ *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	return &preparedExclusive{view: view}, nil
}

type preparedExclusive struct {
	view  preemption.View
	inUse atomic.Int32
}

func (p *preparedExclusive) Begin(node *preemption.Node) (preemption.DryRun, error) {
	r := &countingRun{node: node, pods: len(p.view.PodsOn(node)), limit: 2}
	p.inUse.Add(1)
	for range 1000 {
		if p.inUse.Load() > 1 {
			r.limit = -100
		}
		runtime.Gosched()
	}
	p.inUse.Add(-1)
	return r, nil
}

// modifying changes its inputs once, when it is prepared first.
type modifying struct {
	change func(*preemption.Pod, preemption.View)
}

func (modifying) Name() string { return "modifying" }

func (f modifying) Prepare(p *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	f.change(p, view)
	return nil, nil
}
