package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/preemption/internal/golden"
)

// Regeneration rewrites the answers of one release in a folder of golden files
// and leaves everything else in them as it is.
type Regeneration struct {
	In, Out string // folders; they may be the same
	Release string
	Judge   Judge
	// Add also answers cases that have no answer of the release yet, unless
	// the release leaves the answer open.
	Add bool
	// Runs is how often a case with groups is judged; 0 means RunsToBeSure.
	Runs int
	// Messages keeps the texts of events, which the recorded answers lack.
	Messages bool
}

// Summary counts what a regeneration did with the answers of its release.
type Summary struct {
	Files, Cases int
	Same         int      // answers that came out as they were
	Changed      []string // names of cases whose answers came out differently
	Added        int
	// Varying are the names of cases that the judge answers in several ways,
	// and Failing of those at which the scheduler fails. They are left without
	// an answer.
	Varying, Failing []string
	Open             int // cases that were not to be answered
}

func (s Summary) String() string {
	return fmt.Sprintf("%d files, %d cases: %d answers as before, %d changed %v, %d added, %d varying %v, %d failing %v, %d cases left open",
		s.Files, s.Cases, s.Same, len(s.Changed), s.Changed, s.Added, len(s.Varying), s.Varying, len(s.Failing), s.Failing, s.Open)
}

// Run regenerates file after file. Where it fails, files already written stay.
func (r Regeneration) Run() (Summary, error) {
	var sum Summary
	paths, err := golden.Files(r.In)
	if err != nil {
		return sum, err
	}
	if err := os.MkdirAll(r.Out, 0o755); err != nil {
		return sum, err
	}
	for _, path := range paths {
		cases, err := golden.ReadFile(path)
		if err != nil {
			return sum, err
		}
		for i := range cases {
			if err := r.answer(&cases[i], &sum); err != nil {
				return sum, fmt.Errorf("%s: case %s: %w", path, cases[i].Name, err)
			}
		}
		if err := golden.WriteFile(filepath.Join(r.Out, filepath.Base(path)), cases); err != nil {
			return sum, err
		}
		sum.Files++
		sum.Cases += len(cases)
	}
	return sum, nil
}

func (r Regeneration) runs() int { return cmp.Or(r.Runs, RunsToBeSure) }

// answer brings the answer of one case up to date.
func (r Regeneration) answer(c *golden.Case, sum *Summary) error {
	old, recorded := c.Want[r.Release]
	if c.Policy != nil || !recorded && (!r.Add || Unspecified(c, r.Release) != "") {
		sum.Open++
		return nil
	}
	answer, steady, err := Steady(r.Judge, *c, r.runs())
	switch {
	case errors.Is(err, ErrFails):
		sum.Failing = append(sum.Failing, c.Name)
		delete(c.Want, r.Release)
		return nil
	case err != nil:
		return err
	case !steady:
		sum.Varying = append(sum.Varying, c.Name)
		delete(c.Want, r.Release)
		return nil
	}

	if !r.Messages {
		answer.Message = ""
	}
	switch {
	case !recorded:
		sum.Added++
	case c.Diff(answer, old) == "":
		sum.Same++
	default:
		sum.Changed = append(sum.Changed, c.Name)
	}
	if c.Want == nil {
		c.Want = map[string]golden.Answer{}
	}
	c.Want[r.Release] = answer
	return nil
}
