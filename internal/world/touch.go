package world

import (
	"maps"
	"slices"

	"example.com/preemption"
)

// Touch changes one thing about one object of the cluster, or several one after the
// other, as objects change in life: a whole other object in its place would have the
// cluster look at all of it anew. It may fail.
func (w *World) Touch(c *preemption.Cluster) {
	state, pods := c.State(), w.Known(c)
	switch w.Choose(8) {
	case 0, 1, 2:
		touch(w, pods, (*World).Touched, c.UpdatePod)
	case 3:
		pending := slices.DeleteFunc(pods, func(p *preemption.Pod) bool { return p.NodeName != "" })
		touch(w, pending, (*World).Touched, func(p *preemption.Pod) error {
			return c.Nominate(p, Pick(w, append(w.Nodes, "nowhere", "")...))
		})
	case 4:
		touch(w, state.Nodes, (*World).touchedNode, c.UpdateNode)
	case 5:
		touch(w, state.DisruptionBudgets, (*World).touchedBudget, c.SetBudget)
	case 6:
		touch(w, state.PodGroups, func(w *World, g *preemption.PodGroup) *preemption.PodGroup {
			k := *g
			w.touchGroup(&k.Priority, &k.DisruptionMode, &k.Parent)
			return &k
		}, c.SetPodGroup)
	case 7:
		touch(w, state.CompositePodGroups, func(w *World, g *preemption.CompositePodGroup) *preemption.CompositePodGroup {
			k := *g
			w.touchGroup(&k.Priority, &k.DisruptionMode, &k.Parent)
			return &k
		}, c.SetCompositePodGroup)
	}
}

// touch changes one of the objects, up to three times.
func touch[T any](w *World, list []*T, touched func(*World, *T) *T, set func(*T) error) {
	if len(list) == 0 {
		return
	}
	x := Pick(w, list...)
	for range 1 + w.Choose(6)/4 + w.Choose(6)/5 {
		if k := touched(w, x); set(k) == nil {
			x = k
		}
	}
}

// Touched is the pod with one thing about it changed.
func (w *World) Touched(p *preemption.Pod) *preemption.Pod {
	k, drawn := *p, w.Pod(p.Name)
	switch w.Choose(10) {
	case 0:
		k.Labels = drawn.Labels
	case 1, 2:
		k.Requests = w.touchedAmounts(k.Requests, drawn.Requests)
	case 3:
		k.Termination = drawn.Termination
	case 4:
		k.Priority = drawn.Priority
	case 5:
		k.Start = drawn.Start
	case 6:
		k.HostPorts = drawn.HostPorts
	case 7:
		k.Group = drawn.Group
	case 8:
		k.UID = Pick(w, "", p.Name, "a")
	case 9:
		if k.NodeName == "" {
			k.NominatedNode = Pick(w, append(w.Nodes, "nowhere", "")...)
		} else {
			k.NodeName = Pick(w, w.Nodes...)
		}
	}
	return &k
}

func (w *World) touchedNode(n *preemption.Node) *preemption.Node {
	k, drawn := *n, w.Node(n.Name)
	switch w.Choose(5) {
	case 0:
		k.Labels = drawn.Labels
	case 1:
		k.Unschedulable = !k.Unschedulable
	case 2:
		k.Taints = drawn.Taints
	default:
		k.Allocatable = w.touchedAmounts(k.Allocatable, drawn.Allocatable)
	}
	return &k
}

// touchedAmounts takes one of the amounts from those drawn, or takes it away.
func (w *World) touchedAmounts(amounts, drawn preemption.Resources) preemption.Resources {
	both := maps.Clone(amounts)
	maps.Copy(both, drawn)
	if len(both) == 0 {
		return amounts
	}
	name := Pick(w, slices.Sorted(maps.Keys(both))...)
	amounts = maps.Clone(amounts)
	if amount, ok := drawn[name]; ok {
		amounts[name] = amount
	} else {
		delete(amounts, name)
	}
	return amounts
}

// touchedBudget mostly allows another number, the change that there are the most of.
func (w *World) touchedBudget(b *preemption.PodDisruptionBudget) *preemption.PodDisruptionBudget {
	k, drawn := *b, w.Budget(b.Name)
	switch w.Choose(4) {
	case 0:
		k.Selector = drawn.Selector
	case 1:
		if len(b.Disrupted) > 0 && w.OneIn(2) {
			k.Disrupted = b.Disrupted[1:]
		} else if len(w.pods) > 0 {
			k.Disrupted = append(slices.Clone(b.Disrupted), Pick(w, w.pods...).name)
		}
	default:
		k.Allowed = drawn.Allowed
	}
	return &k
}

func (w *World) touchGroup(priority *int32, mode *preemption.DisruptionMode, parent *string) {
	switch w.Choose(3) {
	case 0:
		*priority = w.Priority()
	case 1:
		*mode = preemption.DisruptAll + preemption.DisruptSingle - *mode
	case 2:
		*parent = Pick(w, "", "c0", "c1")
	}
}
