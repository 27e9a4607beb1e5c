package preemption

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
)

// hooked is a monotone filter that gives one answer to every pod; the hook is
// called first at each step.
type hooked struct {
	hook   func(step string)
	answer Status
}

func (hooked) Name() string { return "Hooked" }

func (f hooked) Prepare(*Pod, View) (Prepared, error) { f.hook("Prepare"); return f, nil }
func (hooked) Monotone() bool                         { return true }
func (f hooked) Begin(*Node) (DryRun, error)          { f.hook("Begin"); return f, nil }
func (f hooked) Add(*Pod, *Node) error                { f.hook("Add"); return nil }
func (f hooked) Remove(*Pod, *Node) error             { f.hook("Remove"); return nil }
func (f hooked) Fits() (Status, error)                { f.hook("Fits"); return f.answer, nil }

// Whatever a callback does to a decision of the engine by panicking, those after
// it, which use the same memory, are not affected.
func TestEngineAfterPanics(t *testing.T) {
	c := workload{nodes: 100, pods: 10, budgets: 100, covered: 0.9, groups: true, nominated: true}.cluster(benchSeed)
	p := asking(16, 32)
	for _, step := range []string{"Prepare", "Begin", "Add", "Remove", "Fits", "Eligible"} {
		for calls := 1; calls <= 40; calls += 13 {
			count := 0
			hook := func(s string) {
				if s == step {
					if count++; count == calls {
						panic(step)
					}
				}
			}
			e := &Evaluator{
				Filters:  append(DefaultFilters(), hooked{hook: hook}),
				Eligible: func(*Pod, *Victim, *Node) bool { hook("Eligible"); return true },
			}
			func() {
				defer func() {
					if x := recover(); x != step && (x != nil || calls == 1) {
						t.Errorf("%s, call %d: recovered %v", step, calls, x)
					}
				}()
				_, _ = e.Preempt(context.Background(), c, p)
			}()
			for _, e := range []*Evaluator{{}, {Filters: append(DefaultFilters(), antiAffinity{})}} {
				if fast, _ := compareTwins(t, e, c, p); !fast {
					t.Errorf("%s, call %d: not decided by the engine afterwards", step, calls)
				}
			}
		}
	}
}

// A context that is done in the middle of a decision of the engine ends it.
func TestEngineCancelled(t *testing.T) {
	c := workload{nodes: 100, pods: 10}.cluster(benchSeed)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	begun := 0
	e := &Evaluator{Filters: append(DefaultFilters(), hooked{func(step string) {
		if step == "Begin" {
			begun++
			cancel(cause)
		}
	}, Status{Code: Unschedulable}})}
	if r, err := e.Preempt(ctx, c, asking(16, 32)); !errors.Is(err, cause) {
		t.Errorf("Preempt = %v, %v, want %v", r, err, cause)
	}
	if begun != 1 {
		t.Errorf("%d dry runs were begun, want none after the context was done", begun)
	}
}

// The memory that decisions of the engine share holds on to nothing of the
// caller's once they are made.
func TestEngineKeepsNothing(t *testing.T) {
	c := workload{nodes: 100, pods: 10}.cluster(benchSeed)
	var gone atomic.Int64
	func() {
		p := new(Pod)
		*p = *asking(16, 32)
		p.HostPorts = []HostPort{{Port: 80}}
		e := &Evaluator{Filters: append(DefaultFilters(), hooked{hook: func(string) {}}), Eligible: func(*Pod, *Victim, *Node) bool { return true }}
		runtime.AddCleanup(p, func(int) { gone.Add(1) }, 0)
		runtime.AddCleanup(e, func(int) { gone.Add(1) }, 0)
		r, err := e.Preempt(context.Background(), c, p)
		if err != nil || r.Outcome != OutcomePreempt {
			t.Fatal(r, err)
		}
		runtime.AddCleanup(r.Victims[0], func(int) { gone.Add(1) }, 0)
	}()
	f := c.engine.borrow() // held across the collection, which empties the pool
	if f.preemptor != nil || f.Evaluator != nil || f.cluster != nil || f.prepared != nil || f.ctx != nil || f.ports != nil {
		t.Errorf("the search keeps %v", fmt.Sprint(f.preemptor, f.Evaluator, f.cluster != nil, f.prepared, f.ctx, f.ports))
	}
	for range 100 {
		if runtime.GC(); gone.Load() == 3 {
			break
		}
	}
	if gone.Load() != 3 {
		t.Errorf("%d of 3 objects are gone: preemptor, evaluator, victim", gone.Load())
	}
	runtime.KeepAlive(f)
}
