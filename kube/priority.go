package kube

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// PriorityClasses resolves the priority of pods and groups that only name a
// class, as the API server does when they are created. The nil *PriorityClasses
// has the two classes that every cluster has.
type PriorityClasses struct {
	byName        map[string]*schedulingv1.PriorityClass
	globalDefault *schedulingv1.PriorityClass
}

// NewPriorityClasses indexes the classes. Of several global defaults the one of
// the smallest value holds, and among equals the first.
func NewPriorityClasses(classes []*schedulingv1.PriorityClass) *PriorityClasses {
	c := &PriorityClasses{byName: make(map[string]*schedulingv1.PriorityClass, len(classes))}
	for _, class := range classes {
		c.byName[class.Name] = class
		if class.GlobalDefault && (c.globalDefault == nil || class.Value < c.globalDefault.Value) {
			c.globalDefault = class
		}
	}
	return c
}

// systemClasses are there without anybody creating them.
var systemClasses = map[string]*schedulingv1.PriorityClass{
	"system-cluster-critical": {Value: 2_000_000_000},
	"system-node-critical":    {Value: 2_000_001_000},
}

// get returns the class of that name, the default one for "", nil if there is
// none.
func (c *PriorityClasses) get(name string) *schedulingv1.PriorityClass {
	if c != nil {
		if name == "" {
			return c.globalDefault
		}
		if class := c.byName[name]; class != nil {
			return class
		}
	}
	return systemClasses[name]
}

// A claim is what an object says about its priority.
type claim struct {
	path     *field.Path // of the object's spec
	class    string
	priority *int32
	policy   *v1.PreemptionPolicy
	admitted bool // whether the API server has seen the object
}

// resolve returns the priority and the preemption policy. What an admitted
// object says is final: its class may have been replaced since. One that is yet
// to be created must not contradict the class it names.
func (c *PriorityClasses) resolve(x claim) (int32, v1.PreemptionPolicy, field.ErrorList) {
	if x.priority != nil && (x.admitted || x.class == "") {
		return *x.priority, policyOf(x.policy), nil
	}
	if x.class == "" && x.admitted {
		return 0, policyOf(x.policy), nil // it was created when there was no default class
	}
	class := c.get(x.class)
	if class == nil && x.class == "" {
		return 0, policyOf(x.policy), nil
	}
	if class == nil {
		return 0, "", field.ErrorList{field.NotFound(x.path.Child("priorityClassName"), x.class)}
	}
	var wrong field.ErrorList
	if x.priority != nil && *x.priority != class.Value {
		wrong = append(wrong, field.Invalid(x.path.Child("priority"), *x.priority,
			fmt.Sprintf("PriorityClass %s has the value %d", x.class, class.Value)))
	}
	if class.PreemptionPolicy == nil {
		return class.Value, policyOf(x.policy), wrong
	}
	if x.policy != nil && *x.policy != *class.PreemptionPolicy {
		wrong = append(wrong, field.Invalid(x.path.Child("preemptionPolicy"), *x.policy,
			fmt.Sprintf("PriorityClass %s has the policy %s", class.Name, *class.PreemptionPolicy)))
	}
	return class.Value, *class.PreemptionPolicy, wrong
}

func policyOf(p *v1.PreemptionPolicy) v1.PreemptionPolicy {
	if p == nil {
		return v1.PreemptLowerPriority
	}
	return *p
}

// admitted reports whether the API server has stored the object.
func admitted(o metav1.Object) bool {
	created := o.GetCreationTimestamp()
	return o.GetUID() != "" || !created.IsZero()
}
