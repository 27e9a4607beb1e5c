package explanation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const GroupKind = "GroupExplanation"

// A GroupExplanation says what becomes of a gang of pending pods.
type GroupExplanation struct {
	metav1.TypeMeta `json:",inline"`

	KubernetesVersion string `json:"kubernetesVersion"`
	GroupDecision     `json:",inline"`
	Warnings          []string `json:"warnings,omitempty"`
}

// A GroupDecision is the decision on a gang as a whole. Its fields mean what they
// mean for a pod.
type GroupDecision struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Priority  int32  `json:"priority"`
	// MinCount is how many pods have to be placed for the gang to start.
	MinCount    int    `json:"minCount"`
	State       string `json:"state"`
	StateReason string `json:"stateReason,omitempty"`
	Outcome     string `json:"outcome"`
	Reason      string `json:"reason,omitempty"`
	// Assignments say where each pending member goes, in the order in which they are
	// placed.
	Assignments   []Assignment  `json:"assignments"`
	Victims       []Victim      `json:"victims"`
	PDBViolations int           `json:"pdbViolations"`
	WaitsFor      []Terminating `json:"waitsFor,omitempty"`
	// Message is kube-scheduler's text about the gang's preemption.
	Message string `json:"message,omitempty"`
}

// An Assignment is the place of a member.
type Assignment struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Node is "" for a member that is not placed; Reason says why.
	Node   string `json:"node,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// DeepCopyObject makes the type one that Kubernetes printers print.
func (e *GroupExplanation) DeepCopyObject() runtime.Object { return deepCopy(e) }
