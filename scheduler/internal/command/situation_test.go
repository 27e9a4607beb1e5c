package command

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/preemption/scheduler/explanation"
)

// explained runs explain on an input and returns the answer.
func explained(t *testing.T, input string, args ...string) (int, *explanation.Explanation) {
	t.Helper()
	code, stdout, stderr := run([]byte(input), append([]string{"explain", "-f", "-", "-o", "json"}, args...)...)
	if code == ExitError {
		t.Fatal(stderr)
	}
	var e explanation.Explanation
	if err := json.Unmarshal([]byte(stdout), &e); err != nil {
		t.Fatal(err)
	}
	return code, &e
}

// The rules are those of the nearest release that is known, and that is said.
func TestRulesOfTheNearestRelease(t *testing.T) {
	const spend = `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":%q},"spec":{"selector":{"matchLabels":{"a":"b"}}}}`
	for version, want := range map[string][2]string{
		"v1.33.2":           {"1.36", "the cluster is of version 1.33: the rules are those of 1.36"},
		"v1.36.0":           {"1.36", ""},
		"v1.37.2-eks-1a2b3": {"1.37", ""},
		"v1.38.0-beta.0":    {"1.38", ""},
		"v1.41.0":           {"1.38", "the cluster is of version 1.41: the rules are those of 1.38"},
		"":                  {"1.37", "the cluster's version is not known: the rules are those of 1.37"},
	} {
		node := strings.Replace(oneNode, `"status":{`, `"status":{"nodeInfo":{"kubeletVersion":"`+version+`"},`, 1)
		_, e := explained(t, node+fmt.Sprintf(spend, "b")+podJSON("p", `{}`), "p")
		said := strings.Join(e.Warnings, "\n")
		if e.KubernetesVersion != want[0] || want[1] == "" && strings.Contains(said, "rules") || !strings.Contains(said, want[1]) {
			t.Errorf("kubelet %q: rules of %s, %q", version, e.KubernetesVersion, said)
		}
	}
}

// What admission does to a pod is done to one that does not exist yet.
func TestPodFileIsAdmitted(t *testing.T) {
	const (
		class       = `{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"normal"},"value":100,"globalDefault":true}`
		runtime     = `{"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"kata"},"handler":"kata","overhead":{"podFixed":{"cpu":"500m"}},"scheduling":{"nodeSelector":{"kata":"yes"}}}`
		ranged      = `{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"limits"},"spec":{"limits":[{"type":"Container","defaultRequest":{"cpu":"2"},"default":{"cpu":"3"},"max":{"cpu":"3500m"},"min":{"cpu":"100m"}}]}}`
		namespace   = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default","annotations":{"scheduler.alpha.kubernetes.io/node-selector":"pool=blue"}}}`
		plain       = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{%s"containers":[{"name":"a"%s}]}}`
		noNamespace = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}}`
	)
	cpu := func(s string) string { return `,"resources":{"requests":{"cpu":"` + s + `"}}` }
	for _, tc := range []struct {
		name, dump, spec, container string
		want                        string // in the error, or the warnings
		cpu                         string // requested; "" for a refusal
		outcome                     string
	}{
		{"overhead and selector of a RuntimeClass", runtime, `"runtimeClassName":"kata",`, cpu("1"), "", "1500m", "unhelpful"},
		{"a RuntimeClass that is not there", runtime, `"runtimeClassName":"gvisor",`, "", `spec.runtimeClassName: Not found: "gvisor"`, "", ""},
		{"no RuntimeClasses", "", `"runtimeClassName":"kata",`, "", "no RuntimeClasses in the input", "", "fits"},
		{"overhead of one's own", runtime, `"overhead":{"cpu":"1"},`, "", "spec.overhead: Forbidden", "", ""},
		{"a default request", ranged, "", "", "", "2", "fits"},
		{"over the maximum", ranged, "", cpu("4"), `spec.containers[0].resources.requests[cpu]: Invalid value: "4": the most a Container may request is 3500m (LimitRange limits)`, "", ""},
		{"under the minimum", ranged, "", cpu("50m"), "the least a Container may request is 100m", "", ""},
		{"no LimitRanges", "", "", "", "no LimitRanges in the input", "", "fits"},
		{"another priority than the default class's", class, `"priority":5000,`, "", "spec.priority: Forbidden: 5000 is given without a class, and the priority is computed to be 100", "", ""},
		{"the default class's priority", class, `"priority":100,`, cpu("1"), "", "1", "fits"},
		{"a namespace with a node selector", namespace, "", cpu("1"), "the node selector of namespace default was applied: pool=blue", "1", "unhelpful"},
		{"a selector that the namespace contradicts", namespace, `"nodeSelector":{"pool":"red"},`, "", "conflicts with namespace default", "", ""},
		{"a namespace that says nothing", noNamespace, "", cpu("1"), "", "1", "fits"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pod.json")
			if err := os.WriteFile(file, fmt.Appendf(nil, plain, tc.spec, tc.container), 0o600); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := run([]byte(oneNode+tc.dump), "explain", "-f", "-", "-o", "json", "--pod-file", file)
			if tc.outcome == "" {
				if code != ExitError || !strings.Contains(stderr, tc.want) || !strings.Contains(stderr, "Pod default/p would be refused") {
					t.Errorf("exit code %d: %s", code, stderr)
				}
				return
			}
			var e explanation.Explanation
			if err := json.Unmarshal([]byte(stdout), &e); err != nil {
				t.Fatalf("%v: %s", err, stderr)
			}
			if e.Outcome != tc.outcome || e.Pod.Requests["cpu"] != tc.cpu || !strings.Contains(strings.Join(e.Warnings, "\n"), tc.want) {
				t.Errorf("%s, %v, %q", e.Outcome, e.Pod.Requests, e.Warnings)
			}
		})
	}
}

// A pod that the room of another's victim is enough for fits once that is gone: it
// is no reason to add a node.
func TestFitsOnceGone(t *testing.T) {
	pod := func(name string, priority int, cpu string) string {
		return podJSON(name, fmt.Sprintf(`{"priority":%d,"containers":[{"name":"a","resources":{"requests":{"cpu":%q}}}]}`, priority, cpu))
	}
	input := oneNode + podJSON("v", `{"nodeName":"n1","priority":60,"containers":[{"name":"a","resources":{"requests":{"cpu":"3900m"}}}]}`) + pod("hi", 100, "1") + pod("lo", 50, "1") + pod("big", 40, "3")
	code, stdout, stderr := run([]byte(input), "explain", "-f", "-", "--all-pending", "-o", "jsonpath={range .items[*]}{.pod.name} {.state} {.node}{\"\\n\"}{end}")
	const want = "hi would-preempt n1\nlo fits-once-gone n1\nbig no-help \n"
	if code != ExitNo || stdout != want {
		t.Errorf("exit code %d: %s%s, want %s", code, stdout, stderr, want)
	}
}

// Room that is free but spoken for is told of, with those that it is kept for.
func TestRoomHeldForNominated(t *testing.T) {
	input := oneNode + `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"first"},"status":{"nominatedNodeName":"n1"},` +
		`"spec":{"priority":50,"containers":[{"name":"a","resources":{"requests":{"cpu":"3"}}}]}}` +
		podJSON("p", `{"priority":10,"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}]}`) +
		podJSON("big", `{"priority":10,"containers":[{"name":"a","resources":{"requests":{"cpu":"5"}}}]}`)
	if _, e := explained(t, input, "p"); e.Details["n1"] != "its room is held for nominated pods: default/first" {
		t.Errorf("details %v", e.Details)
	}
	if _, e := explained(t, input, "big"); e.Details["n1"] != "" {
		t.Errorf("%s, though it would not fit anyway", e.Details["n1"])
	}
}

// The cause is named where it is not what one looks for.
func TestCauses(t *testing.T) {
	friend := `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"friend","labels":{"app":"friend"}},"spec":{"nodeName":"n1","priority":1,"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]}}`
	node := strings.Replace(oneNode, `{"name":"n1"}`, `{"name":"n1","labels":{"kubernetes.io/hostname":"n1"}}`, 1)
	input := node + friend + podJSON("filler", `{"nodeName":"n1","priority":1,"containers":[{"name":"a","resources":{"requests":{"cpu":"3"}}}]}`) +
		podJSON("p", `{"priority":10,"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"friend"}}}]}},"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}]}`)
	_, e := explained(t, input, "p")
	if e.Outcome != explanation.Unhelpful || !strings.Contains(strings.Join(e.Warnings, "\n"), "on 1 of the nodes the pods that it has affinity to are of lower priority") {
		t.Errorf("%s: %q", e.Outcome, e.Warnings)
	}
	var crowd strings.Builder
	crowd.WriteString(oneNode)
	for i := range 5 {
		crowd.WriteString(podJSON(fmt.Sprintf("p%d", i), `{"priority":0}`))
	}
	if _, e := explained(t, crowd.String(), "p0"); !strings.Contains(strings.Join(e.Warnings, "\n"), "all pods of the input are of namespace default: was it dumped without -A?") {
		t.Errorf("%q", e.Warnings)
	}
}

// A compressed dump, a directory and the parts of a list in a list are read.
func TestShapesOfInput(t *testing.T) {
	dir := t.TempDir()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"NodeList","items":[`+oneNode+`]}]}`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"nodes.json.gz": zipped.Bytes(), "pod.yml": []byte("\ufeff# a pod\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"), "README": []byte("nothing"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, stdout, stderr := run(nil, "explain", "-f", dir, "p"); code != ExitYes || !strings.Contains(stdout, "It fits as it is: n1.") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := run(nil, "explain", "-f", t.TempDir(), "p"); code != ExitError || !strings.Contains(stderr, "has no .json, .yaml or .yml files") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// The formats of kubectl's own printers.
func TestFormats(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"explain", "--example", "-o", "name"}, "pod/logs-node-c\npod/search-2\n"},
		{[]string{"explain", "--example", "-o", "jsonpath={.victims[*].name}"}, "logs-node-c search-2"},
		{[]string{"explain", "--example", "-o", "go-template={{.state}}"}, "would-preempt"},
		{[]string{"explain", "--example", "--template={{.node}}"}, "node-c"},
		{[]string{"explain", "--example", "--all-pending", "-o", "name"}, "pod/logs-node-c\npod/search-2\n"},
		{[]string{"who", "-f", "testdata/past.yaml", "-n", "shop", "-o", "name"}, "pod/web-7d9f8c6b5d-abcde\npod/web-7d9f8c6b5d-zzzzz\n"},
		{[]string{"can-evict", "search-2", "--example", "-o", "name"}, "pod/checkout\n"},
		{[]string{"explain", "podgroup/training", "-n", "ml", "-f", "testdata/gangs.yaml", "-o", "jsonpath={.state}"}, "would-preempt"},
	} {
		if _, stdout, stderr := run(nil, tc.args...); stdout != tc.want {
			t.Errorf("%v: %q, want %q: %s", tc.args, stdout, tc.want, stderr)
		}
	}
	code, stdout, stderr := run(nil, "version")
	if code != ExitYes || !strings.HasPrefix(stdout, "kubectl preemption ") || !strings.Contains(stdout, "rules of kube-scheduler 1.36, 1.37 and 1.38") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}

// What a shell is told when it completes.
func TestCompletion(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"explain", "--example", "ch"}, "checkout\n"},
		{[]string{"explain", "--example", "pod/"}, "pod/checkout\npod/newsletter\n"},
		{[]string{"explain", "--example", "pod", "n"}, "newsletter\n"},
		{[]string{"explain", "--example", "node", "n"}, ""},
		{[]string{"can-evict", "--example", "web"}, "web-1\nweb-2\n"},
		{[]string{"explain", "-f", "testdata/states.yaml", "-n", "m"}, "ml\n"},
		{[]string{"explain", "--kubernetes-version", "1.3"}, "1.36\n1.37\n1.38\n"},
	} {
		_, stdout, _ := run(nil, append([]string{"__complete"}, tc.args...)...)
		if got, _, _ := strings.Cut(stdout, ":4"); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.args, got, tc.want)
		}
	}
	kubeconfig := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(kubeconfig, []byte("apiVersion: v1\nkind: Config\ncontexts: [{name: prod, context: {}}, {name: test, context: {}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", kubeconfig)
	if _, stdout, _ := run(nil, "__complete", "explain", "--context", ""); !strings.HasPrefix(stdout, "prod\ntest\n") {
		t.Errorf("contexts: %q", stdout)
	}
}

// No row of a table is wider than the terminal, however long the names.
func TestWidths(t *testing.T) {
	long := func(name string) string { return name + strings.Repeat("-long", 12)[:60-len(name)] }
	var dump strings.Builder
	fmt.Fprintf(&dump, `{"apiVersion":"v1","kind":"Node","metadata":{"name":%q},"status":{"allocatable":{"cpu":"4","pods":"10"}}}`, long("n1"))
	fmt.Fprintf(&dump, `{"apiVersion":"v1","kind":"Node","metadata":{"name":%q},"spec":{"taints":[{"key":%q,"effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"4","pods":"10"}}}`, long("n2"), long("taint"))
	fmt.Fprintf(&dump, `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"namespace":%q,"name":%q},"spec":{"selector":{}},"status":{"disruptionsAllowed":1}}`, long("ns"), long("budget"))
	for i := range 2 {
		fmt.Fprintf(&dump, `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":%q,"name":%q,"labels":{"a":"b"},"ownerReferences":[{"kind":"ReplicaSet","name":%q,"controller":true}]},"spec":{"nodeName":%q,"priority":1,"containers":[{"name":"a","resources":{"requests":{"cpu":"2","example.com/very-special-device":"0"}}}]}}`,
			long("ns"), long(fmt.Sprint("v", i)), long("owner"), long("n1"))
	}
	fmt.Fprintf(&dump, `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":%q,"name":%q},"spec":{"priority":10,"containers":[{"name":"a","resources":{"requests":{"cpu":"4"}}}]}}`, long("ns"), long("p"))
	for _, args := range [][]string{
		{"explain", "-f", "-", "-n", long("ns"), long("p")}, {"explain", "-f", "-", "-n", long("ns"), long("p"), "--steps"},
		{"explain", "-f", "-", "--all-pending"}, {"can-evict", "-f", "-", "-n", long("ns"), long("v1")},
		{"capacity", "-f", "-", "--priority", "5", "--requests", "cpu=1"},
		{"simulate", "-f", "-"}, {"who", "-f", "-"}, {"audit", "-f", "-"},
	} {
		for _, columns := range []int{60, 80, 120, 400} {
			t.Setenv("COLUMNS", fmt.Sprint(columns))
			_, stdout, stderr := run([]byte(dump.String()), args...)
			if stderr != "" {
				t.Fatal(stderr)
			}
			for line := range strings.Lines(stdout) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, " \n")); n > columns && (args[0] == "simulate" || strings.Contains(strings.TrimSpace(line), "   ")) {
					t.Errorf("%v: a row of %d in %d columns: %s", args[0], n, columns, line)
				}
			}
		}
	}
}
