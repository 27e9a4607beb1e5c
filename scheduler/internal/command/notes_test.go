package command

import (
	"strings"
	"testing"
)

// What is missing from the input is said, with what that means; and only that.
func TestNotes(t *testing.T) {
	const pending = `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"p"},"spec":{"priority":10,
		"schedulingGroup":{"podGroupName":"g"},
		"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone","namespaceSelector":{"matchLabels":{"a":"b"}}}]}},
		"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}],"containers":[{"name":"a"}]}}`
	input := oneNode + pending + podJSON("lost", `{"nodeName":"n9"}`) + `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}}` +
		`{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"b"}}`
	_, stdout, stderr := run([]byte(input), "explain", "-f", "-", "p")
	for _, want := range []string{
		"passed over, as filters and preemption do not look at them here: v1 Secret",
		"passed over, as only other versions of their API can be read: policy/v1beta1 PodDisruptionBudget",
		"no PodDisruptionBudgets in the input: victims are chosen as if none of them was protected",
		"no Namespaces in the input: affinity terms that select namespaces by label select none",
		"1 pod is on a node that the input does not have, and does not count",
		"no PersistentVolumeClaims in the input: the pod's volumes were not looked at",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not said\n%s%s", want, stdout, stderr)
		}
	}
	_, stdout, _ = run(nil, "explain", "--example", "newsletter")
	if strings.Contains(stdout, "in the input") {
		t.Errorf("the example lacks nothing:\n%s", stdout)
	}
}

// A claim is looked at where claims are given, and then the other kinds matter.
func TestNotesOnVolumes(t *testing.T) {
	input := oneNode + `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"other"}}` +
		podJSON("p", `{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}],"containers":[{"name":"a"}]}`)
	code, stdout, stderr := run([]byte(input), "explain", "-f", "-", "p")
	for _, want := range []string{
		"no CSINodes, no PersistentVolumes, no StorageClasses in the input: what was found out about the pod's volumes may be wrong",
		// What rejects a pod as a whole is given once, not once a node.
		`0/1 nodes are available: persistentvolumeclaim "c" not found. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.`,
	} {
		if code != ExitNo || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d: %q is not said\n%s%s", code, want, stdout, stderr)
		}
	}
}

// A pod of no class has the default one's priority, if it is known.
func TestNoteOnClasses(t *testing.T) {
	const want = "no PriorityClasses in the input: the pod has priority 0, as if none was the default"
	class := `{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"normal"},"value":7,"globalDefault":true}`
	if _, stdout, stderr := run([]byte(oneNode+podJSON("p", `{}`)), "explain", "-f", "-", "p"); !strings.Contains(stdout, want) {
		t.Errorf("%q is not said\n%s%s", want, stdout, stderr)
	}
	if _, stdout, stderr := run([]byte(oneNode+class+podJSON("p", `{}`)), "explain", "-f", "-", "p"); strings.Contains(stdout, want) || !strings.Contains(stdout, "priority 7,") {
		t.Errorf("with a default class:\n%s%s", stdout, stderr)
	}
}
