package command

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files of expected output; then read the difference")

// What users see, in full. The files are read by people before they are accepted.
func TestOutput(t *testing.T) {
	for _, tc := range []struct {
		name string
		code int
		args []string
	}{
		{"example.txt", ExitYes, []string{"--example"}},
		{"example-wide.txt", ExitYes, []string{"--example", "-o", "wide"}},
		{"example.json", ExitYes, []string{"--example", "-o", "json"}},
		{"example.yaml", ExitYes, []string{"--example", "-o", "yaml"}},
		{"fits.txt", ExitYes, []string{"--example", "newsletter"}},
		{"queue.txt", ExitYes, []string{"--example", "--all-pending"}},
		{"queue.json", ExitYes, []string{"--example", "--all-pending", "-o", "json"}},
		{"min-priority.txt", ExitYes, []string{"--example", "--min-priority"}},
		{"what-if-cpu.txt", ExitYes, []string{"--example", "--what-if", "cpu=3500m"}},
		{"what-if-priority.txt", ExitNo, []string{"--example", "--what-if", "priority=100"}},
		{"what-if-budget.txt", ExitYes, []string{"--example", "--what-if", "budget web=1"}},
		{"unhelpful.txt", ExitNo, []string{"--example", "--pod-file", "testdata/giant.yaml", "--min-priority"}},
		{"unhelpful.json", ExitNo, []string{"--example", "--pod-file", "testdata/giant.yaml", "--min-priority", "-o", "json"}},
		{"ineligible.txt", ExitNo, []string{"--example", "--pod-file", "testdata/polite.yaml", "-o", "wide"}},
		{"release-1.36.txt", ExitYes, []string{"--example", "--kubernetes-version", "1.36"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, got, stderr := run(nil, append([]string{"explain"}, tc.args...)...)
			if code != tc.code || stderr != "" {
				t.Fatalf("exit code %d, want %d: %s", code, tc.code, stderr)
			}
			file := filepath.Join("testdata", tc.name)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
