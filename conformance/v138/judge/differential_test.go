package judge

import (
	"flag"
	"testing"

	"example.com/preemption/internal/conformance"
)

var cases = flag.Int("cases", 5000, "how many generated `cases` the library is held against the scheduler on")

// TestDifferential holds the library against the scheduler.
func TestDifferential(t *testing.T) {
	conformance.Differential(t, Release, Judge, *cases)
}
