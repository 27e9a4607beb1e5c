package command

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/preemption/scheduler/explanation"
)

// Two nodes with a replica each, under a budget that allows one disruption.
const crowd = `
apiVersion: v1
kind: NodeList
items:
- {metadata: {name: n1}, status: {allocatable: {cpu: "4", pods: "9"}}}
- {metadata: {name: n2}, status: {allocatable: {cpu: "4", pods: "9"}}}
- {metadata: {name: n3}, status: {allocatable: {cpu: "1", pods: "9"}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {namespace: default, name: web}
spec: {selector: {matchLabels: {app: web}}}
status: {disruptionsAllowed: 1}
---
apiVersion: v1
kind: PodList
items:
- metadata: {namespace: default, name: web-1, labels: {app: web}}
  spec: {nodeName: n1, priority: 1, containers: [{name: a, resources: {requests: {cpu: "3"}}}]}
  status: {startTime: "2026-01-01T00:00:00Z"}
- metadata: {namespace: default, name: web-2, labels: {app: web}}
  spec: {nodeName: n2, priority: 1, containers: [{name: a, resources: {requests: {cpu: "3"}}}]}
  status: {startTime: "2026-01-02T00:00:00Z"}
- metadata: {namespace: default, name: young, creationTimestamp: "2026-01-05T00:00:00Z"}
  spec: {priority: 50, containers: [{name: a, resources: {requests: {cpu: "3"}}}]}
- metadata: {namespace: default, name: old, creationTimestamp: "2026-01-04T00:00:00Z"}
  spec: {priority: 50, containers: [{name: a, resources: {requests: {cpu: "3"}}}]}
- metadata: {namespace: default, name: small, creationTimestamp: "2026-01-03T00:00:00Z"}
  spec: {priority: 5, containers: [{name: a, resources: {requests: {cpu: "1"}}}]}
- metadata: {namespace: default, name: late, creationTimestamp: "2026-01-06T00:00:00Z"}
  spec: {priority: 5, containers: [{name: a, resources: {requests: {cpu: "1"}}}]}
- metadata: {namespace: default, name: last, creationTimestamp: "2026-01-07T00:00:00Z"}
  spec: {priority: 5, containers: [{name: a, resources: {requests: {cpu: "2"}}}]}
- metadata: {namespace: default, name: gated}
  spec: {priority: 90, schedulingGates: [{name: wait}], containers: [{name: a}]}
- metadata: {namespace: default, name: foreign}
  spec: {priority: 90, schedulerName: other, containers: [{name: a}]}
`

// The queue is worked off in order, and each pod meets what the ones before left
// behind: the first eviction uses the budget up, the second violates it; victims
// are still there, and the room they make is spoken for.
func TestQueue(t *testing.T) {
	code, stdout, stderr := run([]byte(crowd), "explain", "-f", "-", "--all-pending", "-o", "json")
	if code != ExitNo {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var list explanation.List
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list.Items {
		line := e.Pod.Name + ": " + e.Outcome
		if e.Node != "" {
			line += " " + e.Node
		}
		for _, v := range e.Victims {
			line += " -" + v.Name
		}
		if e.PDBViolations > 0 {
			line += " violating"
		}
		got = append(got, line)
	}
	want := []string{
		"old: preempt n2 -web-2",             // the later start of two equals
		"young: preempt n1 -web-1 violating", // the budget is used up
		"small: fits n3",
		// n3 is taken by small, its equal; but n2 has room to spare once web-2, which
		// is on its way out, is gone and old has come.
		"late: preempt n2 -web-2 violating",
		"last: unhelpful",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
