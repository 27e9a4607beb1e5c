package generate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"example.com/preemption/internal/golden"
)

// Shrink returns a small case for which fails holds, given one: it drops parts
// and simplifies what is left as long as the case keeps failing. The result is
// minimal in that no single further step is possible, not the smallest there
// is. It keeps at least one node, and one member of a gang.
//
// The cases handed to fails have no answers, as those of the given case need
// not hold any more. Shrink does not modify c.
func Shrink(c golden.Case, fails func(golden.Case) bool) golden.Case {
	s := shrinker{c: clone(c), fails: fails}
	s.c.Want = map[string]golden.Answer{}
	s.c.Name += "-shrunk"
	for s.shrunk = true; s.shrunk; {
		s.shrunk = false
		s.dropParts()
		s.simplify()
	}
	return s.c
}

// shrinker holds the smallest failing case so far.
type shrinker struct {
	c      golden.Case
	fails  func(golden.Case) bool
	shrunk bool // in this round
}

// try makes a change if it changes anything and the case keeps failing.
func (s *shrinker) try(change func(*golden.Case)) bool {
	c := clone(s.c)
	change(&c)
	if len(c.Nodes) == 0 || len(c.Gang) == 0 && len(s.c.Gang) > 0 {
		return false
	}
	if bytes.Equal(encode(c), encode(s.c)) || !s.fails(clone(c)) {
		return false
	}
	s.c, s.shrunk = c, true
	return true
}

// dropParts drops what it can of each list of the case.
func (s *shrinker) dropParts() {
	drop(s, func(c *golden.Case) *[]golden.Node { return &c.Nodes }, leave)
	drop(s, func(c *golden.Case) *[]golden.Pod { return &c.Pods }, nil)
	drop(s, func(c *golden.Case) *[]golden.PDB { return &c.PDBs }, nil)
	drop(s, func(c *golden.Case) *[]golden.PodGroup { return &c.PodGroups }, nil)
	drop(s, func(c *golden.Case) *[]golden.CompositePodGroup { return &c.CompositePodGroups }, nil)
	drop(s, func(c *golden.Case) *[]golden.GangMember { return &c.Gang }, nil)
}

// drop drops runs of elements of a list, halves first and single ones last.
// After each drop it lets settle, if set, bring the rest of the case in line.
func drop[T any](s *shrinker, list func(*golden.Case) *[]T, settle func(*golden.Case)) {
	for size := (len(*list(&s.c)) + 1) / 2; size > 0; size /= 2 {
		for i := 0; i < len(*list(&s.c)); {
			dropped := s.try(func(c *golden.Case) {
				l := list(c)
				*l = slices.Delete(*l, i, min(i+size, len(*l)))
				if settle != nil {
					settle(c)
				}
			})
			if !dropped {
				i += size
			}
		}
	}
}

// leave drops the pods of nodes that are gone.
func leave(c *golden.Case) {
	exists := map[string]bool{"": true}
	for _, n := range c.Nodes {
		exists[n.Name] = true
	}
	c.Pods = slices.DeleteFunc(c.Pods, func(p golden.Pod) bool {
		return !exists[p.Node] || p.Node == "" && !exists[p.NominatedNode]
	})
	c.Gang = slices.DeleteFunc(c.Gang, func(m golden.GangMember) bool { return !exists[m.Assigned] })
}

// simplify changes fields one by one. No change undoes another: rounds must
// come to an end.
func (s *shrinker) simplify() {
	s.try(func(c *golden.Case) { c.Sampling = nil })
	for i := range s.c.Nodes {
		s.simplifyNode(func(c *golden.Case) *golden.Node { return &c.Nodes[i] })
	}
	for i := range s.c.Pods {
		s.simplifyPod(func(c *golden.Case) *golden.Pod { return &c.Pods[i] })
	}
	for i := range s.c.Gang {
		s.simplifyPod(func(c *golden.Case) *golden.Pod { return &c.Gang[i].Pod })
	}
	s.simplifyPod(func(c *golden.Case) *golden.Pod { return &c.Preemptor })
	s.try(func(c *golden.Case) { c.Preemptor.NominatedNode = "" })
	for i := range s.c.PDBs {
		s.simplifyPDB(func(c *golden.Case) *golden.PDB { return &c.PDBs[i] })
	}
	for i := range s.c.PodGroups {
		s.try(func(c *golden.Case) { c.PodGroups[i].Parent = "" })
		s.try(func(c *golden.Case) { c.PodGroups[i].DisruptionMode = golden.ModeSingle })
	}
	for i := range s.c.CompositePodGroups {
		s.try(func(c *golden.Case) { c.CompositePodGroups[i].Parent = "" })
		s.try(func(c *golden.Case) { c.CompositePodGroups[i].DisruptionMode = golden.ModeSingle })
	}
}

func (s *shrinker) simplifyNode(node func(*golden.Case) *golden.Node) {
	edit := func(change func(n *golden.Node)) { s.try(func(c *golden.Case) { change(node(c)) }) }
	edit(func(n *golden.Node) { n.Unschedulable = false })
	edit(func(n *golden.Node) { n.Taint = "" })
	edit(func(n *golden.Node) { n.Taints = nil })
	edit(func(n *golden.Node) { n.Labels = map[string]string{} })
	edit(func(n *golden.Node) { n.Allocatable["pods"] = 110 })
	for i := len(node(&s.c).Taints) - 1; i >= 0; i-- {
		edit(func(n *golden.Node) { n.Taints = slices.Delete(n.Taints, i, i+1) })
	}
	for _, resource := range slices.Sorted(maps.Keys(node(&s.c).Allocatable)) {
		if resource == "pods" {
			continue // without it there is no room for any
		}
		edit(func(n *golden.Node) { delete(n.Allocatable, resource) })
	}
}

func (s *shrinker) simplifyPod(pod func(*golden.Case) *golden.Pod) {
	edit := func(change func(p *golden.Pod)) { s.try(func(c *golden.Case) { change(pod(c)) }) }
	edit(func(p *golden.Pod) { p.HostPorts = nil })
	edit(func(p *golden.Pod) { p.Group = "" })
	edit(func(p *golden.Pod) { p.Terminating = "" })
	edit(func(p *golden.Pod) { p.PreemptionPolicy = "" })
	edit(func(p *golden.Pod) { p.NodeSelector = nil })
	edit(func(p *golden.Pod) { p.Tolerations = nil })
	edit(func(p *golden.Pod) {
		if p.Labels != nil {
			p.Labels = map[string]string{}
		}
	})
	for _, label := range slices.Sorted(maps.Keys(pod(&s.c).Labels)) {
		edit(func(p *golden.Pod) { delete(p.Labels, label) })
	}
	for _, resource := range slices.Sorted(maps.Keys(pod(&s.c).Requests)) {
		edit(func(p *golden.Pod) { delete(p.Requests, resource) })
	}
	for i := len(pod(&s.c).HostPorts) - 1; i >= 0; i-- {
		edit(func(p *golden.Pod) { p.HostPorts = slices.Delete(p.HostPorts, i, i+1) })
	}
	for i := len(pod(&s.c).Tolerations) - 1; i >= 0; i-- {
		edit(func(p *golden.Pod) { p.Tolerations = slices.Delete(p.Tolerations, i, i+1) })
	}
}

func (s *shrinker) simplifyPDB(pdb func(*golden.Case) *golden.PDB) {
	edit := func(change func(b *golden.PDB)) { s.try(func(c *golden.Case) { change(pdb(c)) }) }
	edit(func(b *golden.PDB) { b.Allowed = 0 })
	edit(func(b *golden.PDB) { b.DisruptedPods = nil })
	for i := len(pdb(&s.c).DisruptedPods) - 1; i >= 0; i-- {
		edit(func(b *golden.PDB) { b.DisruptedPods = slices.Delete(b.DisruptedPods, i, i+1) })
	}
	if pdb(&s.c).Selector == nil {
		return
	}
	for _, label := range slices.Sorted(maps.Keys(pdb(&s.c).Selector.MatchLabels)) {
		edit(func(b *golden.PDB) { delete(b.Selector.MatchLabels, label) })
	}
	for i := len(pdb(&s.c).Selector.MatchExpressions) - 1; i >= 0; i-- {
		edit(func(b *golden.PDB) { b.Selector.MatchExpressions = slices.Delete(b.Selector.MatchExpressions, i, i+1) })
	}
}

// clone returns a deep copy of a case. Writing a case and reading it back
// loses nothing.
func clone(c golden.Case) golden.Case {
	var copied golden.Case
	if err := json.Unmarshal(encode(c), &copied); err != nil {
		panic(fmt.Sprintf("generate: cloning %s: %v", c.Name, err))
	}
	return copied
}

func encode(c golden.Case) []byte {
	data, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("generate: cloning %s: %v", c.Name, err))
	}
	return data
}
