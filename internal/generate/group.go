package generate

import (
	"fmt"

	"example.com/preemption/internal/golden"
)

// makeGroups adds groups and the composite groups above them: chains, most of
// which end and some of which come back to where they were.
func (g *generator) makeGroups() {
	composites := g.count(g.shape.composites)
	// parent returns the parent of a composite, or of a group, which is as if
	// it came before all of them.
	parent := func(self int) string {
		switch next := self + 1; {
		case g.chance(g.shape.strays):
			return "gone"
		case next < composites && g.chance(g.shape.chains):
			return compositeName(next)
		case composites > 0 && g.chance(0.2):
			return compositeName(g.rng.IntN(composites))
		}
		return ""
	}
	for i := range composites {
		g.c.CompositePodGroups = append(g.c.CompositePodGroups, golden.CompositePodGroup{
			Namespace:      "default",
			Name:           compositeName(i),
			Priority:       pick(g, g.shape.priorities...),
			DisruptionMode: g.mode(),
			Parent:         parent(i),
		})
	}
	for i := range g.count(g.shape.groups) {
		group := golden.PodGroup{
			Namespace:      "default",
			Name:           fmt.Sprintf("g%d", i),
			Priority:       pick(g, g.shape.priorities...),
			DisruptionMode: g.mode(),
		}
		if g.shape.composites.max > 0 {
			group.Parent = parent(-1)
		}
		g.c.PodGroups = append(g.c.PodGroups, group)
	}
}

func compositeName(i int) string { return fmt.Sprintf("c%d", i) }

func (g *generator) mode() string {
	return pick(g, golden.ModeAll, golden.ModeAll, golden.ModeSingle)
}

// join makes a pod a member of a group more often than not, if there are any.
// The pod takes on the priority that the group gives it, or keeps its own where
// the two may differ.
func (g *generator) join(p *golden.Pod) {
	if len(g.c.PodGroups) == 0 || g.chance(0.4) {
		return
	}
	if g.chance(g.shape.strays) {
		p.Group = "gone"
		return
	}
	group := pick(g, g.c.PodGroups...)
	p.Group = group.Name
	if p.Namespace == group.Namespace && !g.chance(g.shape.unlike) {
		p.Priority = g.rootPriority(group)
	}
}

// maxDepth is how far up an ancestry is followed, a group included.
const maxDepth = 4

// rootPriority returns the priority of the last group on the way up from a
// group.
func (g *generator) rootPriority(group golden.PodGroup) int32 {
	priority, parent := group.Priority, group.Parent
	seen := map[string]bool{}
	for range maxDepth - 1 {
		if parent == "" || seen[parent] {
			break
		}
		seen[parent] = true
		for _, c := range g.c.CompositePodGroups {
			if c.Name == parent {
				priority, parent = c.Priority, c.Parent
				break
			}
		}
	}
	return priority
}
