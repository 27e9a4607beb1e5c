package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/preemption"
	"example.com/preemption/internal/trace"
)

// A plan is what a planner found, with what the report says of it. The order of
// the fields is that of -json.
type plan struct {
	Planner      string         `json:"planner"`
	Outcome      string         `json:"outcome"`
	Message      string         `json:"message,omitempty"`
	Placed       int            `json:"placed"`
	Nodes        int            `json:"nodes"` // used
	Victims      int            `json:"victims"`
	VictimsByQoS map[string]int `json:"victimsByQoS"`
	FreedGPUs    float64        `json:"freedGPUs"`
	Exact        bool           `json:"exact"`
	Latency      float64        `json:"latencyMicroseconds"`

	result *preemption.GangResult
	took   time.Duration
}

func newPlan(name string, r *preemption.GangResult, took time.Duration) plan {
	p := plan{
		Planner: name, Outcome: r.Outcome.String(), Message: r.Message(), Victims: len(r.Delete), VictimsByQoS: make(map[string]int),
		Exact: r.Exact, Latency: float64(took.Nanoseconds()) / 1000, result: r, took: took,
	}
	used := make(map[*preemption.Node]bool)
	for _, a := range r.Assignments {
		if a.Node != nil {
			p.Placed++
			used[a.Node] = true
		}
	}
	p.Nodes = len(used)
	for _, class := range trace.Classes {
		p.VictimsByQoS[class] = 0
	}
	for _, v := range r.Delete {
		p.VictimsByQoS[v.Labels[qosLabel]]++
		p.FreedGPUs += float64(v.Requests[trace.GPU]) / 1000
	}
	return p
}

func writeJSON(out io.Writer, cfg config, w *world, plans []plan) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Nodes   int    `json:"nodes"`
		Pods    int    `json:"pods"`
		Workers int    `json:"workers"`
		Plans   []plan `json:"plans"`
	}{cfg.nodes, w.pods, cfg.workers, plans})
}

func writeReport(out io.Writer, cfg config, w *world, plans []plan) error {
	var b strings.Builder
	fmt.Fprintf(&b, `openb, a GPU cluster at Alibaba: %d of its %d nodes with GPUs, filled with %d pods.
Taken are %.0f of %.0f GPUs, counted in thousandths and pooled per node.

A training job of priority %d has %d workers and needs %s to start. Each asks for
%d GPUs, %d CPUs and %d GiB.

`, cfg.nodes, gpuNodes, w.pods, float64(w.used)/1000, float64(w.gpus)/1000,
		cfg.priority, cfg.workers, needed(cfg), cfg.gpus, cfg.cpus, cfg.memory)
	table(&b, plans)
	for _, p := range plans {
		fmt.Fprintf(&b, "\n%s: %s.\n", p.Planner, p.summary())
	}
	if cfg.list {
		for _, p := range plans {
			fmt.Fprintf(&b, "\n== %s ==\n\n%s", p.Planner, p.result.Explain())
		}
	}
	b.WriteString("\n== Time ==\n\n") // last: nothing above depends on the machine
	for _, p := range plans {
		fmt.Fprintf(&b, "%-18s %v\n", p.Planner, p.took.Round(time.Microsecond))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func needed(cfg config) string {
	if cfg.min == 0 {
		return "all of them"
	}
	return fmt.Sprint(cfg.min, " of them")
}

// table sets the plans side by side.
func table(b *strings.Builder, plans []plan) {
	w := tabwriter.NewWriter(b, 0, 0, 3, ' ', tabwriter.AlignRight)
	line := func(label string, cell func(p *plan) any) {
		fmt.Fprintf(w, "%s\t", label)
		for i := range plans {
			fmt.Fprintf(w, "%v\t", cell(&plans[i]))
		}
		fmt.Fprintln(w)
	}
	line("", func(p *plan) any { return p.Planner })
	line("outcome", func(p *plan) any { return p.Outcome })
	line("workers placed", func(p *plan) any { return p.Placed })
	line("nodes used", func(p *plan) any { return p.Nodes })
	line("pods evicted", func(p *plan) any { return p.Victims })
	for _, class := range trace.Classes {
		line(fmt.Sprintf("%s, priority %d", class, trace.Priority[class]), func(p *plan) any { return p.VictimsByQoS[class] })
	}
	line("GPUs freed", func(p *plan) any { return fmt.Sprintf("%.2f", p.FreedGPUs) })
	w.Flush() // a strings.Builder does not fail
}

// summary says in words what came out.
func (p *plan) summary() string {
	switch {
	case p.result.Outcome == preemption.OutcomePreempt && p.Exact:
		return "no placement of as many workers costs less"
	case p.result.Outcome == preemption.OutcomePreempt:
		return "what this placement costs, no victim of which can be spared"
	case p.result.Outcome == preemption.OutcomeFits:
		return "nothing needs evicting"
	}
	return p.result.Reason
}
