package preemption

// A Node is plain data about one node. The package never modifies it; once it
// has been given to a [Cluster] the caller must not modify it either.
type Node struct {
	Name   string
	Labels map[string]string
	// Allocatable is what pods may request together. As in kube-scheduler a name
	// that is absent is an amount of zero, [PodCount] included: a node that does
	// not say how many pods it takes, takes none.
	Allocatable   Resources
	Taints        []Taint
	Unschedulable bool
	// Object is the caller's own node, carried through untouched.
	Object any
}

// A TaintEffect says what a taint does to pods that do not tolerate it.
type TaintEffect string

const (
	NoSchedule       TaintEffect = "NoSchedule"
	NoExecute        TaintEffect = "NoExecute"
	PreferNoSchedule TaintEffect = "PreferNoSchedule" // a wish, never a reason to refuse
)

// A Taint repels the pods that do not tolerate it.
type Taint struct {
	Key, Value string
	Effect     TaintEffect
}

// A Toleration lets a pod run on nodes with matching taints.
type Toleration struct {
	Key      string             // "" with [TolerationExists] matches every key
	Operator TolerationOperator // "" is [TolerationEqual]
	Value    string
	Effect   TaintEffect // "" matches every effect
}

// A TolerationOperator relates a toleration's value to a taint's.
type TolerationOperator string

const (
	TolerationEqual  TolerationOperator = "Equal"  // same key and same value
	TolerationExists TolerationOperator = "Exists" // same key, whatever the value
)

// Tolerates reports whether the toleration matches the taint. An operator that
// is not known matches nothing.
//
// It corresponds to ToleratesTaint of k8s.io/api's core/v1 with the comparison
// operators switched off, the default.
func (t Toleration) Tolerates(taint Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect {
		return false
	}
	if t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case "", TolerationEqual:
		return t.Value == taint.Value
	case TolerationExists:
		return true
	}
	return false
}

// tolerated reports whether any of the tolerations matches the taint.
func tolerated(tolerations []Toleration, taint Taint) bool {
	for _, t := range tolerations {
		if t.Tolerates(taint) {
			return true
		}
	}
	return false
}
