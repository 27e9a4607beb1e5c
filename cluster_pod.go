package preemption

import (
	"errors"
	"fmt"
	"slices"
)

// AddPod adds a pod: bound if it has a node name, pending otherwise, and then
// nominated if it has a nominated node. It is an error if the name is taken or
// the node it is bound to unknown.
func (c *Cluster) AddPod(p *Pod) error {
	if err := validatePod(p); err != nil {
		return err
	}
	key := objectKey{p.Namespace, p.Name}
	if c.pods[key] != nil {
		return fmt.Errorf("preemption: pod %s: there already is a pod of that name", p)
	}
	return c.place(&podEntry{pod: p, nominated: p.NominatedNode}, -1)
}

// UpdatePod replaces the pod of the same namespace and name. A pod that stays on
// its node, or nominated to the same node, keeps its place there. A change of
// node name binds or moves it.
func (c *Cluster) UpdatePod(p *Pod) error {
	if err := validatePod(p); err != nil {
		return err
	}
	old := c.pods[objectKey{p.Namespace, p.Name}]
	if old == nil {
		return fmt.Errorf("preemption: pod %s: there is no pod of that name to update", p)
	}
	return c.replace(old, &podEntry{pod: p, nominated: p.NominatedNode})
}

// RemovePod removes the pod of that name, and its nomination with it.
func (c *Cluster) RemovePod(namespace, name string) error {
	e := c.pods[objectKey{namespace, name}]
	if e == nil {
		return fmt.Errorf("preemption: pod %s/%s: there is no pod of that name to remove", namespace, name)
	}
	c.displace(e)
	return nil
}

// Nominate records that a preemption is clearing the node for the pending pod,
// or, if the node is "", that none is. It takes the place of the pod's
// NominatedNode until the pod is updated; the pod itself is not modified. A pod
// that the cluster does not hold is added.
func (c *Cluster) Nominate(p *Pod, node string) error {
	if err := validatePod(p); err != nil {
		return err
	}
	old := c.pods[objectKey{p.Namespace, p.Name}]
	if p.NodeName != "" || old != nil && old.slot != nil {
		return fmt.Errorf("preemption: pod %s: it is bound to a node and cannot be nominated to one", p)
	}
	e := &podEntry{pod: p, nominated: node}
	if old == nil {
		return c.place(e, -1)
	}
	return c.replace(old, e)
}

// replace puts e in the place of old, or changes nothing.
func (c *Cluster) replace(old, e *podEntry) error {
	at := -1
	if old.pod.NodeName == e.pod.NodeName && old.home() == e.home() {
		at = slices.Index(c.residents(old), old.pod)
	}
	was := c.displace(old)
	if err := c.place(e, at); err != nil {
		// What was there fitted before and fits again.
		if again := c.place(old, was); again != nil {
			panic("preemption: cannot restore pod " + old.pod.String() + ": " + again.Error())
		}
		return err
	}
	return nil
}

// home is the node that the pod takes room on: the one it is bound to, else the
// one it is nominated to, "" for neither.
func (e *podEntry) home() string {
	if e.pod.NodeName != "" {
		return e.pod.NodeName
	}
	return e.nominated
}

// residents returns the list that the pod's home keeps it in.
func (c *Cluster) residents(e *podEntry) []*Pod {
	if e.slot != nil {
		return e.slot.pods
	}
	return c.nominated[e.nominated]
}

// place adds the entry, at that place among the pods of its home or last (-1).
func (c *Cluster) place(e *podEntry, at int) error {
	p := e.pod
	slot := c.byName[e.home()]
	if p.NodeName != "" {
		if slot == nil {
			return fmt.Errorf("preemption: pod %s: it is bound to node %s, which is unknown", p, p.NodeName)
		}
		e.slot, e.nominated = slot, ""
	}
	if slot != nil {
		if err := slot.committed.add(p.Requests); err != nil {
			return fmt.Errorf("preemption: pod %s on node %s: %w", p, slot.node.Name, err)
		}
	}
	list := insert(c.residents(e), at, p)
	switch {
	case e.slot != nil:
		e.slot.pods = list
	case e.nominated != "":
		c.nominated[e.nominated] = list
	}
	c.pods[objectKey{p.Namespace, p.Name}] = e
	c.cover(e)
	c.join(e)
	return nil
}

// displace takes the entry out and returns the place it had at its home.
func (c *Cluster) displace(e *podEntry) (at int) {
	c.leave(e)
	p := e.pod
	if slot := c.byName[e.home()]; slot != nil {
		slot.committed.subtract(p.Requests)
	}
	list := c.residents(e)
	if at = slices.Index(list, p); at >= 0 {
		list = slices.Delete(list, at, at+1)
	}
	switch {
	case e.slot != nil:
		e.slot.pods = list
	case len(list) > 0:
		c.nominated[e.nominated] = list
	default:
		delete(c.nominated, e.nominated)
	}
	delete(c.pods, objectKey{p.Namespace, p.Name})
	return at
}

func insert(list []*Pod, at int, p *Pod) []*Pod {
	if at < 0 {
		return append(list, p)
	}
	return slices.Insert(list, at, p)
}

func validatePod(p *Pod) error {
	if p.Name == "" {
		return errors.New("preemption: pod without a name")
	}
	for _, name := range p.Requests.names() {
		if q := p.Requests[name]; q < 0 {
			return fmt.Errorf("preemption: pod %s: request for %s is negative: %d", p, name, q)
		}
	}
	return nil
}
