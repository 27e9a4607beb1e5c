package preemption

import "strings"

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
