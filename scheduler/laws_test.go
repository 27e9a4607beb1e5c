package scheduler_test

import (
	"math/rand/v2"
	"testing"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/preemptiontest"
	"example.com/preemption/scheduler"
)

// The plugins obey the laws of filters, above all: those declared monotone are.
func TestLaws(t *testing.T) {
	for name, f := range map[string]flavour{
		"affinity":      {affinity: true},
		"anti-affinity": {antiAffinity: true},
		"spread":        {spread: true},
		"groups":        {affinity: true, antiAffinity: true, groups: true},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range 12 {
				w := &world{Rand: rand.New(rand.NewPCG(uint64(seed), 2)), flavour: f}
				objects, pod := w.cluster()
				state, err := objects.State(preemption.Release137)
				if err != nil {
					t.Fatal(err)
				}
				// kube-scheduler skips a plugin while no bound pod concerns it, and then it
				// does not hear of a nominated pod that would. The law asks for that, so
				// nobody is nominated here.
				for i, p := range state.Pods {
					state.Pods[i] = p.Clone()
					state.Pods[i].NominatedNode = ""
				}
				cluster, err := preemption.NewCluster(state)
				if err != nil {
					t.Fatal(err)
				}
				preemptor, err := kube.Pod(pod, nil)
				if err != nil {
					t.Fatal(err)
				}
				s, err := scheduler.New(scheduler.Objects{Namespaces: namespaces})
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range s.Filters() {
					if err := preemptiontest.TestFilter(insistent{f}, cluster, preemptor); err != nil {
						t.Errorf("seed %d: %s: %v", seed, f.Name(), err)
					}
				}
			}
		})
	}
}

// insistent is a filter that keeps taking part where it has nothing to say. The
// scheduler skips a plugin while no pod in the cluster concerns it, which is the
// same as fitting everywhere.
type insistent struct{ preemption.Filter }

func (f insistent) Prepare(preemptor *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	p, err := f.Filter.Prepare(preemptor, view)
	if p == nil && err == nil {
		p = content{}
	}
	return p, err
}

type content struct{}

func (content) Monotone() bool                                    { return true }
func (content) Begin(*preemption.Node) (preemption.DryRun, error) { return content{}, nil }
func (content) Add(*preemption.Pod, *preemption.Node) error       { return nil }
func (content) Remove(*preemption.Pod, *preemption.Node) error    { return nil }
func (content) Fits() (preemption.Status, error)                  { return preemption.Status{}, nil }
