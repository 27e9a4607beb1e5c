package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/preemption"
	"example.com/preemption/internal/trace"
)

// summary is what -json prints. The order of the fields is that of the output.
type summary struct {
	Nodes        int            `json:"nodes"`
	Pods         int            `json:"pods"` // of the trace, placed before the stream
	Seed         uint64         `json:"seed"`
	Decisions    int            `json:"decisions"`
	Fits         int            `json:"fits"`
	Preempted    int            `json:"preempted"`
	Unhelpful    int            `json:"unhelpful"`
	Victims      int            `json:"victims"`
	Violations   int            `json:"violations"`
	VictimsByQoS map[string]int `json:"victimsByQoS"`
	Latency      latency        `json:"latency"`
}

// latency is in microseconds.
type latency struct {
	Unit string  `json:"unit"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

func writeJSON(out io.Writer, cfg config, w *world, t *tally) error {
	s := summary{
		Nodes:        cfg.nodes,
		Pods:         w.placed,
		Seed:         cfg.seed,
		Decisions:    t.decisions,
		Fits:         t.fits,
		Preempted:    t.preempted,
		Unhelpful:    t.unhelpful,
		Victims:      t.victims,
		Violations:   t.violations,
		VictimsByQoS: make(map[string]int),
	}
	for _, class := range trace.Classes {
		s.VictimsByQoS[class] = t.victimsByQoS[class]
	}
	sorted := slices.Sorted(slices.Values(t.latencies))
	us := func(percent int) float64 { return float64(percentile(sorted, percent).Nanoseconds()) / 1000 }
	s.Latency = latency{"microseconds", us(50), us(90), us(99), us(100)}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(s)
}

// percentile returns the smallest value that so many percent of the sorted ones
// do not exceed, zero if there are none.
func percentile(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := (percent*len(sorted) + 99) / 100
	return sorted[max(rank, 1)-1]
}

func writeReport(out io.Writer, cfg config, w *world, t *tally) error {
	var b strings.Builder
	describe(&b, cfg, w)
	outcomes(&b, t)
	victims(&b, t)
	if cfg.best {
		contrast(&b, t)
	}
	refusals(&b, t)
	latencies(&b, t)
	_, err := io.WriteString(out, b.String())
	return err
}

func describe(b *strings.Builder, cfg config, w *world) {
	fmt.Fprintf(b, `openb, a GPU cluster at Alibaba: %d of its %d nodes. GPUs are counted in
thousandths and pooled per node, which ignores the limits of each device.

%d of the trace's %d pods are placed by best fit; the others found no room.
Taken are %s of the CPUs, %s of the memory, %s of the GPUs.
%d budgets protect the applications of %d or more replicas: %d %% may be missing.

%d pods of priority %d arrive, of sizes drawn from the trace with seed %d.
What they evict is not started again.
`,
		cfg.nodes, traceNodes, w.placed, len(w.pods),
		share(w.used.cpu, w.total.cpu), share(w.used.memory, w.total.memory), share(w.used.gpu, w.total.gpu),
		w.budgets, protectedReplicas, unavailable.Value, cfg.pods, streamPriority, cfg.seed)
}

func share(part, whole int64) string {
	if whole == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}

func outcomes(b *strings.Builder, t *tally) {
	b.WriteString("\n== What became of them ==\n\n")
	chart(b, []line{
		{"fitted without evictions", t.fits},
		{"preempted", t.preempted},
		{"could not be helped", t.unhelpful},
	})
}

// contrast tells how often kube-scheduler would have done worse in the same cluster.
func contrast(b *strings.Builder, t *tally) {
	fmt.Fprintf(b, "\n== Beside kube-scheduler's choice: %d victims instead of %d ==\n\n", t.victims, t.upstreamVictims)
	lines, better := []line(nil), 0
	for _, o := range preemption.DefaultOrders() {
		lines = append(lines, line{"better by " + o.Name, t.better[o.Name]})
		better += t.better[o.Name]
	}
	chart(b, append(lines, line{"no better", t.preempted - better}))
}

func victims(b *strings.Builder, t *tally) {
	fmt.Fprintf(b, "\n== At whose expense: %d victims, %d budget violations ==\n\n", t.victims, t.violations)
	b.WriteString("Fewer violations come first, then less important victims: a pod whose budget\n" +
		"lets it go is evicted before one of lower priority whose budget is spent.\n\n")
	lines := make([]line, len(trace.Classes))
	for i, class := range trace.Classes {
		lines[i] = line{fmt.Sprintf("%s, priority %d", class, trace.Priority[class]), t.victimsByQoS[class]}
	}
	chart(b, lines)
	if t.preempted == 0 {
		return
	}
	b.WriteString("\nVictims of one preemption:\n\n")
	chart(b, histogram(t.victimsPerDecision, []int{1, 2, 3, 5, 9, 17, 33}, func(low, high int) string {
		if low == high {
			return strconv.Itoa(low)
		}
		return fmt.Sprintf("%d to %d", low, high)
	}))
}

func refusals(b *strings.Builder, t *tally) {
	if len(t.unhelped) == 0 {
		return
	}
	fmt.Fprintf(b, "\n== Why pods could not be helped ==\n")
	for _, u := range t.unhelped {
		fmt.Fprintf(b, "\nOne that asks for %s:\n%s", u.asks, indent(u.message, 76))
	}
	if more := t.unhelpful - len(t.unhelped); more > 0 {
		fmt.Fprintf(b, "\nand %d more\n", more)
	}
}

// latencies comes last: nothing above depends on the machine.
func latencies(b *strings.Builder, t *tally) {
	if t.decisions == 0 {
		return
	}
	sorted := slices.Sorted(slices.Values(t.latencies))
	fmt.Fprintf(b, "\n== Time per decision: p50 %v, p90 %v, p99 %v, max %v ==\n\n",
		rounded(percentile(sorted, 50)), rounded(percentile(sorted, 90)), rounded(percentile(sorted, 99)), rounded(percentile(sorted, 100)))
	us := make([]int, len(sorted))
	for i, d := range sorted {
		us[i] = int(d.Microseconds())
	}
	bounds := []int{0}
	for decade := 1; decade <= 1e7; decade *= 10 {
		bounds = append(bounds, decade, 2*decade, 5*decade)
	}
	chart(b, histogram(us, bounds, func(_, high int) string {
		return fmt.Sprintf("below %v", time.Duration(high+1)*time.Microsecond)
	}))
}

// rounded keeps three digits.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// A line is one bar of a chart.
type line struct {
	label string
	n     int
}

// histogram counts values in buckets that begin at the bounds, without the empty
// ones at both ends. No value is below the first bound; the last bucket takes all
// from the last bound on.
func histogram(values, bounds []int, label func(low, high int) string) []line {
	if len(values) == 0 {
		return nil
	}
	counts := make([]int, len(bounds))
	for _, v := range values {
		i, found := slices.BinarySearch(bounds, v)
		if !found {
			i--
		}
		counts[i]++
	}
	var lines []line
	for i, n := range counts {
		high := slices.Max(values)
		if i+1 < len(bounds) {
			high = bounds[i+1] - 1
		}
		if n > 0 || len(lines) > 0 {
			lines = append(lines, line{label(bounds[i], high), n})
		}
	}
	for len(lines) > 0 && lines[len(lines)-1].n == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// chart draws bars, the longest for the greatest number.
func chart(b *strings.Builder, lines []line) {
	const width = 40
	labelWidth, numberWidth, most := 0, 0, 0
	for _, l := range lines {
		labelWidth = max(labelWidth, utf8.RuneCountInString(l.label))
		numberWidth = max(numberWidth, len(strconv.Itoa(l.n)))
		most = max(most, l.n)
	}
	for _, l := range lines {
		fmt.Fprintf(b, "%-*s  %*d", labelWidth, l.label, numberWidth, l.n)
		if l.n > 0 {
			b.WriteString("  " + strings.Repeat("#", max(l.n*width/most, 1)))
		}
		b.WriteByte('\n')
	}
}

// indent breaks a text into indented lines of at most width bytes.
func indent(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		if column > 0 && column+1+len(word) > width {
			b.WriteByte('\n')
			column = 0
		}
		if column == 0 {
			b.WriteString("  ")
			column = 2
		} else {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}
