package preemption

import "errors"

// A StepError says at which step of the work on which node, and with which pod,
// something failed.
type StepError struct {
	Step string // "begin", "remove pod", "add pod", "test fit", ...
	Node string
	Pod  string // namespace/name, "" where no single pod is at fault
	Err  error
}

func (e *StepError) Error() string {
	s := "preemption: node " + e.Node + ": " + e.Step
	if e.Pod != "" {
		s += " " + e.Pod
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns what failed.
func (e *StepError) Unwrap() error { return e.Err }

var (
	// ErrNoNodes is returned for a cluster without nodes.
	ErrNoNodes = errors.New("no nodes available")
	// ErrNoVictim marks a node on which, before 1.38, the preemptor was found to
	// fit with nothing evicted although its status says that it does not.
	ErrNoVictim = errors.New("expected at least one victim pod")

	errNotOnNode = errors.New("the pod is not on the node")
	errOverflow  = errors.New("the sum of requests exceeds what an int64 holds")
)
