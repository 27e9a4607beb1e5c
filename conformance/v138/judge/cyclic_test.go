package judge

import (
	"context"
	"errors"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"

	"example.com/preemption/internal/conformance"
	"example.com/preemption/internal/golden"
)

// ownParent is the smallest case in which the scheduler never answers: one node,
// one pod, and above its group a composite group that is its own parent.
func ownParent() golden.Case {
	return golden.Case{
		Name:  "own-parent",
		Nodes: []golden.Node{{Name: "n", Allocatable: golden.Resources{"cpu": 1000, "pods": 10}}},
		Pods: []golden.Pod{{
			Namespace: "default", Name: "p", UID: "p", Node: "n", Group: "g", Requests: golden.Resources{"cpu": 1000},
		}},
		PodGroups:          []golden.PodGroup{{Namespace: "default", Name: "g", Parent: "c"}},
		CompositePodGroups: []golden.CompositePodGroup{{Namespace: "default", Name: "c", Parent: "c"}},
		Preemptor:          golden.Pod{Namespace: "default", Name: "hi", UID: "hi", Priority: 1, Requests: golden.Resources{"cpu": 1000}},
	}
}

// TestEndless shows that the scheduler's walk up a cycle has no end, and that the
// judge keeps it from walks of single pods and of gangs, but from nothing else.
func TestEndless(t *testing.T) {
	c := ownParent()
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	defer cancel()
	s, err := newScheduler(ctx, &c, false)
	if err != nil {
		t.Fatal(err)
	}
	const many = 1000 // steps, where there are two groups
	steps := 0
	for _, err := range helper.TraverseHierarchyUp(s.snapshot, fwk.PodGroupKey("default", "g")) {
		if err != nil {
			t.Fatal(err)
		}
		if steps++; steps == many {
			break
		}
	}
	if steps < many {
		t.Errorf("the walk ended after %d steps: the judge need not fail any more", steps)
	}

	gang := ownParent()
	gang.Gang = []golden.GangMember{{Pod: gang.Preemptor, Assigned: "n"}}
	for name, c := range map[string]golden.Case{"pod": ownParent(), "gang": gang} {
		if answer, err := Judge(c); !errors.Is(err, conformance.ErrFails) {
			t.Errorf("%s: answer %+v, error %v, want one that the scheduler fails", name, answer, err)
		}
		c.Pods = nil
		if answer, err := Judge(c); err != nil || answer.Outcome != golden.Fits {
			t.Errorf("%s: without pods: answer %+v, error %v, want that it fits", name, answer, err)
		}
	}
}

func TestCyclic(t *testing.T) {
	above := func(parents ...string) golden.Case { // a chain above the group of ownParent
		c := ownParent()
		c.CompositePodGroups = nil
		for i, parent := range parents {
			c.CompositePodGroups = append(c.CompositePodGroups, golden.CompositePodGroup{
				Namespace: "default", Name: string(rune('c' + i)), Parent: parent,
			})
		}
		return c
	}
	elsewhere := ownParent()
	elsewhere.CompositePodGroups[0].Namespace = "other"
	apart := ownParent()
	apart.PodGroups[0].Parent = ""
	tests := map[string]struct {
		c    golden.Case
		want bool
	}{
		"no groups":                   {golden.Case{}, false},
		"unknown parent":              {above(), false},
		"six levels":                  {above("d", "e", "f", "g", ""), false},
		"own parent":                  {ownParent(), true},
		"two in a cycle":              {above("d", "c"), true},
		"a cycle further up":          {above("d", "e", "f", "d"), true},
		"parent in another namespace": {elsewhere, false},
		"no pods below":               {apart, false},
	}
	for name, test := range tests {
		if got := cyclic(&test.c); got != test.want {
			t.Errorf("%s: cyclic = %t, want %t", name, got, test.want)
		}
	}
}
