package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/preemption/scheduler/explanation"
)

const oneNode = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4","pods":"10"}}}`

func podJSON(name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":%q},"spec":%s}`, name, spec)
}

// Input that no honest kubectl would print: a clear error, never a panic.
func TestHostileInput(t *testing.T) {
	for _, tc := range []struct{ name, input, want string }{
		{"nothing", "", "the input has no nodes, so there is nowhere to go for any pod"},
		{"blanks", " \n\n---\n---\n", "the input has no nodes, so there is nowhere to go for any pod"},
		{"truncated JSON", `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","ki`, "standard input: line 1 (item 1 of the list): the input ends in the middle of an object: is it truncated?"},
		{"truncated second document", oneNode + `{"apiVersion":"v1",`, "standard input: line 1: the input ends in the middle of an object: is it truncated?"},
		{"no text at all", "\x00\xff\xfe\x01", "standard input: line 1: yaml: control characters are not allowed"},
		{"an array", `[1,2]`, "standard input: line 1: an array is no Kubernetes object: want an object or a list with a kind"},
		{"a number", `5`, "standard input: line 1: '5' is no start of a JSON object"},
		{"no kind", `{"a":1}`, "standard input: line 1: the object does not say its apiVersion and kind"},
		{"a list of numbers", `{"apiVersion":"v1","kind":"PodList","items":[5]}`, "standard input: line 1 (item 1 of the list): an item that starts with '5' is no object"},
		{"a list without items", `{"apiVersion":"v1","kind":"PodList","items":null}`, "the input has no nodes"},
		{"aliases without end", aliases(9), "excessive aliasing"},
		{"brackets without end", strings.Repeat("[", 200_000), "an array is no Kubernetes object"},
		{"braces without end", strings.Repeat(`{"a":`, 200_000), "standard input: line 1: brackets are nested more than 1000 deep"},
		{"unknown kinds only", `{"apiVersion":"foo/v1","kind":"Bar","metadata":{"name":"x"}}`, "(it has, among others: foo/v1 Bar)"},
		{"a kind of another version", `{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"x"}}`, "(it has, among others: policy/v1beta1 PodDisruptionBudget)"},
		{"no name", `{"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{}}`, "Pod without a name"},
		{"no quantity", podJSON("p", `{"containers":[{"name":"a","resources":{"requests":{"cpu":"12x"}}}]}`),
			`Pod default/p: spec.containers[0].resources.requests[cpu]: Invalid value: "12x": is not a quantity such as 500m, 2 or 1Gi`},
		{"no quantity on a node", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"memory":"lots"}}}`,
			`Node n: status.allocatable[memory]: Invalid value: "lots": is not a quantity such as 500m, 2 or 1Gi`},
		{"a negative quantity", oneNode + podJSON("p", `{"containers":[{"name":"a","resources":{"requests":{"cpu":"-1"}}}]}`),
			`Pod default/p: spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be zero or more`},
		{"an immense quantity", oneNode + podJSON("p", `{"containers":[{"name":"a","resources":{"requests":{"memory":"1e100"}}}]}`),
			`Pod default/p: spec.containers[0].resources.requests[memory]`},
		{"sums that overflow", oneNode + overflowing(), "the sum of requests exceeds what an int64 holds"},
		{"a number for a spec", podJSON("p", `5`), "Pod default/p: spec: a number cannot be a PodSpec"},
		{"a string for a priority", podJSON("p", `{"priority":"high"}`), "Pod default/p: spec.priority: a string cannot be a int32"},
		{"brackets in a spec without end", `{"apiVersion":"v1","kind":"Pod","spec":{"a":` + strings.Repeat("[", 200_000), "brackets are nested more than 1000 deep"},
		{"truncated YAML", yamlList(400) + "- apiVersion: v1\n  kind: Pod\n  metadata: {name: \"p", "standard input: line 1604 (item 401 of the list): yaml: "},
		{"a bool for a name", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: y\n", "standard input: line 1: Pod metadata.name: a bool cannot be a string: put the value in quotes (in YAML y, n, yes, no, on and off are bools too)"},
		{"a number for a label", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  labels: {a: 1}\n", "Pod p: metadata.labels: a number cannot be a string: put the value in quotes"},
		{"a priority out of range", podJSON("p", `{"priority":99999999999}`), "Pod default/p: spec.priority: Invalid value: 99999999999: is out of the range of an int32"},
		{"a class out of range", `{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"c"},"value":99999999999}`, "PriorityClass c: value: Invalid value: 99999999999: is out of the range of an int32"},
		{"a budget out of range", `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"status":{"disruptionsAllowed":4294967296}}`, "PodDisruptionBudget b: status.disruptionsAllowed: Invalid value: 4294967296: is out of the range of an int32"},
		{"a class twice", twice(`{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"c"},"value":1}`), "standard input: line 1: PriorityClass c: there already is one of that name (standard input: line 1)"},
		{"a list of a list that is cut", `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"PodList","items":[{"metadata":{`, "is it truncated?"},
		{"broken gzip", "\x1f\x8bnothing of the kind", "standard input: gzip: invalid header"},
		{"a class that nobody knows", oneNode + podJSON("p", `{"priorityClassName":"gold"}`), `Pod default/p: spec.priorityClassName: Not found: "gold"`},
		{"a pod twice", oneNode + podJSON("p", `{}`) + podJSON("p", `{}`), "pod default/p: there already is a pod of that name"},
		{"a node twice", oneNode + oneNode, "node n1: there already is a node of that name"},
		{"another pod", oneNode + podJSON("q", `{}`), "there is no pod default/p"},
		{"a pod at work", oneNode + podJSON("p", `{"nodeName":"n1"}`), "pod default/p is not pending: it is on node n1"},
		{"a pod on a lost node", oneNode + podJSON("p", `{"nodeName":"n9"}`), "pod default/p is not pending: it is on node n9, which is unknown"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := run([]byte(tc.input), "explain", "-f", "-", "p")
			if code != ExitError || !strings.Contains(stderr, tc.want) || stdout != "" {
				t.Errorf("exit code %d, output %q, error %q\nwant %q", code, stdout, stderr, tc.want)
			}
		})
	}
}

// An error that every object has is told ten times.
func TestManyErrors(t *testing.T) {
	var b strings.Builder
	b.WriteString(oneNode)
	for i := range 1000 {
		b.WriteString(podJSON(fmt.Sprintf("p%d", i), `{"priorityClassName":"gold"}`))
	}
	code, _, stderr := run([]byte(b.String()), "explain", "-f", "-", "p0")
	// The last line of the error says that there are no classes at all.
	if code != ExitError || strings.Count(stderr, "\n") != mostLines+1 || !strings.HasSuffix(stderr, "\n(and 991 more)\n") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func twice(s string) string { return s + s }

// yamlList is a list of pods, of four lines each but for the first two lines.
func yamlList(pods int) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for i := range pods {
		fmt.Fprintf(&b, "- apiVersion: v1\n  kind: Pod\n  metadata: {name: p%d}\n  spec: {}\n", i)
	}
	return b.String()
}

// aliases is a YAML document that would grow tenfold with each level.
func aliases(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < levels; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.Join(repeat(fmt.Sprintf("*a%d", i-1), 10), ","))
	}
	return b.String()
}

func repeat(s string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = s
	}
	return list
}

func overflowing() string {
	var b strings.Builder
	for i := range 3 {
		b.WriteString(podJSON(fmt.Sprintf("big-%d", i), `{"nodeName":"n1","containers":[{"name":"a","resources":{"requests":{"memory":"4E"}}}]}`))
	}
	return b.String()
}

func TestWrongUsage(t *testing.T) {
	two := filepath.Join(t.TempDir(), "two.json")
	if err := os.WriteFile(two, []byte(podJSON("a", `{}`)+podJSON("b", `{}`)), 0o600); err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(t.TempDir(), "node.json")
	if err := os.WriteFile(node, []byte(oneNode), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"explain"}, "name a pod, or give --pod-file, --all-pending or --example"},
		{[]string{"explain", "a", "b"}, `"a" is no type that can be asked about (pod, podgroup)`},
		{[]string{"explain", "a", "b", "c"}, "ask about one pod at a time"},
		{[]string{"explain", "a/b/c", "--example"}, `"a/b/c": want NAME, TYPE/NAME or NAMESPACE/NAME`},
		{[]string{"explain", "pod", "a/b", "--example"}, "there is no need for a type or a namespace"},
		{[]string{"explain", "podgroup/x", "--example"}, "there is no podgroup shop/x"},
		{[]string{"explain", "checkout", "--example", "-l", "a=b"}, "-l and -A go with --all-pending"},
		{[]string{"explain", "--all-pending", "--example", "-n", "a", "-A"}, "-n and -A exclude each other"},
		{[]string{"explain", "--all-pending", "--example", "-l", "a in b"}, "--selector: "},
		{[]string{"explain", "--all-pending", "--example", "--what-if", "cpu=1"}, "is about one pod, not --all-pending"},
		{[]string{"explain", "--all-pending", "--example", "-o", "html"}, "-o html is there for one pod"},
		{[]string{"explain", "checkout", "--example", "-n", "default"}, "there is no pod default/checkout; the one of that name is in namespace shop (-n shop)"},
		{[]string{"explain", "web-1", "--example"}, "pod shop/web-1 is not pending: it is on node node-a (kubectl preemption can-evict web-1 -n shop"},
		{[]string{"explain", "--example", "--pod-file", "testdata/polite.yaml", "-n", "other"}, `the namespace of the manifest is "shop", that of -n "other"`},
		{[]string{"explain", "--example", "--pod-file", node}, "want a pod, or a workload with a template of pods; a Node is neither"},
		{[]string{"explain", "checkout", "--example", "--replicas", "3"}, "--replicas goes with --pod-file"},
		{[]string{"explain", "--example", "--victims", "worst"}, `--victims: "worst": want reprieve or best`},
		{[]string{"explain", "--example", "--budgets", "none"}, `--budgets: "none": want as-upstream, exact or respected`},
		{[]string{"can-evict", "--example"}, "name a pod"},
		{[]string{"can-evict", "checkout", "--example"}, "pod shop/checkout is on no node: there is nothing to evict"},
		{[]string{"capacity", "--example", "--priority", "1"}, "give the shape of the pods, by either --pod-file or --requests"},
		{[]string{"capacity", "--example", "--requests", "cpu=1"}, "give the pods' --priority or --class"},
		{[]string{"capacity", "--example", "--requests", "cpu=1", "--class", "nosuch"}, "there is no PriorityClass nosuch"},
		{[]string{"capacity", "--example", "--requests", "cpu", "--class", "urgent"}, `--requests: "cpu": want RESOURCE=QUANTITY`},
		{[]string{"audit", "-f", "testdata/giant.yaml", "-o", "name"}, "findings have no names"},
		{[]string{"explain", "--bogus"}, "unknown flag: --bogus"},
		{[]string{"explode"}, `unknown command "explode" for "kubectl preemption"`},
		{[]string{"explain", "--example", "-f", "x"}, "--example and -f exclude each other"},
		{[]string{"explain", "p", "--all-pending", "-f", "x"}, "POD, --pod-file and --all-pending exclude each other"},
		{[]string{"explain", "--example", "--all-pending", "--min-priority"}, "--min-priority is about one pod"},
		{[]string{"explain", "--example", "--kubernetes-version", "1.99"}, `--kubernetes-version: "1.99": want 1.36, 1.37 or 1.38`},
		{[]string{"explain", "--example", "-o", "xml"}, `--output: "xml": want one of go-template, go-template-file, html, json,`},
		{[]string{"explain", "-f", "/nonexistent/dump", "p"}, `the path "/nonexistent/dump" does not exist`},
		{[]string{"explain", "--example", "--pod-file", "/nonexistent/pod"}, `the path "/nonexistent/pod" does not exist`},
		{[]string{"explain", "--example", "--pod-file", two}, "want one pod or workload, found 2"},
		{[]string{"explain", "-f", "x,-", "--pod-file", "-"}, "-f and --pod-file cannot both be standard input"},
		{[]string{"explain", "--example", "nosuch"}, "there is no pod shop/nosuch"},
		{[]string{"explain", "--example", "-n", "a", "b/c"}, "pod b/c is in another namespace than -n a"},
		{[]string{"explain", "--example", "--what-if", "nonsense"}, "is no change"},
		{[]string{"explain", "--example", "--what-if", "prio=5"}, `"prio" is no resource that a scheduler counts`},
		{[]string{"explain", "--example", "--what-if", "pods=5"}, `"pods" is no resource that a scheduler counts`},
		{[]string{"explain", "--example", "--what-if", "cpu=much"}, "is no quantity"},
		{[]string{"explain", "--example", "--what-if", "cpu=-1"}, "is no quantity"},
		{[]string{"explain", "--example", "--what-if", "cpu=99999999999E"}, "is no quantity"},
		{[]string{"explain", "--example", "--what-if", "priority=99999999999"}, "is no priority"},
		{[]string{"explain", "--example", "--what-if", "budget web=many"}, "is no number of disruptions"},
		{[]string{"explain", "--example", "--what-if", "priorityClass=nosuch"}, "there is no PriorityClass nosuch"},
		{[]string{"explain", "--example", "--what-if", "preemptionPolicy=Perhaps"}, `"Perhaps" is no preemption policy`},
		{[]string{"explain", "--example", "--what-if", "node nosuch=remove"}, "there is no node nosuch"},
		{[]string{"explain", "--example", "--what-if", "node node-a=paint"}, `"paint" cannot be done to a node`},
		{[]string{"explain", "--example", "--what-if", "replicas=0"}, `"0" is no number of replicas`},
		{[]string{"explain", "--example", "--what-if", "budget nosuch=1"}, "there is no budget shop/nosuch"},
	} {
		code, stdout, stderr := run(nil, tc.args...)
		if code != ExitError || !strings.Contains(stderr, tc.want) || stdout != "" {
			t.Errorf("%v: exit code %d, output %q, error %q\nwant %q", tc.args, code, stdout, stderr, tc.want)
		}
	}
}

// Groups that are their own ancestors end the walk, and are named.
func TestCyclicGroups(t *testing.T) {
	group := func(name, parent string) string {
		return fmt.Sprintf(`{"apiVersion":"scheduling.k8s.io/v1alpha3","kind":"CompositePodGroup","metadata":{"namespace":"default","name":%q},"spec":{"parentCompositePodGroupName":%q,"disruptionMode":{"all":{}}}}`, name, parent)
	}
	input := oneNode + group("a", "b") + group("b", "a") +
		`{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"namespace":"default","name":"g"},"spec":{"parentCompositePodGroupName":"a"}}` +
		podJSON("member", `{"nodeName":"n1","schedulingGroup":{"podGroupName":"g"},"containers":[{"name":"a","resources":{"requests":{"cpu":"3"}}}]}`) +
		podJSON("p", `{"priority":10,"containers":[{"name":"a","resources":{"requests":{"cpu":"3"}}}]}`)
	code, stdout, stderr := run([]byte(input), "explain", "-f", "-", "p")
	if code != ExitYes || !strings.Contains(stdout, "ancestor") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// A hundred thousand pods take a while and a few gigabytes less than one thinks.
func TestHundredThousandPods(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while")
	}
	const nodes, pods = 2000, 100_000
	var input bytes.Buffer
	for i := range nodes {
		fmt.Fprintf(&input, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n%04d"},"status":{"allocatable":{"cpu":"50","pods":"100"}}}`+"\n", i)
	}
	fmt.Fprintln(&input, `{"apiVersion":"v1","kind":"PodList","items":[`)
	for i := range pods {
		fmt.Fprintf(&input, `{"metadata":{"namespace":"default","name":"p%06d"},"spec":{"nodeName":"n%04d","priority":%d,"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]}},`+"\n", i, i%nodes, i%7)
	}
	fmt.Fprintln(&input, `{"metadata":{"namespace":"default","name":"p"},"spec":{"priority":100,"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}]}}]}`)
	start := time.Now()
	code, stdout, stderr := run(input.Bytes(), "explain", "-f", "-", "p", "-o", "json")
	took := time.Since(start)
	if code != ExitYes {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var e explanation.Explanation
	if err := json.Unmarshal([]byte(stdout), &e); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MB in %v: %d candidates", input.Len()>>20, took.Round(time.Millisecond), len(e.Candidates))
	if len(e.Candidates) != nodes || len(e.Victims) != 2 {
		t.Errorf("%d candidates, %d victims", len(e.Candidates), len(e.Victims))
	}
}
