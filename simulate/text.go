package simulate

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/preemption"
)

// WriteSummary writes what people ask about after the time line: where every pod
// stands, who caused what, who lost a place, what was down, and what goes on for
// ever. It examines the pods that are pending at the end. Parts that have nothing
// to say are left out.
func (r *Report) WriteSummary(ctx context.Context, w io.Writer) error {
	var b strings.Builder
	as := r.naming()
	fmt.Fprintln(&b, r.Ending())

	r.writePods(&b, as)
	if err := r.writeReasons(ctx, &b, as); err != nil {
		return err
	}
	r.writeTrees(&b, as)
	r.writeHarm(&b, as)
	_, err := io.WriteString(w, b.String())
	return err
}

// Ending says in a sentence how it ended.
func (r *Report) Ending() string {
	counts := fmt.Sprintf("%s, %s", plural(len(r.Preemptions), "preemption"), plural(r.evictions(), "eviction"))
	switch r.End {
	case Settled:
		return fmt.Sprintf("it settles after %v: %s", r.At, counts)
	case Repeats:
		return fmt.Sprintf("it never settles: from %v on it repeats every %v, evicting %s; %s up to %v",
			r.Cycle.From, r.Cycle.Period, r.naming().pods(r.Cycle.Pods), counts, r.At)
	}
	return fmt.Sprintf("cut off at %v: %s", r.At, counts)
}

func (r *Report) evictions() int {
	n := 0
	for i := range r.Preemptions {
		n += len(r.Preemptions[i].Victims)
	}
	return n
}

func table(b *strings.Builder, rows func(w io.Writer)) {
	w := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	rows(w)
	w.Flush()
}

func (r *Report) writePods(b *strings.Builder, as naming) {
	if len(r.Pods) == 0 {
		return
	}
	b.WriteString("\n")
	table(b, func(w io.Writer) {
		fmt.Fprintln(w, "POD\tPRIORITY\tAT THE END\tFIRST PLACED\tWAITED\tEVICTED\tWAITED FOR")
		for i := range r.Pods {
			p := &r.Pods[i]
			state, first, waitedFor := p.State.String(), "-", "-"
			if p.Node != "" && p.State != Pending {
				state += " on " + p.Node
			}
			if p.Placed {
				first = p.First.String()
			}
			if len(p.WaitedFor) > 0 {
				waitedFor = as.pods(p.WaitedFor)
			}
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%v\t%d\t%s\n", as.pod(p.Pod), p.Pod.Priority, state, first, p.Waited, len(p.Evictions), waitedFor)
		}
	})
}

// writeReasons says why pods are pending, those with the same reason together.
func (r *Report) writeReasons(ctx context.Context, b *strings.Builder, as naming) error {
	reasons := make(map[string][]*preemption.Pod)
	var order []string
	for i := range r.Pods {
		p := &r.Pods[i]
		if p.State != Pending {
			continue
		}
		x, err := r.Why(ctx, p)
		if err != nil {
			return err
		}
		reason := x.Message()
		if reason == "" {
			reason = p.Reason
		}
		if reasons[reason] == nil {
			order = append(order, reason)
		}
		reasons[reason] = append(reasons[reason], p.Now)
	}
	if len(order) > 0 {
		b.WriteString("\nstill pending:\n")
	}
	for _, reason := range order {
		fmt.Fprintf(b, "  %s: %s\n", as.pods(reasons[reason]), reason)
	}
	return nil
}

// writeTrees draws who caused what. Preemptions of nothing, which only wait for
// pods on their way out, are left out.
func (r *Report) writeTrees(b *strings.Builder, as naming) {
	children := make([][]int, len(r.Preemptions))
	var roots []int
	for i := range r.Preemptions {
		if up := r.Preemptions[i].Parent; up >= 0 {
			children[up] = append(children[up], i)
		} else {
			roots = append(roots, i)
		}
	}
	if len(roots) > 0 {
		b.WriteString("\nwho caused what:\n")
	}
	var draw func(i, depth int)
	draw = func(i, depth int) {
		p := &r.Preemptions[i]
		who := as.pod(p.By)
		if p.Gang != nil {
			who = "gang " + as.of(p.Gang.Namespace, p.Gang.Name)
		}
		fmt.Fprintf(b, "%s%s at %v", strings.Repeat("  ", depth+1), who, p.At)
		if len(p.Victims) > 0 {
			fmt.Fprintf(b, " evicts %s", as.pods(p.Victims))
		} else {
			fmt.Fprintf(b, " waits for %s", as.pods(p.Waiting))
		}
		if p.Caused > 0 {
			fmt.Fprintf(b, "; %s in turn, %d deep", plural(p.Caused, "eviction"), p.Depth)
		}
		b.WriteString("\n")
		for _, k := range children[i] {
			draw(k, depth+1)
		}
	}
	for _, i := range roots {
		draw(i, 0)
	}
}

// writeHarm lists what went wrong for those who were evicted.
func (r *Report) writeHarm(b *strings.Builder, as naming) {
	if homeless := r.Homeless(); len(homeless) > 0 {
		b.WriteString("\nevicted and without a place at the end:\n")
		for i := range homeless {
			fmt.Fprintf(b, "  %s: %s\n", as.pod(homeless[i].Pod), homeless[i].State)
		}
	}
	if often := r.EvictedOften(); len(often) > 0 {
		b.WriteString("\nevicted more than once:\n")
		for i := range often {
			fmt.Fprintf(b, "  %s: %d times\n", as.pod(often[i].Pod), len(often[i].Evictions))
		}
	}
	if len(r.Pairs) > 0 {
		b.WriteString("\nevict each other:\n")
		for _, p := range r.Pairs {
			fmt.Fprintf(b, "  %s and %s: %d and %d times\n", as.pod(p.A), as.pod(p.B), p.Times, p.BTimes)
		}
	}
	if len(r.Violations) > 0 {
		b.WriteString("\nbudgets violated:\n")
		for _, v := range r.Violations {
			fmt.Fprintf(b, "  %s at %v: %s, evicted for %s\n", as.of(v.Budget.Namespace, v.Budget.Name), v.At, as.pod(v.Victim), as.pod(r.Preemptions[v.Preemption].By))
		}
	}
	if len(r.Owners) > 0 {
		b.WriteString("\nwithout a healthy pod:\n")
		for _, o := range r.Owners {
			fmt.Fprintf(b, "  %s: %s\n", as.of(o.Namespace, o.Owner.String()), spans(o.Outages))
		}
	}
	if len(r.Budgets) > 0 {
		b.WriteString("\nfewer healthy pods than the budget wants:\n")
		for _, o := range r.Budgets {
			fmt.Fprintf(b, "  %s: %s\n", as.of(o.Budget.Namespace, o.Budget.Name), spans(o.Outages))
		}
	}
}

func spans(list []Outage) string {
	texts := make([]string, len(list))
	for i, o := range list {
		texts[i] = fmt.Sprintf("%v to %v", o.From, o.To)
		if o.Lasts {
			texts[i] = fmt.Sprintf("from %v on", o.From)
		}
	}
	return strings.Join(texts, ", ")
}

// mean is the mean of durations, rounded to the second.
func mean(sum time.Duration, n int) time.Duration {
	if n == 0 {
		return 0
	}
	return (sum / time.Duration(n)).Round(time.Second)
}
