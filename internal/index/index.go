// Package index finds things that have numbers by two names: a namespace and a
// name in it.
package index

import (
	"hash/maphash"
	"iter"
	"math/bits"
)

// None is the number of nothing.
const None = -1

// An Index is a hash table of numbers, chained through a list that is parallel to
// the things themselves. It keeps no names: who asks compares them, and is asked
// to do so only where a tag of 32 bits agrees, so that what is not meant is hardly
// ever looked at. That makes it a sixth of the size of a map by name, and a look-up
// touches little memory that is not in the caches.
//
// The hash differs from process to process. Nothing that a caller sees depends on
// it but which others Within yields. The zero value is an empty index.
type Index struct {
	seed    maphash.Seed
	buckets []int32 // a power of two of them, at least as many as numbers in use
	links   []link  // by number
	count   int
	fetched int32 // means nothing: what Fetch reads has to go somewhere
}

// A link is one number's part in the index.
type link struct {
	next int32 // in the same bucket, None at the end
	// tag is eight bits of a hash of the namespace, above 24 of one of both names, which
	// say what bucket the number is in. A number not in use keeps the tag that it had.
	tag Key
}

// A Key stands for two names. Few others have it too.
type Key uint32

// New returns an index with room for so many.
func New(size int) Index {
	x := Index{seed: maphash.MakeSeed(), links: make([]link, 0, size)}
	buckets := 8
	for buckets < size {
		buckets *= 2
	}
	x.rehash(buckets)
	return x
}

// Find returns the number added under these names, None if there is none. Is tells
// whether a number is theirs.
func (x *Index) Find(namespace, name string, is func(number int32) bool) int32 {
	if len(x.buckets) == 0 {
		return None
	}
	return x.FindKey(x.Key(namespace, name), is)
}

// FindKey is Find for names of that key. The index is one made by New, as for AddKey and
// Fetch.
func (x *Index) FindKey(key Key, is func(number int32) bool) int32 {
	n := x.buckets[x.bucket(key)]
	for n != None && (x.links[n].tag != key || !is(n)) {
		n = x.links[n].next
	}
	return n
}

// Add files a number, which is that of no other thing, under names that none is
// filed under. Numbers are small: the list is as long as the largest.
func (x *Index) Add(namespace, name string, number int32) {
	if len(x.buckets) == 0 {
		*x = New(0)
	}
	x.AddKey(x.Key(namespace, name), number)
}

// AddKey is Add for names of that key.
func (x *Index) AddKey(key Key, number int32) {
	if x.count == len(x.buckets) {
		x.rehash(2 * len(x.buckets))
	}
	for len(x.links) <= int(number) {
		x.links = append(x.links, link{})
	}
	bucket := x.bucket(key)
	x.links[number] = link{x.buckets[bucket], key}
	x.buckets[bucket] = number
	x.count++
}

// Fetch has memory send what FindKey will read for these keys, which lies far apart: asked
// for all of them at once, it is on the way for many at the same time.
func (x *Index) Fetch(keys []Key) {
	for _, key := range keys {
		x.fetched += x.buckets[x.bucket(key)]
	}
}

// Remove undoes Add.
func (x *Index) Remove(namespace, name string, number int32) {
	at := &x.buckets[x.bucket(x.Key(namespace, name))]
	for *at != number {
		at = &x.links[*at].next
	}
	*at = x.links[number].next
	x.count--
}

// Within yields, in ascending order, the numbers that may be of a namespace: all
// that are, and a few others, numbers no longer in use among them. It reads eight
// bytes a number.
func (x *Index) Within(namespace string) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if len(x.links) == 0 {
			return
		}
		part := x.part(namespace)
		for n := range x.links {
			if x.links[n].tag&namespacePart == part && !yield(int32(n)) {
				return
			}
		}
	}
}

// Clone returns an independent copy.
func (x *Index) Clone() Index {
	room := make([]link, 0, len(x.links)+len(x.links)/32+1) // so that the first that comes does not move all
	return Index{x.seed, append([]int32(nil), x.buckets...), append(room, x.links...), x.count, 0}
}

// rehash distributes the numbers over so many buckets. A bucket follows from the
// tag alone, so no name is looked at.
func (x *Index) rehash(buckets int) {
	old := x.buckets
	x.buckets = make([]int32, buckets)
	for i := range x.buckets {
		x.buckets[i] = None
	}
	for _, n := range old {
		for n != None {
			l := &x.links[n]
			next, bucket := l.next, x.bucket(l.tag)
			l.next, x.buckets[bucket] = x.buckets[bucket], n
			n = next
		}
	}
}

// namespacePart are the bits of a tag that only the namespace has a say in.
const namespacePart = 0xff << 24

// part returns these bits.
func (x *Index) part(namespace string) Key {
	return Key(maphash.String(x.seed, namespace)) & namespacePart
}

// Key returns the key of two names, the tag that they are filed with.
func (x *Index) Key(namespace, name string) Key {
	h := maphash.String(x.seed, namespace)
	both := bits.RotateLeft64(h, 29) ^ maphash.String(x.seed, name)
	return Key(h)&namespacePart | Key(both)&^namespacePart
}

// bucket returns where the chain for a tag begins.
func (x *Index) bucket(tag Key) uint32 { return uint32(tag) & uint32(len(x.buckets)-1) }
