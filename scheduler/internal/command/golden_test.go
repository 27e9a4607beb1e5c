package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption/internal/golden"
	"example.com/preemption/scheduler/explanation"
)

// releases are those with recorded answers, as the command calls them.
var releases = map[string]string{golden.Release136: "1.36", golden.Release137: "1.37", golden.Release138: "1.38"}

// The recorded answers of kube-scheduler to situations that a dump can say. It can
// neither fix where a sampled search starts nor a gang's placement, nor change the
// order of the criteria.
func TestGolden(t *testing.T) {
	dir := os.Getenv("GOLDEN_DIR")
	if dir == "" {
		dir = "../../../testdata/golden"
	}
	cases, err := golden.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for recorded, release := range releases {
		t.Run(release, func(t *testing.T) {
			answers, mismatches := 0, 0
			for i := range cases {
				c := &cases[i]
				want, ok := c.Want[recorded]
				if !ok || c.Family == "sampling" || c.Family == "gang" || !defaultCriteria(c) {
					continue
				}
				answers++
				got, err := explainCase(t, c, i, release)
				if err != nil {
					t.Errorf("%s: %v", c.Name, err)
					mismatches++
					continue
				}
				if diff := c.Diff(got, want); diff != "" {
					t.Errorf("%s:\n%s", c.Name, diff)
					mismatches++
				}
			}
			t.Logf("golden: %d answers, %d mismatches", answers, mismatches)
			if answers == 0 {
				t.Error("no case was looked at")
			}
		})
	}
}

// explainCase asks the command about a case. Shapes of the dump, and whether the
// preemptor is in it or does not exist yet, take turns.
func explainCase(t *testing.T, c *golden.Case, i int, release string) (golden.Answer, error) {
	t.Helper()
	objects, preemptor := render(c), renderPod(&c.Preemptor)
	args := []string{"explain", "-f", "-", "-o", "json", "--kubernetes-version", release}
	if c.Policy != nil {
		args = append(args, "--victims", c.Policy.Victims, "--budgets", c.Policy.Budgets)
	}
	if i/len(shapes)%2 == 0 {
		objects = append(objects, preemptor)
		args = append(args, "-n", preemptor.Namespace, preemptor.Name)
	} else {
		file := filepath.Join(t.TempDir(), "pod.json")
		if err := os.WriteFile(file, marshal(t, plain(t, preemptor)), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--pod-file", file)
	}
	code, stdout, stderr := run(shapes[i%len(shapes)].write(t, objects), args...)
	if code == ExitError {
		return golden.Answer{}, errorText(stderr)
	}
	var e explanation.Explanation
	if err := json.Unmarshal([]byte(stdout), &e); err != nil {
		return golden.Answer{}, err
	}
	if yes := e.Outcome == golden.Fits || e.Outcome == golden.Preempt; (code == ExitYes) != yes {
		t.Errorf("%s: exit code %d for outcome %s", c.Name, code, e.Outcome)
	}
	return answerOf(&e), nil
}

// defaultCriteria reports whether nodes are chosen by the scheduler's criteria in
// their order: the command has no other.
func defaultCriteria(c *golden.Case) bool {
	return c.Policy == nil || slices.Equal(c.Policy.Criteria, []string{"violations", "priority", "sum", "pods", "start"})
}

type errorText string

func (e errorText) Error() string { return string(e) }

// run runs the command on an input.
func run(stdin []byte, args ...string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	code = Run(context.Background(), args, genericiooptions.IOStreams{In: bytes.NewReader(stdin), Out: &out, ErrOut: &errOut})
	return code, out.String(), errOut.String()
}

// answerOf returns an explanation in the form of recorded answers.
func answerOf(e *explanation.Explanation) golden.Answer {
	a := golden.Answer{
		Outcome: e.Outcome, Reason: e.Reason, FitNodes: e.FitNodes, PDBViolations: int64(e.PDBViolations),
		Statuses: e.Statuses, PotentialNodes: e.PotentialNodes, Message: e.Message,
	}
	if e.Outcome == golden.Preempt {
		a.Node = e.Node
	}
	for _, v := range e.Victims {
		a.Victims = append(a.Victims, v.Namespace+"/"+v.Name)
	}
	for _, c := range e.Candidates {
		candidate := golden.Candidate{Node: c.Node, PDBViolations: int64(c.PDBViolations)}
		for _, v := range c.Victims {
			candidate.Victims = append(candidate.Victims, v.Namespace+"/"+v.Name)
		}
		a.Candidates = append(a.Candidates, candidate)
	}
	return a
}
