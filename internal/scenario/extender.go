package scenario

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/preemption"
)

// An extenderScript describes an extender.
type extenderScript struct {
	name                    string
	uninterested, ignorable bool
	fail                    string              // the error it returns, "" for none
	keep, drop              []string            // nodes; no keep keeps all
	victims                 map[string][]string // by node: the pods it returns
	violations              map[string]int      // by node
	order                   []string            // nodes that come first
	extra                   []string            // nodes it returns once more, of victims that it makes up if need be
}

// extender reads "extender NAME …".
func (f *fields) extender() extenderScript {
	x := extenderScript{
		name: f.word("its name"), uninterested: f.flag("uninterested"), ignorable: f.flag("ignorable"),
		fail: f.text("fail"), victims: make(map[string][]string), violations: make(map[string]int),
		keep: f.list("keep"), drop: f.list("drop"), order: f.list("order"), extra: f.list("extra"),
	}
	for _, s := range f.all("victims") {
		words := strings.Fields(s)
		if len(words) == 0 {
			f.fail("victims=(): want (NODE POD …)")
			continue
		}
		x.victims[words[0]] = words[1:]
	}
	for _, s := range f.all("violations") {
		node, count, _ := strings.Cut(s, " ")
		n, err := strconv.Atoi(count)
		if err != nil {
			f.fail("violations=(%s): want (NODE NUMBER)", s)
		}
		x.violations[node] = n
	}
	return x
}

// list takes a key whose value is a list with commas.
func (f *fields) list(key string) []string {
	s, ok := f.take(key)
	if !ok {
		return nil
	}
	return strings.Split(s, ",")
}

func (x *extenderScript) build(c *preemption.Cluster, rec *recorder) preemption.Extender {
	return preemption.Extender{
		Name:       x.name,
		Ignorable:  x.ignorable,
		Interested: func(*preemption.Pod) bool { return !x.uninterested },
		Process: func(_ context.Context, _ *preemption.Pod, candidates []*preemption.Candidate) ([]*preemption.Candidate, error) {
			if rec != nil {
				rec.saw = append(rec.saw, x.name+" was shown "+shown(candidates))
			}
			if x.fail != "" {
				return nil, fmt.Errorf("%s", x.fail)
			}
			return x.process(c, candidates), nil
		},
	}
}

func (x *extenderScript) process(c *preemption.Cluster, candidates []*preemption.Candidate) []*preemption.Candidate {
	var answer []*preemption.Candidate
	for _, old := range candidates {
		name := old.Node.Name
		if slices.Contains(x.drop, name) || x.keep != nil && !slices.Contains(x.keep, name) {
			continue
		}
		answer = append(answer, x.change(c, old))
	}
	rank := func(a *preemption.Candidate) int {
		if i := slices.Index(x.order, a.Node.Name); i >= 0 {
			return i
		}
		return len(x.order)
	}
	slices.SortStableFunc(answer, func(a, b *preemption.Candidate) int { return rank(a) - rank(b) })
	for _, name := range x.extra {
		n := c.Node(name)
		if n == nil {
			n = &preemption.Node{Name: name}
		}
		answer = append(answer, x.change(c, &preemption.Candidate{Node: n}))
	}
	return answer
}

// change returns what the script makes of a candidate, which is not modified.
func (x *extenderScript) change(c *preemption.Cluster, old *preemption.Candidate) *preemption.Candidate {
	changed := *old
	if names, ok := x.victims[old.Node.Name]; ok {
		changed.Victims = nil
		for _, full := range names {
			if p := c.Pod(splitName(full)); p != nil {
				changed.Victims = append(changed.Victims, preemption.NewPodVictim(p, old.Node))
			}
		}
	}
	if n, ok := x.violations[old.Node.Name]; ok {
		changed.Violations = n
	}
	return &changed
}

func shown(candidates []*preemption.Candidate) string {
	parts := make([]string, len(candidates))
	for i, c := range candidates {
		parts[i] = c.Node.Name + "[" + victimNames(c.Victims, c.Node) + "]"
	}
	return strings.Join(parts, " ")
}
