package preemption

// podEntry is what the cluster keeps for a pod. Entries are many, so what few
// pods have is kept elsewhere: nominations and places in groups.
type podEntry struct {
	pod   *Pod
	slot  *nodeSlot // nil: pending
	cover int32     // the set of budgets over a bound pod, noCover for none
	next  int32     // the next entry with the same hash, -1 for none
}

// podIndex finds pods by name. It is a hash table of entry numbers, which stay
// the same as long as the pod does: a third of the size of a map by name.
type podIndex struct {
	entries []podEntry
	first   map[uint64]int32
	unused  []int32
}

func newPodIndex(size int) podIndex {
	return podIndex{entries: make([]podEntry, 0, size), first: make(map[uint64]int32, size)}
}

// find returns the number of the pod's entry, -1 if there is none.
func (x *podIndex) find(namespace, name string) int32 {
	id, ok := x.first[hashName(namespace, name)]
	if !ok {
		return -1
	}
	for ; id >= 0; id = x.entries[id].next {
		if p := x.entries[id].pod; p.Name == name && p.Namespace == namespace {
			return id
		}
	}
	return -1
}

func (x *podIndex) at(id int32) *podEntry { return &x.entries[id] }

// add makes an entry for a pod that has none.
func (x *podIndex) add(e podEntry) int32 {
	h := hashName(e.pod.Namespace, e.pod.Name)
	e.next = -1
	if head, ok := x.first[h]; ok {
		e.next = head
	}
	var id int32
	if n := len(x.unused); n > 0 {
		id, x.unused = x.unused[n-1], x.unused[:n-1]
		x.entries[id] = e
	} else {
		id = int32(len(x.entries))
		x.entries = append(x.entries, e)
	}
	x.first[h] = id
	return id
}

// remove forgets an entry; its number may be used again.
func (x *podIndex) remove(id int32) {
	e := &x.entries[id]
	h := hashName(e.pod.Namespace, e.pod.Name)
	if head := x.first[h]; head != id {
		for ; x.entries[head].next != id; head = x.entries[head].next {
		}
		x.entries[head].next = e.next
	} else if e.next >= 0 {
		x.first[h] = e.next
	} else {
		delete(x.first, h)
	}
	*e = podEntry{}
	x.unused = append(x.unused, id)
}

// hashName is FNV-1a over namespace, a slash and name.
func hashName(namespace, name string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(namespace) {
		h = (h ^ uint64(namespace[i])) * prime
	}
	h = (h ^ '/') * prime
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	return h
}
