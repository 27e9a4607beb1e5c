package preemption

import (
	"fmt"
	"maps"
	"slices"

	"example.com/preemption/internal/index"
)

// AddPod adds a pod: bound if it has a node name, pending otherwise, and then
// nominated if it has a nominated node. It is an error if the name is taken or
// the node it is bound to unknown.
func (c *Cluster) AddPod(p *Pod) error {
	if err := validatePod(p); err != nil {
		return err
	}
	c.ready()
	if c.pods.find(p.Namespace, p.Name) >= 0 {
		return fmt.Errorf("preemption: pod %s: there already is a pod of that name", p)
	}
	return c.place(p, p.NominatedNode, last)
}

// UpdatePod replaces the pod of the same namespace and name. A pod that stays on
// its node, or nominated to the same node, keeps its place there. A change of
// node name binds or moves it. What Nominate said of a pending pod holds until
// the pod's own NominatedNode changes.
func (c *Cluster) UpdatePod(p *Pod) error {
	if err := validatePod(p); err != nil {
		return err
	}
	id := c.pods.find(p.Namespace, p.Name)
	if id < 0 {
		return fmt.Errorf("preemption: pod %s: there is no pod of that name to update", p)
	}
	nominated := p.NominatedNode
	if old := c.pods.at(id).pod; samePod(old, p) && old.NodeName == "" && old.NominatedNode == p.NominatedNode {
		nominated = c.nominations[id] // what Nominate said last
	}
	return c.replace(id, p, nominated)
}

// RemovePod removes the pod of that name, and its nomination with it.
func (c *Cluster) RemovePod(namespace, name string) error {
	id := c.pods.find(namespace, name)
	if id < 0 {
		return fmt.Errorf("preemption: pod %s/%s: there is no pod of that name to remove", namespace, name)
	}
	c.displace(id)
	return nil
}

// Nominate records that a preemption is clearing the node for the pending pod,
// or, if the node is "", that none is. That counts in place of the pod's own
// NominatedNode until an update of the pod changes the latter; the pod itself is
// not modified. A pod that the cluster does not hold is added, and p takes the
// place of one that it does.
func (c *Cluster) Nominate(p *Pod, node string) error {
	if err := validatePod(p); err != nil {
		return err
	}
	c.ready()
	id := c.pods.find(p.Namespace, p.Name)
	if p.NodeName != "" || id >= 0 && c.slotOf(id) != nil {
		return fmt.Errorf("preemption: pod %s: it is bound to a node and cannot be nominated to one", p)
	}
	if id < 0 {
		return c.place(p, node, last)
	}
	return c.replace(id, p, node)
}

// last is the place at the end of a list.
const last = -1

// replace puts p in the place of the pod with that number, or changes nothing.
func (c *Cluster) replace(id int32, p *Pod, nominated string) error {
	old, oldNominated := c.pods.at(id).pod, c.nominations[id]
	place := last
	if old.NodeName == p.NodeName && oldNominated == nominatedTo(p, nominated) {
		list := *c.residents(old, oldNominated)
		place = slices.Index(list, old)
		if interchangeable(old, p) {
			c.swap(id, p, list, place)
			return nil
		}
	}
	was := c.moveOut(id)
	if err := c.moveIn(id, p, nominated, place); err != nil {
		// What was there fitted before and fits again.
		if again := c.moveIn(id, old, oldNominated, was); again != nil {
			panic("preemption: cannot restore pod " + old.String() + ": " + again.Error())
		}
		return err
	}
	return nil
}

// interchangeable reports whether two versions of a pod are the same to all that
// is compiled. Most updates are of this kind: only the status changed.
func interchangeable(a, b *Pod) bool {
	return a.UID == b.UID && a.Priority == b.Priority && a.Start.Equal(b.Start) && a.Group == b.Group &&
		maps.Equal(a.Requests, b.Requests) && maps.Equal(a.Labels, b.Labels) && slices.Equal(a.HostPorts, b.HostPorts)
}

// swap puts an interchangeable pod in the place of the one with that number.
func (c *Cluster) swap(id int32, p *Pod, list []*Pod, place int) {
	c.pods.at(id).pod = p
	if place >= 0 {
		list[place] = p
	}
	if u := c.unitOf[id]; u != nil {
		u.changed()
	}
}

// nominatedTo is the nomination that counts: none for a bound pod.
func nominatedTo(p *Pod, nominated string) string {
	if p.NodeName != "" {
		return ""
	}
	return nominated
}

// residents returns the list that keeps the pod in its place: those bound to its
// node, or those nominated to the same one.
func (c *Cluster) residents(p *Pod, nominated string) *[]*Pod {
	if p.NodeName != "" {
		return &c.byName[p.NodeName].pods
	}
	list := c.nominated[nominated]
	return &list
}

// place adds a pod that the cluster does not hold, at that place of its list.
func (c *Cluster) place(p *Pod, nominated string, place int) error {
	id := c.pods.add(podEntry{pod: p})
	err := c.moveIn(id, p, nominated, place)
	if err != nil {
		c.pods.remove(id)
	}
	return err
}

// moveIn gives a pod its place on its node, or among those nominated to one. An entry
// is for the pod already, and stands for nothing yet.
func (c *Cluster) moveIn(id int32, p *Pod, nominated string, place int) error {
	// What speaks against it.
	bound := c.byName[p.NodeName]
	if p.NodeName != "" && bound == nil {
		return unknownNode(p)
	}
	nominated = nominatedTo(p, nominated)
	home := bound
	if home == nil {
		home = c.byName[nominated]
	}
	if home != nil {
		if err := c.commit(home, p); err != nil {
			return err
		}
	}

	// It comes, and the engine is told.
	*c.pods.at(id) = podEntry{pod: p, home: none, cover: noCover}
	switch {
	case bound != nil:
		c.pods.at(id).home = bound.number
		bound.pods = insert(bound.pods, place, p)
		if len(p.HostPorts) > 0 {
			bound.ports++
		}
		c.cover(id)
		if !c.join(id) {
			c.engine.add(id)
		}
	case nominated != "":
		c.nominations[id] = nominated
		c.nominees[p.UID]++
		c.nominated[nominated] = insert(c.nominated[nominated], place, p)
		c.engine.reserve(home, id)
	}
	return nil
}

// displace takes a pod out.
func (c *Cluster) displace(id int32) {
	c.moveOut(id)
	c.pods.remove(id)
}

// moveOut undoes moveIn and returns the place that the pod had in its list.
func (c *Cluster) moveOut(id int32) (place int) {
	e := c.pods.at(id)
	p := e.pod
	if s := c.home(e); s != nil {
		if requests, all := c.takeOut(id); all {
			for _, amount := range requests {
				s.committed = s.committed.less(amount)
			}
		} else {
			s.committed = s.committed.minus(p.Requests)
		}
		c.covers.leave(e.cover, e.home)
		if len(p.HostPorts) > 0 {
			s.ports--
		}
		place = slices.Index(s.pods, p)
		s.pods = slices.Delete(s.pods, place, place+1)
	} else if nominated, ok := c.nominations[id]; ok {
		list := c.nominated[nominated]
		place = slices.Index(list, p)
		if list = slices.Delete(list, place, place+1); len(list) > 0 {
			c.nominated[nominated] = list
		} else {
			delete(c.nominated, nominated)
		}
		delete(c.nominations, id)
		if c.nominees[p.UID]--; c.nominees[p.UID] == 0 {
			delete(c.nominees, p.UID)
		}
		home := c.byName[nominated]
		if home != nil {
			home.committed = home.committed.minus(p.Requests)
		}
		c.engine.unreserve(home, id)
	}
	return place
}

// takeOut has a bound pod leave its unit and the engine. If the engine knew all that the
// pod requests it is returned: the pod's own map is seldom in the caches.
func (c *Cluster) takeOut(id int32) (requests []int64, all bool) {
	if c.leave(id) {
		return nil, false
	}
	return c.engine.remove(id)
}

func unknownNode(p *Pod) error {
	return fmt.Errorf("preemption: pod %s: it is bound to node %s, which is unknown", p, p.NodeName)
}

func insert(list []*Pod, place int, p *Pod) []*Pod {
	if place == last {
		return append(list, p)
	}
	return slices.Insert(list, place, p)
}

// podEntry is what the cluster keeps for a pod. Entries are many, so what few
// pods have is kept elsewhere: nominations and places in groups.
type podEntry struct {
	pod   *Pod  // nil: the entry is not in use
	home  int32 // the number of the node it is bound to, none: pending
	cover int32 // the set of budgets over a bound pod, noCover for none
}

// none is the number of no pod and of no node.
const none = index.None

// podIndex finds pods by name. The number of a pod's entry stays the same as long
// as the pod does, and may then be another's.
type podIndex struct {
	entries []podEntry
	names   index.Index
	unused  []int32
}

func newPodIndex(size int) podIndex {
	return podIndex{entries: make([]podEntry, 0, size), names: index.New(size)}
}

// find returns the number of the pod's entry, none if there is none.
func (x *podIndex) find(namespace, name string) int32 {
	return x.names.Find(namespace, name, func(id int32) bool { return x.entries[id].named(namespace, name) })
}

// findKey is find with the key of the names known.
func (x *podIndex) findKey(key index.Key, namespace, name string) int32 {
	return x.names.FindKey(key, func(id int32) bool { return x.entries[id].named(namespace, name) })
}

func (e *podEntry) named(namespace, name string) bool {
	return e.pod.Name == name && e.pod.Namespace == namespace
}

func (x *podIndex) at(id int32) *podEntry { return &x.entries[id] }

// add makes an entry for a pod that has none.
func (x *podIndex) add(e podEntry) int32 {
	var id int32
	if n := len(x.unused); n > 0 {
		id, x.unused = x.unused[n-1], x.unused[:n-1]
	} else {
		id = int32(len(x.entries))
		x.entries = append(x.entries, podEntry{})
	}
	x.entries[id] = e
	x.names.Add(e.pod.Namespace, e.pod.Name, id)
	return id
}

// remove forgets an entry; its number may be used again.
func (x *podIndex) remove(id int32) {
	e := &x.entries[id]
	x.names.Remove(e.pod.Namespace, e.pod.Name, id)
	*e = podEntry{}
	x.unused = append(x.unused, id)
}

// home returns the node that a pod is bound to, nil if it is pending.
func (c *Cluster) home(e *podEntry) *nodeSlot {
	if e.home == none {
		return nil
	}
	return c.homes[e.home]
}

// slotOf does so for the pod with that number.
func (c *Cluster) slotOf(id int32) *nodeSlot { return c.home(c.pods.at(id)) }
