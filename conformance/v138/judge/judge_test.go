package judge

import (
	"reflect"
	"testing"

	"example.com/preemption/internal/conformance"
	"example.com/preemption/internal/golden"
)

const recorded = "../../../testdata/golden"

func TestRecorded(t *testing.T) {
	conformance.Replay(t, recorded, Release, Judge)
}

func TestGenerated(t *testing.T) {
	conformance.Survey(t, Release, Judge)
}

// TestTellsReleasesApart shows that the replay can fail: another release
// gives other answers to cases about budgets.
func TestTellsReleasesApart(t *testing.T) {
	const other = golden.Release137
	cases, err := golden.ReadFile(recorded + "/pdb.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	differ := 0
	for _, c := range cases {
		got, err := Judge(c)
		if err != nil {
			t.Fatal(err)
		}
		if c.Diff(got, c.Want[other]) != "" {
			differ++
		}
	}
	if differ == 0 {
		t.Errorf("%s and %s give the same answers to all %d cases about budgets", Release, other, len(cases))
	}
	t.Logf("%d of %d answers differ from those of %s", differ, len(cases), other)
}

// TestRegenerate re-derives the recorded files, which must come out as they
// are. It adds nothing: what has no answer yet are groups whose pods differ in
// priority, which the release does not expect, and answers by the order of a map.
func TestRegenerate(t *testing.T) {
	r := conformance.Regeneration{In: recorded, Out: t.TempDir(), Release: Release, Judge: Judge, Runs: conformance.Runs}
	sum, err := r.Run()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(sum)
	if sum.Same == 0 || len(sum.Changed) > 0 || len(sum.Varying)+len(sum.Failing) > 0 {
		t.Errorf("%v", sum)
	}
	before, err := golden.ReadDir(r.In)
	if err != nil {
		t.Fatal(err)
	}
	after, err := golden.ReadDir(r.Out)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range before {
		if want, ok := c.Want[Release]; ok && !reflect.DeepEqual(after[i].Want[Release], want) {
			t.Errorf("%s regenerated as %+v, want %+v", c.Name, after[i].Want[Release], want)
		}
	}
}
