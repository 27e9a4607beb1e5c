package command

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files of expected output; then read the difference")

// What users see, in full. The files are read by people before they are accepted.
func TestOutput(t *testing.T) {
	explain := func(args ...string) []string { return append([]string{"explain", "--example"}, args...) }
	states := func(args ...string) []string {
		return append([]string{"explain", "-f", "testdata/states.yaml"}, args...)
	}
	gangs := func(args ...string) []string {
		return append([]string{"explain", "-f", "testdata/gangs.yaml", "-n", "ml"}, args...)
	}
	for _, tc := range []struct {
		name string
		code int
		args []string
	}{
		{"example.txt", ExitYes, explain()},
		{"example-wide.txt", ExitYes, explain("-o", "wide")},
		{"example-steps.txt", ExitYes, explain("--steps")},
		{"example.json", ExitYes, explain("-o", "json")},
		{"example.yaml", ExitYes, explain("-o", "yaml")},
		{"example.html", ExitYes, explain("-o", "html")},
		{"fits.txt", ExitYes, explain("newsletter")},
		{"queue.txt", ExitYes, explain("--all-pending")},
		{"queue-steps.txt", ExitYes, explain("--all-pending", "--steps")},
		{"queue.json", ExitYes, explain("--all-pending", "-o", "json")},
		{"min-priority.txt", ExitYes, explain("--min-priority")},
		{"what-if-cpu.txt", ExitYes, explain("--what-if", "cpu=3500m")},
		{"what-if-priority.txt", ExitNo, explain("--what-if", "priority=100")},
		{"what-if-budget.txt", ExitYes, explain("--what-if", "budget web=1")},
		{"what-if-two.txt", ExitYes, explain("--what-if", "cpu=1", "--what-if", "memory=1Gi")},
		{"what-if-node.txt", ExitYes, explain("--what-if", "node node-a=add")},
		{"replicas.txt", ExitNo, explain("--pod-file", "testdata/deployment.yaml", "--replicas", "12")},
		{"unhelpful.txt", ExitNo, explain("--pod-file", "testdata/giant.yaml", "--min-priority")},
		{"unhelpful.json", ExitNo, explain("--pod-file", "testdata/giant.yaml", "--min-priority", "-o", "json")},
		{"ineligible.txt", ExitNo, explain("--pod-file", "testdata/polite.yaml", "--steps", "--min-priority")},
		{"policy-best.txt", ExitYes, explain("--victims", "best")},
		{"policy-respected.json", ExitYes, explain("--victims", "best", "--budgets", "respected", "-o", "json")},
		{"release-1.36.txt", ExitYes, explain("--kubernetes-version", "1.36")},

		{"state-fits.txt", ExitYes, states("small", "-n", "team")},
		{"state-under-way.txt", ExitNo, states("urgent", "-n", "team")},
		{"state-stuck.txt", ExitNo, states("pod/patient", "-n", "ops")},
		{"state-stuck.html", ExitNo, states("pod/patient", "-n", "ops", "-o", "html")},
		{"state-preempts.txt", ExitYes, states("pod", "middle", "-n", "team")},
		{"state-no-help.txt", ExitNo, states("giant", "-n", "team")},
		{"state-no-help.html", ExitNo, states("giant", "-n", "team", "-o", "html")},
		{"state-never.txt", ExitNo, states("team/polite", "--min-priority")},
		{"state-gated.txt", ExitNotTried, states("gated", "-n", "ml")},
		{"state-gated.json", ExitNotTried, states("gated", "-n", "ml", "-o", "json")},
		{"state-foreign.txt", ExitNotTried, states("foreign", "-n", "ml")},
		{"state-second.txt", ExitYes, states("foreign", "-n", "ml", "--scheduler-name", "batch-scheduler")},
		{"state-queue-second.txt", ExitYes, states("--all-pending", "--scheduler-name", "batch-scheduler")},
		{"state-leaving.txt", ExitNotTried, states("leaving", "-n", "ml")},
		{"state-devices.txt", ExitNotTried, states("devices", "-n", "ml")},
		{"state-queue.txt", ExitNo, states("--all-pending")},
		{"state-queue-team.txt", ExitNo, states("--all-pending", "-n", "team", "-l", "app")},
		{"state-queue.json", ExitNo, states("--all-pending", "-o", "json")},

		{"gang.txt", ExitYes, gangs("podgroup/training")},
		{"gang.json", ExitYes, gangs("podgroup", "training", "-o", "json")},
		{"gang-member.txt", ExitYes, gangs("t-2")},
		{"gang-forming.txt", ExitNotTried, gangs("podgroup/forming")},
		{"gang-huge.txt", ExitNo, gangs("podgroup/huge")},
		{"gang-loose.txt", ExitYes, gangs("l-1")},
		{"gang-queue.txt", ExitNo, gangs("--all-pending")},

		{"who.txt", ExitNo, []string{"who", "-f", "testdata/past.yaml"}},
		{"who.json", ExitNo, []string{"who", "-f", "testdata/past.yaml", "-o", "json"}},
		{"who-none.txt", ExitYes, []string{"who", "--example"}},
		{"audit.txt", ExitNo, []string{"audit", "-f", "testdata/audit.yaml"}},
		{"audit-wide.txt", ExitNo, []string{"audit", "-f", "testdata/audit.yaml", "-n", "batch", "-o", "wide"}},
		{"audit.json", ExitNo, []string{"audit", "-f", "testdata/audit.yaml", "-o", "json"}},
		{"audit-default.json", ExitYes, []string{"audit", "-f", "testdata/audit-default.yaml", "-o", "json"}},
		{"can-evict.txt", ExitNo, []string{"can-evict", "search-2", "--example"}},
		{"can-evict.json", ExitNo, []string{"can-evict", "search-2", "--example", "-o", "json"}},
		{"can-evict-other.txt", ExitYes, []string{"can-evict", "pod/web-1", "--example"}},
		{"can-evict-static.txt", ExitYes, []string{"can-evict", "etcd-n1", "-n", "kube-system", "-f", "testdata/audit.yaml"}},
		{"capacity.txt", ExitYes, []string{"capacity", "--example", "--class", "urgent", "--requests", "cpu=1,memory=1Gi"}},
		{"capacity.json", ExitYes, []string{"capacity", "--example", "--class", "urgent", "--requests", "cpu=1,memory=1Gi", "-o", "json"}},
		{"capacity-none.txt", ExitNo, []string{"capacity", "--example", "--priority", "0", "--requests", "cpu=9"}},
		{"capacity-most.txt", ExitYes, []string{"capacity", "--example", "--pod-file", "testdata/deployment.yaml", "--most", "3"}},
		{"simulate.txt", ExitYes, []string{"simulate", "--example"}},
		{"simulate-wide.txt", ExitYes, []string{"simulate", "--example", "-o", "wide"}},
		{"simulate.json", ExitYes, []string{"simulate", "--example", "-o", "json"}},
		{"simulate-states.txt", ExitNo, []string{"simulate", "-f", "testdata/states.yaml"}},
		{"simulate-gangs.txt", ExitNo, []string{"simulate", "-f", "testdata/gangs.yaml"}},
		{"simulate-thrash.txt", ExitNo, []string{"simulate", "-f", "testdata/thrash.yaml"}},
		{"simulate-replicas.txt", ExitYes, []string{"simulate", "--example", "--pod-file", "testdata/deployment.yaml", "--replicas", "5"}},
		{"help.txt", ExitYes, []string{"--help"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, got, stderr := run(nil, tc.args...)
			if code != tc.code || stderr != "" {
				t.Fatalf("exit code %d, want %d: %s", code, tc.code, stderr)
			}
			reviewed(t, tc.name, got)
		})
	}
}

// reviewed compares output with the file of that name.
func reviewed(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
