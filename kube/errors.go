package kube

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// An ObjectError says which object could not be converted. It wraps an aggregate
// of *field.Error, one for each field that is at fault.
type ObjectError struct {
	Kind            string
	Namespace, Name string // Namespace is "" for a node
	Err             error
}

func (e *ObjectError) Error() string {
	name := e.Name
	if e.Namespace != "" {
		name = e.Namespace + "/" + name
	}
	return e.Kind + " " + name + ": " + e.Err.Error()
}

// Unwrap returns what is wrong with the object.
func (e *ObjectError) Unwrap() error { return e.Err }

// objectError returns nil if nothing is wrong.
func objectError(kind string, o metav1.Object, wrong field.ErrorList) error {
	if len(wrong) == 0 {
		return nil
	}
	return &ObjectError{kind, o.GetNamespace(), o.GetName(), wrong.ToAggregate()}
}
