package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption/scheduler/internal/dump/dumptest"
)

// BenchmarkExplain explains a pod against a dump of 500 nodes with 30 pods each, all
// of the command: the goal is 6 s and 500 MB for 133 MB of JSON on one core. Memory
// is that of the heap at its most, looked at a hundred times a second, less the dump
// itself.
func BenchmarkExplain(b *testing.B) {
	in := append(dumptest.Big(500, 30), podJSON("p", `{"priority":100,"containers":[{"name":"a","resources":{"requests":{"cpu":"12"}}}]}`)...)
	b.SetBytes(int64(len(in)))
	debug.FreeOSMemory()
	most, done := uint64(0), make(chan struct{})
	go func() {
		defer close(done)
		var s runtime.MemStats
		for {
			select {
			case done <- struct{}{}:
				return
			case <-time.After(10 * time.Millisecond):
				runtime.ReadMemStats(&s)
				most = max(most, s.HeapInuse)
			}
		}
	}()
	for b.Loop() {
		code := Run(context.Background(), []string{"explain", "-f", "-", "p"}, genericiooptions.IOStreams{In: bytes.NewReader(in), Out: io.Discard, ErrOut: os.Stderr})
		if code != ExitYes {
			b.Fatal(fmt.Sprint("exit code ", code))
		}
	}
	<-done
	b.ReportMetric(float64(len(in))/1e6, "MB-of-input")
	b.ReportMetric((float64(most)-float64(len(in)))/1e6, "MB-more-in-use")
}
