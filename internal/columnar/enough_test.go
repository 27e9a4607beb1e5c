package columnar

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Comparisons of a block at once are those of its lanes one by one, at the ends of
// int64 too.
func TestLanesAreComparedAsOneByOne(t *testing.T) {
	ends := []int64{never, never + 1, -1, 0, 1, 1 << 24, 1 << 53, math.MaxInt64 - 1, math.MaxInt64}
	r := rand.New(rand.NewPCG(1, 6))
	draw := func(from int) int64 {
		if r.IntN(4) == 0 {
			return ends[from+r.IntN(len(ends)-from)]
		}
		return r.Int64N(8)
	}
	for range 20_000 {
		var have, more lanes
		var largest topLanes
		for i := range blockSize {
			have[i], more[i], largest[i] = draw(0), draw(3), float32(draw(3))
		}
		amount, mask, factor := draw(4), r.Uint64()&r.Uint64(), reachOf(1+r.Int64N(40)).factor
		if r.IntN(2) == 0 {
			mask &= r.Uint64() & r.Uint64() // few lanes are gone through one by one
		}

		var enough, together, made uint64
		for i := range blockSize {
			bit := uint64(1) << i
			if have[i] >= amount {
				enough |= bit
			}
			if have[i] != never && sum(have[i], more[i]) >= amount {
				together |= bit
			}
			if float32(amount-have[i]) <= float32(largest[i]*factor) {
				made |= bit
			}
		}
		for _, x := range []struct {
			name      string
			got, want uint64
		}{
			{"atLeast", atLeast(&have, amount), enough},
			{"atLeastIn", atLeastIn(mask, &have, amount), mask & enough},
			{"atLeastTogether", atLeastTogether(&have, &more, amount), together},
			{"madeUp", madeUp(&have, &largest, amount, factor), made},
			{"madeUpIn", madeUpIn(mask, &have, &largest, amount, factor), mask & made},
		} {
			if x.got != x.want {
				t.Fatalf("%s of %d: %x, want %x (have %v, more %v, largest %v, factor %v, mask %x)", x.name, amount, x.got, x.want, have, more, largest, factor, mask)
			}
		}
	}
}
