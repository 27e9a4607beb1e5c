package simulate

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// A Comparison is one world under several policies.
type Comparison struct{ Rows []Row }

// A Row is what a policy came to.
type Row struct {
	Policy string
	Report *Report
	// Evictions counts pods evicted, a pod as often as it was; Pods each pod once.
	Evictions, Pods int
	// TopPriority is the highest priority of a victim, PrioritySum the sum of
	// (priority + 2^31) over all evictions, as in the choice between nodes.
	TopPriority int32
	PrioritySum int64
	Violations  int
	Homeless    int
	// Placed counts the pods that were pending and got a place, MeanWait is how long
	// they waited for it on average.
	Placed   int
	MeanWait time.Duration
	// FirstEviction is when the first pod was evicted.
	FirstEviction time.Duration
}

// Compare plays the same world under each policy, in the order given.
func Compare(ctx context.Context, w World, policies ...Policy) (*Comparison, error) {
	var c Comparison
	for _, p := range policies {
		w.Policy = p
		r, err := Run(ctx, w)
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", p.Name, err)
		}
		c.Rows = append(c.Rows, row(p.Name, r))
	}
	return &c, nil
}

func row(policy string, r *Report) Row {
	x := Row{Policy: policy, Report: r, Violations: len(r.Violations), Homeless: len(r.Homeless())}
	for i := range r.Preemptions {
		for _, v := range r.Preemptions[i].Victims {
			if x.Evictions == 0 {
				x.TopPriority, x.FirstEviction = v.Priority, r.Preemptions[i].At
			}
			x.Evictions++
			x.TopPriority = max(x.TopPriority, v.Priority)
			x.PrioritySum += int64(v.Priority) + 1<<31
		}
	}
	var waited time.Duration
	for i := range r.Pods {
		p := &r.Pods[i]
		if len(p.Evictions) > 0 {
			x.Pods++
		}
		if p.Placed {
			x.Placed++
			waited += p.First - p.Arrived
		}
	}
	x.MeanWait = mean(waited, x.Placed)
	return x
}

// String returns a table, a row a policy.
func (c *Comparison) String() string {
	var b strings.Builder
	table(&b, func(w io.Writer) {
		fmt.Fprintln(w, "POLICY\tEVICTIONS\tPODS\tTOP PRIORITY\tVIOLATIONS\tNO PLACE LEFT\tPLACED\tMEAN WAIT\tFIRST EVICTION\tEND")
		for i := range c.Rows {
			x := &c.Rows[i]
			top, first := "-", "-"
			if x.Evictions > 0 {
				top, first = fmt.Sprint(x.TopPriority), x.FirstEviction.String()
			}
			fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%d\t%d\t%d\t%v\t%s\t%s\n", x.Policy, x.Evictions, x.Pods, top,
				x.Violations, x.Homeless, x.Placed, x.MeanWait, first, x.Report.End)
		}
	})
	return b.String()
}
