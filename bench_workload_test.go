package preemption

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// workload is the cluster that benchmarks run on: pods of 0.1 to 4 cores in six
// levels of priority and four ratios of memory to cpu, on nodes with 3 % of
// their memory and less than one core left, so that nobody fits as it is.
type workload struct {
	nodes, pods int
	budgets     int     // over pods, in 50 namespaces
	covered     float64 // share of the pods under a budget
	groups      bool    // every tenth pod is in an atomic group of eight
	nominated   bool    // every third node has a nominated pod
}

var benchPriorities = [...]int32{0, 100, 1000, 5000, 10_000, 100_000}

func (w workload) state(seed uint64) ClusterState {
	r := rand.New(rand.NewPCG(seed, 0))
	var s ClusterState
	for i := range w.nodes {
		name := fmt.Sprint("node-", i)
		used := Resources{}
		for j := range w.pods {
			p := w.pod(r, fmt.Sprintf("pod-%d-%d", i, j))
			p.NodeName = name
			used[CPU] += p.Requests[CPU]
			used[Memory] += p.Requests[Memory]
			if w.groups && r.IntN(10) == 0 {
				// Members of a group are on neighbouring nodes.
				p.Group = fmt.Sprintf("group-%d-%d", i/8, r.IntN(w.pods/10+1))
				p.Namespace, p.Priority = "groups", benchPriorities[i/8%len(benchPriorities)]
			}
			s.Pods = append(s.Pods, p)
		}
		s.Nodes = append(s.Nodes, &Node{Name: name, Allocatable: Resources{
			CPU: used[CPU] + int64(r.IntN(1000)), Memory: used[Memory] * 100 / 97, PodCount: int64(w.pods + 10),
		}})
		if w.nominated && i%3 == 0 {
			p := w.pod(r, fmt.Sprint("nominated-", i))
			p.NominatedNode, p.Priority = name, 1_000_000
			s.Pods = append(s.Pods, p)
		}
	}
	if w.groups {
		for i := range w.nodes/8 + 1 {
			for j := range w.pods/10 + 1 {
				s.PodGroups = append(s.PodGroups, &PodGroup{Namespace: "groups", Name: fmt.Sprintf("group-%d-%d", i, j),
					Priority: benchPriorities[i%len(benchPriorities)], DisruptionMode: DisruptAll})
			}
		}
	}
	for i := range w.budgets {
		s.DisruptionBudgets = append(s.DisruptionBudgets, &PodDisruptionBudget{
			Namespace: fmt.Sprint("ns-", i%50), Name: fmt.Sprint("budget-", i), Allowed: int32(r.IntN(3)),
			Selector: &Selector{MatchLabels: map[string]string{"app": fmt.Sprint("app-", i/50)}},
		})
	}
	return s
}

func (w workload) pod(r *rand.Rand, name string) *Pod {
	cpu := int64(100 + r.IntN(3901))
	p := &Pod{
		Namespace: fmt.Sprint("ns-", r.IntN(50)), Name: name, UID: name,
		Priority: benchPriorities[r.IntN(len(benchPriorities))],
		Requests: Resources{CPU: cpu, Memory: cpu << 20 * int64(1+r.IntN(4))},
		Start:    time.Unix(1_700_000_000+int64(r.IntN(30*24*60))*60, 0),
	}
	if w.budgets > 0 && r.Float64() < w.covered {
		p.Labels = map[string]string{"app": fmt.Sprint("app-", r.IntN(w.budgets/50))}
	}
	return p
}

func (w workload) cluster(seed uint64) *Cluster {
	c, err := NewCluster(w.state(seed))
	if err != nil {
		panic(err)
	}
	return c
}

// asking returns a preemptor above all victims that asks for so much.
func asking(cores, gi int64) *Pod {
	return &Pod{Namespace: "ns-0", Name: "preemptor", UID: "preemptor", Priority: 1_000_000,
		Requests: Resources{CPU: cores * 1000, Memory: gi << 30}}
}
