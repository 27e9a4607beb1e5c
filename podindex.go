package preemption

// podEntry is what the cluster keeps for a pod. Entries are many, so what few
// pods have is kept elsewhere: nominations and places in groups.
type podEntry struct {
	pod   *Pod
	slot  *nodeSlot // nil: pending
	cover int32     // the set of budgets over a bound pod, noCover for none
	next  int32     // the next entry in the same bucket, none at the end
}

// none is the number of no entry.
const none = -1

// podIndex finds pods by name. It is a hash table of entry numbers, which stay
// the same as long as the pod does, chained through the entries: a sixth of the
// size of a map by name.
type podIndex struct {
	entries []podEntry
	buckets []int32 // a power of two of them, at least as many as entries
	unused  []int32
}

func newPodIndex(size int) podIndex {
	x := podIndex{entries: make([]podEntry, 0, size)}
	buckets := 8
	for buckets < size {
		buckets *= 2
	}
	x.rehash(buckets)
	return x
}

// find returns the number of the pod's entry, none if there is none.
func (x *podIndex) find(namespace, name string) int32 {
	if len(x.buckets) == 0 {
		return none
	}
	id := *x.bucket(namespace, name)
	for ; id != none; id = x.entries[id].next {
		if p := x.entries[id].pod; p.Name == name && p.Namespace == namespace {
			return id
		}
	}
	return none
}

func (x *podIndex) at(id int32) *podEntry { return &x.entries[id] }

// add makes an entry for a pod that has none.
func (x *podIndex) add(e podEntry) int32 {
	if len(x.entries)-len(x.unused) == len(x.buckets) {
		x.rehash(2 * len(x.buckets))
	}
	var id int32
	if n := len(x.unused); n > 0 {
		id, x.unused = x.unused[n-1], x.unused[:n-1]
	} else {
		id = int32(len(x.entries))
		x.entries = append(x.entries, podEntry{})
	}
	bucket := x.bucket(e.pod.Namespace, e.pod.Name)
	e.next = *bucket
	x.entries[id], *bucket = e, id
	return id
}

// remove forgets an entry; its number may be used again.
func (x *podIndex) remove(id int32) {
	e := &x.entries[id]
	link := x.bucket(e.pod.Namespace, e.pod.Name)
	for *link != id {
		link = &x.entries[*link].next
	}
	*link = e.next
	*e = podEntry{}
	x.unused = append(x.unused, id)
}

func (x *podIndex) rehash(buckets int) {
	x.buckets = make([]int32, buckets)
	for i := range x.buckets {
		x.buckets[i] = none
	}
	for id := range x.entries {
		if e := &x.entries[id]; e.pod != nil {
			bucket := x.bucket(e.pod.Namespace, e.pod.Name)
			e.next, *bucket = *bucket, int32(id)
		}
	}
}

// bucket returns where the chain for a name begins. The hash is FNV-1a over
// namespace, a slash and name.
func (x *podIndex) bucket(namespace, name string) *int32 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(namespace) {
		h = (h ^ uint64(namespace[i])) * prime
	}
	h = (h ^ '/') * prime
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	return &x.buckets[(h^h>>32)&uint64(len(x.buckets)-1)]
}
