package golden

// The values of [Answer.Outcome].
const (
	Fits       = "fits"       // a node takes the pod without preemption
	Ineligible = "ineligible" // the pod must not preempt
	Unhelpful  = "unhelpful"  // no node can be cleared for the pod
	Preempt    = "preempt"
)

// Answer is what one release says about a case.
type Answer struct {
	Outcome string `json:"outcome"`
	// Reason is set where the outcome is Ineligible, and for a preempting
	// group, whose answer has no status for each node.
	Reason string `json:"reason,omitempty"`

	// Node is the chosen node and Best all nodes that the criteria of the
	// choice leave tied with it, both empty for a preempting group.
	Node string   `json:"node,omitempty"`
	Best []string `json:"best,omitempty"`
	// Places are the nodes that the scheduler found for the members of a group, in
	// the order of the case, where the case has given them none.
	Places []string `json:"places,omitempty"`
	// FitNodes are the nodes that take the pod as they are, by name.
	FitNodes []string `json:"fitNodes,omitempty"`

	// Victims are those on Node as namespace/name, most important first; by
	// name in cases with groups.
	Victims       []string `json:"victims,omitempty"`
	PDBViolations int64    `json:"pdbViolations"`
	// Candidates are sorted by node, or in the order of the scheduler if the
	// case has a Sampling.
	Candidates []Candidate `json:"candidates,omitempty"`

	// Statuses maps each node that does not take the pod to "Code: message":
	// that of the dry run if there was one and the node did not become a
	// candidate, that of the filters otherwise.
	Statuses map[string]string `json:"statuses,omitempty"`
	// PotentialNodes counts the nodes that evictions might help.
	PotentialNodes int `json:"potentialNodes"`

	// Message is the text of the FailedScheduling event. The recorded cases
	// do not have it; a judge fills it in.
	Message string `json:"message,omitempty"`
}

// Candidate is a node that can be cleared, and at what cost.
type Candidate struct {
	Node          string   `json:"node"`
	Victims       []string `json:"victims"`
	PDBViolations int64    `json:"pdbViolations"`
}
