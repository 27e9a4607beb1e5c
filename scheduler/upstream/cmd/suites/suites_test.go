package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/preemption/scheduler/upstream/internal/journal"
)

func TestCountTests(t *testing.T) {
	const log = `=== RUN   TestA
I1130 09:00:00.000000       1 x.go:1] "--- FAIL: TestNot"
    --- PASS: TestA/one_case (0.10s)
        --- SKIP: TestA/one_case/deep (0.00s)
    --- FAIL: TestA/other (0.10s)
--- FAIL: TestA (0.30s)
--- PASS: TestB (0.00s)
PASS
`
	if c := countTests(log); c.passed != 2 || c.failed != 2 || c.skipped != 1 {
		t.Errorf("%d passed, %d failed, %d skipped, want 2, 2, 1", c.passed, c.failed, c.skipped)
	}
}

// What kube-scheduler was left to decide, and what it decided alone, counts for
// nothing.
func TestDecisionsAreTheLibrarys(t *testing.T) {
	c := counts{lines: []journal.Line{
		{Pod: "a/alone"},
		{Evicted: &journal.Evicted{Pod: "a/victim"}},
		{Decision: &journal.Decision{Outcome: "left", Reason: "an extender has a say"}},
		{Decision: &journal.Decision{Outcome: "preempts", Agreement: "agreed"}},
		{Decision: &journal.Decision{Outcome: "unhelpful", Agreement: "refused"}},
	}}
	if n := c.decisions(); n != 2 {
		t.Errorf("%d decisions, want 2", n)
	}
	if s := c.agreement(); !strings.HasPrefix(s, "preempts 1, unhelpful 1, ineligible 0, left 1, agreed 1, refused 1, differs 0, worse 0") {
		t.Errorf("agreement: %s", s)
	}
}

func TestThroughput(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	write := func(text string) {
		if err := os.WriteFile(log, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const line = "BenchmarkPerfScheduling/PreemptionBasic/5Nodes-2  1  2.03 runtime_seconds"
	write(line + "  123.4 SchedulingThroughput/Average  120 SchedulingThroughput/Perc50\n")
	if s, err := throughputOf(log); s != "123.4" || err != nil {
		t.Errorf("throughput %q, %v, want 123.4", s, err)
	}
	write("W1130 09:00:00.0 1 util.go:676] Failed to measure SchedulingThroughput for x. Increase pods\n" + line + "\n")
	if s, err := throughputOf(log); s != "too short" || err != nil {
		t.Errorf("throughput %q, %v, want too short", s, err)
	}
	write(line + "\n")
	if _, err := throughputOf(log); err == nil {
		t.Error("a benchmark that says nothing about throughput passes")
	}
}

// The overlay is everything or nothing: a place that upstream changed is named.
func TestOverlay(t *testing.T) {
	tree, to := t.TempDir(), t.TempDir()
	for name, list := range edits {
		var text strings.Builder
		for _, e := range list {
			text.WriteString("before\n" + e.old + "after\n")
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(tree, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tree, name), []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := writeOverlay(tree, to)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(overlay)
	if err != nil {
		t.Fatal(err)
	}
	var read struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	for name, list := range edits {
		data, err := os.ReadFile(read.Replace[filepath.Join(tree, name)])
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if strings.Count(string(data), e.new) != 1 {
				t.Errorf("%s: the new text is not in it once:\n%s", name, e.new)
			}
		}
	}

	for name, list := range edits {
		file := filepath.Join(tree, name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, changed := range []string{strings.Replace(string(text), list[0].old, "", 1), string(text) + list[0].old} {
			if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := writeOverlay(tree, to); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s has changed, but the error is %v", name, err)
			}
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
