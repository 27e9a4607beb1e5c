package preemption_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/replay"
	"example.com/preemption/internal/scenario"
)

// TestGolden replays what real kube-scheduler releases answered, recorded in
// testdata/golden or the folder that GOLDEN_DIR names: through the evaluator and
// through the composable functions.
func TestGolden(t *testing.T) {
	dir := os.Getenv("GOLDEN_DIR")
	if dir == "" {
		dir = "testdata/golden"
	}
	cases, err := golden.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	answers, mismatches := 0, 0
	for i := range cases {
		c := &cases[i]
		for release, want := range c.Want {
			answers++
			if !replays(t, c, release, want) {
				mismatches++
			}
		}
	}
	t.Logf("golden: %d answers, %d mismatches", answers, mismatches)
	if answers == 0 || mismatches > 0 {
		t.Fail()
	}
}

func replays(t *testing.T, c *golden.Case, release string, want golden.Answer) bool {
	r, known := replay.Releases[release]
	if !known {
		t.Errorf("%s: unknown release %q", c.Name, release)
		return false
	}
	ok := true
	for path, ask := range replay.Paths {
		got, err := ask(c, r)
		if err != nil {
			t.Errorf("%s: %s: %s: %v", c.Name, release, path, err)
			ok = false
		} else if diff := c.Diff(got, want); diff != "" {
			t.Errorf("%s: %s: %s:\n%s", c.Name, release, path, diff)
			ok = false
		}
	}
	return ok
}

var rewrite = flag.Bool("rewrite", false, "write what the scenarios print into their files; then read the diff")

// TestScenarios runs testdata/scenarios: one behaviour a file, in the language
// that internal/scenario documents.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no scenarios found")
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) { runScenario(t, name) })
	}
}

func runScenario(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := scenario.Parse(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := file.Run()
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(name, []byte(file.Format(outputs)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, got := range outputs {
		b := &file.Blocks[i]
		switch {
		case strings.Contains(got, scenario.Disagreement):
			t.Errorf("%s:%d: %s: the ways to decide disagree:\n%s", name, b.Line(), b.Directive(), got)
		case got != b.Want && !*rewrite:
			t.Errorf("%s:%d: %s\ngot:\n%s\nwant:\n%s", name, b.Line(), b.Directive(), got, b.Want)
		}
	}
}
