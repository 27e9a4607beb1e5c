package index

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type name struct{ namespace, name string }

// An index finds what a map by name would, whatever came and went, and Within
// leaves out nothing of a namespace.
func TestIndexIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, names, byName := New(rapid.IntRange(0, 20).Draw(t, "size")), []name{}, map[name]int32{}
		if rapid.Bool().Draw(t, "zero value") {
			x = Index{}
		}
		unused := []int32{}
		draw := func() name {
			return name{fmt.Sprint("ns", rapid.IntRange(0, 3).Draw(t, "namespace")), fmt.Sprint(rapid.IntRange(0, 12).Draw(t, "name"))}
		}
		find := func(n name) int32 {
			return x.Find(n.namespace, n.name, func(number int32) bool { return names[number] == n })
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(*rapid.T) {
				n := draw()
				if _, known := byName[n]; known {
					return
				}
				number := int32(len(names))
				if len(unused) > 0 {
					number, unused = unused[0], unused[1:]
					names[number] = n
				} else {
					names = append(names, n)
				}
				x.Add(n.namespace, n.name, number)
				byName[n] = number
			},
			"remove": func(*rapid.T) {
				n := draw()
				number, known := byName[n]
				if !known {
					return
				}
				x.Remove(n.namespace, n.name, number)
				delete(byName, n)
				names[number] = name{}
				unused = append(unused, number)
			},
			"clone": func(*rapid.T) { x = x.Clone() },
			"": func(t *rapid.T) {
				for i := range 4 {
					namespace := fmt.Sprint("ns", i)
					within := slices.Collect(x.Within(namespace))
					for j := range 13 {
						n := name{namespace, fmt.Sprint(j)}
						want, known := byName[n]
						if !known {
							want = None
						}
						if got := find(n); got != want {
							t.Fatalf("Find(%v) = %d, want %d", n, got, want)
						}
						if known && !slices.Contains(within, want) {
							t.Fatalf("Within(%s) = %v, want %d among them", namespace, within, want)
						}
					}
				}
			},
		})
	})
}

// Names in one namespace that differ little are spread over the buckets.
func TestIndexSpreads(t *testing.T) {
	const names = 1 << 16
	x := New(names)
	for i := range int32(names) {
		x.Add("ns", fmt.Sprint("pod-", i), i)
	}
	asked := 0
	for i := range int32(names) {
		x.Find("ns", fmt.Sprint("pod-", i), func(number int32) bool { asked++; return number == i })
	}
	if asked > names+names/64 {
		t.Errorf("asked about %d numbers to find %d", asked, names)
	}
	for i := range 100 {
		if got := len(slices.Collect(x.Within(fmt.Sprint("other-", i)))); got != 0 && got != names {
			t.Errorf("%d numbers may be of another namespace, want none or, by chance, all of the one there is", got)
		}
	}
}
