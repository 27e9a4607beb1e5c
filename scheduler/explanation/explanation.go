// Package explanation defines what kubectl-preemption prints as JSON and YAML.
//
// The form is stable: within one APIVersion fields may be added, and none is
// renamed, removed or given another meaning. Lists are in a defined order and
// the same input gives the same output.
package explanation

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	APIVersion = "preemption.example.com/v1"
	Kind       = "Explanation"
	ListKind   = "ExplanationList"
)

// The values of [Explanation.State].
const (
	StateFits         = "fits"           // a node takes the pod as it is
	StateFitsOnceGone = "fits-once-gone" // a node takes it once what is terminating is gone; WaitsFor
	StateUnderWay     = "under-way"      // preemption for it is going on; WaitsFor
	StatePreempts     = "would-preempt"  // pods would be evicted for it
	StateNoHelp       = "no-help"        // neither fits nor may, or can, be helped by preemption
	StateNotTried     = "not-tried"      // the scheduler does not try it; StateReason
)

// The values of [Explanation.Outcome].
const (
	Fits       = "fits"       // a node takes the pod as it is
	Ineligible = "ineligible" // the pod may not preempt; Reason says why
	Unhelpful  = "unhelpful"  // no eviction makes room for it anywhere
	Preempt    = "preempt"    // clearing Node of Victims makes room
)

// An Explanation says what becomes of one pending pod, and why.
type Explanation struct {
	metav1.TypeMeta `json:",inline"`

	// KubernetesVersion is the minor whose rules of preemption were followed.
	KubernetesVersion string `json:"kubernetesVersion"`
	Pod               Pod    `json:"pod"`
	// State is what the pod is in, for people to act on. Outcome is kube-scheduler's
	// decision, and for a pod that is not tried what it would be.
	State string `json:"state,omitempty"`
	// StateReason says why the pod is not tried, or what is stuck.
	StateReason string `json:"stateReason,omitempty"`
	Outcome     string `json:"outcome"`
	// Reason says why not, for the outcome ineligible.
	Reason string `json:"reason,omitempty"`
	// Node is the node to clear; for the outcome fits, the first that fits.
	Node string `json:"node,omitempty"`
	// Victims are the pods to evict, most important first.
	Victims []Victim `json:"victims"`
	// PDBViolations counts the victims whose eviction violates a budget.
	PDBViolations int `json:"pdbViolations"`
	// DecidedBy names the criterion that chose the node among the candidates, ""
	// if there was no other candidate, or none of equal worth came earlier.
	DecidedBy string `json:"decidedBy,omitempty"`
	// FitNodes take the pod as they are.
	FitNodes []string `json:"fitNodes"`
	// Candidates are the nodes that can be cleared, in the order of the input.
	Candidates []Candidate `json:"candidates"`
	// PotentialNodes counts the nodes that evictions might help.
	PotentialNodes int `json:"potentialNodes"`
	// Statuses maps each node that does not take the pod to a code and the reasons:
	// those that remain without the pods of lower priority, or, where nobody was
	// taken away or the node is a candidate, those with every pod in place.
	Statuses map[string]string `json:"statuses"`
	// Details maps nodes to what their status does not say: the taint that is not
	// tolerated, the pods that hold the room.
	Details map[string]string `json:"details,omitempty"`
	// WaitsFor are the terminating pods that the pod waits for.
	WaitsFor []Terminating `json:"waitsFor,omitempty"`
	// PodGroup is the decision on the gang that the pod belongs to.
	PodGroup *GroupDecision `json:"podGroup,omitempty"`
	// Message is the text of the scheduler's FailedScheduling event, "" if the pod
	// fits or is not tried.
	Message string `json:"message,omitempty"`
	// LostNominations are pending pods of lower priority that lose their claim to
	// the node.
	LostNominations []Reference `json:"lostNominations,omitempty"`
	// LongestGracePeriodSeconds is how long the victims may take to go.
	LongestGracePeriodSeconds int64   `json:"longestGracePeriodSeconds,omitempty"`
	WhatIf                    *WhatIf `json:"whatIf,omitempty"`
	// Contrast compares with kube-scheduler, where a policy was asked for.
	Contrast    *Contrast    `json:"contrast,omitempty"`
	MinPriority *MinPriority `json:"minPriority,omitempty"`
	// Warnings are what the scheduler keeps to itself, and what was not known.
	Warnings []string `json:"warnings,omitempty"`
}

// A Reference names a pod.
type Reference struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Pod is the pending pod.
type Pod struct {
	Namespace        string            `json:"namespace"`
	Name             string            `json:"name"`
	Priority         int32             `json:"priority"`
	PreemptionPolicy string            `json:"preemptionPolicy"`
	Requests         map[string]string `json:"requests,omitempty"`
	NominatedNode    string            `json:"nominatedNode,omitempty"`
}

// A Victim is a pod to evict.
type Victim struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Node differs from the explanation's for a member of a group elsewhere.
	Node string `json:"node"`
	// Owner is the controller of the pod, nil if it has none.
	Owner    *Owner `json:"owner,omitempty"`
	Priority int32  `json:"priority"`
	// Group is the group that goes as a whole, "" for a pod by itself.
	Group              string            `json:"group,omitempty"`
	StartTime          *metav1.Time      `json:"startTime,omitempty"`
	Requests           map[string]string `json:"requests,omitempty"`
	GracePeriodSeconds int64             `json:"gracePeriodSeconds"`
	// Terminating: it is on its way out already.
	Terminating bool `json:"terminating,omitempty"`
	// Budgets cover the pod.
	Budgets []Budget `json:"budgets,omitempty"`
}

// Terminating is a pod on its way out.
type Terminating struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Node      string `json:"node"`
	// GraceLeftSeconds is how long it may still take, OverdueSeconds for how long it
	// should have been gone.
	GraceLeftSeconds int64 `json:"graceLeftSeconds,omitempty"`
	OverdueSeconds   int64 `json:"overdueSeconds,omitempty"`
	// Finalizers hold it.
	Finalizers []string `json:"finalizers,omitempty"`
	// Stuck: it does not look as if it would go by itself.
	Stuck bool `json:"stuck,omitempty"`
}

// An Owner is the controller of a pod.
type Owner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// A Budget is a PodDisruptionBudget that covers a victim.
type Budget struct {
	Namespace          string `json:"namespace"`
	Name               string `json:"name"`
	DisruptionsAllowed int32  `json:"disruptionsAllowed"`
	// Violated: evicting the victim, or the group it goes with, overdraws it.
	Violated bool `json:"violated,omitempty"`
}

// A Candidate is a node that can be cleared.
type Candidate struct {
	Node          string      `json:"node"`
	Victims       []Reference `json:"victims"`
	PDBViolations int         `json:"pdbViolations"`
}

// A Decision is the short form of one.
type Decision struct {
	Outcome       string      `json:"outcome"`
	Node          string      `json:"node,omitempty"`
	Victims       []Reference `json:"victims"`
	PDBViolations int         `json:"pdbViolations"`
}

// WhatIf says what was changed for the explanation, and what the decision would
// be without.
type WhatIf struct {
	// Change is all changes on one line, Changes are they one by one.
	Change  string   `json:"change"`
	Changes []string `json:"changes,omitempty"`
	Without Decision `json:"without"`
}

// A Contrast says what kube-scheduler would decide in place of a policy.
type Contrast struct {
	// Victims and Budgets are the policy.
	Victims         string      `json:"victimPolicy"`
	Budgets         string      `json:"budgetPolicy"`
	UpstreamNode    string      `json:"upstreamNode,omitempty"`
	UpstreamVictims []Reference `json:"upstreamVictims"`
	// Violations counts the violations of the upstream victims exactly.
	Violations int `json:"violations"`
	// By names the criterion that tells the two apart, Better says that the policy's
	// is the better one.
	By     string `json:"by,omitempty"`
	Better bool   `json:"better,omitempty"`
}

// MinPriority says what it takes for the pod to get a node.
type MinPriority struct {
	// Found is false if no priority is high enough.
	Found bool `json:"found"`
	// Reason says why none is.
	Reason string `json:"reason,omitempty"`
	// Priority is the lowest that is.
	Priority int32     `json:"priority,omitempty"`
	Decision *Decision `json:"decision,omitempty"`
}

// A List holds explanations in the order of the scheduler's queue. Each takes
// the ones before for done.
type List struct {
	metav1.TypeMeta `json:",inline"`
	Items           []Explanation `json:"items"`
	// LeftOut are the pending pods that the scheduler does not try.
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// Warnings are about the input as a whole.
	Warnings []string `json:"warnings,omitempty"`
}

// LeftOut is a pending pod that is not tried.
type LeftOut struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Reason    string `json:"reason"`
}

var _, _ runtime.Object = (*Explanation)(nil), (*List)(nil)

// DeepCopyObject makes the type one that Kubernetes printers print.
func (e *Explanation) DeepCopyObject() runtime.Object { return deepCopy(e) }

// DeepCopyObject makes the type one that Kubernetes printers print.
func (l *List) DeepCopyObject() runtime.Object { return deepCopy(l) }

// deepCopy copies by way of JSON, which holds all there is.
func deepCopy[T any](x *T) *T {
	out := new(T)
	data, err := json.Marshal(x)
	if err == nil {
		err = json.Unmarshal(data, out)
	}
	if err != nil {
		panic(err) // the types hold nothing that JSON cannot
	}
	return out
}
