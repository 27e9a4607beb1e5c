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
	"example.com/preemption/kube"
)

// A Change is one thing that could be different: of the pod, of the cluster, or
// how many such pods there are.
type Change struct {
	text string
	// apply makes the change and returns the pod as it is then.
	apply func(s *Situation, pod *preemption.Pod) (*preemption.Pod, error)
	// OfCluster says that it changes something else than the pod.
	OfCluster bool
	// Replicas is how many pods there are to be, 0 for no change.
	Replicas int
}

// ChangeForms are what a change can look like.
const ChangeForms = `priority=N, priorityClass=NAME, preemptionPolicy=Never|PreemptLowerPriority, RESOURCE=QUANTITY, ` +
	`"budget NAME=N", "node NAME=add|remove|cordon|uncordon", replicas=N`

// ParseChange reads a change of one of the [ChangeForms]. The name of a budget or
// node may follow a slash instead of a blank; that of a budget may be preceded by
// its namespace and a slash.
func ParseChange(text string) (Change, error) {
	c := Change{text: text}
	what, value, ok := strings.Cut(text, "=")
	what, value = strings.TrimSpace(what), strings.TrimSpace(value)
	if !ok || what == "" || value == "" {
		return c, fmt.Errorf("%q is no change: want %s", text, ChangeForms)
	}
	var err error
	if name, ok := prefixed(what, "budget", "pdb", "poddisruptionbudget"); ok {
		c.OfCluster = true
		c.apply, err = budgetChange(name, value)
	} else if name, ok := prefixed(what, "node", "no"); ok {
		c.OfCluster = true
		c.apply, err = nodeChange(name, value)
	} else {
		switch what {
		case "priority":
			c.apply, err = priorityChange(value)
		case "priorityClass", "priorityClassName":
			c.apply = classChange(value)
		case "preemptionPolicy":
			c.apply, err = policyChange(value)
		case "replicas":
			c.Replicas, err = strconv.Atoi(value)
			if err != nil || c.Replicas < 1 || c.Replicas > mostReplicas {
				err = fmt.Errorf("%q is no number of replicas from 1 to %d", value, mostReplicas)
			}
		default:
			c.apply, err = resourceChange(what, value)
		}
	}
	if err != nil {
		return c, fmt.Errorf("%q: %w", text, err)
	}
	return c, nil
}

// mostReplicas is more than anybody wants to read about.
const mostReplicas = 10_000

// prefixed returns what follows a kind and a blank or slash.
func prefixed(what string, kinds ...string) (string, bool) {
	for _, kind := range kinds {
		for _, separator := range []string{" ", "/"} {
			if name, ok := strings.CutPrefix(what, kind+separator); ok {
				return strings.TrimSpace(name), true
			}
		}
	}
	return "", false
}

func (c Change) String() string { return c.text }

// Apply makes the change and returns the pod as it is then.
func (s *Situation) Apply(c Change, pod *preemption.Pod) (*preemption.Pod, error) {
	if c.apply == nil {
		return pod, nil
	}
	pod, err := c.apply(s, pod)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", c.text, err)
	}
	return pod, nil
}

type applier = func(*Situation, *preemption.Pod) (*preemption.Pod, error)

func priorityChange(value string) (applier, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("%q is no priority", value)
	}
	return func(_ *Situation, pod *preemption.Pod) (*preemption.Pod, error) {
		changed := *pod
		changed.Priority = int32(n)
		return &changed, nil
	}, nil
}

// classChange gives the pod what a class would have given it.
func classChange(name string) applier {
	return func(s *Situation, pod *preemption.Pod) (*preemption.Pod, error) {
		created, err := s.OfClass(name)
		if err != nil {
			return nil, err
		}
		changed := *pod
		changed.Priority, changed.PreemptionPolicy = created.Priority, created.PreemptionPolicy
		return &changed, nil
	}
}

// OfClass returns a pod of which nothing is known but its priority class.
func (s *Situation) OfClass(name string) (*preemption.Pod, error) {
	p := &v1.Pod{Spec: v1.PodSpec{PriorityClassName: name}}
	p.Namespace, p.Name = "default", "pod"
	created, err := kube.Pod(p, s.Classes)
	if err != nil {
		return nil, fmt.Errorf("there is no PriorityClass %s", name)
	}
	return created, nil
}

func policyChange(value string) (applier, error) {
	policy := preemption.PreemptLowerPriority
	switch value {
	case string(v1.PreemptNever):
		policy = preemption.PreemptNever
	case string(v1.PreemptLowerPriority):
	default:
		return nil, fmt.Errorf("%q is no preemption policy: want PreemptLowerPriority or Never", value)
	}
	return func(_ *Situation, pod *preemption.Pod) (*preemption.Pod, error) {
		changed := *pod
		changed.PreemptionPolicy = policy
		return &changed, nil
	}, nil
}

func resourceChange(name, value string) (applier, error) {
	amount, err := ParseAmount(name, value)
	if err != nil {
		return nil, err
	}
	return func(_ *Situation, pod *preemption.Pod) (*preemption.Pod, error) {
		changed := *pod
		changed.Requests = maps.Clone(pod.Requests)
		if changed.Requests == nil {
			changed.Requests = preemption.Resources{}
		}
		changed.Requests[name] = amount
		return &changed, nil
	}, nil
}

// ParseAmount reads how much of a resource is requested.
func ParseAmount(name, value string) (int64, error) {
	if !counted(name) {
		return 0, fmt.Errorf("%q is no resource that a scheduler counts, such as cpu, memory or example.com/gpu", name)
	}
	q, err := resource.ParseQuantity(value)
	if err != nil || q.Sign() < 0 || q.CmpInt64(math.MaxInt64/1000) > 0 {
		return 0, fmt.Errorf("%q is no quantity such as 500m, 2 or 1Gi", value)
	}
	if name == preemption.CPU {
		return q.MilliValue(), nil
	}
	return q.Value(), nil
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

func budgetChange(name, value string) (applier, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("%q is no number of disruptions", value)
	}
	return func(s *Situation, pod *preemption.Pod) (*preemption.Pod, error) {
		return pod, s.setBudget(name, pod.Namespace, int32(n))
	}, nil
}

func (s *Situation) setBudget(name, namespace string, allowed int32) error {
	if ns, rest, ok := strings.Cut(name, "/"); ok {
		namespace, name = ns, rest
	}
	for i, b := range s.State.DisruptionBudgets {
		if b.Namespace == namespace && b.Name == name {
			changed := *b
			changed.Allowed = allowed
			s.State.DisruptionBudgets[i] = &changed
			return s.Cluster.SetBudget(&changed)
		}
	}
	return fmt.Errorf("there is no budget %s/%s", namespace, name)
}
