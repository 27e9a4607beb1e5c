package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption/scheduler/internal/dump/dumptest"
)

// asCommand makes the test binary the command, so that a benchmark can run it as a
// process of its own. It names the file for what Linux says of the process at its end.
const asCommand = "PREEMPTION_BENCHMARK_AS_COMMAND"

func TestMain(m *testing.M) {
	file := os.Getenv(asCommand)
	if file == "" {
		os.Exit(m.Run())
	}
	code := Run(context.Background(), os.Args[1:], genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr})
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_ = os.WriteFile(file, status, 0o600)
	}
	os.Exit(code)
}

// mostMemory is the largest resident set of a process, in MB, 0 if it is not known. What
// wait4 says of a child will not do: on Linux it is no less than its parent's.
func mostMemory(status string) float64 {
	data, err := os.ReadFile(status)
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	var kib float64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0
	}
	return kib * 1024 / 1e6
}

// BenchmarkExplain explains a pod against a dump, as a process of its own on one
// core: its time on the processor, and its memory at the most, which is what Linux
// counts (its largest resident set). The goal is 6 s and 500 MB for 133 MB
// of JSON.
func BenchmarkExplain(b *testing.B) {
	const pods, goal = 30, 133e6
	perNode := len(dumptest.Big(20, pods)) / 20
	for name, nodes := range map[string]int{"MB=133": int(goal) / perNode, "nodes=500/pods=30": 500} {
		b.Run(name, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "dump.json")
			status, size := filepath.Join(b.TempDir(), "status"), 0
			{
				in := append(dumptest.Big(nodes, pods), podJSON("p", `{"priority":100,"containers":[{"name":"a","resources":{"requests":{"cpu":"12"}}}]}`)...)
				size = len(in)
				if err := os.WriteFile(file, in, 0o600); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(size))
			var seconds, most float64
			for b.Loop() {
				cmd := exec.Command(os.Args[0], "explain", "-f", file, "p")
				cmd.Env = append(os.Environ(), asCommand+"="+status, "GOMAXPROCS=1")
				out, err := cmd.CombinedOutput()
				if err != nil || !strings.Contains(string(out), "preemption clears node") {
					b.Fatal(fmt.Sprint(err, string(out)))
				}
				seconds += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
				most = max(most, mostMemory(status))
			}
			b.ReportMetric(float64(size)/1e6, "MB-of-input")
			b.ReportMetric(seconds/float64(b.N), "s-of-processor")
			b.ReportMetric(most, "MB-at-most")
			if size < 140e6 && most > 500 {
				b.Errorf("it takes %.0f MB, more than 500", most)
			}
		})
	}
}
