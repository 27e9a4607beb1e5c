package command

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the page says to try can be run as it is written, and what is to get the pod
// a node does.
func TestSuggestions(t *testing.T) {
	node := func(name, cpu, more string) string {
		return `{"apiVersion":"v1","kind":"Node","metadata":{"name":"` + name + `"},"spec":{` + more + `},"status":{"allocatable":{"cpu":"` + cpu + `","memory":"8Gi","pods":"110"}}}`
	}
	pod := func(name, cpu, node, more string) string {
		return podJSON(name, `{"nodeName":"`+node+`",`+more+`"containers":[{"name":"a","resources":{"requests":{"cpu":"`+cpu+`"}}}]}`)
	}
	tainted := `"taints":[{"key":"control-plane","effect":"NoSchedule"}]`
	for _, tc := range []struct {
		name, input string
		tried       []string // the changes that are offered
	}{
		{"the first node is tainted and the second too small", node("cp", "16", tainted) + node("small", "1", "") + node("worker", "4", "") +
			pod("high", "3", "worker", `"priority":500,`) + pod("p", "2", "", `"priority":5,`), []string{"node worker=add", "--min-priority"}},
		{"less would do", node("worker", "4", "") + pod("high", "2", "worker", `"priority":500,`) + pod("low", "1", "worker", `"priority":1,`) + pod("p", "3", "", `"priority":5,`),
			[]string{"cpu=2", "node worker=add", "--min-priority"}},
		{"nothing is large enough", node("cp", "16", tainted) + node("small", "1", "") + pod("p", "20", "", `"priority":5,`), nil},
		{"the only node is cordoned", node("worker", "4", `"unschedulable":true`) + pod("p", "2", "", ""), []string{"node worker=add"}},
		{"it may not preempt", node("worker", "4", "") + pod("low", "3", "worker", `"priority":1,`) + pod("p", "2", "", `"priority":5,"preemptionPolicy":"Never",`),
			[]string{"node worker=add", "preemptionPolicy=PreemptLowerPriority"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "dump.json")
			if err := os.WriteFile(file, []byte(tc.input), 0o600); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := run(nil, "explain", "-f", file, "p", "-o", "html")
			if code != ExitNo {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			_, try, found := strings.Cut(stdout, "<h2>What to try</h2>")
			if !found {
				t.Fatal("nothing to try")
			}
			try, _, _ = strings.Cut(try, "</ul>")
			for _, want := range tc.tried {
				if !strings.Contains(html.UnescapeString(try), want) {
					t.Errorf("%q is not offered:\n%s", want, try)
				}
			}
			commands := regexp.MustCompile(`<code>kubectl preemption (.*?)</code>`).FindAllStringSubmatch(try, -1)
			if len(commands) > len(tc.tried) {
				t.Errorf("more is offered than %q:\n%s", tc.tried, try)
			}
			for _, c := range commands {
				line := html.UnescapeString(c[1])
				var args []string
				for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
					args = append(args, m[1]+m[2])
				}
				code, stdout, stderr := run(nil, append(args, "-f", file)...)
				if strings.Contains(line, "--min-priority") {
					if code != ExitNo || !strings.Contains(stdout, "501") {
						t.Errorf("%s: exit code %d, %s%s", line, code, stdout, stderr)
					}
				} else if code != ExitYes {
					t.Errorf("%s: exit code %d, %s%s", line, code, stdout, stderr)
				}
			}
		})
	}
}

// An object of another namespace is told of, of whatever kind.
func TestElsewhere(t *testing.T) {
	for _, args := range [][]string{{"podgroup/training", "-n", "team"}, {"t-1", "-n", "team"}} {
		code, _, stderr := run(nil, append([]string{"explain", "-f", "testdata/gangs.yaml"}, args...)...)
		if code != ExitError || !strings.Contains(stderr, "the one of that name is in namespace ml (-n ml)") {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
	}
}
