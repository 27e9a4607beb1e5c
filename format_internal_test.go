package preemption

import (
	"math"
	"testing"
)

func TestFormatAmount(t *testing.T) {
	tests := []struct {
		resource string
		n        int64
		want     string
	}{
		{CPU, 0, "0m"}, {CPU, 1500, "1500m"}, {CPU, -250, "-250m"},
		{Memory, 0, "0"}, {Memory, 1, "1"}, {Memory, 1023, "1023"}, {Memory, 1 << 10, "1Ki"}, {Memory, 1<<20 + 1<<10, "1025Ki"},
		{Memory, 3 << 20, "3Mi"}, {Memory, 2 << 30, "2Gi"}, {Memory, 5 << 40, "5120Gi"}, {Memory, -(1 << 30), "-1Gi"},
		{Memory, math.MaxInt64, "9223372036854775807"},
		{EphemeralStorage, 1 << 30, "1Gi"},
		{PodCount, 110, "110"}, {"example.com/gpu", 1024, "1024"},
	}
	for _, test := range tests {
		if got := formatAmount(test.resource, test.n); got != test.want {
			t.Errorf("formatAmount(%s, %d) = %q, want %q", test.resource, test.n, got, test.want)
		}
	}
}
