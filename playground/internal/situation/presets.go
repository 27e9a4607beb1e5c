package situation

import "fmt"

// Presets are the situations that the page offers.
func Presets() []Situation {
	return []Situation{
		article("Five full nodes: 3000m asked for, and emptying a node frees 2500m", 1000, 3000, false, false),
		article("The same pod with priority 10000: six victims on one node", 10_000, 3000, false, false),
		article("A budget over the batch pods: five victims, two of them violate it", 10_000, 3000, true, false),
		article("Preemption policy Never: it waits", 10_000, 3000, false, true),
		article("Priority 100: nothing is below it", 100, 3000, false, false),
		greedy(), budgetRace(), gang(), thrash(), chain(),
	}
}

// article is five nodes of 4 CPUs, each with two web pods and five batch pods, and
// one more web pod.
func article(title string, priority int32, cpu int64, budget, never bool) Situation {
	s := Situation{Title: title, Release: "1.38"}
	run := func(app string, number int, node string, priority int32, cpu int64) {
		s.Pods = append(s.Pods, Pod{
			Name: fmt.Sprintf("%s-%d", app, number), Node: node, Priority: priority, CPU: cpu, Start: int64(len(s.Pods)+1) * 60,
			Labels: map[string]string{"app": app}, Owner: "ReplicaSet/" + app, Grace: 30,
		})
	}
	for n := range 5 {
		node := fmt.Sprintf("node-%d", n+1)
		s.Nodes = append(s.Nodes, Node{Name: node, CPU: 4000})
		for i := range 2 {
			run("web", 2*n+i+1, node, 1000, 750)
		}
		for i := range 5 {
			run("batch", 5*n+i+1, node, 100, 500)
		}
	}
	if budget {
		s.Budgets = []Budget{{Name: "batch", Labels: map[string]string{"app": "batch"}, Allowed: 1}}
	}
	s.Pending = []Pod{{
		Name: "web-11", Priority: priority, CPU: cpu, Labels: map[string]string{"app": "web"}, Owner: "ReplicaSet/web", Never: never,
	}}
	return s
}

// greedy is a node where putting back the most important pods first costs two
// victims, and one would do.
func greedy() Situation {
	return Situation{
		Title: "Greedy takes two where one would do", Release: "1.38",
		Nodes: []Node{{Name: "node-1", CPU: 4000}},
		Pods: []Pod{
			{Name: "large", Node: "node-1", Priority: 10, CPU: 2000, Start: 60, Labels: map[string]string{"app": "large"}, Owner: "ReplicaSet/large", Grace: 10},
			{Name: "small-1", Node: "node-1", Priority: 10, CPU: 1000, Start: 120, Labels: map[string]string{"app": "small"}, Owner: "ReplicaSet/small", Grace: 10},
			{Name: "small-2", Node: "node-1", Priority: 10, CPU: 1000, Start: 180, Labels: map[string]string{"app": "small"}, Owner: "ReplicaSet/small", Grace: 10},
		},
		Pending: []Pod{{Name: "web", Priority: 100, CPU: 2000, Labels: map[string]string{"app": "web"}}},
	}
}

// budgetRace is a budget that allows one disruption, and replicas on two nodes.
func budgetRace() Situation {
	s := Situation{
		Title: "A budget race: web allows one disruption; then other has to go, important as it is", Release: "1.38",
		Budgets: []Budget{{Name: "web", Labels: map[string]string{"app": "web"}, Allowed: 0, Max: "1"}},
		Pending: []Pod{{Name: "second", Priority: 100, CPU: 1000, Labels: map[string]string{"app": "urgent"}}},
	}
	for i, app := range []string{"web", "web", "other"} {
		node := fmt.Sprintf("node-%d", i+1)
		s.Nodes = append(s.Nodes, Node{Name: node, CPU: 1000})
		p := Pod{
			Name: fmt.Sprintf("%s-%d", app, i+1), Node: node, Priority: 10, CPU: 1000, Start: int64(i+1) * 60,
			Labels: map[string]string{"app": app}, Owner: "ReplicaSet/" + app, Grace: 20,
		}
		if app == "other" {
			p.Priority = 50
		}
		if i == 0 {
			p.Terminating = true
		}
		s.Pods = append(s.Pods, p)
	}
	return s
}

// gang is a job of three on two nodes.
func gang() Situation {
	s := Situation{
		Title: "A gang of three: of use together only", Release: "1.38",
		Gang: &Gang{Name: "job", Priority: 50, Best: true},
		Nodes: []Node{
			{Name: "node-1", CPU: 8000, GPU: 4}, {Name: "node-2", CPU: 8000, GPU: 4}, {Name: "node-3", CPU: 8000, GPU: 4},
		},
	}
	for i, p := range []struct {
		node     string
		priority int32
		gpu      int64
	}{{"node-1", 10, 2}, {"node-1", 10, 2}, {"node-2", 20, 4}, {"node-3", 5, 1}, {"node-3", 40, 1}, {"node-3", 5, 2}} {
		s.Pods = append(s.Pods, Pod{
			Name: fmt.Sprintf("train-%d", i+1), Node: p.node, Priority: p.priority, CPU: 500, GPU: p.gpu, Start: int64(i+1) * 60,
			Labels: map[string]string{"app": "train"}, Owner: "Job/train", Grace: 15,
		})
	}
	for i := range 3 {
		s.Pending = append(s.Pending, Pod{
			Name: fmt.Sprintf("member-%d", i+1), Priority: 50, CPU: 1000, GPU: 2, Group: "job",
			Labels: map[string]string{"app": "job"}, Owner: "Job/job",
		})
	}
	return s
}

// thrash is two workloads that evict each other for ever, by the rules of 1.37.
func thrash() Situation {
	return Situation{
		Title: "Thrash: up to 1.37 two groups of priority 0 evict each other for ever", Release: "1.37",
		Nodes:  []Node{{Name: "node-1", CPU: 2000}},
		Groups: []Group{{Name: "a"}, {Name: "b"}},
		Pods: []Pod{{
			Name: "a", Node: "node-1", Priority: 10, CPU: 2000, Start: 60, Grace: 30, Group: "a",
			Labels: map[string]string{"app": "a"}, Owner: "ReplicaSet/a",
		}},
		Pending: []Pod{{
			Name: "b", Priority: 20, CPU: 2000, Grace: 30, Group: "b", Labels: map[string]string{"app": "b"}, Owner: "ReplicaSet/b",
		}},
	}
}

// chain is a victim that evicts another in turn.
func chain() Situation {
	s := Situation{Title: "A chain: the victim comes back and evicts another", Release: "1.38"}
	for i, p := range []struct {
		name     string
		priority int32
	}{{"mid", 50}, {"low", 10}} {
		node := fmt.Sprintf("node-%d", i+1)
		s.Nodes = append(s.Nodes, Node{Name: node, CPU: 2000, Labels: map[string]string{"zone": fmt.Sprint(i + 1)}})
		s.Pods = append(s.Pods, Pod{
			Name: p.name, Node: node, Priority: p.priority, CPU: 2000, Start: 60, Grace: 5,
			Labels: map[string]string{"app": p.name}, Owner: "ReplicaSet/" + p.name,
		})
	}
	s.Pending = []Pod{{
		Name: "high", Priority: 100, CPU: 2000, Labels: map[string]string{"app": "high"}, NodeSelector: map[string]string{"zone": "1"},
	}}
	return s
}
