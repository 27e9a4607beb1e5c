package golden

// Policy is one that no scheduler has. The answer to such a case comes from brute
// force over all sets of victims, and holds no statuses and no reasons.
type Policy struct {
	Victims  string   `json:"victims"`  // "reprieve" or "best"
	Budgets  string   `json:"budgets"`  // "exact" or "respected"
	Criteria []string `json:"criteria"` // the order in which they are applied
}

// policyAnswer is what is recorded of an answer to a case with a policy.
type policyAnswer struct {
	Outcome       string      `json:"outcome"`
	FitNodes      []string    `json:"fitNodes,omitempty"`
	Best          []string    `json:"best,omitempty"`
	Node          string      `json:"node,omitempty"`
	Victims       []string    `json:"victims,omitempty"`
	PDBViolations *int64      `json:"pdbViolations,omitempty"`
	Candidates    []Candidate `json:"candidates,omitempty"`
}

// recorded returns what is written of a case: for one with a policy, its answers
// without what is not recorded of them.
func (c *Case) recorded() any {
	if c.Policy == nil {
		return c
	}
	want := make(map[string]policyAnswer, len(c.Want))
	for release, a := range c.Want {
		p := policyAnswer{Outcome: a.Outcome, FitNodes: a.FitNodes, Best: a.Best, Node: a.Node, Victims: a.Victims, Candidates: a.Candidates}
		if a.Outcome == Preempt {
			p.PDBViolations = &a.PDBViolations
		}
		want[release] = p
	}
	return struct {
		Case
		Want map[string]policyAnswer `json:"want"`
	}{*c, want}
}
