package score

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

type pod struct {
	priority int32
	start    int64
}

// naive adds up by looking at all pods for each criterion.
func naive(pods []pod) Score {
	s := None
	for i, p := range pods {
		if i == 0 {
			s.Top = int64(p.priority)
		}
		s.Sum += int64(p.priority) + 1<<31
		s.Pods++
		s.Highest = max(s.Highest, int64(p.priority))
	}
	for _, p := range pods {
		if int64(p.priority) == s.Highest {
			s.Start = min(s.Start, p.start)
		}
	}
	return s
}

// However pods are put together, pod by pod or in groups, the score is that of
// looking at all of them.
func TestAddingUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pods := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pod {
			return pod{
				rapid.SampledFrom([]int32{math.MinInt32, -1, 0, 5, math.MaxInt32}).Draw(t, "priority"),
				rapid.SampledFrom([]int64{math.MinInt64, 0, 7, Never}).Draw(t, "start"),
			}
		}), 0, 8).Draw(t, "pods")
		at := rapid.IntRange(0, len(pods)).Draw(t, "split")

		one, left, right := None, None, None
		for i, p := range pods {
			one.AddPod(p.priority, p.start)
			if i < at {
				left.AddPod(p.priority, p.start)
			} else {
				right.AddPod(p.priority, p.start)
			}
		}
		left.Add(&right)
		if want := naive(pods); one != want || left != want {
			t.Fatalf("%v: pod by pod %+v, in two parts %+v, want %+v", pods, one, left, want)
		}
	})
}

// Compare is the first criterion that tells two scores apart.
func TestCompareIsLexicographic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Score {
			n := rapid.Int64Range(-1, 1)
			return Score{n.Draw(t, name), n.Draw(t, name), n.Draw(t, name), n.Draw(t, name), n.Draw(t, name), n.Draw(t, name)}
		}
		a, b := draw("a"), draw("b")
		want := 0
		for _, x := range [][2]int64{{a.Violations, b.Violations}, {a.Top, b.Top}, {a.Sum, b.Sum}, {a.Pods, b.Pods}, {b.Start, a.Start}} {
			if want == 0 && x[0] != x[1] {
				want = 1
				if x[0] < x[1] {
					want = -1
				}
			}
		}
		if got := a.Compare(&b); got != want {
			t.Fatalf("%+v with %+v: %d, want %d", a, b, got, want)
		}
		if worst := Worst; worst.Compare(&a) <= 0 {
			t.Fatalf("%+v is not better than the worst", a)
		}
	})
}
