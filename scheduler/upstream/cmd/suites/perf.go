package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/preemption/scheduler/upstream/internal/journal"
)

const perfTests = "test/integration/scheduler_perf/default_preemption"

// variants are what is compared, in turn.
var variants = []struct {
	name string
	env  []string
}{
	{"kube-scheduler", []string{journal.DeciderVariable + "=off"}},
	{"library", nil},
}

// perf runs scheduler_perf's workloads with and without the library in turn.
func perf(ctx context.Context, t *tree, workloads string, rounds int) error {
	if _, err := t.build(ctx, "etcd", "./etcd"); err != nil {
		return err
	}
	binary, err := t.buildTest(ctx, "perf", kubernetes+"/"+perfTests)
	if err != nil {
		return err
	}
	// A line at a time, so that what has been measured is seen; p50 and p99 are of
	// the PostFilters that found a node, the last three p50s are parts of them.
	const row = "%-25s %5v  %-14s %9s %5s %9s %9s %9s %9s %9s  %s\n"
	fmt.Printf(row, "WORKLOAD", "ROUND", "BY", "PODS/S", "CALLS", "P50", "P99", "FOLLOW", "DECIDE", "CHECK", "EVICTED")
	for _, workload := range strings.Split(workloads, ",") {
		pattern := "^BenchmarkPerfScheduling$/^" + strings.ReplaceAll(workload, "/", "$/^") + "$"
		for round := range rounds {
			for _, v := range variants {
				name := fmt.Sprintf("perf-%s-%d-%s", strings.ReplaceAll(workload, "/", "-"), round+1, v.name)
				env := append([]string{"KUBE_CACHE_MUTATION_DETECTOR=false"}, v.env...)
				c, err := t.test(ctx, name, binary, filepath.Join(t.source, perfTests), env,
					"-test.run=^$", "-test.bench="+pattern, "-test.benchtime=1x", "-test.timeout=60m",
					"-perf-scheduling-label-filter=", "-data-items-dir="+t.work)
				if err != nil {
					return err
				}
				if c.failed > 0 {
					return fmt.Errorf("%s failed", name)
				}
				throughput, err := throughputOf(filepath.Join(t.work, name+".log"))
				if err != nil {
					return err
				}
				p := postFiltersOf(c.lines)
				fmt.Printf(row, workload, round+1, v.name, throughput, strconv.Itoa(len(p.all)), quantile(p.all, 0.5), quantile(p.all, 0.99),
					quantile(p.follow, 0.5), quantile(p.decide, 0.5), quantile(p.check, 0.5), p.victims())
			}
		}
	}
	return nil
}

var average = regexp.MustCompile(`([0-9.e+]+) SchedulingThroughput/Average\b`)

// throughputOf reads the average throughput in pods a second from a benchmark's
// output. A workload that is over within two seconds has none.
func throughputOf(log string) (string, error) {
	data, err := os.ReadFile(log)
	if err != nil {
		return "", err
	}
	if m := average.FindSubmatch(data); m != nil {
		return string(m[1]), nil
	}
	if bytes.Contains(data, []byte("Failed to measure SchedulingThroughput")) {
		return "too short", nil
	}
	return "", fmt.Errorf("%s: no throughput in it", log)
}

// postFilters are the calls that found a node: how long each took, the parts of
// that where the library decided, and who was evicted.
type postFilters struct {
	all, follow, decide, check []time.Duration
	evicted                    map[int32]int // by priority
}

func postFiltersOf(lines []journal.Line) postFilters {
	p := postFilters{evicted: make(map[int32]int)}
	for _, l := range lines {
		switch d := l.Decision; {
		case l.Evicted != nil:
			p.evicted[l.Evicted.Priority]++
		case l.Success:
			p.all = append(p.all, l.PostFilter)
			if d != nil {
				p.follow, p.decide, p.check = append(p.follow, d.Following), append(p.decide, d.Deciding), append(p.check, d.Checking)
			}
		}
	}
	return p
}

func (p postFilters) victims() string {
	var victims []string
	for _, priority := range slices.Sorted(maps.Keys(p.evicted)) {
		victims = append(victims, fmt.Sprintf("%d of priority %d", p.evicted[priority], priority))
	}
	return strings.Join(victims, ", ")
}

// quantile returns the smallest duration that so large a share is not above.
func quantile(d []time.Duration, share float64) string {
	if len(d) == 0 {
		return "-"
	}
	slices.Sort(d)
	return d[min(int(share*float64(len(d))), len(d)-1)].Round(time.Microsecond).String()
}
