package simulate

import (
	"context"
	"testing"

	"example.com/preemption"
)

// strandingWorld is a cluster where kube-scheduler's criteria choose the less
// important of two victims, which is at home on its node alone. The other one
// would find room on n3, which the preemptor may not use.
func strandingWorld(t *testing.T) World {
	t.Helper()
	node := func(name string, cpu int64, labels map[string]string) *preemption.Node {
		return &preemption.Node{
			Name: name, Labels: labels,
			Allocatable: preemption.Resources{preemption.CPU: cpu, preemption.PodCount: 10},
		}
	}
	pod := func(name, node string, priority int32, selector map[string]string) *preemption.Pod {
		return &preemption.Pod{
			Namespace: "d", Name: name, UID: name, NodeName: node, Priority: priority, NodeSelector: selector,
			Requests: preemption.Resources{preemption.CPU: 2}, Owner: preemption.Owner{Kind: "ReplicaSet", Name: name},
		}
	}
	zoneA, zoneB := map[string]string{"zone": "a"}, map[string]string{"zone": "b"}
	c, err := preemption.NewCluster(preemption.ClusterState{
		Nodes: []*preemption.Node{
			node("n3", 2, zoneB),
			node("n1", 2, map[string]string{"zone": "a", "disk": "fast"}),
			node("n2", 2, map[string]string{"zone": "b", "disk": "fast"}),
		},
		Pods: []*preemption.Pod{pod("pinned", "n1", 10, zoneA), pod("free", "n2", 20, zoneB)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return World{Cluster: c, Pending: []*preemption.Pod{pod("web", "", 100, map[string]string{"disk": "fast"})}}
}

func TestFewestStranded(t *testing.T) {
	w := strandingWorld(t)
	stranding := Policy{Name: "kube-scheduler"}
	sparing := Policy{Name: "fewest stranded", Orders: func(c *preemption.Cluster) []preemption.Order {
		return append([]preemption.Order{FewestStranded(c)}, preemption.DefaultOrders()...)
	}}
	c, err := Compare(context.Background(), w, stranding, sparing)
	if err != nil {
		t.Fatal(err)
	}
	want := `
POLICY            EVICTIONS   PODS   TOP PRIORITY   VIOLATIONS   NO PLACE LEFT   PLACED   MEAN WAIT   FIRST EVICTION   END
kube-scheduler    1           1      10             0            1               1        1s          0s               settled
fewest stranded   1           1      20             0            0               2        1s          0s               settled
`
	if got := "\n" + c.String(); got != want {
		t.Errorf("got:%s\nwant:%s", got, want)
	}
}

// A victim that is placed in thought takes the room of the next one.
func TestStrandedCountsRoomOnce(t *testing.T) {
	c, err := preemption.NewCluster(preemption.ClusterState{Nodes: []*preemption.Node{
		{Name: "n1", Allocatable: preemption.Resources{preemption.CPU: 4, preemption.PodCount: 10}},
		{Name: "n2", Allocatable: preemption.Resources{preemption.CPU: 3, preemption.PodCount: 10}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var victims []*preemption.Victim
	for _, name := range []string{"a", "b"} {
		p := &preemption.Pod{Name: name, NodeName: "n1", Requests: preemption.Resources{preemption.CPU: 2}}
		victims = append(victims, preemption.NewPodVictim(p, c.Node("n1")))
	}
	both := &preemption.Candidate{Node: c.Node("n1"), Victims: victims}
	one := &preemption.Candidate{Node: c.Node("n1"), Victims: victims[:1]}
	order := FewestStranded(c)
	if order.Compare(both, one) <= 0 || order.Compare(one, both) >= 0 || order.Compare(both, both) != 0 {
		t.Errorf("two victims and room for one: %d, want more than one victim", order.Compare(both, one))
	}
}
