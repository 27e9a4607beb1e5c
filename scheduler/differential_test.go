package scheduler_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"example.com/preemption"
	"example.com/preemption/kube"
	"example.com/preemption/scheduler"
)

var clusters = flag.Int("clusters", 400, "how many clusters of each flavour the library and the scheduler are compared on")

// The library with the scheduler's plugins decides as the scheduler does: node
// by node, before and after the dry run, with the same victims and violations.
func TestDecidesAsUpstream(t *testing.T) {
	clusters := *clusters
	if testing.Short() {
		clusters = min(clusters, 40)
	}
	for name, f := range map[string]flavour{
		"affinity":            {affinity: true},
		"anti-affinity":       {antiAffinity: true},
		"spread":              {spread: true},
		"everything":          {affinity: true, antiAffinity: true, spread: true},
		"volumes":             {volumes: true},
		"groups":              {groups: true},
		"groups and affinity": {affinity: true, antiAffinity: true, groups: true},
		"groups and spread":   {spread: true, groups: true},
		"groups and volumes":  {volumes: true, groups: true},
	} {
		t.Run(name, func(t *testing.T) {
			var seen tally
			for seed := range clusters {
				w := &world{Rand: rand.New(rand.NewPCG(uint64(seed), 1)), flavour: f}
				objects, preemptor := w.cluster()
				want := upstream(t, objects, w.others(), preemptor)
				got := ours(t, objects, w.others(), preemptor)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("seed %d (-upstream +ours):\n%s", seed, diff)
				}
				seen.add(want)
			}
			t.Logf("%d clusters: %s", clusters, seen)
			if seen.candidates == 0 || seen.refused == 0 {
				t.Error("the clusters show nothing")
			}
		})
	}
}

// tally counts what the clusters had to show.
type tally struct{ rejected, fit, refused, hopeless, candidates int }

func (s *tally) add(v verdict) {
	if v.Rejected != "" {
		s.rejected++
	}
	for _, status := range v.Filtered {
		if status == "" {
			s.fit++
		} else {
			s.refused++
		}
	}
	s.hopeless += len(v.Statuses)
	s.candidates += len(v.Candidates)
}

func (s tally) String() string {
	return fmt.Sprintf("%d pods rejected outright; %d nodes fit, %d refuse; %d cannot be cleared, %d can", s.rejected, s.fit, s.refused, s.hopeless, s.candidates)
}

func ours(t *testing.T, objects *kube.Objects, others scheduler.Objects, pod *v1.Pod) verdict {
	t.Helper()
	state, err := objects.State(preemption.Release137)
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := preemption.NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	preemptor, err := kube.Pod(pod, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scheduler.New(others)
	if err != nil {
		t.Fatal(err)
	}
	v := verdict{Filtered: map[string]string{}, Statuses: map[string]string{}, Candidates: map[string]string{}}
	status, rejected, err := s.Rejection(preemptor, cluster)
	if err != nil {
		t.Fatal(err)
	}
	if rejected {
		v.Rejected = status.String()
		return v
	}
	// With these statuses no node counts as fitting, so that all potential ones
	// are dry-run, as in the scheduler's DryRunPreemption.
	filtered := map[*preemption.Node]preemption.Status{}
	first := preemption.Evaluator{Filters: s.Filters()}
	judged, err := first.Examine(context.Background(), cluster, preemptor)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range judged.Nodes {
		filtered[r.Node] = r.Filter
		switch {
		case r.Filter.Fits():
			v.Filtered[r.Node.Name] = ""
			filtered[r.Node] = preemption.Status{Code: preemption.Unresolvable}
		case r.Filter.Reasons[0] == "node(s) didn't satisfy plugin(s) [NodeAffinity]":
			// The scheduler does not filter nodes that PreFilter has ruled out.
		default:
			v.Filtered[r.Node.Name] = r.Filter.String()
		}
	}
	eager := *preemptor
	eager.NominatedNode = ""
	second := preemption.Evaluator{
		Filters:  s.Filters(),
		Statuses: func(n *preemption.Node) (preemption.Status, bool) { return filtered[n], true },
	}
	x, err := second.Examine(context.Background(), cluster, &eager)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range x.Nodes {
		switch {
		case r.Candidate != nil:
			v.Candidates[r.Node.Name] = cost(podNames(kubePods(r.Candidate.Pods())), r.Candidate.Violations, len(objects.PodGroups) > 0)
		case r.Examined:
			v.Statuses[r.Node.Name] = r.Status.String()
		}
	}
	return v
}

func kubePods(pods []*preemption.Pod) []*v1.Pod {
	var list []*v1.Pod
	for _, p := range pods {
		list = append(list, kube.PodOf(p))
	}
	return list
}
