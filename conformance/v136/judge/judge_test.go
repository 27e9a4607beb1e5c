package judge

import (
	"testing"

	"example.com/preemption/internal/golden"
)

func TestRecorded(t *testing.T) {
	cases, err := golden.ReadDir("../../../testdata/golden")
	if err != nil {
		t.Fatal(err)
	}
	answers, mismatches := 0, 0
	for _, c := range cases {
		want, ok := c.Want[Release]
		if !ok {
			continue
		}
		answers++
		got, err := Judge(c)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			mismatches++
			continue
		}
		if diff := c.Diff(got, want); diff != "" {
			mismatches++
			t.Errorf("%s: %s", c.Name, diff)
		}
	}
	t.Logf("golden: %d answers, %d mismatches", answers, mismatches)
}
