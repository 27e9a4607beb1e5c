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
	"strings"
	"text/tabwriter"
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
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "WORKLOAD\tROUND\tBY\tPODS/S\tPOSTFILTERS\tP50\tP99\tFOLLOW P50\tDECIDE P50\tCHECK P50\tEVICTED BY PRIORITY")
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
				fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%s\n", workload, round+1, v.name, throughput, postFilters(c.lines))
				if err := out.Flush(); err != nil {
					return err
				}
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

// postFilters returns what there is to tell of a run: how many pods were helped
// and how long that took, and who was evicted.
func postFilters(lines []journal.Line) string {
	var all, follow, decide, check []time.Duration
	evicted := make(map[int32]int)
	for _, l := range lines {
		if l.Evicted != nil {
			evicted[l.Evicted.Priority]++
			continue
		}
		if !l.Success {
			continue
		}
		all = append(all, l.PostFilter)
		if d := l.Decision; d != nil {
			follow, decide, check = append(follow, d.Following), append(decide, d.Deciding), append(check, d.Checking)
		}
	}
	var victims []string
	for _, priority := range slices.Sorted(maps.Keys(evicted)) {
		victims = append(victims, fmt.Sprintf("%d of priority %d", evicted[priority], priority))
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%s", len(all), quantile(all, 0.5), quantile(all, 0.99),
		quantile(follow, 0.5), quantile(decide, 0.5), quantile(check, 0.5), strings.Join(victims, ", "))
}

// quantile returns the smallest duration that so large a share is not above.
func quantile(d []time.Duration, share float64) string {
	if len(d) == 0 {
		return "-"
	}
	slices.Sort(d)
	return d[min(int(share*float64(len(d))), len(d)-1)].Round(time.Microsecond).String()
}
