package explain

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/preemption"
	"example.com/preemption/scheduler/explanation"
)

// All that the scheduler keeps to itself, once each.
func TestWarnings(t *testing.T) {
	budget := func(name string, allowed int32) explanation.Budget {
		return explanation.Budget{Namespace: "shop", Name: name, DisruptionsAllowed: allowed}
	}
	e := &explanation.Explanation{
		Victims: []explanation.Victim{
			{Namespace: "shop", Name: "web-1", Owner: &explanation.Owner{Kind: "ReplicaSet", Name: "web"}, Budgets: []explanation.Budget{budget("web", 0), budget("all", 3)}},
			{Namespace: "shop", Name: "web-2", Owner: &explanation.Owner{Kind: "ReplicaSet", Name: "web"}, Budgets: []explanation.Budget{budget("web", 0)}},
			{Namespace: "shop", Name: "web-3", Owner: &explanation.Owner{Kind: "ReplicaSet", Name: "web"}},
			{Namespace: "ops", Name: "logs", Owner: &explanation.Owner{Kind: "DaemonSet", Name: "logs"}},
			{Namespace: "ops", Name: "bare"},
		},
		LongestGracePeriodSeconds: 600,
		LostNominations:           []explanation.Reference{{Namespace: "shop", Name: "waiting"}},
	}
	x := &preemption.Examination{Potential: 1000, Candidates: make([]*preemption.Candidate, 2)}
	want := []string{
		"victim ops/logs belongs to DaemonSet logs: it can go to no other node",
		"victim shop/web-1 is under several budgets (web, all), which evictions through the API would refuse",
		"budget shop/web was used up before: it allows 0 disruptions",
		"3 victims belong to ReplicaSet shop/web",
		"the node stays busy for up to 10m, the longest grace period of its victims",
		"pod shop/waiting loses its nomination to the node",
		"all 1000 potential nodes were looked at; the scheduler stops after about 100 candidates from a random start, and may choose worse",
	}
	if diff := cmp.Diff(want, warnings(e, x)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := warnings(&explanation.Explanation{}, &preemption.Examination{}); len(got) > 0 {
		t.Errorf("%v of nothing", got)
	}
}
