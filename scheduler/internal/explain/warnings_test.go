package explain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/dump"
	"example.com/preemption/scheduler/internal/situation"
)

// All that the scheduler keeps to itself, once each.
func TestWarnings(t *testing.T) {
	budget := func(name string, allowed int32) explanation.Budget {
		return explanation.Budget{Namespace: "shop", Name: name, DisruptionsAllowed: allowed}
	}
	victim := func(namespace, name, kind, owner string, budgets ...explanation.Budget) explanation.Victim {
		v := explanation.Victim{Namespace: namespace, Name: name, Budgets: budgets}
		if kind != "" {
			v.Owner = &explanation.Owner{Kind: kind, Name: owner}
		}
		return v
	}
	e := explanation.Explanation{
		Victims: []explanation.Victim{
			victim("shop", "web-1", "ReplicaSet", "web", budget("web", 0), budget("all", 3)),
			victim("shop", "web-2", "ReplicaSet", "web", budget("web", 0)),
			victim("shop", "web-3", "ReplicaSet", "web"),
			victim("ops", "logs", "DaemonSet", "logs"),
			victim("ops", "bare", "", ""),
			victim("ops", "db-0", "StatefulSet", "db"),
			victim("ops", "proxy-n1", "Node", "n1"),
		},
		LongestGracePeriodSeconds: 600,
		LostNominations:           []explanation.Reference{{Namespace: "shop", Name: "waiting"}},
	}
	gone := victim("ops", "leaving", "ReplicaSet", "other")
	gone.Terminating = true
	e.Victims = append(e.Victims, gone)
	x := &preemption.Examination{Potential: 1000, Candidates: make([]*preemption.Candidate, 2)}
	want := []string{
		"victim ops/logs belongs to DaemonSet logs: it can go to no other node",
		"victim ops/bare has no controller: nobody creates it again",
		"victim ops/db-0 belongs to StatefulSet db: it comes back under its own name once it is gone for good, and only where its volumes can be attached",
		"victim ops/proxy-n1 is a static pod: its kubelet starts it again at once, so that evicting it frees nothing for long",
		"victim ops/leaving is on its way out already",
		"victim shop/web-1 is under several budgets (web, all), which evictions through the API would refuse",
		"budget shop/web was used up before: it allows 0 disruptions",
		"3 victims belong to ReplicaSet shop/web",
		"the node stays busy for up to 10m, the longest grace period of its victims",
		"pod shop/waiting loses its nomination to the node",
		"all 1000 potential nodes were looked at; the scheduler stops after about 100 candidates from a random start, and may choose worse",
	}
	mirror := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ops", Name: "proxy-n1", Annotations: map[string]string{v1.MirrorPodAnnotationKey: "x"}}, Spec: v1.PodSpec{NodeName: "n1"}}
	s, err := situation.New(&dump.Contents{Cluster: kube.Objects{
		Nodes: []*v1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}}, Pods: []*v1.Pod{mirror},
	}}, preemption.Release137)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, warnings(s, &Report{Explanation: e, Examination: x})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := warnings(s, &Report{Examination: &preemption.Examination{}}); len(got) > 0 {
		t.Errorf("%v of nothing", got)
	}
}
