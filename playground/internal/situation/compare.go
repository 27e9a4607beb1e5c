package situation

import (
	"context"

	"example.com/preemption"
)

// A Variant is the decision under other rules.
type Variant struct {
	Release string   `json:"release"`
	Victims string   `json:"victims"`
	Budgets string   `json:"budgets"`
	Own     bool     `json:"own"` // these are the situation's own rules
	Outcome string   `json:"outcome"`
	Node    string   `json:"node,omitempty"`
	Evicted []string `json:"evicted,omitempty"`
	// Violations of the decision.
	Violations int    `json:"violations"`
	Error      string `json:"error,omitempty"`
}

// Compare decides under every release, and under every other policy of the
// situation's own release. The situation's own rules come first.
func (s *Situation) Compare(ctx context.Context) ([]Variant, error) {
	if len(s.Pending) == 0 {
		return nil, errNothingPending
	}
	own := Variant{Release: s.Release, Victims: orElse(s.Victims, "reprieve"), Budgets: orElse(s.Budget, "as-upstream"), Own: true}
	variants := []Variant{own}
	add := func(release, victims, budgets string) {
		v := Variant{Release: release, Victims: victims, Budgets: budgets}
		if release != own.Release || victims != own.Victims || budgets != own.Budgets {
			variants = append(variants, v)
		}
	}
	for _, release := range preemption.Releases() {
		add(release.String(), own.Victims, own.Budgets)
	}
	for _, victims := range []string{"reprieve", "best"} {
		for _, budgets := range []string{"as-upstream", "exact", "respected"} {
			add(own.Release, victims, budgets)
		}
	}

	clusters := map[string]*preemption.Cluster{} // by release
	for i := range variants {
		v := &variants[i]
		other := *s
		other.Release, other.Victims, other.Budget = v.Release, v.Victims, v.Budgets
		if err := other.vary(ctx, clusters, v); err != nil {
			v.Error = err.Error()
		}
	}
	return variants, nil
}

// vary fills in the decision under the situation's rules.
func (s *Situation) vary(ctx context.Context, clusters map[string]*preemption.Cluster, v *Variant) error {
	e, err := s.Evaluator()
	if err != nil {
		return err
	}
	state, pending, err := s.State()
	if err != nil {
		return err
	}
	c := clusters[s.Release]
	if c == nil {
		if c, err = preemption.NewCluster(state); err != nil {
			return err
		}
		clusters[s.Release] = c
	}
	if s.Gang != nil {
		g, planner := s.gang(pending)
		r, err := e.PreemptGroup(ctx, c, g, planner)
		if err != nil {
			return err
		}
		v.Outcome, v.Evicted, v.Violations = r.Outcome.String(), namesOf(r.Victims), r.Violations
		return nil
	}
	r, err := e.Preempt(ctx, c, first(pending))
	if err != nil {
		return err
	}
	v.Outcome, v.Evicted, v.Violations = r.Outcome.String(), namesOf(r.Victims), r.Violations
	if r.Node != nil {
		v.Node = r.Node.Name
	}
	return nil
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
