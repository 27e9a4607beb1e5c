// Package situation is what the playground plays with: a small cluster with its
// budgets and a pending pod or gang, and how to decide. It can be written as a
// link, a scenario file, a Go program and YAML, and read from a link or from what
// kubectl prints.
package situation

import (
	"errors"
	"fmt"
	"time"

	"example.com/preemption"
)

// A Situation is plain data in JSON's terms: cpu in millicores, memory in MiB, GPUs
// in whole ones, starts in seconds after some beginning, 0 for a pod that has not
// started.
type Situation struct {
	Title   string   `json:"title,omitempty"`
	Release string   `json:"release"`
	Victims string   `json:"victims,omitempty"` // "" or "best"
	Budget  string   `json:"budgetPolicy,omitempty"`
	Nodes   []Node   `json:"nodes"`
	Pods    []Pod    `json:"pods"`
	Groups  []Group  `json:"groups,omitempty"`
	Budgets []Budget `json:"budgets,omitempty"`
	// Pending pods, one unless they are a gang.
	Pending []Pod `json:"pending"`
	Gang    *Gang `json:"gang,omitempty"`
}

// A Node of the cluster.
type Node struct {
	Name     string            `json:"name"`
	CPU      int64             `json:"cpu"`
	Memory   int64             `json:"memory,omitempty"`
	GPU      int64             `json:"gpu,omitempty"`
	Pods     int64             `json:"pods,omitempty"` // how many it takes; 0: 110
	Cordoned bool              `json:"cordoned,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
}

// A Pod that runs on a node or is pending.
type Pod struct {
	Name         string            `json:"name"`
	Node         string            `json:"node,omitempty"`
	Priority     int32             `json:"priority"`
	CPU          int64             `json:"cpu,omitempty"`
	Memory       int64             `json:"memory,omitempty"`
	GPU          int64             `json:"gpu,omitempty"`
	Start        int64             `json:"start,omitempty"`
	Grace        int64             `json:"grace,omitempty"` // seconds
	Labels       map[string]string `json:"labels,omitempty"`
	Owner        string            `json:"owner,omitempty"` // KIND/NAME
	Group        string            `json:"group,omitempty"`
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	Never        bool              `json:"never,omitempty"` // its preemption policy
	Terminating  bool              `json:"terminating,omitempty"`
	Nominated    string            `json:"nominated,omitempty"`
}

// A Group of pods, evicted together if it is atomic.
type Group struct {
	Name     string `json:"name"`
	Priority int32  `json:"priority"`
	Atomic   bool   `json:"atomic,omitempty"`
}

// A Budget is a disruption budget over the pods with these labels.
type Budget struct {
	Name    string            `json:"name"`
	Labels  map[string]string `json:"labels"`
	Allowed int32             `json:"allowed"`
	// What its owner asks for, if that is known: "1", "50%".
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
}

// A Gang is what the pending pods are if they are of use together only.
type Gang struct {
	Name     string `json:"name"`
	Priority int32  `json:"priority"`
	Min      int    `json:"min,omitempty"` // 0: all
	Best     bool   `json:"best,omitempty"`
}

// GPU is the resource that GPUs are.
const GPU = "nvidia.com/gpu"

const (
	namespace    = "default"
	defaultPods  = 110
	mostNodes    = 50
	mostPods     = 2500
	bytesInAMeBi = 1 << 20
)

// epoch is when starts begin to count.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Evaluator returns how the situation wants to be decided.
func (s *Situation) Evaluator() (*preemption.Evaluator, error) {
	e := &preemption.Evaluator{}
	switch s.Victims {
	case "", "reprieve":
	case "best":
		e.Victims = preemption.VictimsBest
	default:
		return nil, fmt.Errorf("victims %q are not known: want reprieve or best", s.Victims)
	}
	switch s.Budget {
	case "", "as-upstream":
	case "exact":
		e.Budgets = preemption.BudgetsExact
	case "respected":
		e.Budgets = preemption.BudgetsRespected
	default:
		return nil, fmt.Errorf("budget policy %q is not known: want as-upstream, exact or respected", s.Budget)
	}
	return e, nil
}

// State returns the cluster, without the pending pods, and the pending pods.
func (s *Situation) State() (preemption.ClusterState, []*preemption.Pod, error) {
	var errs []error
	release, err := preemption.ParseRelease(s.Release)
	errs = append(errs, err)
	if len(s.Nodes) > mostNodes || len(s.Pods)+len(s.Pending) > mostPods {
		errs = append(errs, fmt.Errorf("%d nodes and %d pods are more than the page shows: at most %d and %d",
			len(s.Nodes), len(s.Pods)+len(s.Pending), mostNodes, mostPods))
	}
	state := preemption.ClusterState{Release: release}
	for i := range s.Nodes {
		state.Nodes = append(state.Nodes, s.Nodes[i].node())
	}
	for i := range s.Pods {
		state.Pods = append(state.Pods, s.Pods[i].pod())
	}
	for _, g := range s.Groups {
		mode := preemption.DisruptSingle
		if g.Atomic {
			mode = preemption.DisruptAll
		}
		state.PodGroups = append(state.PodGroups, &preemption.PodGroup{Namespace: namespace, Name: g.Name, Priority: g.Priority, DisruptionMode: mode})
	}
	for i := range s.Budgets {
		state.DisruptionBudgets = append(state.DisruptionBudgets, s.Budgets[i].budget())
	}
	var pending []*preemption.Pod
	for i := range s.Pending {
		p := s.Pending[i].pod()
		p.NodeName = ""
		pending = append(pending, p)
	}
	return state, pending, errors.Join(errs...)
}

func (n *Node) node() *preemption.Node {
	pods := n.Pods
	if pods == 0 {
		pods = defaultPods
	}
	return &preemption.Node{
		Name: n.Name, Labels: n.Labels, Unschedulable: n.Cordoned,
		Allocatable: preemption.Resources{
			preemption.CPU: n.CPU, preemption.Memory: n.Memory * bytesInAMeBi, GPU: n.GPU, preemption.PodCount: pods,
		},
	}
}

func (p *Pod) pod() *preemption.Pod {
	q := &preemption.Pod{
		Namespace: namespace, Name: p.Name, UID: p.Name, Labels: p.Labels, Priority: p.Priority,
		NodeName: p.Node, NominatedNode: p.Nominated, Group: p.Group, NodeSelector: p.NodeSelector,
		Owner: parseOwner(p.Owner), GracePeriod: time.Duration(p.Grace) * time.Second,
		Requests: preemption.Resources{},
	}
	if p.CPU != 0 {
		q.Requests[preemption.CPU] = p.CPU
	}
	if p.Memory != 0 {
		q.Requests[preemption.Memory] = p.Memory * bytesInAMeBi
	}
	if p.GPU != 0 {
		q.Requests[GPU] = p.GPU
	}
	if p.Start != 0 {
		q.Start = epoch.Add(time.Duration(p.Start) * time.Second)
	}
	if p.Never {
		q.PreemptionPolicy = preemption.PreemptNever
	}
	if p.Terminating {
		q.Termination = preemption.TerminatingByPreemption
	}
	return q
}

func (b *Budget) budget() *preemption.PodDisruptionBudget {
	return &preemption.PodDisruptionBudget{
		Namespace: namespace, Name: b.Name, Selector: &preemption.Selector{MatchLabels: b.Labels}, Allowed: b.Allowed,
	}
}
