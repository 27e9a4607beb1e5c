package population

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"example.com/preemption/internal/golden"
)

// epoch is when the first pod starts.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// A Cluster is full of pods, some of which make room for others all the time.
type Cluster struct {
	kind    Kind
	rng     *rand.Rand
	nodes   []golden.Node
	budgets []golden.PDB
	pods    []*pod
	byKey   map[string]*pod
	free    map[string]golden.Resources // by node
	serial  int
}

type pod struct {
	golden.Pod
	service bool
	place   int // in pods
}

// New returns a cluster of n nodes, the same for the same seed, filled until
// hardly a job finds room.
func New(kind Kind, n int, seed uint64) *Cluster {
	c := &Cluster{kind: kind, rng: rand.New(rand.NewPCG(seed, 0)), byKey: map[string]*pod{}, free: map[string]golden.Resources{}}
	c.nodes = kind.nodes(c.rng, n)
	for i := range c.nodes {
		c.nodes[i].Name = fmt.Sprintf("node-%05d", i)
		c.free[c.nodes[i].Name] = maps.Clone(c.nodes[i].Allocatable)
	}
	for failed := 0; failed < 200; {
		if len(c.start()) == 0 {
			failed++
		} else {
			failed = 0
		}
	}
	for i := range c.nodes {
		if c.rng.Float64() < kind.over {
			n := &c.nodes[i]
			used := n.Allocatable["cpu"] - c.free[n.Name]["cpu"]
			n.Allocatable["cpu"] = used * 9 / 10
			c.free[n.Name]["cpu"] = n.Allocatable["cpu"] - used
		}
	}
	return c
}

func (c *Cluster) String() string { return fmt.Sprintf("%s, %d nodes", c.kind.Name, len(c.nodes)) }

// Case returns the cluster as it is, for a preemptor.
func (c *Cluster) Case(preemptor golden.Pod) golden.Case {
	k := golden.Case{Name: c.String(), Family: "population", Nodes: c.nodes, PDBs: c.budgets, Preemptor: preemptor, Want: map[string]golden.Answer{}}
	for _, p := range c.pods {
		k.Pods = append(k.Pods, p.Pod)
	}
	return k
}

// Preemptor draws a pod that finds no room, the first of up to a thousand.
func (c *Cluster) Preemptor() golden.Pod {
	for tries := 1; ; tries++ {
		p := c.newPod(c.kind.job(c.rng), c.newName("job"))
		p.Start = time.Time{}
		if tries == 1000 || !slices.ContainsFunc(c.nodes, func(n golden.Node) bool { return c.takes(&n, &p) }) {
			return p
		}
	}
}

// Bind puts a pod on a node and returns it as it is there.
func (c *Cluster) Bind(p golden.Pod, node string) golden.Pod {
	p.Node, p.Start = node, c.now()
	c.add(&pod{Pod: p})
	return p
}

// Remove takes away a pod.
func (c *Cluster) Remove(key string) {
	p := c.byKey[key]
	last := c.pods[len(c.pods)-1]
	c.pods[p.place], last.place = last, p.place
	c.pods = c.pods[:len(c.pods)-1]
	delete(c.byKey, key)
	for resource, amount := range used(p) {
		c.free[p.Node][resource] += amount
	}
}

// Turnover lets about n pods go and jobs take their room, and returns who went
// and who came. A pod of a service goes ten times less often than another.
func (c *Cluster) Turnover(n int) (gone []string, come []golden.Pod) {
	for range n {
		if len(c.pods) == 0 {
			break
		}
		p := c.pods[c.rng.IntN(len(c.pods))]
		if p.service && c.rng.Float64() < 0.9 {
			continue
		}
		gone = append(gone, p.Key())
		c.Remove(p.Key())
	}
	for range len(gone) {
		for _, p := range c.start() {
			come = append(come, p.Pod)
		}
	}
	return gone, come
}

// start draws a job and puts as many of its pods as find room on nodes drawn at
// random, eight for each.
func (c *Cluster) start() []*pod {
	j, name := c.kind.job(c.rng), c.newName("job")
	var started []*pod
	for range j.instances {
		p := &pod{Pod: c.newPod(j, name), service: j.service}
		for range 8 {
			n := &c.nodes[c.rng.IntN(len(c.nodes))]
			if c.takes(n, &p.Pod) {
				p.Node = n.Name
				c.add(p)
				started = append(started, p)
				break
			}
		}
	}
	// The budgets of a cluster stay: those of the first services.
	if j.service && len(started) > 2 && len(c.budgets) < len(c.nodes)/10 {
		c.budgets = append(c.budgets, golden.PDB{
			Namespace: "default", Name: name, Allowed: c.rng.Int32N(3),
			Selector: &golden.Selector{MatchLabels: map[string]string{"job": name}},
		})
	}
	return started
}

func (c *Cluster) newPod(j job, name string) golden.Pod {
	p := golden.Pod{
		Namespace: "default", Name: c.newName(name), Priority: j.priority, Requests: j.requests,
		NodeSelector: j.selector, Labels: map[string]string{"job": name}, Start: c.now(),
	}
	p.UID = p.Name
	return p
}

func (c *Cluster) newName(prefix string) string {
	c.serial++
	return fmt.Sprintf("%s-%d", prefix, c.serial)
}

// now is a time later than all before.
func (c *Cluster) now() time.Time {
	c.serial++
	return epoch.Add(time.Duration(c.serial) * time.Second)
}

func (c *Cluster) add(p *pod) {
	p.place = len(c.pods)
	c.pods = append(c.pods, p)
	c.byKey[p.Key()] = p
	for resource, amount := range used(p) {
		c.free[p.Node][resource] -= amount
	}
}

func (c *Cluster) takes(n *golden.Node, p *golden.Pod) bool {
	for key, value := range p.NodeSelector {
		if n.Labels[key] != value {
			return false
		}
	}
	for resource, amount := range used(&pod{Pod: *p}) {
		if amount > 0 && amount > c.free[n.Name][resource] {
			return false
		}
	}
	return true
}

// used is what a pod takes of its node.
func used(p *pod) golden.Resources {
	r := maps.Clone(p.Requests)
	r["pods"] = 1
	return r
}

// Priorities returns the priorities of the pods, each once.
func (c *Cluster) Priorities() []int32 {
	seen := map[int32]bool{}
	for _, p := range c.pods {
		seen[p.Priority] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
