// Package dump reads Kubernetes objects in any of the shapes that kubectl and
// the API serve them in: lists with and without a kind on their items, single
// objects, concatenated JSON, YAML documents.
package dump

import (
	"fmt"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"

	"example.com/preemption/kube"
	"example.com/preemption/scheduler"
)

// Contents are the objects read that a decision depends on.
type Contents struct {
	Cluster kube.Objects
	Plugins scheduler.Objects
	// Namespace is that of objects that name none, "" for "default".
	Namespace string
	// other counts the objects that are not read, by kind.
	other map[schema.GroupVersionKind]int
}

// Files reads the files, directories and addresses of that name; "-" is the
// reader.
func (c *Contents) Files(names []string, recursive bool, stdin io.Reader) error {
	for _, name := range names {
		b := resource.NewLocalBuilder().Unstructured()
		if name == "-" {
			b = b.Stream(stdin, "standard input")
		} else {
			b = b.FilenameParam(false, &resource.FilenameOptions{Filenames: []string{name}, Recursive: recursive})
		}
		if err := c.visit(b); err != nil {
			return err
		}
	}
	return nil
}

// Read reads from one reader, called name in errors.
func (c *Contents) Read(r io.Reader, name string) error {
	return c.visit(resource.NewLocalBuilder().Unstructured().Stream(r, name))
}

func (c *Contents) visit(b *resource.Builder) error {
	return b.Flatten().Do().Visit(func(info *resource.Info, err error) error {
		if err != nil {
			return err
		}
		u, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("%s: a %T is no object", info.Source, info.Object)
		}
		if err := c.add(u); err != nil {
			return fmt.Errorf("%s: %w", info.Source, err)
		}
		return nil
	})
}

// OtherKinds lists the kinds of the objects that no decision depends on.
func (c *Contents) OtherKinds() []string { return c.passedOver(false) }

// StrangeVersions lists the kinds of the objects that a decision could depend on
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
func (c *Contents) add(u *unstructured.Unstructured) error {
	gvk := u.GroupVersionKind()
	add := kinds[gvk]
	if add == nil {
		if c.other == nil {
			c.other = make(map[schema.GroupVersionKind]int)
		}
		c.other[gvk]++
		return nil
	}
	if u.GetName() == "" && u.GetGenerateName() == "" {
		return fmt.Errorf("%s without a name", gvk.Kind)
	}
	if err := add(c, u); err != nil {
		return fmt.Errorf("%s %s: %w", gvk.Kind, nameOf(u), err)
	}
	return nil
}

func nameOf(u *unstructured.Unstructured) string {
	name := u.GetName()
	if name == "" {
		name = u.GetGenerateName()
	}
	if ns := u.GetNamespace(); ns != "" {
		return ns + "/" + name
	}
	return name
}

// convert turns an object of any shape into one of a type.
func convert[T any](u *unstructured.Unstructured) (*T, error) {
	x := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, x); err != nil {
		return nil, located(err, u.Object, new(T))
	}
	return x, nil
}
