package command

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"example.com/preemption/scheduler/explanation"
)

// Dumps in the shape that kinds of clusters have: labels, annotations, taints, forms
// of versions and kinds of objects as theirs. They are made up, no cluster was asked,
// and they have fewer fields and objects than a real one, so that they show that what
// is special to these clusters is read or passed over, and no more. The victim and
// the rules are read off each by hand.
func TestKindsOfClusters(t *testing.T) {
	for _, tc := range []struct {
		file, victim, rules string
		said                []string
	}{
		{"kind.yaml", "build-6d4cf56db6-x2x4k", "1.36", []string{"taint node-role.kubernetes.io/control-plane:NoSchedule"}},
		{"eks.json", "report-5c8d6f9b7-q8w2z", "1.36", []string{"the cluster is of version 1.34: the rules are those of 1.36", "taint dedicated=gpuGroup:NoSchedule"}},
		{"gke.json", "batch-7f6d5c4b3-h8j9k", "1.37", []string{"taint nvidia.com/gpu=present:NoSchedule"}},
		{"openshift.yaml", "legacy-1-n4x5b", "1.38", []string{"apps.openshift.io/v1 DeploymentConfig", "taint node-role.kubernetes.io/master:NoSchedule", "node(s) were unschedulable"}},
	} {
		t.Run(tc.file, func(t *testing.T) {
			input, err := os.ReadFile("testdata/clusters/" + tc.file)
			if err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := run(input, "explain", "-f", "-", "target", "-o", "json")
			if code != ExitYes {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			var e explanation.Explanation
			if err := json.Unmarshal([]byte(stdout), &e); err != nil {
				t.Fatal(err)
			}
			if len(e.Victims) != 1 || e.Victims[0].Name != tc.victim || e.KubernetesVersion != tc.rules {
				t.Errorf("victims %v by the rules of %s", e.Victims, e.KubernetesVersion)
			}
			for _, want := range tc.said {
				if !strings.Contains(stdout, want) {
					t.Errorf("%q is not said\n%s", want, stdout)
				}
			}
			for _, args := range [][]string{{"explain", "--all-pending"}, {"who"}, {"audit"}, {"can-evict", tc.victim}, {"capacity", "--priority", "5", "--requests", "cpu=1"}} {
				if code, _, stderr := run(input, append(args, "-f", "-")...); code == ExitError {
					t.Errorf("%v: %s", args, stderr)
				}
			}
		})
	}
}
