package properties

import (
	"context"
	"math/rand/v2"
	"testing"

	"example.com/preemption"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// FuzzPreempt turns bytes into a scenario and decides on it in both ways: no
// panic, both agree with each other and with the twin, and the texts can be
// written. The generator of the properties draws from the bytes.
func FuzzPreempt(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(16) {
		f.Add(noise(seed, 1<<14))
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		s := drawScenario(t)
		e, w := drawEvaluator(t, s)
		c := newCluster(t, s.state)
		x, errExamine := e.Examine(context.Background(), c, s.preemptor)
		r, errPreempt := e.Preempt(context.Background(), c, s.preemptor)
		if (errExamine == nil) != (errPreempt == nil) {
			t.Fatalf("Examine: %v, Preempt: %v", errExamine, errPreempt)
		}
		if errExamine != nil {
			return
		}
		if diff := cmp.Diff(verdictOfResult(&x.Result), verdictOfResult(r)); diff != "" {
			t.Fatalf("Preempt differs (-Examine +Preempt):\n%s", diff)
		}
		if diff := cmp.Diff(w.decide(), verdictOf(x)); diff != "" {
			t.Fatalf("Examine differs from the twin (-twin +got):\n%s", diff)
		}
		if x.Explain() == "" || (x.Message() == "") != (x.Outcome == preemption.OutcomeFits) {
			t.Fatalf("Explain() = %q, Message() = %q, outcome %v", x.Explain(), x.Message(), x.Outcome)
		}
	}))
}

// noise is the seed corpus: bytes enough for a whole scenario.
func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
