package generate_test

import (
	"bytes"
	"hash/fnv"
	"reflect"
	"slices"
	"testing"

	"example.com/preemption/internal/conformance"
	"example.com/preemption/internal/generate"
	"example.com/preemption/internal/golden"
)

// cases returns n cases of each family.
func cases(n int) []golden.Case {
	var cases []golden.Case
	for _, family := range generate.Families() {
		for seed := range n {
			cases = append(cases, generate.Case(uint64(seed), family))
		}
	}
	return cases
}

func TestDeterministic(t *testing.T) {
	first, second := cases(50), cases(50)
	for i := range first {
		if !reflect.DeepEqual(first[i], second[i]) {
			t.Errorf("%s comes out differently the second time", first[i].Name)
		}
	}
	seen := map[string]string{}
	for _, c := range first {
		name := c.Name
		c.Name, c.Family = "", ""
		text := string(encode(t, c))
		if other, ok := seen[text]; ok {
			t.Errorf("%s and %s are the same case", name, other)
		}
		seen[text] = name
	}
}

// TestStable fails when a seed no longer stands for the case that it stood
// for. That is allowed, but seeds noted elsewhere then lose their meaning.
func TestStable(t *testing.T) {
	h := fnv.New64a()
	for _, c := range cases(20) {
		h.Write(encode(t, c))
	}
	const want = 0xce16c503b665f245
	if got := h.Sum64(); got != want {
		t.Errorf("hash of all cases = %#x, want %#x", got, uint64(want))
	}
}

// TestWellFormed checks what every reader of cases relies on.
func TestWellFormed(t *testing.T) {
	for _, c := range cases(60) {
		back, err := golden.Read(bytes.NewReader(encode(t, c)))
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if !bytes.Equal(encode(t, back[0]), encode(t, c)) {
			t.Errorf("%s changes when written and read", c.Name)
		}

		nodes, names, uids := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, n := range c.Nodes {
			if nodes[n.Name] {
				t.Errorf("%s: two nodes are called %s", c.Name, n.Name)
			}
			nodes[n.Name] = true
		}
		for _, p := range append(slices.Clone(c.Pods), c.Preemptor) {
			if names[p.Key()] || uids[p.UID] {
				t.Errorf("%s: two pods are called %s or %s", c.Name, p.Key(), p.UID)
			}
			names[p.Key()], uids[p.UID] = true, true
			if p.Node != "" && !nodes[p.Node] {
				t.Errorf("%s: pod %s is on a node that does not exist", c.Name, p.Key())
			}
			for resource, amount := range p.Requests {
				if amount < 0 {
					t.Errorf("%s: pod %s requests %d of %s", c.Name, p.Key(), amount, resource)
				}
			}
		}
		if s := c.Sampling; s != nil && (s.Num < 1 || s.Offset < 0) {
			t.Errorf("%s: sampling %+v", c.Name, *s)
		}
	}
}

// TestSpecified checks that the families of a release leave nothing open in
// it. 1.36 has no groups, which the judge treats as single pods.
func TestSpecified(t *testing.T) {
	for _, release := range []string{golden.Release136, golden.Release137, golden.Release138} {
		for _, family := range generate.FamiliesOf(release) {
			for seed := range uint64(30) {
				c := generate.Case(seed, family)
				if release == golden.Release136 && c.HasGroups() {
					continue
				}
				if why := conformance.Unspecified(&c, release); why != "" {
					t.Errorf("%s has no answer in %s: %s", c.Name, release, why)
				}
			}
		}
	}
}

func TestFamiliesOf(t *testing.T) {
	tests := []struct {
		release       string
		with, without []string
	}{
		{golden.Release136, []string{"basic", "groups"}, []string{"ties", "nilstart", "ownpriority", "gang"}},
		{golden.Release137, []string{"basic", "groups", "ownpriority", "gang"}, []string{"ties", "nilstart"}},
		{golden.Release138, []string{"basic", "groups", "ties", "nilstart", "gang"}, []string{"ownpriority"}},
	}
	for _, test := range tests {
		got := generate.FamiliesOf(test.release)
		for _, name := range test.with {
			if !slices.Contains(got, name) {
				t.Errorf("FamiliesOf(%s) lacks %s", test.release, name)
			}
		}
		for _, name := range test.without {
			if slices.Contains(got, name) {
				t.Errorf("FamiliesOf(%s) has %s", test.release, name)
			}
		}
	}
}

func encode(t *testing.T, c golden.Case) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := golden.Write(&b, []golden.Case{c}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
