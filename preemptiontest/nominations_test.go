package preemptiontest_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/preemption"
	"example.com/preemption/preemptiontest"
)

// atMost lets so many pods into the cluster, those counted that are nominated to
// one of its nodes.
type atMost struct {
	pods int
	// twice counts a nominated pod again when it is put on its node in thought.
	twice bool
}

func (atMost) Name() string { return "AtMost" }

func (f atMost) Prepare(preemptor *preemption.Pod, view preemption.View) (preemption.Prepared, error) {
	p := &preparedAtMost{filter: f}
	for _, n := range view.Nodes() {
		p.bound += len(view.PodsOn(n))
		p.coming = append(p.coming, view.NominatedTo(n.Name)...)
	}
	return p, nil
}

type preparedAtMost struct {
	filter atMost
	bound  int
	coming []*preemption.Pod
}

func (p *preparedAtMost) Monotone() bool { return true }

func (p *preparedAtMost) Begin(*preemption.Node) (preemption.DryRun, error) {
	return &atMostRun{p, p.bound + len(p.coming)}, nil
}

type atMostRun struct {
	*preparedAtMost
	count int
}

func (r *atMostRun) move(p *preemption.Pod, by int) error {
	if r.filter.twice || !slices.Contains(r.coming, p) {
		r.count += by
	}
	return nil
}

func (r *atMostRun) Add(p *preemption.Pod, _ *preemption.Node) error    { return r.move(p, 1) }
func (r *atMostRun) Remove(p *preemption.Pod, _ *preemption.Node) error { return r.move(p, -1) }

func (r *atMostRun) Fits() (preemption.Status, error) {
	if r.count >= r.filter.pods {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"too many pods in the cluster"}}, nil
	}
	return preemption.Status{}, nil
}

// A filter with a limit across nodes may count nominations; one that counts them
// twice is found out.
func TestFiltersThatCountNominations(t *testing.T) {
	pod := func(name, on, nominated string) *preemption.Pod {
		return &preemption.Pod{Name: name, NodeName: on, NominatedNode: nominated}
	}
	c, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{{Name: "n1"}, {Name: "n2"}},
		Pods:  []*preemption.Pod{pod("a", "n1", ""), pod("b", "n2", ""), pod("c", "", "n1"), pod("d", "", "n2")},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &preemption.Pod{Name: "h", Priority: 1}
	if err := preemptiontest.TestFilter(atMost{pods: 5}, c, h); err != nil {
		t.Errorf("the filter that counts right: %v", err)
	}
	err = preemptiontest.TestFilter(atMost{pods: 5, twice: true}, c, h)
	if want := "a dry run must answer as a fresh one with the same pods: preemptor /h, node n1: after add /c on n1"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the filter that counts twice: %v, want %s", err, want)
	}
}
