package golden

import (
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	want := Answer{
		Outcome: Preempt,
		Node:    "n1",
		Best:    []string{"n1", "n3"},
		Victims: []string{"default/a", "default/b"},
		Candidates: []Candidate{
			{Node: "n1", Victims: []string{"default/a", "default/b"}},
			{Node: "n2", Victims: []string{"default/c"}, PDBViolations: 1},
			{Node: "n3", Victims: []string{"default/d", "default/e", "default/f"}},
		},
		Statuses: map[string]string{
			"n1": "Unschedulable: Too many pods, Insufficient cpu, Insufficient x.io/a, Insufficient x.io/b",
		},
		PotentialNodes: 3,
		Message:        "0/3 nodes are available. preemption: found a potential placement for pod on node n1, preempting 2 victims",
	}
	tied := func(a *Answer) {
		a.Node, a.Victims = "n3", want.Candidates[2].Victims
		a.Message = strings.Replace(want.Message, "n1, preempting 2", "n3, preempting 3", 1)
	}
	tests := []struct {
		name   string
		groups bool
		change func(a *Answer)
		want   string
	}{
		{"equal", false, func(a *Answer) {}, ""},
		{"tied node", false, tied, ""},
		{"tied node, victims of the other", false, func(a *Answer) {
			tied(a)
			a.Victims = want.Victims
			a.Message = want.Message
		}, "choice: victims = [default/a default/b], want [default/d default/e default/f]\nmessage"},
		{"worse node", false, func(a *Answer) { a.Node = "n2" }, "node = n2, want n1"},
		{"no outcome", false, func(a *Answer) { a.Outcome = Unhelpful }, "outcome = unhelpful, want preempt"},
		{"order of extended resources", false, func(a *Answer) {
			a.Statuses = map[string]string{"n1": "Unschedulable: Too many pods, Insufficient cpu, Insufficient x.io/b, Insufficient x.io/a"}
		}, ""},
		{"order of nothing but extended resources", false, func(a *Answer) {
			a.Reason = "Unschedulable: Insufficient x.io/b, Insufficient x.io/a"
		}, "reason = Unschedulable: Insufficient x.io/a, Insufficient x.io/b, want"},
		{"order of other reasons", false, func(a *Answer) {
			a.Statuses = map[string]string{"n1": "Unschedulable: Insufficient cpu, Too many pods, Insufficient x.io/a, Insufficient x.io/b"}
		}, "statuses[n1] = "},
		{"a status too many", false, func(a *Answer) {
			a.Statuses = map[string]string{"n1": want.Statuses["n1"], "n2": "Unschedulable: Insufficient cpu"}
		}, `statuses[n2] = "Unschedulable: Insufficient cpu", want none`},
		{"no status", false, func(a *Answer) { a.Statuses = nil }, "statuses[n1] is missing"},
		{"order of victims", false, func(a *Answer) { a.Victims = []string{"default/b", "default/a"} }, "choice: victims"},
		{"order of victims in groups", true, func(a *Answer) { a.Victims = []string{"default/b", "default/a"} }, ""},
		{"violations", false, func(a *Answer) { a.PDBViolations = 1 }, "choice: pdbViolations = 1, want 0"},
		{"candidate missing", false, func(a *Answer) { a.Candidates = a.Candidates[:2] }, "candidates = [n1 n2], want [n1 n2 n3]"},
		{"other best", false, func(a *Answer) { a.Best = []string{"n1"} }, "best = [n1], want [n1 n3]"},
		{"best unknown", false, func(a *Answer) { a.Best = nil }, ""},
		{"message missing", false, func(a *Answer) { a.Message = "" }, "message = "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Case{}
			if test.groups {
				c.PodGroups = []PodGroup{{Namespace: "default", Name: "g"}}
			}
			got := want
			test.change(&got)
			diff := c.Diff(got, want)
			if (diff == "") != (test.want == "") || !strings.HasPrefix(diff, test.want) {
				t.Errorf("Diff = %q, want %q", diff, test.want)
			}
		})
	}
}

// TestDiffOfRecorded holds every recorded answer against itself and against
// those of the other releases: it must be right for itself, and a difference
// must show whichever of two answers is the wanted one.
func TestDiffOfRecorded(t *testing.T) {
	cases, err := ReadDir(recorded)
	if err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		c := &cases[i]
		for r1, a := range c.Want {
			for r2, b := range c.Want {
				ab, ba := c.Diff(a, b), c.Diff(b, a)
				if r1 == r2 && ab != "" {
					t.Errorf("%s: the answer of %s differs from itself:\n%s", c.Name, r1, ab)
				}
				if (ab == "") != (ba == "") {
					t.Errorf("%s: %s and %s differ in one direction only:\n%s\n%s", c.Name, r1, r2, ab, ba)
				}
			}
		}
	}
}
