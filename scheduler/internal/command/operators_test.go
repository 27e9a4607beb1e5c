package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/preemption/scheduler/explanation"
)

// What operators ran into, each with the input that they ran into it with. What
// belongs to a kind of its own has its own test: admission, states, causes, widths.

// A cluster that is older than the rules known: those of the nearest release, and
// that is said. Its scheduler charges each of two budgets over one pod, so that it
// clears another node than newer ones, and its event names no node.
func TestClusterOlderThanTheRules(t *testing.T) {
	node := func(name, version string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":%q},"status":{"allocatable":{"cpu":"4","pods":"10"},"nodeInfo":{"kubeletVersion":%q}}}`, name, version)
	}
	pod := func(name, node, labels string, priority int) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":%q,"labels":%s},"spec":{"nodeName":%q,"priority":%d,"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}]},"status":{"startTime":"2026-01-01T00:00:00Z"}}`, name, labels, node, priority)
	}
	budget := func(name string, allowed int) string {
		return fmt.Sprintf(`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"namespace":"default","name":%q},"spec":{"selector":{"matchLabels":{%q:"y"}}},"status":{"disruptionsAllowed":%d}}`, name, name, allowed)
	}
	input := func(version string) string {
		return node("n1", version) + node("n2", version) +
			// By 1.36 both on n1 violate: the first one uses up both of its budgets.
			pod("both", "n1", `{"a":"y","b":"y"}`, 20) + pod("one", "n1", `{"b":"y"}`, 20) + budget("a", 0) + budget("b", 1) +
			pod("w1", "n2", `{"c":"y"}`, 10) + pod("w2", "n2", `{"c":"y"}`, 10) + budget("c", 0) +
			podJSON("p", `{"priority":100,"containers":[{"name":"a","resources":{"requests":{"cpu":"4"}}}]}`)
	}
	const told = "the cluster is of version 1.33: the rules are those of 1.36"
	for version, want := range map[string]struct {
		node       string
		violations int
		told       bool
	}{"v1.33.4": {"n2", 2, true}, "v1.36.1": {"n2", 2, false}, "v1.37.0": {"n1", 1, false}} {
		_, e := explained(t, input(version), "p")
		if e.Node != want.node || e.PDBViolations != want.violations || strings.Contains(strings.Join(e.Warnings, "\n"), told) != want.told {
			t.Errorf("%s: node %s, %d violations, %q", version, e.Node, e.PDBViolations, e.Warnings)
		}
		if named := strings.Contains(e.Message, "found a potential placement"); named != (version == "v1.37.0") {
			t.Errorf("%s: event %q", version, e.Message)
		}
	}
}

// Not a pod is missing from a queue without a word, and no event is made up for one
// that the scheduler does not try.
func TestNotTriedIsSaid(t *testing.T) {
	input := oneNode + podJSON("gated", `{"schedulingGates":[{"name":"example.com/quota"}]}`) + podJSON("foreign", `{"schedulerName":"batch-scheduler"}`) +
		`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"leaving","deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["example.com/hold"]},"spec":{}}` +
		podJSON("devices", `{"resourceClaims":[{"name":"gpu","resourceClaimName":"gpu"}],"containers":[{"name":"a"}]}`)
	for name, why := range map[string]string{
		"gated": "it has scheduling gates: example.com/quota", "foreign": "it is for another scheduler: batch-scheduler",
		"leaving": "it is being deleted", "devices": "it claims devices (spec.resourceClaims), which are not looked at here",
	} {
		code, e := explained(t, input, name)
		if code != ExitNotTried || e.State != explanation.StateNotTried || e.StateReason != why || e.Message != "" {
			t.Errorf("%s: exit code %d, %s: %s, event %q", name, code, e.State, e.StateReason, e.Message)
		}
	}
	code, stdout, _ := run([]byte(input), "explain", "-f", "-", "--all-pending")
	if code != ExitYes || !strings.Contains(stdout, "4 pending pods: not tried 4.") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

// A gang that has to start with three is not helped by room for two, and none of
// its pods gets a node.
func TestGangIsDecidedOnAsOne(t *testing.T) {
	input := strings.Replace(oneNode, `"status":{`, `"status":{"nodeInfo":{"kubeletVersion":"v1.37.1"},`, 1) +
		`{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"namespace":"default","name":"g"},"spec":{"priority":100,"schedulingPolicy":{"gang":{"minCount":3}}}}` +
		podJSON("v", `{"nodeName":"n1","priority":1,"containers":[{"name":"a","resources":{"requests":{"cpu":"3"}}}]}`)
	for i := range 3 {
		input += podJSON(fmt.Sprintf("g-%d", i), `{"priority":100,"schedulingGroup":{"podGroupName":"g"},"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}]}`)
	}
	for _, args := range [][]string{{"podgroup/g"}, {"g-0"}, {"--all-pending"}} {
		code, stdout, stderr := run([]byte(input), append([]string{"explain", "-f", "-"}, args...)...)
		if code != ExitNo || strings.Contains(stdout, "Victims") || strings.Contains(stdout, "would preempt") {
			t.Errorf("%v: exit code %d: %s%s", args, code, stdout, stderr)
		}
	}
}

// A dump of one namespace lacks the pods that hold the room, so that everything
// seems to fit: that is said beside the answer.
func TestDumpOfOneNamespace(t *testing.T) {
	var dump strings.Builder
	dump.WriteString(oneNode)
	for i := range 4 {
		dump.WriteString(podJSON(fmt.Sprintf("p%d", i), `{"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]}`))
	}
	code, stdout, _ := run([]byte(dump.String()), "explain", "-f", "-", "p0")
	if code != ExitYes || !strings.Contains(stdout, "It fits as it is") || !strings.Contains(stdout, "was it dumped without -A?") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	code, stdout, _ = run([]byte(dump.String()+strings.Replace(podJSON("dns", `{"nodeName":"n1"}`), `"default"`, `"kube-system"`, 1)), "explain", "-f", "-", "p0")
	if code != ExitYes || strings.Contains(stdout, "without -A") {
		t.Errorf("of all namespaces: exit code %d: %s", code, stdout)
	}
}

// What it means that a victim goes, where its name does not say it.
func TestVictimsOfAllKinds(t *testing.T) {
	victim := func(name, metadata string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":%q,%s},"spec":{"nodeName":"n1","priority":1,"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]}}`, name, metadata)
	}
	owner := func(kind string) string {
		return fmt.Sprintf(`"ownerReferences":[{"apiVersion":"apps/v1","kind":%q,"name":"o","uid":"o","controller":true}]`, kind)
	}
	input := oneNode + victim("static", `"annotations":{"kubernetes.io/config.mirror":"x"},`+owner("Node")) + victim("bare", `"labels":{}`) +
		victim("db-0", owner("StatefulSet")) + victim("going", `"deletionTimestamp":"2026-01-01T00:00:00Z",`+owner("ReplicaSet")) +
		podJSON("p", `{"priority":100,"containers":[{"name":"a","resources":{"requests":{"cpu":"4"}}}]}`)
	_, stdout, stderr := run([]byte(input), "explain", "-f", "-", "p")
	for _, want := range []string{
		"victim default/static is a static pod: its kubelet starts it again at once, so that evicting it frees nothing for long",
		"victim default/bare has no controller: nobody creates it again",
		"victim default/db-0 belongs to StatefulSet o: it comes back under its own name once it is gone for good, and only where its volumes can be attached",
		"victim default/going is on its way out already",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not said\n%s%s", want, stdout, stderr)
		}
	}
}

// Each taint is told of by its name, whoever put it there.
func TestTaintsAreNamed(t *testing.T) {
	var input strings.Builder
	taints := []string{
		`{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}`,
		`{"key":"node-role.kubernetes.io/control-plane","effect":"NoSchedule"}`,
		`{"key":"nvidia.com/gpu","value":"present","effect":"NoSchedule"}`,
	}
	for i, taint := range taints {
		fmt.Fprintf(&input, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n%d"},"spec":{"taints":[%s]},"status":{"allocatable":{"cpu":"4","pods":"10"}}}`, i, taint)
	}
	_, stdout, stderr := run([]byte(input.String()+podJSON("p", `{}`)), "explain", "-f", "-", "p")
	for _, want := range []string{
		"1       node(s) had untolerated taint(s) (taint node.kubernetes.io/not-ready:NoSchedule); no eviction helps",
		"1       node(s) had untolerated taint(s) (taint node-role.kubernetes.io/control-plane:NoSchedule); no eviction helps",
		"1       node(s) had untolerated taint(s) (taint nvidia.com/gpu=present:NoSchedule); no eviction helps",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not said\n%s%s", want, stdout, stderr)
		}
	}
}

// Names and namespaces are given as to kubectl, in all of its ways.
func TestNamedAsToKubectl(t *testing.T) {
	const small = "Pod team/small: "
	for _, args := range [][]string{
		{"small", "-n", "team"}, {"pod", "small", "-n", "team"}, {"pods", "small", "--namespace=team"}, {"po", "small", "-nteam"},
		{"pod/small", "-n", "team"}, {"team/small"}, {"POD/small", "-n", "team"},
	} {
		code, stdout, stderr := run(nil, append([]string{"explain", "-f", "testdata/states.yaml"}, args...)...)
		if code != ExitYes || !strings.HasPrefix(stdout, small) {
			t.Errorf("%v: exit code %d: %s%s", args, code, stdout, stderr)
		}
	}
	queue := func(args ...string) string {
		_, stdout, stderr := run(nil, append([]string{"explain", "-f", "testdata/states.yaml", "--all-pending", "-o", "jsonpath={.items[*].pod.name}"}, args...)...)
		return stdout + stderr
	}
	const all = "giant urgent patient polite middle small"
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, all}, {[]string{"-A"}, all}, {[]string{"-n", "ops"}, "patient"}, {[]string{"-n", "ml"}, ""}, {[]string{"-n", "nosuch"}, ""},
		{[]string{"-n", "team", "-l", "app"}, "urgent middle"}, {[]string{"-l", "app!=urgent", "-n", "team"}, "giant polite middle small"},
	} {
		if got := queue(tc.args...); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.args, got, tc.want)
		}
	}
}

// A queue is a table with a row a pod; what was tried on each node is for --steps.
func TestLongQueue(t *testing.T) {
	var dump strings.Builder
	dump.WriteString(oneNode)
	for i := range 50 {
		dump.WriteString(podJSON(fmt.Sprintf("p%02d", i), `{"priority":10,"containers":[{"name":"a","resources":{"requests":{"cpu":"3"}}}]}`))
	}
	count := func(args ...string) int {
		_, stdout, _ := run([]byte(dump.String()), append([]string{"explain", "-f", "-", "--all-pending"}, args...)...)
		return strings.Count(stdout, "\n")
	}
	if short, long := count(), count("--steps"); short > 60 || long < 5*short {
		t.Errorf("%d lines, %d with --steps", short, long)
	}
}

// An error is short, whatever the size of the input and of its lines.
func TestErrorsAreShort(t *testing.T) {
	wide := oneNode + podJSON("p", `{"containers":[{"name":"`+strings.Repeat("x", 100_000)+`","resources":{"requests":{"cpu":"`+strings.Repeat("9", 100_000)+`z"}}}]}`)
	for name, input := range map[string]string{
		"truncated YAML":        yamlList(2000) + "- apiVersion: v1\n  kind: Pod\n  metadata: {name: \"" + strings.Repeat("p", 10_000),
		"truncated JSON":        wide[:len(wide)-100],
		"a quantity of 100 KB":  wide,
		"a field of 100 KB":     `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"` + strings.Repeat("k", 100_000) + `":1}}}`,
		"a kind of 100 KB":      `{"apiVersion":"v1","kind":"` + strings.Repeat("K", 100_000) + `","metadata":{"name":"p"}}`,
		"a name of 100 KB":      oneNode + podJSON(strings.Repeat("n", 100_000), `{"priority":"high"}`),
		"a YAML line of 100 KB": "apiVersion: v1\nkind: Pod\nmetadata: {name: [" + strings.Repeat("x, ", 30_000) + "}\n",
		"a number of 100 KB":    podJSON("p", `{"priority":`+strings.Repeat("1", 100_000)+`}`),
	} {
		code, stdout, stderr := run([]byte(input), "explain", "-f", "-", "p")
		if code != ExitError || stdout != "" || len(stderr) > 1000 {
			t.Errorf("%s: exit code %d, %d bytes: %.300s", name, code, len(stderr), stderr)
		}
	}
}

// Two classes that are both the default: which of them holds is said.
func TestTwoDefaultClasses(t *testing.T) {
	class := func(name string, value int) string {
		return fmt.Sprintf(`{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":%q},"value":%d,"globalDefault":true}`, name, value)
	}
	_, stdout, stderr := run([]byte(oneNode+class("a", 7)+class("b", 5)+podJSON("p", `{}`)), "explain", "-f", "-", "p")
	if !strings.Contains(stdout, "2 PriorityClasses are the global default (a, b): the one of the smallest value holds") || !strings.Contains(stdout, "Pod default/p: priority 5,") {
		t.Errorf("%s%s", stdout, stderr)
	}
}

// A workload's pods are decided on one after another: as many as it says, or as one
// asks for.
func TestWorkloads(t *testing.T) {
	const template = `"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]}}`
	for _, tc := range []struct {
		name, manifest string
		args           []string
		pods           string
	}{
		{"a Deployment", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3,` + template + `}}`, nil, "fits fits fits"},
		{"more than it says", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3,` + template + `}}`, []string{"--replicas", "5"}, "fits fits fits fits unhelpful"},
		{"a StatefulSet", `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web"},"spec":{"replicas":2,` + template + `}}`, nil, "fits fits"},
		{"a Job", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"web"},"spec":{"parallelism":2,` + template + `}}`, nil, "fits fits"},
	} {
		file := filepath.Join(t.TempDir(), "workload.json")
		if err := os.WriteFile(file, []byte(tc.manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		_, stdout, stderr := run([]byte(oneNode), append([]string{"explain", "-f", "-", "--pod-file", file, "-o", "jsonpath={.items[*].outcome}"}, tc.args...)...)
		if stdout != tc.pods {
			t.Errorf("%s: %q, want %q: %s", tc.name, stdout, tc.pods, stderr)
		}
	}
}

// A pod that does not exist yet tolerates what admission lets every pod tolerate: to
// be on a node that is not ready for five minutes, which helps it to none.
func TestNewPodsTolerate(t *testing.T) {
	node := strings.Replace(oneNode, `"status"`, `"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoExecute"}]},"status"`, 1)
	noSchedule := strings.Replace(node, "NoExecute", "NoSchedule", 1)
	file := filepath.Join(t.TempDir(), "pod.json")
	if err := os.WriteFile(file, []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"a"}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string]int{node: ExitYes, noSchedule: ExitNo} {
		if code, stdout, stderr := run([]byte(input), "explain", "-f", "-", "--pod-file", file); code != want {
			t.Errorf("exit code %d, want %d: %s%s", code, want, stdout, stderr)
		}
	}
}
