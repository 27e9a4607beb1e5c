package generate

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"example.com/preemption/internal/golden"
)

// Case returns the case of a family with the given seed. It panics if there is
// no such family: names come from [Families].
func Case(seed uint64, name string) golden.Case {
	i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
	if i < 0 {
		panic(fmt.Sprintf("generate: no family %q", name))
	}
	// Families do not share their random numbers: the same seed means nothing
	// in common.
	h := fnv.New64a()
	h.Write([]byte(name))
	g := &generator{
		rng:   rand.New(rand.NewPCG(seed, h.Sum64())),
		shape: families[i].shape,
		c: golden.Case{
			Name:   fmt.Sprintf("%s-%d", name, seed),
			Family: name,
			Nodes:  []golden.Node{},
			Pods:   []golden.Pod{},
			PDBs:   []golden.PDB{},
			Want:   map[string]golden.Answer{},
		},
		names: map[string]bool{},
	}
	g.generate()
	return g.c
}

// Cases returns n cases that have an answer in a release, its families in turn,
// those of more weight more often.
func Cases(release string, n int) iter.Seq[golden.Case] { return CasesFrom(release, 0, n) }

// CasesFrom returns n cases like [Cases], from the case of a number on. No two
// numbers give the same case.
func CasesFrom(release string, first uint64, n int) iter.Seq[golden.Case] {
	turns := turns(release)
	return func(yield func(golden.Case) bool) {
		for i := first; i < first+uint64(n); i++ {
			if !yield(Case(i, turns[i%uint64(len(turns))])) {
				return
			}
		}
	}
}

// generator is a case in the making.
type generator struct {
	shape shape
	rng   *rand.Rand
	c     golden.Case

	extra []string        // resources of the cluster beyond cpu and memory
	names map[string]bool // keys of the pods so far
}

// generate makes the parts in the order in which they refer to each other.
func (g *generator) generate() {
	for _, resource := range extraResources {
		if g.chance(g.shape.resources) {
			g.extra = append(g.extra, resource)
		}
	}
	g.makeGroups()
	for i := range g.count(g.shape.nodes) {
		g.makeNode(fmt.Sprintf("n%d", i))
	}
	g.makePreemptor()
	g.makeNominated()
	g.makeBudgets()
	g.makeGang()
	g.setStarts()
	g.setUIDs()
	if g.shape.window {
		g.c.Sampling = &golden.Sampling{
			Offset: g.rng.IntN(len(g.c.Nodes)),
			Num:    1 + g.rng.IntN(len(g.c.Nodes)),
		}
	}
}

// epoch is about when pods start.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// setStarts lets the bound pods start, in an order that has nothing to do with
// that of the case.
func (g *generator) setStarts() {
	order := g.rng.Perm(len(g.c.Pods))
	for i := range g.c.Pods {
		p := &g.c.Pods[i]
		if p.Node == "" {
			continue
		}
		switch {
		case g.shape.starts == missing && g.chance(0.25):
			continue
		case g.shape.starts == coarse:
			p.Start = epoch.Add(time.Duration(g.rng.IntN(3)) * time.Minute)
		default:
			p.Start = epoch.Add(time.Duration(order[i]) * 37 * time.Second)
		}
	}
}

// setUIDs numbers the pods, in an order of its own too.
func (g *generator) setUIDs() {
	for i, n := range g.rng.Perm(len(g.c.Pods)) {
		g.c.Pods[i].UID = fmt.Sprintf("u%03d", n)
	}
}

func (g *generator) chance(p float64) bool { return g.rng.Float64() < p }

func (g *generator) count(s span) int { return s.min + g.rng.IntN(s.max-s.min+1) }

// pick returns one of the values.
func pick[T any](g *generator, values ...T) T { return values[g.rng.IntN(len(values))] }
