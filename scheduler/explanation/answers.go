package explanation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The kinds of the other answers.
const (
	HistoryKind  = "PreemptionHistory"
	AuditKind    = "PreemptionAudit"
	EvictionKind = "EvictionRisk"
	CapacityKind = "Capacity"
	VersionKind  = "Version"
)

// A History says who was preempted for whom, the latest first.
type History struct {
	metav1.TypeMeta `json:",inline"`
	Preemptions     []Preemption `json:"preemptions"`
	// Workloads sums the victims up by the workload they belong to, those with the
	// most victims first.
	Workloads []WorkloadHistory `json:"workloads"`
	Warnings  []string          `json:"warnings,omitempty"`
}

// A Preemption is one victim's.
type Preemption struct {
	// Time is when, nil if it is not known.
	Time   *metav1.Time `json:"time,omitempty"`
	Victim PastPod      `json:"victim"`
	Node   string       `json:"node,omitempty"`
	// By is the component that evicted the victim: the scheduler or the kubelet.
	By string `json:"by"`
	// Preemptor is for whom, nil if nothing says it.
	Preemptor *PastPod `json:"preemptor,omitempty"`
	// Source says what tells of it: event, condition, or both.
	Source string `json:"source"`
}

// A PastPod is a pod, or a group of pods, that may be gone.
type PastPod struct {
	// Kind is Pod, PodGroup or CompositePodGroup.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"` // "" if only the UID is known
	UID       string `json:"uid,omitempty"`
	// Gone: it is not there (any more), and what follows is not known.
	Gone          bool   `json:"gone,omitempty"`
	Priority      *int32 `json:"priority,omitempty"`
	PriorityClass string `json:"priorityClass,omitempty"`
	Owner         *Owner `json:"owner,omitempty"`
}

// WorkloadHistory is what a workload lost.
type WorkloadHistory struct {
	Namespace string       `json:"namespace"`
	Workload  string       `json:"workload"` // Kind/name
	Victims   int          `json:"victims"`
	Last      *metav1.Time `json:"last,omitempty"`
	// Preemptors are the workloads for which they went.
	Preemptors []string `json:"preemptors,omitempty"`
}

// An Audit says what in a cluster makes preemption hurt.
type Audit struct {
	metav1.TypeMeta `json:",inline"`
	Findings        []Finding `json:"findings"`
	Warnings        []string  `json:"warnings,omitempty"`
}

// The severities of findings.
const (
	SeverityWarning = "warning" // to be mended
	SeverityInfo    = "info"    // to be known
)

// A Finding is one thing to mend, or to know.
type Finding struct {
	// ID names the kind of finding; docs/kubectl.md has a paragraph about each.
	ID       string `json:"id"`
	Severity string `json:"severity"`
	// Problem says what was found, Why why it matters, Fix what to do.
	Problem string   `json:"problem"`
	Why     string   `json:"why"`
	Fix     string   `json:"fix"`
	Objects []string `json:"objects"` // kind/namespace/name, or kind/name
}

// An EvictionRisk says by whom a running pod could be evicted.
type EvictionRisk struct {
	metav1.TypeMeta   `json:",inline"`
	KubernetesVersion string `json:"kubernetesVersion"`
	Pod               Pod    `json:"pod"`
	Node              string `json:"node"`
	Owner             *Owner `json:"owner,omitempty"`
	// Group is the group that would go with it as a whole.
	Group string `json:"group,omitempty"`
	// LowestPriority is the least that a preemptor needs, nil if none is enough.
	LowestPriority *int32 `json:"lowestPriority,omitempty"`
	// Classes are the priority classes whose pods may evict it.
	Classes []string `json:"classes"`
	// Rank is its place among the pods of its node: 1 is the first to be evicted, as
	// far as budgets do not matter.
	Rank   int `json:"rank"`
	RankOf int `json:"rankOf"`
	// Spared is what a preemptor of the least priority may request of each resource
	// without this pod having to go: what is free, and what the less important pods
	// hold.
	Spared map[string]string `json:"spared,omitempty"`
	// Budgets cover the pod. They make it a victim that is avoided, not one that is
	// safe.
	Budgets []Budget `json:"budgets"`
	// Preemptors are the pending pods that could evict it now.
	Preemptors []Preemptor `json:"preemptors"`
	// Protection says what speaks for it and what does not, in sentences.
	Protection []string `json:"protection"`
	Warnings   []string `json:"warnings,omitempty"`
}

// A Preemptor is a pending pod that could evict another.
type Preemptor struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Priority  int32  `json:"priority"`
	// Would: the scheduler's choice falls on it. If not, it would go only if that
	// node were chosen.
	Would bool `json:"would"`
	// Instead is the node that is chosen, "" if none is.
	Instead string `json:"instead,omitempty"`
}

// A Capacity says how many more pods of one shape would find room.
type Capacity struct {
	metav1.TypeMeta   `json:",inline"`
	KubernetesVersion string `json:"kubernetesVersion"`
	Pod               Pod    `json:"pod"`
	// Free is how many fit as it is, WithPreemption how many more if pods of lower
	// priority go.
	Free           int `json:"free"`
	WithPreemption int `json:"withPreemption"`
	// Bounded: the count was ended there, and more would fit.
	Bounded bool           `json:"bounded,omitempty"`
	Nodes   []NodeCapacity `json:"nodes"`
	// Victims are the pods that would go, in the order in which they do.
	Victims       []Victim `json:"victims"`
	PDBViolations int      `json:"pdbViolations"`
	Warnings      []string `json:"warnings,omitempty"`
}

// NodeCapacity is what one node takes.
type NodeCapacity struct {
	Node           string `json:"node"`
	Free           int    `json:"free"`
	WithPreemption int    `json:"withPreemption"`
	Victims        int    `json:"victims"`
}

// A Version says what the command is.
type Version struct {
	metav1.TypeMeta `json:",inline"`
	Version         string   `json:"version"`
	GoVersion       string   `json:"goVersion"`
	Rules           []string `json:"rules"`   // releases of kube-scheduler
	Filters         string   `json:"filters"` // the release whose filters decide what fits
}

var _, _, _, _, _ runtime.Object = (*History)(nil), (*Audit)(nil), (*EvictionRisk)(nil), (*Capacity)(nil), (*Version)(nil)

// DeepCopyObject makes the type one that Kubernetes printers print.
func (h *History) DeepCopyObject() runtime.Object { return deepCopy(h) }

// DeepCopyObject makes the type one that Kubernetes printers print.
func (a *Audit) DeepCopyObject() runtime.Object { return deepCopy(a) }

// DeepCopyObject makes the type one that Kubernetes printers print.
func (e *EvictionRisk) DeepCopyObject() runtime.Object { return deepCopy(e) }

// DeepCopyObject makes the type one that Kubernetes printers print.
func (c *Capacity) DeepCopyObject() runtime.Object { return deepCopy(c) }

// DeepCopyObject makes the type one that Kubernetes printers print.
func (v *Version) DeepCopyObject() runtime.Object { return deepCopy(v) }
