package dump

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"testing"

	"sigs.k8s.io/yaml"

	"example.com/preemption/scheduler/internal/dump/dumptest"
)

// BenchmarkRead reads a dump of 500 nodes with 30 pods each. The goal for reading
// and deciding, in the command's BenchmarkExplain, is 6 s and 500 MB for 133 MB of
// JSON on one core; for YAML it is a third of what it took (21 s for 57 MB).
func BenchmarkRead(b *testing.B) {
	whole := dumptest.Big(500, 30)
	part := dumptest.Big(50, 30)
	asYAML, err := yaml.JSONToYAML(part)
	if err != nil {
		b.Fatal(err)
	}
	for _, bc := range []struct {
		name string
		in   []byte
		pods int
	}{{"json/nodes=500/pods=30", whole, 15000}, {"yaml/nodes=50/pods=30", asYAML, 1500}} {
		b.Run(bc.name, func(b *testing.B) {
			b.SetBytes(int64(len(bc.in)))
			b.ReportAllocs()
			debug.FreeOSMemory()
			before, held := inUse(), uint64(0)
			for b.Loop() {
				var c Contents
				if err := c.Read(bytes.NewReader(bc.in), "dump"); err != nil {
					b.Fatal(err)
				}
				if len(c.Cluster.Pods) != bc.pods {
					b.Fatalf("%d pods", len(c.Cluster.Pods))
				}
				held = max(held, inUse()) // with what is not collected yet
				runtime.KeepAlive(&c)
			}
			b.ReportMetric(float64(len(bc.in))/1e6, "MB-of-input")
			b.ReportMetric((float64(held)-float64(before))/1e6, "MB-more-in-use")
		})
	}
}

func inUse() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapInuse
}
