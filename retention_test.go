package preemption_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"example.com/preemption"
)

// tracked counts the dry runs of a filter that are still in memory.
type tracked struct {
	preemption.Filter
	begun, gone *atomic.Int64
}

func (f tracked) Prepare(p *preemption.Pod, v preemption.View) (preemption.Prepared, error) {
	prepared, err := f.Filter.Prepare(p, v)
	return preparedTracked{f, prepared}, err
}

type preparedTracked struct {
	tracked
	prepared preemption.Prepared
}

func (p preparedTracked) Begin(n *preemption.Node) (preemption.DryRun, error) {
	run, err := p.prepared.Begin(n)
	if err != nil {
		return nil, err
	}
	t := &trackedRun{DryRun: run}
	p.begun.Add(1)
	runtime.AddCleanup(t, func(gone *atomic.Int64) { gone.Add(1) }, p.gone)
	return t, nil
}

type trackedRun struct{ preemption.DryRun }

// What a caller keeps of a decision does not keep the dry runs it took.
func TestResultsKeepNoDryRuns(t *testing.T) {
	for _, way := range []string{"Preempt", "Examine"} {
		cluster, preemptor := twoEach(t)
		f := tracked{onePod{}, new(atomic.Int64), new(atomic.Int64)}
		e := preemption.Evaluator{Filters: []preemption.Filter{f}}
		var kept any
		var err error
		if way == "Preempt" {
			kept, err = e.Preempt(t.Context(), cluster, preemptor)
		} else {
			kept, err = e.Examine(t.Context(), cluster, preemptor)
		}
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if runtime.GC(); f.gone.Load() == f.begun.Load() {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if begun, gone := f.begun.Load(), f.gone.Load(); begun == 0 || gone < begun {
			t.Errorf("%s: %d of %d dry runs are gone, want all", way, gone, begun)
		}
		runtime.KeepAlive(kept)
	}
}
