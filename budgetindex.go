package preemption

import (
	"encoding/binary"
	"maps"
	"slices"
)

// budgetEntry is what the cluster keeps for a budget.
type budgetEntry struct {
	budget *PodDisruptionBudget
	order  int32 // of charging; an update keeps it, later budgets have greater ones
}

// budgetIndex finds the budgets over a pod: by namespace, and there by one label
// that the budget requires to have one value, which most budgets have.
type budgetIndex struct {
	byName      map[objectKey]*budgetEntry
	byNamespace map[string]*namespaceBudgets
	next        int32
}

type namespaceBudgets struct {
	byLabel map[label][]*budgetEntry
	others  []*budgetEntry // that require no label to have one value
}

type label struct{ key, value string }

func newBudgetIndex() budgetIndex {
	return budgetIndex{byName: make(map[objectKey]*budgetEntry), byNamespace: make(map[string]*namespaceBudgets)}
}

func (x *budgetIndex) count() int { return len(x.byName) }

func (x *budgetIndex) find(b *PodDisruptionBudget) (*budgetEntry, bool) {
	e, ok := x.byName[objectKey{b.Namespace, b.Name}]
	return e, ok
}

// inOrder returns the budgets in the order of charging.
func (x *budgetIndex) inOrder() []*budgetEntry {
	return slices.SortedFunc(maps.Values(x.byName), compareOrder)
}

func (x *budgetIndex) add(b *PodDisruptionBudget) *budgetEntry {
	e := &budgetEntry{budget: b, order: x.next}
	x.next++
	x.byName[objectKey{b.Namespace, b.Name}] = e
	x.file(e)
	return e
}

func (x *budgetIndex) remove(e *budgetEntry) {
	x.unfile(e)
	delete(x.byName, objectKey{e.budget.Namespace, e.budget.Name})
}

// replace gives the entry a budget with another selector.
func (x *budgetIndex) replace(e *budgetEntry, b *PodDisruptionBudget) {
	x.unfile(e)
	e.budget = b
	x.file(e)
}

// file puts the entry where over looks for it, if its selector can match.
func (x *budgetIndex) file(e *budgetEntry) {
	s := e.budget.Selector
	if s == nil || s.Validate() != nil {
		return
	}
	n := x.byNamespace[e.budget.Namespace]
	if n == nil {
		n = &namespaceBudgets{byLabel: make(map[label][]*budgetEntry)}
		x.byNamespace[e.budget.Namespace] = n
	}
	if l, ok := required(s); ok {
		n.byLabel[l] = append(n.byLabel[l], e)
	} else {
		n.others = append(n.others, e)
	}
}

func (x *budgetIndex) unfile(e *budgetEntry) {
	n := x.byNamespace[e.budget.Namespace]
	if n == nil || e.budget.Selector == nil {
		return
	}
	is := func(o *budgetEntry) bool { return o == e }
	if l, ok := required(e.budget.Selector); !ok {
		n.others = slices.DeleteFunc(n.others, is)
	} else if list := slices.DeleteFunc(n.byLabel[l], is); len(list) > 0 {
		n.byLabel[l] = list
	} else {
		delete(n.byLabel, l)
	}
	if len(n.others) == 0 && len(n.byLabel) == 0 {
		delete(x.byNamespace, e.budget.Namespace)
	}
}

// sparse reports whether most numbers of budgets in the order of charging are
// those of budgets that are gone.
func (x *budgetIndex) sparse() bool { return int(x.next) > 2*x.count()+16 }

// renumber closes the gaps in the order of charging.
func (x *budgetIndex) renumber() {
	for i, e := range x.inOrder() {
		e.order = int32(i)
	}
	x.next = int32(x.count())
}

// required returns a label that the selector requires to have one value: of
// several the one with the least key.
func required(s *Selector) (l label, ok bool) {
	if len(s.MatchLabels) > 0 {
		key := slices.Min(slices.Collect(maps.Keys(s.MatchLabels)))
		return label{key, s.MatchLabels[key]}, true
	}
	for _, r := range s.MatchExpressions {
		if r.Operator == SelectorIn && len(r.Values) == 1 {
			return label{r.Key, r.Values[0]}, true
		}
	}
	return label{}, false
}

// over returns the budgets that bear on the eviction of the pod, in the order of
// charging: those that cover it and do not list it as disrupted.
func (x *budgetIndex) over(r Release, p *Pod) []*budgetEntry {
	n := x.byNamespace[p.Namespace]
	if n == nil {
		return nil
	}
	var found []*budgetEntry
	take := func(list []*budgetEntry) {
		for _, e := range list {
			if r.selects(e.budget.Selector, p.Labels) && !slices.Contains(e.budget.Disrupted, p.Name) {
				found = append(found, e)
			}
		}
	}
	take(n.others)
	for k, v := range p.Labels {
		take(n.byLabel[label{k, v}])
	}
	slices.SortFunc(found, compareOrder)
	return found
}

// noCover is the number of the empty set of budgets.
const noCover = -1

// coverSets numbers the sets of budgets that bear on pods. Many pods share one.
type coverSets struct {
	sets   []coverSet
	byKey  map[string]int32
	unused []int32
}

type coverSet struct {
	over []*budgetEntry // in the order of charging
	// pods is how many pods the set bears on, homes how many of them on which nodes,
	// by the nodes' numbers.
	pods  int
	homes map[int32]int32
}

func newCoverSets() coverSets { return coverSets{byKey: make(map[string]int32)} }

// budgets returns the budgets of a set.
func (x *coverSets) budgets(set int32) []*budgetEntry {
	if set == noCover {
		return nil
	}
	return x.sets[set].over
}

// enter counts a pod on the node into the set of these budgets and returns its
// number.
func (x *coverSets) enter(over []*budgetEntry, home int32) int32 {
	if len(over) == 0 {
		return noCover
	}
	key := coverKey(over)
	set, known := x.byKey[key]
	if !known {
		if n := len(x.unused); n > 0 {
			set, x.unused = x.unused[n-1], x.unused[:n-1]
		} else {
			set = int32(len(x.sets))
			x.sets = append(x.sets, coverSet{})
		}
		x.sets[set] = coverSet{over: over, homes: make(map[int32]int32)}
		x.byKey[key] = set
	}
	return x.join(set, home)
}

// join counts a pod on the node into a set that has pods.
func (x *coverSets) join(set, home int32) int32 {
	if set != noCover {
		x.sets[set].pods++
		x.sets[set].homes[home]++
	}
	return set
}

// leave undoes enter.
func (x *coverSets) leave(set int32, home int32) {
	if set == noCover {
		return
	}
	s := &x.sets[set]
	if s.homes[home]--; s.homes[home] == 0 {
		delete(s.homes, home)
	}
	if s.pods--; s.pods == 0 {
		delete(x.byKey, coverKey(s.over))
		*s = coverSet{}
		x.unused = append(x.unused, set)
	}
}

// rekey follows a change of the budgets' numbers.
func (x *coverSets) rekey() {
	clear(x.byKey)
	for i := range x.sets {
		if over := x.sets[i].over; over != nil {
			x.byKey[coverKey(over)] = int32(i)
		}
	}
}

func coverKey(over []*budgetEntry) string {
	var buf [64]byte
	key := buf[:0]
	for _, e := range over {
		key = binary.LittleEndian.AppendUint32(key, uint32(e.order))
	}
	return string(key)
}
