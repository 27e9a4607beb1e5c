package situation

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	schedutil "k8s.io/kubernetes/pkg/scheduler/util"

	"example.com/preemption"
)

// A Change is one thing that could be different.
type Change struct {
	text     string
	priority *int32
	resource string
	amount   int64
	budget   string // name or namespace/name
	allowed  int32
}

// ParseChange reads "priority=N", "RESOURCE=QUANTITY" or "budget NAME=N". A
// budget's name may follow a slash instead, and may be preceded by its
// namespace and a slash.
func ParseChange(s string) (Change, error) {
	c := Change{text: s}
	what, value, ok := strings.Cut(s, "=")
	what, value = strings.TrimSpace(what), strings.TrimSpace(value)
	if !ok || what == "" || value == "" {
		return c, fmt.Errorf("%q is no change: want priority=N, RESOURCE=QUANTITY or \"budget NAME=N\"", s)
	}
	if name, ok := budgetName(what); ok {
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			return c, fmt.Errorf("%q: %q is no number of disruptions", s, value)
		}
		c.budget, c.allowed = name, int32(n)
		return c, nil
	}
	if what == "priority" {
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil {
			return c, fmt.Errorf("%q: %q is no priority", s, value)
		}
		priority := int32(n)
		c.priority = &priority
		return c, nil
	}
	if !counted(what) {
		return c, fmt.Errorf("%q: %q is no resource that a scheduler counts, such as cpu, memory or example.com/gpu", s, what)
	}
	q, err := resource.ParseQuantity(value)
	if err != nil || q.Sign() < 0 || q.CmpInt64(math.MaxInt64/1000) > 0 {
		return c, fmt.Errorf("%q: %q is no quantity such as 500m, 2 or 1Gi", s, value)
	}
	c.resource = what
	if c.amount = q.Value(); what == preemption.CPU {
		c.amount = q.MilliValue()
	}
	return c, nil
}

// counted reports whether the scheduler looks at requests for the resource. The
// number of pods is not requested.
func counted(name string) bool {
	switch name {
	case preemption.CPU, preemption.Memory, preemption.EphemeralStorage:
		return true
	}
	return schedutil.IsScalarResourceName(v1.ResourceName(name))
}

func budgetName(what string) (string, bool) {
	for _, prefix := range []string{"budget ", "budget/", "pdb ", "pdb/"} {
		if name, ok := strings.CutPrefix(what, prefix); ok {
			return strings.TrimSpace(name), true
		}
	}
	return "", false
}

func (c Change) String() string { return c.text }

// Apply makes the change and returns the pod as it is then.
func (s *Situation) Apply(c Change, pod *preemption.Pod) (*preemption.Pod, error) {
	changed := *pod
	switch {
	case c.budget != "":
		return pod, s.setBudget(c, pod.Namespace)
	case c.priority != nil:
		changed.Priority = *c.priority
	default:
		changed.Requests = maps.Clone(pod.Requests)
		if changed.Requests == nil {
			changed.Requests = preemption.Resources{}
		}
		changed.Requests[c.resource] = c.amount
	}
	return &changed, nil
}

func (s *Situation) setBudget(c Change, namespace string) error {
	name := c.budget
	if ns, rest, ok := strings.Cut(name, "/"); ok {
		namespace, name = ns, rest
	}
	for i, b := range s.State.DisruptionBudgets {
		if b.Namespace == namespace && b.Name == name {
			changed := *b
			changed.Allowed = c.allowed
			s.State.DisruptionBudgets[i] = &changed
			return s.Cluster.SetBudget(&changed)
		}
	}
	return fmt.Errorf("%q: there is no budget %s/%s", c.text, namespace, name)
}
