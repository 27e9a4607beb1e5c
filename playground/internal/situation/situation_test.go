package situation

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/preemption/internal/scenario"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// draw draws a situation as the page makes them.
func draw(t *rapid.T) *Situation {
	s := &Situation{
		Title:   rapid.SampledFrom([]string{"", "a \"title\"", "ünïcode: # 5"}).Draw(t, "title"),
		Release: rapid.SampledFrom([]string{"1.36", "1.37", "1.38"}).Draw(t, "release"),
		Victims: rapid.SampledFrom([]string{"", "best"}).Draw(t, "victims"),
		Budget:  rapid.SampledFrom([]string{"", "exact", "respected"}).Draw(t, "budget policy"),
		Nodes:   []Node{},
		Pods:    []Pod{},
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "nodes") {
		n := Node{Name: fmt.Sprintf("node-%d", i+1), CPU: rapid.Int64Range(0, 8000).Draw(t, "cpu"), Memory: rapid.Int64Range(0, 4096).Draw(t, "memory")}
		n.GPU, n.Cordoned = rapid.Int64Range(0, 4).Draw(t, "gpu"), rapid.Bool().Draw(t, "cordoned")
		n.Pods = rapid.Int64Range(0, 9).Draw(t, "seats")
		if rapid.Bool().Draw(t, "labelled") {
			n.Labels = map[string]string{"zone": "a"}
		}
		s.Nodes = append(s.Nodes, n)
	}
	pod := func(name string) Pod {
		p := Pod{
			Name: name, Priority: rapid.Int32Range(-10, 1000).Draw(t, "priority"),
			CPU: rapid.Int64Range(0, 3000).Draw(t, "cpu"), Memory: rapid.Int64Range(0, 2048).Draw(t, "memory"),
			Start: rapid.Int64Range(0, 500).Draw(t, "start"), Grace: rapid.Int64Range(0, 60).Draw(t, "grace"),
			Never: rapid.Bool().Draw(t, "never"),
		}
		if rapid.Bool().Draw(t, "owned") {
			p.Owner, p.Labels = "ReplicaSet/web", map[string]string{"app": "web"}
		}
		return p
	}
	for i := range rapid.IntRange(0, 12).Draw(t, "pods") {
		p := pod(fmt.Sprintf("pod-%d", i))
		p.Node = rapid.SampledFrom(s.Nodes).Draw(t, "node").Name
		p.Terminating = rapid.IntRange(0, 5).Draw(t, "terminating") == 0
		s.Pods = append(s.Pods, p)
	}
	if rapid.Bool().Draw(t, "with a budget") {
		s.Budgets = []Budget{{Name: "web", Labels: map[string]string{"app": "web"}, Allowed: rapid.Int32Range(0, 3).Draw(t, "allowed"), Max: "1"}}
	}
	s.Pending = []Pod{pod("pending")}
	return s
}

func TestLinkRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		link, err := s.Link()
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(link, "+/=#?&% ") {
			t.Fatalf("link %q does not go into an address as it is", link)
		}
		got, err := ParseLink(link)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What is exported for Kubernetes comes back as it was. It has no title, no policy
// and no GPUs of zero, and a node without a limit of pods gets the usual one.
func TestKubernetesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		text, err := s.kubernetes()
		if err != nil {
			t.Fatal(err)
		}
		got, notes, err := Import(text)
		if err != nil || len(notes) > 0 {
			t.Fatal(err, notes)
		}
		want := *s
		want.Title, want.Victims, want.Budget, want.Release = "", "", "", "1.38"
		want.Nodes = append([]Node(nil), s.Nodes...)
		for i := range want.Nodes {
			if want.Nodes[i].Pods == 0 {
				want.Nodes[i].Pods = defaultPods
			}
		}
		if diff := cmp.Diff(&want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// The scenario that is exported asks what the page asks, and gets the same answer.
func TestScenario(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		text := s.Scenario()
		file, err := scenario.Parse("exported", text)
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		outputs, err := file.Run()
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		answer, err := s.Decide(context.Background())
		last := outputs[len(outputs)-1]
		switch {
		case err != nil:
			if !strings.Contains(strings.Join(outputs, "\n"), "error") {
				t.Fatalf("the page says %v, the scenario %q", err, last)
			}
		case strings.Contains(last, scenario.Disagreement):
			t.Fatalf("%s\n%s", text, last)
		case answer.Outcome == "preempt" && !strings.Contains(last, answer.Node):
			t.Fatalf("the page clears %s, the scenario says %q", answer.Node, last)
		}
	})
}

// Every preset decides, plays, and exports a program that builds and prints the
// explanation that the page shows. Its pods have started: without a start a rule that
// differs between releases would decide.
func TestPresets(t *testing.T) {
	outcomes := []string{"unhelpful", "preempt", "preempt", "ineligible", "unhelpful", "preempt", "preempt", "preempt", "preempt", "preempt"}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range Presets() {
		answer, err := s.Decide(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", s.Title, err)
		}
		if answer.Outcome != outcomes[i] {
			t.Errorf("%s: %s, want %s", s.Title, answer.Outcome, outcomes[i])
		}
		for _, p := range s.Pods {
			if p.Start <= 0 {
				t.Errorf("%s: pod %s has not started", s.Title, p.Name)
			}
		}
		if _, err := s.Play(context.Background()); err != nil {
			t.Errorf("%s: %v", s.Title, err)
		}
		program, err := s.Program()
		if err != nil {
			t.Fatalf("%s: %v", s.Title, err)
		}
		if testing.Short() || i%3 != 0 {
			continue // each build costs a second
		}
		folder := t.TempDir()
		mod := "module program\n\ngo 1.24\n\nrequire example.com/preemption v0.0.0\n\nreplace example.com/preemption => " + root + "\n"
		for name, text := range map[string]string{"main.go": program, "go.mod": mod} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		run := exec.Command("go", "run", ".")
		run.Dir, run.Env = folder, append(os.Environ(), "GOFLAGS=-mod=mod")
		got, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s\n%s", s.Title, err, got, program)
		}
		if string(got) != answer.Explain() {
			t.Errorf("%s: the program prints\n%s\nthe page shows\n%s", s.Title, got, answer.Explain())
		}
	}
}

// The five readings of the article.
func TestArticle(t *testing.T) {
	presets := Presets()
	for i, want := range []struct{ victims, violations int }{{0, 0}, {6, 0}, {5, 2}, {0, 0}, {0, 0}} {
		a, err := presets[i].Decide(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Victims) != want.victims || a.Violations != want.violations {
			t.Errorf("%s: %d victims and %d violations, want %d and %d", presets[i].Title, len(a.Victims), a.Violations, want.victims, want.violations)
		}
	}
}

// A session that is told what has changed answers as one that is told everything.
func TestSession(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		text := func(c change) string {
			text, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		var told Session
		var before []Pod
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			if other := draw(t); rapid.Bool().Draw(t, "some pods") && len(s.Pods) > 0 {
				at := rapid.IntRange(0, len(s.Pods)-1).Draw(t, "at")
				s.Pods = slices.Delete(slices.Clone(s.Pods), at, at+1)
				for i := range other.Pods {
					other.Pods[i].Name, other.Pods[i].Node = "other-"+other.Pods[i].Name, s.Nodes[0].Name
				}
				if !slices.ContainsFunc(s.Pods, func(p Pod) bool { return strings.HasPrefix(p.Name, "other") }) {
					s.Pods = slices.Insert(s.Pods, at, other.Pods...)
				}
			} else {
				s = other
			}
			c := change{Situation: *s}
			same := func(a, b Pod) bool { return cmp.Equal(a, b) }
			for c.First < min(len(before), len(s.Pods)) && same(before[c.First], s.Pods[c.First]) {
				c.First++
			}
			for c.Last < min(len(before), len(s.Pods))-c.First && same(before[len(before)-1-c.Last], s.Pods[len(s.Pods)-1-c.Last]) {
				c.Last++
			}
			c.Pods = s.Pods[c.First : len(s.Pods)-c.Last]
			before = s.Pods
			var whole Session
			got, want := told.Call("decide", text(c)), whole.Call("decide", text(change{Situation: *s}))
			if got != want {
				t.Fatalf("told of a change:\n%s\ntold of everything:\n%s", got, want)
			}
			if got, want := told.Call("explain", ""), whole.Call("explain", ""); got != want {
				t.Fatalf("explained after a change:\n%s\nafter everything:\n%s", got, want)
			}
		}
	})
}

func TestSessionRefuses(t *testing.T) {
	s := Presets()[0]
	for name, c := range map[string]change{
		"more than there are": {Situation: s, First: 1}, "less than none": {Situation: s, Last: -1}, "the largest": {Situation: s, First: math.MaxInt, Last: math.MaxInt},
	} {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if got := new(Session).Call("decide", string(text)); !strings.Contains(got, "error") {
			t.Errorf("%s: %s", name, got)
		}
	}
	// What is asked about the last decision has no answer before the first one, nor after one that failed.
	var failed Session
	text, err := json.Marshal(change{Situation: s})
	if err != nil {
		t.Fatal(err)
	}
	if got := failed.Call("decide", string(text)); strings.Contains(got, "error") {
		t.Fatal(got)
	}
	failed.Call("decide", "{}}")
	for _, operation := range []string{"step", "explain"} {
		for name, session := range map[string]*Session{"before a decision": {}, "after one that failed": &failed} {
			if got := session.Call(operation, "0"); !strings.Contains(got, "nothing is decided yet") {
				t.Errorf("%s %s: %s", operation, name, got)
			}
		}
	}
}

// The steps tell what the decision says: their arithmetic has the verdict that they
// give, and what is away at the end is what has to go.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		d, err := s.Decide(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for _, stretch := range d.Stretches {
			for range stretch.Steps {
				step, err := d.Step(i)
				if err != nil {
					t.Fatal(err)
				}
				if step.Kind != "choose" && step.Node != stretch.Node {
					t.Fatalf("step %d is about %q, in the stretch of %q", i, step.Node, stretch.Node)
				}
				short := slices.ContainsFunc(step.Sums, func(s Sum) bool { return s.Short })
				if (step.Verdict == "fits" || step.Verdict == "stays") && short {
					t.Fatalf("step %d: %q, and the sums are short: %+v", i, step.Text, step.Sums)
				}
				// Nothing but resources refuses a pod that is put back.
				if step.Verdict == "goes" && !short {
					t.Fatalf("step %d: %q, and the sums fit: %+v", i, step.Text, step.Sums)
				}
				if step.Kind == "clear" {
					gone, pods := slices.Sorted(slices.Values(step.Gone)), slices.Sorted(slices.Values(step.Pods))
					if !slices.Equal(gone, pods) {
						t.Fatalf("step %d: away are %v, to go have %v", i, gone, pods)
					}
					at := slices.IndexFunc(d.Candidates, func(c Candidate) bool { return c.Node == step.Node })
					if at < 0 || !slices.Equal(d.Candidates[at].Victims, step.Pods) {
						t.Fatalf("step %d: %q, and the candidates are %+v", i, step.Text, d.Candidates)
					}
				}
				i++
			}
		}
		if i != d.Steps() {
			t.Fatalf("the stretches have %d steps, there are %d", i, d.Steps())
		}
		if _, err := d.Step(i); err == nil {
			t.Fatal("there is a step after the last")
		}
	})
}

// Of several pending pods that of the highest priority is decided, of equal ones the first.
func TestSeveralPending(t *testing.T) {
	s := Presets()[1]
	s.Pending = append([]Pod{{Name: "low", Priority: 50, CPU: 100}}, s.Pending...)
	s.Pending = append(s.Pending, Pod{Name: "equal", Priority: s.Pending[1].Priority, CPU: 100})
	d, err := s.Decide(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(d.Headline, "web-11 ") || d.Waiting != 2 {
		t.Errorf("%q, with %d others", d.Headline, d.Waiting)
	}
}

// Under every release and policy the comparison has what the decision would be.
func TestCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		variants, err := s.Compare(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range variants {
			other := *s
			other.Release, other.Victims, other.Budget = v.Release, v.Victims, v.Budgets
			d, err := other.Decide(context.Background())
			if err != nil {
				if v.Error != err.Error() {
					t.Fatalf("%+v: the error is %v", v, err)
				}
				continue
			}
			if d.Outcome != v.Outcome || d.Violations != v.Violations || !slices.Equal(d.Victims, v.Evicted) || d.Outcome == "preempt" && d.Node != v.Node {
				t.Fatalf("%+v: the decision is %+v", v, d.Answer)
			}
			if v.Own != (i == 0) {
				t.Fatalf("variant %d: %+v", i, v)
			}
		}
	})
}

// Whatever the page is given, it gets an answer in JSON.
func FuzzCall(f *testing.F) {
	for _, s := range Presets() {
		text, err := json.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		link, err := s.Link()
		if err != nil {
			f.Fatal(err)
		}
		f.Add("decide", string(text))
		f.Add("play", string(text))
		f.Add("open", link)
	}
	f.Add("import", `{"kind":"List","items":[{"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"4","memory":"8Gi"}}}]}`)
	f.Fuzz(func(t *testing.T, operation, input string) {
		var reply struct {
			OK    any    `json:"ok"`
			Error string `json:"error"`
		}
		if text := new(Session).Call(operation, input); json.Unmarshal([]byte(text), &reply) != nil {
			t.Fatalf("Call(%q, %q) = %q, which is no JSON", operation, input, text)
		}
	})
}
