package preemption

import (
	"context"
	"testing"
)

// searchStats decides by the engine and returns how much it looked at.
func searchStats(t testing.TB, c *Cluster, p *Pod) (blocks, nodes, evaluated int) {
	t.Helper()
	f := c.engine.borrow()
	defer c.engine.giveBack(f)
	f.query, f.ctx = query{Evaluator: &Evaluator{}, cluster: c, preemptor: p}, context.Background()
	if !f.aim() {
		t.Fatal("the engine does not apply")
	}
	f.decide()
	return f.scratch.Stats.Blocks, f.scratch.Stats.Nodes, f.scratch.Stats.Evaluated
}

// TestEnginePrunes keeps the engine from becoming a slow scan unnoticed: of 2,000
// nodes in 32 blocks it may look into so many blocks (one at several levels
// counts as several), put so many nodes to the bounds, and evaluate so many. The
// limits leave half as much again as is needed.
func TestEnginePrunes(t *testing.T) {
	limits := map[string]work{
		"1core":      {6, 110, 20},
		"4cores":     {6, 110, 20},
		"16cores":    {48, 230, 175},
		"48cores":    {48, 80, 80},
		"impossible": {0, 0, 0},
		"pdb30":      {6, 110, 15},
		"groups":     {12, 110, 15},
		"nominated":  {15, 165, 55},
	}
	clusters := map[workload]*Cluster{}
	for _, x := range benchCases {
		x.workload.nodes, x.workload.pods = 2000, 50
		c := clusters[x.workload]
		if c == nil {
			c = x.workload.cluster(benchSeed)
			clusters[x.workload] = c
		}
		checkWork(t, x.name, workOf(t, c, x.preemptor), limits[x.name])
	}
}

// TestEnginePrunesWorst does so where the bounds are at their worst. Where they
// tell no node from another all of them are evaluated, but each once.
func TestEnginePrunesWorst(t *testing.T) {
	limits := map[string]work{
		"identical-nodes/4cores":          {2, 100, 2},
		"identical-nodes/16cores":         {48, 2000, 2000},
		"identical-nodes/48cores":         {48, 2000, 2000},
		"spent-budgets/4cores":            {12, 10, 10},
		"spent-budgets/16cores":           {200, 2000, 2000},
		"spent-budgets/48cores":           {600, 2000, 2000},
		"spent-budget-of-all/4cores":      {48, 2000, 2000},
		"spent-budget-of-all/16cores":     {48, 2000, 2000},
		"spent-budget-of-all/48cores":     {150, 2000, 2000},
		"same-priority-and-start/4cores":  {2, 100, 2},
		"same-priority-and-start/16cores": {48, 1800, 375},
		"same-priority-and-start/48cores": {48, 2000, 1200},
		"one-level/4cores":                {6, 115, 45},
		"one-level/16cores":               {48, 900, 860},
		"one-level/48cores":               {48, 2000, 2000},
		"thousands-of-levels/4cores":      {48, 1050, 1000},
		"thousands-of-levels/16cores":     {38, 65, 65},
		"thousands-of-levels/48cores":     {6, 6, 6},
		"overcommitted/4cores":            {27, 45, 45},
		"overcommitted/16cores":           {4, 4, 4},
		"overcommitted/48cores":           {18, 24, 24},
	}
	for _, x := range worstCases {
		c, err := NewCluster(x.state(2000, 50))
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range worstSizes {
			name := x.name + "/" + size.name
			checkWork(t, name, workOf(t, c, size.preemptor), limits[name])
		}
	}
}

// work is how much a search looked at.
type work struct{ blocks, nodes, evaluated int }

func workOf(t testing.TB, c *Cluster, p *Pod) work {
	t.Helper()
	blocks, nodes, evaluated := searchStats(t, c, p)
	return work{blocks, nodes, evaluated}
}

func checkWork(t *testing.T, name string, got, limit work) {
	t.Helper()
	t.Logf("%-32s blocks %4d, nodes %5d, evaluated %4d", name, got.blocks, got.nodes, got.evaluated)
	if got.blocks > limit.blocks || got.nodes > limit.nodes || got.evaluated > limit.evaluated {
		t.Errorf("%s: %+v, want at most %+v", name, got, limit)
	}
}
