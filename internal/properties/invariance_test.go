package properties

import (
	"slices"
	"testing"

	"example.com/preemption"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// decide examines the scenario and puts the decision in words.
func decide(t *rapid.T, e *preemption.Evaluator, s scenario) verdict {
	x, err := e.Examine(t.Context(), newCluster(t, s.state), s.preemptor)
	if err != nil {
		return verdict{Outcome: "error", Reason: err.Error()}
	}
	return verdictOf(x)
}

// The number of workers changes nothing, errors and sampling included.
func TestWorkersProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		e, _ := drawEvaluator(t, s)
		e.Parallelism = 1
		alone := decide(t, e, s)
		e.Parallelism = 8
		if diff := cmp.Diff(alone, decide(t, e, s)); diff != "" {
			t.Fatalf("8 workers decide otherwise (-1 +8):\n%s", diff)
		}
	})
}

// A node that evictions cannot help changes nothing for the others.
func TestIrrelevantNodeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		s.preemptor.Tolerations = filtered(s.preemptor.Tolerations, func(x preemption.Toleration) bool { return x.Key != "" })
		e := &preemption.Evaluator{}
		want := decide(t, e, s)
		s.state.Nodes = slices.Insert(slices.Clone(s.state.Nodes), rapid.IntRange(0, len(s.state.Nodes)).Draw(t, "at"),
			&preemption.Node{Name: "irrelevant", Taints: []preemption.Taint{{Key: "nobody tolerates this", Value: "z", Effect: preemption.NoExecute}}})
		x := decide(t, e, s)
		x.Statuses = filtered(x.Statuses, func(s string) bool {
			return s != "irrelevant TaintToleration UnschedulableAndUnresolvable: node(s) had untolerated taint(s)"
		})
		if want.Outcome == "error" && x.Outcome == "error" {
			return // names differ in the text of errors
		}
		if diff := cmp.Diff(want, x); diff != "" {
			t.Fatalf("with an irrelevant node (-without +with):\n%s", diff)
		}
	})
}

// With UIDs the order in which pods and groups are listed does not matter; nor,
// where a pod has only one budget, does that of budgets.
func TestShuffledPodsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		for _, p := range s.state.Pods {
			if p.UID == "" {
				p.UID = p.String()
			}
		}
		// Nominated pods are listed, and cleared, in the order of nomination.
		normal := func(v verdict) verdict {
			slices.Sort(v.ClearNominations)
			return v
		}
		e := &preemption.Evaluator{}
		want := normal(decide(t, e, s))
		s.state.Pods = rapid.Permutation(s.state.Pods).Draw(t, "pods")
		if len(s.state.PodGroups) > 0 {
			s.state.PodGroups = rapid.Permutation(s.state.PodGroups).Draw(t, "groups")
		}
		if len(s.state.CompositePodGroups) > 0 {
			s.state.CompositePodGroups = rapid.Permutation(s.state.CompositePodGroups).Draw(t, "composites")
		}
		if diff := cmp.Diff(want, normal(decide(t, e, s))); diff != "" {
			t.Fatalf("with pods in another order (-before +after):\n%s", diff)
		}
	})
}

// Names mean nothing: other names for nodes and pods, in another order of the
// alphabet, give the same decision under those names.
func TestRenamedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		for _, p := range s.state.Pods { // where a UID is missing the name decides
			if p.UID == "" {
				p.UID = p.String()
			}
		}
		want := decideByIndex(t, s)
		rename := map[string]string{}
		for i, n := range s.state.Nodes {
			other := string(rune('z'-i)) + n.Name
			rename[n.Name], n.Name = other, other
		}
		to := func(name string) string {
			if other, ok := rename[name]; ok {
				return other
			}
			return name
		}
		for _, p := range append(slices.Clone(s.state.Pods), s.preemptor) {
			if p.NodeName = to(p.NodeName); p.NodeName == "" {
				p.NominatedNode = to(p.NominatedNode)
			}
		}
		for i, p := range s.state.Pods {
			if p == s.preemptor {
				continue
			}
			was := p.Name
			p.Name = string(rune('z'-i)) + was
			for _, b := range s.state.DisruptionBudgets {
				for k := range b.Disrupted {
					if b.Disrupted[k] == was {
						b.Disrupted[k] = p.Name
					}
				}
			}
		}
		if diff := cmp.Diff(want, decideByIndex(t, s)); diff != "" {
			t.Fatalf("renamed (-before +after):\n%s", diff)
		}
	})
}

// decideByIndex names what was decided by places in the lists.
func decideByIndex(t *rapid.T, s scenario) (decision struct {
	Outcome  string
	Node     int
	Victims  []int
	Statuses []string
}) {
	x, err := (&preemption.Evaluator{}).Examine(t.Context(), newCluster(t, s.state), s.preemptor)
	if err != nil {
		t.Fatal(err)
	}
	decision.Outcome = x.Outcome.String()
	decision.Node = slices.Index(s.state.Nodes, x.Node)
	for _, p := range (&preemption.Candidate{Victims: x.Victims}).Pods() {
		decision.Victims = append(decision.Victims, slices.Index(s.state.Pods, p))
	}
	for i := range x.Nodes {
		decision.Statuses = append(decision.Statuses, x.Nodes[i].Status.String())
	}
	return decision
}
