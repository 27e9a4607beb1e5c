package command

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"example.com/preemption/scheduler/explanation"
)

// A real cluster, of 1,523 nodes and 8,152 pods, in seconds.
func TestOpenB(t *testing.T) {
	objects := openB(t)
	dump := writeList(t, objects)
	t.Logf("dump of %d objects, %d MB", len(objects), len(dump)>>20)

	start := time.Now()
	code, stdout, stderr := run(dump, "explain", "-f", "-", "-o", "json", "-n", "default", "urgent")
	took := time.Since(start)
	if code != ExitYes {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var e explanation.Explanation
	if err := json.Unmarshal([]byte(stdout), &e); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v: %d candidates, node %s, %d victims", took.Round(time.Millisecond), len(e.Candidates), e.Node, len(e.Victims))
	if e.Outcome != explanation.Preempt || len(e.Candidates) < 100 || len(e.Statuses) != 1523 {
		t.Errorf("%s, %d candidates, %d statuses", e.Outcome, len(e.Candidates), len(e.Statuses))
	}
	if took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// openB returns the trace's cluster with each pod on the first node, going
// round, that has room, and a pod that asks for all of a large one.
func openB(t *testing.T) []runtime.Object {
	t.Helper()
	var nodes []*v1.Node
	for _, row := range records(t, "openb_node_list_all_node.csv.gz") {
		nodes = append(nodes, &v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: row["sn"], Labels: map[string]string{"gpu-model": row["model"]}},
			Status: v1.NodeStatus{Allocatable: v1.ResourceList{
				v1.ResourceCPU:    resource.MustParse(row["cpu_milli"] + "m"),
				v1.ResourceMemory: resource.MustParse(row["memory_mib"] + "Mi"),
				v1.ResourcePods:   resource.MustParse("110"),
				"example.com/gpu": resource.MustParse(row["gpu"]),
			}},
		})
	}
	var objects []runtime.Object
	for _, n := range nodes {
		objects = append(objects, n)
	}
	free := make([][3]int64, len(nodes))
	for i, n := range nodes {
		free[i] = amounts(n.Status.Allocatable)
	}
	at := 0
	for _, row := range records(t, "openb_pod_list_default.csv.gz") {
		p := openBPod(t, row)
		need := amounts(p.Spec.Containers[0].Resources.Requests)
		for range nodes {
			if at++; at == len(nodes) {
				at = 0
			}
			if f := &free[at]; f[0] >= need[0] && f[1] >= need[1] && f[2] >= need[2] {
				p.Spec.NodeName = nodes[at].Name
				for i := range need {
					f[i] -= need[i]
				}
				break
			}
		}
		objects = append(objects, p)
	}
	urgent := openBPod(t, map[string]string{"name": "urgent", "cpu_milli": "90000", "memory_mib": "1024", "num_gpu": "8", "qos": "urgent", "creation_time": "0"})
	return append(objects, urgent)
}

func openBPod(t *testing.T, row map[string]string) *v1.Pod {
	t.Helper()
	priority := map[string]int32{"BE": 10, "LS": 100, "Burstable": 100, "Guaranteed": 200, "urgent": 1000}[row["qos"]]
	seconds, err := strconv.ParseInt(row["creation_time"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	started := metav1.NewTime(time.Unix(1_700_000_000+seconds, 0))
	grace := int64(30)
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: row["name"], UID: types.UID(row["name"]), CreationTimestamp: started,
			Labels: map[string]string{"qos": row["qos"]},
			// What else a pod of a real cluster carries.
			Annotations: map[string]string{"padding": strings.Repeat("lorem ipsum ", 200)},
		},
		Spec: v1.PodSpec{
			Priority:                      &priority,
			TerminationGracePeriodSeconds: &grace,
			Containers: []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
				v1.ResourceCPU:    resource.MustParse(row["cpu_milli"] + "m"),
				v1.ResourceMemory: resource.MustParse(row["memory_mib"] + "Mi"),
				"example.com/gpu": resource.MustParse(row["num_gpu"]),
			}}}},
		},
		Status: v1.PodStatus{StartTime: &started},
	}
}

func amounts(r v1.ResourceList) [3]int64 {
	gpu := r["example.com/gpu"]
	return [3]int64{r.Cpu().MilliValue(), r.Memory().Value(), gpu.Value()}
}

// records returns the rows of a file of the trace by column.
func records(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open("../../../testdata/openb/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]string
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, column := range rows[0] {
			m[column] = row[i]
		}
		list = append(list, m)
	}
	return list
}
