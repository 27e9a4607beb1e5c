package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func run(t *testing.T, text string) []string {
	t.Helper()
	f, err := Parse("test.txt", text)
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	return outputs
}

// An error of the reader names the file and the line, and says what to do.
func TestErrors(t *testing.T) {
	const valid = "cluster\nnode n1 cpu=1\npod a on=n1\n----\n\n"
	for _, c := range []struct{ text, want string }{
		{"cluster\nnode n1\n", `test.txt:1: the directive has no end: put a line ---- after its input`},
		{"# why\n----\n", `test.txt:2: output without a directive before it: write the directive, or remove the ----`},
		{"cluster\n\nnode n1\n----\n", `test.txt:2: an empty line inside the input of the directive on line 1: end its input with ----`},
		{"# why\nclutser\n----\n", `test.txt:2: directive "clutser" is not known: the package documentation lists them`},
		{"x=1\n----\n", `test.txt:1: it begins with x=1: begin with a word that says what the line is`},
		{"cluster now\n----\n", `test.txt:1: cluster: "now" is not expected here: remove it`},
		{"cluster\nnoed n1\n----\n", `test.txt:2: "noed" is not known here: want node, pod, pdb, group or composite`},
		{"cluster\nnode\n----\n", `test.txt:2: node: the node's name is missing`},
		{"cluster\nnode n1 n2\n----\n", `test.txt:2: node: "n2" is not expected here: remove it, or write key=value`},
		{"cluster\nnode n1 cpu=four\n----\n", `test.txt:2: cpu=four is not a quantity: want something like 4, 500m or 8Gi`},
		{"cluster\nnode n1 cpu=0.0001\n----\n", `test.txt:2: cpu=0.0001 is not a whole number of millicores that an int64 holds`},
		{"cluster\nnode n1 taint=k\n----\n", `test.txt:2: taint=k has no effect: write key=value:Effect or key:Effect`},
		{"cluster\npod a prio=2147483648\n----\n", `test.txt:2: prio=2147483648 is not an integer of 32 bits`},
		{"cluster\npod a prio=1 prio=2\n----\n", `test.txt:2: prio= is there 2 times: give it once`},
		{"cluster\npod a policy=always\n----\n", `test.txt:2: policy=always is not known: want never or lower-priority`},
		{"cluster\npod a port=http\n----\n", `test.txt:2: port=http: "http" is not a port number: write something like 80, 80/UDP or 80/TCP@10.0.0.1`},
		{"cluster\npod a start=noon\n----\n", `test.txt:2: start=noon is not a number of seconds`},
		{"cluster\npod a toleration=(key=k\n----\n", `test.txt:2: a ( that is not closed: add the )`},
		{"cluster\npod a toleration=key=k)\n----\n", `test.txt:2: a ) without a ( before it: balance them`},
		{"cluster\npod a app=\"web\n----\n", `test.txt:2: a quote that is not closed: add the other '"'`},
		{"cluster\npod a =web\n----\n", `test.txt:2: "=web" has nothing before the =: write key=value`},
		{"cluster\npod a toleration=(key=k colour=red)\n----\n", `test.txt:2: pod: colour= is not known here: the package documentation lists what is`},
		{"cluster\npdb web allowed=1\n----\n", `test.txt:2: pdb: it has no selector: write labels such as app=web, expr=(…), selector=empty or selector=none`},
		{"cluster\npdb web selector=empty app=web\n----\n", `test.txt:2: selector=empty: want selector=empty or selector=none, and then no labels`},
		{"cluster\npdb web expr=(app)\n----\n", `test.txt:2: expr=(app): want (KEY OPERATOR) or (KEY OPERATOR VALUE,VALUE)`},
		{"preempt h\n----\n", `test.txt:1: preempt needs a cluster, and there is none: put a valid cluster directive before it`},
		{valid + "preempt\n----\n", `test.txt:6: preempt: the pod's name is missing`},
		{valid + "preempt h release=1.35\n----\n", `test.txt:6: release=1.35: preemption: unknown release "1.35": want 1.36, 1.37 or 1.38`},
		{valid + "select node=n2 h\n----\n", `test.txt:6: select: node=n2 is not in the cluster: name one that is`},
		{valid + "filter-pdb b\n----\n", `test.txt:6: filter-pdb: no pod b runs in the cluster: name those that do, or none for all of them`},
		{valid + "update\ndelete pod a\n----\n", `test.txt:7: "delete" is not known here: want add, update, set, remove or nominate`},
		{valid + "update\nset node n1\n----\n", `test.txt:7: set node is not known: nodes and pods are added and updated; groups, composites and pdbs are set`},
		{valid + "update\nremove nodes n1\n----\n", `test.txt:7: remove nodes is not known: want node, pod, group, composite or pdb`},
		{valid + "update\nnominate b n1\n----\n", `test.txt:7: nominate: there is no pod b: add it first`},
		{valid + "evaluator\nspear app=db\n----\n", `test.txt:7: "spear" is not known here: want spare, spare-young, spare-near, per-owner, compare, orders, victims, budgets, contrast, sampling, extender, filter or status`},
		{valid + "evaluator\norders best\n----\n", `test.txt:7: order "best" is not known: want violations, top-priority, priority-sum, pods, start or to-delete`},
		{valid + "evaluator\nfilter away\n----\n", `test.txt:7: filter "away" is not known: want only, near, apart, fail, calls or count`},
		{valid + "evaluator\nfilter fail at=end\n----\n", `test.txt:7: filter fail at=end is not known: want prepare, begin, add, remove or fits`},
		{valid + "evaluator\nstatus n1 maybe\n----\n", `test.txt:7: status: code "maybe" is not known: want fits, unschedulable or unresolvable`},
		{"pick\npod a\n----\n", `test.txt:2: "pod" is not known here: want candidate, and then pod`},
		{"sampling\nmany percent=1\n----\n", `test.txt:2: "many" is not a number of nodes`},
		{"disruptions\npdb expected=1\n----\n", `test.txt:2: "pdb" is not known here: want budget`},
	} {
		f, err := Parse("test.txt", c.text)
		if err == nil {
			_, err = f.Run()
		}
		if err == nil {
			t.Errorf("%q: no error, want %s", c.text, c.want)
		} else if err.Error() != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.text, err, c.want)
		}
	}
}

// A file that prints what it expects is written as it is.
func TestFormat(t *testing.T) {
	const text = `# Why.

# And why else.
cluster   # a comment
node n1   cpu=1
# A comment amid the input.
pod a on=n1 cpu=1
----

explain h cpu=1 prio=1 release=1.38
----
pod default/h: priority 1, requests cpu 1000m
.
node n1: Insufficient cpu
  without its 1 pod of lower priority: fits
  put back  default/a  priority 0  has to go: cpu short by 1000m (0m of 1000m free)
  cleared by evicting 1 pod, 0 budget violations
.
1 candidate; node n1 is cleared
  evict default/a, priority 0

# The end.
`
	f, err := Parse("test.txt", text)
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, f.Format(outputs)); diff != "" {
		t.Errorf("Format (-want +got):\n%s", diff)
	}
	if got := f.Blocks[1].Line(); got != 10 {
		t.Errorf("Line() = %d, want 10", got)
	}
}

func TestQuantities(t *testing.T) {
	for _, c := range []struct {
		resource, text string
		want           int64
		back           string
	}{
		{"cpu", "4", 4000, "4"},
		{"cpu", "500m", 500, "500m"},
		{"cpu", "1.5", 1500, "1500m"},
		{"cpu", "-1", -1000, "-1"},
		{"memory", "8Gi", 8 << 30, "8Gi"},
		{"memory", "1536Mi", 1536 << 20, "1536Mi"},
		{"memory", "1k", 1000, "1000"},
		{"memory", "9223372036854775807", 1<<63 - 1, "9223372036854775807"},
		{"example.com/gpu", "2", 2, "2"},
	} {
		got, err := parseQuantity(c.resource, c.text)
		if err != nil || got != c.want {
			t.Errorf("parseQuantity(%s, %s) = %d, %v; want %d", c.resource, c.text, got, err, c.want)
		}
		if back := formatQuantity(c.resource, got); back != c.back {
			t.Errorf("formatQuantity(%s, %d) = %s, want %s", c.resource, got, back, c.back)
		}
	}
	if _, err := parseQuantity("memory", "9223372036854775808"); err == nil {
		t.Error("parseQuantity accepts more than an int64 holds")
	}
}

// A disagreement between ways to decide must be seen: here they are told to want
// another answer.
func TestLawsCanFail(t *testing.T) {
	f, err := Parse("test.txt", "cluster\nnode n1 cpu=1\npod a on=n1 cpu=1\npod h prio=1 cpu=1\n----\n")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{}
	if _, err := w.cluster(&f.Blocks[0]); err != nil {
		t.Fatal(err)
	}
	c := w.clusters[releases[0]]
	h := w.model.pod(defaultNamespace, "h")
	right := w.ask(c, 1, h)
	if found := w.checkDecision(c, h, right, w.describe(c)); len(found) > 0 {
		t.Errorf("checkDecision of the right answer = %v, want nothing", found)
	}
	// Preempt with one worker and with eight, Examine, afresh, shuffled; the state.
	if found := w.checkDecision(c, h, "another", "another"); len(found) != 6 {
		t.Errorf("checkDecision of a wrong answer finds %d disagreements, want 6: %v", len(found), found)
	}
}

func TestAnswersThatDiffer(t *testing.T) {
	got := run(t, "cluster\nnode n1 cpu=1\npod a on=n1 cpu=1\n----\n\nmessage h prio=1 cpu=1\n----\n\nmessage h prio=1 cpu=1 release=1.37,1.38\n----\n")[1:]
	const success = "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node n1, preempting 1 victims"
	want := []string{
		"1.36:\n  0/1 nodes are available: 1 Insufficient cpu.\n1.37 1.38:\n  " + success,
		success,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzScenario: whatever the text, the reader and what it runs do not panic, and a
// file that was written reads as itself.
func FuzzScenario(f *testing.F) {
	files, err := filepath.Glob("../../testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no scenarios for seeds: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("fuzz.txt", text)
		if err != nil {
			return
		}
		wants := make([]string, len(file.Blocks))
		for i := range file.Blocks {
			wants[i] = file.Blocks[i].Want
		}
		written := file.Format(wants)
		again, err := Parse("fuzz.txt", written)
		if err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, written)
		}
		if twice := again.Format(wants); twice != written {
			t.Fatalf("written twice it differs:\n%s\n----\n%s", written, twice)
		}
		outputs, err := file.Run()
		if err != nil {
			return
		}
		for i, out := range outputs {
			if strings.Contains(out, Disagreement) && !strings.Contains(file.Blocks[i].directive.raw, Disagreement) {
				t.Errorf("line %d: %s\n%s", file.Blocks[i].Line(), file.Blocks[i].directive.raw, out)
			}
		}
	})
}
