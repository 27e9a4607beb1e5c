package conformance

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/replay"
)

// TestCampaignGoesOn stops a campaign in the middle of a record: started again,
// it does what is missing, and its records are those of a campaign that was not
// stopped.
func TestCampaignGoesOn(t *testing.T) {
	dir := t.TempDir()
	whole := Campaign{Release: release, Judge: ours, Seed: 3, Shards: 3, Cases: 30, Out: filepath.Join(dir, "whole"), Log: &bytes.Buffer{}}
	if _, err := whole.Run(); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(whole.Out)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(want, []byte("\n"))
	stopped := whole
	stopped.Out = filepath.Join(dir, "stopped")
	var log bytes.Buffer
	stopped.Log = &log
	if err := os.WriteFile(stopped.Out, append(bytes.Clone(lines[0]), lines[1][:20]...), 0o644); err != nil {
		t.Fatal(err)
	}
	shards, err := stopped.Run()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(stopped.Out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("records\n%s\nwant\n%s", got, want)
	}
	if n := strings.Count(log.String(), "\n"); len(shards) != 3 || n != 2 {
		t.Errorf("%d shards, %d of them now, want 3 and 2:\n%s", len(shards), n, log.String())
	}
	stopped.Cases++
	if _, err := stopped.Run(); err == nil || !strings.Contains(err.Error(), "30 cases, not 31") {
		t.Errorf("with another number of cases: %v", err)
	}
}

// TestCampaignCases checks that neither shards nor seeds have a case in common.
func TestCampaignCases(t *testing.T) {
	seen := map[string]bool{}
	note := func(c golden.Case) (golden.Answer, error) {
		if seen[c.Name] {
			t.Errorf("%s is judged twice", c.Name)
		}
		seen[c.Name] = true
		return golden.Answer{}, ErrFails // so that no case is judged again
	}
	for _, seed := range []uint64{0, 1, 2} {
		c := Campaign{Release: golden.Release136, Judge: note, Seed: seed, Shards: 3, Cases: 40, Out: filepath.Join(t.TempDir(), "out"), Log: &bytes.Buffer{}}
		if _, err := c.Run(); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 3*3*40 {
		t.Errorf("%d cases, want %d", len(seen), 3*3*40)
	}
}

// TestCampaignMain holds the library against a judge that overlooks budgets: the
// mismatches are recorded, shown, and the exit code says so.
func TestCampaignMain(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	blind := func(c golden.Case) (golden.Answer, error) {
		c.PDBs = nil
		return ours(c)
	}
	tests := []struct {
		name  string
		judge Judge
		args  []string
		code  int
		want  string
	}{
		{"no file", ours, []string{"-shards", "1"}, 2, "usage: campaign"},
		{"too many cases", ours, []string{"-out", out, "-cases", "2000000"}, 1, "want each below"},
		{"agrees", ours, []string{"-out", out, "-shards", "1", "-cases", "60"}, 0, "| answers compared | 60 |"},
		{"differs", blind, []string{"-out", out, "-seed", "2", "-shards", "1", "-cases", "60"}, 1, "As a scenario:"},
		{"sums up", ours, []string{"-out", out}, 1, "| cases | 120 |"},
	}
	for _, test := range tests {
		var text bytes.Buffer
		if code := CampaignMain(release, test.judge, test.args, &text, &text); code != test.code || !strings.Contains(text.String(), test.want) {
			t.Errorf("%s: code %d, want %d, and %q in\n%s", test.name, code, test.code, test.want, text.String())
		}
	}
}

// TestReached checks that generated cases reach every rule, filter and kind of
// answer that the summary has a row for, in one release or another.
func TestReached(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	var shards []Shard
	for _, r := range []string{golden.Release136, golden.Release137, golden.Release138} {
		ours := func(c golden.Case) (golden.Answer, error) { return replay.Evaluate(&c, replay.Releases[r]) }
		c := Campaign{Release: r, Judge: ours, Shards: 1, Cases: 1000, Out: out, Log: &bytes.Buffer{}}
		var err error
		if shards, err = c.Run(); err != nil {
			t.Fatal(err)
		}
	}
	for kind, list := range reached() {
		for _, r := range list {
			n := 0
			for _, s := range shards {
				n += s.Reached[kind][r.name]
			}
			if n < 20 {
				t.Errorf("%s %q: %d answers, want at least 20", kind, r.name, n)
			}
		}
	}
	t.Log(Summarize(shards))
}
