package preemption_test

import (
	"testing"

	"example.com/preemption"
)

func refuseAll(*preemption.Pod, *preemption.Node, []*preemption.Pod) preemption.Status {
	return preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"no"}}
}

// A refusal is passed on unchanged, with the name of the filter where the filter
// itself gives none.
func TestAllNamesTheFilter(t *testing.T) {
	cluster, preemptor := twoEach(t)
	named := preemption.FilterFunc(func(*preemption.Pod, *preemption.Node, []*preemption.Pod) preemption.Status {
		return preemption.Status{Code: preemption.Unresolvable, Filter: "own name", Reasons: []string{"a", "b"}}
	})
	for want, f := range map[string]preemption.Filter{
		"FilterFunc Unschedulable: no":                preemption.FilterFunc(refuseAll),
		"own name UnschedulableAndUnresolvable: a, b": named,
		"OnePod Unschedulable: node(s) had a pod":     onePod{},
	} {
		prepared, err := preemption.All(flaky{}, preemption.All(f)).Prepare(preemptor, cluster)
		if err != nil {
			t.Fatal(err)
		}
		run, err := prepared.Begin(cluster.Nodes()[0])
		if err != nil {
			t.Fatal(err)
		}
		status, err := run.Fits()
		if got := status.Filter + " " + status.String(); got != want || err != nil {
			t.Errorf("Fits = %q, %v; want %q", got, err, want)
		}
	}
}

// All is monotone if all its members are.
func TestAllIsMonotoneIfAllAre(t *testing.T) {
	cluster, preemptor := twoEach(t)
	tests := []struct {
		name    string
		filters []preemption.Filter
		want    bool
	}{
		{"built-in", preemption.DefaultFilters(), true},
		{"nested", []preemption.Filter{preemption.All(preemption.DefaultFilters()...), flaky{}}, true},
		{"with one that does not say", []preemption.Filter{preemption.NodeResources(), preemption.FilterFunc(refuseAll)}, false},
		{"with one that says no", []preemption.Filter{preemption.NodeResources(), contrary{}}, false},
		{"nested no", []preemption.Filter{preemption.All(contrary{}), preemption.NodeResources()}, false},
	}
	for _, test := range tests {
		prepared, err := preemption.All(test.filters...).Prepare(preemptor, cluster)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := prepared.(interface{ Monotone() bool })
		if got := ok && m.Monotone(); got != test.want {
			t.Errorf("%s: monotone: %v, want %v", test.name, got, test.want)
		}
	}
}

// contrary says of itself that it is not monotone.
type contrary struct{ flaky }

func (contrary) Prepare(*preemption.Pod, preemption.View) (preemption.Prepared, error) {
	return contrary{}, nil
}
func (contrary) Monotone() bool { return false }

// A filter that is not concerned with the preemptor takes no part.
func TestUnconcernedFilters(t *testing.T) {
	cluster, preemptor := twoEach(t)
	prepared, err := preemption.All(unconcerned{}, unconcerned{}).Prepare(preemptor, cluster)
	if prepared != nil || err != nil {
		t.Errorf("Prepare = %v, %v; want nil, nil: no member is concerned", prepared, err)
	}
	e := preemption.Evaluator{Filters: []preemption.Filter{unconcerned{}}}
	for name, ask := range bothWays(&e) {
		r, err := ask(t.Context(), cluster, preemptor)
		if err != nil || r.Outcome != preemption.OutcomeFits || r.Node.Name != "n0" {
			t.Errorf("%s: %+v, %v; want it to fit on n0", name, r, err)
		}
	}
}

type unconcerned struct{}

func (unconcerned) Name() string { return "Unconcerned" }

func (unconcerned) Prepare(*preemption.Pod, preemption.View) (preemption.Prepared, error) {
	return nil, nil
}
