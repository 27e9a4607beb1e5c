package main

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTrace(t *testing.T) {
	nodes, err := loadNodes()
	if err != nil {
		t.Fatal(err)
	}
	pods, err := loadPods()
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes) != traceNodes || len(pods) != 8152 {
		t.Errorf("%d nodes and %d pods, want %d and 8152", len(nodes), len(pods), traceNodes)
	}
	var cpu, gpus int64
	qos := make(map[string]int)
	for _, p := range pods {
		cpu += p.cpu
		gpus += p.gpu
		qos[p.qos]++
	}
	if cpu != 85_436_012 || gpus != 6_086_800 {
		t.Errorf("pods ask for %dm CPUs and %dm GPUs, want 85436012m and 6086800m", cpu, gpus)
	}
	if diff := cmp.Diff(map[string]int{"LS": 4647, "Guaranteed": 7, "Burstable": 100, "BE": 3398}, qos); diff != "" {
		t.Errorf("pods by QoS (-want +got):\n%s", diff)
	}
}

func TestBadTable(t *testing.T) {
	tests := map[string]string{
		"name,cpu\nn1,4\n\"":   "line 3",
		"name,cpu\nn1\n":       "wrong number of fields",
		"name,cpu\nn1,4\nn2,x": `line 3: column cpu: strconv.ParseInt: parsing "x"`,
		"name,memory\nn1,4\n":  "line 2: no column cpu",
		"":                     "EOF",
	}
	for table, want := range tests {
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		w.Write([]byte(table))
		w.Close()
		err := readTable(zipped.Bytes(), func(r *row) { r.number("cpu") })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want it to contain %q", table, err, want)
		}
	}
	if err := readTable([]byte("not gzip"), func(*row) {}); err == nil {
		t.Error("not gzip: no error")
	}
}

func TestSample(t *testing.T) {
	nodes := []traceNode{{name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}, {name: "e"}}
	for n, want := range map[int]string{1: "a", 2: "ac", 3: "abd", 5: "abcde"} {
		got := ""
		for _, node := range sample(nodes, n) {
			got += node.name
		}
		if got != want {
			t.Errorf("sample of %d: %s, want %s", n, got, want)
		}
	}
}

func TestBestFit(t *testing.T) {
	nodes := []traceNode{
		{name: "big", cpu: 8000, memory: 100, gpu: 2000, gpuModel: "T4"},
		{name: "small", cpu: 4000, memory: 100, gpu: 1000, gpuModel: "V100"},
		{name: "cpu", cpu: 4000, memory: 100},
	}
	tests := []struct {
		why string
		pod tracePod
		at  int
	}{
		{"no GPU: where no GPU is left idle", tracePod{cpu: 3000}, 2},
		{"half a GPU: where less is left", tracePod{cpu: 1000, gpu: 500}, 1},
		{"half a GPU of another model", tracePod{cpu: 1000, gpu: 500, models: []string{"P100", "T4"}}, 0},
		{"fills the small node's GPU", tracePod{cpu: 1000, gpu: 500}, 1},
		{"no model will do", tracePod{gpu: 1, models: []string{"P100"}}, -1},
		{"too much memory", tracePod{memory: 101}, -1},
		{"fills the small node's CPUs exactly, no GPU left either", tracePod{cpu: 2000}, 1},
	}
	var pods []tracePod
	for _, tt := range tests {
		pods = append(pods, tt.pod)
	}
	for i, at := range bestFit(nodes, pods) {
		if at != tests[i].at {
			t.Errorf("%s: placed at %d, want %d", tests[i].why, at, tests[i].at)
		}
	}
}
