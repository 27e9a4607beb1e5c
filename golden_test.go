package preemption_test

import (
	"os"
	"testing"

	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/replay"
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
