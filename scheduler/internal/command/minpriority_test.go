package command

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.com/preemption/internal/golden"
	"example.com/preemption/scheduler/explanation"
)

// The lowest priority is one: the pod gets a node with it, and none with one
// less.
func TestMinPriorityIsMinimal(t *testing.T) {
	cases, err := golden.ReadDir("../../../testdata/golden")
	if err != nil {
		t.Fatal(err)
	}
	found, none := 0, 0
	for i := 0; i < len(cases); i += 17 {
		c := &cases[i]
		if c.Family == "gang" || c.Name == "report-B01" || c.Name == "report-B02" {
			continue
		}
		dump := writeList(t, append(render(c), renderPod(&c.Preemptor)))
		explain := func(args ...string) (int, *explanation.Explanation) {
			t.Helper()
			args = append([]string{"explain", "-f", "-", "-o", "json", "-n", c.Preemptor.Namespace, c.Preemptor.Name}, args...)
			code, stdout, stderr := run(dump, args...)
			if code == ExitError {
				t.Fatalf("%s: %s", c.Name, stderr)
			}
			var e explanation.Explanation
			if err := json.Unmarshal([]byte(stdout), &e); err != nil {
				t.Fatal(err)
			}
			return code, &e
		}
		_, e := explain("--min-priority")
		m := e.MinPriority
		if !m.Found {
			none++
			if code, _ := explain("--what-if", fmt.Sprintf("priority=%d", math.MaxInt32)); code != ExitNo {
				t.Errorf("%s: there is a priority that gets it a node", c.Name)
			}
			continue
		}
		found++
		code, with := explain("--what-if", fmt.Sprintf("priority=%d", m.Priority))
		if code != ExitYes || with.Outcome != m.Decision.Outcome || with.Node != m.Decision.Node || len(with.Victims) != len(m.Decision.Victims) {
			t.Errorf("%s: with priority %d: %s %s, want %s %s", c.Name, m.Priority, with.Outcome, with.Node, m.Decision.Outcome, m.Decision.Node)
		}
		if m.Priority > math.MinInt32 {
			if code, e := explain("--what-if", fmt.Sprintf("priority=%d", m.Priority-1)); code != ExitNo {
				t.Errorf("%s: %s with priority %d, less than %d", c.Name, e.Outcome, m.Priority-1, m.Priority)
			}
		}
	}
	t.Logf("%d lowest priorities, %d cases without", found, none)
	if found == 0 || none == 0 {
		t.Error("the cases show nothing")
	}
}

// A nominated pod keeps its room from pods of lower or equal priority, so that
// not any priority will do, even though nobody has to go.
func TestMinPriorityAboveNominated(t *testing.T) {
	input := oneNode + `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"first"},"status":{"nominatedNodeName":"n1"},` +
		`"spec":{"priority":50,"containers":[{"name":"a","resources":{"requests":{"cpu":"3"}}}]}}` +
		podJSON("p", `{"priority":10,"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}]}`) +
		podJSON("small", `{"priority":10,"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]}`)
	for pod, want := range map[string]string{
		"p":     "Lowest priority that gets it a node:\n  51: it fits on node n1\n",
		"small": "Lowest priority that gets it a node:\n  any: it fits on node n1\n",
	} {
		if _, stdout, stderr := run([]byte(input), "explain", "-f", "-", pod, "--min-priority"); !strings.Contains(stdout, want) {
			t.Errorf("%s: %s%s", pod, stdout, stderr)
		}
	}
}
