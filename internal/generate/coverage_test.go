package generate_test

import (
	"testing"

	"example.com/preemption/internal/generate"
)

// TestCoverage counts the features in 2,000 cases, taken from all families in
// turn. None may be rare, or the differential test would not try it often
// enough.
func TestCoverage(t *testing.T) {
	const total, floor = 2000, 20
	counts := map[string]int{}
	families := generate.Families()
	for i := range total {
		c := generate.Case(uint64(i/len(families)), families[i%len(families)])
		for _, f := range generate.Features() {
			if f.In(&c) {
				counts[f.Name]++
			}
		}
	}
	for _, f := range generate.Features() {
		t.Logf("%5d %s", counts[f.Name], f.Name)
		if counts[f.Name] < floor {
			t.Errorf("%s: %d of %d cases, want at least %d", f.Name, counts[f.Name], total, floor)
		}
	}
}
