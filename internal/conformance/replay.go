package conformance

import (
	"testing"

	"example.com/preemption/internal/golden"
)

// Replay holds a judge against every answer of its release that the files in
// dir record, and fails the test where they differ. A recorded answer that the
// judge does not give every time is a difference.
func Replay(t *testing.T, dir, release string, judge Judge) {
	t.Helper()
	cases, err := golden.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	answers, mismatches := 0, 0
	for _, c := range cases {
		want, ok := c.Want[release]
		if !ok || c.Policy != nil { // no scheduler has the policies
			continue
		}
		answers++
		got, steady, err := Steady(judge, c, Runs)
		if err != nil {
			mismatches++
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if !steady {
			mismatches++
			t.Errorf("%s: the judge gives several answers", c.Name)
			continue
		}
		if diff := c.Diff(got, want); diff != "" {
			mismatches++
			t.Errorf("%s:\n%s", c.Name, diff)
		}
	}
	t.Logf("golden %s: %d answers, %d mismatches", release, answers, mismatches)
	if answers == 0 {
		t.Errorf("no answer of %s recorded in %s", release, dir)
	}
}
