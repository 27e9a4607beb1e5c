package properties

import (
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"testing"

	"example.com/preemption"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var errMoody = errors.New("not in the mood")

// moody fails in some calls, the same ones for the same seed, and keeps count.
type moody struct {
	preemption.Filter
	seed     string
	oneIn    uint32 // 0: it never fails
	monotone bool
	failures *tally
}

type tally struct {
	sync.Mutex
	count int
}

func (f moody) fail(call string, n *preemption.Node, p *preemption.Pod) error {
	if f.oneIn == 0 {
		return nil
	}
	h := fnv.New32a()
	fmt.Fprint(h, f.seed, call, n.Name, p)
	if h.Sum32()%f.oneIn != 0 {
		return nil
	}
	f.failures.Lock()
	defer f.failures.Unlock()
	f.failures.count++
	return errMoody
}

func (f moody) Prepare(h *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	p, err := f.Filter.Prepare(h, view)
	return preparedMoody{p, f}, err
}

type preparedMoody struct {
	preemption.Prepared
	moody moody
}

func (p preparedMoody) Monotone() bool { return p.moody.monotone }

func (p preparedMoody) Begin(n *preemption.Node) (preemption.DryRun, error) {
	if err := p.moody.fail("begin", n, nil); err != nil {
		return nil, err
	}
	run, err := p.Prepared.Begin(n)
	return moodyRun{run, p.moody, n}, err
}

type moodyRun struct {
	preemption.DryRun
	moody moody
	node  *preemption.Node
}

func (r moodyRun) Add(p *preemption.Pod, on *preemption.Node) error {
	if err := r.moody.fail("add", r.node, p); err != nil {
		return err
	}
	return r.DryRun.Add(p, on)
}

func (r moodyRun) Remove(p *preemption.Pod, on *preemption.Node) error {
	if err := r.moody.fail("remove", r.node, p); err != nil {
		return err
	}
	return r.DryRun.Remove(p, on)
}

func (r moodyRun) Fits() (preemption.Status, error) {
	if err := r.moody.fail("fits", r.node, nil); err != nil {
		return preemption.Status{}, err
	}
	return r.DryRun.Fits()
}

// What Evaluator says about filters that fail: Preempt decides as Examine does, or,
// if it met no failure, as Examine does with a filter that does not fail.
func TestFailingFiltersProperty(t *testing.T) {
	met, missed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		c := newCluster(t, s.state)
		monotone := oneIn(t, 2, "monotone")
		var inner preemption.Filter = preemption.PodsFilter("Few", monotone, func(_ *preemption.Pod, _ *preemption.Node, pods []*preemption.Pod) preemption.Status {
			if len(pods) > 4 {
				return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"few"}}
			}
			return preemption.Status{}
		})
		seed := fmt.Sprint(rapid.IntRange(0, 1000).Draw(t, "seed"))
		rarely := rapid.Uint32Range(2, 12).Draw(t, "one in")
		evaluator := func(oneIn uint32) (*preemption.Evaluator, *tally) {
			f := moody{inner, seed, oneIn, monotone, &tally{}}
			return &preemption.Evaluator{Filters: append(preemption.DefaultFilters(), f)}, f.failures
		}
		e, failed := evaluator(rarely)
		r, err := e.Preempt(t.Context(), c, s.preemptor)
		if failed.count == 0 {
			e, _ = evaluator(0)
			missed++
		} else {
			met++
		}
		x, errX := e.Examine(t.Context(), c, s.preemptor)
		if (err != nil) != (errX != nil) {
			t.Fatalf("after %d failures Preempt returns error %v, Examine %v", failed.count, err, errX)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(verdictOfResult(&x.Result), verdictOfResult(r)); diff != "" {
			t.Fatalf("after %d failures (-Examine +Preempt):\n%s", failed.count, diff)
		}
	})
	wantSeen(t, met > 0 && missed > 0, "failures were met %d times and not met %d times", met, missed)
}
