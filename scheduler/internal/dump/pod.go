package dump

import (
	"fmt"
	"io"

	v1 "k8s.io/api/core/v1"
)

// Pod reads a manifest with one pod that does not exist yet. One that names no
// namespace gets the given one.
func Pod(name string, stdin io.Reader, namespace string) (*v1.Pod, error) {
	c := Contents{Namespace: namespace}
	if err := c.Files([]string{name}, false, stdin); err != nil {
		return nil, err
	}
	if n := len(c.Cluster.Pods); n != 1 {
		return nil, fmt.Errorf("%s: want one pod, found %d", name, n)
	}
	p := c.Cluster.Pods[0]
	if p.Name == "" {
		p.Name = p.GenerateName + "new"
	}
	if p.Spec.NodeName != "" {
		return nil, fmt.Errorf("%s: Pod %s/%s: spec.nodeName is set: the pod is not for a scheduler to place", name, p.Namespace, p.Name)
	}
	return p, nil
}
