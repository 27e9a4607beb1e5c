// Package dump reads Kubernetes objects in any of the shapes that kubectl and
// the API serve them in: lists with and without a kind on their items, single
// objects, concatenated JSON, YAML documents, compressed or not.
//
// It reads as a stream: an object is cut out of the input without the fields that
// nothing here looks at, decoded into its type, and forgotten.
package dump

import (
	"errors"
	"fmt"
	"io"
	"slices"

	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/preemption/kube"
	"example.com/preemption/scheduler"
)

// Contents are the objects read that an answer depends on.
type Contents struct {
	Cluster kube.Objects
	Plugins scheduler.Objects
	// LimitRanges and RuntimeClasses are for pods that do not exist yet.
	LimitRanges    []*v1.LimitRange
	RuntimeClasses []*nodev1.RuntimeClass
	// Events tell of past preemptions.
	Events []Event
	// Namespace is that of objects that name none, "" for "default".
	Namespace string
	// Live says that they were asked of a cluster: what is not there does not exist.
	Live bool

	// other counts the objects that are not read, by kind.
	other map[schema.GroupVersionKind]int
	// seen are the names of objects of which there is one.
	seen map[identity]place
}

type identity struct{ kind, namespace, name string }

// Files reads the files, directories and addresses of that name; "-" is the
// reader.
func (c *Contents) Files(names []string, recursive bool, stdin io.Reader) error {
	for _, name := range names {
		if err := open(name, recursive, stdin, c.Read); err != nil {
			return err
		}
	}
	return nil
}

// Read reads from one reader, called source in errors.
func (c *Contents) Read(r io.Reader, source string) error { return pieces(r, source, c.add) }

// OtherKinds lists the kinds of the objects that no answer depends on.
func (c *Contents) OtherKinds() []string { return c.passedOver(false) }

// StrangeVersions lists the kinds of the objects that an answer could depend on
// but that are of an API version that is not read.
func (c *Contents) StrangeVersions() []string { return c.passedOver(true) }

func (c *Contents) passedOver(strange bool) []string {
	var list []string
	for gvk := range c.other {
		if known[gvk.GroupKind()] == strange {
			list = append(list, gvk.GroupVersion().String()+" "+gvk.Kind)
		}
	}
	slices.Sort(list)
	return list
}

// add puts the object where its kind belongs.
func (c *Contents) add(p piece) error {
	gvk := schema.FromAPIVersionAndKind(p.version, p.kind)
	if p.kind == "" || p.version == "" {
		return fmt.Errorf("%v: the object does not say its apiVersion and kind", p.at)
	}
	add := kinds[gvk]
	if add == nil {
		if c.other == nil {
			c.other = make(map[schema.GroupVersionKind]int)
		}
		c.other[gvk]++
		return nil
	}
	if err := add(c, p); err != nil {
		return fmt.Errorf("%v: %s %w", p.at, gvk.Kind, err)
	}
	return nil
}

// once is an error if there was an object of that kind and name before.
func (c *Contents) once(id identity, at place) error {
	if before, twice := c.seen[id]; twice {
		return fmt.Errorf("%s: there already is one of that name (%v)", fullName(id.namespace, id.name), before)
	}
	if c.seen == nil {
		c.seen = make(map[identity]place)
	}
	c.seen[id] = at
	return nil
}

// class reports a class that no cluster can have.
func class(_ *Contents, x *schedulingv1.PriorityClass) error {
	if x.PreemptionPolicy != nil && *x.PreemptionPolicy != v1.PreemptNever && *x.PreemptionPolicy != v1.PreemptLowerPriority {
		return errors.New("preemptionPolicy: want PreemptLowerPriority or Never")
	}
	return nil
}

func fullName(namespace, name string) string {
	if namespace != "" {
		return namespace + "/" + name
	}
	return name
}
