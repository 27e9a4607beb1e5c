package preemption

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// A Pod is plain data about one pod. The package never modifies it; once it has
// been given to a [Cluster] the caller must not modify it either.
//
// The zero value of each field is meaningful: no labels, priority 0, may preempt,
// requests nothing, not bound, not started, in no group, not terminating.
type Pod struct {
	// What nearly every decision reads comes first, so that it is near together in memory.

	Namespace, Name string // together they identify the pod in a cluster
	// NodeName is the node the pod is bound to, "" for a pending pod.
	NodeName string
	Priority int32
	// PreemptionPolicy says whether the pod may preempt others. It does not
	// protect the pod from being a victim.
	PreemptionPolicy PreemptionPolicy
	Termination      Termination
	// Requests is what the pod needs on its node: init containers, sidecars and
	// overhead included. A name that is absent is a request of zero.
	Requests Resources
	// Start is when the pod started running; zero: not started, youngest of all.
	Start time.Time
	// Group names the PodGroup of the same namespace that the pod belongs to.
	Group string

	UID          string // tells incarnations apart; the last tie-break of importance
	Labels       map[string]string
	HostPorts    []HostPort
	NodeSelector map[string]string
	Tolerations  []Toleration
	// NominatedNode is the node that an earlier preemption is clearing for a
	// pending pod. It has no meaning for a bound pod.
	NominatedNode string
	// GracePeriod is how long the pod may take to go once it is told to, TerminatesAt
	// when that time is over for a pod that is terminating: the API's deletion
	// timestamp, zero if it is not known. Neither takes part in a decision.
	GracePeriod  time.Duration
	TerminatesAt time.Time
	// Owner is the controller that makes another pod if this one goes.
	Owner Owner
	// Object is the caller's own pod, carried through untouched.
	Object any
}

// Clone returns a copy that shares no memory with the pod but for Object.
func (p *Pod) Clone() *Pod {
	c := *p
	c.Labels, c.Requests, c.NodeSelector = maps.Clone(p.Labels), maps.Clone(p.Requests), maps.Clone(p.NodeSelector)
	c.HostPorts, c.Tolerations = slices.Clone(p.HostPorts), slices.Clone(p.Tolerations)
	return &c
}

// An Owner is the controller of a pod, in the pod's namespace. The zero value
// stands for none: no controller makes another pod if that one goes.
type Owner struct{ Kind, Name string }

// String returns kind/name, "" for none.
func (o Owner) String() string {
	if o == (Owner{}) {
		return ""
	}
	return o.Kind + "/" + o.Name
}

// String returns namespace/name.
func (p *Pod) String() string { return p.Namespace + "/" + p.Name }

// PreemptionPolicy says whether a pod may preempt others.
type PreemptionPolicy uint8

const (
	PreemptLowerPriority PreemptionPolicy = iota // the default
	PreemptNever
)

// Termination says whether a pod is being deleted, and why. Only a
// termination by preemption makes a preemptor wait for the room it frees.
type Termination uint8

const (
	NotTerminating          Termination = iota
	TerminatingByPreemption             // deletion timestamp, DisruptionTarget=True with reason PreemptionByScheduler
	TerminatingOther                    // deletion timestamp for any other reason
)

// Names of the resources that kube-scheduler knows by itself. Any other name is
// an extended resource.
const (
	CPU              = "cpu"               // millicores
	Memory           = "memory"            // bytes
	EphemeralStorage = "ephemeral-storage" // bytes
	PodCount         = "pods"              // Node.Allocatable only: how many pods the node takes
)

// Resources maps the name of a resource to an amount in its own unit: cpu in
// millicores, memory in bytes. A name that is absent is an amount of zero.
type Resources map[string]int64

// A HostPort is a port that a pod claims on its node.
type HostPort struct {
	Protocol string // "" is TCP
	IP       string // "" is 0.0.0.0, every address
	Port     int32  // a port of zero or less claims nothing
}

// notStarted stands for the start of a pod that has none: one instant later
// than any other, the same for all such pods (kube-scheduler 1.38).
const notStarted = math.MaxInt64

// startOf maps a start time to an order-preserving number: nanoseconds since
// 1970, clamped to what int64 holds (the years 1678 to 2262).
func startOf(t time.Time) int64 {
	switch {
	case t.IsZero():
		return notStarted
	case t.Before(minStart):
		return math.MinInt64
	case t.After(maxStart):
		return notStarted
	}
	return t.UnixNano()
}

var (
	minStart = time.Unix(0, math.MinInt64)
	maxStart = time.Unix(0, math.MaxInt64)
)

// samePod reports whether a and b are the same pod: by UID as kube-scheduler
// does, by name where a UID is missing.
func samePod(a, b *Pod) bool {
	if a.UID != "" && b.UID != "" {
		return a.UID == b.UID
	}
	return a.Namespace == b.Namespace && a.Name == b.Name
}

// validatePod tells what of a pod cannot be right, the first resource by name.
func validatePod(p *Pod) error {
	if p == nil {
		return errors.New("preemption: the pod is nil")
	}
	if err := validatePodNames(p); err != nil {
		return err
	}
	var negative []string
	for name, q := range p.Requests {
		if name == PodCount {
			return fmt.Errorf("preemption: pod %s: it requests %q: a pod takes one place on its node without saying so", p, PodCount)
		}
		if q < 0 {
			negative = append(negative, name)
		}
	}
	if len(negative) > 0 {
		name := slices.Min(negative)
		return fmt.Errorf("preemption: pod %s: request for %s is negative: %d", p, name, p.Requests[name])
	}
	return nil
}

// validatePodNames is the part of validatePod that is not about requests.
func validatePodNames(p *Pod) error {
	if p.Name == "" {
		return errors.New("preemption: pod without a name")
	}
	return nil
}

// names returns the names in order, so that errors and texts do not depend on
// map order.
func (r Resources) names() []string { return slices.Sorted(maps.Keys(r)) }

// none returns the same names with amounts of zero.
func (r Resources) none() Resources {
	zero := make(Resources, len(r))
	for name := range r {
		zero[name] = 0
	}
	return zero
}
