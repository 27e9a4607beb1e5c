package generate_test

import (
	"bytes"
	"slices"
	"testing"

	"example.com/preemption/internal/generate"
	"example.com/preemption/internal/golden"
)

func TestShrink(t *testing.T) {
	tests := []struct {
		name   string
		family string
		fails  func(golden.Case) bool
		want   golden.Case // what is left, by number
	}{
		{
			"a budget over a pod on a node", "mixed",
			func(c golden.Case) bool {
				return slices.ContainsFunc(c.PDBs, func(b golden.PDB) bool {
					return slices.ContainsFunc(c.Pods, func(p golden.Pod) bool { return p.Node != "" && p.Namespace == b.Namespace })
				})
			},
			golden.Case{Nodes: make([]golden.Node, 1), Pods: make([]golden.Pod, 1), PDBs: make([]golden.PDB, 1)},
		},
		{
			"a group on two nodes", "composite",
			func(c golden.Case) bool {
				return slices.ContainsFunc(generate.Features(), func(f generate.Feature) bool { return f.Name == "group across nodes" && f.In(&c) })
			},
			golden.Case{Nodes: make([]golden.Node, 2), Pods: make([]golden.Pod, 2), PodGroups: make([]golden.PodGroup, 1)},
		},
		{
			"anything", "gang",
			func(golden.Case) bool { return true },
			golden.Case{Nodes: make([]golden.Node, 1), Gang: make([]golden.GangMember, 1)},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tried := 0
			for seed := range uint64(20) {
				c := generate.Case(seed, test.family)
				if !test.fails(c) {
					continue
				}
				tried++
				before := encode(t, c)
				small := generate.Shrink(c, test.fails)
				if !test.fails(small) {
					t.Errorf("%s: the shrunk case does not fail:\n%s", c.Name, encode(t, small))
				}
				if !bytes.Equal(encode(t, c), before) {
					t.Errorf("%s: Shrink modified the case", c.Name)
				}
				want := test.want
				if len(small.Nodes) != len(want.Nodes) || len(small.Pods) != len(want.Pods) || len(small.PDBs) != len(want.PDBs) ||
					len(small.PodGroups) != len(want.PodGroups) || len(small.CompositePodGroups) != 0 || len(small.Gang) != len(want.Gang) {
					t.Errorf("%s: parts left that are not needed:\n%s", c.Name, encode(t, small))
				}
				for _, p := range small.Pods {
					if len(p.Requests)+len(p.Labels)+len(p.HostPorts) > 0 {
						t.Errorf("%s: pod %s keeps more than it needs:\n%s", c.Name, p.Key(), encode(t, small))
					}
				}
			}
			if tried == 0 {
				t.Errorf("no case of %s fails", test.family)
			}
		})
	}
}
