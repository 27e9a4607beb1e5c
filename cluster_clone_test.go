package preemption

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/preemption/internal/columnar"
)

// A clone shares no memory with its original that either of them writes to,
// whatever fields clusters come to have.
func TestCloneSharesNothing(t *testing.T) {
	c := cloneable(t)
	k := c.Clone()
	mine := map[uintptr]string{}
	walk(reflect.ValueOf(c), "", func(at uintptr, path string) { mine[at] = path })
	if len(mine) < 100 {
		t.Fatalf("found only %d places in memory", len(mine))
	}
	seen := map[string]bool{}
	walk(reflect.ValueOf(k), "", func(at uintptr, path string) {
		if where, shared := mine[at]; shared && !seen[path] {
			seen[path] = true
			t.Errorf("the clone's %s is the original's %s", path, where)
		}
	})
}

// cloneable has something of everything.
func cloneable(t *testing.T) *Cluster {
	t.Helper()
	state := ClusterState{
		PodGroups:          []*PodGroup{{Namespace: "a", Name: "g", DisruptionMode: DisruptAll, Parent: "c"}},
		CompositePodGroups: []*CompositePodGroup{{Namespace: "a", Name: "c"}},
		DisruptionBudgets: []*PodDisruptionBudget{
			{Namespace: "a", Name: "b", Allowed: 1, Selector: &Selector{MatchLabels: map[string]string{"app": "x"}}},
			{Namespace: "a", Name: "all", Selector: &Selector{}},
			{Namespace: "b", Name: "out", Selector: &Selector{}},
		},
	}
	for i := range 3 {
		n := &Node{Name: fmt.Sprint("n", i), Allocatable: Resources{CPU: 4, PodCount: 9, "odd": 1}}
		state.Nodes = append(state.Nodes, n)
		for j := range 4 {
			p := &Pod{Namespace: "a", Name: fmt.Sprintf("p%d%d", i, j), NodeName: n.Name, Priority: int32(j), Requests: Resources{CPU: 1},
				Labels: map[string]string{"app": "x"}}
			if j > 1 {
				p.Group = "g"
			}
			state.Pods = append(state.Pods, p)
		}
		state.Pods = append(state.Pods, &Pod{Namespace: "a", Name: fmt.Sprint("h", i), NominatedNode: n.Name, Requests: Resources{CPU: 1}})
	}
	for i := range 9 {
		state.Pods = append(state.Pods, &Pod{Namespace: "b", Name: fmt.Sprint("o", i), NodeName: "n0", Requests: Resources{fmt.Sprint("odd", i): 1}})
	}
	c, err := NewCluster(state)
	if err != nil {
		t.Fatal(err)
	}
	// Removals leave numbers to be used again.
	for _, err := range []error{c.RemovePod("b", "o1"), c.RemovePod("a", "p03"), c.RemoveBudget("b", "out")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// Types that nobody writes to once they are made.
var immutable = map[reflect.Type]bool{
	reflect.TypeFor[*Node](): true, reflect.TypeFor[*Pod](): true, reflect.TypeFor[*Victim](): true,
	reflect.TypeFor[*PodDisruptionBudget](): true, reflect.TypeFor[*PodGroup](): true, reflect.TypeFor[*CompositePodGroup](): true,
	reflect.TypeFor[columnar.Unit](): true,
}

// walk calls found for every place in memory that can be written to through v.
func walk(v reflect.Value, path string, found func(at uintptr, path string)) {
	if !v.IsValid() || immutable[v.Type()] || v.Type().PkgPath() == "sync" || strings.HasSuffix(path, ".covers[]") {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && len(path) < 200 {
			found(v.Pointer(), path)
			walk(v.Elem(), path, found)
		}
	case reflect.Slice:
		if v.Cap() > 0 {
			found(v.Pointer(), path)
		}
		for i := range v.Len() {
			walk(v.Index(i), path+"[]", found)
		}
	case reflect.Map:
		if !v.IsNil() {
			found(v.Pointer(), path)
		}
		for it := v.MapRange(); it.Next(); {
			walk(it.Value(), path+"{}", found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name, found)
		}
	case reflect.Array:
		for i := range v.Len() {
			walk(v.Index(i), path+"[]", found)
		}
	}
}
