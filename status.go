package preemption

import (
	"errors"
	"strings"
)

// A Status is a filter's answer about one node. The zero value means that the
// preemptor fits.
type Status struct {
	Code    Code
	Filter  string   // the name of the filter that refused
	Reasons []string // why, in kube-scheduler's words; counted over nodes in messages
}

// A Code tells whether a node takes the preemptor and, if not, whether evicting
// pods can change that.
type Code uint8

const (
	Fits          Code = iota // the node takes the preemptor
	Unschedulable             // it does not, but evictions may help
	Unresolvable              // it does not, and no eviction on it helps
)

// String returns the name of the code in kube-scheduler's framework.
func (c Code) String() string {
	switch c {
	case Fits:
		return "Success"
	case Unschedulable:
		return "Unschedulable"
	}
	return "UnschedulableAndUnresolvable"
}

// Fits reports whether the node takes the preemptor.
func (s Status) Fits() bool { return s.Code == Fits }

// Message joins the reasons with commas.
func (s Status) Message() string { return strings.Join(s.Reasons, ", ") }

// String returns "Code: reasons".
func (s Status) String() string {
	if len(s.Reasons) == 0 {
		return s.Code.String()
	}
	return s.Code.String() + ": " + s.Message()
}

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
	// ErrStale marks what a decision is about and the cluster no longer has. To
	// decide again is the way on.
	ErrStale = errors.New("the decision is out of date")

	errNotOnNode = errors.New("the pod is not on the node")
	errOverflow  = errors.New("the sum of requests exceeds what an int64 holds")
)
