package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/preemption/internal/golden"
)

const release = golden.Release137

// echo is a judge whose answer names the case.
func echo(c golden.Case) (golden.Answer, error) {
	return golden.Answer{Outcome: golden.Ineligible, Reason: c.Name, Message: "text"}, nil
}

// fickle returns a judge that answers in turn with each of the reasons.
func fickle(reasons ...string) Judge {
	n := 0
	return func(golden.Case) (golden.Answer, error) {
		n++
		return golden.Answer{Outcome: golden.Ineligible, Reason: reasons[(n-1)%len(reasons)]}, nil
	}
}

func TestSteady(t *testing.T) {
	groups := golden.Case{PodGroups: []golden.PodGroup{{Name: "g"}}}
	tests := []struct {
		name   string
		c      golden.Case
		judge  Judge
		steady bool
	}{
		{"no groups", golden.Case{}, fickle("a", "b"), true},
		{"groups", groups, fickle("a"), true},
		{"groups, two answers", groups, fickle("a", "b"), false},
		{"groups, a rare answer", groups, fickle(append(strings.Split(strings.Repeat("a", Runs-1), ""), "b")...), false},
		{"groups, a rarer answer", groups, fickle(append(strings.Split(strings.Repeat("a", Runs), ""), "b")...), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, steady, err := Steady(test.judge, test.c, Runs); steady != test.steady || err != nil {
				t.Errorf("Steady = %t, %v, want %t", steady, err, test.steady)
			}
		})
	}
}

func TestUnspecified(t *testing.T) {
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	pods := func(p ...golden.Pod) golden.Case { return golden.Case{Pods: p} }
	one := golden.Pod{Name: "one", Node: "n1", Start: start}
	same := golden.Pod{Name: "same", Node: "n1", Start: start}
	elsewhere := golden.Pod{Name: "elsewhere", Node: "n2", Start: start}
	later := golden.Pod{Name: "later", Node: "n1", Start: start.Add(time.Second), Group: "g"}
	tests := []struct {
		name string
		c    golden.Case
		want [3]string // by release
	}{
		{"distinct", pods(one, elsewhere), [3]string{}},
		{"equal", pods(one, same), [3]string{"start times are equal", "start times are equal", ""}},
		{"missing", pods(golden.Pod{Node: "n1"}), [3]string{"a start time is missing", "a start time is missing", ""}},
		{"missing but pending", pods(golden.Pod{NominatedNode: "n1"}), [3]string{}},
		{"groups", pods(one, later), [3]string{"groups do not exist by default", "", ""}},
		{"groups, equal on other nodes", pods(one, elsewhere, later), [3]string{"groups do not exist by default", "start times are equal", ""}},
		{"gang", golden.Case{Gang: []golden.GangMember{{}}}, [3]string{"preempting groups are not recorded", "", ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for i, release := range []string{golden.Release136, golden.Release137, golden.Release138} {
				if got := Unspecified(&test.c, release); got != test.want[i] {
					t.Errorf("Unspecified(%s) = %q, want %q", release, got, test.want[i])
				}
			}
		})
	}
}

// TestUnspecifiedRecorded checks that no recorded case has an answer that is
// said to be open.
func TestUnspecifiedRecorded(t *testing.T) {
	cases, err := golden.ReadDir("../../testdata/golden")
	if err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		for release := range cases[i].Want {
			if why := Unspecified(&cases[i], release); why != "" {
				t.Errorf("%s has an answer of %s, but %s", cases[i].Name, release, why)
			}
		}
	}
}

func TestTangled(t *testing.T) {
	// chain returns a group below n composite groups; the last of them has the
	// given parent.
	chain := func(n int, parent string) golden.Case {
		c := golden.Case{PodGroups: []golden.PodGroup{{Namespace: "default", Name: "g", Parent: "c1"}}}
		for i := 1; i <= n; i++ {
			c.CompositePodGroups = append(c.CompositePodGroups, golden.CompositePodGroup{
				Namespace: "default", Name: fmt.Sprintf("c%d", i), Parent: fmt.Sprintf("c%d", i+1),
			})
		}
		if n > 0 {
			c.CompositePodGroups[n-1].Parent = parent
		}
		return c
	}
	elsewhere := chain(4, "")
	elsewhere.PodGroups[0].Namespace = "other"
	tests := []struct {
		name string
		c    golden.Case
		want bool
	}{
		{"no groups", golden.Case{}, false},
		{"unknown parent", chain(0, ""), false},
		{"four levels", chain(3, ""), false},
		{"four levels, unknown parent", chain(3, "gone"), false},
		{"five levels", chain(4, ""), true},
		{"five levels in another namespace", elsewhere, false},
		{"own parent", chain(1, "c1"), true},
		{"cycle", chain(3, "c2"), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Tangled(&test.c); got != test.want {
				t.Errorf("Tangled = %t, want %t", got, test.want)
			}
		})
	}
}

func TestRegeneration(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	other := golden.Answer{Outcome: golden.Fits}
	before := []golden.Case{
		{Name: "same", Want: map[string]golden.Answer{release: {Outcome: golden.Ineligible, Reason: "same"}}},
		{Name: "stale", Want: map[string]golden.Answer{release: {Outcome: golden.Unhelpful}, golden.Release138: other}},
		{Name: "new"},
		{Name: "open", Pods: []golden.Pod{{Node: "n1"}}, Want: map[string]golden.Answer{golden.Release138: other}},
	}
	write(t, filepath.Join(in, "a.jsonl"), before[:3])
	write(t, filepath.Join(in, "b.jsonl.gz"), before[3:])

	tests := []struct {
		name string
		r    Regeneration
		want string
		new  map[string]golden.Answer
	}{
		{"plain", Regeneration{}, "2 files, 4 cases: 1 answers as before, 1 changed [stale], 0 added, 0 varying [], 0 failing [], 2 cases left open", nil},
		{"add", Regeneration{Add: true}, "2 files, 4 cases: 1 answers as before, 1 changed [stale], 1 added, 0 varying [], 0 failing [], 1 cases left open",
			map[string]golden.Answer{release: {Outcome: golden.Ineligible, Reason: "new"}}},
		{"messages", Regeneration{Add: true, Messages: true}, "2 files, 4 cases: 1 answers as before, 1 changed [stale], 1 added, 0 varying [], 0 failing [], 1 cases left open",
			map[string]golden.Answer{release: {Outcome: golden.Ineligible, Reason: "new", Message: "text"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.r.In, test.r.Out, test.r.Release, test.r.Judge = in, filepath.Join(dir, test.name), release, echo
			sum, err := test.r.Run()
			if err != nil {
				t.Fatal(err)
			}
			if got := sum.String(); got != test.want {
				t.Errorf("Run = %s, want %s", got, test.want)
			}
			after, err := golden.ReadDir(test.r.Out)
			if err != nil {
				t.Fatal(err)
			}
			if got := after[1].Want; got[release].Reason != "stale" || !reflect.DeepEqual(got[golden.Release138], other) {
				t.Errorf("stale has answers %+v", got)
			}
			if got := after[2].Want; !reflect.DeepEqual(got, test.new) {
				t.Errorf("new has answers %+v, want %+v", got, test.new)
			}
			if got := after[3].Want; !reflect.DeepEqual(got, before[3].Want) {
				t.Errorf("open has answers %+v, want %+v", got, before[3].Want)
			}
		})
	}
}

// TestRegenerationWithoutAnswer checks that answers go where there is none.
func TestRegenerationWithoutAnswer(t *testing.T) {
	tests := []struct {
		name  string
		judge Judge
		names func(Summary) []string
	}{
		{"varying", fickle("a", "b"), func(s Summary) []string { return s.Varying }},
		{"failing", func(golden.Case) (golden.Answer, error) { return golden.Answer{}, fmt.Errorf("%w: so", ErrFails) },
			func(s Summary) []string { return s.Failing }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "a.jsonl"), []golden.Case{{
				Name:      test.name,
				PodGroups: []golden.PodGroup{{Name: "g"}},
				Want:      map[string]golden.Answer{release: {Outcome: golden.Fits}},
			}})
			sum, err := Regeneration{In: dir, Out: dir, Release: release, Judge: test.judge}.Run()
			if err != nil {
				t.Fatal(err)
			}
			if got := test.names(sum); len(got) != 1 || got[0] != test.name {
				t.Errorf("Run = %v, want one case that is %s", sum, test.name)
			}
			after, err := golden.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(after[0].Want) != 0 {
				t.Errorf("the case keeps %+v", after[0].Want)
			}
		})
	}
}

func TestRegenerationFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	write(t, path, []golden.Case{{Name: "bad", Want: map[string]golden.Answer{release: {}}}})
	broken := errors.New("broken")
	judge := func(golden.Case) (golden.Answer, error) { return golden.Answer{}, broken }
	_, err := Regeneration{In: dir, Out: dir, Release: release, Judge: judge}.Run()
	if want := fmt.Sprintf("%s: case bad: broken", path); !errors.Is(err, broken) || err.Error() != want {
		t.Errorf("Run = %v, want %s", err, want)
	}
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.jsonl"), []golden.Case{{Name: "new"}})
	tests := []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"-in", dir, "-out", dir, "-add"}, 0, "1 files, 1 cases: 0 answers as before, 0 changed [], 1 added", ""},
		{[]string{"-in", dir}, 2, "", "usage: "},
		{[]string{"-in", dir, "-out", dir, "more"}, 2, "", "usage: "},
		{[]string{"-frob"}, 2, "", "flag provided but not defined"},
		{[]string{"-in", filepath.Join(dir, "missing"), "-out", dir}, 1, "", "open "},
	}
	for _, test := range tests {
		var stdout, stderr bytes.Buffer
		code := Main(release, echo, test.args, &stdout, &stderr)
		if code != test.code || !strings.HasPrefix(stdout.String(), test.stdout) || !strings.HasPrefix(stderr.String(), test.stderr) {
			t.Errorf("Main(%v) = %d, %q, %q, want %d, %q, %q", test.args, code, stdout.String(), stderr.String(), test.code, test.stdout, test.stderr)
		}
	}
}

// write writes a golden file in a folder that need not exist.
func write(t *testing.T, path string, cases []golden.Case) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := golden.WriteFile(path, cases); err != nil {
		t.Fatal(err)
	}
}
