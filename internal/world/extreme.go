package world

import (
	"fmt"
	"math"
	"time"

	"example.com/preemption"
)

// An Extreme is a world with few parameters, each at an extreme: it finds what
// even choices hardly ever meet.
type Extreme struct {
	*World
	unit  int64 // amounts are small multiples of it, give or take one
	slack bool  // give or take one
	ports bool
	tops  []int32
}

// Extreme makes a cluster. Amounts are around powers of two, where a float32 or a
// float64 loses digits, or fractions of the largest int64. Nodes are alike, but
// for one thing in few of them, so that the criteria tie down to the last; they
// fill one block or several. Nodes may take more than sixteen violations, groups
// may span nodes of several blocks, and host ports may clash with groups.
func (w *World) Extreme(r preemption.Release) (*Extreme, preemption.ClusterState) {
	pods := Pick(w, 1, 3, 8, 24)
	x := &Extreme{World: w, slack: w.OneIn(2), ports: w.OneIn(3)}
	most := math.MaxInt64 / (4 * (int64(pods) + 2))
	x.unit = min(most, Pick[int64](w, 1, 1<<10, 1<<24, 1<<24+1, 1<<53, 1<<53+1, most, most/2+1))
	x.tops = Pick(w, []int32{0}, []int32{0, 1}, []int32{math.MinInt32, math.MaxInt32 - 1}, []int32{-1, 0, 1})
	starts := Pick(w, []int64{1000}, []int64{1000, 1001}, []int64{0, math.MinInt32, math.MaxInt32})
	grouped, spent := w.OneIn(3), w.OneIn(2)
	s := preemption.ClusterState{Release: r}
	for i := range Pick(w, 2, 63, 64, 65, 130) {
		n := &preemption.Node{Name: fmt.Sprint("n", i), Labels: map[string]string{"zone": "a"}, Allocatable: preemption.Resources{preemption.PodCount: int64(pods + 4)}}
		used := int64(0)
		for j := range pods {
			p := &preemption.Pod{
				Namespace: "a", Name: fmt.Sprintf("p%d-%d", i, j), NodeName: n.Name, Priority: x.tops[0],
				Labels: map[string]string{"app": "x"}, Start: time.Unix(starts[0], 0),
				Requests: preemption.Resources{preemption.CPU: x.unit, preemption.Memory: 1},
			}
			p.UID = Pick(w, "", p.Name, p.Name)
			if w.OneIn(40) { // the one thing
				switch w.Choose(5) {
				case 0:
					p.Priority = Pick(w, x.tops...)
				case 1:
					p.Start = Pick(w, time.Unix(Pick(w, starts...), 0), time.Time{})
				case 2:
					p.Requests[preemption.CPU] = x.amount(2)
				case 3:
					p.Labels = nil
				case 4:
					p.Requests[preemption.Memory] = 2
				}
			}
			if x.ports && j == 0 {
				p.HostPorts = []preemption.HostPort{{Port: int32(80 + w.Choose(2))}}
			}
			if grouped && w.OneIn(8) {
				p.Group = Pick(w, "g0", "g1", "g2")
			}
			used += p.Requests[preemption.CPU]
			s.Pods = append(s.Pods, w.enter(p))
		}
		n.Allocatable[preemption.CPU] = used
		n.Allocatable[preemption.Memory] = int64(pods) + int64(w.Choose(2))
		if x.slack && w.OneIn(10) {
			n.Allocatable[preemption.CPU]++
		}
		w.Nodes = append(w.Nodes, n.Name)
		s.Nodes = append(s.Nodes, n)
	}
	if grouped {
		for _, name := range []string{"g0", "g1", "g2"} {
			s.PodGroups = append(s.PodGroups, &preemption.PodGroup{Namespace: "a", Name: name, Priority: Pick(w, x.tops...), DisruptionMode: preemption.DisruptAll})
		}
	}
	if spent {
		s.DisruptionBudgets = append(s.DisruptionBudgets, &preemption.PodDisruptionBudget{
			Namespace: "a", Name: "b0", Allowed: Pick[int32](w, 0, 0, math.MinInt32, 1, 20),
			Selector: &preemption.Selector{MatchLabels: map[string]string{"app": "x"}},
		})
	}
	return x, s
}

// amount is up to so many units, give or take one.
func (x *Extreme) amount(most int) int64 {
	n := x.unit * int64(1+x.Choose(most))
	if x.slack {
		n += int64(x.Choose(3) - 1)
	}
	return max(n, 0)
}

// Preemptor makes a pod that wants in and needs some pods gone, or all.
func (x *Extreme) Preemptor() *preemption.Pod {
	p := &preemption.Pod{
		Namespace: "a", Name: "preemptor", UID: "preemptor", Priority: Pick[int32](x.World, math.MaxInt32, 1, 2),
		Requests: preemption.Resources{preemption.CPU: x.amount(Pick(x.World, 1, 3, 24))},
	}
	if x.ports && x.OneIn(2) {
		p.HostPorts = []preemption.HostPort{{Port: 80}}
	}
	return p
}
