package preemption_test

import (
	"strings"
	"testing"

	"example.com/preemption"
)

// The last lines of an explanation say what to do and what chose it.
func TestExplainConcludes(t *testing.T) {
	tie, preemptor := twoEach(t)
	leaving := *tie.Pod("ns", "n0b")
	leaving.Termination = preemption.TerminatingOther
	if err := tie.UpdatePod(&leaving); err != nil {
		t.Fatal(err)
	}
	if err := tie.Nominate(&preemption.Pod{Namespace: "ns", Name: "waiting"}, "n0"); err != nil {
		t.Fatal(err)
	}
	never := *preemptor
	never.PreemptionPolicy = preemption.PreemptNever
	weak := *preemptor
	weak.Priority = 0
	one := []preemption.Filter{onePod{}}
	tests := []struct {
		name      string
		evaluator preemption.Evaluator
		preemptor *preemption.Pod
		want      string
	}{
		{"a tie", preemption.Evaluator{Filters: one}, preemptor, `
3 candidates; node n0 is the first of those that no criterion tells apart
  evict ns/n0a, priority 1
  evict ns/n0b, priority 1
  ns/n0b is terminating already
  ns/waiting loses its nomination to the node
`},
		{"one candidate", preemption.Evaluator{Filters: append([]preemption.Filter{onlyOn("n1")}, one...)}, preemptor, `
1 candidate; node n1 is cleared
  evict ns/n1a, priority 1
  evict ns/n1b, priority 1
`},
		{"an order decides", preemption.Evaluator{Filters: one, Orders: []preemption.Order{{Name: "last name", Compare: func(a, b *preemption.Candidate) int {
			return strings.Compare(b.Node.Name, a.Node.Name)
		}}}}, preemptor, `
3 candidates; node n2 is chosen by: last name
  evict ns/n2a, priority 1
  evict ns/n2b, priority 1
`},
		{"fits", preemption.Evaluator{Filters: []preemption.Filter{}}, preemptor, `
3 nodes can take the pod: nothing needs evicting
`},
		{"never", preemption.Evaluator{Filters: one}, &never, `
the pod may not preempt: not eligible due to preemptionPolicy=Never.
`},
		{"no victims", preemption.Evaluator{Filters: one}, &weak, `
preemption does not help: no eviction makes room anywhere
`},
		{"extender", preemption.Evaluator{Filters: one, Extenders: []preemption.Extender{{Process: only()}}}, preemptor, `
preemption does not help: no candidate node for preemption
`},
	}
	for _, test := range tests {
		x, err := test.evaluator.Examine(t.Context(), tie, test.preemptor)
		if err != nil {
			t.Fatal(err)
		}
		if text := x.Explain(); !strings.HasSuffix(text, test.want) {
			t.Errorf("%s: Explain() =\n%s\nwant it to end in\n%s", test.name, text, test.want)
		}
	}
}
