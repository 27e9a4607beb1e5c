package trace

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTrace(t *testing.T) {
	nodes, err := Nodes()
	if err != nil {
		t.Fatal(err)
	}
	pods, err := Pods()
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes) != 1523 || len(pods) != 8152 {
		t.Errorf("%d nodes and %d pods, want 1523 and 8152", len(nodes), len(pods))
	}
	var cpu, gpus int64
	qos := make(map[string]int)
	for _, p := range pods {
		cpu += p.CPU
		gpus += p.GPU
		qos[p.QoS]++
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
	nodes := []Node{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}
	for n, want := range map[int]string{1: "a", 2: "ac", 3: "abd", 5: "abcde"} {
		got := ""
		for _, node := range Sample(nodes, n) {
			got += node.Name
		}
		if got != want {
			t.Errorf("sample of %d: %s, want %s", n, got, want)
		}
	}
}

func TestBestFit(t *testing.T) {
	nodes := []Node{
		{Name: "big", CPU: 8000, Memory: 100, GPU: 2000, Model: "T4"},
		{Name: "small", CPU: 4000, Memory: 100, GPU: 1000, Model: "V100"},
		{Name: "cpu", CPU: 4000, Memory: 100},
	}
	tests := []struct {
		why string
		pod Pod
		at  int
	}{
		{"no GPU: where no GPU is left idle", Pod{CPU: 3000}, 2},
		{"half a GPU: where less is left", Pod{CPU: 1000, GPU: 500}, 1},
		{"half a GPU of another model", Pod{CPU: 1000, GPU: 500, Models: []string{"P100", "T4"}}, 0},
		{"fills the small node's GPU", Pod{CPU: 1000, GPU: 500}, 1},
		{"no model will do", Pod{GPU: 1, Models: []string{"P100"}}, -1},
		{"too much memory", Pod{Memory: 101}, -1},
		{"fills the small node's CPUs exactly, no GPU left either", Pod{CPU: 2000}, 1},
	}
	var pods []Pod
	for _, tt := range tests {
		pods = append(pods, tt.pod)
	}
	for i, at := range BestFit(nodes, pods) {
		if at != tests[i].at {
			t.Errorf("%s: placed at %d, want %d", tests[i].why, at, tests[i].at)
		}
	}
}
