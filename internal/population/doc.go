// Package population makes clusters of the size and mix of published traces, in
// which pods come and go, as golden cases without answers.
//
// What is known of the traces goes in: tiers of priority and their shares, sizes,
// heavy tails, over-commitment, who lives long. What is not is said where it is
// made up. No two pods start at the same time, as kube-scheduler leaves the order
// of such victims open up to 1.37.
package population

import (
	"maps"
	"math"
	"math/rand/v2"

	"example.com/preemption"
	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/trace"
)

// A Kind is a trace that a cluster is like.
type Kind struct {
	Name string
	// nodes makes the nodes of a cluster of n.
	nodes func(rng *rand.Rand, n int) []golden.Node
	// job draws the next job.
	job func(rng *rand.Rand) job
	// over is the share of nodes on which more is requested than they have.
	over float64
}

// A job is a number of pods that are alike.
type job struct {
	instances int
	priority  int32
	requests  golden.Resources
	selector  map[string]string
	service   bool // lives long, and has a budget
}

// Kinds are all traces.
func Kinds() []Kind { return []Kind{Borg, Alibaba, Openb} }

const gi = 1 << 30

// Borg is like a cell of Google's clusters of 2019 (Tirmazi et al., Borg: the
// Next Generation, EuroSys 2020, doi 10.1145/3342195.3387517). Of its instances
// 66 % have priority 200, 23 % 103, 6 % 360, the others one of a long tail; up to
// 99 is free, 100 to 115 best-effort batch, 116 to 119 mid, 120 to 359 production,
// from 360 monitoring. More is allocated than there is. Jobs have a Pareto tail
// with an index below 1, and most instances are small. The machines are ours:
// four shapes, as the trace has several.
var Borg = Kind{
	Name: "borg",
	nodes: func(rng *rand.Rand, n int) []golden.Node {
		return machines(rng, n, []golden.Resources{
			{"cpu": 16_000, "memory": 64 * gi}, {"cpu": 32_000, "memory": 128 * gi},
			{"cpu": 32_000, "memory": 256 * gi}, {"cpu": 64_000, "memory": 256 * gi},
		})
	},
	job: func(rng *rand.Rand) job {
		priority := int32(0)
		switch share := rng.Float64(); {
		case share < 0.66:
			priority = 200
		case share < 0.89:
			priority = 103
		case share < 0.95:
			priority = 360
		default:
			tail := []int32{0, 25, 99, 100, 107, 114, 116, 118, 119, 120, 199, 214, 359, 400, 450}
			priority = tail[rng.IntN(len(tail))]
		}
		return job{
			instances: int(pareto(rng, 0.8, 1, 300)),
			priority:  priority,
			requests:  sized(rng, int64(pareto(rng, 1.1, 250, 16_000))),
			service:   priority >= 120,
		}
	},
	over: 0.1,
}

// Alibaba is like Alibaba's cluster of 2018 (github.com/alibaba/clusterdata,
// cluster-trace-v2018): machines of 96 cores that online containers share with
// batch, which is far more numerous and short-lived; two priorities matter. The
// sizes of containers and the memory of machines are ours.
var Alibaba = Kind{
	Name: "alibaba",
	nodes: func(rng *rand.Rand, n int) []golden.Node {
		return machines(rng, n, []golden.Resources{{"cpu": 96_000, "memory": 512 * gi}})
	},
	job: func(rng *rand.Rand) job {
		if rng.Float64() < 0.2 {
			cores := []int64{4, 4, 4, 8, 8, 16}
			return job{1 + rng.IntN(20), 9000, sized(rng, 1000*cores[rng.IntN(len(cores))]), nil, true}
		}
		return job{int(pareto(rng, 0.9, 1, 200)), 1000, sized(rng, 500*(1+rng.Int64N(16))), nil, false}
	},
}

// Openb has nodes and pods of Alibaba's GPU cluster of 2023 (testdata/openb): its
// nodes, again and again if there are to be more, and pods drawn from its list
// but for those that take one of several models. How long they live is ours.
var Openb = Kind{
	Name: "openb",
	nodes: func(_ *rand.Rand, n int) []golden.Node {
		list := must(trace.Nodes())
		nodes := make([]golden.Node, n)
		for i := range nodes {
			o := list[i*max(1, len(list)/n)%len(list)].Object()
			nodes[i] = golden.Node{Labels: o.Labels, Allocatable: qualified(o.Allocatable)}
		}
		return nodes
	},
	job: func(rng *rand.Rand) job {
		for {
			p := &openbPods[rng.IntN(len(openbPods))]
			if len(p.Models) > 1 {
				continue
			}
			j := job{instances: 1, priority: trace.Priority[p.QoS], requests: qualified(p.Requests()), service: p.QoS == "LS"}
			if len(p.Models) == 1 {
				j.selector = map[string]string{trace.ModelLabel: p.Models[0]}
			}
			return j
		}
	},
}

// qualified returns resources with a domain before the trace's own: kube-scheduler
// overlooks extended resources without one.
func qualified(resources preemption.Resources) golden.Resources {
	r := golden.Resources(maps.Clone(resources))
	if amount, ok := r[trace.GPU]; ok {
		delete(r, trace.GPU)
		r["example.com/"+trace.GPU] = amount
	}
	return r
}

var openbPods = must(trace.Pods())

// must returns the value, as the trace is part of the repository.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// machines returns n nodes of the given shapes, in equal shares.
func machines(rng *rand.Rand, n int, shapes []golden.Resources) []golden.Node {
	nodes := make([]golden.Node, n)
	for i := range nodes {
		nodes[i] = golden.Node{Labels: map[string]string{}, Allocatable: golden.Resources{"pods": 110}}
		for resource, amount := range shapes[rng.IntN(len(shapes))] {
			nodes[i].Allocatable[resource] = amount
		}
	}
	return nodes
}

// sized returns requests of some cpu and one to eight Gi of memory a core.
func sized(rng *rand.Rand, cpu int64) golden.Resources {
	return golden.Resources{"cpu": cpu, "memory": cpu * (gi / 1000) * (1 + rng.Int64N(8))}
}

// pareto draws from a Pareto distribution of the given index, from least to most.
func pareto(rng *rand.Rand, index, least, most float64) float64 {
	return min(least*math.Pow(1-rng.Float64(), -1/index), most)
}
