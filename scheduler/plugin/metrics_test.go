package plugin

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/component-base/metrics/legacyregistry"

	"example.com/preemption/scheduler/decide"
)

func TestMetrics(t *testing.T) {
	o := newObserver("metrics-test")
	o.observe(decide.Decision{Outcome: decide.Left, Reason: "an extender has a say"})
	o.observe(decide.Decision{Outcome: decide.Unhelpful, Nodes: 7, Following: time.Millisecond, Deciding: time.Millisecond})
	o.observe(decide.Decision{Outcome: decide.Preempts, Nodes: 7, Following: time.Millisecond, Deciding: time.Millisecond, Checking: time.Millisecond, BetterThanSample: true})
	o.observe(decide.Decision{Outcome: decide.Preempts, Nodes: 7, Agreement: decide.Differs})

	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range families {
		for _, m := range f.Metric {
			name := strings.TrimPrefix(f.GetName(), subsystem+"_")
			mine := false
			for _, l := range m.Label {
				if mine = mine || l.GetValue() == o.profile; l.GetName() != "profile" {
					name += " " + l.GetValue()
				}
			}
			if mine {
				got = append(got, fmt.Sprint(name, " ", uint64(m.GetCounter().GetValue())+m.GetHistogram().GetSampleCount()))
			}
		}
	}
	slices.Sort(got)
	want := []string{
		"agreement_total agreed 2", "agreement_total differs 1", "better_than_sample_total 1",
		"decision_duration_seconds checking 2", "decision_duration_seconds deciding 3", "decision_duration_seconds following 3",
		"decisions_total left 1", "decisions_total preempts 2", "decisions_total unhelpful 1", "nodes_evaluated 3",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(- want, + got):\n%s", d)
	}
}
