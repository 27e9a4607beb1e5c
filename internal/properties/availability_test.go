package properties

import (
	"math"
	"math/big"
	"testing"

	"example.com/preemption"
	"pgregory.net/rapid"
)

// DisruptionsAllowed is the disruption controller's arithmetic, in big numbers.
func TestAvailabilityProperty(t *testing.T) {
	count := rapid.OneOf(rapid.IntRange(-1, 12), rapid.SampledFrom([]int{100, 101, 199, math.MaxInt32, math.MaxInt - 1, math.MaxInt}))
	amount := func(t *rapid.T, label string) *preemption.Amount {
		if !oneIn(t, 2, label) {
			return nil
		}
		a := &preemption.Amount{Value: count.Draw(t, "number")}
		if oneIn(t, 2, "percent") {
			a = &preemption.Amount{Percent: true, Value: rapid.IntRange(-1, 101).Draw(t, "percentage")}
		}
		return a
	}
	rapid.Check(t, func(t *rapid.T) {
		a := preemption.Availability{
			Expected: count.Draw(t, "expected"), Healthy: count.Draw(t, "healthy"),
			MinAvailable: amount(t, "minAvailable"), MaxUnavailable: amount(t, "maxUnavailable"),
		}
		want, valid := naiveAllowed(a)
		got, err := a.DisruptionsAllowed()
		if (err == nil) != valid || int64(got) != want { // an error comes with no pods
			t.Fatalf("%+v (min %v, max %v): %d, %v; want %d, valid: %v", a, a.MinAvailable, a.MaxUnavailable, got, err, want, valid)
		}
	})
}

func naiveAllowed(a preemption.Availability) (allowed int64, valid bool) {
	valid = a.Expected >= 0 && a.Healthy >= 0 && (a.MinAvailable == nil || a.MaxUnavailable == nil)
	for _, m := range []*preemption.Amount{a.MinAvailable, a.MaxUnavailable} {
		valid = valid && (m == nil || m.Value >= 0 && (!m.Percent || m.Value <= 100))
	}
	neither := a.MinAvailable == nil && a.MaxUnavailable == nil // the controller then expects no pod
	if !valid || neither || a.Expected == 0 {
		return 0, valid
	}
	expected := big.NewInt(int64(a.Expected))
	desired := new(big.Int)
	if a.MinAvailable != nil {
		desired = naivePods(*a.MinAvailable, expected)
	}
	if a.MaxUnavailable != nil {
		if desired = naivePods(*a.MaxUnavailable, expected); desired.Sub(expected, desired).Sign() < 0 {
			desired.SetInt64(0)
		}
	}
	left := new(big.Int).Sub(big.NewInt(int64(a.Healthy)), desired)
	if left.Sign() < 0 {
		return 0, true
	}
	return min(left.Int64(), math.MaxInt32), true
}

// naivePods rounds percentages up.
func naivePods(a preemption.Amount, expected *big.Int) *big.Int {
	n := big.NewInt(int64(a.Value))
	if !a.Percent {
		return n
	}
	n, rest := n.Mul(n, expected).QuoRem(n, big.NewInt(100), new(big.Int))
	return n.Add(n, big.NewInt(int64(rest.Sign())))
}
