package generate

import (
	"math"
	"slices"

	"example.com/preemption/internal/golden"
)

// A Feature is something that a case may have.
type Feature struct {
	Name string
	In   func(c *golden.Case) bool
}

// Features returns the features that the generator is to give enough cases.
func Features() []Feature { return features }

var features = slices.Concat(
	nodeFeatures, podFeatures, selectorFeatures, budgetFeatures, nominationFeatures, groupFeatures,
	[]Feature{
		{"one node", func(c *golden.Case) bool { return len(c.Nodes) == 1 }},
		{"ten nodes", func(c *golden.Case) bool { return len(c.Nodes) >= 10 }},
		{"a hundred pods", func(c *golden.Case) bool { return len(c.Pods) >= 100 }},
		{"sampling", func(c *golden.Case) bool { return c.Sampling != nil }},
		{"sampling with an offset", func(c *golden.Case) bool { return c.Sampling != nil && c.Offset > 0 }},
		{"sampling of few", func(c *golden.Case) bool { return c.Sampling != nil && c.Num < len(c.Nodes)/2 }},
		{"gang", func(c *golden.Case) bool { return len(c.Gang) > 1 }},
	},
)

var nodeFeatures = []Feature{
	{"unschedulable node", anyNode(func(n *golden.Node) bool { return n.Unschedulable })},
	{"taint in short", anyNode(func(n *golden.Node) bool { return n.Taint != "" })},
	{"taint NoSchedule", taint("NoSchedule")},
	{"taint NoExecute", taint("NoExecute")},
	{"taint PreferNoSchedule", taint("PreferNoSchedule")},
	{"several taints", anyNode(func(n *golden.Node) bool { return len(n.Taints) > 1 })},
	{"several further resources", anyNode(func(n *golden.Node) bool { return len(n.Allocatable) >= 5 })},
	{"a resource that only some nodes have", func(c *golden.Case) bool {
		for _, n := range c.Nodes {
			if len(n.Allocatable) != len(c.Nodes[0].Allocatable) {
				return true
			}
		}
		return false
	}},
	{"pod limit", anyNode(func(n *golden.Node) bool { return n.Allocatable["pods"] < 50 })},
	{"overcommitted node", func(c *golden.Case) bool {
		return anyNode(func(n *golden.Node) bool {
			used := golden.Resources{}
			for _, p := range c.Pods {
				if p.Node == n.Name {
					for resource, amount := range p.Requests {
						used[resource] += amount
					}
				}
			}
			for resource, amount := range used {
				if amount > n.Allocatable[resource] {
					return true
				}
			}
			return false
		})(c)
	}},
}

var podFeatures = []Feature{
	{"zero request", anyPod(func(p *golden.Pod) bool { return hasZero(p.Requests) })},
	{"preemptor's zero request", func(c *golden.Case) bool { return hasZero(c.Preemptor.Requests) }},
	{"no requests", anyPod(func(p *golden.Pod) bool { return len(p.Requests) == 0 })},
	{"no labels", anyPod(func(p *golden.Pod) bool { return len(p.Labels) == 0 })},
	{"other namespace", anyPod(func(p *golden.Pod) bool { return p.Namespace != "default" })},
	{"same name in two namespaces", func(c *golden.Case) bool {
		seen := map[string]string{}
		for _, p := range c.Pods {
			if ns, ok := seen[p.Name]; ok && ns != p.Namespace {
				return true
			}
			seen[p.Name] = p.Namespace
		}
		return false
	}},
	{"host ports", anyPod(func(p *golden.Pod) bool { return len(p.HostPorts) > 0 })},
	{"preemptor's host ports", func(c *golden.Case) bool { return len(c.Preemptor.HostPorts) > 0 }},
	{"host port on one address", anyPod(func(p *golden.Pod) bool {
		return slices.ContainsFunc(p.HostPorts, func(h golden.HostPort) bool { return h.IP == "127.0.0.1" })
	})},
	{"host port without protocol", anyPod(func(p *golden.Pod) bool {
		return slices.ContainsFunc(p.HostPorts, func(h golden.HostPort) bool { return h.Protocol == "" })
	})},
	{"terminating by preemption", anyPod(func(p *golden.Pod) bool { return p.Terminating == golden.ByPreemption })},
	{"terminating otherwise", anyPod(func(p *golden.Pod) bool { return p.Terminating == golden.ForAnotherReason })},
	{"negative priority", anyPod(func(p *golden.Pod) bool { return p.Priority < 0 })},
	{"lowest priority", anyPod(func(p *golden.Pod) bool { return p.Priority == math.MinInt32 })},
	{"highest priority", anyPod(func(p *golden.Pod) bool { return p.Priority == math.MaxInt32 })},
	{"preemptor of highest priority", func(c *golden.Case) bool { return c.Preemptor.Priority == math.MaxInt32 }},
	{"victim as important as the preemptor", func(c *golden.Case) bool {
		return anyPod(func(p *golden.Pod) bool { return p.Node != "" && p.Priority == c.Preemptor.Priority })(c)
	}},
	{"policy Never", func(c *golden.Case) bool { return c.Preemptor.PreemptionPolicy == "Never" }},
	{"policy PreemptLowerPriority", func(c *golden.Case) bool { return c.Preemptor.PreemptionPolicy == "PreemptLowerPriority" }},
	{"node selector", func(c *golden.Case) bool { return len(c.Preemptor.NodeSelector) > 0 }},
	{"toleration Exists", toleration(func(t golden.Toleration) bool { return t.Operator == "Exists" && t.Key != "" })},
	{"toleration of all taints", toleration(func(t golden.Toleration) bool { return t.Operator == "Exists" && t.Key == "" })},
	{"toleration Equal", toleration(func(t golden.Toleration) bool { return t.Operator == "Equal" })},
	{"toleration without operator", toleration(func(t golden.Toleration) bool { return t.Operator == "" })},
	{"toleration Gt or Lt", toleration(func(t golden.Toleration) bool { return t.Operator == "Gt" || t.Operator == "Lt" })},
	{"toleration of one effect", toleration(func(t golden.Toleration) bool { return t.Effect != "" })},
	{"toleration of unschedulable nodes", toleration(func(t golden.Toleration) bool { return t.Key == "node.kubernetes.io/unschedulable" })},
	{"equal starts", func(c *golden.Case) bool {
		seen := map[int64]bool{}
		return anyPod(func(p *golden.Pod) bool {
			again := !p.Start.IsZero() && seen[p.Start.Unix()]
			seen[p.Start.Unix()] = true
			return again
		})(c)
	}},
	{"missing start", anyPod(func(p *golden.Pod) bool { return p.Node != "" && p.Start.IsZero() })},
}

var selectorFeatures = []Feature{
	{"nil selector", anyPDB(func(b *golden.PDB) bool { return b.Selector == nil })},
	{"empty selector", anyPDB(func(b *golden.PDB) bool {
		return b.Selector != nil && len(b.Selector.MatchLabels)+len(b.Selector.MatchExpressions) == 0
	})},
	{"matchLabels", anyPDB(func(b *golden.PDB) bool { return b.Selector != nil && len(b.Selector.MatchLabels) > 0 })},
	{"labels and expressions", anyPDB(func(b *golden.PDB) bool {
		return b.Selector != nil && len(b.Selector.MatchLabels) > 0 && len(b.Selector.MatchExpressions) > 0
	})},
	{"In", operator("In")},
	{"NotIn", operator("NotIn")},
	{"Exists", operator("Exists")},
	{"DoesNotExist", operator("DoesNotExist")},
	{"unknown operator", operator("Like")},
	{"In without values", requirement(func(r golden.Requirement) bool { return r.Operator == "In" && len(r.Values) == 0 })},
	{"Exists with values", requirement(func(r golden.Requirement) bool { return r.Operator == "Exists" && len(r.Values) > 0 })},
}

var budgetFeatures = []Feature{
	{"several budgets", func(c *golden.Case) bool { return len(c.PDBs) > 1 }},
	{"a pod under several budgets by labels", func(c *golden.Case) bool {
		return anyPod(func(p *golden.Pod) bool {
			n := 0
			for _, b := range c.PDBs {
				if b.Selector != nil && len(b.Selector.MatchExpressions) == 0 && len(b.Selector.MatchLabels) > 0 && covers(b.Selector.MatchLabels, p.Labels) {
					n++
				}
			}
			return n > 1
		})(c)
	}},
	{"budget in another namespace", anyPDB(func(b *golden.PDB) bool { return b.Namespace != "default" })},
	{"budget used up", anyPDB(func(b *golden.PDB) bool { return b.Allowed == 0 })},
	{"budget with room", anyPDB(func(b *golden.PDB) bool { return b.Allowed > 0 })},
	{"budget below zero", anyPDB(func(b *golden.PDB) bool { return b.Allowed < 0 })},
	{"disrupted pods", anyPDB(func(b *golden.PDB) bool { return len(b.DisruptedPods) > 0 })},
}

var nominationFeatures = []Feature{
	{"nominated pod of higher priority", nominated(func(p, preemptor int32) bool { return p > preemptor })},
	{"nominated pod of equal priority", nominated(func(p, preemptor int32) bool { return p == preemptor })},
	{"nominated pod of lower priority", nominated(func(p, preemptor int32) bool { return p < preemptor })},
	{"preemptor's own nomination", func(c *golden.Case) bool { return c.Preemptor.NominatedNode != "" }},
	{"preemptor nominated to a node that is gone", func(c *golden.Case) bool { return c.Preemptor.NominatedNode == "gone" }},
	{"victims terminating where the preemptor is nominated", func(c *golden.Case) bool {
		return anyPod(func(p *golden.Pod) bool { return p.Terminating != "" && p.Node == c.Preemptor.NominatedNode })(c)
	}},
}

var groupFeatures = []Feature{
	{"group evicted as one", anyGroup(func(c *golden.Case, g *golden.PodGroup) bool {
		return g.DisruptionMode == golden.ModeAll && len(nodesOf(c, g.Name)) > 0
	})},
	{"group evicted pod by pod", anyGroup(func(c *golden.Case, g *golden.PodGroup) bool {
		return g.DisruptionMode == golden.ModeSingle && len(nodesOf(c, g.Name)) > 0
	})},
	{"group across nodes", anyGroup(func(c *golden.Case, g *golden.PodGroup) bool { return len(nodesOf(c, g.Name)) > 1 })},
	{"unknown group", anyPod(func(p *golden.Pod) bool { return p.Group == "gone" })},
	{"group of another namespace", anyPod(func(p *golden.Pod) bool { return p.Group != "" && p.Namespace != "default" })},
	{"composite group", anyGroup(func(c *golden.Case, g *golden.PodGroup) bool { return len(ancestry(c, g)) > 0 })},
	{"composite group evicted as one", anyGroup(func(c *golden.Case, g *golden.PodGroup) bool {
		return slices.ContainsFunc(ancestry(c, g), func(a golden.CompositePodGroup) bool { return a.DisruptionMode == golden.ModeAll })
	})},
	{"composite group evicted pod by pod", anyGroup(func(c *golden.Case, g *golden.PodGroup) bool {
		return slices.ContainsFunc(ancestry(c, g), func(a golden.CompositePodGroup) bool { return a.DisruptionMode == golden.ModeSingle })
	})},
	{"unknown parent", anyGroup(func(c *golden.Case, g *golden.PodGroup) bool { return g.Parent == "gone" })},
	{"unknown grandparent", anyGroup(func(c *golden.Case, g *golden.PodGroup) bool {
		a := ancestry(c, g)
		return len(a) > 0 && a[len(a)-1].Parent == "gone"
	})},
	{"cycle", anyGroup(func(c *golden.Case, g *golden.PodGroup) bool {
		a := ancestry(c, g)
		return len(a) > 0 && slices.ContainsFunc(a, func(b golden.CompositePodGroup) bool { return b.Name == a[len(a)-1].Parent })
	})},
	{"ancestry too deep", anyGroup(func(c *golden.Case, g *golden.PodGroup) bool { return len(ancestry(c, g)) > 3 })},
	{"member with a priority of its own", func(c *golden.Case) bool {
		return anyGroup(func(c *golden.Case, g *golden.PodGroup) bool {
			priority := g.Priority
			if a := ancestry(c, g); len(a) > 0 {
				priority = a[min(len(a), 3)-1].Priority
			}
			return anyPod(func(p *golden.Pod) bool {
				return p.Group == g.Name && p.Namespace == "default" && p.Priority != priority
			})(c)
		})(c)
	}},
	{"group under several budgets", func(c *golden.Case) bool { return len(c.PodGroups) > 0 && len(c.PDBs) > 1 }},
}

func anyNode(is func(*golden.Node) bool) func(*golden.Case) bool {
	return func(c *golden.Case) bool {
		return slices.ContainsFunc(c.Nodes, func(n golden.Node) bool { return is(&n) })
	}
}

func anyPod(is func(*golden.Pod) bool) func(*golden.Case) bool {
	return func(c *golden.Case) bool {
		return slices.ContainsFunc(c.Pods, func(p golden.Pod) bool { return is(&p) })
	}
}

func anyPDB(is func(*golden.PDB) bool) func(*golden.Case) bool {
	return func(c *golden.Case) bool {
		return slices.ContainsFunc(c.PDBs, func(b golden.PDB) bool { return is(&b) })
	}
}

func anyGroup(is func(*golden.Case, *golden.PodGroup) bool) func(*golden.Case) bool {
	return func(c *golden.Case) bool {
		return slices.ContainsFunc(c.PodGroups, func(g golden.PodGroup) bool { return is(c, &g) })
	}
}

func taint(effect string) func(*golden.Case) bool {
	return anyNode(func(n *golden.Node) bool {
		return slices.ContainsFunc(n.Taints, func(t golden.Taint) bool { return t.Effect == effect })
	})
}

func toleration(is func(golden.Toleration) bool) func(*golden.Case) bool {
	return func(c *golden.Case) bool { return slices.ContainsFunc(c.Preemptor.Tolerations, is) }
}

func requirement(is func(golden.Requirement) bool) func(*golden.Case) bool {
	return anyPDB(func(b *golden.PDB) bool {
		return b.Selector != nil && slices.ContainsFunc(b.Selector.MatchExpressions, is)
	})
}

func operator(name string) func(*golden.Case) bool {
	return requirement(func(r golden.Requirement) bool { return r.Operator == name })
}

func nominated(is func(p, preemptor int32) bool) func(*golden.Case) bool {
	return func(c *golden.Case) bool {
		return anyPod(func(p *golden.Pod) bool { return p.NominatedNode != "" && is(p.Priority, c.Preemptor.Priority) })(c)
	}
}

func hasZero(r golden.Resources) bool {
	for _, amount := range r {
		if amount == 0 {
			return true
		}
	}
	return false
}

func covers(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return true
}

// nodesOf returns the nodes that members of a group are on.
func nodesOf(c *golden.Case, group string) map[string]bool {
	nodes := map[string]bool{}
	for _, p := range c.Pods {
		if p.Group == group && p.Namespace == "default" && p.Node != "" {
			nodes[p.Node] = true
		}
	}
	return nodes
}

// ancestry returns the composite groups above a group, each once.
func ancestry(c *golden.Case, g *golden.PodGroup) []golden.CompositePodGroup {
	var above []golden.CompositePodGroup
	for parent := g.Parent; ; {
		i := slices.IndexFunc(c.CompositePodGroups, func(a golden.CompositePodGroup) bool { return a.Name == parent })
		if i < 0 || slices.ContainsFunc(above, func(a golden.CompositePodGroup) bool { return a.Name == parent }) {
			return above
		}
		above = append(above, c.CompositePodGroups[i])
		parent = c.CompositePodGroups[i].Parent
	}
}
