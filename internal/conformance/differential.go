package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/preemption"
	"example.com/preemption/internal/generate"
	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/replay"
)

// Differential holds the library against the judge of a release on n generated
// cases, by every path through the library, and fails the test where the two
// answer differently. Each mismatch is shrunk and printed: as a scenario file,
// or as a golden case if the preemptor is a group, which scenarios do not have.
//
// Cases without an answer to compare with are set apart and counted.
func Differential(t *testing.T, release string, judge Judge, n int) {
	t.Helper()
	const enough = 5 // mismatches to look at in one go
	d := differential{release: release, judge: judge}
	counts := map[verdict]int{}
	for c := range generate.Cases(release, n) {
		v, _, diff := d.compare(&c)
		counts[v]++
		switch v {
		case differs:
			t.Errorf("%s", d.report(c, diff))
		case broken:
			t.Errorf("%s: the judge: %s", c.Name, diff)
		}
		if counts[differs]+counts[broken] >= enough {
			break
		}
	}
	t.Logf("differential %s: %s", release, tally(counts))
}

// verdict is what came of a case.
type verdict string

const (
	agrees  verdict = "the same"
	differs verdict = "mismatches"
	broken  verdict = "beyond the judge"
	// The judge gives several answers. One of them may be ours.
	varying verdict = "varying"
	// The groups are tangled, and the scheduler fails, or answers differently.
	tangledFails   verdict = "tangled, and the scheduler fails"
	tangledDiffers verdict = "tangled, and answered differently"
)

func tally(counts map[verdict]int) string {
	var parts []string
	for _, v := range []verdict{agrees, differs, broken, varying, tangledFails, tangledDiffers} {
		parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
	}
	return strings.Join(parts, ", ")
}

// differential compares the answers of the library with those of a judge.
type differential struct {
	release string
	judge   Judge
}

// compare judges a case, returns the judge's answer if it has one, and says what
// is different, or wrong with the judge.
func (d *differential) compare(c *golden.Case) (verdict, golden.Answer, string) {
	tangled := d.release != golden.Release136 && Tangled(c) // 1.36 has no groups to tangle
	want, steady, err := Steady(d.judge, *c, Runs)
	switch {
	case errors.Is(err, ErrFails) && tangled:
		return tangledFails, want, ""
	case err != nil:
		return broken, want, err.Error()
	case !steady:
		return varying, want, ""
	}
	diff := d.diff(c, want)
	if diff == "" {
		return agrees, want, ""
	}
	// An answer that comes up rarely passes for steady now and then.
	if _, steady, err := Steady(d.judge, *c, RunsToBeSure); err == nil && !steady {
		return varying, want, ""
	}
	if tangled {
		return tangledDiffers, want, ""
	}
	return differs, want, diff
}

// diff returns how the answers of the library differ from the one wanted, ""
// if none does.
func (d *differential) diff(c *golden.Case, want golden.Answer) string {
	var found []string
	for _, path := range slices.Sorted(maps.Keys(replay.Paths)) {
		if text := diffPath(c, path, replay.Releases[d.release], want); text != "" {
			found = append(found, path+":\n"+text)
		}
	}
	return strings.Join(found, "\n")
}

// report returns a failing case, shrunk, with what the judge answers and how the
// library differs.
func (d *differential) report(c golden.Case, diff string) string {
	small := generate.Shrink(c, func(c golden.Case) bool {
		v, _, _ := d.compare(&c)
		return v == differs && Unspecified(&c, d.release) == ""
	})
	want, err := d.judge(small)
	if err != nil { // once in a while, it seems
		return fmt.Sprintf("%s: a mismatch:\n%s\nand now the judge fails: %v", c.Name, diff, err)
	}
	diff = d.diff(&small, want)
	if len(small.Gang) > 0 {
		small.Want = map[string]golden.Answer{d.release: want}
		var line strings.Builder
		if err := golden.Write(&line, []golden.Case{small}); err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%s: a mismatch:\n%s\nAs a golden case:\n%s", c.Name, diff, line.String())
	}
	return fmt.Sprintf("%s: a mismatch. As a scenario:\n%s", c.Name, Scenario(&small, d.release, want, diff))
}

// diffPath is diff for one path through the library.
func diffPath(c *golden.Case, path string, release preemption.Release, want golden.Answer) string {
	got, err := replay.Paths[path](c, release)
	if err != nil {
		return err.Error()
	}
	if path != "evaluator" {
		want.Message = "" // texts are the evaluator's
	}
	return c.Diff(got, want)
}
