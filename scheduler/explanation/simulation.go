package explanation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// SimulationKind is what a [Simulation] calls itself.
const SimulationKind = "Simulation"

// A Simulation says what happens next. Times are seconds since the start.
type Simulation struct {
	metav1.TypeMeta   `json:",inline"`
	KubernetesVersion string `json:"kubernetesVersion"`
	// End is settled: nothing is left to happen; repeats: the same goes on for ever,
	// as Cycle says; or cut, at the horizon. At is when that was.
	End   string           `json:"end"`
	At    int64            `json:"at"`
	Cycle *SimulationCycle `json:"cycle,omitempty"`
	// Events are the time line.
	Events []SimulationEvent `json:"events"`
	// Pods are those that were pending, evicted or gone at some time, the highest
	// priority first. A pod and all that was created in its place are one.
	Pods []SimulatedPod `json:"pods"`
	// Preemptions in the order in which they were decided, and the violations of
	// budgets in which they resulted.
	Preemptions []SimulatedPreemption `json:"preemptions"`
	Violations  []SimulatedViolation  `json:"violations"`
	// Owners had no healthy pod at some time, Budgets fewer than they want.
	Owners  []OwnerOutages  `json:"owners"`
	Budgets []BudgetOutages `json:"budgets"`
	// LeftOut are pending pods that the scheduler does not try.
	LeftOut  []LeftOut `json:"leftOut,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
}

// SimulationCycle is what repeats: the state at From is that at From plus the
// period.
type SimulationCycle struct {
	From          int64       `json:"from"`
	PeriodSeconds int64       `json:"periodSeconds"`
	Pods          []Reference `json:"pods"` // evicted in every round
}

// A SimulationEvent is a line of the time line. Kind is arrives, recreated (in the
// place of Of), placed, healthy, waits, preempts (Pods), evicted (for By), gone,
// disclaims (loses its claim on Node), departs or gives-up (never runs).
type SimulationEvent struct {
	At            int64       `json:"at"`
	Kind          string      `json:"kind"`
	Pod           Reference   `json:"pod"`
	Node          string      `json:"node,omitempty"`
	By            *Reference  `json:"by,omitempty"`
	Of            *Reference  `json:"of,omitempty"`
	Pods          []Reference `json:"pods,omitempty"`
	PDBViolations int         `json:"pdbViolations,omitempty"`
	GraceSeconds  int64       `json:"graceSeconds,omitempty"`
	// Reason says why it waits or gives up.
	Reason string `json:"reason,omitempty"`
	// Text says what happens to the pod as the time line does.
	Text string `json:"text"`
}

// A SimulatedPod says what became of a pod.
type SimulatedPod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"` // as it came at first
	Priority  int32  `json:"priority"`
	Owner     *Owner `json:"owner,omitempty"`
	// Lives counts the pods there were, itself and those created in its place; Now is
	// the name of the latest.
	Lives int    `json:"lives"`
	Now   string `json:"now"`
	// State at the end: running, pending, terminating, lost (evicted, and nobody
	// creates it again) or departed.
	State  string `json:"state"`
	Node   string `json:"node,omitempty"`
	Reason string `json:"reason,omitempty"`
	// FirstPlaced is when it first got a node, nil if it never did or had one at the
	// start. Waited is how long it was pending in all, WaitedFor the pods that it
	// preempted or that were on their way out.
	FirstPlaced   *int64              `json:"firstPlaced,omitempty"`
	WaitedSeconds int64               `json:"waitedSeconds"`
	WaitedFor     []Reference         `json:"waitedFor,omitempty"`
	Evictions     []SimulatedEviction `json:"evictions,omitempty"`
}

// A SimulatedEviction of a pod. Preemption is the index in preemptions.
type SimulatedEviction struct {
	At         int64     `json:"at"`
	By         Reference `json:"by"`
	Preemption int       `json:"preemption"`
}

// A SimulatedPreemption is a decision that was carried out.
type SimulatedPreemption struct {
	At       int64       `json:"at"`
	By       Reference   `json:"by"` // of a gang its first pending pod
	PodGroup string      `json:"podGroup,omitempty"`
	Node     string      `json:"node,omitempty"`
	Victims  []Reference `json:"victims"`
	// WaitsFor were on their way out already.
	WaitsFor []Reference `json:"waitsFor,omitempty"`
	// Parent is the index of the preemption of which the preemptor itself was a
	// victim, nil if it came by itself. Caused counts the evictions that its victims
	// caused in turn, Depth how far that went.
	Parent *int `json:"parent,omitempty"`
	Caused int  `json:"caused,omitempty"`
	Depth  int  `json:"depth,omitempty"`
}

// A SimulatedViolation is a pod that was evicted while its budget allowed none.
type SimulatedViolation struct {
	At         int64     `json:"at"`
	Budget     Reference `json:"budget"`
	Victim     Reference `json:"victim"`
	Preemption int       `json:"preemption"`
}

// OwnerOutages are the times without a healthy pod of a controller.
type OwnerOutages struct {
	Namespace string   `json:"namespace"`
	Owner     Owner    `json:"owner"`
	Outages   []Outage `json:"outages"`
}

// BudgetOutages are the times with fewer healthy pods than a budget wants.
type BudgetOutages struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Outages   []Outage `json:"outages"`
}

// An Outage lasts from one time to another; without To it lasts to the end.
type Outage struct {
	From int64  `json:"from"`
	To   *int64 `json:"to,omitempty"`
}

var _ runtime.Object = (*Simulation)(nil)

// DeepCopyObject makes the type one that Kubernetes printers print.
func (s *Simulation) DeepCopyObject() runtime.Object { return deepCopy(s) }
