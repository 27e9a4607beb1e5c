package preemption_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/preemption"
	"example.com/preemption/internal/golden"
	"example.com/preemption/internal/population"
	"example.com/preemption/internal/replay"
	"example.com/preemption/internal/trace"
)

// BenchmarkReal decides on preemptors of clusters that are like published traces,
// one after another: victims go and the preemptor takes their place, outside the
// clock. It reports percentiles of the time that a decision takes.
func BenchmarkReal(b *testing.B) {
	for _, x := range []struct {
		kind  population.Kind
		nodes int
	}{{population.Openb, 1523}, {population.Borg, 12_000}, {population.Alibaba, 4000}} {
		var cluster *preemption.Cluster // built once it is asked for
		var preemptors []*preemption.Pod
		b.Run(fmt.Sprintf("%s/nodes=%d", x.kind.Name, x.nodes), func(b *testing.B) {
			if cluster == nil {
				cluster, preemptors = realCluster(b, population.New(x.kind, x.nodes, 1), 1000)
			}
			evaluator := preemption.Evaluator{Filters: append(preemption.DefaultFilters(), preemption.NodeFilter("GPUModel", sameModel))}
			var took []time.Duration
			for b.Loop() {
				c := cluster.Clone()
				took = took[:0]
				for _, p := range preemptors {
					started := time.Now()
					r, err := evaluator.Preempt(context.Background(), c, p)
					took = append(took, time.Since(started))
					if err != nil {
						b.Fatal(err)
					}
					follow(b, c, r)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)-1]), "max-ns")
			b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
			b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
			b.ReportMetric(0, "ns/op") // an op is all of them
		})
	}
}

// realCluster returns the cluster, and preemptors that found no room before there
// were others. What they ask of the model of GPUs is for a filter.
func realCluster(b *testing.B, population *population.Cluster, n int) (*preemption.Cluster, []*preemption.Pod) {
	preemptors := make([]*preemption.Pod, n)
	for i := range preemptors {
		drawn := population.Preemptor()
		p, err := replay.Pod(&drawn)
		if err != nil {
			b.Fatal(err)
		}
		p.Object, p.NodeSelector = p.NodeSelector[trace.ModelLabel], nil
		preemptors[i] = p
	}
	k := population.Case(golden.Pod{})
	state, err := replay.State(&k, preemption.Release138)
	if err != nil {
		b.Fatal(err)
	}
	c, err := preemption.NewCluster(state)
	if err != nil {
		b.Fatal(err)
	}
	return c, preemptors
}

// sameModel refuses nodes with another model of GPUs than the preemptor asks for.
func sameModel(preemptor *preemption.Pod, n *preemption.Node) preemption.Status {
	if model, _ := preemptor.Object.(string); model != "" && model != n.Labels[trace.ModelLabel] {
		return preemption.Status{Code: preemption.Unresolvable, Reasons: otherModel}
	}
	return preemption.Status{}
}

var otherModel = []string{"node(s) had another GPU model"}

// follow carries a decision out at once.
func follow(b *testing.B, c *preemption.Cluster, r *preemption.Result) {
	if r.Node == nil {
		return
	}
	for _, v := range r.Delete {
		if err := c.RemovePod(v.Namespace, v.Name); err != nil {
			b.Fatal(err)
		}
	}
	bound := *r.Preemptor
	bound.NodeName, bound.Start = r.Node.Name, time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)
	if err := c.AddPod(&bound); err != nil {
		b.Fatal(err)
	}
}
