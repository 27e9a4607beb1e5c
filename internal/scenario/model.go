package scenario

import (
	"slices"

	"example.com/preemption"
)

// A model is the cluster as plain lists: what a cluster is built from, and kept
// up to date beside it, so that a cluster built afresh can be compared.
type model struct {
	nodes      []*preemption.Node
	pods       []*preemption.Pod
	groups     []*preemption.PodGroup
	composites []*preemption.CompositePodGroup
	budgets    []*preemption.PodDisruptionBudget
	// own is the nominated node that a pod itself names, by namespace and name,
	// where a nomination has had the last word since.
	own map[string]string
}

// modelOf reads the lists off a cluster.
func modelOf(c *preemption.Cluster) model {
	s := c.State()
	m := model{nodes: s.Nodes, pods: s.Pods, groups: s.PodGroups, composites: s.CompositePodGroups, budgets: s.DisruptionBudgets}
	for _, p := range m.pods {
		if known := c.Pod(p.Namespace, p.Name); known != p {
			m.setOwn(p, known.NominatedNode)
		}
	}
	return m
}

func (m *model) setOwn(p *preemption.Pod, node string) {
	if m.own == nil {
		m.own = make(map[string]string)
	}
	m.own[p.String()] = node
}

// ownNomination is what the pod itself says.
func (m *model) ownNomination(p *preemption.Pod) string {
	if own, ok := m.own[p.String()]; ok {
		return own
	}
	return p.NominatedNode
}

// nominated returns a copy of the pod with that nominated node.
func nominated(p *preemption.Pod, node string) *preemption.Pod {
	c := *p
	c.NominatedNode = node
	return &c
}

func (m *model) state(r preemption.Release) preemption.ClusterState {
	return preemption.ClusterState{
		Release: r, Nodes: m.nodes, Pods: m.pods,
		PodGroups: m.groups, CompositePodGroups: m.composites, DisruptionBudgets: m.budgets,
	}
}

// add reads an object into the lists, whatever they hold already: to complain is
// the library's part. It reports false for a line that is not about an object.
func (m *model) add(l *line) (known bool, err error) {
	switch l.verb {
	case "node":
		n, err := l.node()
		m.nodes = append(m.nodes, n)
		return true, err
	case "pod":
		f := l.fields()
		p := f.pod()
		m.pods = append(m.pods, p)
		return true, f.done()
	case "group":
		g, err := l.group()
		m.groups = append(m.groups, g)
		return true, err
	case "composite":
		g, err := l.composite()
		m.composites = append(m.composites, g)
		return true, err
	case "pdb":
		b, err := l.budget()
		m.budgets = append(m.budgets, b)
		return true, err
	}
	return false, nil
}

func (m *model) pod(namespace, name string) *preemption.Pod {
	for _, p := range m.pods {
		if p.Namespace == namespace && p.Name == name {
			return p
		}
	}
	return nil
}

// put replaces the element for which same holds, or appends.
func put[T any](list []T, x T, same func(T) bool) []T {
	if i := slices.IndexFunc(list, same); i >= 0 {
		list[i] = x
		return list
	}
	return append(list, x)
}
