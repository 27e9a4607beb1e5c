package scenario

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what the scenarios print into their files; then read the diff")

// TestScenarios runs testdata/scenarios: one behaviour a file, in the language
// that package scenario documents.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("../../testdata/scenarios/*.txt")
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
	file, err := Parse(name, string(text))
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
		case strings.Contains(got, Disagreement):
			t.Errorf("%s:%d: %s: the ways to decide disagree:\n%s", name, b.Line(), b.Directive(), got)
		case got != b.Want && !*rewrite:
			t.Errorf("%s:%d: %s\ngot:\n%s\nwant:\n%s", name, b.Line(), b.Directive(), got, b.Want)
		}
	}
}
