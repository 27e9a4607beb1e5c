package preemption_test

import (
	"cmp"
	"fmt"
	"time"

	"example.com/preemption"
)

// oneNode is the least that a View takes: nodes, and the pods bound to each.
type oneNode struct {
	node *preemption.Node
	pods []*preemption.Pod
}

func (v oneNode) Nodes() []*preemption.Node                   { return []*preemption.Node{v.node} }
func (v oneNode) NominatedTo(string) []*preemption.Pod        { return nil }
func (v oneNode) PodsOn(n *preemption.Node) []*preemption.Pod { return v.pods }

// busyNode has 4 CPUs, of which three pods of two priorities take all.
func busyNode() oneNode {
	cpu := func(milli int64) preemption.Resources { return preemption.Resources{preemption.CPU: milli} }
	return oneNode{
		&preemption.Node{Name: "node-a", Allocatable: preemption.Resources{preemption.CPU: 4000, preemption.PodCount: 110}},
		[]*preemption.Pod{
			{Namespace: "shop", Name: "batch", UID: "1", NodeName: "node-a", Priority: 100, Requests: cpu(1000), Labels: map[string]string{"app": "batch"}},
			{Namespace: "shop", Name: "cache", UID: "2", NodeName: "node-a", Priority: 500, Requests: cpu(2000), Labels: map[string]string{"app": "cache"}},
			{Namespace: "shop", Name: "report", UID: "3", NodeName: "node-a", Priority: 100, Requests: cpu(1000), Labels: map[string]string{"app": "batch"}},
		},
	}
}

// The steps put together by hand, without a Cluster or an Evaluator.
func ExampleSelectVictimsOnNode() {
	view := busyNode()
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000, Requests: preemption.Resources{preemption.CPU: 1500}}

	prepared, err := preemption.All(preemption.DefaultFilters()...).Prepare(web, view)
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := prepared.Begin(view.node)
	if err != nil {
		fmt.Println(err)
		return
	}
	selection, err := preemption.SelectVictimsOnNode(preemption.NodeCase{
		Preemptor: web,
		Node:      view.node,
		DryRun:    run,
		Victims:   preemption.Victims(view.node, view, nil),
		Budgets: []*preemption.PodDisruptionBudget{
			{Namespace: "shop", Name: "batch", Selector: &preemption.Selector{MatchLabels: map[string]string{"app": "batch"}}, Allowed: 1},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	// The budget bears the loss of one batch pod, so the other one is put back
	// before anybody else; then there is no room for the cache.
	fmt.Println(selection.Victims, "violations:", selection.Violations)

	// Output: [shop/cache] violations: 0
}

// The fit test respects pods that are nominated to the node.
func ExampleFitsWithNominated() {
	view := busyNode()
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000, Requests: preemption.Resources{preemption.CPU: 500}}
	nominated := &preemption.Pod{Namespace: "shop", Name: "db", Priority: 2000, Requests: preemption.Resources{preemption.CPU: 800}}

	prepared, err := preemption.NodeResources().Prepare(web, view)
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := prepared.Begin(view.node)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := run.Remove(view.pods[0], view.node); err != nil { // 1000m are free now
		fmt.Println(err)
		return
	}
	status, err := preemption.FitsWithNominated(web, view.node, run, nil)
	fmt.Println(status, err)
	status, err = preemption.FitsWithNominated(web, view.node, run, []*preemption.Pod{nominated})
	fmt.Println(status, err)

	// Output:
	// Success <nil>
	// Unschedulable: Insufficient cpu <nil>
}

// The budget allows one eviction: the more important of the two uses it up, the
// other one violates.
func ExampleFilterVictimsWithPDBViolation() {
	node := &preemption.Node{Name: "node-a"}
	labels := map[string]string{"app": "web"}
	victims := []*preemption.Victim{ // most important first
		preemption.NewPodVictim(&preemption.Pod{Namespace: "shop", Name: "web-1", Priority: 500, Labels: labels}, node),
		preemption.NewPodVictim(&preemption.Pod{Namespace: "shop", Name: "web-2", Priority: 100, Labels: labels}, node),
	}
	budgets := []*preemption.PodDisruptionBudget{
		{Namespace: "shop", Name: "web", Selector: &preemption.Selector{MatchLabels: labels}, Allowed: 1},
	}
	violating, rest := preemption.FilterVictimsWithPDBViolation(victims, budgets)
	for _, v := range violating {
		fmt.Println(v.Victim, "violates", v.Budgets)
	}
	fmt.Println(rest, "can go")

	// Output:
	// shop/web-2 violates [shop/web]
	// [shop/web-1] can go
}

// Until 1.37 a budget with the empty selector covered nothing.
func ExampleRelease_FilterVictimsWithPDBViolation() {
	victims := []*preemption.Victim{preemption.NewPodVictim(&preemption.Pod{Namespace: "shop", Name: "web"}, &preemption.Node{Name: "node-a"})}
	everything := []*preemption.PodDisruptionBudget{{Namespace: "shop", Name: "all", Selector: &preemption.Selector{}, Allowed: 0}}
	for _, r := range []preemption.Release{preemption.Release137, preemption.Release138} {
		violating, _ := r.FilterVictimsWithPDBViolation(victims, everything)
		fmt.Println(r, "violations:", len(violating))
	}

	// Output:
	// 1.37 violations: 0
	// 1.38 violations: 1
}

func ExampleVictims() {
	view := busyNode()
	for _, v := range preemption.Victims(view.node, view, nil) {
		fmt.Println(v, v.Priority)
	}

	// Output:
	// shop/batch 100
	// shop/cache 500
	// shop/report 100
}

// In 1.36 the members of a group are evicted one by one, whatever its mode.
func ExampleRelease_Victims() {
	view := busyNode()
	for _, p := range view.pods {
		p.Group = "nightly"
	}
	groups := preemption.NewGroups([]*preemption.PodGroup{{Namespace: "shop", Name: "nightly", DisruptionMode: preemption.DisruptAll}}, nil)
	fmt.Println(preemption.Release136.Victims(view.node, view, groups))
	fmt.Println(preemption.Release138.Victims(view.node, view, groups))

	// Output:
	// [shop/batch shop/cache shop/report]
	// [PodGroup shop/nightly]
}

// In 1.37 a member of a group has the priority of the group.
func ExampleRelease_PodVictim() {
	groups := preemption.NewGroups([]*preemption.PodGroup{{Namespace: "ml", Name: "training", Priority: 700}}, nil)
	worker := &preemption.Pod{Namespace: "ml", Name: "worker", Priority: 100, Group: "training"}
	for _, r := range []preemption.Release{preemption.Release137, preemption.Release138} {
		v := r.PodVictim(worker, &preemption.Node{Name: "node-a"}, groups)
		fmt.Println(r, v.Priority)
	}

	// Output:
	// 1.37 700
	// 1.38 100
}

func ExampleNewGroups() {
	groups := preemption.NewGroups(
		[]*preemption.PodGroup{{Namespace: "shop", Name: "nightly", Parent: "jobs"}},
		[]*preemption.CompositePodGroup{{Namespace: "shop", Name: "jobs", DisruptionMode: preemption.DisruptAll}})
	view := busyNode()
	view.pods[0].Group, view.pods[2].Group = "nightly", "nightly"
	fmt.Println(preemption.Victims(view.node, view, groups))

	// Output: [CompositePodGroup shop/jobs shop/cache]
}

func ExampleNewPodVictim() {
	v := preemption.NewPodVictim(&preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000}, &preemption.Node{Name: "node-a"})
	fmt.Println(v, v.Kind, v.Priority, "on", v.Nodes[0].Name)

	// Output: shop/web Pod 1000 on node-a
}

// The earlier start makes the more important victim of two that are equal
// otherwise; a pod that has not started is the youngest of all.
func ExampleCompareImportance() {
	node := &preemption.Node{Name: "node-a"}
	noon := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	older := preemption.NewPodVictim(&preemption.Pod{Name: "older", Start: noon}, node)
	newer := preemption.NewPodVictim(&preemption.Pod{Name: "newer", Start: noon.Add(time.Hour)}, node)
	waiting := preemption.NewPodVictim(&preemption.Pod{Name: "waiting"}, node)
	fmt.Println(preemption.CompareImportance(older, newer), preemption.CompareImportance(waiting, newer))

	// Output: 1 -1
}

func ExampleMoreImportantVictim() {
	node := &preemption.Node{Name: "node-a"}
	db := preemption.NewPodVictim(&preemption.Pod{Name: "db", Priority: 1000}, node)
	batch := preemption.NewPodVictim(&preemption.Pod{Name: "batch", Priority: 100}, node)
	fmt.Println(preemption.MoreImportantVictim(db, batch))

	// Output: true
}

func ExampleVictim_Start() {
	noon := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	v := preemption.Victim{Group: "training", Pods: []*preemption.Pod{{Start: noon.Add(time.Hour)}, {Start: noon}, {}}}
	fmt.Println(v.Start().Format(time.TimeOnly))

	// Output: 12:00:00
}

// clearing makes a candidate whose victims are single pods of these priorities.
func clearing(node string, priorities ...int32) *preemption.Candidate {
	c := &preemption.Candidate{Node: &preemption.Node{Name: node, Labels: map[string]string{"cost": node[len(node)-1:]}}}
	for _, p := range priorities {
		pod := &preemption.Pod{Namespace: "shop", Name: fmt.Sprintf("pod-%d", p), Priority: p}
		c.Victims = append(c.Victims, preemption.NewPodVictim(pod, c.Node))
	}
	return c
}

// Both have a top victim of priority 100; the sum of priorities decides.
func ExamplePickOneNode() {
	best, decidedBy := preemption.PickOneNode([]*preemption.Candidate{
		clearing("node-1", 500),
		clearing("node-2", 100, 100),
		clearing("node-3", 100),
	})
	fmt.Println(best.Node.Name, "by", preemption.DefaultOrders()[decidedBy].Name)

	// Output: node-3 by smallest priority sum
}

// Orders of one's own come before, after or in place of kube-scheduler's.
func ExamplePickOneNode_orders() {
	cheapest := preemption.Order{Name: "cheapest node", Compare: func(a, b *preemption.Candidate) int {
		return cmp.Compare(a.Node.Labels["cost"], b.Node.Labels["cost"])
	}}
	candidates := []*preemption.Candidate{clearing("node-2", 100), clearing("node-1", 500)}
	orders := []preemption.Order{preemption.FewestViolations, cheapest}
	best, decidedBy := preemption.PickOneNode(candidates, orders...)
	fmt.Println(best.Node.Name, "by", orders[decidedBy].Name)

	// Output: node-1 by cheapest node
}

func ExampleDefaultOrders() {
	for i, o := range preemption.DefaultOrders() {
		fmt.Println(i+1, o.Name)
	}

	// Output:
	// 1 fewest budget violations
	// 2 lowest top victim priority
	// 3 smallest priority sum
	// 4 fewest pods
	// 5 latest start
}

func ExampleCandidate_Pods() {
	fmt.Println(clearing("node-1", 500, 100).Pods())

	// Output: [shop/pod-500 shop/pod-100]
}

// kube-scheduler asks for a tenth of the nodes as candidates, and for a hundred
// at least.
func ExampleDefaultSampling() {
	sampling := preemption.DefaultSampling(func(nodes int) int { return nodes / 2 })
	fmt.Println(sampling.Count(50), sampling.Count(500), sampling.Count(5000))

	// Output: 50 100 500
}

func ExampleSampling_Count() {
	fmt.Println(preemption.Sampling{Percent: 1}.Count(50)) // at least one

	// Output: 1
}

func ExampleSampling_Validate() {
	fmt.Println(preemption.Sampling{Percent: 110}.Validate())

	// Output: preemption: sampling: percent 110 is not in [0, 100]
}

// The reprieve keeps the more important of two pods of one priority, whatever
// their sizes. The best set is the one that costs least.
func ExampleSelectBestVictimsOnNode() {
	cpu := func(milli int64) preemption.Resources { return preemption.Resources{preemption.CPU: milli} }
	view := oneNode{
		&preemption.Node{Name: "node-a", Allocatable: preemption.Resources{preemption.CPU: 4000, preemption.PodCount: 110}},
		[]*preemption.Pod{
			{Namespace: "shop", Name: "large", UID: "1", Priority: 100, Requests: cpu(2000)},
			{Namespace: "shop", Name: "small", UID: "2", Priority: 100, Requests: cpu(1000)},
			{Namespace: "shop", Name: "tiny", UID: "3", Priority: 100, Requests: cpu(1000)},
		},
	}
	web := &preemption.Pod{Namespace: "shop", Name: "web", Priority: 1000, Requests: cpu(2000)}
	prepared, err := preemption.NodeResources().Prepare(web, view)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, selectOn := range []func(preemption.NodeCase) (preemption.Selection, error){
		preemption.SelectVictimsOnNode,
		func(c preemption.NodeCase) (preemption.Selection, error) {
			return preemption.SelectBestVictimsOnNode(c)
		},
	} {
		run, err := prepared.Begin(view.node)
		if err != nil {
			fmt.Println(err)
			return
		}
		s, err := selectOn(preemption.NodeCase{Preemptor: web, Node: view.node, DryRun: run, Victims: preemption.Victims(view.node, view, nil)})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.Victims, "exact:", s.Exact)
	}

	// Output:
	// [shop/small shop/tiny] exact: false
	// [shop/large] exact: true
}

// Two pods may be evicted if they are not both.
func ExampleCountViolations() {
	view := busyNode()
	victims := preemption.Victims(view.node, view, nil)
	budget := &preemption.PodDisruptionBudget{Namespace: "shop", Name: "batch", Allowed: 1,
		Selector: &preemption.Selector{MatchLabels: map[string]string{"app": "batch"}}}
	budgets := []*preemption.PodDisruptionBudget{budget}
	fmt.Println(preemption.CountViolations(victims, budgets))
	fmt.Println(preemption.CountViolations(victims[:2], budgets))

	// Output:
	// 1
	// 0
}

// Up to 1.37 a pod without labels is not covered by an empty selector.
func ExampleRelease_CountViolations() {
	node := &preemption.Node{Name: "node-a"}
	victims := []*preemption.Victim{preemption.NewPodVictim(&preemption.Pod{Namespace: "shop", Name: "bare"}, node)}
	budgets := []*preemption.PodDisruptionBudget{{Namespace: "shop", Name: "all", Selector: &preemption.Selector{}}}
	fmt.Println(preemption.Release137.CountViolations(victims, budgets))
	fmt.Println(preemption.Release138.CountViolations(victims, budgets))

	// Output:
	// 0
	// 1
}
