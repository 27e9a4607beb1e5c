package scenario

import (
	"slices"
	"strings"

	"example.com/preemption"
)

// A change is one update: what it does to a cluster and, if that succeeds, to
// the model.
type change struct {
	cluster func(*preemption.Cluster) error
	model   func(*model)
}

// update carries the lines out on the cluster of every release. It prints the
// errors, each after the line's place in the input.
func (w *world) update(b *Block) (string, error) {
	if err := b.directive.fields().done(); err != nil {
		return "", err
	}
	if err := w.ready(b); err != nil {
		return "", err
	}
	var out output
	for i := range b.input {
		l := &b.input[i]
		if l.verb == "" {
			continue
		}
		c, err := w.change(l)
		if err != nil {
			return "", err
		}
		var texts []string
		for _, r := range releases {
			if err := c.cluster(w.clusters[r]); err != nil {
				texts = append(texts, err.Error())
			}
		}
		switch {
		case len(texts) == 0:
			c.model(&w.model)
		case len(texts) < len(releases) || len(slices.Compact(texts)) > 1:
			out.printf(Disagreement+" release: the update fails in one and not in another: %s", strings.Join(texts, "; "))
		default:
			out.printf("error: %s", texts[0])
		}
	}
	if text := w.checkFresh(); text != "" {
		out.printf("%s", text)
	}
	return out.String(), nil
}

// change reads a line such as "add pod …", "update node …", "remove pdb NAME"
// or "nominate POD NODE".
func (w *world) change(l *line) (change, error) {
	object := *l
	f := l.fields()
	if l.verb == "nominate" {
		namespace, name := splitName(f.word("the pod's name"))
		node := f.word(`the node's name, or "" for none`)
		p := w.model.pod(namespace, name)
		if p == nil && f.err == nil {
			f.fail("nominate: there is no pod %s: add it first", name)
		}
		if f.err != nil {
			return change{}, f.err
		}
		return w.model.nominate(p, node), f.done()
	}
	object.verb = f.word("node, pod, group, composite or pdb")
	object.args = f.args
	if f.err != nil {
		return change{}, f.err
	}
	switch l.verb {
	case "add", "update", "set":
		return l.place(&object)
	case "remove":
		sub := object.fields()
		namespace, name := splitName(sub.word("its name"))
		c, ok := removal(object.verb, namespace, name)
		if !ok {
			sub.fail("remove %s is not known: want node, pod, group, composite or pdb", object.verb)
		}
		return c, sub.done()
	}
	return change{}, l.errorf("%q is not known here: want add, update, set, remove or nominate", l.verb)
}

// place reads the object of "add", "update" or "set".
func (l *line) place(object *line) (change, error) {
	var one model
	known, err := one.add(object)
	if err != nil {
		return change{}, err
	}
	switch {
	case !known:
	case l.verb == "add" && object.verb == "node":
		n := one.nodes[0]
		return change{
			func(c *preemption.Cluster) error { return c.AddNode(n) },
			func(m *model) { m.nodes = append(m.nodes, n) },
		}, nil
	case l.verb == "update" && object.verb == "node":
		n := one.nodes[0]
		return change{
			func(c *preemption.Cluster) error { return c.UpdateNode(n) },
			func(m *model) {
				m.nodes = put(m.nodes, n, func(o *preemption.Node) bool { return o.Name == n.Name })
			},
		}, nil
	case l.verb == "add" && object.verb == "pod":
		p := one.pods[0]
		return change{
			func(c *preemption.Cluster) error { return c.AddPod(p) },
			func(m *model) { m.pods = append(m.pods, p) },
		}, nil
	case l.verb == "update" && object.verb == "pod":
		p := one.pods[0]
		return change{
			func(c *preemption.Cluster) error { return c.UpdatePod(p) },
			func(m *model) { m.updatePod(p) },
		}, nil
	case l.verb == "set" && object.verb == "group":
		g := one.groups[0]
		return change{
			func(c *preemption.Cluster) error { return c.SetPodGroup(g) },
			func(m *model) {
				m.groups = put(m.groups, g, func(o *preemption.PodGroup) bool { return o.Namespace == g.Namespace && o.Name == g.Name })
			},
		}, nil
	case l.verb == "set" && object.verb == "composite":
		g := one.composites[0]
		return change{
			func(c *preemption.Cluster) error { return c.SetCompositePodGroup(g) },
			func(m *model) {
				m.composites = put(m.composites, g, func(o *preemption.CompositePodGroup) bool { return o.Namespace == g.Namespace && o.Name == g.Name })
			},
		}, nil
	case l.verb == "set" && object.verb == "pdb":
		b := one.budgets[0]
		return change{
			func(c *preemption.Cluster) error { return c.SetBudget(b) },
			func(m *model) {
				m.budgets = put(m.budgets, b, func(o *preemption.PodDisruptionBudget) bool { return o.Namespace == b.Namespace && o.Name == b.Name })
			},
		}, nil
	}
	return change{}, l.errorf("%s %s is not known: nodes and pods are added and updated; groups, composites and pdbs are set", l.verb, object.verb)
}

// replacePod keeps the pod's place if it stays where it is and moves it to the
// end otherwise, as a cluster does.
func (m *model) replacePod(p *preemption.Pod) {
	same := func(o *preemption.Pod) bool { return o.Namespace == p.Namespace && o.Name == p.Name }
	i := slices.IndexFunc(m.pods, same)
	if i >= 0 && (m.pods[i].NodeName != p.NodeName || p.NodeName == "" && m.pods[i].NominatedNode != p.NominatedNode) {
		m.pods = slices.Delete(m.pods, i, i+1)
	}
	m.pods = put(m.pods, p, same)
}

// updatePod replaces a pod. What a nomination said holds as long as the pod itself
// says the same as before.
func (m *model) updatePod(p *preemption.Pod) {
	old := m.pod(p.Namespace, p.Name)
	if old.UID == p.UID && old.NodeName == "" && p.NodeName == "" && m.ownNomination(old) == p.NominatedNode {
		p = nominated(p, old.NominatedNode)
	} else {
		delete(m.own, p.String())
	}
	m.replacePod(p)
}

func (m *model) nominate(p *preemption.Pod, node string) change {
	own := m.ownNomination(p)
	return change{
		func(c *preemption.Cluster) error { return c.Nominate(nominated(p, own), node) },
		func(m *model) {
			m.setOwn(p, own)
			m.replacePod(nominated(p, node))
		},
	}
}

func removal(kind, namespace, name string) (change, bool) {
	switch kind {
	case "node":
		return change{
			func(c *preemption.Cluster) error { return c.RemoveNode(name) },
			func(m *model) {
				m.nodes = slices.DeleteFunc(m.nodes, func(o *preemption.Node) bool { return o.Name == name })
			},
		}, true
	case "pod":
		return change{
			func(c *preemption.Cluster) error { return c.RemovePod(namespace, name) },
			func(m *model) {
				m.pods = slices.DeleteFunc(m.pods, func(o *preemption.Pod) bool { return o.Namespace == namespace && o.Name == name })
				delete(m.own, namespace+"/"+name)
			},
		}, true
	case "group":
		return change{
			func(c *preemption.Cluster) error { return c.RemovePodGroup(namespace, name) },
			func(m *model) {
				m.groups = slices.DeleteFunc(m.groups, func(o *preemption.PodGroup) bool { return o.Namespace == namespace && o.Name == name })
			},
		}, true
	case "composite":
		return change{
			func(c *preemption.Cluster) error { return c.RemoveCompositePodGroup(namespace, name) },
			func(m *model) {
				m.composites = slices.DeleteFunc(m.composites, func(o *preemption.CompositePodGroup) bool { return o.Namespace == namespace && o.Name == name })
			},
		}, true
	case "pdb":
		return change{
			func(c *preemption.Cluster) error { return c.RemoveBudget(namespace, name) },
			func(m *model) {
				m.budgets = slices.DeleteFunc(m.budgets, func(o *preemption.PodDisruptionBudget) bool { return o.Namespace == namespace && o.Name == name })
			},
		}, true
	}
	return change{}, false
}
