// Package workload makes the clusters that benchmarks compare schedulers on, as
// golden cases without answers, so that each can build its own form of them.
//
// The nodes are full: 3 % of their memory and less than one core are left, so
// that no preemptor fits as it is. Their pods ask for 0.1 to 4 cores and one of
// four ratios of memory to cpu, have one of six priorities and are spread over
// fifty namespaces, with fifty applications in each. No two start at the same
// time, as kube-scheduler leaves the order of such victims open.
package workload

import (
	"fmt"
	"math/rand/v2"
	"time"

	"example.com/preemption/internal/golden"
)

// Shape says how large a cluster is.
type Shape struct {
	Nodes, Pods int // pods on each node
	Budgets     int // one for each of so many applications, of 2,500
}

const (
	namespaces = 50
	apps       = 50 // in each namespace
)

var priorities = [...]int32{0, 100, 1000, 5000, 10_000, 100_000}

// epoch is when the first pod starts.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func (s Shape) String() string {
	return fmt.Sprintf("nodes=%d/pods=%d/pdbs=%d", s.Nodes, s.Pods, s.Budgets)
}

// Case returns a cluster of the shape, the same for the same seed. It has no
// preemptor.
func (s Shape) Case(seed uint64) golden.Case {
	rng := rand.New(rand.NewPCG(seed, 0))
	c := golden.Case{Name: s.String(), Family: "workload"}
	starts := rng.Perm(s.Nodes * s.Pods)
	for i := range s.Nodes {
		n := golden.Node{Name: fmt.Sprintf("node-%05d", i), Labels: map[string]string{}}
		var cpu, memory int64
		for j := range s.Pods {
			p := pod(rng, fmt.Sprintf("pod-%05d-%02d", i, j))
			p.Node = n.Name
			p.Start = epoch.Add(time.Duration(starts[len(c.Pods)]) * time.Second)
			cpu += p.Requests["cpu"]
			memory += p.Requests["memory"]
			c.Pods = append(c.Pods, p)
		}
		n.Allocatable = golden.Resources{"cpu": cpu + rng.Int64N(1000), "memory": memory * 100 / 97, "pods": int64(s.Pods + 10)}
		c.Nodes = append(c.Nodes, n)
	}
	for i := range s.Budgets {
		c.PDBs = append(c.PDBs, golden.PDB{
			Namespace: namespace(i % namespaces), Name: fmt.Sprintf("budget-%d", i), Allowed: rng.Int32N(3),
			Selector: &golden.Selector{MatchLabels: map[string]string{"app": app(i / namespaces)}},
		})
	}
	return c
}

// pod returns a pod of some application. With 100 budgets 4 % of the pods are
// under one, with 750 it is 30 %.
func pod(rng *rand.Rand, name string) golden.Pod {
	cpu := 100 + rng.Int64N(3901)
	return golden.Pod{
		Namespace: namespace(rng.IntN(namespaces)), Name: name, UID: name,
		Labels:   map[string]string{"app": app(rng.IntN(apps))},
		Priority: priorities[rng.IntN(len(priorities))],
		Requests: golden.Resources{"cpu": cpu, "memory": cpu << 20 * (1 + rng.Int64N(4))},
	}
}

func namespace(i int) string { return fmt.Sprintf("ns-%d", i) }

func app(i int) string { return fmt.Sprintf("app-%d", i) }

// Preemptors returns pods above all victims that ask for 1, 4, 16 and 48 cores.
func Preemptors() []golden.Pod {
	var pods []golden.Pod
	for _, cores := range []int64{1, 4, 16, 48} {
		name := fmt.Sprintf("preemptor-%d", cores)
		pods = append(pods, golden.Pod{
			Namespace: namespace(0), Name: name, UID: name, Priority: 1_000_000,
			Requests: golden.Resources{"cpu": cores * 1000, "memory": cores << 31},
		})
	}
	return pods
}
