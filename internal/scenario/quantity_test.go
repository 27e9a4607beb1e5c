package scenario

import (
	"math"
	"testing"

	"example.com/preemption"
)

// FuzzQuantity: what is read as an amount is written so that it is read as the
// same amount again, and every amount can be written.
func FuzzQuantity(f *testing.F) {
	for _, s := range []string{"4", "500m", "8Gi", "0.5", "-1", "1e3", "9223372036854775807", "0.0001", "1Ei", "..", "-", "3k", "1.5Ki"} {
		f.Add(s, int64(len(s)))
	}
	f.Add("", int64(math.MinInt64))
	f.Add("0", int64(math.MaxInt64))
	f.Add("1025Mi", int64(3<<30))
	f.Fuzz(func(t *testing.T, s string, n int64) {
		for _, resource := range []string{preemption.CPU, preemption.Memory, "example.com/gpu"} {
			if amount, err := parseQuantity(resource, s); err == nil {
				written := formatQuantity(resource, amount)
				if again, err := parseQuantity(resource, written); err != nil || again != amount {
					t.Errorf("%s=%q is %d, written %q, read again as %d, %v", resource, s, amount, written, again, err)
				}
			}
			written := formatQuantity(resource, n)
			if again, err := parseQuantity(resource, written); err != nil || again != n {
				t.Errorf("%d of %s is written %q, read as %d, %v", n, resource, written, again, err)
			}
		}
	})
}
