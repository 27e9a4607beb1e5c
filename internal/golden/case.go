package golden

import (
	"encoding/json"
	"strings"
	"time"
)

// The releases that cases have answers for, as the keys of [Case.Want].
const (
	Release136 = "v1.36.1"
	Release137 = "v1.37.2"
	Release138 = "v1.38.0-beta.0"
)

// Case is one situation and the answer of every release that defines one.
//
// Lists keep the order in which the scheduler is to see them, with one
// exception: nodes are walked by name.
type Case struct {
	Name   string `json:"name"`
	Family string `json:"family"`
	// Why says what a case reduced from a public report is about.
	Why string `json:"why,omitempty"`

	Nodes     []Node `json:"nodes"`
	Pods      []Pod  `json:"pods"`
	PDBs      []PDB  `json:"pdbs"`
	Preemptor Pod    `json:"preemptor"`

	// Sampling is nil where every potential node is examined.
	*Sampling

	PodGroups          []PodGroup          `json:"podGroups,omitzero"`
	CompositePodGroups []CompositePodGroup `json:"compositePodGroups,omitzero"`
	Gang               []GangMember        `json:"gang,omitzero"`

	// Policy is nil where the policy is that of kube-scheduler.
	Policy *Policy `json:"policy,omitempty"`

	// Want holds the answers by release. A release is absent where it leaves
	// the rule unspecified or does not have the feature.
	Want map[string]Answer `json:"want"`
}

// HasGroups reports whether pods that may become victims can be in groups. The
// scheduler walks the members of a group in map order, which makes the order
// of victims unfit for comparison.
func (c *Case) HasGroups() bool {
	if len(c.PodGroups) > 0 || len(c.CompositePodGroups) > 0 {
		return true
	}
	for i := range c.Pods {
		if c.Pods[i].Group != "" {
			return true
		}
	}
	return false
}

// Sampling is the window of nodes a dry run starts with.
type Sampling struct {
	// Offset is where the walk over the potential nodes, by name, starts.
	Offset int `json:"offset"`
	// Num is the number of candidates asked for.
	Num int `json:"num"`
}

// Resources maps a resource to an amount: cpu in millicores, memory in bytes,
// pods as a count, any other name in its own unit.
type Resources map[string]int64

// Node is a node of the cluster.
type Node struct {
	Name        string            `json:"name"`
	Allocatable Resources         `json:"allocatable"`
	Labels      map[string]string `json:"labels"`
	// Taint is short for a single NoSchedule taint with this key and no value.
	Taint         string  `json:"taint,omitempty"`
	Taints        []Taint `json:"taints,omitzero"`
	Unschedulable bool    `json:"unschedulable,omitempty"`
}

// AllTaints returns the taints of the node with the short form written out.
func (n *Node) AllTaints() []Taint {
	if n.Taint == "" {
		return n.Taints
	}
	return append([]Taint{{Key: n.Taint, Effect: "NoSchedule"}}, n.Taints...)
}

// Taint is a taint of a node.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Effect string `json:"effect"`
}

// Pod is a bound pod (Node is set), a nominated one (NominatedNode is set and
// Node is not), or the preemptor.
type Pod struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	UID       string    `json:"uid"`
	Node      string    `json:"node,omitempty"`
	Priority  int32     `json:"priority"`
	Requests  Resources `json:"requests"`
	// Labels may be nil for the preemptor only, where files leave them out.
	Labels map[string]string `json:"labels,omitzero"`
	// Start is zero for a pod that has not started.
	Start     time.Time  `json:"start,omitzero"`
	HostPorts []HostPort `json:"hostPorts,omitzero"`
	// Group names a PodGroup in the namespace of the pod; it need not exist.
	Group string `json:"group,omitempty"`
	// Terminating is empty, [ByPreemption] or [ForAnotherReason].
	Terminating   string `json:"terminating,omitempty"`
	NominatedNode string `json:"nominatedNode,omitempty"`

	// The remaining fields are those of the preemptor.

	// PreemptionPolicy is empty, "PreemptLowerPriority" or "Never".
	PreemptionPolicy string            `json:"preemptionPolicy,omitempty"`
	NodeSelector     map[string]string `json:"nodeSelector,omitzero"`
	Tolerations      []Toleration      `json:"tolerations,omitzero"`
}

// Key returns the name under which answers list the pod.
func (p *Pod) Key() string { return p.Namespace + "/" + p.Name }

// SplitKey returns the namespace and the name that a key is made of.
func SplitKey(key string) (namespace, name string) {
	namespace, name, _ = strings.Cut(key, "/")
	return namespace, name
}

// The values of [Pod.Terminating] for a pod that has been deleted.
const (
	ByPreemption     = "preemption" // by the scheduler, to make room
	ForAnotherReason = "other"
)

// HostPort is a port a pod takes on its node. An empty IP stands for all
// addresses and an empty protocol for TCP.
type HostPort struct {
	Protocol string `json:"protocol"`
	IP       string `json:"ip"`
	Port     int32  `json:"port"`
}

// Toleration is a toleration of the preemptor. An empty effect stands for all
// effects, an empty key with operator Exists for all taints.
type Toleration struct {
	Key      string `json:"key"`
	Operator string `json:"operator"`
	Effect   string `json:"effect"`
	Value    string `json:"value"`
}

// MarshalJSON leaves out the empty value of an Exists toleration and only
// that: Equal compares with the empty value too.
func (t Toleration) MarshalJSON() ([]byte, error) {
	type plain Toleration
	if t.Operator != "Exists" || t.Value != "" {
		return json.Marshal(plain(t))
	}
	return json.Marshal(struct {
		Key      string `json:"key"`
		Operator string `json:"operator"`
		Effect   string `json:"effect"`
	}{t.Key, t.Operator, t.Effect})
}

// The values of DisruptionMode, in groups of both kinds.
const (
	ModeAll    = "all"    // evicted together or not at all
	ModeSingle = "single" // evicted one by one
)

// PodGroup is a group of pods.
type PodGroup struct {
	Namespace      string `json:"namespace"`
	Name           string `json:"name"`
	Priority       int32  `json:"priority"`
	DisruptionMode string `json:"disruptionMode"`
	// Parent names a CompositePodGroup in the same namespace; it need not exist.
	Parent string `json:"parent,omitempty"`
}

// CompositePodGroup is a group of groups. Parents may form a cycle.
type CompositePodGroup struct {
	Namespace      string `json:"namespace"`
	Name           string `json:"name"`
	Priority       int32  `json:"priority"`
	DisruptionMode string `json:"disruptionMode"`
	Parent         string `json:"parent,omitempty"`
}

// GangMember is a pending pod of the preempting group and the node that the
// placement under test gives it.
type GangMember struct {
	Pod
	// Assigned is empty for all members of a group that finds its places itself.
	Assigned string `json:"assigned,omitempty"`
}

// PDB is a PodDisruptionBudget.
type PDB struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	Selector  *Selector `json:"selector"`
	// Allowed is status.disruptionsAllowed and may be negative.
	Allowed int32 `json:"allowed"`
	// DisruptedPods are the names of pods whose eviction is already charged.
	DisruptedPods []string `json:"disruptedPods,omitzero"`
}

// Selector is a label selector. A nil one and one without terms differ.
type Selector struct {
	MatchLabels      map[string]string `json:"matchLabels,omitzero"`
	MatchExpressions []Requirement     `json:"matchExpressions,omitzero"`
}

// Requirement is a term of a selector. Operators other than In, NotIn, Exists
// and DoesNotExist make the selector invalid.
type Requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitzero"`
}
