package generate

import (
	"fmt"

	"example.com/preemption/internal/golden"
)

// makeBudgets adds budgets, whose order matters.
func (g *generator) makeBudgets() {
	for i := range g.count(g.shape.budgets) {
		b := golden.PDB{
			Namespace: "default",
			Name:      fmt.Sprintf("b%d", i),
			Allowed:   pick[int32](g, 0, 0, 0, 1, 1, 2, 3, -1),
		}
		if g.chance(g.shape.namespaces) {
			b.Namespace = "other"
		}
		if g.chance(g.shape.odd) {
			b.Selector = g.oddSelector()
		} else {
			b.Selector = g.selector()
		}
		if g.chance(g.shape.disrupted) {
			for range 1 + g.rng.IntN(3) {
				b.DisruptedPods = append(b.DisruptedPods, pick(g, g.podName(), g.podName(), "gone"))
			}
		}
		g.c.PDBs = append(g.c.PDBs, b)
	}
}

// podName returns the name of a pod, which need not be one that budgets cover.
func (g *generator) podName() string {
	if len(g.c.Pods) == 0 {
		return "gone"
	}
	return pick(g, g.c.Pods...).Name
}

// selector returns a selector that covers some of the pods.
func (g *generator) selector() *golden.Selector {
	s := &golden.Selector{}
	if g.chance(0.5) {
		s.MatchLabels = map[string]string{"app": pick(g, apps...)}
		if g.chance(0.2) {
			s.MatchLabels["tier"] = pick(g, tiers...)
		}
	}
	for len(s.MatchLabels)+len(s.MatchExpressions) == 0 || g.chance(0.15) {
		s.MatchExpressions = append(s.MatchExpressions, g.requirement())
	}
	return s
}

func (g *generator) requirement() golden.Requirement {
	r := golden.Requirement{Key: pick(g, "app", "app", "tier"), Operator: pick(g, "In", "NotIn", "Exists", "DoesNotExist")}
	if r.Operator == "In" || r.Operator == "NotIn" {
		pool := apps
		if r.Key == "tier" {
			pool = tiers
		}
		r.Values = []string{pick(g, pool...)}
		if g.chance(0.5) {
			r.Values = append(r.Values, pick(g, pool...))
		}
	}
	return r
}

// oddSelector returns a selector that is nil, has no terms, or is invalid.
func (g *generator) oddSelector() *golden.Selector {
	invalid := func(r golden.Requirement) *golden.Selector {
		return &golden.Selector{MatchExpressions: []golden.Requirement{r}}
	}
	switch g.rng.IntN(7) {
	case 0:
		return nil
	case 1, 6:
		return &golden.Selector{}
	case 2:
		return invalid(golden.Requirement{Key: "app", Operator: "Like", Values: []string{"a0"}})
	case 3:
		return invalid(golden.Requirement{Key: "app", Operator: "In", Values: []string{}})
	case 4:
		return invalid(golden.Requirement{Key: "tier", Operator: "Exists", Values: []string{"x"}})
	default:
		// Only one of the terms is invalid.
		s := g.selector()
		s.MatchExpressions = append(s.MatchExpressions, golden.Requirement{Key: "app", Operator: ""})
		return s
	}
}
