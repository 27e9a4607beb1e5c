package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/preemption/scheduler/explanation"
)

// fullNode has three pods of a Deployment's on a node of 4 cpu: one that is older
// and takes 2, and two that take 1 each.
func fullNode() string {
	pod := func(name, cpu, start string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":%q,"uid":%q,"labels":{"app":"web"},`+
			`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"rs","controller":true}]},`+
			`"spec":{"nodeName":"n1","priority":10,"terminationGracePeriodSeconds":30,"containers":[{"name":"a","resources":{"requests":{"cpu":%q}}}]},`+
			`"status":{"startTime":%q}}`, name, name, cpu, start)
	}
	return oneNode + pod("old", "2", "2026-01-01T00:00:00Z") + pod("new-a", "1", "2026-02-01T00:00:00Z") + pod("new-b", "1", "2026-02-02T00:00:00Z")
}

const webBudget = `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"namespace":"default","name":"web"},` +
	`"spec":{"minAvailable":3,"selector":{"matchLabels":{"app":"web"}}},"status":{"disruptionsAllowed":0}}`

const urgentSpec = `{"priority":100,"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}]}`

func manifest(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pod.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// What each flag changes in what is played out.
func TestSimulateFlags(t *testing.T) {
	urgent := manifest(t, podJSON("urgent", urgentSpec))
	clash := manifest(t, podJSON("old", urgentSpec))
	gated := manifest(t, podJSON("gated", `{"priority":100,"schedulingGates":[{"name":"example.com/quota"}],"containers":[{"name":"a"}]}`))
	deployment := manifest(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"default","name":"api"},`+
		`"spec":{"replicas":2,"template":{"spec":{"priority":100,"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]}}}}`)
	pending := podJSON("urgent", urgentSpec)
	for _, tc := range []struct {
		name, input string
		args        []string
		code        int
		evicted     string
		says        string // in the warnings
	}{
		{"nothing pending", fullNode(), nil, ExitYes, "", "most is left"},
		{"all that is pending", fullNode() + pending, nil, ExitYes, "default/new-a default/new-b", ""},
		{"pod file", fullNode(), []string{"--pod-file", urgent}, ExitYes, "default/new-a default/new-b", ""},
		{"pod file in the place of a pending pod", fullNode() + pending, []string{"--pod-file", urgent}, ExitYes, "default/new-a default/new-b", ""},
		{"replicas of the manifest", fullNode(), []string{"--pod-file", deployment}, ExitYes, "default/new-a default/new-b", ""},
		{"one replica", fullNode(), []string{"--pod-file", deployment, "--replicas", "1"}, ExitYes, "default/new-b", ""},
		{"replicas under free names", fullNode() + podJSON("api-1", `{"containers":[{"name":"a"}]}`), []string{"--pod-file", deployment}, ExitYes, "default/new-a default/new-b", ""},
		{"more than there is room for", fullNode(), []string{"--pod-file", deployment, "--replicas", "5"}, ExitNo, "default/new-a default/new-b default/old", ""},
		{"victims", fullNode(), []string{"--pod-file", urgent, "--victims", "best"}, ExitYes, "default/old", "it was asked for victims best"},
		{"budgets violated", fullNode() + webBudget, []string{"--pod-file", urgent}, ExitYes, "default/new-a default/new-b", ""},
		{"budgets respected", fullNode() + webBudget, []string{"--pod-file", urgent, "--budgets", "respected"}, ExitNo, "", "budgets respected"},
		{"a pod that is not tried", fullNode(), []string{"--pod-file", gated}, ExitNotTried, "", ""},
		{"a name that is taken", fullNode(), []string{"--pod-file", clash}, ExitError, "", "there is a pod default/old already, on node n1: give the new one another name"},
		{"replicas of nothing", fullNode(), []string{"--replicas", "2"}, ExitError, "", "--replicas goes with --pod-file"},
		{"unknown victims", fullNode(), []string{"--victims", "none"}, ExitError, "", `--victims: "none": want reprieve or best`},
		{"unknown budgets", fullNode(), []string{"--budgets", "none"}, ExitError, "", `--budgets: "none": want as-upstream, exact or respected`},
		{"standard input twice", fullNode(), []string{"--pod-file", "-"}, ExitError, "", "-f and --pod-file cannot both be standard input"},
		{"an argument", fullNode(), []string{"urgent"}, ExitError, "", `unknown command "urgent"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := run([]byte(tc.input), append([]string{"simulate", "-f", "-", "-o", "json"}, tc.args...)...)
			if code != tc.code {
				t.Fatalf("exit code %d, want %d: %s%s", code, tc.code, stderr, stdout)
			}
			if code == ExitError {
				if !strings.Contains(stderr, tc.says) || stdout != "" {
					t.Errorf("%q, want %q", stderr, tc.says)
				}
				return
			}
			var x explanation.Simulation
			if err := json.Unmarshal([]byte(stdout), &x); err != nil {
				t.Fatal(err)
			}
			var evicted []string
			for _, p := range x.Pods {
				if len(p.Evictions) > 0 {
					evicted = append(evicted, p.Namespace+"/"+p.Name)
				}
			}
			if got := strings.Join(evicted, " "); got != tc.evicted {
				t.Errorf("evicted: %q, want %q", got, tc.evicted)
			}
			if said := strings.Join(x.Warnings, "\n"); !strings.Contains(said, tc.says) {
				t.Errorf("warnings: %q", said)
			}
			if code == ExitNotTried && (len(x.LeftOut) != 1 || x.LeftOut[0].Name != "gated") {
				t.Errorf("left out: %v", x.LeftOut)
			}
			if violated := len(x.Violations) > 0; violated != (tc.name == "budgets violated") {
				t.Errorf("violations: %v", x.Violations)
			}
		})
	}
}

// The formats besides those of TestOutput. It settles when report's grace period of ten minutes is over.
func TestSimulateFormats(t *testing.T) {
	args := func(more ...string) []string { return append([]string{"simulate", "--example"}, more...) }
	for _, tc := range []struct {
		format, want string
	}{
		{"name", "pod/logs-node-c\npod/search-2\npod/report\n"},
		{"jsonpath={.kind} {.apiVersion} {.end} {.at}", "Simulation preemption.example.com/v1 settled 600"},
	} {
		code, stdout, stderr := run(nil, args("-o", tc.format)...)
		if code != ExitYes || stdout != tc.want {
			t.Errorf("-o %s: exit code %d, %q, want %q: %s", tc.format, code, stdout, tc.want, stderr)
		}
	}
	thrash := []string{"simulate", "-f", "testdata/thrash.yaml", "-o"}
	if code, stdout, _ := run(nil, append(thrash, "jsonpath={.end} {.cycle.periodSeconds} {.cycle.pods[*].name}")...); code != ExitNo || stdout != "repeats 10 b" {
		t.Errorf("what repeats: exit code %d, %q", code, stdout)
	}
	// By 1.38 the first one stays.
	if code, stdout, _ := run(nil, append(thrash, "jsonpath={.end}", "--kubernetes-version", "1.38")...); code != ExitYes || stdout != "settled" {
		t.Errorf("by 1.38: exit code %d, %q", code, stdout)
	}
	if code, _, stderr := run(nil, args("-o", "html")...); code != ExitError || !strings.Contains(stderr, "--output") {
		t.Errorf("-o html: exit code %d: %s", code, stderr)
	}
}

// What the simulation does not look at is said, by simulate and by the line of
// explain, which says nothing where the simulation does not bear the decision out.
func TestSimulationSaysWhatItOverlooks(t *testing.T) {
	apart := `{"priority":100,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":` +
		`[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"web"}}}]}},` +
		`"containers":[{"name":"a","resources":{"requests":{"cpu":%q}}}]}`
	node := strings.Replace(oneNode, `"name":"n1"`, `"name":"n1","labels":{"kubernetes.io/hostname":"n1"}`, 1)
	web := `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"web","uid":"web","labels":{"app":"web"}},` +
		`"spec":{"nodeName":"n1","priority":10,"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}]}}`
	for _, tc := range []struct{ name, cpu, line string }{
		{"only for the affinity", "1", "where the victims would go is not known: a simulation, which does not look at affinity between pods, topology spread and volumes, comes to another decision"},
		{"for room", "3", "where the victims would go: gone for good: default/web; not looked at: spec.affinity.podAntiAffinity of default/p"},
	} {
		input := []byte(node + web + podJSON("p", fmt.Sprintf(apart, tc.cpu)))
		_, stdout, stderr := run(input, "explain", "-f", "-", "p")
		if !strings.Contains(stdout, "  - "+tc.line+"\n") {
			t.Errorf("%s: %s%s", tc.name, stdout, stderr)
		}
		_, stdout, stderr = run(input, "simulate", "-f", "-")
		if !strings.Contains(stdout, "  - the simulation does not look at spec.affinity.podAntiAffinity of default/p\n") {
			t.Errorf("%s: %s%s", tc.name, stdout, stderr)
		}
	}
}
