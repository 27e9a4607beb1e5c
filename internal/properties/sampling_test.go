package properties

import (
	"math"
	"math/big"
	"testing"

	"example.com/preemption"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Count is the percentage rounded down, at least the minimum and one, at most
// all, exact for as many nodes as an int counts.
func TestSamplingCountProperty(t *testing.T) {
	some := rapid.OneOf(rapid.IntRange(-1, 300), rapid.IntRange(math.MaxInt-300, math.MaxInt), rapid.Int())
	rapid.Check(t, func(t *rapid.T) {
		s := preemption.Sampling{Percent: rapid.IntRange(-5, 105).Draw(t, "percent"), Min: some.Draw(t, "min")}
		nodes := some.Draw(t, "nodes")
		if got, want := s.Count(nodes), naiveCount(s, nodes); got != want {
			t.Fatalf("%+v: Count(%d) = %d, want %d", s, nodes, got, want)
		}
	})
}

func naiveCount(s preemption.Sampling, nodes int) int {
	if nodes <= 0 {
		return 0
	}
	n := big.NewInt(int64(min(max(s.Percent, 0), 100)))
	n.Mul(n, big.NewInt(int64(nodes))).Quo(n, big.NewInt(100))
	for _, least := range []int{s.Min, 1} {
		if b := big.NewInt(int64(least)); n.Cmp(b) < 0 {
			n = b
		}
	}
	if most := big.NewInt(int64(nodes)); n.Cmp(most) > 0 {
		n = most
	}
	return int(n.Int64())
}

// However many workers look ahead, and wherever the search starts, the result is
// that of a search node by node; nodes beyond its end are as if never looked at.
func TestSamplingSequentialProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		at := rapid.SampledFrom([]int{0, 1, 2, 3, 4, 7, -1, -3, math.MinInt, math.MaxInt}).Draw(t, "offset")
		var asked []int
		sampling := &preemption.Sampling{Min: rapid.IntRange(1, 3).Draw(t, "min"), Offset: func(n int) int { asked = append(asked, n); return at }}
		e := &preemption.Evaluator{Sampling: sampling, Parallelism: rapid.IntRange(1, 8).Draw(t, "workers")}
		c := newCluster(t, s.state)
		x, err := e.Examine(t.Context(), c, s.preemptor)
		if err != nil {
			return
		}
		// The twin takes offsets in range only.
		w := twin{ClusterState: s.state, preemptor: s.preemptor, sampling: &preemption.Sampling{Min: sampling.Min, Offset: func(n int) int {
			return int(new(big.Int).Mod(big.NewInt(int64(at)), big.NewInt(int64(n))).Int64())
		}}}
		want := w.decide()
		if diff := cmp.Diff(want, verdictOf(x)); diff != "" {
			t.Fatalf("Examine differs from the twin (-want +got):\n%s", diff)
		}
		for _, n := range asked {
			if n != want.Potential || n <= 0 {
				t.Fatalf("the offset was asked for %d nodes, want the %d potential ones", n, want.Potential)
			}
		}
		for i := range x.Nodes {
			r := &x.Nodes[i]
			if r.Node != c.Nodes()[i] {
				t.Fatalf("the report on node %s is of %v", c.Nodes()[i].Name, r.Node)
			}
			if !r.Examined && (r.Candidate != nil || len(r.Removed)+len(r.Steps) > 0 || r.Status.String() != r.Filter.String()) {
				t.Fatalf("node %s was looked at and is said not to have been", r.Node.Name)
			}
		}
	})
}
