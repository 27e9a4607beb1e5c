package properties

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"example.com/preemption"
	"pgregory.net/rapid"
)

// drawVictims draws victims with much in common, of one pod or several.
func drawVictims(t *rapid.T, n int) []*preemption.Victim {
	victims := make([]*preemption.Victim, n)
	for i := range victims {
		v := &preemption.Victim{
			Kind:     pick(t, "kind", preemption.KindPod, preemption.KindPodGroup, preemption.KindCompositePodGroup),
			Priority: drawPriority(t),
		}
		for range rapid.IntRange(1, 3).Draw(t, "pods") {
			v.Pods = append(v.Pods, &preemption.Pod{UID: pick(t, "uid", "a", "b", ""), Start: drawStart(t), Priority: drawPriority(t)})
			v.Nodes = append(v.Nodes, nil)
		}
		switch pods := v.Pods; pick(t, "made", "by hand", "by the constructor", "by the constructor, then extended", "of another") {
		case "by the constructor":
			v = preemption.NewPodVictim(pods[0], nil)
		case "by the constructor, then extended":
			v = preemption.NewPodVictim(pods[0], nil)
			v.Pods, v.Nodes = append(v.Pods, pods[1:]...), make([]*preemption.Node, len(pods))
		case "of another": // with what a cluster keeps about its groups
			o := *groupOfACluster(t)
			o.Kind, o.Priority, o.Pods, o.Nodes = v.Kind, v.Priority, pods, v.Nodes
			v = &o
		}
		victims[i] = v
	}
	return victims
}

// groupOfACluster returns the victim of a decision, a group of two.
func groupOfACluster(t *rapid.T) *preemption.Victim {
	n := &preemption.Node{Name: "n", Allocatable: preemption.Resources{preemption.PodCount: 2}}
	state := preemption.ClusterState{Nodes: []*preemption.Node{n},
		PodGroups: []*preemption.PodGroup{{Name: "g", DisruptionMode: preemption.DisruptAll}}}
	for i, name := range []string{"a", "b"} {
		state.Pods = append(state.Pods, &preemption.Pod{Name: name, NodeName: "n", Group: "g", Start: time.Unix(int64(i), 0)})
	}
	r, err := (&preemption.Evaluator{}).Preempt(t.Context(), newCluster(t, state), &preemption.Pod{Name: "h", Priority: 1})
	if err != nil || len(r.Victims) != 1 || len(r.Victims[0].Pods) != 2 {
		t.Fatalf("%+v, %v, want the group of two", r, err)
	}
	return r.Victims[0]
}

// Importance is decided criterion by criterion, as the twin does.
func TestImportanceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVictims(t, 2)
		want := 0
		switch {
		case moreImportant(v[0], v[1]):
			want = 1
		case moreImportant(v[1], v[0]):
			want = -1
		}
		if got := preemption.CompareImportance(v[0], v[1]); cmp.Compare(got, 0) != want {
			t.Fatalf("CompareImportance = %d, want the sign of %d, for %+v and %+v", got, want, v[0], v[1])
		}
		if got := preemption.MoreImportantVictim(v[0], v[1]); got != (want > 0) {
			t.Fatalf("MoreImportantVictim = %v, CompareImportance %d", got, want)
		}
	})
}

// CompareImportance is a strict weak order, and equal victims agree on all that
// counts, the UID included: with UIDs it is total.
func TestImportanceOrderProperty(t *testing.T) {
	sign := func(a, b *preemption.Victim) int { return cmp.Compare(preemption.CompareImportance(a, b), 0) }
	rapid.Check(t, func(t *rapid.T) {
		v := drawVictims(t, 3)
		a, b, c := v[0], v[1], v[2]
		if sign(a, a) != 0 {
			t.Fatalf("%+v is not equal to itself", a)
		}
		if sign(a, b) != -sign(b, a) {
			t.Fatalf("compare(a, b) = %d and compare(b, a) = %d", sign(a, b), sign(b, a))
		}
		if sign(a, b) >= 0 && sign(b, c) >= 0 && sign(a, c) != max(sign(a, b), sign(b, c)) {
			t.Fatalf("not transitive: %d, %d, %d", sign(a, b), sign(b, c), sign(a, c))
		}
		if sign(a, b) == 0 && a.Pods[0].UID != b.Pods[0].UID {
			t.Fatalf("equal despite their UIDs: %+v, %+v", a, b)
		}
	})
}

// Sorting by importance does not depend on the order victims come in, with UIDs.
func TestImportanceSortProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		victims := drawVictims(t, 6)
		for i, v := range victims {
			v.Pods[0].UID += string(rune('0' + i))
		}
		shuffled := rapid.Permutation(victims).Draw(t, "order")
		slices.SortFunc(victims, preemption.CompareImportance)
		slices.SortFunc(shuffled, preemption.CompareImportance)
		if !slices.Equal(victims, shuffled) {
			t.Fatalf("%v, or %v in another order", victims, shuffled)
		}
	})
}

// A victim of a cluster's that a caller gives other pods goes by those.
func TestImportanceGoesByThePods(t *testing.T) {
	n := &preemption.Node{Name: "n1"}
	at := func(name string, seconds int64) *preemption.Pod {
		return &preemption.Pod{Name: name, UID: name, NodeName: n.Name, Start: time.Unix(seconds, 0)}
	}
	v, w := preemption.NewPodVictim(at("v", 20), n), preemption.NewPodVictim(at("w", 10), n)
	if preemption.CompareImportance(v, w) >= 0 {
		t.Fatal("the pod that started later is not the less important one")
	}
	v.Pods, v.Nodes = append(v.Pods, at("older", 1)), append(v.Nodes, n)
	w.Pods, w.Nodes = append(w.Pods, at("other", 30)), append(w.Nodes, n)
	if preemption.CompareImportance(v, w) <= 0 {
		t.Error("the victim that came to have the oldest pod is not the more important one")
	}
	v.Pods[1] = at("younger", 40)
	if preemption.CompareImportance(v, w) >= 0 {
		t.Error("the victim whose oldest pod was replaced is still the more important one")
	}
}
