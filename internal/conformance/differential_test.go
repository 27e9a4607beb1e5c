package conformance

import (
	"fmt"
	"strings"
	"testing"

	"example.com/preemption/internal/generate"
	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/replay"
	"example.com/preemption/internal/scenario"
)

// ours is a judge that answers as the library does.
func ours(c golden.Case) (golden.Answer, error) {
	return replay.Evaluate(&c, replay.Releases[release])
}

func TestCompare(t *testing.T) {
	plain := generate.Case(1, "basic")
	groups := generate.Case(1, "groups")
	tangled := generate.Case(1, "basic")
	tangled.PodGroups = []golden.PodGroup{{Name: "g", Parent: "c"}}
	tangled.CompositePodGroups = []golden.CompositePodGroup{{Name: "c", Parent: "c"}}
	wrong := func(golden.Case) (golden.Answer, error) { return golden.Answer{Outcome: "wrong"}, nil }
	failing := func(golden.Case) (golden.Answer, error) { return golden.Answer{}, fmt.Errorf("%w: so", ErrFails) }
	tests := []struct {
		name  string
		c     golden.Case
		judge Judge
		want  verdict
	}{
		{"right", plain, ours, agrees},
		{"right with groups", groups, ours, agrees},
		{"wrong", plain, wrong, differs},
		{"wrong with groups", groups, wrong, differs},
		{"wrong, tangled", tangled, wrong, tangledDiffers},
		{"failing", plain, failing, broken},
		{"failing, tangled", tangled, failing, tangledFails},
		{"varying", groups, fickle("a", "b"), varying},
		{"rarely varying", groups, fickle(append(strings.Split(strings.Repeat("a", Runs), ""), "b")...), varying},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := differential{release: release, judge: test.judge}
			got, _, diff := d.compare(&test.c)
			if got != test.want || (diff != "") != (got == differs || got == broken) {
				t.Errorf("compare = %s, %q, want %s", got, diff, test.want)
			}
		})
	}
}

// TestReport shows a mismatch to the judge's disadvantage: it overlooks budgets.
func TestReport(t *testing.T) {
	d := differential{release: release, judge: func(c golden.Case) (golden.Answer, error) {
		c.PDBs = nil
		return ours(c)
	}}
	for seed := range uint64(50) {
		c := generate.Case(seed, "budgets")
		v, _, diff := d.compare(&c)
		if v != differs {
			continue
		}
		report := d.report(c, diff)
		_, text, _ := strings.Cut(report, "\n")
		outputs := run(t, text)
		if message := outputs[len(outputs)-1]; message == "" {
			t.Errorf("no message:\n%s", text)
		}
		for _, want := range []string{"kube-scheduler " + release + " answers", "The library differs", "pdb b"} {
			if !strings.Contains(text, want) {
				t.Errorf("report has no %q:\n%s", want, text)
			}
		}
		if n := strings.Count(text, "\npod "); n > 3 {
			t.Errorf("%d pods are left:\n%s", n, text)
		}
		return
	}
	t.Error("budgets make no difference")
}

// TestScenario writes cases of all families as scenarios, which must read back
// as the same cases.
func TestScenario(t *testing.T) {
	for c := range generate.Cases(release, 600) {
		if len(c.Gang) > 0 {
			continue
		}
		want, err := ours(c)
		if err != nil {
			t.Fatal(err)
		}
		text := Scenario(&c, release, want, "")
		outputs := run(t, text)
		if got := outputs[len(outputs)-1]; got != want.Message {
			t.Errorf("message %q, want %q:\n%s", got, want.Message, text)
		}
		if c.HasGroups() {
			continue // victims are told in another way
		}
		examined := outputs[len(outputs)-2]
		for _, k := range want.Candidates {
			row := fmt.Sprintf("-> %s  violations=%d\n", strings.ReplaceAll(strings.Join(k.Victims, " "), "default/", ""), k.PDBViolations)
			if !strings.Contains(examined, row) {
				t.Errorf("no row %q in\n%s\nof\n%s", row, examined, text)
			}
		}
	}
}

// run runs a scenario and returns what it prints.
func run(t *testing.T, text string) []string {
	t.Helper()
	file, err := scenario.Parse("scenario", text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	outputs, err := file.Run()
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, out := range outputs {
		if strings.Contains(out, scenario.Disagreement) {
			t.Errorf("%s in\n%s", out, text)
		}
	}
	return outputs
}
